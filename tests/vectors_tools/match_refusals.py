"""Refusals in the middle of a match, partings and silences, for ``refusals.json``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pazaak_p2p.rules import Phase, Rules, Seat, parse_rules
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import encode
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


def partings() -> Iterator[Case]:
    table = _table("left")
    table.tell(encode(messages.Bye(messages.ByeReason.INTERRUPTED, "my train is here")))
    yield "bye in a match", None, "The host leaves: the match is broken off.", table.session
    table = Table("will not open", HOST, STANDARD)
    table.begin()
    table.play(_over)
    table.tell(encode(messages.Bye(messages.ByeReason.INTERRUPTED, "")))
    yield (
        "bye of a winner that has not opened",
        None,
        "The match is over, but its winner leaves without its open: abandoned, nobody wins.",
        table.session,
    )
    table = _table("gone")
    table.session.close(table.ours)
    yield "the stream ends in a match", None, "The match is broken off.", table.session


def _stay(session: Session, label: str, n: int) -> None:
    """Ten seconds pass, and *label* shows that it is there."""
    other = "dialler" if label == "listener" else "listener"
    session.wait(10)
    session.send(other)
    session.forge(label, encode(messages.Pong(n)))


def silences() -> Iterator[Case]:
    table = Visitor()
    table.session.wait(10)
    table.session.send("listener")
    yield "silent, no greeting", "silent", "Nothing comes for ten seconds.", table.session
    table = Visitor()
    table.greet()
    table.session.wait(10)
    table.session.send("listener")
    table.session.wait(20)
    table.session.send("listener")
    yield "silent, no byte", "silent", "Thirty seconds without a byte.", table.session
    table = Visitor()
    table.greet()
    table.session.offer("listener", STANDARD, example("n"), example("s"), DECK)
    table.session.send("listener")
    for n in range(1, 13):
        _stay(table.session, "dialler", n)
    table.session.send("listener")
    yield (
        "silent, no answer to an offer",
        "silent",
        "The line is alive, but the offer is not answered for 120 seconds.",
        table.session,
    )
    silent = Table("will not reveal", HOST, STANDARD)
    silent.begin()
    for n in range(1, 4):
        _stay(silent.session, silent.ours, n)
    silent.session.send(silent.theirs)
    yield (
        "will-not-reveal",
        "will-not-reveal",
        "The line is alive, but the commit that is due does not come for 30 seconds.",
        silent.session,
    )
    loser = Table("will not open", HOST, parse_rules("standard,sets=1"))
    loser.begin()
    loser.play(_over)
    outcome = loser.author.transcript.state.outcome
    assert outcome is not None
    assert outcome.winner is HOST
    for n in range(1, 4):
        _stay(loser.session, loser.ours, n)
    loser.session.send(loser.theirs)
    yield (
        "will-not-open, the winner",
        "will-not-open",
        "The line is alive, but the winner does not open for 30 seconds, and forfeits.",
        loser.session,
    )
    winner = Table("will not open either", JOIN, STANDARD)
    winner.begin()
    winner.play(_over)
    for n in range(1, 4):
        _stay(winner.session, winner.ours, n)
    winner.session.send(winner.theirs)
    yield (
        "the loser does not open",
        None,
        "The winner has opened, the loser does not for 30 seconds. The result stands, unaudited.",
        winner.session,
    )
    slow = _table("slow", rules=_TIMED)
    slow.tell(slow.author.seal())
    slow.session.wait(5)
    slow.session.wait(10)
    slow.session.send(slow.theirs)
    yield (
        "turn_seconds",
        None,
        "The host does not act, nor concede by its own clock. Ten seconds later the joiner ends the"
        " match: termination time. That is its word, and no refusal.",
        slow.session,
    )
