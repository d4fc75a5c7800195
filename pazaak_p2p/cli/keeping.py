"""The match of a seat, kept in files so that it can go on whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from os import utime
from pathlib import Path
from time import time
from typing import Any, TypeVar

import click
from msgspec import UNSET, Struct
from msgspec.structs import replace

from pazaak_p2p.cli.kept_errors import OtherIdentity, OtherSeat
from pazaak_p2p.cli.kept_record import KeptRecord, chunks, what_was_cut
from pazaak_p2p.cli.lease import Lease
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.seat import BOTS, PersonSeat, SeatPlayer
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import resuming
from pazaak_p2p.net.lasting import GRACE_SECONDS
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import Kit
from pazaak_p2p.rules import Outcome, Termination, format_deck
from pazaak_p2p.store import Journal, SavedMatch, find_saved, forget, records_of
from pazaak_p2p.store.saved_secrets import Against, SavedSecrets, read_secrets, secret_file
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.errors import LocalError, RemoteError
from pazaak_p2p.wire.match import Match
from pazaak_p2p.wire.messages import Entry
from pazaak_p2p.wire.reading import Saved, read_saved
from pazaak_p2p.wire.resuming import Interrupted, claim, restore
from pazaak_p2p.wire.verdict import RecordProblem

F = TypeVar("F", bound=Callable[..., Any])


def keep_options(function: F) -> F:
    """The options of everyone whose match is kept."""
    for option in (
        click.option(
            "--no-sync",
            is_flag=True,
            help="Leave it to the system when the record reaches the disk. Faster for bots; only a"
            " power cut can then lose anything.",
        ),
        click.option(
            "--grace",
            type=click.FloatRange(0, 86_400),
            default=GRACE_SECONDS,
            show_default=True,
            metavar="SECONDS",
            help="How long to wait for an opponent whose line broke; then the match is kept.",
        ),
    ):
        function = option(function)
    return function


class Route(Struct, frozen=True):
    """Over what connection a match is played, to find each other again."""

    listened: bool
    host: str
    port: int
    plain: bool = False
    """Without encryption."""


class Keeping:
    """Keeps one match of *entrant*, whom *seat* plays, in *folder*: the pump's record.

    Nobody need play it (*seat* None) to end it. *route* tells where the other side was, *against*
    who it is if this program plays it too; without *sync* nothing waits for the disk. A damaged
    record goes on only if it *mends* it: with what is sound, after a copy was kept. *complain* is
    told where, if no person sits there to be.
    """

    keeps = True

    def __init__(
        self,
        entrant: Entrant,
        seat: SeatPlayer | None,
        folder: Path,
        route: Route,
        *,
        sync: bool,
        against: Against | None = None,
        mends: bool = False,
        complain: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._mends = mends
        self._complain = complain
        self._entrant = entrant
        self._seat = seat
        self._folder = folder
        self._route = route
        self._sync = sync
        self._against = against
        self._kit: Kit | None = None
        self._secrets: SavedSecrets | None = None
        self._journal: Journal | None = None
        self._opponent: bytes | None = None
        self._opponent_name = ""
        self._ended_at: int | None = None
        self.lease: Lease | None = None
        """Who holds the record, where several sessions could."""
        self.path: Path | None = None
        """The record, once there is one."""

    def bring(self, kit: Kit) -> Kit:
        """*kit* is what our seat brings to the match."""
        self._kit = kit
        return kit

    # --- what the pump does with it

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        entrant, route, kit = self._entrant, self._route, self._kit
        assert kit is not None
        bot = self._seat if isinstance(self._seat, BOTS) else None
        self._secrets = SavedSecrets(
            match_id=match_id,
            seat=entrant.seat,
            key=entrant.public_key,
            secret=kit.secret,
            deck=format_deck(kit.deck, ascii=True),
            name=entrant.name,
            listened=route.listened,
            host=route.host,
            port=route.port,
            bot=None if bot is None else bot.text,
            bot_secret=None if bot is None else bot.secret,
            folder=UNSET if bot is None and self._against is None else entrant.folder or UNSET,
            against=self._against or UNSET,
            seed=entrant.seed,
            plain=route.plain,
            began=kit.began,
        )
        self._journal = journal = Journal(self._folder, sync=self._sync)
        journal.begin(match_id, host, join, self._secrets)
        self.path = journal.path

    def write(self, data: bytes) -> None:
        if self._ended_at is not None:  # of a match that we have claimed there is more to be told
            assert self.path is not None
            self._journal = Journal.reopen(self.path, self._ended_at, sync=self._sync, ended=True)
            self._ended_at = None
        if self._journal is not None:
            self._journal.write(data)
            self.path = self._journal.path
        elif self.keeps:
            raise LocalError("What was said in a match has no record to go to.")

    def sync(self) -> None:
        if self._journal is not None:
            self._journal.sync()

    def settle(self) -> None:
        if self._journal is not None:
            self._journal.settle()

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self.path = self._journal.path or self.path
            self._journal = None

    # --- what goes on

    @property
    def match_id(self) -> bytes:
        assert self._secrets is not None
        return self._secrets.match_id

    @property
    def opponent(self) -> bytes:
        """The other player's key. Unless we have met, raises what is wrong with the record."""
        if self._opponent is None:
            saved = self.read()
            self._opponent = (saved.header.host, saved.header.join)[1 - saved.header.seat].key
        return self._opponent

    def meet(self, opponent: bytes) -> None:
        """The other player has this key."""
        self._opponent = opponent

    def take_up(self, saved: SavedMatch) -> None:
        """Go on with *saved*: it is this match from now on."""
        self._secrets = saved.secrets
        self.path = saved.record
        self._opponent = None

    def reopen(self) -> Interrupted:
        """The match as our seat left it, with its files open again.

        Raises what keeps it from going on.
        """
        return self._open(to_go_on=True)

    def _open(self, *, to_go_on: bool) -> Interrupted:
        """The same; unless it is *to_go_on*, the record keeps its end, if it has one."""
        assert self.path is not None
        assert self._secrets is not None
        self.close()
        if self._secrets.key != self._entrant.public_key:
            raise OtherIdentity
        journal = Journal.reopen(self.path, sync=self._sync)
        try:
            written = self.path.stat()
            interrupted, sound = self._kept().restore(self._secrets, self._entrant.key)
            header = sound.saved.header
            opponent = (header.host, header.join)[1 - header.seat]
            self._opponent, self._opponent_name = opponent.key, opponent.name
            if to_go_on:
                if sound.flaw:
                    self._warn(what_was_cut(sound, journal.keep_copy()))
                journal.cut(sound.saved.length)
                # The time of the last word stays: since then we were away.
                utime(self.path, ns=(written.st_atime_ns, written.st_mtime_ns))
        except BaseException:
            journal.close()
            raise
        self._journal = journal
        self._seat_bot()
        return replace(interrupted, away=max(0.0, time() - written.st_mtime))

    def _kept(self) -> KeptRecord:
        assert self.path is not None
        return KeptRecord(self.path, self.match_id, mends=self._mends)

    def _warn(self, text: str) -> None:
        if self._seat is None or isinstance(self._seat, BOTS):
            self._complain(text)
        else:
            self._seat.tell(text)

    def take_stock(self) -> MatchReport:
        """How the match stands by our record; a person sees it while the other is waited for.

        Raises as :meth:`reopen`.
        """
        interrupted = self._open(to_go_on=False)
        match = interrupted.match
        self.close()
        if isinstance(self._seat, PersonSeat):
            self._seat.expect(self._opponent_name, interrupted.resumed())
        return self._report(match, match.decided or Outcome(Termination.ABANDONED, None))

    def claim(self) -> MatchReport:
        """Claim the match, since the other side does not come back; nothing is kept for it then.

        Raises as :meth:`reopen`, and ``LocalError`` if it cannot be claimed.
        """
        interrupted = self._open(to_go_on=True)
        try:
            data, outcome = claim(interrupted)
            self.write(data)
            self.settle()
        finally:
            self.close()
        return replace(self._report(interrupted.match, outcome), unfinished=False)

    def _report(self, match: Match, outcome: Outcome) -> MatchReport:
        transcript = match.transcript
        return MatchReport(
            match_id=self.match_id,
            seat=match.seat,
            rules=transcript.terms.rules,
            outcome=outcome,
            won=transcript.state.won,
            opened=transcript.opened,
            head=transcript.head,
            lots=transcript.lots,
            record=self.path,
            unfinished=True,
            # Also if it was, and the program was killed before it put the secrets away.
            claimable=match.claimable or match.seat in match.claims,
        )

    def _seat_bot(self) -> None:
        """The bot that began the match plays on, whatever it was about to begin."""
        secrets = self._secrets
        assert secrets is not None
        if isinstance(self._seat, BOTS) and secrets.bot_secret is not None:
            assert secrets.bot is not None
            folder = None if secrets.folder is UNSET else Path(secrets.folder)
            self._seat.take_up(secrets.bot, folder, secrets.bot_secret)

    def find(self, match_id: bytes, key: bytes) -> Interrupted | None:
        """The match of this id with the player of this *key*, as our seat left it; None if there
        is none here. Raises what keeps it from going on.
        """
        trouble: PazaakError | None = None
        for record in records_of(self._folder, match_id):
            try:
                found = self._found(record, match_id, key)
            except PazaakError as error:
                trouble = trouble or error
                continue
            if found is not None:
                return found
        if trouble is not None:
            raise trouble
        return None

    def _found(self, record: Path, match_id: bytes, key: bytes) -> Interrupted | None:
        try:
            secrets = read_secrets(secret_file(record))
        except FileNotFoundError:
            return self._finished(record, match_id, key)
        if secrets.match_id != match_id:
            return None
        if (secrets.bot is not None) is not isinstance(self._seat, BOTS):
            began, plays = ("you", "a bot") if secrets.bot is None else ("a bot", "you")
            raise OtherSeat(
                why=f"It was begun by {began}, and here {plays} would go on with it.",
                next=f"Let them in by: {resuming(match_id)} --host",
            )
        before = self._secrets, self.path
        found: Interrupted | None = None
        try:
            self.take_up(find_saved(self._folder, str(record)))
            if self.opponent == key:
                found = self.reopen()
            return found
        finally:
            if found is None:
                (self._secrets, self.path), self._opponent = before, None

    def _finished(self, record: Path, match_id: bytes, key: bytes) -> Interrupted | None:
        """A match that is complete here, or claimed by us: the other side may lack its end."""
        try:
            saved = read_saved(chunks(record))
            if saved.terms.match_id != match_id or saved.torn:
                return None
            players = (saved.header.host.key, saved.header.join.key)
            ours = saved.header.seat
            if (players[ours], players[1 - ours]) != (self._entrant.public_key, key):
                return None
            interrupted = restore(saved, self._entrant.key, bytes(32), None)
        except (RemoteError, RecordProblem, OSError):
            return None
        match = interrupted.match
        claimed = match.seat in match.claims
        if not match.complete and not claimed:
            return None
        self.close()
        self.path = record
        self.keeps = False  # it is only told once more
        self._ended_at = saved.length if claimed else None
        return replace(interrupted, choices=())  # nobody chooses in it any more

    def end(self, report: MatchReport) -> None:
        """No more of the match will come now; if it is complete, nothing need be kept for it."""
        if report.unfinished and all(report.opened) and self.path is not None:
            with suppress(PazaakError):
                forget(find_saved(self._folder, str(self.path)))

    def drop_unheard(self) -> bool:
        """Give the match up if the other side has said nothing in it; whether that was so."""
        self.close()
        if self.path is None or self._secrets is None:
            return False
        with suppress(PazaakError, OSError):
            sound, ours = self._kept().read(), self._secrets.seat
            if sound.flaw:
                return False
            entries = [item for item in sound.saved.items if isinstance(item, Entry)]
            if all(read_body(entry.body).by == ours for entry in entries):
                forget(find_saved(self._folder, str(self.path)))
                if not entries:
                    self.path.unlink(missing_ok=True)  # it tells of nothing
                return True
        return False

    def read(self) -> Saved:
        """What can be gone on with in the record. Raises what is wrong with it."""
        return self._kept().read().saved
