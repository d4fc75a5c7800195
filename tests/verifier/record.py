"""A record file (section 12): header, offer, accept, entries, concession, end; and its verdict."""

from dataclasses import dataclass, replace

from . import shapes
from .decode import Torn, maps
from .frames import is_small_order, match_id
from .game import NOBODY, TERMINATIONS, Phase
from .shapes import Map, binary, boolean, choice, has, integer, text
from .transcript import Transcript
from .verdict import Cheat, Refusal, Verdict

ENDS = ("normal", "cap", "concession", "time", "abandoned", "cheat")
CONCEDED = ("concession", "time")
REFUSALS = (
    *("garbage", "oversized", "too-deep", "malformed", "unexpected", "reflected", "version"),
    *("identity", "flood", "silent", "forked", "bad-signature", "broken-chain", "early-claim"),
)
CHEATS = (
    *("two-entries", "other-match", "wrong-previous", "wrong-sequence", "acted-after-conceding"),
    *("without-floor", "out-of-turn", "after-standing", "at-twenty", "wrong-statement"),
    *("copied-commitment", "copied-share", "wrong-share", "card-does-not-open"),
    *("card-not-dealt", "card-played-twice", "card-not-allowed", "two-cards"),
    *("impossible-value", "wrong-digest", "deck-does-not-open", "illegal-deck"),
)
KEEPERS_WORD = ("will-not-reveal", "will-not-open")
LEAVING = (
    *("done", "busy", "version", "declined", "interrupted", "later", "timeout", "cheat"),
    "protocol",
    *("fault", "closed", "turn_seconds", "claim"),
)
LEFT = ("done", "busy", "declined", "interrupted")  # with these a `bye` gives up the match
CODES = ("", *REFUSALS, *CHEATS, *KEEPERS_WORD, *LEAVING)


@dataclass
class _Reading:
    """How far a record has been read."""

    keeper: int | None = None
    keys: tuple[bytes, bytes] = (b"", b"")
    offer: bytes = b""
    transcript: Transcript | None = None
    cheat: tuple[str, int, int] | None = None
    end: Map | None = None
    problem: str = ""


def verify(data: bytes) -> Verdict:
    """What these bytes prove; whatever they are, this returns."""
    reading, good = _read(data)
    transcript = reading.transcript
    if good is not None and transcript is not None and transcript.torn:
        # What went before the refused entry stands, and no part of it.
        before, _ = _read(data[:good])
        reading.transcript = before.transcript
    return _judge(reading)


def _read(data: bytes) -> tuple[_Reading, int | None]:
    """Read until something is wrong; also where the refused message begins."""
    reading = _Reading()
    position = 0
    try:
        for raw, message in maps(data):
            _take(reading, raw, message)
            position += len(raw)
            if reading.cheat is not None and reading.end is None:
                refused = position - len(raw)
                _rest(reading, data[position:])
                return reading, refused
    except Torn:
        reading.problem = "the last object is torn"
    except Refusal as refusal:
        reading.problem = str(refusal)
        return reading, position
    if reading.keeper is None and not reading.problem:
        reading.problem = "no header"
    return reading, None


def _rest(reading: _Reading, data: bytes) -> None:
    """After a refused entry nothing but an end map may follow."""
    try:
        for _, message in maps(data):
            if reading.end is not None or message.get("t") != "end":
                raise Refusal("unexpected", "a message after a cheat")
            _end(reading, message)
    except Torn:
        reading.problem = "the last object is torn"
    except Refusal as refusal:
        reading.problem = str(refusal)


def _take(reading: _Reading, raw: bytes, message: Map) -> None:
    kind = message.get("t")
    transcript = reading.transcript
    if reading.end is not None:
        raise Refusal("unexpected", "an object after the end map")
    if reading.keeper is None:
        _header(reading, message)
    elif kind == "end":
        _end(reading, message)
    elif transcript is not None and kind in ("entry", "concede", "claim"):
        try:
            if kind == "entry":
                transcript.entry(*shapes.entry(message))
            elif kind == "claim":
                transcript.claim(*shapes.claim(message))
            else:
                transcript.concede(*shapes.concede(message))
        except Cheat as cheat:
            count = len(transcript.bodies)
            number = count if cheat.number is None else cheat.number
            reading.cheat = (cheat.code, cheat.seat, number)
    elif transcript is None and not reading.offer and kind == "offer":
        shapes.offer(message)
        reading.offer = raw
    elif transcript is None and reading.offer and kind == "accept":
        shapes.accept(message)
        rules = shapes.offer(next(maps(reading.offer))[1])
        identity = match_id(reading.keys, reading.offer, raw)
        reading.transcript = Transcript(identity, reading.keys, rules)
    else:
        raise Refusal("unexpected", f"{kind!r} at this place"[:80])


def _header(reading: _Reading, message: Map) -> None:
    has(message, "t", "v", "seat", "host", "join", "software", "began")
    choice(message["t"], ("record",))
    integer(message["v"], 1, 1)
    text(message["software"], 0, 64)
    integer(message["began"], 0, 2**53)
    keys = []
    for seat in ("host", "join"):
        player = shapes.submap(message[seat])
        has(player, "name", "key")
        text(player["name"], 1, 32)
        keys.append(binary(player["key"], 32))
        if is_small_order(keys[-1]):
            raise Refusal("identity", f"the key of {seat} is of small order")
    reading.keys = (keys[0], keys[1])
    reading.keeper = integer(message["seat"], 0, 1)


def _end(reading: _Reading, message: Map) -> None:
    has(message, "t", "termination", "winner", "opened", "code", "text")
    choice(message["termination"], ENDS)
    if message["winner"] is not None:
        integer(message["winner"], 0, 1)
    for flag in shapes.array(message["opened"], 2, 2):
        boolean(flag)
    choice(message["code"], CODES)
    text(message["text"], 0, 300)
    reading.end = message


def _judge(reading: _Reading) -> Verdict:
    transcript = reading.transcript
    if transcript is None:
        problem = reading.problem
        if reading.end is None:
            problem = problem or "the record stops before its match began"
        return Verdict(problem=problem, keeper=reading.keeper, ended=reading.end is not None)
    if reading.cheat is None:
        transcript.settle()
    game = transcript.game
    termination = TERMINATIONS[game.termination]
    winner = None if game.winner == NOBODY else game.winner
    cheat = reading.cheat
    if cheat is not None:
        other = 1 - cheat[1]
        # Who cheats after having lost changes nothing any more (section 10).
        if not (game.phase == Phase.OVER and winner == other and transcript.opened[other]):
            termination, winner = "cheat", other
    verdict = Verdict(
        match_id=transcript.match,
        entries=len(transcript.bodies),
        head=transcript.head,
        termination=termination,
        winner=winner,
        sets=(game.won[0], game.won[1]),
        opened=(transcript.opened[0], transcript.opened[1]),
        complete=transcript.complete(),
        due=transcript.due(),
        cheat=cheat,
        claim=transcript.claimer() if cheat is None else None,
        problem=reading.problem,
        keeper=reading.keeper,
        ended=reading.end is not None,
    )
    if reading.end is not None and not reading.problem:
        clock = game.rules.turn_seconds is not None
        return replace(verdict, problem=_contradiction(reading.end, verdict, clock))
    return verdict


def _contradiction(end: Map, verdict: Verdict, clock: bool) -> str:
    """Where the keeper's word says other than the proof; what cannot be proven is left to it."""
    said, winner, code = end["termination"], end["winner"], end["code"]
    if end["opened"] != list(verdict.opened):
        return "the end map is wrong about who has opened"
    if verdict.cheat is not None:
        proven = (verdict.termination, verdict.winner, verdict.cheat[0])
        return "" if (said, winner, code) == proven else "the end map does not tell of the cheat"
    if verdict.claim is not None or code == "claim":
        told = (said, winner, code) == ("abandoned", verdict.claim, "claim")
        claimed = told and verdict.claim is not None
        return "" if claimed else "the end map and the claims do not agree"
    if code in KEEPERS_WORD:
        believed = _withheld(str(code), verdict) and (said, winner) == _forfeit(verdict)
        return "" if believed else f"the end map tells of {code!r}, which the transcript refutes"
    if said == "cheat" or code in CHEATS:
        return f"the end map tells of a cheat that is not proven: {code!r}"
    if code == "turn_seconds" and said != "time":
        return f"the end map tells of a time that ran out, but says {said}"
    if said == "time" and verdict.termination == "unfinished":
        slow = None if verdict.due is None or verdict.due[0] != "act" else verdict.due[1]
        believed = clock and slow is not None and winner == 1 - slow
        return "" if believed else "the end map says time, but no act of the loser is due"
    if said == "abandoned":
        return "" if _abandoned(verdict, winner, code) else f"abandoned, winner {winner}: {code!r}"
    if _rests_on(verdict) is not None and verdict.termination not in CONCEDED:
        return f"the end map says {said}, but the result rests on an open that is missing"
    if (said, winner) != (verdict.termination, verdict.winner):
        return f"the end map says {said}, winner {winner}"
    return ""


def _withheld(code: str, verdict: Verdict) -> bool:
    """Whether the other seat than the keeper's owes what this code says it holds back."""
    if verdict.due is None or verdict.due[1] == verdict.keeper:
        return False
    if code == "will-not-reveal":
        return verdict.due[0] in ("commit", "reveal")
    return verdict.due[0] == "open"


def _forfeit(verdict: Verdict) -> tuple[str, int | None]:
    """The termination and winner if what is due never comes."""
    assert verdict.due is not None
    if verdict.due[0] == "open" and _rests_on(verdict) is None:
        return verdict.termination, verdict.winner  # a loser's `open`
    return "cheat", 1 - verdict.due[1]


def _rests_on(verdict: Verdict) -> int | None:
    """The seat that still owes an `open` without which the result of the match does not stand."""
    if verdict.due is None or verdict.due[0] != "open":
        return None
    return verdict.due[1] if verdict.winner in (None, verdict.due[1]) else None


def _abandoned(verdict: Verdict, winner: object, code: object) -> bool:
    """Whether the match can have been left so (section 10, "Leaving"); by whom is not proven."""
    if verdict.termination in CONCEDED or verdict.complete:
        return False
    if verdict.termination == "unfinished":
        return (winner is None) == (code not in LEFT)
    owes = _rests_on(verdict)  # else nobody could have everything but its own `open` said, and win
    return owes is not None and winner == 1 - owes
