"""Statistics for programs: as one object, and as one long table."""

from __future__ import annotations

from collections.abc import Iterator

from pazaak_p2p.cli.past import csv_text
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.store.luck import RANKS, Luck
from pazaak_p2p.store.play_tallies import Tally
from pazaak_p2p.store.tallies import Stats


def _tally_object(tally: Tally) -> dict[str, object]:
    return {
        "played": tally.played,
        "won": tally.won,
        "lost": tally.lost,
        "even": tally.even,
        "rate": tally.rate,
    }


def _luck_object(luck: Luck) -> dict[str, object]:
    def count(name: str) -> dict[str, object]:
        counted = getattr(luck, name)
        return {"came": counted.came, "expected": counted.expected, "sigma": counted.deviation}

    return {
        "draws": luck.draws,
        "came": list(luck.came),
        "expected": list(luck.expected),
        "chi_squared": luck.chi_squared,
        "freedom": RANKS - 1,
        "chance": luck.chance if luck.enough else None,
        "twenty": count("twenty"),
        "over": count("over"),
    }


def as_object(stats: Stats) -> dict[str, object]:
    """All of *stats* for JSON; names are raw."""
    return {
        "matches": {
            **_tally_object(stats.matches),
            "broken_off": stats.broken_off,
            "by_word": stats.by_word,
            "first": _tally_object(stats.first),
            "second": _tally_object(stats.second),
        },
        "sets": {
            **_tally_object(stats.sets),
            "opened": _tally_object(stats.opened),
            "answered": _tally_object(stats.answered),
        },
        "streaks": {
            "now": stats.streaks.now,
            "won": stats.streaks.won,
            "lost": stats.streaks.lost,
        },
        "opponents": [
            {
                "name": each.name,
                "other_names": list(each.other_names),
                "key": each.key.hex(),
                "fingerprint": fingerprint(each.key),
                "matches": _tally_object(each.matches),
                "broken_off": each.broken_off,
                "sets": _tally_object(each.sets),
                "last": each.last or None,
            }
            for each in stats.opponents
        ],
        "decks": [
            {
                "deck": each.deck,
                "matches": _tally_object(each.matches),
                "sets": _tally_object(each.sets),
            }
            for each in stats.decks
        ],
        "cards": [
            {
                "card": each.card.ascii,
                "plays": each.plays,
                "sets": _tally_object(each.sets),
                "twenties": each.twenties,
                "saves": each.saves,
            }
            for each in stats.cards
        ],
        "no_card": _tally_object(stats.without),
        "luck": {
            "all": _luck_object(stats.luck),
            "ours": _luck_object(stats.our_luck),
            "theirs": _luck_object(stats.other_luck),
        },
    }


Cell = tuple[str, str, str, str, object]


def as_cells(stats: Stats) -> Iterator[Cell]:
    """Everything as one long table, which a spreadsheet can turn as it likes."""

    def tally(kind: str, item: str, name: str, counted: Tally, prefix: str) -> Iterator[Cell]:
        for measure in ("won", "lost", "even"):
            yield kind, item, name, f"{prefix}_{measure}", getattr(counted, measure)

    yield from tally("all", "", "", stats.matches, "matches")
    yield "all", "", "", "matches_broken_off", stats.broken_off
    yield from tally("all", "", "", stats.sets, "sets")
    yield "all", "", "", "streak_now", stats.streaks.now
    yield "all", "", "", "streak_won", stats.streaks.won
    yield "all", "", "", "streak_lost", stats.streaks.lost
    for item, opened, first in (
        ("you", stats.opened, stats.first),
        ("the other", stats.answered, stats.second),
    ):
        yield from tally("opener", item, "", opened, "sets")
        yield from tally("opener", item, "", first, "matches")
    for each in stats.opponents:
        item, name = fingerprint(each.key), csv_text(each.name)
        yield from tally("opponent", item, name, each.matches, "matches")
        yield from tally("opponent", item, name, each.sets, "sets")
    for deck in stats.decks:
        yield from tally("deck", deck.deck or "not shown", "", deck.matches, "matches")
        yield from tally("deck", deck.deck or "not shown", "", deck.sets, "sets")
    for card in stats.cards:
        yield from tally("card", card.card.ascii, "", card.sets, "sets")
        yield "card", card.card.ascii, "", "plays", card.plays
        yield "card", card.card.ascii, "", "twenties", card.twenties
        yield "card", card.card.ascii, "", "saves", card.saves
    yield from tally("card", "none", "", stats.without, "sets")
    for who, luck in (
        ("all", stats.luck),
        ("ours", stats.our_luck),
        ("theirs", stats.other_luck),
    ):
        for rank in range(RANKS):
            yield "draws", who, str(rank + 1), "came", luck.came[rank]
            yield "draws", who, str(rank + 1), "expected", luck.expected[rank]
        yield "draws", who, "", "chi_squared", luck.chi_squared
