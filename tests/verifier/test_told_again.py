"""Records of matches that were gone on with: what is told again can convict (section 6.4)."""

import random

import pytest

from . import verify
from .game import Rules
from .generator import Table, play, random_table


def whole(seed: int) -> Table:
    """A match with nothing due any more."""
    rng = random.Random(seed)
    table = play(random_table(f"told again {seed}", rng, Rules(sets=1)), rng)
    assert verify(table.record()).complete
    return table


@pytest.mark.parametrize("seed", range(6))
def test_another_word_for_any_old_place_convicts_its_author_after_the_end(seed: int) -> None:
    table = whole(seed)
    transcript = table.transcript
    before = verify(table.record())
    for n, author in enumerate(transcript.authors):
        other = table.entry(author, [{"t": "end"}], n=n, prev=transcript.chain[n])
        verdict = verify(table.record(other))
        assert verdict.cheat == ("two-entries", author, n)
        assert verdict.problem == ""
        # Who has lost already loses no more by it (section 10).
        lost = before.winner == 1 - author
        assert verdict.winner == 1 - author
        assert verdict.termination == (before.termination if lost else "cheat")
        assert (verdict.entries, verdict.head) == (before.entries, before.head)


@pytest.mark.parametrize("seed", range(3))
def test_all_else_after_the_end_blames_nobody(seed: int) -> None:
    table = whole(seed)
    transcript = table.transcript
    count = len(transcript.bodies)
    entries = [message for message in table.messages if b"\xa5entry" in message]
    assert len(entries) == count
    for n, entry in enumerate(entries):
        # The same word again; the place of another author; and more than there is.
        wrong = table.entry(1 - transcript.authors[n], [{"t": "end"}], n=n)
        more = table.entry(transcript.authors[n], [{"t": "end"}], n=count)
        elsewhere = table.entry(
            1 - transcript.authors[n], [{"t": "end"}], n=n, prev=transcript.chain[n]
        )
        for message in (entry, more, elsewhere):
            verdict = verify(table.record(message))
            assert verdict.cheat is None
            assert verdict.problem.startswith("unexpected")
        # Its number and its chain do not go together: its author has signed that.
        assert verify(table.record(wrong)).cheat == (
            "wrong-sequence",
            1 - transcript.authors[n],
            count,
        )


@pytest.mark.parametrize("seat", [0, 1])
def test_a_concession_that_is_told_after_the_end_convicts_or_means_nothing(seat: int) -> None:
    table = whole(7)
    transcript = table.transcript
    last = max(n for n, body in enumerate(transcript.bodies[:-2]) if transcript.authors[n] == seat)
    early = table.concession(seat, "concession", transcript.chain[last])
    verdict = verify(table.record(early))
    assert verdict.cheat == ("acted-after-conceding", seat, len(transcript.bodies))
    late = table.concession(seat, "concession", transcript.chain[-1])
    verdict = verify(table.record(late))
    assert verdict.cheat is None
    assert verdict.problem.startswith("unexpected")
