"""A match against a bot within this program: for ``play``, and for who resumes one.

Both seats are real peers, with a line between them that nobody else is on. One record keeps the
match for both: what the bot's seat has said and this record does not hold was heard by nobody, so
the bot says it again; and all secrets of both seats follow from one seed, which lies beside it.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from functools import partial

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import UNSET
from msgspec.structs import replace

from pazaak_p2p.cli.failure import tell_way_back
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output, make_output
from pazaak_p2p.cli.seat import SeatPlayer, Sitting, run_seat, with_seat
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.pair import run_both
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating, JoinSeating, ResumeSeating, Seating
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import Rules, format_deck
from pazaak_p2p.store import NoRecord, SavedMatch, match_folder
from pazaak_p2p.store.saved_secrets import Against
from pazaak_p2p.text import printable
from pazaak_p2p.wire import Role
from pazaak_p2p.wire.resuming import Interrupted, restore

WHERE = "this machine"
_NAME_LENGTH = 32


def draw_seed() -> str:
    """A seed that nobody can guess, for a match that is to be like any other."""
    return secrets.token_hex(32)


class AtHome:
    """The match of *entrant* with the bot *opponent*; both have the same seed.

    A damaged record goes on only if it *mends* it, as with :class:`Keeping`.
    """

    def __init__(self, entrant: Entrant, opponent: Entrant, *, mends: bool = False) -> None:
        assert entrant.seed == opponent.seed is not None
        self._mends = mends
        self._pump: Pump | None = None
        self._seat(entrant, opponent)

    def _seat(self, entrant: Entrant, opponent: Entrant) -> None:
        self._entrant = entrant
        # The same bot is the same opponent in every match, to history and stats. Its key proves
        # nothing, and need not: both players are in this program.
        named = SeedSecrets(f"the bot {opponent.name} at home", opponent.seat)
        opponent.key = Ed25519PrivateKey.from_private_bytes(named.identity())
        self._opponent = opponent

    def run(self, what: Rules | SavedMatch, *, json: bool, look: Look, debug: bool) -> int:
        """Play a new match by these rules, or go on with the saved one, as a command's whole work.

        Then another one, as often as our player wants. The exit code.
        """
        bot = self._entrant.bot is not None
        code = 0
        with make_output(json=json, bot=bot) as output:

            async def opposite(seat: SeatPlayer) -> MatchReport:
                nonlocal what
                while True:
                    work = partial(self._play, what, output, seat)
                    theirs = Sitting(json=json, debug=debug)
                    report = await with_seat(self._opponent, work, output, theirs)
                    if not await seat.rest(again=report.to_its_end):
                        return report
                    await seat.leave()
                    output.result(report)
                    await output.settled()
                    what, self._pump = report.rules, None
                    seed = draw_seed()
                    self._seat(self._entrant.anew(seed), self._opponent.anew(seed))

            try:
                ours = Sitting(json=json, look=look, keeps=True, practice=True, debug=debug)
                run_seat(self._entrant, opposite, output, ours)
            except PazaakError as error:
                unheard = what.secrets.match_id if isinstance(what, SavedMatch) else None
                tell_way_back(error, self._report, unheard)
                code = output.failure(error, debug=debug)
            if self._report is not None:
                output.result(self._report)
        return code

    @property
    def _report(self) -> MatchReport | None:
        return None if self._pump is None else self._pump.match.report

    async def _play(
        self, what: Rules | SavedMatch, output: Output, seat: SeatPlayer, other_seat: SeatPlayer
    ) -> MatchReport:
        kept = self._keeping(seat, output.complain)
        our_seating: Seating
        their_seating: Seating
        if isinstance(what, SavedMatch):
            kept.take_up(what)
            kept.take_stock()  # what is wrong with it is told before a table is shown
            our_seating, their_seating = self._both_resume(kept)
        else:
            kit = kept.bring(self._entrant.kit(0))
            our_seating = HostSeating(what, lambda: kit)
            their_seating = JoinSeating(what, self._opponent.kit(0))
        ours, theirs = (LeanStream(end) for end in socket.socketpair())
        now = trio.current_time()
        other_seat.sit(0)
        other = Pump(
            theirs,
            self._opponent.peer(Role.DIALLER, 0, now),
            self._opponent.name,
            their_seating,
            other_seat,
            NoRecord(keeps=True),  # it would say the same as ours
        )
        seat.sit(0)
        self._pump = Pump(
            ours,
            self._entrant.peer(Role.LISTENER, 0, now),
            self._entrant.name,
            our_seating,
            seat,
            kept,
            [output.watch(WHERE)],
        )
        report, _ = await run_both(self._pump, other)
        kept.end(report)
        return report

    def _keeping(self, seat: SeatPlayer, complain: Callable[[str], None]) -> Keeping:
        opponent = self._opponent
        assert opponent.bot is not None
        against = Against(opponent.bot.typed, format_deck(opponent.deck, ascii=True), opponent.name)
        # A bot's match is no loss that would be worth waiting for the disk.
        sync = self._entrant.bot is None
        route = Route(listened=True, host="", port=0)
        return Keeping(
            self._entrant,
            seat,
            match_folder(),
            route,
            sync=sync,
            against=against,
            mends=self._mends,
            complain=complain,
        )

    def _both_resume(self, kept: Keeping) -> tuple[Seating, Seating]:
        ours = kept.reopen()
        theirs = self._as_left(kept)
        keys = self._entrant.public_key, self._opponent.public_key
        return (
            ResumeSeating(kept.match_id, keys[1], lambda: ours),
            ResumeSeating(kept.match_id, keys[0], lambda: theirs),
        )

    def _as_left(self, kept: Keeping) -> Interrupted:
        """The match as the bot's seat left it: by our record, seen from there."""
        saved, kit = kept.read(), self._opponent.kit(0)
        header = replace(saved.header, seat=self._opponent.seat)
        saved = replace(saved, header=header)
        return restore(saved, self._opponent.key, kit.secret, kit.deck)


def bot_name(text: str) -> str:
    """What the bot *text* is called at the table."""
    return printable(text, _NAME_LENGTH)


def at_home_again(saved: SavedMatch, *, mends: bool) -> AtHome:
    """Both players of *saved*, which this program plays alone; it *mends* a damaged record.

    Raises as :class:`Entrant`.
    """
    known = saved.secrets
    against = known.against
    assert against is not UNSET
    folder = "" if known.folder is UNSET else known.folder
    entrant = Entrant(
        seat=known.seat,
        name=known.name,
        deck=known.deck,
        bot=known.bot,
        seed=known.seed,
        folder=folder,
    )
    opponent = Entrant(
        seat=1 - known.seat,
        name=against.name,
        deck=against.deck,
        bot=against.bot,
        seed=known.seed,
        folder=folder,
    )
    return AtHome(entrant, opponent, mends=mends)
