"""What past matches come to, asked of the history.

Everything is told from our side. A player is a key, never a name: names are labels that anybody can
choose, and are raw here, to be shown through ``shown_name``. Only records that count are counted.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from pazaak_p2p.store.luck import Luck
from pazaak_p2p.store.naming import find
from pazaak_p2p.store.peers_file import MOST_EARLIER, Book, KnownPeer
from pazaak_p2p.store.play_tallies import (
    COUNTED,
    CardTally,
    Tally,
    card_tallies,
    draw_luck,
    tally_of,
    together,
)
from pazaak_p2p.store.trust_errors import UnknownPlayer


class PastMatch(Struct, frozen=True):
    """A match that is over."""

    match_id: bytes
    record: str
    """The name of its file, raw."""
    began: int
    seat: int
    key: bytes
    """The opponent's."""
    name: str
    result: str
    """``won``, ``lost``, ``drawn`` or ``broken off``."""
    termination: str
    proven: int
    """1 or 0."""
    sets_won: int
    sets_lost: int
    sets_tied: int
    rules: str
    deck: str | None
    """Ours, ten cards in ASCII; None if it was not opened."""
    other_deck: str | None


class Opponent(Struct, frozen=True):
    """Matches against one key."""

    key: bytes
    name: str
    """The last that it gave."""
    other_names: tuple[str, ...]
    matches: Tally
    broken_off: int
    sets: Tally
    last: int
    """When the last match began."""


class DeckTally(Struct, frozen=True):
    """Matches with one side deck of ours; *deck* is None where it was not opened."""

    deck: str | None
    matches: Tally
    sets: Tally


class Streaks(Struct, frozen=True):
    """Matches won, or lost, one after the other; a drawn one ends both."""

    now: int
    """The present one: positive for matches won, negative for lost."""
    won: int
    """The longest."""
    lost: int


class Stats(Struct, frozen=True):
    """All of it."""

    matches: Tally
    broken_off: int
    """Matches without a result; they count nowhere else but in cards and draws."""
    by_word: int
    """Matches that ended so by our own record's word alone."""
    sets: Tally
    streaks: Streaks
    results: tuple[str, ...]
    """Of every match with a result, the oldest first."""
    opponents: tuple[Opponent, ...]
    decks: tuple[DeckTally, ...]
    opened: Tally
    """Sets that we opened."""
    answered: Tally
    """Sets that the other side opened."""
    first: Tally
    """Matches whose first set we opened."""
    second: Tally
    cards: tuple[CardTally, ...]
    without: Tally
    """Sets in which we played no card."""
    luck: Luck
    """Of all draws."""
    our_luck: Luck
    other_luck: Luck


def list_matches(
    db: sqlite3.Connection, key: bytes | None = None, limit: int | None = None
) -> list[PastMatch]:
    """Matches, the newest first; with *key*, those against that player."""
    rows = db.execute(
        f"""
        SELECT match_id, files.name, began, seat, key, matches.name, result, termination, proven,
            sets_won, sets_lost, sets_tied, rules, deck, other_deck
        FROM matches JOIN files USING (id) WHERE {COUNTED}
        ORDER BY began DESC, files.name DESC LIMIT :limit
        """,
        {"key": key, "limit": -1 if limit is None else limit},
    )
    fields = PastMatch.__struct_fields__
    return [
        PastMatch(**{**dict(zip(fields, row, strict=True)), "record": os.fsdecode(row[1])})
        for row in rows
    ]


def count_matches(db: sqlite3.Connection, key: bytes | None = None) -> int:
    """How many there are."""
    sql = f"SELECT count(*) FROM matches WHERE {COUNTED}"
    return int(db.execute(sql, {"key": key}).fetchone()[0])


def find_player(db: sqlite3.Connection, who: str) -> bytes:
    """The key of the opponent whom *who* means: a name, or the beginning of a fingerprint.

    Raises ``UnknownPlayer``, or ``AmbiguousPlayer`` if several keys fit.
    """
    book: Book = {}
    for opponent in _opponents(db, None):
        when = datetime.fromtimestamp(min(opponent.last, 2**37), UTC)
        book[opponent.key] = KnownPeer(
            opponent.key,
            opponent.name,
            when,
            when,
            earlier_names=opponent.other_names[-MOST_EARLIER:],
        )
    try:
        return find(book, who).key
    except UnknownPlayer as error:
        raise UnknownPlayer(
            error.what.replace("You know", "You have played against"),
            why="A player is named by name, or by the beginning of a fingerprint.",
            next="Type: pazaak stats, which lists whom you have played against.",
        ) from error


def gather(db: sqlite3.Connection, key: bytes | None = None) -> Stats:
    """All statistics; with *key*, those against that player."""
    results = tuple(
        str(result)
        for (result,) in db.execute(
            f"""SELECT result FROM matches JOIN files USING (id)
            WHERE {COUNTED} AND result <> 'broken off' ORDER BY began, files.name""",
            {"key": key},
        )
    )
    broken_off, by_word = db.execute(
        f"""SELECT count(*) FILTER (WHERE result = 'broken off'), count(*) FILTER (WHERE NOT proven)
        FROM matches WHERE {COUNTED}""",
        {"key": key},
    ).fetchone()
    opened = _tallies(db, "sets", "sets.opened", "tied", key)
    first = _tallies(db, "matches", "opened", "drawn", key)
    cards, without = card_tallies(db, key)
    ours, theirs = (draw_luck(db, key, own) for own in (1, 0))
    return Stats(
        matches=tally_of(Counter(results), "drawn"),
        broken_off=broken_off,
        by_word=by_word,
        sets=_sum(list(opened.values())),
        streaks=streaks(results),
        results=results,
        opponents=tuple(_opponents(db, key)),
        decks=tuple(_decks(db, key)),
        opened=opened.get(1, Tally()),
        answered=opened.get(0, Tally()),
        first=first.get(1, Tally()),
        second=first.get(0, Tally()),
        cards=cards,
        without=without,
        luck=together(ours, theirs),
        our_luck=ours,
        other_luck=theirs,
    )


def streaks(results: Sequence[str]) -> Streaks:
    """The streaks in *results*, the oldest first."""
    run, won, lost = 0, 0, 0
    for result in results:
        if result == "won":
            run = max(run, 0) + 1
        elif result == "lost":
            run = min(run, 0) - 1
        else:
            run = 0
        won, lost = max(won, run), max(lost, -run)
    return Streaks(run, won, lost)


# --- tallies


def _sum(tallies: Sequence[Tally]) -> Tally:
    return Tally(
        sum(each.won for each in tallies),
        sum(each.lost for each in tallies),
        sum(each.even for each in tallies),
    )


def _tallies(
    db: sqlite3.Connection, table: str, by: str, even: str, key: bytes | None
) -> dict[Any, Tally]:
    """Tallies of *table* for each value of *by*."""
    source = "matches" if table == "matches" else "sets JOIN matches ON matches.id = sets.match"
    rows = db.execute(
        f"""SELECT {by}, {table}.result, count(*) FROM {source} WHERE {COUNTED} GROUP BY 1, 2""",
        {"key": key},
    )
    counts: dict[Any, Counter[str]] = {}
    for value, result, number in rows:
        counts.setdefault(value, Counter())[result] = number
    return {value: tally_of(counted, even) for value, counted in counts.items()}


def _opponents(db: sqlite3.Connection, key: bytes | None) -> list[Opponent]:
    """Whoever we have played against, the most matches first."""
    names: dict[bytes, list[str]] = {}
    last: dict[bytes, int] = {}
    broken: Counter[bytes] = Counter()
    for each, name, began, result in db.execute(
        f"""SELECT key, matches.name, began, result FROM matches JOIN files USING (id)
        WHERE {COUNTED} ORDER BY began, files.name""",
        {"key": key},
    ):
        known = names.setdefault(each, [])
        if name in known:
            known.remove(name)
        known.append(name)
        last[each] = began
        broken[each] += result == "broken off"
    matches = _tallies(db, "matches", "key", "drawn", key)
    sets = _tallies(db, "sets", "key", "tied", key)
    found = [
        Opponent(
            each,
            known[-1],
            tuple(known[:-1]),
            matches.get(each, Tally()),
            broken[each],
            sets.get(each, Tally()),
            last[each],
        )
        for each, known in names.items()
    ]
    return sorted(found, key=lambda one: (-one.matches.played - one.broken_off, -one.last, one.key))


def _decks(db: sqlite3.Connection, key: bytes | None) -> list[DeckTally]:
    matches = _tallies(db, "matches", "deck", "drawn", key)
    sets = _tallies(db, "sets", "deck", "tied", key)
    found = [DeckTally(deck, matches[deck], sets.get(deck, Tally())) for deck in matches]
    return sorted(found, key=lambda one: (-one.matches.played, one.deck or "~"))
