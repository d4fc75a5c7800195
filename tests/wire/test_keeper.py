"""What a keeper writes at the end of a record: believed, refuted, or only a word (section 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import msgpack
import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.wire.judge import Verdict, judge
from pazaak_p2p.wire.terms import Due, Kind
from pazaak_p2p.wire.verdict import Unsound
from tests.verifier import verify
from tests.wire.records import (
    BOTH,
    RECORD,
    SHORT,
    conceded,
    pieces,
    played,
    with_end,
    with_header,
)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"winner": 0}, "'normal', the host won"),
        ({"winner": None}, "nobody won"),
        ({"termination": "cap"}, "'cap'"),
        ({"termination": "concession"}, "'concession'"),
        ({"termination": "time"}, "'time'"),
        ({"termination": "time", "code": "turn_seconds"}, "'time'"),
        ({"opened": [True, False]}, "opened"),
        ({"termination": "abandoned", "winner": None}, "had ended before"),
        ({"termination": "abandoned"}, "had ended before"),
        ({"termination": "abandoned", "winner": 0, "code": "interrupted"}, "had ended before"),
        ({"termination": "abandoned", "winner": None, "code": "turn_seconds"}, "time"),
        ({"termination": "cheat", "winner": 0}, "cheat"),
        ({"termination": "cheat", "winner": 0, "code": "wrong-share"}, "wrong-share"),
        ({"code": "wrong-share"}, "wrong-share"),
        ({"termination": "cheat", "winner": 0, "code": "will-not-reveal"}, "will-not-reveal"),
        ({"code": "will-not-open"}, "will-not-open"),
        ({"code": "turn_seconds"}, "time"),
    ],
)
def test_a_keeper_that_lies(changes: dict[str, object], says: str) -> None:
    assert judge(RECORD).proven == Outcome(Termination.NORMAL, Seat.JOIN)
    verdict = judge(with_end(RECORD, **changes))
    assert says in verdict.contradiction
    assert verdict.problem is None
    assert verdict.claimed is None
    assert verdict.proven == Outcome(Termination.NORMAL, Seat.JOIN)


@pytest.mark.parametrize("changes", [{"termination": "won"}, {"code": "bored"}, {"code": "Closed"}])
def test_words_that_a_keeper_does_not_have(changes: dict[str, object]) -> None:
    problem = judge(with_end(RECORD, **changes)).problem
    assert isinstance(problem, Unsound)
    assert (problem.refusal, problem.entry) == ("malformed", judge(RECORD).entries)


def cut_where(due: Callable[[Due], bool], rules: Rules = SHORT) -> tuple[Verdict, list[bytes]]:
    """The record of a match that stops before this statement, which is the joiner's."""
    parts = pieces(bytes(played("cut 1", rules, persons=True).host.record))
    for length in range(3, len(parts)):
        verdict = judge(b"".join(parts[:length]))
        if (
            verdict.missing is not None
            and verdict.missing.seat is Seat.JOIN
            and due(verdict.missing)
        ):
            return verdict, parts[:length]
    raise AssertionError


def ended(parts: list[bytes], opened: tuple[bool, bool], *said: object) -> Verdict:
    termination, winner, code = said
    end = {"t": "end", "termination": termination, "winner": winner, "opened": list(opened)}
    return judge(b"".join([*parts, msgpack.packb({**end, "code": code, "text": ""})]))


@pytest.mark.parametrize(
    ("kind", "said", "believed"),
    [
        (Kind.REVEAL, ("cheat", 0, "will-not-reveal"), True),
        (Kind.REVEAL, ("cheat", 1, "will-not-reveal"), False),
        (Kind.REVEAL, ("cheat", 0, "will-not-open"), False),
        (Kind.REVEAL, ("abandoned", None, "closed"), True),
        (Kind.REVEAL, ("abandoned", None, "timeout"), True),
        (Kind.REVEAL, ("abandoned", None, "silent"), True),
        (Kind.REVEAL, ("abandoned", None, "interrupted"), False),
        (Kind.REVEAL, ("abandoned", 0, "interrupted"), True),
        (Kind.REVEAL, ("abandoned", 1, "done"), True),
        (Kind.REVEAL, ("abandoned", 0, "busy"), True),
        (Kind.REVEAL, ("abandoned", 0, "declined"), True),
        (Kind.REVEAL, ("abandoned", 0, "closed"), False),
        (Kind.REVEAL, ("abandoned", 0, "timeout"), False),
        (Kind.REVEAL, ("abandoned", 0, "will-not-reveal"), False),
        (Kind.REVEAL, ("time", 0, "turn_seconds"), False),
        (Kind.COMMIT, ("cheat", 0, "will-not-reveal"), True),
        (Kind.ACT, ("cheat", 0, "will-not-reveal"), False),
        (Kind.ACT, ("time", 0, "turn_seconds"), True),
        (Kind.ACT, ("time", 1, "turn_seconds"), False),
        (Kind.ACT, ("normal", 0, ""), False),
        (Kind.ACT, ("concession", 0, ""), False),
    ],
)
def test_what_never_came_is_the_keepers_word_if_it_is_due(
    kind: Kind, said: tuple[str, int | None, str], believed: bool
) -> None:
    rules = replace(SHORT, turn_seconds=60)
    broken, parts = cut_where(lambda due: due.kind is kind, rules)
    verdict = ended(parts, (False, False), *said)
    assert verdict.proven is None
    assert verdict.missing == broken.missing == Due(Seat.JOIN, kind)
    assert not verdict.decided
    assert bool(verdict.contradiction) is not believed
    winner = None if said[1] is None else Seat(said[1])
    assert verdict.claimed == (Outcome(Termination(said[0]), winner) if believed else None)


def test_without_a_clock_nobody_runs_out_of_time() -> None:
    _, parts = cut_where(lambda due: due.kind is Kind.ACT)
    assert ended(parts, (False, False), "time", 0, "turn_seconds").contradiction


def test_a_concession_counts_without_its_acceptance() -> None:
    _, (record, _) = conceded((Seat.HOST,))
    parts = pieces(record)[:-3]
    verdict = judge(b"".join(parts))
    assert verdict.proven == Outcome(Termination.CONCESSION, Seat.JOIN)
    assert verdict.missing == Due(Seat.JOIN, Kind.OPEN)
    assert not verdict.decided  # by an open that is no good the winner could lose it still
    forfeited = Outcome(Termination.CHEAT, Seat.HOST)
    for said, outcome in (
        (("concession", 1, "closed"), None),
        (("concession", 1, "interrupted"), None),
        (("cheat", 0, "will-not-open"), forfeited),
    ):
        verdict = ended(parts, (False, False), *said)
        assert verdict.contradiction == ""
        assert verdict.claimed == outcome
    for winner in (None, 0, 1):
        for code in ("closed", "interrupted"):
            verdict = ended(parts, (False, False), "abandoned", winner, code)
            assert "had ended before" in verdict.contradiction


CAPPED = replace(SHORT, max_sets=1, turn_seconds=60)
WON_BY_HOST, WON_BY_JOINER, DRAWN = "short 4", "short 0", "short 28"
"""Matches by these rules whose first open is an entry of its own."""


def capped(seed: str) -> list[bytes]:
    """The objects of the record of one of them."""
    return pieces(bytes(played(seed, CAPPED, persons=True).host.record))


@pytest.mark.parametrize(
    ("seed", "cut", "owes"),
    [(WON_BY_JOINER, 3, 1), (WON_BY_HOST, 3, 0), (DRAWN, 3, 0), (DRAWN, 2, 1)],
    ids=["the joiner won", "the host won", "drawn, the host", "drawn, the joiner"],
)
def test_who_owes_the_open_on_which_the_result_rests_loses(seed: str, cut: int, owes: int) -> None:
    parts = pieces(with_header(b"".join(capped(seed)), seat=1 - owes))[:-cut]
    broken = judge(b"".join(parts))
    assert broken.missing == Due(Seat(owes), Kind.OPEN)
    assert not broken.decided
    proven = broken.proven
    assert proven is not None
    assert proven.winner in (None, owes)
    other = Seat(1 - owes)
    for code in ("closed", "silent", "interrupted", "done", "fault"):
        verdict = ended(parts, broken.opened, "abandoned", int(other), code)
        assert verdict.contradiction == ""
        assert verdict.claimed == Outcome(Termination.ABANDONED, other)
        for winner in (None, owes):
            verdict = ended(parts, broken.opened, "abandoned", winner, code)
            assert "not lost by who owed" in verdict.contradiction
        verdict = ended(parts, broken.opened, proven.termination.value, proven.winner, code)
        assert "is missing" in verdict.contradiction
    verdict = ended(parts, broken.opened, "cheat", int(other), "will-not-open")
    assert verdict.claimed == Outcome(Termination.CHEAT, other)
    verdict = ended(parts, broken.opened, "cheat", owes, "will-not-open")
    assert "will-not-open" in verdict.contradiction


def broken_off() -> Iterator[bytes]:
    """Every kind of state in which a match can break off, without the keeper's word."""
    yield from (b"".join(capped(WON_BY_HOST)[:length]) for length in (3, 4, 5, 6, -4))
    yield b"".join(capped(DRAWN)[:-1])
    for parts in (
        *(capped(seed) for seed in (WON_BY_HOST, WON_BY_JOINER, DRAWN)),
        *(pieces(conceded(seats)[1][0]) for seats in ((Seat.HOST,), (Seat.JOIN,), BOTH)),
    ):
        yield from (b"".join(parts[:cut]) for cut in (-3, -2))


def words(opened: tuple[bool, bool]) -> Iterator[tuple[Seat, Outcome, bytes]]:
    """What a keeper can say."""
    codes = ("closed", "interrupted", "timeout", "turn_seconds", "will-not-reveal", "will-not-open")
    for code, termination, winner in product(codes, Termination, (None, *Seat)):
        end = {"t": "end", "termination": termination.value, "winner": winner}
        packed = msgpack.packb({**end, "opened": list(opened), "code": code, "text": ""})
        for seat in Seat if code.startswith("will-not") else (Seat.HOST,):
            yield seat, Outcome(termination, winner), packed


def test_the_second_verifier_believes_the_same() -> None:
    seen: Counter[tuple[Termination, bool]] = Counter()
    due: set[Due | None] = set()
    for record in broken_off():
        due.add(judge(record).missing)
        for seat, outcome, end in words(judge(record).opened):
            whole = with_header(record, seat=int(seat)) + end
            ours, theirs = judge(whole), verify(whole)
            assert bool(ours.contradiction) is bool(theirs.problem), (outcome, ours, theirs)
            seen[outcome.termination, not theirs.problem] += 1
    assert due >= {
        None,
        *(Due(seat, kind) for seat in Seat for kind in Kind if kind is not Kind.ACT),
    }
    assert all(seen[key] for key in product(Termination, (True, False)))


def test_a_loser_that_does_not_open_changes_nothing() -> None:
    record = bytes(played("short 0").host.record)
    parts = pieces(record)[:-2]
    verdict = judge(b"".join(parts))
    assert verdict.decided
    assert not verdict.complete
    assert verdict.missing is not None
    assert verdict.missing.kind is Kind.OPEN
    assert verdict.proven is not None
    winner = verdict.proven.winner
    assert winner is not None
    assert verdict.missing.seat is winner.other
    seen = judge(with_header(b"".join(parts), seat=int(winner)))
    assert seen == replace(verdict, keeper=winner)
    said = ended(
        pieces(with_header(b"".join(parts), seat=int(winner))),
        verdict.opened,
        *("normal", int(winner), "will-not-open"),
    )
    assert (said.contradiction, said.claimed) == ("", None)
