"""The journal of a running match: its record, made durable, and the secrets that it needs to go on.

The record is written ahead: what is to be sent is on the disk before it is. So whatever kills this
program, it never says two different things at one place of a transcript. Beside ``NAME.pzk`` lies
``NAME.secret`` from before the first byte of the match until the match is over for good; a record
that still has it can go on, and one without it is finished. Who has a match open holds a lock on
its record, so that two programs cannot go on with one match.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.store.errors import RecordError
from pazaak_p2p.store.match_errors import MatchFinished, SavedDamaged
from pazaak_p2p.store.record import RecordWriter
from pazaak_p2p.store.safe_files import beside, copy_aside, keep_folder, place
from pazaak_p2p.store.saved_secrets import SavedSecrets, encoded, secret_file


class Journal:
    """Keeps one running match in *folder*, which is made if need be.

    A program that is killed loses nothing that was written, a power cut nothing that was written
    before the last :meth:`sync`; without *sync* a power cut may lose anything. One call at a time,
    from any thread.
    """

    def __init__(self, folder: Path, *, sync: bool = True) -> None:
        self._sync = sync
        self._record = RecordWriter(folder, sync=sync)
        self._secret: Path | None = None
        self._may_cut = False

    @property
    def path(self) -> Path | None:
        """The record, once a match has begun."""
        return self._record.path

    @property
    def length(self) -> int:
        """Bytes in the record."""
        return self._record.length

    def begin(self, match_id: bytes, host: str, join: str, keep: SavedSecrets) -> None:
        """Make the files for a match between players of these names (raw, as they gave them).

        *keep* is on the disk when this returns, and the record is ours alone. Raises
        :class:`RecordError`, or ``SavedMatchError`` if *keep* cannot be written down; then there
        are no files.
        """
        if keep.match_id != match_id:
            raise PazaakError("The secrets of one match were to be kept with another.")
        self._record.begin(match_id, host, join)
        assert self.path is not None
        secret = self._secret = secret_file(self.path)
        try:
            self._record.hold()
            place(secret, encoded(keep, secret), durable=self._sync)
        except BaseException as error:
            if isinstance(error, FileExistsError):
                self._secret = None  # somebody else's
            self.close()
            if isinstance(error, OSError):
                raise RecordError(secret, error) from error
            raise

    @classmethod
    def reopen(
        cls, path: Path, length: int | None = None, *, sync: bool = True, ended: bool = False
    ) -> Journal:
        """Go on with the record *path*, cut to *length* bytes if that is known already.

        Better is to read the record only now that nobody else can write to it, and then to
        :meth:`cut` it. *ended* is for a match that is over for us, and has no secrets. Raises
        ``MatchInUse``; ``MatchFinished``; ``SavedDamaged`` if the record is empty, or shorter than
        *length*; or :class:`RecordError`.
        """
        journal = cls(path.parent, sync=sync)
        journal._record = RecordWriter.reopen(path, sync=sync)
        try:
            journal._record.hold()
            # Looked for under the lock: whoever held it until now may have played to the end.
            secret = secret_file(path)
            if not os.path.lexists(secret) and not ended:
                raise MatchFinished(path)
            if journal.length == 0:
                raise SavedDamaged(path, "it is empty.")
            journal._secret, journal._may_cut = None if ended else secret, True
            if length is not None:
                journal.cut(length)
        except BaseException:
            journal._record.close()
            raise
        return journal

    def keep_copy(self) -> Path:
        """Copy the record as it is, before something is cut off that may have been said.

        Raises :class:`RecordError`.
        """
        assert self.path is not None
        try:
            return copy_aside(self.path)
        except OSError as error:
            raise RecordError(self.path, error) from error

    def cut(self, length: int) -> None:
        """Leave the first *length* bytes of a record that was reopened, and bring them to the disk.

        What goes is an end that was none, or what :meth:`keep_copy` has kept. Only before anything
        is written: what this journal took may have been sent. Raises ``SavedDamaged`` if there are
        not that many bytes, and :class:`RecordError`.
        """
        if not self._may_cut or length < 1:
            raise PazaakError("What was said in a match was to be cut out of its record.")
        assert self.path is not None
        if length > self._record.length:
            flaw = f"it has {self._record.length} bytes, where {length} were read."
            raise SavedDamaged(self.path, flaw)
        self._record.cut(length)

    def write(self, data: bytes) -> None:
        """Append *data*. Raises :class:`RecordError`, and leaves the record as it was before.

        If that is the first, which says what the record is of, there are no files any more.
        """
        self._may_cut = False
        try:
            self._record.write(data)
        except RecordError:
            if self.path is None:
                self._drop_quietly()
            raise

    def sync(self) -> None:
        """See to it that all that was written is on the disk: once, before what it says is sent.

        Raises :class:`RecordError`; then nothing more can be written.
        """
        self._record.sync()

    def settle(self) -> None:
        """The match is over for good: the record is complete, and the secrets go.

        Raises :class:`RecordError`; :meth:`close` is then still to be called.
        """
        self._record.sync()
        if self._record.length and self._secret is not None:
            try:
                drop(self._secret, durable=self._sync)
            except OSError as error:
                raise RecordError(self._secret, error) from error
            self._secret = None
        self.close()

    def close(self) -> None:
        """Close the record, and leave the secrets, so that the match can go on. Never raises.

        Of a match in which nothing was written, nothing stays.
        """
        if self._record.length == 0:
            self._drop_quietly()
        with contextlib.suppress(RecordError):
            self._record.sync()
        self._record.close()

    def _drop_quietly(self) -> None:
        if self._secret is not None:
            with contextlib.suppress(OSError):
                drop(self._secret, durable=False)
            self._secret = None


def drop(secret: Path, *, durable: bool) -> None:
    """Delete the file *secret*, and what was left if its maker was killed. Raises ``OSError``.

    If it is to be *durable* no power cut brings it back.
    """
    beside(secret).unlink(missing_ok=True)
    secret.unlink(missing_ok=True)
    if durable:
        keep_folder(secret.parent)
