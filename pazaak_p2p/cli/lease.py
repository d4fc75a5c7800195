"""Whose the record of a match is, when several sessions could go on with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pazaak_p2p.wire.errors import LocalError

if TYPE_CHECKING:
    from pazaak_p2p.cli.keeping import Keeping


class Lease:
    """One session's hold on the record that *kept* keeps (a ``RecordSink``).

    Everyone who knocks where a match is waited for gets a session for that match, and most never
    take it. Only the session that took the record last writes to it, and closes it.
    """

    def __init__(self, kept: Keeping) -> None:
        self._kept = kept

    def take(self) -> None:
        """From now on the record is this session's, and no other's."""
        self._kept.lease = self

    @property
    def _holds(self) -> bool:
        return self._kept.lease is self

    @property
    def keeps(self) -> bool:
        return self._kept.keeps

    @property
    def path(self) -> Path | None:
        return self._kept.path

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        raise LocalError("A match that goes on is not begun.")

    def write(self, data: bytes) -> None:
        if not self._holds:
            raise LocalError("A session wrote to the record that another has taken.")
        self._kept.write(data)

    def sync(self) -> None:
        if self._holds:
            self._kept.sync()

    def settle(self) -> None:
        if self._holds:
            self._kept.settle()

    def close(self) -> None:
        if self._holds:
            self._kept.close()
