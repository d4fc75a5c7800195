"""The solver's arrays as the file that ships, and back (layout: bots/solved/tables.py)."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.solved.model import Floats, dense
from pazaak_p2p.bots.solved.tables import COUNTS, Habits, Score

_DATE: Final = (2000, 1, 1, 0, 0, 0)
"""Of the members, so that the same tables make the same file."""


def write_tables(file: Path, values: dict[Score, Floats], habits: dict[Score, Floats]) -> None:
    """Write *values* ``[hand, opens, cards]`` and *habits* of every score to *file*."""
    with ZipFile(file, "w") as archive:
        for score in sorted(values):
            name = "-".join(map(str, score))
            for kind, data in (
                ("values", values_bytes(values[score])),
                ("habits", habits_bytes(habits[score])),
            ):
                info = ZipInfo(f"{kind}-{name}", _DATE)
                # Not LZMA, though a tenth smaller: there are Pythons built without it.
                archive.writestr(info, data, ZIP_DEFLATED, compresslevel=9)


def values_bytes(values: Floats) -> bytes:
    ordered = values.transpose(1, 2, 0)
    low, high = np.divmod(np.rint(np.clip(ordered, 0, 1) * 65535), 256)[::-1]
    return _bytes(low, "<u1") + _bytes(high, "<u1")


def habits_bytes(habits: Floats) -> bytes:
    rows = habits[:, :, :, :, 1:].reshape(-1, habits.shape[-1])
    chances = np.rint(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9) * 255)
    kept = chances > 0
    parts = (kept.sum(axis=1), np.nonzero(kept)[1], chances[kept])
    return b"".join(_bytes(part, "<u1") for part in parts)


def _bytes(numbers: npt.NDArray[Any], kind: str) -> bytes:
    data: bytes = numbers.astype(kind).tobytes()
    return data


def read_tables(file: bytes) -> tuple[dict[Score, Floats], dict[Score, Floats]]:
    """Values and habits of a file's content, as :func:`write_tables` takes them."""
    values, habits = {}, {}
    with ZipFile(BytesIO(file)) as archive:
        for name in archive.namelist():
            kind, own, theirs = name.split("-")
            data, score = archive.read(name), (int(own), int(theirs))
            if kind == "values":
                values[score] = _read_values(data)
            else:
                habits[score] = dense(Habits(data))
    return values, habits


def _read_values(data: bytes) -> Floats:
    low, high = np.frombuffer(data, np.uint8).astype(np.float32).reshape(2, 2, COUNTS, -1)
    ordered = (low + 256 * high) / 65535
    return np.ascontiguousarray(ordered.transpose(2, 0, 1), np.float32)
