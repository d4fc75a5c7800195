"""Two honest peers, and between them whoever may sit on a line: a Hypothesis state machine.

The line may cut what it carries into any pieces, and drop, repeat, hold back, reorder, alter and
make up messages; on both sides players choose, talk and give up as they like, and time passes.
Neither side may ever be convicted of anything, and as far as both have come they have come alike.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pazaak_p2p.rules import DECKS, Rules, Seat, Termination, legal_actions
from pazaak_p2p.wire import events
from pazaak_p2p.wire.cheats import Cheat, WillNotOpen, WillNotReveal
from pazaak_p2p.wire.errors import LocalError
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.messages import ByeReason
from tests.verifier import verify
from tests.wire.agreement import OPTIONS
from tests.wire.pair import Side, first_legal, messages_in

SEATS = st.sampled_from(Seat)
NAMES = st.sampled_from(sorted(DECKS))
PLAIN = sorted(name for name, deck in DECKS.items() if not any(card.gold for card in deck))
SHORT = st.sampled_from(OPTIONS).filter(lambda rules: rules.sets <= 3)


class Line(RuleBasedStateMachine):
    """Both sides, and the messages on the line from each."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.sides: tuple[Side, Side]
        self.waiting: tuple[deque[bytes], deque[bytes]] = (deque(), deque())
        """Messages of each side that have not arrived, in the order in which they will."""
        self.old: tuple[list[bytes], list[bytes]] = ([], [])
        """Messages of each side that have been sent."""
        self.clean = True
        """Has the line carried everything, once and in order, and has no time passed?"""
        self.left = False
        """Has a player left?"""

    @initialize(rules=SHORT, seed=st.integers(0, 999), decks=st.tuples(NAMES, NAMES))
    def begin(self, rules: Rules, seed: int, decks: tuple[str, str]) -> None:
        names = decks if rules.gold else (PLAIN[0], PLAIN[1])
        self.sides = (
            Side(Seat.HOST, f"line {seed}", DECKS[names[0]], first_legal, person=True),
            Side(Seat.JOIN, f"line {seed}", DECKS[names[1]], first_legal, person=True),
        )
        self._pump()
        self._deliver_all(1 << 16)
        host = self.sides[Seat.HOST]
        host.offer(rules, self.now)
        self._pump()

    # --- what the line does

    def _pump(self) -> None:
        """Put what both sides have to say on the line."""
        for seat, side in enumerate(self.sides):
            side.react(self.now)
            for _, exact in messages_in(side.send()):
                self.waiting[seat].append(exact)
                self.old[seat].append(exact)

    def _arrive(self, sender: Seat, data: bytes, size: int) -> None:
        target = self.sides[sender.other]
        for start in range(0, len(data), size):
            target.peer.receive(data[start : start + size], self.now)
            target.react(self.now)
        self._pump()

    def _deliver_all(self, size: int) -> None:
        while any(self.waiting):
            for seat in Seat:
                while self.waiting[seat]:
                    self._arrive(seat, self.waiting[seat].popleft(), size)

    @rule(seat=SEATS, size=st.integers(1, 400))
    def deliver(self, seat: Seat, size: int) -> None:
        if self.waiting[seat]:
            self._arrive(seat, self.waiting[seat].popleft(), size)

    @rule(size=st.sampled_from([1, 100, 1 << 16]))
    def deliver_all(self, size: int) -> None:
        self._deliver_all(size)

    @rule(seat=SEATS)
    def deliver_in_one_piece(self, seat: Seat) -> None:
        data = b"".join(self.waiting[seat])
        self.waiting[seat].clear()
        self._arrive(seat, data, 1 << 16)

    # --- what the players do

    @rule(turns=st.integers(1, 12), data=st.data())
    def play_on(self, turns: int, data: st.DataObject) -> None:
        """A few turns without any trouble."""
        for _ in range(turns):
            self._deliver_all(1 << 16)
            thinking = [side for side in self.sides if side.thinking_about is not None]
            if not thinking:
                return
            self._choose(thinking[0], data)

    @rule(seat=SEATS, data=st.data())
    def choose(self, seat: Seat, data: st.DataObject) -> None:
        if self.sides[seat].thinking_about is not None:
            self._choose(self.sides[seat], data)

    def _choose(self, side: Side, data: st.DataObject) -> None:
        assert side.thinking_about is not None
        action = data.draw(st.sampled_from(legal_actions(side.thinking_about.state)))
        side.choose = lambda _: action
        with suppress(LocalError):  # the session is over
            side.think(self.now)
        self._pump()

    @rule(seat=SEATS, text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=9))
    def chat(self, seat: Seat, text: str) -> None:
        with suppress(LocalError):
            self.sides[seat].peer.chat(text, self.now)
        self._pump()

    @rule(seat=SEATS, sure=st.integers(0, 3))
    def concede(self, seat: Seat, sure: int) -> None:
        if sure == 0:
            with suppress(LocalError):
                self.sides[seat].peer.concede(self.now)
            self._pump()

    @rule(seat=SEATS, sure=st.integers(0, 9))
    def leave(self, seat: Seat, sure: int) -> None:
        if sure == 0:
            self.left = True
            self.sides[seat].peer.bye(ByeReason.INTERRUPTED)
            self._pump()

    @rule(part=st.floats(0.01, 1.5))
    def time_passes(self, part: float) -> None:
        """A part of the time to the next deadline, or more."""
        self.clean = False
        deadlines = [side.peer.next_deadline() for side in self.sides]
        at = min((at for at in deadlines if at is not None), default=self.now)
        self.now += max(0.0, at - self.now) * part
        for side in self.sides:
            side.peer.handle_timeout(self.now)
        self._pump()

    # --- what goes wrong on the line

    @precondition(lambda self: any(self.waiting))
    @rule(seat=SEATS, sure=st.integers(0, 3))
    def drop(self, seat: Seat, sure: int) -> None:
        if self.waiting[seat] and sure == 0:
            self.clean = False
            self.waiting[seat].popleft()

    @precondition(lambda self: any(len(waiting) > 1 for waiting in self.waiting))
    @rule(seat=SEATS)
    def swap(self, seat: Seat) -> None:
        self.clean = False
        self.waiting[seat].rotate(1)

    @rule(to=SEATS, of=SEATS, number=st.integers(0, 99), sure=st.integers(0, 5))
    def repeat(self, to: Seat, of: Seat, number: int, sure: int) -> None:
        """Something that either side has said comes once more, perhaps to itself."""
        if self.old[of] and sure == 0:
            self.clean = False
            self._arrive(to.other, self.old[of][-1 - number % len(self.old[of])], 1 << 16)

    @precondition(lambda self: any(self.waiting))
    @rule(seat=SEATS, bit=st.integers(0, 7999), sure=st.integers(0, 3))
    def alter(self, seat: Seat, bit: int, sure: int) -> None:
        if self.waiting[seat] and sure == 0:
            self.clean = False
            data = bytearray(self.waiting[seat][0])
            data[bit // 8 % len(data)] ^= 1 << bit % 8
            self.waiting[seat][0] = bytes(data)

    @rule(seat=SEATS, data=st.binary(min_size=1, max_size=40), sure=st.integers(0, 9))
    def noise(self, seat: Seat, data: bytes, sure: int) -> None:
        if sure == 0:
            self.clean = False
            self._arrive(seat, data, 7)

    # --- what must hold

    @invariant()
    def nobody_is_accused(self) -> None:
        if not hasattr(self, "sides"):
            return
        for side in self.sides:
            assert len(side.errors) <= 1
            # A message that the line has swallowed looks as if it were kept back; the word of the
            # one who waits for it is all that there is then.
            kept_back = WillNotOpen | WillNotReveal
            for error in side.errors:
                assert not self.clean, error
                assert isinstance(error, kept_back) or not isinstance(error, Cheat), error

    @invariant()
    def both_have_come_alike(self) -> None:
        if not hasattr(self, "sides"):
            return
        host, join = ([(e.input, e.seat) for e in s.of_kind(events.Moved)] for s in self.sides)
        leaves = host != join[: len(host)] and join != host[: len(join)]
        # Where they part, one of them has heard of a concession that the line keeps from the other.
        if leaves:
            common = next(
                n for n, (one, two) in enumerate(zip(host, join, strict=False)) if one != two
            )
            ends = [moves[common][0] for moves in (host, join)]
            assert any(type(end).__name__ == "Leave" for end in ends), ends

    def teardown(self) -> None:
        if not hasattr(self, "sides"):
            return
        self._end()
        ended = [side.of_kind(events.Ended) for side in self.sides]
        for side, ends in zip(self.sides, ended, strict=True):
            record = bytes(side.record)
            assert len(ends) == bool(record), "a match that began has ended"
            if not record:
                continue
            verdict, second = judge(record), verify(record)
            assert verdict.problem is None, verdict.problem
            assert verdict.contradiction == "", verdict.contradiction
            assert verdict.cheat is None
            assert second.clean, second
            assert second.head == verdict.head == ends[0].head
            assert ends[0].outcome.termination is not Termination.CHEAT or not self.clean
        records = [bytes(side.record) for side in self.sides]
        if all(records):
            together = judge_pair(*records)
            assert together.verdict.cheat is None, together.verdict.cheat
            assert together.agreed == min(judge(record).entries for record in records)
        if self.clean and not self.left and all(ended):
            assert ended[0] == ended[1]
            assert all(ended[0][0].opened)

    def _end(self) -> None:
        """What is still under way arrives, the players play on, or nobody says anything more."""
        for _ in range(400):
            self._deliver_all(1 << 16)
            thinking = [side for side in self.sides if side.thinking_about is not None]
            if not thinking:
                break
            side = thinking[0]
            assert side.thinking_about is not None
            action = legal_actions(side.thinking_about.state)[-1]
            side.choose = lambda _, action=action: action  # type: ignore[misc]
            with suppress(LocalError):
                side.think(self.now)
            self._pump()
        else:
            raise AssertionError("it goes on for ever")
        for side in self.sides:
            side.peer.receive(b"", self.now)
        self._pump()
