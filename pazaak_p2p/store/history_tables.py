"""The tables of ``history.sqlite3``, and how a match goes into them.

Everything in them comes from the records, so they can be thrown away at any time. All is told from
our side: ``ours`` and ``opened`` are 1 for our own seat.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from pazaak_p2p.rules import Seat, SideDeck, Termination, describe, format_deck
from pazaak_p2p.store.luck import RANKS, chances
from pazaak_p2p.store.played import Played

APPLICATION: Final = 0x50415A48
"""SQLite's application_id, by which our own file is known."""
VERSION: Final = 1
"""SQLite's user_version. Tables of an earlier one are made anew from the records."""

_LEFT: Final = ", ".join(f"n{rank} INTEGER NOT NULL" for rank in range(1, RANKS + 1))

TABLES: Final = f"""
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name BLOB NOT NULL UNIQUE,      -- as the file system has it
    size INTEGER NOT NULL,
    stamp INTEGER NOT NULL,         -- when it was changed, in nanoseconds
    state TEXT NOT NULL,            -- read, unfinished, damaged
    detail TEXT NOT NULL            -- what is wrong with it
);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    match_id BLOB NOT NULL,
    counts INTEGER NOT NULL,        -- 0 for all but one of several records of one match
    began INTEGER NOT NULL,         -- Unix time in seconds, 0 if not known
    seat INTEGER NOT NULL,
    our_key BLOB NOT NULL,
    our_name TEXT NOT NULL,
    key BLOB NOT NULL,              -- the opponent's
    name TEXT NOT NULL,             -- as the opponent called itself, raw
    rules TEXT NOT NULL,
    result TEXT NOT NULL,           -- won, lost, drawn, broken off
    termination TEXT NOT NULL,
    proven INTEGER NOT NULL,
    sets_won INTEGER NOT NULL,
    sets_lost INTEGER NOT NULL,
    sets_tied INTEGER NOT NULL,
    opened INTEGER,                 -- who opened the first set, NULL if none was finished
    deck TEXT,                      -- ours, sorted, in ASCII, NULL if it was not opened
    other_deck TEXT,
    entries INTEGER NOT NULL,
    ended INTEGER NOT NULL
);
CREATE INDEX matches_by_id ON matches (match_id);
CREATE TABLE sets (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    number INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    our_total INTEGER NOT NULL,
    other_total INTEGER NOT NULL,
    result TEXT NOT NULL,           -- won, lost, tied
    reason TEXT NOT NULL,
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
CREATE TABLE uses (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    number INTEGER NOT NULL,
    set_number INTEGER NOT NULL,
    ours INTEGER NOT NULL,
    card TEXT NOT NULL,
    before INTEGER NOT NULL,        -- totals
    after INTEGER NOT NULL,
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
CREATE TABLE draws (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    number INTEGER NOT NULL,
    set_number INTEGER NOT NULL,
    ours INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    before INTEGER NOT NULL,
    deck INTEGER NOT NULL,          -- cards that it was drawn from, and how many of each rank
    {_LEFT},
    p_twenty REAL NOT NULL,         -- the chance that it would make exactly 20, or more
    p_over REAL NOT NULL,
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""

DROP: Final = "".join(
    f"DROP TABLE IF EXISTS {table};" for table in ("draws", "uses", "sets", "matches", "files")
)


def insert_match(db: sqlite3.Connection, file: int, match: Played) -> None:
    """Put *match*, read from the file of number *file*, into the tables."""
    us = match.seat
    other = us.other
    tied = sum(each.winner is None for each in match.sets)
    db.execute(
        f"INSERT INTO matches VALUES ({_marks(21)})",
        (
            file,
            match.match_id,
            0,
            match.began,
            int(us),
            match.keys[us],
            match.names[us],
            match.keys[other],
            match.names[other],
            describe(match.rules),
            _result(match),
            match.termination.value,
            match.proven,
            match.won[us],
            match.won[other],
            tied,
            match.sets[0].opener is us if match.sets else None,
            _deck(match.decks[us]),
            _deck(match.decks[other]),
            match.entries,
            match.ended,
        ),
    )
    db.executemany(
        f"INSERT INTO sets VALUES ({_marks(7)})",
        [
            (
                file,
                each.number,
                each.opener is us,
                each.totals[us],
                each.totals[other],
                "tied" if each.winner is None else "won" if each.winner is us else "lost",
                each.reason.value,
            )
            for each in match.sets
        ],
    )
    db.executemany(
        f"INSERT INTO uses VALUES ({_marks(7)})",
        [
            (file, at, use.set, use.seat is us, use.card.ascii, use.before, use.after)
            for at, use in enumerate(match.uses)
        ],
    )
    draws = []
    for at, draw in enumerate(match.draws):
        could = chances(draw.deck, draw.before)
        left = [draw.deck.count(rank) for rank in range(1, RANKS + 1)]
        what = (draw.set, draw.seat is us, draw.rank, draw.before, len(draw.deck))
        draws.append((file, at, *what, *left, could.twenty, could.over))
    db.executemany(f"INSERT INTO draws VALUES ({_marks(9 + RANKS)})", draws)


def _result(match: Played) -> str:
    if match.winner is None:
        return "drawn" if match.termination is Termination.CAP else "broken off"
    return "won" if match.winner is match.seat else "lost"


def _deck(cards: SideDeck | None) -> str | None:
    # Sorted: the order is secret and new in every match, so it tells nothing.
    if cards is None:
        return None
    return format_deck(sorted(cards, key=lambda card: card.number), ascii=True)


def _marks(count: int) -> str:
    return ", ".join("?" * count)


COUNT_ONE: Final = """
UPDATE matches SET counts = id = (
    SELECT twin.id FROM matches AS twin JOIN files ON files.id = twin.id
    WHERE twin.match_id = matches.match_id
    ORDER BY twin.entries DESC, twin.ended DESC, twin.seat, files.name LIMIT 1
) WHERE match_id = ?
"""
"""Of several records of one match the longest counts (specification, section 12), of equals the
host's, so that the answer does not depend on the order in which they came."""

assert [int(seat) for seat in Seat] == [0, 1]
