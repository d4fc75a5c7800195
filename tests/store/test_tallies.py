"""Statistics, compared with what is counted by hand from the matches themselves."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.rules import CARDS, Seat
from pazaak_p2p.store.history import with_history
from pazaak_p2p.store.luck import Count
from pazaak_p2p.store.play_tallies import Tally
from pazaak_p2p.store.played import Played, read_played
from pazaak_p2p.store.tallies import (
    Stats,
    Streaks,
    count_matches,
    find_player,
    gather,
    list_matches,
    streaks,
)
from pazaak_p2p.store.trust_errors import AmbiguousPlayer, UnknownPlayer
from tests.history import OPPONENTS, some_records
from tests.wire.records import RECORD, conceded, kind, pieces, with_end

COUNT = 40
T = TypeVar("T")


@pytest.fixture(scope="module")
def played() -> list[Played]:
    return [read_played([ours]) for ours, _ in some_records(COUNT)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / "matches").mkdir()
    for number, (ours, theirs) in enumerate(some_records(COUNT)):
        (folder / "matches" / f"{number:02}.pzk").write_bytes(ours)
        if number % 3 == 0:  # of some matches there are two records: that counts nothing twice
            (folder / "matches" / f"{number:02}_copy.pzk").write_bytes(ours)
        if number % 5 == 0:
            (folder / "matches" / f"{number:02}_2.pzk").write_bytes(theirs)
    return folder


def ask(home: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    return with_history(home, home / "matches", lambda history, scan: work(history.db))


@pytest.fixture(scope="module")
def ours_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As :func:`home`, with our own records alone."""
    folder = tmp_path_factory.mktemp("ours")
    (folder / "matches").mkdir()
    for number, (ours, _) in enumerate(some_records(COUNT)):
        (folder / "matches" / f"{number:02}.pzk").write_bytes(ours)
    return folder


@pytest.fixture(scope="module")
def stats(ours_only: Path) -> Stats:
    return ask(ours_only, gather)


def results(matches: list[Played]) -> Tally:
    won = sum(match.winner is match.seat for match in matches)
    even = sum(match.winner is None for match in matches)
    return Tally(won, len(matches) - won - even, even)


def sets_of(matches: list[Played]) -> Iterator[tuple[Played, int, str]]:
    """Every set: its match, its number, and what it was for us."""
    for match in matches:
        for each in match.sets:
            word = "tied" if each.winner is None else "lost"
            yield match, each.number, "won" if each.winner is match.seat else word


def tally_of(words: list[str]) -> Tally:
    return Tally(words.count("won"), words.count("lost"), words.count("tied"))


# --- the whole


def test_matches_sets_and_streaks(stats: Stats, played: list[Played]) -> None:
    assert stats.matches == results(played)
    assert stats.matches.played == COUNT
    assert stats.sets == tally_of([word for _, _, word in sets_of(played)])
    words = [
        "drawn" if m.winner is None else "won" if m.winner is m.seat else "lost" for m in played
    ]
    assert list(stats.results) == words  # they began one after the other
    assert stats.streaks == streaks(words)
    assert (stats.broken_off, stats.by_word) == (0, 0)


@pytest.mark.parametrize(
    ("words", "now", "won", "lost"),
    [
        ("", 0, 0, 0),
        ("w", 1, 1, 0),
        ("wwlwww", 3, 3, 1),
        ("lllww l", -1, 2, 3),
        ("wwd", 0, 2, 0),
        ("wdw", 1, 1, 0),
        ("lld", 0, 0, 2),
    ],
)
def test_streaks(words: str, now: int, won: int, lost: int) -> None:
    meaning = {"w": "won", "l": "lost", "d": "drawn"}
    assert streaks([meaning[word] for word in words.replace(" ", "")]) == Streaks(now, won, lost)


def test_rates() -> None:
    assert Tally(1, 1, 2).rate == 0.5
    assert Tally(3, 1, 0).rate == 0.75
    assert Tally().rate is None


def test_openers(stats: Stats, played: list[Played]) -> None:
    opened: list[str] = []
    answered: list[str] = []
    for match, number, word in sets_of(played):
        ours = match.sets[number - 1].opener is match.seat
        (opened if ours else answered).append(word)
    assert (stats.opened, stats.answered) == (tally_of(opened), tally_of(answered))
    first = [match for match in played if match.sets and match.sets[0].opener is match.seat]
    second = [match for match in played if match.sets and match.sets[0].opener is not match.seat]
    assert (stats.first, stats.second) == (results(first), results(second))


def test_decks(stats: Stats, played: list[Played]) -> None:
    decks = Counter(
        None
        if (deck := match.decks[match.seat]) is None
        else " ".join(card.ascii for card in sorted(deck, key=lambda card: card.number))
        for match in played
    )
    assert {each.deck: each.matches.played for each in stats.decks} == decks
    counts = [each.matches.played for each in stats.decks]
    assert counts == sorted(counts, reverse=True)
    for each in stats.decks:
        assert each.sets.played >= 1


# --- opponents


def test_opponents_are_keys_and_not_names(stats: Stats, played: list[Played]) -> None:
    keys = Counter(match.keys[match.seat.other] for match in played)
    assert {each.key: each.matches.played for each in stats.opponents} == keys
    names = [each.name for each in stats.opponents]
    assert names.count("Ann") == 2  # two players of one name stay two
    assert set(names) == set(OPPONENTS)
    for each in stats.opponents:
        theirs = [match for match in played if match.keys[match.seat.other] == each.key]
        assert each.matches == results(theirs)
        assert each.sets == tally_of([word for _, _, word in sets_of(theirs)])
        assert each.last == max(match.began for match in theirs)


def test_one_player(ours_only: Path, played: list[Played], stats: Stats) -> None:
    kreia = ask(ours_only, lambda db: find_player(db, "kreia"))
    theirs = [match for match in played if match.keys[match.seat.other] == kreia]
    alone = ask(ours_only, lambda db: gather(db, kreia))
    assert [each.key for each in alone.opponents] == [kreia]
    assert alone.matches == results(theirs)
    assert alone.sets == tally_of([word for _, _, word in sets_of(theirs)])
    assert alone.luck.draws == sum(len(match.draws) for match in theirs)
    assert sum(each.plays for each in alone.cards) <= sum(each.plays for each in stats.cards)
    assert ask(ours_only, lambda db: count_matches(db, kreia)) == len(theirs)


def test_who_is_meant(ours_only: Path, stats: Stats) -> None:
    for opponent in stats.opponents:
        whole = fingerprint(opponent.key)
        for text in (whole, whole[:9], whole.replace("-", "")[:8]):
            assert ask(ours_only, partial(find_player, who=text)) == opponent.key
    with pytest.raises(AmbiguousPlayer, match="can mean 2 players") as ambiguous:
        ask(ours_only, lambda db: find_player(db, "Ann"))
    assert ambiguous.value.why.count("Ann ") == 2
    with pytest.raises(UnknownPlayer, match="You have played against no player 'Nobody'"):
        ask(ours_only, lambda db: find_player(db, "Nobody"))


# --- cards


def test_cards(stats: Stats, played: list[Played]) -> None:
    words = {(match.match_id, number): word for match, number, word in sets_of(played)}
    assert [each.card for each in stats.cards] == [
        card for card in CARDS if card in {each.card for each in stats.cards}
    ]
    seen: set[tuple[bytes, int]] = set()
    for each in stats.cards:
        uses = [
            (match.match_id, use)
            for match in played
            for use in match.uses
            if use.card is each.card
            and use.seat is match.seat
            and (match.match_id, use.set) in words
        ]
        where = {(match_id, use.set) for match_id, use in uses}
        seen |= where
        assert each.plays == len(uses)
        assert each.sets == tally_of([words[place] for place in where])
        assert each.twenties == sum(use.after == 20 for _, use in uses)
        assert each.saves == sum(use.before > 20 >= use.after for _, use in uses)
    assert stats.without == tally_of([word for place, word in words.items() if place not in seen])


# --- luck


def test_luck_is_counted_and_expected_draw_by_draw(stats: Stats, played: list[Played]) -> None:
    for luck, ours in ((stats.our_luck, True), (stats.other_luck, False)):
        draws = [d for m in played for d in m.draws if (d.seat is m.seat) is ours]
        assert list(luck.came) == [sum(d.rank == rank for d in draws) for rank in range(1, 11)]
        for rank in range(1, 11):
            expected = sum(d.deck.count(rank) / len(d.deck) for d in draws)
            assert luck.expected[rank - 1] == pytest.approx(expected, rel=1e-12)
        cases: list[tuple[Count, Callable[[int], bool]]] = [
            (luck.twenty, lambda total: total == 20),
            (luck.over, lambda total: total > 20),
        ]
        for counted, hits in cases:
            odds = [sum(hits(d.before + r) for r in d.deck) / len(d.deck) for d in draws]
            assert counted.came == sum(hits(d.before + d.rank) for d in draws)
            assert counted.expected == pytest.approx(sum(odds), rel=1e-12)
            assert counted.variance == pytest.approx(sum(p * (1 - p) for p in odds), rel=1e-12)
    assert stats.luck.draws == stats.our_luck.draws + stats.other_luck.draws
    assert stats.luck.twenty.came == stats.our_luck.twenty.came + stats.other_luck.twenty.came


def test_the_lots_of_these_matches_are_fair(stats: Stats) -> None:
    assert stats.luck.enough
    assert stats.luck.chance > 0.001


# --- lists


def test_matches_are_listed_newest_first(ours_only: Path, played: list[Played]) -> None:
    listed = ask(ours_only, list_matches)
    assert [match.match_id for match in listed] == [match.match_id for match in reversed(played)]
    assert ask(ours_only, lambda db: list_matches(db, limit=3)) == listed[:3]
    for match, own in zip(listed, reversed(played), strict=True):
        assert (match.key, match.name) == (own.keys[own.seat.other], own.names[own.seat.other])
        assert (match.sets_won, match.sets_lost) == (own.won[own.seat], own.won[own.seat.other])
        assert match.sets_tied == sum(each.winner is None for each in own.sets)
        assert match.record.endswith(".pzk")


def test_several_records_of_one_match_change_no_number(home: Path, stats: Stats) -> None:
    """Only whose seat is ours can differ, where both were kept here: the host's counts."""
    both = ask(home, gather)
    assert both.matches.played == COUNT
    assert both.sets.played == stats.sets.played
    assert both.luck.came == stats.luck.came
    assert both.luck.expected == pytest.approx(stats.luck.expected, rel=1e-12)


# --- ends of other kinds


def test_ends_of_other_kinds(tmp_path: Path) -> None:
    folder = tmp_path / "matches"
    folder.mkdir()
    before = [piece for piece in pieces(RECORD) if kind(piece) != "end"][:-4]
    cut = b"".join([*before, pieces(RECORD)[-1]])
    lost_line = with_end(
        cut, termination="abandoned", winner=None, opened=[False] * 2, code="closed"
    )
    (folder / "a.pzk").write_bytes(lost_line)
    _, (host, _) = conceded((Seat.JOIN,))
    (folder / "b.pzk").write_bytes(host)
    stats = ask(tmp_path, gather)
    assert (stats.matches, stats.broken_off, stats.by_word) == (Tally(1, 0, 0), 1, 1)
    assert stats.results == ("won",)
    assert sum(each.broken_off for each in stats.opponents) == 1
    listed = {match.record: match for match in ask(tmp_path, list_matches)}
    assert (listed["a.pzk"].result, listed["a.pzk"].deck) == ("broken off", None)
    assert (listed["b.pzk"].result, listed["b.pzk"].termination) == ("won", "concession")


def test_no_match_at_all(tmp_path: Path) -> None:
    stats = ask(tmp_path, gather)
    assert stats.matches == stats.sets == Tally()
    assert (stats.opponents, stats.cards, stats.decks) == ((), (), ())
    assert stats.luck.draws == 0
    assert not stats.luck.enough
