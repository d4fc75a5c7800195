"""Reading the record of a match that is to go on, and what to do if it is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.cli.kept_errors import DamagedRecord, ForeignSecrets, NothingSaid
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import resuming
from pazaak_p2p.store.safe_files import pieces
from pazaak_p2p.store.saved_secrets import SavedSecrets, secret_file
from pazaak_p2p.store.trust_errors import shown
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.errors import RemoteError, WrongSecrets
from pazaak_p2p.wire.reading import read_saved
from pazaak_p2p.wire.resuming import Interrupted, restore
from pazaak_p2p.wire.soundness import Sound, has_messages, sound_part
from pazaak_p2p.wire.verdict import CutShort, EmptyRecord, RecordProblem


class KeptRecord:
    """The record *path* of the match *match_id*.

    A damaged one is read only if it *mends* it; its copy is to be kept before it is cut.
    """

    def __init__(self, path: Path, match_id: bytes, *, mends: bool) -> None:
        self._path = path
        self._match_id = match_id
        self._mends = mends

    def read(self) -> Sound:
        """As much of it as can be gone on with. Raises what is wrong with it.

        What is said in it is looked at only where it cannot be read to its end.
        """
        try:
            saved = read_saved(chunks(self._path))
        except (RemoteError, RecordProblem):
            return self._examine()
        except OSError as error:
            raise self._unreadable(error) from error
        return self._examine() if saved.torn else Sound(saved, len(saved.items))

    def restore(self, secrets: SavedSecrets, key: Ed25519PrivateKey) -> tuple[Interrupted, Sound]:
        """The match, to be gone on with from *secrets*. Raises what keeps it from going on."""
        sound = self.read()
        try:
            return self._restore(sound, secrets, key), sound
        except RemoteError:
            sound = self._examine()
            return self._restore(sound, secrets, key), sound

    def _restore(self, sound: Sound, secrets: SavedSecrets, key: Ed25519PrivateKey) -> Interrupted:
        saved = sound.saved
        if (saved.terms.match_id, saved.header.seat) != (secrets.match_id, secrets.seat):
            raise DamagedRecord(
                f"{shown(self._path)} is not the match that its secrets are for.",
                why="The files of two matches were exchanged, or its beginning is damaged.",
                next="Put each back beside the other with the same name.",
            )
        try:
            return restore(saved, key, secrets.secret, secrets.side_deck)
        except WrongSecrets as error:
            raise ForeignSecrets(secret_file(self._path)) from error

    def _examine(self) -> Sound:
        try:
            sound = self._sound_part()
        except OSError as error:
            raise self._unreadable(error) from error
        if not sound.flaw or sound.torn or self._mends:
            return sound
        raise DamagedRecord(
            f"The record {shown(self._path)} is damaged after {sound.entries} entries.",
            why=f"{sound.flaw} Nothing of the file has been changed.",
            next="Put a good copy back if you have one. Or go on from what is sound; the other"
            " player tells the rest again, and the record as it is is kept beside:"
            f" {resuming(self._match_id)} --mend",
        )

    def _sound_part(self) -> Sound:
        try:
            return sound_part(partial(chunks, self._path))
        except Cheat:
            raise  # the other player's, which the record proves
        except (RemoteError, RecordProblem) as error:
            raise self._nothing(error) from error

    def _nothing(self, error: PazaakError) -> DamagedRecord | NothingSaid:
        """Not even what the match is of can be read, by *error*."""
        begun = not isinstance(error, CutShort | EmptyRecord) or has_messages(chunks(self._path))
        if begun and any(piece.strip(b"\0") for piece in chunks(self._path)):
            return DamagedRecord(
                f"The record {shown(self._path)} is damaged at its beginning.",
                why=f"{error.what} {error.why} Nothing of the file has been changed.",
            )
        return NothingSaid(
            f"There is no match in {shown(self._path)} yet.",
            next=f"Give it up, and begin a new one: {resuming(self._match_id)} --forget",
        )

    def _unreadable(self, error: OSError) -> DamagedRecord:
        return DamagedRecord(
            f"The record {shown(self._path)} cannot be read.",
            why=f"The system says: {error.strerror or error}.",
        )


def what_was_cut(sound: Sound, copy: Path) -> str:
    """What to tell whose record is cut back to what is *sound*, its *copy* being kept."""
    what = (
        "Your record of this match was cut off within a message, as a crash does."
        if sound.torn
        else f"Your record of this match was damaged after {sound.entries} entries."
    )
    return (
        f"{what} It goes on from what is sound, and the other player tells the rest again. The"
        f" record as it was: {shown(copy)}"
    )


def chunks(path: Path, start: int = 0) -> Iterator[bytes]:
    """The content of *path* from the byte *start* on, piece by piece. Raises ``OSError``."""
    with path.open("rb") as file:
        file.seek(start)
        yield from pieces(file)
