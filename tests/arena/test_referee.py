"""Bots that do wrong, told apart; by the rules alone and on the wire."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pazaak_p2p.arena.fast import play_fast
from pazaak_p2p.arena.referee import Fault, Judged, Restarted, Watched
from pazaak_p2p.arena.signed import KeptRecord, Sitting, play_signed
from pazaak_p2p.bots import Bot, ScriptBot, ThresholdBot, UnknownBot, parse_script
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.at_once import Loopback
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    DECKS,
    Card,
    Draw,
    End,
    Lay,
    Leave,
    Outcome,
    Play,
    Rules,
    Seat,
    Termination,
    View,
)
from tests.verifier import verify

RULES = Rules(max_sets=99)
DECK = DECKS["balanced"]


class Noted:
    """Who was asked, in order; -1 for an answer."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def makes(self, seat: int) -> None:
        """Nothing."""

    def asks(self, seat: int) -> None:
        self.seen.append(seat)

    def answered(self) -> None:
        self.seen.append(-1)


class Chooses:
    """A bot that always does the same."""

    def __init__(self, choose: Callable[[View], Any]) -> None:
        self.choose = choose


def crash(view: View) -> Any:
    raise ZeroDivisionError("nothing by nothing")


def leave(view: View) -> Any:
    sys.exit(3)


def slow(view: View) -> Any:
    end = time.perf_counter() + 0.02
    while time.perf_counter() < end:
        pass
    return End()


def not_held(view: View) -> Any:
    held = {card.position for card in view.state.hands[view.seat]}
    return Play(min(set(range(10)) - held), Card.TIEBREAKER, 1)


def other_card(view: View) -> Any:
    return Play(view.hand[0].position, Card.parse("D"), 5)


def wrong_value(view: View) -> Any:
    return Play(view.hand[0].position, view.hand[0].card, 77)  # type: ignore[arg-type]


class Trap:
    """A part of a bot's own making: whatever looks at it runs the bot's code, which *fails*."""

    fails: BaseException = RuntimeError("a trap")

    def spring(self, *arguments: object) -> Any:
        raise self.fails

    __eq__ = __hash__ = __repr__ = __str__ = __len__ = __bool__ = __index__ = spring


class TrapType(type):
    __eq__ = __hash__ = Trap.spring
    fails = RuntimeError("a trap")


class OfTrapType(metaclass=TrapType):
    pass


class TrapError(Trap, BaseException):
    pass


class Code(PazaakError):
    code = Trap()  # type: ignore[assignment]


def _told(bot: Judged) -> str:
    """Its note, with HERE for the line of this file from which an exception came."""
    return re.sub(r"\Atest_referee\.py, line \d+: ", "HERE: ", bot.note)


def raises(error: BaseException) -> Callable[[View], Any]:
    def choose(view: View) -> Any:
        raise error

    return choose


# What runs the bot's own code when it is looked at: none of that gets out of the watch.
TRAPS: list[tuple[Callable[[View], Any], Fault, str | None]] = [
    (lambda view: Trap(), Fault.CRASH, "HERE: RuntimeError: a trap"),
    (lambda view: OfTrapType(), Fault.CRASH, "HERE: RuntimeError: a trap"),
    (lambda view: Play(Trap(), Trap(), Trap()), Fault.CRASH, None),  # type: ignore[arg-type]
    (lambda view: Play(0, Trap(), 1), Fault.CRASH, None),  # type: ignore[arg-type]
    (lambda view: Lay(Trap()), Fault.CRASH, None),  # type: ignore[arg-type]
    (lambda view: Play(10**5000, Card.TIEBREAKER, 1), Fault.CRASH, None),
    (raises(TrapError()), Fault.CRASH, "HERE: what was raised cannot be told"),
    (raises(Code("x")), Fault.CRASH, "Code: x"),
    (raises(BaseException("b")), Fault.CRASH, "HERE: BaseException: b"),
    (raises(GeneratorExit()), Fault.CRASH, "HERE: GeneratorExit: "),
    (raises(KeyboardInterrupt()), Fault.CRASH, "HERE: KeyboardInterrupt: "),
    (lambda view: Play(999, Card.TIEBREAKER, 1), Fault.CHEAT, None),
    (lambda view: Play(-1, Card.TIEBREAKER, 999), Fault.CHEAT, None),
]
WRONG = [
    *TRAPS,
    (crash, Fault.CRASH, "HERE: ZeroDivisionError: nothing by nothing"),
    (leave, Fault.CRASH, "HERE: SystemExit: 3"),
    (slow, Fault.TIME, "It took 0.0 seconds."),
    (not_held, Fault.CHEAT, None),
    (other_card, Fault.CHEAT, None),
    (wrong_value, Fault.CHEAT, None),
    (lambda view: Lay(0), Fault.ILLEGAL, None),
    (lambda view: Draw(5), Fault.ILLEGAL, None),
    (lambda view: Leave(Seat.HOST, Termination.CHEAT), Fault.ILLEGAL, None),
    (lambda view: "stand", Fault.ILLEGAL, "'stand' is no action."),
    (lambda view: None, Fault.ILLEGAL, "None is no action."),
    (lambda view: Play([], "+1", {}), Fault.ILLEGAL, None),  # type: ignore[arg-type]
]


def watched(bot: Callable[[], Bot], seat: int, noted: Noted, seconds: float) -> Watched:
    return Watched(bot, seat, seconds, noted)


def pair(choose: Callable[[View], Any], seat: int) -> tuple[tuple[Watched, Watched], Noted]:
    noted = Noted()
    seconds = 0.01 if choose is slow else 60
    bad = watched(lambda: Chooses(choose), seat, noted, seconds)
    good = watched(ThresholdBot, 1 - seat, noted, 60)
    return ((bad, good) if seat == 0 else (good, bad)), noted


@pytest.mark.parametrize(("choose", "fault", "note"), WRONG)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_loses_the_match_by_the_rules_alone(
    choose: Callable[[View], Any], fault: Fault, note: str | None, seat: int
) -> None:
    bots, noted = pair(choose, seat)
    outcome, _ = play_fast(RULES, (DECK, DECK), bots, "seed")
    assert outcome == Outcome(Termination.CONCESSION, Seat(1 - seat))
    assert (bots[seat].fault, bots[1 - seat].fault) == (fault, None)
    assert note is None or _told(bots[seat]) == note
    assert bots[seat].note
    # Whoever was asked has answered, and was asked no more.
    assert noted.seen[1::2] == [-1] * (len(noted.seen) // 2)
    assert noted.seen.count(seat) == 1


@pytest.mark.parametrize(("choose", "fault", "note"), WRONG)
def test_a_fault_loses_the_match_on_the_wire_by_an_honest_concession(
    choose: Callable[[View], Any], fault: Fault, note: str | None
) -> None:
    bots, _ = pair(choose, 1)
    record = KeptRecord()
    with Loopback() as door:
        sitting = Sitting(("good", "bad"), (DECK, DECK), bots)
        report = play_signed(door, RULES, sitting, ("s", "s 0"), record)
    assert report.outcome == Outcome(Termination.CONCESSION, Seat.HOST)
    assert bots[1].fault is fault
    verdict = verify(bytes(record.data))
    assert verdict.termination == "concession"
    assert verdict.winner == 0


def test_what_a_bot_chose_or_raised_is_looked_at_while_it_is_asked() -> None:
    """So that one which hangs there is found out, as everywhere."""
    seen: list[int] = []

    class Looked(Exception):
        def spring(self, *arguments: object) -> Any:
            seen.append(noted.seen[-1])
            return "x"

        __repr__ = __str__ = __eq__ = spring
        __hash__ = Exception.__hash__

    chosen = (Looked(), Play(Looked(), Looked(), 1), Lay(Looked()))  # type: ignore[arg-type]
    for choose in (*(lambda view, each=each: each for each in chosen), raises(Looked())):
        bots, noted = pair(choose, 0)
        play_fast(RULES, (DECK, DECK), bots, "seed")
        assert bots[0].fault
        assert set(seen) == {0}
        seen.clear()


def test_a_bot_that_cannot_be_made_has_crashed() -> None:
    def make() -> Bot:
        raise UnknownBot("It is gone.")

    noted = Noted()
    bots = watched(make, 0, noted, 60), watched(ThresholdBot, 1, noted, 60)
    outcome, _ = play_fast(RULES, (DECK, DECK), bots, "seed 1")
    assert outcome.winner is Seat.JOIN
    assert bots[0].fault is Fault.CRASH


def test_R21_the_choices_of_a_turn_have_its_time_together(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("pazaak_p2p.arena.referee.perf_counter", lambda: clock[0])

    def think(seconds: float) -> Callable[[View], Any]:
        def choose(view: View) -> Any:
            clock[0] += seconds
            return ThresholdBot(20).choose(view)

        return choose

    rules = Rules(max_sets=99, turn_seconds=5)
    for seconds, fault in ((2.5, None), (2.6, Fault.TIME)):
        found = set()
        for number in range(5):  # in some match it plays a card, and then ends its turn
            (slow, quick), _ = pair(think(seconds), 0)
            play_fast(rules, (DECK, DECK), (slow, quick), f"seed {number}")
            found.add(slow.fault)
        assert found - {None} == ({fault} - {None})


@pytest.mark.parametrize(
    ("seconds", "made", "fault"),
    [(0.1, 9.9, None), (0.1, 10.1, Fault.TIME), (20, 19.9, None), (20, 20.1, Fault.TIME)],
)
def test_what_a_bot_takes_to_get_ready_is_no_time_of_its_choice(
    monkeypatch: pytest.MonkeyPatch, seconds: float, made: float, fault: Fault | None
) -> None:
    """Tables and modules are loaded once in each process, however many there are."""
    clock = [0.0]
    monkeypatch.setattr("pazaak_p2p.arena.referee.perf_counter", lambda: clock[0])

    def make() -> Bot:
        clock[0] += made
        return ThresholdBot()

    bots = watched(make, 0, Noted(), seconds), watched(ThresholdBot, 1, Noted(), seconds)
    play_fast(Rules(max_sets=99, turn_seconds=5), (DECK, DECK), bots, "seed")
    assert bots[0].fault is fault
    assert bots[0].note == ("" if fault is None else f"It took {made} seconds to get ready.")


@pytest.mark.parametrize(("choose", "fault", "note"), [row for row in WRONG if row[0] is not slow])
@pytest.mark.parametrize("restarts", [2, 1])
def test_one_that_is_restarted_is_asked_the_same_as_a_fresh_bot(
    choose: Callable[[View], Any], fault: Fault, note: str | None, restarts: int
) -> None:
    """By the rules alone and on the wire: after two that do wrong comes one that does not."""

    def bots() -> tuple[Restarted, Watched]:
        made: Iterator[Bot] = iter([Chooses(choose), Chooses(choose), ThresholdBot()])
        noted = Noted()
        bad = watched(lambda: next(made), 0, noted, 60)
        return Restarted(bad, restarts, 0, "py:a:A"), watched(ThresholdBot, 1, noted, 60)

    noted, record = Noted(), KeptRecord()
    good = watched(ThresholdBot, 0, noted, 60), watched(ThresholdBot, 1, noted, 60)
    by_rules, on_wire = bots(), bots()
    outcome = play_fast(RULES, (DECK, DECK), by_rules, "seed")
    with Loopback() as door:
        sitting = Sitting(("a", "b"), (DECK, DECK), on_wire)
        report = play_signed(door, RULES, sitting, ("s", "s 0"), record)
    for bot, _ in (by_rules, on_wire):
        assert bot.fault is (None if restarts == 2 else fault)
        assert bot.note.endswith(". Starting py:a:A again (2 of 2).") is (restarts == 2)
        assert note is None or _told(bot).startswith(note.rstrip("."))
    if restarts == 2:
        assert outcome == play_fast(RULES, (DECK, DECK), good, "seed")
        assert verify(bytes(record.data)).termination == "normal"
    else:
        assert outcome[0] == Outcome(Termination.CONCESSION, Seat.JOIN)
        assert report.outcome == Outcome(Termination.CONCESSION, Seat.JOIN)


def test_restarts_that_were_used_before_count() -> None:
    for used, fault in ((0, None), (1, Fault.CRASH)):
        made = iter([Chooses(crash), ThresholdBot()])
        bad = watched(lambda made=made: next(made), 0, Noted(), 60)  # type: ignore[misc]
        bots = Restarted(bad, 1, used, "a"), watched(ThresholdBot, 1, Noted(), 60)
        play_fast(RULES, (DECK, DECK), bots, "seed")
        assert bots[0].fault is fault


def test_R21_a_restart_gives_no_time_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("pazaak_p2p.arena.referee.perf_counter", lambda: clock[0])

    def fails_after(seconds: float) -> Bot:
        def choose(view: View) -> Any:
            clock[0] += seconds
            raise ZeroDivisionError

        return Chooses(choose)

    rules = Rules(max_sets=99, turn_seconds=5)
    # Two that fail, and then the turn has 1 second left, or none.
    for seconds, fault in ((2.0, None), (2.5, Fault.CRASH)):
        made = iter([fails_after(seconds), fails_after(seconds), ThresholdBot()])
        bad = watched(lambda made=made: next(made), 0, Noted(), 60)  # type: ignore[misc]
        bots = Restarted(bad, 9, 0, "a"), watched(ThresholdBot, 1, Noted(), 60)
        play_fast(rules, (DECK, DECK), bots, "seed")
        assert bots[0].fault is fault


def test_conceding_is_no_fault() -> None:
    bots, _ = pair(lambda view: Concede(), 0)
    outcome, _ = play_fast(RULES, (DECK, DECK), bots, "seed")
    assert outcome == Outcome(Termination.CONCESSION, Seat.JOIN)
    assert bots[0].fault is None


def test_what_is_only_equal_to_an_action_is_sent_as_the_action() -> None:
    def floats(view: View) -> Any:
        choice = ThresholdBot().choose(view)
        if isinstance(choice, Play):
            return Play(float(choice.at), choice.card, float(choice.value))  # type: ignore[arg-type]
        return choice

    bots, _ = pair(floats, 0)
    record = KeptRecord()
    with Loopback() as door:
        sitting = Sitting(("a", "b"), (DECK, DECK), bots)
        report = play_signed(door, RULES, sitting, ("s", "s 0"), record)
    assert report.outcome.termination is Termination.NORMAL
    assert bots[0].fault is None


def test_a_line_of_a_script_that_the_rules_forbid_is_illegal() -> None:
    script = parse_script("lay\n", "f")
    noted = Noted()
    bots = watched(lambda: ScriptBot(script), 0, noted, 60), watched(ThresholdBot, 1, noted, 60)
    play_fast(RULES, (DECK, DECK), bots, "seed")
    assert bots[0].fault is Fault.CRASH  # the hand holds no such card: nothing that it could try
    missing = parse_script("at-end error\n", "f")
    bots = watched(lambda: ScriptBot(missing), 0, noted, 60), watched(ThresholdBot, 1, noted, 60)
    play_fast(RULES, (DECK, DECK), bots, "seed")
    assert bots[0].fault is Fault.CRASH
