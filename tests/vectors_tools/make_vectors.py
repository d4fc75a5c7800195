"""All files of ``protocol/vectors/`` and the schema, as they must stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from tests.vectors_tools import make_schema
from tests.vectors_tools.bot_interface import bot_interface
from tests.vectors_tools.cheats import cheats
from tests.vectors_tools.claimed import claimed
from tests.vectors_tools.codes import codes
from tests.vectors_tools.matches import matches
from tests.vectors_tools.messages import messages
from tests.vectors_tools.primitives import primitives
from tests.vectors_tools.records import records
from tests.vectors_tools.refusals import refusals
from tests.vectors_tools.resumed import resumed
from tests.vectors_tools.shown import pretty
from tests.vectors_tools.states import states

VECTORS: Final = make_schema.PROTOCOL / "vectors"


def files() -> dict[Path, str]:
    """Every generated file with its text."""
    made: dict[str, dict[str, Any]] = {
        "primitives": primitives(),
        "codes": codes(),
        "bot-interface": bot_interface(),
        "states": {"vectors": states()},
        "messages": messages(),
        "refusals": {"vectors": refusals()},
        "cheats": {"vectors": cheats()},
        "resumed": {"vectors": resumed()},
        "records": {"vectors": [*records(), *claimed()]},
        **{f"matches/{name}": {"name": name, **vector} for name, vector in matches().items()},
    }
    return {
        make_schema.SCHEMA_FILE: make_schema.text(),
        **{VECTORS / f"{name}.json": pretty(value) for name, value in made.items()},
    }


def write_all() -> list[Path]:
    """Write what differs; the files written. Removes vectors that are no longer made."""
    wanted = files()
    written = []
    for path, text in wanted.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    for path in VECTORS.rglob("*.json"):
        if path not in wanted:
            path.unlink()
    return written
