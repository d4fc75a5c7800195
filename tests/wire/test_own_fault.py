"""Memory or a disk that fails makes no cheat of its owner: nothing false is said or shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness import MatchSecret
from pazaak_p2p.rules import DECKS, Rules, Seat, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire.errors import OwnFault, WrongSecrets
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.messages import ByeReason
from pazaak_p2p.wire.reading import Saved, read_saved
from pazaak_p2p.wire.resuming import restore
from tests.verifier import verify
from tests.wire.broken import Line, again, begin, ended, new_pair, resume, written
from tests.wire.pair import Pair, Side

RULES = Rules(sets=1)
SEED = "own fault"
OTHER = b"another secret, of 32 bytes too!"


class At(Line):
    """Carries everything, and before the delivery number *at* does *what*."""

    def __init__(self, at: int, what: Callable[[], None]) -> None:
        super().__init__(None)
        self._at, self._what = at, what

    def __call__(self, side: Side, data: bytes) -> list[bytes]:
        if self.delivered == self._at:
            self._what()
        return super().__call__(side, data)


def undisturbed() -> tuple[bytes, int]:
    line = Line(None)
    pair = new_pair(SEED, line)
    begin(pair, RULES)
    return ended(pair.host).head, line.delivered


HEAD, LENGTH = undisturbed()


def forgetful(seat: Seat, at: int) -> tuple[Pair, OwnFault]:
    """A match in which *seat*'s match secret turns into another before delivery *at*."""

    def forget() -> None:
        match = pair.sides[seat].peer._lobby.match
        assert match is not None
        match._secrets = MatchSecret(OTHER, match.transcript.terms.match_id, seat)

    pair = new_pair(SEED, At(at, forget))
    with pytest.raises(OwnFault) as caught:
        begin(pair, RULES)
    return pair, caught.value


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("at", range(7, LENGTH - 2))
def test_what_would_convict_ourselves_is_never_said(seat: Seat, at: int) -> None:
    """Neither side calls anybody a cheat, and with the right secret the match goes on."""
    pair, fault = forgetful(seat, at)
    assert fault.exit_code is Exit.FAULT
    assert "won" not in " ".join((fault.what, fault.why, fault.next)).split()
    pair.sides[seat].peer.bye(ByeReason.FAULT)
    pair.between = Line(None)
    pair.go()
    for side in pair.sides:
        assert side.errors == []
        (end,) = side.of_kind(events.Ended)
        assert end.outcome.termination is not Termination.CHEAT
        assert end.resumable
    records = [written(side) for side in pair.sides]
    for record in records:
        verdict = judge(record)
        assert (verdict.cheat, verdict.problem, verdict.contradiction) == (None, None, "")
        assert verify(record).clean
    assert judge_pair(*records).verdict.cheat is None
    pair = again(pair, SEED, Line(None))
    resume(pair)
    assert {ended(side).head for side in pair.sides} == {HEAD}


def saved(seat: Seat, deliveries: int) -> tuple[Side, Saved]:
    pair = new_pair(SEED, Line(deliveries))
    begin(pair, RULES)
    side = pair.sides[seat]
    return side, read_saved([written(side)])


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("deliveries", range(8, LENGTH))
def test_a_match_is_restored_only_from_the_secrets_that_it_was_played_with(
    seat: Seat, deliveries: int
) -> None:
    side, record = saved(seat, deliveries)
    secret = side.secrets.match_secret(0)
    restore(record, side.key, secret, side.deck)
    with pytest.raises(WrongSecrets):
        restore(record, side.key, OTHER, side.deck)
    with pytest.raises(WrongSecrets):
        restore(record, side.key, secret, DECKS["balanced"])


def test_before_anything_was_committed_no_secrets_are_wrong() -> None:
    pair = new_pair(SEED, Line(5))
    begin(pair, RULES)
    join = pair.join
    record = read_saved([written(join)])
    assert record.items == ()
    restore(record, join.key, OTHER, join.deck)
