"""A match that was broken off goes on where it was (specification, section 6.4)."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import PRESETS, Seat
from pazaak_p2p.wire import events
from tests.verifier import verify
from tests.wire.broken import Line, again, begin, ended, new_pair, resume

RULES = PRESETS["standard"]


def undisturbed(seed: str, persons: tuple[bool, bool] = (False, False)) -> tuple[bytes, int]:
    """The final head of a match, and how many deliveries it took."""
    line = Line(None)
    pair = new_pair(seed, line, persons)
    begin(pair, RULES)
    heads = {ended(side).head for side in pair.sides}
    (head,) = heads
    return head, line.delivered


@pytest.mark.parametrize("persons", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("seed", ["one", "two", "three"])
def test_a_match_cut_after_any_delivery_ends_as_if_nothing_had_been(
    seed: str, swapped: bool, persons: tuple[bool, bool]
) -> None:
    head, deliveries = undisturbed(seed, persons)
    resumed = 0
    for cut in range(6, deliveries):
        pair = new_pair(seed, Line(cut), persons)
        begin(pair, RULES)
        if not all(side.record for side in pair.sides):
            continue
        pair = again(pair, seed, Line(None), swapped=swapped)
        resume(pair)
        resumed += 1
        for side in pair.sides:
            assert not side.errors
            assert ended(side).head == head
            assert not ended(side).resumable
            assert verify(bytes(side.record)).clean
    assert resumed > deliveries - 12


@pytest.mark.parametrize("asking", list(Seat))
def test_one_side_asks_and_the_other_answers(asking: Seat) -> None:
    head, deliveries = undisturbed("asked")
    pair = new_pair("asked", Line(deliveries // 2))
    begin(pair, RULES)
    pair = again(pair, "asked", Line(None))
    asker, asked = pair.sides[asking], pair.sides[asking.other]
    resume(pair, asker)
    (question,) = asked.of_kind(events.ResumeAsked)
    assert question.match_id
    resume(pair, asked)
    assert {ended(side).head for side in pair.sides} == {head}


@pytest.mark.parametrize("seat", list(Seat))
def test_what_happened_before_is_known_to_who_goes_on(seat: Seat) -> None:
    whole = new_pair("told", Line(None))
    begin(whole, RULES)
    happened = whole.sides[seat].of_kind(events.Moved)
    for cut in range(8, undisturbed("told")[1], 3):
        pair = new_pair("told", Line(cut))
        begin(pair, RULES)
        pair = again(pair, "told", Line(None))
        resume(pair)
        side = pair.sides[seat]
        (resumed,) = side.of_kind(events.Resumed)
        assert [*resumed.moves, *side.of_kind(events.Moved)] == happened
        assert not resumed.moves or resumed.moves[-1].state == resumed.state
