"""What a seat of a match keeps, for tests of the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pazaak_p2p.store import Journal, SavedSecrets

MATCH_ID = bytes.fromhex("1a2b3c4d") + bytes(range(28))


def secrets(**changes: Any) -> SavedSecrets:
    """What the host of a match keeps; every field is different from every other."""
    given: dict[str, Any] = {
        "match_id": MATCH_ID,
        "seat": 0,
        "key": bytes(range(100, 132)),
        "secret": bytes(range(150, 182)),
        "deck": "+1 -2 +-3 D 2&4 3&6 +-1T 1+-2 +5 +6",
        "name": "Ann",
        "listened": True,
        "host": "192.0.2.7",
        "port": 7778,
        "bot": "threshold:18",
        "bot_secret": bytes(range(200, 232)),
        "seed": "a seed",
        "plain": False,
        "began": 1_900_000_000,
    }
    return SavedSecrets(**{**given, **changes})


def begun(folder: Path, data: bytes = b"said", **changes: Any) -> Journal:
    """A journal in which *data* was written and synced."""
    keep = secrets(**changes)
    journal = Journal(folder)
    journal.begin(keep.match_id, "Ann", "Bob", keep)
    journal.write(data)
    journal.sync()
    return journal


def interrupted(folder: Path, data: bytes = b"said", **changes: Any) -> Path:
    """The record of a match that was left."""
    journal = begun(folder, data, **changes)
    journal.close()
    assert journal.path is not None
    return journal.path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
