"""Generated matches verify, and nothing can be changed in them without being noticed."""

import random
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from . import Verdict, verify
from .__main__ import main
from .game import Phase, Rules
from .generator import Table, leave, pack, play, random_table
from .record import ENDS

WITHHELD = {
    "turn_seconds": ("act",),
    "will-not-reveal": ("commit", "reveal"),
}


def short_match() -> Table:
    """A whole match of few entries."""
    rng = random.Random(10)
    return play(random_table("bytes", rng, Rules(sets=1)), rng)


def proven(table: Table, verdict: Verdict) -> None:
    """The verdict says what both seats know."""
    game = table.transcript.game
    assert verdict.clean, verdict
    assert verdict.match_id == table.transcript.match
    assert verdict.head == table.transcript.head
    assert verdict.entries == len(table.transcript.bodies)
    assert verdict.sets == tuple(game.won)
    assert verdict.opened == tuple(table.transcript.opened)
    assert verdict.complete == table.transcript.complete()
    assert verdict.winner == {0: 0, 1: 1}.get(game.winner)


def test_many_matches_under_all_options_verify() -> None:
    seen: Counter[object] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        table = random_table(f"match {seed}", rng)
        rules = table.transcript.game.rules
        keep = rng.random()
        while not table.transcript.complete():
            table.turn(rng, keep)
            seen[table.transcript.game.phase] += 1
        for keeper in (0, 1):
            verdict = verify(table.record(table.end(), keeper=keeper))
            proven(table, verdict)
            assert verdict.complete
            assert verdict.opened == (True, True)
        seen[verdict.termination, verdict.winner] += 1
        seen.update(f"{name} {value}" for name, value in vars(rules).items())
    assert {Phase.OPENER, Phase.TIE} < set(seen)
    for result in (("normal", 0), ("normal", 1), ("cap", 0), ("cap", 1), ("cap", None)):
        assert seen[result]
    assert len([key for key in seen if str(key).startswith("opener")]) == 5


def test_matches_that_are_left_verify_for_both_keepers() -> None:
    seen: Counter[object] = Counter()
    for seed in range(200):
        keeper = seed % 2
        rng = random.Random(seed)
        table = random_table(f"left {seed}", rng, Rules(sets=1) if seed % 3 else None)
        play(table, rng, rng.choice((2, 3, *[rng.randint(4, 20)] * 9)))
        if table.transcript.game.phase == Phase.OVER:
            continue
        leave(table, rng, keeper)
        verdict = verify(table.record(table.end(), keeper=keeper))
        proven(table, verdict)
        assert verdict.complete
        assert verdict.opened == (True, True)
        seen[verdict.termination, len(table.transcript.conceded)] += 1
    for result in ("concession", "time"):
        assert seen[result, 1]
        assert seen[result, 2]
    assert seen["normal", 1]  # void


def test_a_record_without_an_end_counts_as_far_as_it_goes() -> None:
    rng = random.Random(5)
    table = play(random_table("short", rng), rng, 12)
    verdict = verify(table.record())
    proven(table, verdict)
    assert (verdict.termination, verdict.complete, verdict.ended) == ("unfinished", False, False)
    assert verdict.due == table.transcript.due()
    for code in ("", "closed", "timeout", "cheat", "protocol", "broken-chain", "silent"):
        assert judged(table, code, 0) == {("abandoned", None)}
    for code in ("done", "busy", "declined", "interrupted"):  # who leaves loses
        assert judged(table, code, 0) == {("abandoned", 0), ("abandoned", 1)}
    verdict = verify(table.record(table.end(code="closed")))
    assert verdict.clean
    assert verdict.ended


@pytest.mark.parametrize("turn_seconds", [None, 60])
def test_what_never_came_is_the_keepers_word_if_it_is_due(turn_seconds: int | None) -> None:
    rng = random.Random(13)
    table = random_table("word", rng, Rules(sets=1, turn_seconds=turn_seconds))
    believed: Counter[str] = Counter()
    while True:
        due = table.transcript.due()
        for code, keeper, winner in product(
            ("turn_seconds", "will-not-reveal"), (0, 1), (0, 1, None)
        ):
            said = "time" if code == "turn_seconds" else "cheat"
            end = table.end(termination=said, code=code, winner=winner)
            verdict = verify(table.record(end, keeper=keeper))
            assert verdict.cheat is None
            right = due is not None and winner == 1 - due[1] and due[0] in WITHHELD[code]
            right = right and (code == "turn_seconds" or winner == keeper)
            right = right and (code != "turn_seconds" or turn_seconds is not None)
            assert verdict.clean == right, (code, keeper, winner, due)
            believed[code] += right
        if due is None:
            break
        table.turn(rng, 0)
    assert believed["will-not-reveal"]
    assert bool(believed["turn_seconds"]) == (turn_seconds is not None)


def judged(table: Table, code: str, keeper: int) -> set[tuple[str, int | None]]:
    """The ends that are believed with this code: termination and winner."""
    return {
        (said, winner)
        for said, winner in product(ENDS, (0, 1, None))
        if verify(
            table.record(table.end(termination=said, code=code, winner=winner), keeper=keeper)
        ).clean
    }


def believed_without_an_open(
    seat: int, ends: tuple[str, int | None], code: str
) -> set[tuple[str, int | None]]:
    """What can become of a match whose result this is and that wants only this `open`."""
    if ends[1] == 1 - seat:
        return {ends}  # the loser's: it changes nothing
    if code == "will-not-open":
        return {("cheat", 1 - seat)}
    if ends[0] == "concession":
        return {ends}  # it counts without its acceptance
    return {("abandoned", 1 - seat)}  # however it left


def test_an_open_that_never_came_forfeits_only_what_rests_on_it() -> None:
    seen: Counter[object] = Counter()
    for seed in range(12):
        rng = random.Random(seed)
        rules = Rules(sets=1 + seed % 2, max_sets=1 + seed % 4 // 2)
        table = play(random_table(f"unopened {seed}", rng, rules), rng, rng.randint(2, 9))
        transcript = table.transcript
        if seed % 3 == 0 and transcript.game.phase != Phase.OVER:
            table.messages.append(table.concession(seed % 2, "concession"))
            transcript.conceded[seed % 2] = ("concession", len(transcript.bodies))
            transcript.settle()
        while True:
            due = transcript.due()
            result = verify(table.record())
            ends = (result.termination, result.winner)
            for keeper in (0, 1):
                word = judged(table, "will-not-open", keeper)
                if due != ("open", 1 - keeper):
                    assert word == set()
                else:
                    assert word == believed_without_an_open(due[1], ends, "will-not-open")
                    kind = "draw" if ends[1] is None else "won" if ends[1] == due[1] else "lost"
                    seen[ends[0], kind] += 1
            for code in ("closed", "done") if transcript.game.phase == Phase.OVER else ():
                left = judged(table, code, seed % 2)
                if due is None:
                    assert left == {ends}
                else:
                    assert left == believed_without_an_open(due[1], ends, code)
            if due is None:
                break
            table.turn(rng, 0)
            while transcript.game.phase != Phase.OVER:
                table.turn(rng, 0)
    for termination in ("normal", "cap", "concession"):
        assert seen[termination, "won"]
        assert seen[termination, "lost"]
    assert seen["cap", "draw"] > 1  # the host's and the joiner's


def test_a_concession_at_the_end_counts() -> None:
    rng = random.Random(6)
    table = play(random_table("quit", rng), rng, 12)
    verdict = verify(table.record(table.concession(1, "time")))
    assert (verdict.termination, verdict.winner, verdict.complete) == ("time", 0, False)
    both = (table.concession(1, "time"), table.concession(0, "concession"))
    assert verify(table.record(*both)).winner == 1


def test_what_the_keeper_says_otherwise_is_a_problem() -> None:
    rng = random.Random(7)
    table = play(random_table("said", rng, Rules(sets=1)), rng)
    winner = table.transcript.game.winner
    assert verify(table.record(table.end(text="anything"))).clean
    for changes in (
        {"winner": 1 - winner},
        {"winner": None},
        {"termination": "cap"},
        {"termination": "time"},
        {"opened": [True, False]},
        {"termination": "cheat", "code": "wrong-share"},
        {"termination": "abandoned"},
        {"code": "wrong-share"},
        {"code": "turn_seconds"},
        {"code": "will-not-open"},
        {"termination": "cheat", "code": "will-not-open"},
        {"termination": "abandoned", "winner": None},
        {"code": "nonsense"},
        {"termination": "nonsense"},
        {"more": 1},
    ):
        assert verify(table.record(table.end(**changes))).problem


def test_objects_in_the_wrong_place_are_refused() -> None:
    rng = random.Random(8)
    table = play(random_table("order", rng, Rules(sets=1)), rng)
    offer, accept, first, *_ = table.messages
    header, end = table.header(), table.end()
    for objects in (
        (offer, accept),
        (header, accept),
        (header, first),
        (header, offer, first),
        (header, offer, offer),
        (header, header),
        (header, offer, accept, accept),
        (header, offer, accept, end, first),
        (header, offer, accept, end, end),
        (header, offer, accept, pack({"t": "chat", "text": "hi"})),
        (table.record(), table.messages[-1]),
        (table.record(), table.concession(0, "time")),
    ):
        verdict = verify(b"".join(objects))
        assert verdict.problem
        assert verdict.cheat is None


def test_a_record_cut_anywhere_never_raises_and_proves_a_prefix() -> None:
    table = short_match()
    record = table.record(table.end())
    whole = verify(record)
    assert whole.clean
    assert whole.complete
    entries = 0
    for length in range(0, len(record), 5):
        verdict = verify(record[:length])
        assert verdict.cheat is None
        assert entries <= verdict.entries <= whole.entries
        assert not verdict.ended
        entries = verdict.entries
    assert entries == whole.entries


def test_no_byte_can_be_changed_without_being_noticed() -> None:
    """But for the keeper's own words: names, software, the date and the last text."""
    rng = random.Random(9)
    table = short_match()
    record = table.record(table.end(text="a text"))
    whole = verify(record)
    proven(table, whole)
    assert whole.complete
    free: set[int] = set()
    for part in (b"\xa1A", b"\xa1B", b"\xa9generator", b"began\x00", b"\xa6a text"):
        start = record.index(part)
        free.update(range(start, start + len(part)))
    seat = record.index(b"\xa4seat\x00") + 5
    for position, byte in enumerate(record):
        changed = byte ^ rng.choice((1, 128, rng.randrange(1, 256)))
        verdict = verify(record[:position] + bytes([changed]) + record[position + 1 :])
        if position not in free:
            assert not (verdict.clean and verdict == whole), (position, byte, changed)
            assert not verdict.clean or position == seat


def test_no_entry_can_be_left_out_repeated_or_exchanged_and_nobody_is_blamed() -> None:
    rng = random.Random(10)
    table = play(random_table("chain", rng, Rules(sets=2)), rng)
    other = play(random_table("chain", rng, Rules(sets=2), 1), rng)
    assert other.transcript.match != table.transcript.match
    messages = table.messages
    for place in range(2, len(messages) - 1):
        for changed in (
            messages[:place] + messages[place + 1 :],
            messages[: place + 1] + messages[place:],
            [*messages[:place], messages[place + 1], messages[place], *messages[place + 2 :]],
            [*messages[:place], other.messages[min(place, len(other.messages) - 1)]],
            [*messages[:place], other.messages[2]],
        ):
            verdict = verify(b"".join((table.header(), *changed)))
            assert verdict.problem
            assert verdict.cheat is None
            assert place - 2 <= verdict.entries <= place - 1
    for accept in (messages[0], other.messages[1]):
        verdict = verify(b"".join((table.header(), messages[0], accept, *messages[2:])))
        assert verdict.problem
        assert verdict.cheat is None


def test_the_program_prints_a_line_for_each_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(11)
    table = play(random_table("file", rng, Rules(sets=1)), rng)
    good, bad = tmp_path / "good.pzk", tmp_path / "bad.pzk"
    good.write_bytes(table.record(table.end()))
    bad.write_bytes(b"\xc1")
    assert main([str(good)]) == 0
    assert main([str(good), str(bad), str(tmp_path / "none.pzk")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "complete" in lines[0]
    assert "garbage" in lines[2]
    assert "unreadable" in lines[3]
