"""A match on the real rules engine with known cards, for one person and a scripted opponent.

It asks and notifies a player as the driver of a real match does; only the network is missing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import trio

from pazaak_p2p.net.player import Claim, Concede, Quit, Request, Say, Thinking
from pazaak_p2p.rules import (
    Action,
    Deal,
    Draw,
    End,
    FirstMove,
    Input,
    Leave,
    Opening,
    Outcome,
    Pass,
    Phase,
    Rules,
    Seat,
    SideDeck,
    Stand,
    State,
    Termination,
    View,
    apply,
    new_match,
    view,
)
from pazaak_p2p.wire.events import Chatted, Ended, Greeted, Moved, Started

Chooser = Callable[[View], Action]


def stand_at(total: int) -> Chooser:
    """An opponent that never plays a card."""

    def choose(view: View) -> Action:
        if view.state.phase is Phase.TIE:
            return Pass()
        return Stand() if view.total >= total else End()

    return choose


class House:
    """Deals from *draws* (green ranks, in order; then from *seed*) and referees."""

    def __init__(
        self,
        *,
        seat: Seat,
        decks: tuple[SideDeck, SideDeck],
        opponent: Chooser,
        rules: Rules | None = None,
        draws: Iterable[int] = (),
        seed: int = 1,
        name: str = "Kreia",
    ) -> None:
        self.state = new_match(rules or Rules(), decks)
        self.seat = seat
        self.requests: list[Request] = []
        self.first_opener = Seat.HOST
        self._opponent = opponent
        self._draws = list(draws)
        self._chance = random.Random(seed)
        self._name = name

    async def play(self, player: Thinking) -> Outcome | None:
        """Play the match to its end; None if the player left."""
        player.notice(Greeted(self._name, bytes(32), "test"))
        player.notice(Started(bytes(32), self.seat, self.state.rules))
        while self.state.outcome is None:
            if self.state.phase in (Phase.ACT, Phase.TIE):
                mover = self.state.mover
                assert mover is not None
                if mover is self.seat:
                    choice = await self._ask(player)
                    if isinstance(choice, Quit):
                        return None
                else:
                    choice = self._opponent(view(self.state, mover))
                if isinstance(choice, Concede):
                    self._move(player, Leave(self.seat, Termination.CONCESSION), self.seat)
                else:
                    self._move(player, choice, mover)
            else:
                self._move(player, self._lot(), self.state.mover)
        player.notice(Ended(self.state.outcome, (True, True), bytes(32)))
        return self.state.outcome

    def step(self, choice: Action | None) -> None:
        """Move on by one input without any player; *choice* is taken if it is our turn."""
        if self.state.phase not in (Phase.ACT, Phase.TIE):
            self.state = apply(self.state, self._lot())
        elif self.state.mover is self.seat:
            assert choice is not None
            self.state = apply(self.state, choice)
        else:
            self.state = apply(self.state, self._opponent(view(self.state, self.seat.other)))

    async def _ask(self, player: Thinking) -> Action | Concede | Quit:
        answer: Action | Concede | Quit | None = None

        async def ask() -> None:
            nonlocal answer
            answer = await player.ask(view(self.state, self.seat))
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            async for request in player.requests:
                self.requests.append(request)
                if isinstance(request, Say):
                    player.notice(Chatted(f"You said {request.text}?"))
                elif not isinstance(request, Claim):  # nobody is away here
                    answer = request
                    nursery.cancel_scope.cancel()
        assert answer is not None
        return answer

    def _move(self, player: Thinking, move: Input, seat: Seat | None) -> None:
        before = self.state
        self.state = apply(before, move)
        player.notice(Moved(move, seat, self._known()))

    def _known(self) -> State:
        return view(self.state, self.seat).state

    def _lot(self) -> Input:
        match self.state.phase:
            case Phase.DEAL:
                return Deal((0, 1, 2, 3), (0, 1, 2, 3))
            case Phase.OPENING:
                return Opening(7, 4) if self.first_opener is Seat.HOST else Opening(4, 7)
            case Phase.OPENER:
                return FirstMove(self.first_opener)
            case _:
                if self._draws:
                    return Draw(self._draws.pop(0))
                return Draw(self._chance.choice(self.state.deck))
