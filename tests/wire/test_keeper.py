"""What a keeper writes at the end of a record: believed, refuted, or only a word (section 12)."""

from __future__ import annotations

from collections.abc import Callable

import msgpack
import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.wire.judge import Verdict, judge
from pazaak_p2p.wire.terms import Due, Kind
from pazaak_p2p.wire.verdict import Unsound
from tests.wire.records import RECORD, SHORT, conceded, pieces, played, with_end, with_header


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
        ({"termination": "abandoned"}, "somebody won"),
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


def test_a_winner_that_has_not_opened_has_not_won_yet() -> None:
    _, (record, _) = conceded((Seat.HOST,))
    parts = pieces(record)[:-3]
    verdict = judge(b"".join(parts))
    assert verdict.proven == Outcome(Termination.CONCESSION, Seat.JOIN)
    assert verdict.missing == Due(Seat.JOIN, Kind.OPEN)
    assert not verdict.decided
    for said, outcome in (
        (("cheat", 0, "will-not-open"), Outcome(Termination.CHEAT, Seat.HOST)),
        (("abandoned", None, "closed"), Outcome(Termination.ABANDONED, None)),
    ):
        verdict = ended(parts, (False, False), *said)
        assert verdict.contradiction == ""
        assert verdict.claimed == outcome


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
