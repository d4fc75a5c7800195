"""What a session asks of whoever keeps the record of its match."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class RecordSink(Protocol):
    """Where the bytes of a record go. Methods raise a ``PazaakError`` when they cannot."""

    @property
    def keeps(self) -> bool:
        """Whether it keeps what is needed to go on with the match if it is broken off."""

    @property
    def path(self) -> Path | None:
        """The file, once there is one."""

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        """A match begins between players of these names (raw, as they gave them)."""

    def write(self, data: bytes) -> None:
        """Append *data* and hand it to the system."""

    def sync(self) -> None:
        """See to it that all that was written outlasts whatever may happen."""

    def settle(self) -> None:
        """The match is over for good, and nobody will go on with it."""

    def close(self) -> None:
        """Nothing more comes in this session. Never raises."""
