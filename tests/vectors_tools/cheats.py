"""``cheats.json``: for every cheat that a record proves, a match that ends with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pazaak_p2p.rules import Card, Seat
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.messages import EndTurn, Reveal, StandNow
from tests.vectors_tools.card_cheats import audits, cards
from tests.vectors_tools.forge import Author, Table, at_threshold
from tests.vectors_tools.primitives import example
from tests.vectors_tools.resumed import forks
from tests.vectors_tools.session import Session
from tests.vectors_tools.situations import (
    GOLD,
    HOST,
    JOIN,
    STANDARD,
    acting,
    asked,
    can_make_twenty,
    first_to_reveal,
    holds,
    position_of,
    second_to_reveal,
    table_where,
    text,
)

Vector = dict[str, Any]


def cheats() -> list[Vector]:
    """Every case, refused by a real peer with the code that it is there for."""
    at_tables = (
        _vector(name, code, what, table.author.seat, table.session)
        for name, code, what, table in _cases()
    )
    told_again = (
        _vector(name, "two-entries", what, seat, session) for name, what, seat, session in forks()
    )
    return [*at_tables, *told_again]


def _vector(name: str, code: str, what: str, cheater: Seat, told: Session) -> Vector:
    refusal = next((step for step in told.steps if step["step"] == "refuse"), None)
    assert refusal is not None, name
    assert refusal["code"] == code, (name, refusal)
    assert refusal["seat"] == cheater, (name, refusal)
    session = told.show(moves=False)
    return {
        "name": name,
        "what": what,
        "code": code,
        "seat": refusal["seat"],
        "entry": refusal["entry"],
        **session,
    }


def _cases() -> Iterator[tuple[str, str, str, Table]]:
    yield from _places()
    yield from _floor()
    yield from _lots()
    yield from cards()
    yield from audits()


# --- the place of an entry


def _places() -> Iterator[tuple[str, str, str, Table]]:
    table = table_where("two entries", acting)
    table.tell(table.author.seal())
    author = table.author
    n = author.transcript.length - 1
    prev = author.transcript.heads[n]
    said = Reveal(author.derived.share(author.transcript.lots), example("another commitment"))
    table.tell(author.forge(said, n=n, prev=prev))
    yield (
        "two-entries",
        "two-entries",
        "The host takes back the entry in which it revealed, and signs another in its place.",
        table,
    )

    table = Table("other match", HOST, STANDARD)
    table.begin()
    table.tell(table.author.forge(table.author.commit(), prev=example("another match id")))
    yield "other-match", "other-match", "The first entry names another match id.", table

    table = table_where("wrong previous", acting)
    table.tell(table.author.seal())
    table.tell(table.author.forge(EndTurn(), prev=example("nothing")))
    yield (
        "wrong-previous",
        "wrong-previous",
        "The host has sent [reveal], and its [end] does not name that entry as the one before.",
        table,
    )

    for name, step in (("skipped", 1), ("repeated", -1)):
        table = table_where(f"wrong sequence {name}", acting)
        n = table.author.transcript.length + step
        table.tell(table.author.forge(EndTurn(), n=n))
        yield (
            f"wrong-sequence, a number {name}",
            "wrong-sequence",
            "The entry names the one before rightly, but has the wrong number.",
            table,
        )

    table = table_where("conceded", acting)
    table.tell(table.author.seal())
    table.tell(table.author.give_up())
    table.tell(table.author.forge(EndTurn()))
    yield (
        "acted-after-conceding, at once",
        "acted-after-conceding",
        "The host concedes and ends its turn all the same.",
        table,
    )
    table = table_where("conceded a head", acting)
    author = table.author
    earlier = author.transcript.head
    table.tell(author.seal())
    table.tell(author.concede(earlier))
    yield (
        "acted-after-conceding, a concession dated back",
        "acted-after-conceding",
        "The concession names a head before an entry that its author has sent already.",
        table,
    )
    table = table_where("conceded twice over", acting, cheater=JOIN)
    author = table.author
    table.tell(author.seal())
    concession = author.concede(author.transcript.head)
    table.session.forge(table.ours, concession, late=True)
    table.session.concede(table.theirs)
    table.session.send(table.theirs)
    table.session.arrive(table.ours)
    table.tell(author.forge(EndTurn()))
    yield (
        "acted-after-conceding, a void concession",
        "acted-after-conceding",
        "Both concede at once, so the joiner's concession is void; it may not act all the same.",
        table,
    )


# --- the floor


def _floor() -> Iterator[tuple[str, str, str, Table]]:
    table = table_where("without floor", first_to_reveal)
    author = table.author
    author.say(author.reveal())
    table.tell(author.forge(author.reveal()))
    yield (
        "without-floor, a second reveal",
        "without-floor",
        "The host reveals twice; the second reveal of this lot is the joiner's.",
        table,
    )
    table = Table("without floor open", JOIN, STANDARD)
    table.begin()
    assert table.play(second_to_reveal)
    table.author.say(table.author.reveal(), EndTurn())
    table.author.say(table.author.reveal())
    table.tell(table.author.forge(table.author.open()))
    yield (
        "without-floor, open before the end",
        "without-floor",
        "The joiner opens its side deck in the middle of the match.",
        table,
    )

    table = table_where("out of turn", acting)
    table.author.say(EndTurn())
    table.tell(table.author.forge(StandNow()))
    yield "out-of-turn", "out-of-turn", "The host acts again after ending its turn.", table

    def below_twenty(author: Author) -> bool:
        return acting(author) and author.transcript.state.totals[author.seat] < 20

    table = table_where("after standing", below_twenty)
    table.author.say(StandNow())
    table.tell(table.author.forge(EndTurn()))
    yield "after-standing", "after-standing", "The host stands, and ends its turn as well.", table

    table = table_where("at twenty", can_make_twenty)
    author = table.author
    total = author.transcript.state.totals[HOST]
    at = next(at for at in author.hand() if 20 - total in author.deck[at].values)
    author.say(author.play(at, 20 - total))
    table.tell(author.forge(StandNow()))
    yield (
        "at-twenty",
        "at-twenty",
        "The host plays a card to exactly 20, which stands by itself (R11), and says stand.",
        table,
    )

    table = table_where("wrong statement", acting)
    table.tell(table.author.forge(table.author.reveal()))
    yield "wrong-statement, reveal", "wrong-statement", "A reveal where an act is due.", table
    table = table_where("wrong statement lay", holds(Card.TIEBREAKER), deck=text(GOLD))
    at = position_of(table.author, Card.TIEBREAKER)
    table.tell(table.author.forge(table.author.lay(at)))
    yield (
        "wrong-statement, lay in a turn",
        "wrong-statement",
        "The host lays a tiebreaker down in its turn, not at a tie.",
        table,
    )
    table = table_where(
        "wrong statement stand",
        asked,
        rules="standard,sets=1,tiebreaker=at-tie",
        choose=at_threshold(17),
        victim=at_threshold(17),
    )
    table.tell(table.author.forge(StandNow()))
    yield (
        "wrong-statement, stand at a tie",
        "wrong-statement",
        "The host is asked for a tiebreaker, and says stand.",
        table,
    )
    table = Table("wrong statement commit", HOST, STANDARD)
    table.begin()
    assert table.play(lambda author: author.transcript.length > 1)
    table.tell(table.author.forge(table.author.commit()))
    yield "wrong-statement, commit", "wrong-statement", "A second commit.", table


# --- commitments and shares


def _lots() -> Iterator[tuple[str, str, str, Table]]:
    for name in ("card", "share"):
        table = Table(f"copied commitment {name}", JOIN, STANDARD)
        table.begin()
        author = table.author
        table.play(lambda author: True)
        theirs, ours = author.commits, author.commit()
        assert theirs is not None
        if name == "card":
            copied = messages.Commit([*ours.cards[:9], theirs.cards[9]], ours.next)
        else:
            copied = messages.Commit(ours.cards, theirs.next)
        table.tell(author.forge(copied))
        yield (
            f"copied-commitment, a {name}'s",
            "copied-commitment",
            f"The joiner's commit holds a {name} commitment of the host.",
            table,
        )
    table = table_where("copied next", second_to_reveal, cheater=JOIN)
    author = table.author
    reveal = Reveal(author.reveal().share, author.last_next)
    table.tell(author.forge(reveal))
    yield (
        "copied-commitment, in a reveal",
        "copied-commitment",
        "The joiner commits to its next share with the commitment that the host has just made.",
        table,
    )

    table = table_where("copied share", second_to_reveal)
    author = table.author
    table.tell(author.forge(Reveal(author.last_share, author.reveal().next)))
    yield (
        "copied-share",
        "copied-share",
        "The host reveals the joiner's share of the same lot as its own.",
        table,
    )

    for name, what in (
        ("invented", "The host reveals a share that it never committed to."),
        ("of another lot", "The host reveals its share of the lot before."),
        ("of another match", "The host reveals its share of the same lot of another match."),
    ):
        table = table_where(f"wrong share {name}", second_to_reveal)
        author = table.author
        k = author.transcript.lots
        share = {
            "invented": example("an invented share"),
            "of another lot": author.derived.share(k - 1),
            "of another match": _elsewhere(author).share(k),
        }[name]
        table.tell(author.forge(Reveal(share, author.reveal().next)))
        yield f"wrong-share, {name}", "wrong-share", what, table


def _elsewhere(author: Author) -> Any:
    return type(author.derived)(
        author.secrets.match_secret(1), example("another match id"), author.seat
    )
