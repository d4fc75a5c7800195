"""What cards played and cards drawn come to, asked of the history."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Final

from msgspec import Struct

from pazaak_p2p.rules import CARDS, Card
from pazaak_p2p.store.luck import RANKS, Count, Luck

COUNTED: Final = "counts AND (:key IS NULL OR key = :key)"
"""The condition for matches that count, and are against the player of this key, or anybody."""


class Tally(Struct, frozen=True):
    """How often something was won, lost, and neither."""

    won: int = 0
    lost: int = 0
    even: int = 0
    """Drawn matches, tied sets."""

    @property
    def played(self) -> int:
        return self.won + self.lost + self.even

    @property
    def rate(self) -> float | None:
        """Won of all, an even one as half; None if there is none."""
        return (self.won + self.even / 2) / self.played if self.played else None


class CardTally(Struct, frozen=True):
    """What playing one kind of card came to, in sets that were judged."""

    card: Card
    plays: int
    sets: Tally
    """Sets in which it was played."""
    twenties: int
    """Plays that made exactly 20."""
    saves: int
    """Plays that brought a total over 20 back."""


def tally_of(counts: Counter[str], even: str) -> Tally:
    """A tally of results by name; *even* is what the third of them is called."""
    return Tally(counts["won"], counts["lost"], counts[even])


# --- cards


def card_tallies(db: sqlite3.Connection, key: bytes | None) -> tuple[tuple[CardTally, ...], Tally]:
    """What our cards came to, and the sets without any."""
    sets: dict[str, Counter[str]] = {}
    # A kind that was played twice in a set counts as one set, and as two plays.
    for card, result, number in db.execute(
        f"""SELECT card, result, count(*) FROM (
            SELECT DISTINCT uses.match, set_number, card, sets.result AS result
            FROM uses JOIN matches ON matches.id = uses.match
            JOIN sets ON sets.match = uses.match AND sets.number = set_number
            WHERE ours AND {COUNTED}
        ) GROUP BY 1, 2""",
        {"key": key},
    ):
        sets.setdefault(card, Counter())[result] = number
    plays = {
        card: (number, twenties, saves)
        for card, number, twenties, saves in db.execute(
            f"""SELECT card, count(*), count(*) FILTER (WHERE after = 20),
                count(*) FILTER (WHERE before > 20 AND after <= 20)
            FROM uses JOIN matches ON matches.id = uses.match
            JOIN sets ON sets.match = uses.match AND sets.number = set_number
            WHERE ours AND {COUNTED} GROUP BY 1""",
            {"key": key},
        )
    }
    without: Counter[str] = Counter(
        dict(
            db.execute(
                f"""SELECT sets.result, count(*) FROM sets JOIN matches ON matches.id = sets.match
                WHERE {COUNTED} AND NOT EXISTS (
                    SELECT 1 FROM uses
                    WHERE uses.match = sets.match AND set_number = sets.number AND ours
                ) GROUP BY 1""",
                {"key": key},
            ).fetchall()
        )
    )
    found = tuple(
        CardTally(
            card,
            plays[card.ascii][0],
            tally_of(sets[card.ascii], "tied"),
            plays[card.ascii][1],
            plays[card.ascii][2],
        )
        for card in CARDS
        if card.ascii in plays
    )
    return found, tally_of(without, "tied")


# --- draws

_EXPECTED: Final = ", ".join(
    f"total(CAST(draws.n{rank} AS REAL) / draws.deck)" for rank in range(1, RANKS + 1)
)
_CAME: Final = ", ".join(f"count(*) FILTER (WHERE rank = {rank})" for rank in range(1, RANKS + 1))


def draw_luck(db: sqlite3.Connection, key: bytes | None, ours: int) -> Luck:
    """Our own draws, or with *ours* 0 the other side's."""
    row = db.execute(
        f"""SELECT {_CAME}, {_EXPECTED},
            count(*) FILTER (WHERE before + rank = 20), total(p_twenty),
            total(p_twenty * (1 - p_twenty)),
            count(*) FILTER (WHERE before + rank > 20), total(p_over), total(p_over * (1 - p_over))
        FROM draws JOIN matches ON matches.id = draws.match WHERE ours = :ours AND {COUNTED}""",
        {"key": key, "ours": ours},
    ).fetchone()
    twice = 2 * RANKS
    return Luck(
        tuple(row[:RANKS]),
        tuple(row[RANKS:twice]),
        Count(*row[twice : twice + 3]),
        Count(*row[twice + 3 :]),
    )


def together(one: Luck, other: Luck) -> Luck:
    """The draws of both."""

    def add(a: Count, b: Count) -> Count:
        return Count(a.came + b.came, a.expected + b.expected, a.variance + b.variance)

    return Luck(
        tuple(a + b for a, b in zip(one.came, other.came, strict=True)),
        tuple(a + b for a, b in zip(one.expected, other.expected, strict=True)),
        add(one.twenty, other.twenty),
        add(one.over, other.over),
    )
