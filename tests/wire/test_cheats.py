"""Every cheat has a name: it is refused, named with seat and entry, recorded, and lost by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pazaak_p2p.rules import DECKS, Outcome, Rules, Seat, Termination
from pazaak_p2p.wire import cheats, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import RemoteError
from pazaak_p2p.wire.terms import Kind
from tests.cheating import HONEST, Cheater, Trick, duel
from tests.verifier import verify
from tests.wire.agreement import cautious
from tests.wire.caught import BY_CODE, Caught, catch, check_convicted, check_over
from tests.wire.pair import Side, messages_in, objects_in
from tests.wire.tricks import CASES, Case
from tests.wire.tricks.case import BOTH, END, OTHER_BYTES, STANDARD, opens, owes


def ways(case: Case) -> Iterator[tuple[Seat, bool, int]]:
    """From which seat, with how many statements in an entry, and when a cheat is tried: everything
    with the first choice of the second, and one of each with the other."""
    first, *others = case.splits
    for seat in case.seats:
        for point in case.points:
            yield seat, first, point
    for split in others:
        yield case.seats[-1], split, case.points[-1]


PARAMETERS = [
    pytest.param(case, seat, split, point, id=f"{case.code}: {case.name}-{seat}-{point}-{split}")
    for case in CASES
    for seat, split, point in ways(case)
]


@pytest.mark.parametrize(("case", "seat", "split", "point"), PARAMETERS)
def test_cheats_are_caught_and_proven(case: Case, seat: Seat, split: bool, point: int) -> None:
    caught = catch(case, seat, point, split)
    check_convicted(caught, case.code, entry=caught.cheater.accuse)


# --- concede, and then act


def concede_then(say: m.Statement) -> Trick:
    return Trick(owes(Kind.ACT), lambda c: c.concession() + c.entry(say))


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize("point", [0, 3])
def test_acting_after_conceding_in_one_piece(seat: Seat, point: int) -> None:
    # The victim has opened by then, so the entry continues nothing; but both are signed.
    case = Case("acted-after-conceding", "at once", concede_then(END))
    caught = catch(case, seat, point, split=True)
    check_convicted(caught, "acted-after-conceding", conceded=True)


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize("say", ["end", "reveal", "open and end"])
def test_acting_after_the_concession_was_accepted(seat: Seat, say: str) -> None:
    case = Case("acted-after-conceding", say, Trick(owes(Kind.ACT), lambda c: c.concession()))
    caught = catch(case, seat, 1, split=True)
    cheater, victim = caught
    statements: list[m.Statement] = []
    if say == "open and end":
        statements.append(cheater.opening())
    statements.append(cheater.reveal() if say == "reveal" else END)
    n = cheater.transcript.length + 1
    victim.peer.receive(cheater.entry(*statements, n=n, prev=victim.peer.head), 0.0)
    victim.react()
    cheater.receive(victim.send())
    check_convicted(caught, "acted-after-conceding", conceded=True)


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize("point", [0, 4])
def test_a_concession_that_hides_an_own_entry(seat: Seat, point: int) -> None:
    def what(c: Cheater) -> bytes:
        head = c.transcript.head
        c.turn()
        return c.concession(head)

    case = Case("acted-after-conceding", "", Trick(lambda c: c.floor and bool(c.bodies), what))
    caught = catch(case, seat, point, split=False)
    check_convicted(caught, "acted-after-conceding")


def test_acting_after_a_void_concession() -> None:
    # Both concede before either has heard the other: the joiner's is void, but it was said.
    caught = catch(Case("", "", Trick(lambda c: c.they_think, lambda _: b"")), Seat.JOIN, 1, False)
    cheater, victim = caught
    victim.peer.concede(0.0)
    crossing = victim.send()
    victim.peer.receive(cheater.concession(), 0.0)
    assert victim.peer.next_event() is None
    victim.peer.receive(cheater.entry(cheater.reveal()), 0.0)
    victim.react()
    cheater.receive(crossing + victim.send())
    check_convicted(caught, "acted-after-conceding")


# --- silence


def nothing(_: Cheater) -> bytes:
    return b""


def wait(caught: Caught) -> float:
    """Let the time pass, with pings answered, until the victim has had enough; when that is.

    An answer takes no time, so what is late convicts in the very moment in which it is asked for.
    """
    cheater, victim = caught
    while (at := victim.peer.next_deadline()) is not None:
        victim.peer.handle_timeout(at)
        cheater.receive(victim.send())
        if answers := cheater.send():
            victim.peer.receive(answers, at)
        victim.react(at)
        now = at
    cheater.receive(victim.send())
    return now


def keep_back(when: Kind, point: int, seat: Seat) -> Caught:
    case = Case("", "", Trick(owes(when), nothing))
    caught = catch(case, seat, point, split=True)
    assert caught.victim.errors == []
    return caught


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize(
    ("kind", "point"),
    [(Kind.COMMIT, 0), *((Kind.REVEAL, point) for point in (0, 1, 2, 3, 10))],
)
def test_keeping_back_a_share(seat: Seat, kind: Kind, point: int) -> None:
    caught = keep_back(kind, point, seat)
    assert wait(caught) == 30.0
    check_silence(caught, "will-not-reveal", Outcome(Termination.CHEAT, seat.other))


def check_silence(caught: Caught, code: str, outcome: Outcome) -> None:
    """What follows from a statement that did not come. It is the keeper's word, and no more."""
    cheater, victim = caught
    (error,) = victim.errors
    assert type(error) is BY_CODE[code]
    assert isinstance(error, cheats.Cheat)
    assert (error.seat, error.entry) == (cheater.seat, cheater.transcript.length)
    (ended,) = victim.of_kind(events.Ended)
    assert ended.outcome == outcome
    end = objects_in(caught.record)[-1]
    assert (end["code"], end["termination"], end["winner"]) == (code, "cheat", victim.seat)
    verdict = caught.verdict
    assert verdict.cheat is None
    assert not verdict.complete
    assert verdict.problem == ""
    assert verdict.entries == cheater.transcript.length
    check_over(caught, m.ByeReason.CHEAT, code)


@pytest.mark.parametrize("seat", BOTH)
def test_a_winner_that_will_not_open_forfeits(seat: Seat) -> None:
    caught = catch(Case("", "", Trick(opens(winner=True), nothing)), seat, 0, True)
    assert wait(caught) == 30.0
    check_silence(caught, "will-not-open", Outcome(Termination.CHEAT, seat.other))


@pytest.mark.parametrize("seat", BOTH)
def test_a_loser_that_will_not_open_changes_nothing(seat: Seat) -> None:
    caught = catch(Case("", "", Trick(opens(winner=False), nothing)), seat, 0, True)
    cheater, victim = caught
    assert wait(caught) == 30.0
    assert victim.errors == []
    (ended,) = victim.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.NORMAL, victim.seat)
    assert ended.opened == (victim.seat is Seat.HOST, victim.seat is Seat.JOIN)
    assert victim.events[-1] == events.Closed()
    end = objects_in(caught.record)[-1]
    assert (end["code"], end["termination"], end["winner"]) == (
        "will-not-open",
        "normal",
        victim.seat,
    )
    assert caught.verdict.clean
    assert not caught.verdict.complete
    check_over(caught, m.ByeReason.DONE, "")
    assert cheater.bye == m.Bye(m.ByeReason.DONE, "")


# --- after a drawn match

DRAWN = Rules(max_sets=1)


def drawn(c: Cheater) -> bool:
    return c.owes(Kind.OPEN) and c.state.outcome == Outcome(Termination.CAP, None)


@pytest.mark.parametrize("seat", BOTH)
def test_a_refused_deck_loses_a_drawn_match(seat: Seat) -> None:
    trick = Trick(drawn, lambda c: c.entry(c.opening(), state=OTHER_BYTES))
    caught = catch(Case("wrong-digest", "drawn", trick, rules=DRAWN), seat, 0, False)
    check_convicted(caught, "wrong-digest")
    assert caught.verdict.winner == seat.other


@pytest.mark.parametrize("seat", BOTH)
def test_who_will_not_open_after_a_drawn_match_loses_it(seat: Seat) -> None:
    caught = catch(Case("", "", Trick(drawn, nothing), rules=DRAWN), seat, 0, True)
    assert wait(caught) == 30.0
    check_silence(caught, "will-not-open", Outcome(Termination.CHEAT, seat.other))
    (ended,) = caught.victim.of_kind(events.Ended)
    # The host opens first, so against a joiner it has opened, and as a joiner it has not.
    assert ended.opened == (seat is Seat.JOIN, False)


# --- all of it


def test_the_match_ends_before_the_error_is_raised() -> None:
    case = next(case for case in CASES if case.code == "wrong-share")
    cheater = Cheater(Seat.HOST, case.trick, rules=STANDARD, deck=case.deck, seed="order")
    victim = Side(Seat.JOIN, "order", DECKS["super"], cautious(0))
    told: list[events.Event | RemoteError] = []
    while True:
        victim.peer.receive(cheater.send(), 0.0)
        try:
            while (event := victim.peer.next_event()) is not None:
                told.append(event)
                if isinstance(event, events.Offered):
                    victim.accept()
        except RemoteError as error:
            told.append(error)
            break
        cheater.receive(victim.send())
    assert [type(event) for event in told[-2:]] == [events.Ended, BY_CODE["wrong-share"]]
    assert victim.peer.next_event() is None


def test_every_code_of_the_page_has_its_class_and_was_tried() -> None:
    page = Path(__file__).parents[2] / "protocol" / "SPECIFICATION.md"
    text = page.read_text(encoding="utf-8")
    table = text[text.index("**Cheats.**") : text.index("**Order of checks**")]
    codes = set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE))
    assert codes == set(BY_CODE)
    elsewhere = {"acted-after-conceding", "will-not-reveal", "will-not-open"}
    assert codes == {case.code for case in CASES} | elsewhere


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize("split", [False, True])
def test_the_honest_half_of_a_cheater_is_never_accused(seat: Seat, split: bool) -> None:
    # Closing an entry after every statement is allowed (section 6.3).
    for i in range(4):
        seed = f"honest {i}"
        cheater = Cheater(seat, HONEST, rules=STANDARD, deck=DECKS["hard"], seed=seed, split=split)
        victim = Side(seat.other, seed, DECKS["super"], cautious(i), person=i % 2 == 0)
        duel(cheater, victim)
        (ended,) = victim.of_kind(events.Ended)
        assert ended.opened == (True, True)
        assert cheater.transcript.head == ended.head
        verdict = verify(bytes(victim.record))
        assert verdict.clean
        assert verdict.complete
        assert not any(isinstance(said, m.Bye) for said, _ in messages_in(b"".join(victim.sent)))


def test_other_match_can_be_proven_of_the_joiner_too() -> None:
    # In a record; on a live stream the host has always spoken first.
    caught = catch(Case("", "", Trick(owes(Kind.COMMIT), nothing)), Seat.JOIN, 0, False)
    entry = caught.cheater.entry(caught.cheater.commit(), n=0, prev=OTHER_BYTES)
    objects = [encode(o) for o in objects_in(caught.record)]
    verdict = verify(b"".join(objects[:3]) + entry)
    assert verdict.cheat == ("other-match", Seat.JOIN, 0)
