"""Seeded matches: everything that is secret or chosen stands in a ``match.toml``.

A seeded match comes out the same on every machine, byte for byte, as all secrets of both seats
derive from two texts (specification, section 3) and all choices from scripts or bots. So the record
that it must give can stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from pazaak_p2p.arena.errors import NoSeeds, SeedError, UnknownSeed
from pazaak_p2p.bots import Bot, ScriptBot, find_bot, parse_script
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.rules import (
    DECKS,
    Rules,
    RulesOptionError,
    SideDeck,
    check_deck,
    parse_deck,
    parse_rules,
)
from pazaak_p2p.store.texts import BadText, parse_toml, read_text
from pazaak_p2p.text import printable

MATCH_FILE: Final = "match.toml"
RECORD_FILE: Final = "expected.pzk"
TEXT_FILE: Final = "expected.txt"
MOST_BYTES: Final = 100_000
"""A larger match.toml is refused."""

_COVERS: Final = re.compile(r"R([1-9]|1[0-9]|2[01])|C[1-7]")
_MATCH_KEYS: Final = ("title", "shows", "covers", "rules", "host", "join")
_SEAT_KEYS: Final = ("name", "seed", "deck", "script", "bot")


class SeededSeat(msgspec.Struct, frozen=True):
    """One side of a seeded match. ``make(seed)`` gives what chooses for it."""

    name: str
    seed: str
    deck: SideDeck
    make: Callable[[bytes], Bot]


class SeededMatch(msgspec.Struct, frozen=True):
    """A seeded match, read and checked as far as that can be done before it is played."""

    folder: Path
    title: str
    shows: str
    """What there is to see, in a sentence or two."""
    covers: tuple[str, ...]
    """The rules (R1..R21) and known faults (C1..C7) that it is about."""
    rules: Rules
    host: SeededSeat
    join: SeededSeat

    @property
    def name(self) -> str:
        return self.folder.name


# --- where they are


def seeds_folder(given: Path | None = None) -> Path:
    """The folder with the seeded matches: *given*, or ``seeds`` here, or that of the source.

    Raises :class:`NoSeeds`.
    """
    if given is not None:
        if not given.is_dir():
            raise NoSeeds(
                f"There is no folder {printable(str(given), 200)}.",
                why="That is what --dir names.",
            )
        return given
    for folder in (Path("seeds"), Path(__file__).parents[2] / "seeds"):
        if any(folder.glob(f"*/{MATCH_FILE}")):
            return folder
    raise NoSeeds


def list_seeds(folder: Path) -> list[Path]:
    """The folders of the seeded matches in *folder*, by name. Raises :class:`NoSeeds`."""
    found = sorted(path.parent for path in folder.glob(f"*/{MATCH_FILE}"))
    if not found:
        raise NoSeeds(f"There are no seeded matches in {printable(str(folder), 200)}.")
    return found


def find_seed(name: str, folder: Path | None) -> Path:
    """The folder that *name* means: a folder with a ``match.toml``, or the name of one in *folder*.

    Raises :class:`UnknownSeed` and :class:`NoSeeds`.
    """
    path = Path(name)
    if path.name == MATCH_FILE and path.is_file():
        return path.parent
    if (path / MATCH_FILE).is_file():
        return path
    known = list_seeds(seeds_folder(folder))
    for each in known:
        if each.name == name:
            return each
    names = ", ".join(each.name for each in known)
    raise UnknownSeed(
        f"There is no seeded match {printable(name, 80)!r}.", why=f"There are: {names}."
    )


# --- reading one


def load_seed(folder: Path) -> SeededMatch:
    """The seeded match in *folder*.

    Raises :class:`SeedError`, or ``ScriptError`` for an action of a script; both name the line.
    """
    file = _File(folder / MATCH_FILE)
    table = file.table
    file.check_keys(table, None, _MATCH_KEYS)
    covers = file.texts(table, None, "covers")
    for each in covers:
        if not _COVERS.fullmatch(each):
            raise file.error(
                None, "covers", f"{printable(each, 20)!r} is neither R1 to R21 nor C1 to C7."
            )
    rules = file.rules(table)
    return SeededMatch(
        folder,
        " ".join(file.text(table, None, "title").split()),
        " ".join(file.text(table, None, "shows", most=2000).split()),
        tuple(covers),
        rules,
        file.seat("host", rules),
        file.seat("join", rules),
    )


class _File:
    """A match.toml: its settings, and where they stand for whoever has to mend them."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        try:
            self._text = read_text(path, MOST_BYTES)
            self.table = parse_toml(self._text)
        except BadText as error:
            raise SeedError(self.name, error.line, error.what) from error

    def line(self, section: str | None, key: str | None) -> int | None:
        """Where *key* of *section* (None: what stands before all sections) is set."""
        at, start = None, None
        for number, line in enumerate(self._text.split("\n"), start=1):
            if header := re.match(r"\s*\[\s*(\w+)\s*\]", line):
                at = header[1]
                if at == section:
                    start = number
                elif section is None and at == key:
                    return number
            elif (
                key is not None
                and at == section
                and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line)
            ):
                return number
        return start

    def error(
        self, section: str | None, key: str | None, what: str, why: str | None = None
    ) -> SeedError:
        where = "" if section is None else f"[{section}] "
        return SeedError(self.name, self.line(section, key), f"{where}{key}: {what}", why=why)

    def check_keys(self, table: dict[str, Any], section: str | None, keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                raise SeedError(
                    self.name,
                    self.line(section, key),
                    f"there is no setting {printable(key, 40)!r}.",
                    why=f"The settings here are {', '.join(keys)}.",
                )

    def text(self, table: dict[str, Any], section: str | None, key: str, most: int = 200) -> str:
        value = table.get(key)
        if value is None:
            where = "at the top of the file" if section is None else f"in [{section}]"
            raise SeedError(
                self.name, self.line(section, None), f"{key} is missing.", why=f"It stands {where}."
            )
        if not isinstance(value, str) or not value.strip() or len(value) > most:
            raise self.error(section, key, f"it must be a text of 1 to {most} characters.")
        if not " ".join(value.split()).isprintable():
            # It is shown as it is, and may come from anybody.
            raise self.error(section, key, "it holds characters that cannot be printed.")
        return value

    def texts(self, table: dict[str, Any], section: str | None, key: str) -> list[str]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.error(section, key, 'it must be a list of texts, as in ["R10", "R11"].')
        return value

    def rules(self, table: dict[str, Any]) -> Rules:
        try:
            return parse_rules(self.text(table, None, "rules"))
        except RulesOptionError as error:
            raise self.error(None, "rules", error.what, error.why) from error

    def seat(self, section: str, rules: Rules) -> SeededSeat:
        table = self.table.get(section)
        if not isinstance(table, dict):
            raise SeedError(
                self.name,
                self.line(None, section),
                f"[{section}] is missing.",
                why="A match has two seats: [host] and [join].",
            )
        self.check_keys(table, section, _SEAT_KEYS)
        return SeededSeat(
            " ".join(self.text(table, section, "name", most=32).split()),
            self.text(table, section, "seed"),
            self._deck(table, section, rules),
            self._maker(table, section),
        )

    def _deck(self, table: dict[str, Any], section: str, rules: Rules) -> SideDeck:
        # Not by the user's own decks and files: a seeded match holds all that it depends on.
        text = self.text(table, section, "deck")
        try:
            deck = DECKS[text] if text in DECKS else parse_deck(text)
            check_deck(deck, rules)
        except PazaakError as error:
            why = error.why if " " in text else f"The decks that ship are {', '.join(DECKS)}."
            raise self.error(section, "deck", error.what, why) from error
        return deck

    def _maker(self, table: dict[str, Any], section: str) -> Callable[[bytes], Bot]:
        if ("script" in table) == ("bot" in table):
            raise SeedError(
                self.name,
                self.line(section, "script"),
                f"[{section}] needs either script or bot.",
                why="One of them says how this seat plays.",
            )
        if "script" in table:
            return self._script(self.texts(table, section, "script"), section)
        bot = self.text(table, section, "bot")
        if bot.startswith("script:"):
            raise self.error(
                section,
                "bot",
                "a script stands here in the file.",
                'Write it as script = ["end", ...].',
            )
        try:
            # Seeds are passed on: none may run a program of its writer's choice.
            return find_bot(bot, runs_programs=False).make
        except PazaakError as error:
            raise self.error(section, "bot", error.what, error.why) from error

    def _script(self, actions: list[str], section: str) -> Callable[[bytes], Bot]:
        # One action a line of the script, so that line n of an error is the n-th action.
        lines = "\n".join(" ".join(action.split()) for action in actions)
        script = parse_script(lines, f"{self.name}, [{section}] script")
        if not any(action.split()[:1] == ["at-end"] for action in actions):
            script = msgspec.structs.replace(script, stand_at=None)
        return lambda seed: ScriptBot(script)
