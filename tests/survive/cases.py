"""Ten matches, as different as the rules, the bots and the ways to end allow."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct


class Chair(Struct, frozen=True):
    """Who plays a seat: a *bot* by its name, or the lines of a *script*."""

    deck: str
    bot: str = ""
    script: tuple[str, ...] = ()

    def bot_in(self, folder: Path) -> str:
        """The bot as it is asked for; *folder* gets its script."""
        if not self.script:
            return self.bot
        path = folder / "script.txt"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.script) + "\n")
        return f"script:{path}"


class Case(Struct, frozen=True):
    """A match that comes out the same whenever it is played: everything follows from *seed*."""

    name: str
    rules: str
    host: Chair
    join: Chair
    seed: str

    @property
    def chairs(self) -> tuple[Chair, Chair]:
        return self.host, self.join


CASES = (
    Case(
        "one-set",
        "standard,sets=1",
        Chair("balanced", "threshold"),
        Chair("wanderer", "random"),
        "survive 0",
    ),
    Case(
        "two-sets-by-chance",
        "standard,sets=2,opener=random",
        Chair("wanderer", "random"),
        Chair("balanced", "random"),
        "survive 1",
    ),
    Case(
        "three-sets",
        "standard,opener=loser",
        Chair("balanced", "threshold:16"),
        Chair("balanced", "threshold:18"),
        "survive 2",
    ),
    Case(
        "turn-seconds",
        "tournament,sets=1",
        Chair("balanced", "random"),
        Chair("wanderer", "threshold:15"),
        "survive 3",
    ),
    Case(
        "at-tie",
        "standard,sets=1,tiebreaker=at-tie",
        Chair("hard", script=("play D", "lay")),
        Chair("from-hell", script=("end", "end", "pass")),
        "tiebreaker-at-tie 25",
    ),
    Case(
        "joiner-concedes",
        "standard,sets=2",
        Chair(
            "super",
            script=("end", "play ±2 as +2", "end", "play ±4 as +4", "stand", "end", "end", "end"),
        ),
        Chair(
            "nightmare",
            script=("end", "play +4", "stand", "end", "end", "stand", "end", "end", "concede"),
        ),
        "concession 57",
    ),
    Case(
        "host-concedes-early",
        "standard,sets=3,turn_seconds=30",
        Chair("balanced", script=("auto", "concede")),
        Chair("wanderer", "random"),
        "survive 6",
    ),
    Case(
        "cap",
        "standard,max_sets=2",
        Chair("easy", script=("end", "stand", "end", "play +3", "end")),
        Chair("nightmare", script=("end", "play +4", "stand", "end")),
        "cap-decides 97",
    ),
    Case(
        "drawn-by-cap",
        "standard,sets=3,max_sets=2,gold=off,nine=stand,auto_stand=off",
        Chair("balanced", "threshold:17"),
        Chair("balanced", "threshold:17"),
        "survive 8",
    ),
    Case(
        "at-once",
        "standard,sets=1,opener=host,tiebreaker=last",
        Chair("wanderer", script=("concede",)),
        Chair("wanderer", script=("auto 14", "concede")),
        "survive 9",
    ),
)
