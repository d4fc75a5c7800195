"""What a record proves, and the two ways in which bytes can be wrong (section 11)."""

from dataclasses import dataclass


class Refusal(Exception):
    """Bytes that are not as the specification says, without proof that a seat has cheated."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


class Cheat(Exception):
    """A broken rule, proven by what `seat` has signed, in the entry `number` (None: this one)."""

    def __init__(self, code: str, text: str = "", seat: int = 0, number: int | None = None) -> None:
        super().__init__(f"{code}: {text}" if text else code)
        self.code = code
        self.seat = seat
        self.number = number


@dataclass(frozen=True)
class Verdict:
    """What a record proves.

    `termination` is `normal`, `cap`, `concession`, `time`, `cheat`, or `unfinished` where the
    record stops before the match does. `complete` says that nothing is due any more; otherwise
    `due` is the kind of statement that is missing, and the seat that owes it. `cheat` is the
    code, the seat and the number of the entry; `claim` the seat whose claim ends the match.
    `problem` is empty if the record is as section 12 wants it; if it is not, the rest tells of
    what stands before the problem, and a concession may be missing there. `keeper` and `ended`
    (there is an end map) are the keeper's word.
    """

    match_id: bytes = b""
    entries: int = 0
    head: bytes = b""
    termination: str = "unfinished"
    winner: int | None = None
    sets: tuple[int, int] = (0, 0)
    opened: tuple[bool, bool] = (False, False)
    complete: bool = False
    due: tuple[str, int] | None = None
    cheat: tuple[str, int, int] | None = None
    claim: int | None = None
    problem: str = ""
    keeper: int | None = None
    ended: bool = False

    @property
    def clean(self) -> bool:
        """Nothing was refused, no seat cheated, and the end map says nothing else."""
        return not self.problem and self.cheat is None

    def __str__(self) -> str:
        winner = "nobody" if self.winner is None else ("host", "join")[self.winner]
        opened = "".join("-+"[flag] for flag in self.opened)
        parts = [
            f"match {self.match_id.hex()[:16] or '?'}",
            f"{self.entries} entries",
            f"head {self.head.hex()[:16] or '?'}",
            f"{self.termination}, winner {winner}",
            f"sets {self.sets[0]}:{self.sets[1]}",
            f"opened {opened}",
            "complete" if self.complete else "incomplete",
        ]
        if self.due is not None:
            parts.append(f"{self.due[0]} due from {('host', 'join')[self.due[1]]}")
        if self.cheat is not None:
            code, seat, number = self.cheat
            parts.append(f"cheat {code} by {('host', 'join')[seat]} in entry {number}")
        if self.claim is not None:
            parts.append(f"claimed by {('host', 'join')[self.claim]}")
        if self.problem:
            parts.append(f"problem: {self.problem}")
        return "; ".join(parts)
