"""``pazaak verify`` run on files, and the records that it is run on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.e2e.processes import Pazaak

ROOT = Path(__file__).parents[2]
SEEDS = sorted((ROOT / "seeds").glob("*/expected.pzk"))
VECTORS = ROOT / "protocol" / "vectors"
CHEATS = VECTORS / "cheats.json"
REFUSALS = VECTORS / "refusals.json"


def vector(file: Path, name: str) -> bytes:
    """The record of a vector of this name."""
    (found,) = [v for v in json.loads(file.read_text("utf-8"))["vectors"] if v["name"] == name]
    (record,) = found["matches"][0]["records"].values()
    return bytes.fromhex(record)


class Verified:
    """What ``pazaak verify`` says of some files."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        with Pazaak("verify", *map(str, arguments), home=folder) as process:
            self.code = process.finish()
        self.out, self.err = process.stdout, process.stderr
        assert "Traceback" not in self.err
        assert "\x1b" not in self.out + self.err
        self.text = " ".join(self.out.split())

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]
