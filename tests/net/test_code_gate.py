"""Guesses are few and slow (section 5.4), by the virtual clock."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import trio
import trio.testing
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.net.code_gate import CodeGate
from pazaak_p2p.net.errors import Busy
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.errors import WrongCode
from pazaak_p2p.wire.messages import ByeReason

CODE, WRONG = "17-copper-lantern", "17-copper-walnut"
NEXT = "18-copper-lantern"


def peer(role: Role, code: str) -> Peer:
    return Peer(
        key=Ed25519PrivateKey.generate(),
        role=role,
        name=role.value,
        nonce=role.value.encode().ljust(32),
        software="tests",
        now=trio.current_time(),
        code=code,
        code_secret=role.value.encode().ljust(64),
    )


class Visit:
    """A connection on which *tries* has been tried against *code*, and how it was answered."""

    def __init__(self, gate: CodeGate, tries: str, code: str = CODE) -> None:
        self._gate = gate
        self._code = code
        self.host, self.guest = peer(Role.LISTENER, code), peer(Role.DIALLER, tries)
        now = trio.current_time()
        self.host.receive(self.guest.data_to_send(), now)
        self.guest.receive(self.host.data_to_send(), now)
        self.host.receive(self.guest.data_to_send(), now)
        assert self.host.code_waits
        self.host.next_event()
        self.answer: str = "none"
        self.at = -1.0

    async def run(self) -> None:
        """Wait for the answer: right, wrong, or the error's name."""
        try:
            await self._gate.judge(self._code, self.host)
        except Busy as error:
            self.answer = type(error).__name__
        try:
            self.host.next_event()
        except WrongCode:
            self.answer = "wrong" if self.answer == "none" else f"wrong, {self.answer}"
        else:
            if self.answer == "none" and self.host.data_to_send():
                self.answer = "right"
        self.at = trio.current_time()


def gate(renew: Callable[[], str] = lambda: NEXT, taken: bool = False) -> CodeGate:
    return CodeGate(CODE, renew, lambda: taken)


async def all_at_once(*visits: Visit) -> list[tuple[str, float]]:
    async with trio.open_nursery() as nursery:
        for visit in visits:
            nursery.start_soon(visit.run)
            await trio.testing.wait_all_tasks_blocked()  # in this order
    return [(visit.answer, visit.at) for visit in visits]


async def test_the_right_code_is_taken_at_once(autojump_clock: trio.testing.MockClock) -> None:
    assert await all_at_once(Visit(gate(), CODE)) == [("right", 0.0)]


async def test_after_each_wrong_one_the_next_is_looked_at_later(
    autojump_clock: trio.testing.MockClock,
) -> None:
    door = gate(lambda: NEXT)
    times = []
    for _ in range(4):
        visit = Visit(door, WRONG)
        await visit.run()
        assert visit.answer == "wrong"
        times.append(visit.at)
    assert times == [0.0, 1.0, 3.0, 7.0]
    right = Visit(door, CODE)
    await right.run()
    assert (right.answer, right.at) == ("right", 15.0)
    again = Visit(door, WRONG)
    await again.run()
    assert again.at == 15.0  # the right one has made up for those before
    last = Visit(door, CODE)
    await last.run()
    assert last.at == 16.0


async def test_many_connections_at_once_have_no_more_guesses_than_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Eight confirm together; the fifth to eighth would come after the end of their greeting."""
    door = gate(lambda: NEXT)
    answers = await all_at_once(*(Visit(door, WRONG) for _ in range(8)))
    # At 7.0 the next is due at 15.0, and greetings end at 10.0.
    assert (
        answers
        == [("wrong", 0.0), ("wrong", 1.0), ("wrong", 3.0), ("wrong", 7.0)]
        + [("CodeLater", 7.0)] * 4
    )


async def test_a_player_waits_in_line_behind_guesses(
    autojump_clock: trio.testing.MockClock,
) -> None:
    door = gate(lambda: NEXT)
    answers = await all_at_once(*(Visit(door, WRONG) for _ in range(3)), Visit(door, CODE))
    assert answers[-1] == ("right", 7.0)


async def test_after_five_wrong_ones_there_is_another_code(
    autojump_clock: trio.testing.MockClock,
) -> None:
    given: list[str] = []

    def renew() -> str:
        given.append(NEXT)
        return NEXT

    door = gate(renew)
    for _ in range(5):
        late = Visit(door, WRONG)
        await late.run()
        assert late.answer == "wrong"
    assert late.at == 15.0
    assert given == [NEXT]
    assert door.code == NEXT
    await trio.sleep_until(25.0)
    # Who came while the old one was in force has not a guess more, be it right.
    old = Visit(door, CODE)
    await old.run()
    assert (old.answer, old.at) == ("CodeLater", 25.0)
    new = Visit(door, NEXT, NEXT)
    await new.run()
    assert (new.answer, new.at) == ("right", 31.0)  # sixteen seconds after the fifth


async def test_the_delay_ends_at_thirty_seconds_and_outlasts_a_code(
    autojump_clock: trio.testing.MockClock,
) -> None:
    door = gate(lambda: CODE)
    times: list[float] = []
    while len(times) < 8:
        visit = Visit(door, WRONG)
        await visit.run()
        if visit.answer == "wrong":
            times.append(visit.at)
        else:
            assert visit.answer == "CodeLater"
            assert visit.at == round(visit.at)
            await trio.sleep(1)
    assert [b - a for a, b in itertools.pairwise(times)] == [1, 2, 4, 8, 16, 30, 30]


async def test_a_code_that_cannot_be_replaced_is_kept_by_the_pauses_alone(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The host goes on waiting, and who knows the code comes in as soon as its turn is there."""
    told: list[float] = []

    def again() -> str:
        told.append(trio.current_time())
        return CODE

    door = gate(again)
    wrong: list[float] = []
    while len(wrong) < 10:
        visit = Visit(door, WRONG)
        await visit.run()
        if visit.answer == "wrong":
            wrong.append(visit.at)
        await trio.sleep(1)
    assert told == [wrong[4], wrong[9]]
    assert {b - a for a, b in itertools.pairwise(wrong[5:])} == {30.0}
    await trio.sleep_until(wrong[-1] + 25)
    friend = Visit(door, CODE)
    await friend.run()
    assert (friend.answer, friend.at) == ("right", wrong[-1] + 30)


async def test_nothing_is_judged_while_the_seat_is_taken(
    autojump_clock: trio.testing.MockClock,
) -> None:
    door = gate(taken=True)
    visits = [Visit(door, WRONG) for _ in range(6)]
    assert await all_at_once(*visits) == [("Busy", 0.0)] * 6
    assert all(visit.host.code_waits for visit in visits)


async def test_who_goes_before_the_judgement_costs_nothing_and_holds_nobody_up(
    autojump_clock: trio.testing.MockClock,
) -> None:
    door = gate()
    first = Visit(door, WRONG)
    await first.run()
    for goes_by_cancel in (True, False):
        gone = Visit(door, WRONG)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(gone.run)
            await trio.testing.wait_all_tasks_blocked()
            if goes_by_cancel:
                nursery.cancel_scope.cancel()
            else:
                gone.guest.bye(ByeReason.INTERRUPTED)
                gone.host.receive(gone.guest.data_to_send(), trio.current_time())
                gone.host.next_event()
        assert gone.answer == "none"
        assert gone.host.data_to_send() == b""
    # Had either been counted, it would be 3.0.
    player = Visit(door, CODE)
    await player.run()
    assert (player.answer, player.at) == ("right", 1.0)
    await door.judge(CODE, gone.host)  # it is over: nothing happens
