"""``pazaak play --tutorial``: a first match, in which something happens."""

from __future__ import annotations

import socket
from typing import Final

import trio

from pazaak_p2p.bots.tutor import TutorBot
from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import PersonOutput
from pazaak_p2p.cli.seat import SeatPlayer, Sitting, run_seat
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.pair import run_both
from pazaak_p2p.net.player import BotPlayer
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating, JoinSeating
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import Rules
from pazaak_p2p.store import NoRecord
from pazaak_p2p.wire import Role

SEED: Final = "tutorial 23812"
"""Found by ``python -m tests.tui.tutorial_search``, like the decks: whoever does as is proposed
meets all there is. Nothing else is prepared: both sides play and check by the whole protocol."""
DECK: Final = "+1 +1 ±3 +1 +1 +1 2&4 +1 ±1T 1±2"
TUTOR_DECK: Final = "+1 3&6 +1 +1 D -2 +1 +1 +1 +1"
TUTOR: Final = "Tutor"


def run_tutorial(look: Look, *, name: str | None, debug: bool) -> int:
    """Play it; the exit code. Nothing of it is kept: with these draws it would only mislead."""
    rules = Rules()
    us = Entrant(seat=0, name=name, deck=DECK, bot=None, seed=SEED)
    tutor = Entrant(seat=1, name=TUTOR, deck=TUTOR_DECK, bot=None, seed=SEED)

    async def work(seat: SeatPlayer) -> MatchReport:
        ours, theirs = (LeanStream(end) for end in socket.socketpair())
        seat.sit(0)
        now = trio.current_time()
        host = Pump(
            ours,
            us.peer(Role.LISTENER, 0, now),
            us.name,
            HostSeating(rules, lambda: us.kit(0)),
            seat,
            NoRecord(),
        )
        join = Pump(
            theirs,
            tutor.peer(Role.DIALLER, 0, now),
            tutor.name,
            JoinSeating(rules, tutor.kit(0)),
            BotPlayer(TutorBot),
            NoRecord(),
        )
        return (await run_both(host, join))[0]

    with PersonOutput() as output:
        try:
            sitting = Sitting(json=False, look=look, practice=True, tutorial=True, debug=debug)
            run_seat(us, work, output, sitting)
        except PazaakError as error:
            return output.failure(error, debug=debug)
    return 0
