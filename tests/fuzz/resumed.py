"""Two honest players whose line and machines keep failing: a Hypothesis state machine.

At any moment the line breaks, inside a message too, or a program is stopped dead and set up again
from its record and its secrets; a machine may even lose the last it has written, which no honest
program can help. Then both greet again, in whatever roles, and go on, until the match is complete.
At last it may be claimed in place of that, by either or by both, who then meet once more. Nobody is
ever accused, and both come to the same end.
"""

from __future__ import annotations

from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from pazaak_p2p.rules import DECKS, Rules, Seat, legal_actions
from pazaak_p2p.wire import Role, events
from pazaak_p2p.wire.errors import EarlyClaim, LocalError
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.messages import ByeReason
from pazaak_p2p.wire.resuming import claim
from tests.fuzz.machine import NAMES, PLAIN, SEATS, SHORT
from tests.verifier import verify
from tests.wire.broken import cut_back, interrupted, items, written
from tests.wire.pair import Side, first_legal

REASONS = st.sampled_from([ByeReason.LATER, ByeReason.TIMEOUT, ByeReason.FAULT, ByeReason.PROTOCOL])


class Broken(RuleBasedStateMachine):
    """Both sides, and the bytes on the line from each."""

    def __init__(self) -> None:
        super().__init__()
        self.sides: tuple[Side, Side]
        self.line = [b"", b""]
        self.session = 0
        self.down = False
        """Is there no line now?"""

    @initialize(
        rules=SHORT,
        seed=st.integers(0, 999),
        decks=st.tuples(NAMES, NAMES),
        claimers=st.lists(SEATS, unique=True),
        away=st.sampled_from([0.0, 10_000.0]),
    )
    def begin(
        self, rules: Rules, seed: int, decks: tuple[str, str], claimers: list[Seat], away: float
    ) -> None:
        self.claimers, self.away = claimers, away
        names = decks if rules.gold else (PLAIN[0], PLAIN[1])
        host, join = (
            Side(seat, f"broken {seed}", DECKS[names[seat]], first_legal, person=True)
            for seat in Seat
        )
        self.sides = (host, join)
        self._deliver_all()
        host.offer(rules)
        self._deliver_all()

    # --- the line

    def _pump(self) -> None:
        for side in self.sides:
            side.react()
            self.line[side.seat] += side.send()

    def _deliver_all(self) -> None:
        self._pump()
        while any(self.line):
            for seat in Seat:
                self._deliver(seat, len(self.line[seat]))

    def _deliver(self, sender: Seat, size: int) -> None:
        data, self.line[sender] = self.line[sender][:size], self.line[sender][size:]
        if data:
            self.sides[sender.other].peer.receive(data, 0.0)
        self._pump()

    @rule(seat=SEATS, size=st.integers(1, 900))
    def deliver(self, seat: Seat, size: int) -> None:
        self._deliver(seat, size)

    @rule()
    def deliver_all(self) -> None:
        self._deliver_all()

    # --- what the players do

    @rule(turns=st.integers(1, 12), data=st.data())
    def play_on(self, turns: int, data: st.DataObject) -> None:
        for _ in range(turns):
            self._deliver_all()
            for side in self.sides:
                self._choose(side, data)

    @rule(seat=SEATS, data=st.data())
    def choose(self, seat: Seat, data: st.DataObject) -> None:
        self._choose(self.sides[seat], data)

    def _choose(self, side: Side, data: st.DataObject | None) -> None:
        if side.thinking_about is None:
            return
        actions = legal_actions(side.thinking_about.state)
        action = actions[-1] if data is None else data.draw(st.sampled_from(actions))
        side.choose = lambda _: action
        side.think()
        self._pump()

    @rule(seat=SEATS)
    def chat(self, seat: Seat) -> None:
        with suppress(LocalError):
            self.sides[seat].peer.chat("still here?", 0.0)
        self._pump()

    @rule(seat=SEATS, sure=st.integers(0, 4))
    def concede(self, seat: Seat, sure: int) -> None:
        if sure == 0:
            with suppress(LocalError):
                self.sides[seat].peer.concede(0.0)
                self.sides[seat].thinking_about = None
            self._pump()

    # --- what fails

    @rule(swapped=st.booleans(), asking=st.permutations(list(Seat)))
    def the_line_breaks(self, swapped: bool, asking: list[Seat]) -> None:
        self._go_on([None, None], swapped, asking)

    @rule(seat=SEATS, reason=REASONS, swapped=st.booleans(), asking=st.permutations(list(Seat)))
    def a_player_leaves_for_now(
        self, seat: Seat, reason: ByeReason, swapped: bool, asking: list[Seat]
    ) -> None:
        self.sides[seat].peer.bye(reason)
        self._deliver_all()
        self._go_on([None, None], swapped, asking)

    @rule(
        lost=st.tuples(st.integers(0, 6), st.integers(0, 6)),
        swapped=st.booleans(),
        asking=st.permutations(list(Seat)),
    )
    def machines_lose_what_they_wrote_last(
        self, lost: tuple[int, int], swapped: bool, asking: list[Seat]
    ) -> None:
        self._go_on(list(lost), swapped, asking)

    def _go_on(self, lost: list[int | None], swapped: bool, asking: list[Seat]) -> None:
        """Nothing that is on its way arrives; both greet each other anew, and go on."""
        self.line = [b"", b""]
        self.session += 1
        for side in self.sides:
            side.peer.receive(b"", 0.0)
            side.react()
            record = written(side)
            if (many := lost[side.seat]) and record:
                side.record = bytearray(cut_back(record, max(0, len(items(record)) - many)))
            side.events.clear()
            side.thinking_about = None
            role = Role.LISTENER if (side.seat is Seat.HOST) is not swapped else Role.DIALLER
            side.restart(role, self.session)
        self._deliver_all()
        if not all(side.record for side in self.sides):
            return  # one of them does not know that there is a match
        for seat in asking:
            self.sides[seat].resume(interrupted(self.sides[seat]))
            self._pump()

    # --- what must hold

    @invariant()
    def nobody_is_accused(self) -> None:
        for side in getattr(self, "sides", ()):
            assert side.errors == []

    def teardown(self) -> None:
        if not hasattr(self, "sides") or not all(side.record for side in self.sides):
            return
        if self._claimed():
            return
        self._go_on([None, None], False, list(Seat))
        for _ in range(400):
            self._deliver_all()
            if not any(side.thinking_about for side in self.sides):
                break
            for side in self.sides:
                self._choose(side, None)
        self.nobody_is_accused()
        one, two = (side.of_kind(events.Ended)[-1] for side in self.sides)
        assert one == two
        assert one.opened == (True, True)
        for side in self.sides:
            verdict, second = judge(bytes(side.record)), verify(bytes(side.record))
            assert (verdict.cheat, verdict.problem, verdict.contradiction) == (None, None, "")
            assert second.clean, second
            assert verdict.proven == one.outcome
            assert second.head == verdict.head == one.head
        records = [bytes(side.record) for side in self.sides]
        together = judge_pair(*records)
        assert together.verdict.cheat is None
        assert together.agreed == together.verdict.entries

    # --- claims

    def _claimed(self) -> bool:
        """Those who are to claim do so, as far as they can, and both meet; False if nobody can."""
        for side in self.sides:
            side.peer.receive(b"", 0.0)
            side.react()
            side.send()
        claimers = []
        for seat in self.claimers:
            side = self.sides[seat]
            left = interrupted(side)
            if left.match.claimable:
                side.record += claim(left)[0]
                claimers.append(seat)
        if not claimers:
            return False
        self._meet_again()
        for seat in claimers:
            self.sides[seat].peer.bye(ByeReason.DONE)
        self._deliver_all()
        errors = [error for side in self.sides for error in side.errors]
        too_early = len(claimers) == 1 and self.away == 0.0
        assert all(too_early and isinstance(error, EarlyClaim) for error in errors), errors
        verdicts = [judge(bytes(side.record)) for side in self.sides]
        for verdict, side in zip(verdicts, self.sides, strict=True):
            assert (verdict.cheat, verdict.problem, verdict.contradiction) == (None, None, "")
            second = verify(bytes(side.record))
            assert second.clean, second
            assert second.claim == verdict.claim
        together = judge_pair(*(bytes(side.record) for side in self.sides)).verdict
        assert together.cheat is None
        assert together.claim in (None, *claimers)
        if not errors:
            one, two = (side.of_kind(events.Ended)[-1] for side in self.sides)
            assert one.outcome == two.outcome
            assert together.claim == (one.outcome.winner if one.claimed else None)
        return True

    def _meet_again(self) -> None:
        self.line = [b"", b""]
        self.session += 1
        for side, role in zip(self.sides, Role, strict=True):
            side.events.clear()
            side.errors.clear()
            side.thinking_about = None
            side.restart(role, self.session)
        self._deliver_all()
        for side in self.sides:
            side.resume(replace(interrupted(side), away=self.away))
            self._pump()
        self._deliver_all()
