"""Refusals in the middle of a match, partings and silences, for ``refusals.json``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pazaak_p2p.rules import Phase, Rules, Seat, parse_rules
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import Reader, encode
from pazaak_p2p.wire.messages import EndTurn
from tests.vectors_tools.forge import DECK, Author, Table
from tests.vectors_tools.primitives import example
from tests.vectors_tools.session import Session
from tests.vectors_tools.situations import HOST, JOIN, STANDARD, acting
from tests.vectors_tools.visitors import Visitor

Case = tuple[str, str | None, str, Session]
"""Name, code (None: nothing is refused), what it is about, and the session."""

_TIMED: Final = parse_rules("standard,sets=1,turn_seconds=5")


def _table(name: str, cheater: Seat = HOST, rules: Rules = STANDARD) -> Table:
    table = Table(name, cheater, rules)
    table.begin()
    assert table.play(acting)
    return table


def in_matches() -> Iterator[Case]:
    table = _table("bad signature")
    entry = bytearray(table.author.forge(EndTurn()))
    entry[-1] ^= 1
    table.tell(bytes(entry))
    yield (
        "bad-signature",
        "bad-signature",
        "One bit of the signature of an entry is turned.",
        table.session,
    )
    table = _table("bad concession")
    said = bytearray(table.author.concede(table.author.transcript.head))
    said[-1] ^= 1
    table.tell(bytes(said))
    yield (
        "bad-signature, a concession's",
        "bad-signature",
        "One bit of the signature of a concession is turned.",
        table.session,
    )
    table = _table("repeated")
    entry_again = table.author.seal()
    table.tell(entry_again)
    table.tell(entry_again)
    yield (
        "broken-chain, repeated",
        "broken-chain",
        "The same entry comes twice: somebody between may have repeated it.",
        table.session,
    )
    table = _table("lost")
    table.author.seal()
    table.tell(table.author.forge(EndTurn()))
    yield (
        "broken-chain, lost",
        "broken-chain",
        "An entry was lost on the way, and the next one comes.",
        table.session,
    )
    table = _table("unknown head")
    table.tell(table.author.concede(example("no such head")))
    yield (
        "broken-chain, a concession",
        "broken-chain",
        "A concession names a head that is not in the transcript.",
        table.session,
    )
    table = _table("in our name")
    table.tell(table.author.forge(EndTurn(), by=1))
    yield "reflected, an entry", "reflected", "An entry in the receiver's own name.", table.session
    table = _table("conceded in our name")
    said_for_us = messages.Concede(1, bytes(32), messages.ConcedeReason.CONCESSION, bytes(64))
    table.tell(encode(said_for_us))
    yield "reflected, a concession", "reflected", "A concession in our own name.", table.session
    table = _table("malformed body")
    table.tell(encode(messages.Entry(b"\x81\xa1n\x07", bytes(64))))
    yield (
        "malformed, a body",
        "malformed",
        "The body is looked at before the signature.",
        table.session,
    )
    table = _table("offer in a match")
    table.tell(table.author.offer(STANDARD))
    yield "unexpected, an offer", "unexpected", "An offer while a match is on.", table.session
    table = _table("conceded twice")
    table.tell(table.author.seal())
    table.tell(table.author.give_up())
    table.tell(table.author.concede(table.author.transcript.head))
    yield (
        "unexpected, a second concession",
        "unexpected",
        "The same seat concedes twice.",
        table.session,
    )
    table = Table("conceded at once", JOIN, STANDARD)
    table.begin()
    table.tell(table.author.concede(table.author.transcript.head))
    yield (
        "unexpected, a concession before both have committed",
        "unexpected",
        "The joiner concedes before its own commit.",
        table.session,
    )
    table = _table("conceded an early head")
    table.tell(table.author.concede(table.author.transcript.heads[1]))
    yield (
        "unexpected, a concession of a head before both have committed",
        "unexpected",
        "The concession comes late enough, but the head that it names does not.",
        table.session,
    )
    table = _table("no concession")
    table.tell(table.author.seal())
    table.tell(table.author.forge(table.author.open()))
    yield (
        "broken-chain, an open without a concession",
        "broken-chain",
        "An entry that begins with open accepts a concession, which is not in the chain: whoever"
        " shows it can have left that out. So it convicts nobody.",
        table.session,
    )
    table = _table("accepted wrongly")
    table.tell(table.author.seal())
    table.let_concede()
    table.tell(table.author.forge(table.author.open(), state=example("another state")))
    yield (
        "broken-chain, an open with another state",
        "broken-chain",
        "The joiner concedes, and the open that accepts it has a digest that does not fit. The"
        " state rests on the concession, which is not in the chain; so it convicts nobody.",
        table.session,
    )
    table = Table("after the end", HOST, STANDARD)
    table.begin()
    table.play(lambda author: False)
    table.tell(table.author.seal())
    table.tell(table.author.forge(EndTurn()))
    yield (
        "unexpected, after the end",
        "unexpected",
        "The transcript is complete, and another entry comes.",
        table.session,
    )


def _over(author: Author) -> bool:
    return author.transcript.state.phase is Phase.OVER


def _ended(name: str, owes: Seat, rules: str, winner: Seat | None) -> Table:
    """A match that ended so, before the author's own ``open``."""
    for n in range(100):
        table = Table(name if n == 0 else f"{name} {n}", owes, parse_rules(rules))
        table.begin()
        table.play(_over)
        outcome = table.author.transcript.state.outcome
        if outcome is not None and outcome.winner is winner:
            table.tell(table.author.seal())
            return table
    raise AssertionError(name)


_ONE_SET: Final = "standard,sets=1"
_DRAWN: Final = "standard,sets=1,max_sets=1"


def partings() -> Iterator[Case]:
    leave = encode(messages.Bye(messages.ByeReason.INTERRUPTED, "my train is here"))
    table = _table("left")
    table.tell(leave)
    yield "bye in a match", None, "The host leaves, and so loses: abandoned.", table.session
    table = _table("at fault")
    table.tell(encode(messages.Bye(messages.ByeReason.FAULT, "")))
    yield (
        "bye in a match for another reason",
        None,
        "The host's program cannot go on: abandoned, nobody wins.",
        table.session,
    )
    table = _table("gone")
    table.session.close(table.ours)
    yield (
        "the stream ends in a match",
        None,
        "The match is broken off: abandoned, nobody wins.",
        table.session,
    )
    for how in ("bye of", "stream ended by"):
        for name, owes, rules, winner, what in (
            ("a winner that has not opened", HOST, _ONE_SET, HOST, _OWED),
            ("a host that has not opened, drawn", HOST, _DRAWN, None, _OWED),
            ("a joiner that has not opened, drawn", JOIN, _DRAWN, None, _OWED),
            ("a loser that has not opened", JOIN, _ONE_SET, HOST, _NOT_OWED),
        ):
            table = _ended(f"left by {name}", owes, rules, winner)
            if how == "bye of":
                table.tell(leave)
            else:
                table.session.close(table.ours)
            yield f"{how} {name}", None, what, table.session
    table = _table("conceded and gone")
    table.tell(table.author.seal())
    table.session.concede(table.theirs)
    table.session.send(table.theirs)
    table.session.close(table.ours)
    yield (
        "the stream ends before a concession is accepted",
        None,
        "The joiner has conceded, and the host is gone before its open: the concession counts.",
        table.session,
    )


_OWED: Final = "Only the open is missing on which the result rests. Who owes it loses: abandoned."
_NOT_OWED: Final = "The winner has opened; that the loser does not changes nothing."


def _wait(session: Session, label: str, seconds: float) -> bytes:
    """Time passes for *label*; the pongs for the pings that it sends then."""
    before = len(session.steps)
    session.wait(seconds)
    session.send(label)
    reader = Reader()
    for step in session.steps[before:]:
        if step["step"] == "send":
            reader.feed(bytes.fromhex(step["bytes"]))
    return b"".join(encode(messages.Pong(m.n)) for m, _ in reader if type(m) is messages.Ping)


def _stay(table: Table | Visitor, times: int, last: bytes = b"") -> Session:
    """Every ten seconds the other side shows that it is there; *last* comes before the last pong.

    It says nothing else.
    """
    session, ours, theirs = table.session, "dialler", "listener"
    if isinstance(table, Table):
        ours, theirs = table.ours, table.theirs
    for n in range(1, times + 1):
        pongs = _wait(session, theirs, 10)
        session.forge(ours, last + pongs if n == times else pongs)
    session.send(theirs)
    return session


def silences() -> Iterator[Case]:
    table = Visitor()
    table.session.wait(10)
    table.session.send("listener")
    yield "silent, no greeting", "silent", "Nothing comes for ten seconds.", table.session
    table = Visitor()
    table.greet()
    _wait(table.session, "listener", 10)
    _wait(table.session, "listener", 20)
    yield "silent, no byte", "silent", "Thirty seconds without a byte.", table.session
    table = Visitor()
    table.greet()
    for at in range(3):
        _wait(table.session, "listener", 10)
        if at < 2:
            table.session.forge("dialler", encode(messages.Ping(1))[at : at + 1])
    yield (
        "silent, no complete message",
        "silent",
        "Bytes keep coming, but for thirty seconds no whole message.",
        table.session,
    )
    table = Visitor()
    table.greet()
    table.session.offer("listener", STANDARD, example("n"), example("s"), DECK)
    table.session.send("listener")
    yield (
        "silent, no answer to an offer",
        "silent",
        "The line is alive, but the offer is not answered for 120 seconds.",
        _stay(table, 12),
    )
    table = Visitor()
    table.greet()
    yield (
        "silent, no offer",
        "silent",
        "The line is alive, but no match comes about in 120 seconds.",
        _stay(table, 12),
    )
    yield from _late_statements()
    yield from _late_acts()


def _late_statements() -> Iterator[Case]:
    table = Table("will not reveal", HOST, STANDARD)
    table.begin()
    yield (
        "will-not-reveal",
        "will-not-reveal",
        "The commit that is due does not come for 30 seconds. A ping asks whether the other side is"
        " there, and its pong convicts.",
        _stay(table, 3),
    )
    table = Table("commits late", HOST, STANDARD)
    table.begin()
    table.author.say_due(table.choose)
    yield (
        "no will-not-reveal, what is due comes before the pong",
        None,
        "The same, but the commit comes after all, before the pong.",
        _stay(table, 3, table.author.seal()),
    )
    table = Table("late and gone", HOST, STANDARD)
    table.begin()
    _stay(table, 2)
    for _ in range(3):
        _wait(table.session, table.theirs, 10)
        table.session.forge(table.ours, encode(messages.Chat("wait for me")))
    _wait(table.session, table.theirs, 10)
    yield (
        "silent, something is late",
        "silent",
        "The commit that is due does not come for 30 seconds, nor a pong for 30 seconds more,"
        " whatever else comes: nobody is convicted.",
        table.session,
    )
    for name, owes, rules, winner, what in (
        ("the winner", HOST, _ONE_SET, HOST, "the winner"),
        ("the host after a drawn match", HOST, _DRAWN, None, "the host of a drawn match"),
        ("the joiner after a drawn match", JOIN, _DRAWN, None, "the joiner of a drawn match"),
    ):
        table = _ended(f"will not open, {name}", owes, rules, winner)
        yield (
            f"will-not-open, {name}",
            "will-not-open",
            f"The line is alive, but {what} does not open for 30 seconds. By its pong it forfeits.",
            _stay(table, 3),
        )
    table = _ended("will not open either", JOIN, _ONE_SET, HOST)
    yield (
        "the loser does not open",
        None,
        "The winner has opened, the loser does not for 30 seconds. The result stands, unaudited.",
        _stay(table, 3),
    )


def _slow(name: str) -> tuple[Table, bytes]:
    """The host's time has run out, and ten seconds more; the pong that is asked of it."""
    table = _table(name, rules=_TIMED)
    table.tell(table.author.seal())
    _wait(table.session, table.theirs, 5)
    return table, _wait(table.session, table.theirs, 10)


def _late_acts() -> Iterator[Case]:
    table, pongs = _slow("slow")
    table.tell(pongs)
    yield (
        "turn_seconds",
        None,
        "The host does not act, nor concede by its own clock. Ten seconds later a ping asks whether"
        " it is there; with its pong the joiner ends the match: termination time. That is its word,"
        " and no refusal.",
        table.session,
    )
    table, pongs = _slow("slow, but there")
    table.author.say_due(table.choose)
    table.tell(table.author.seal() + pongs)
    yield (
        "no turn_seconds, the act comes before the pong",
        None,
        "The same, but the act comes after all, before the pong.",
        table.session,
    )
