"""Targets for what people write, or get from others: rules, scripts, decks, seeds, peers.toml."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from pazaak_p2p.arena.errors import SeedError
from pazaak_p2p.arena.seeds import MATCH_FILE, load_seed
from pazaak_p2p.bots import parse_script
from pazaak_p2p.bots.errors import ScriptError
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.rules import (
    CardError,
    DeckError,
    RulesOptionError,
    check_deck,
    describe,
    parse_deck,
    parse_rules,
)
from pazaak_p2p.store import meeting, peers_file
from pazaak_p2p.store.decks import read_deck
from pazaak_p2p.store.errors import DeckFileError
from pazaak_p2p.store.names import shown_name
from tests.fuzz.choices import Choices


def _shown(error: PazaakError) -> None:
    """An error for people has three parts, and all of them can be shown."""
    for part in (error.what, error.why, error.next):
        assert part
        assert part.isprintable(), part


def rules(data: bytes) -> None:
    """A text of rules: read back from its shortest description."""
    try:
        found = parse_rules(data.decode("utf-8", "surrogateescape"))
    except RulesOptionError as error:
        _shown(error)
        return
    assert parse_rules(describe(found)) == found


def script(data: bytes) -> None:
    """A bot's script."""
    try:
        parse_script(data.decode("utf-8", "replace"), "script.txt")
    except ScriptError as error:
        _shown(error)


def deck(data: bytes) -> None:
    """A deck, typed and as a file of either kind."""
    try:
        typed = parse_deck(data.decode("utf-8", "surrogateescape"))
        assert parse_deck(" ".join(card.ascii for card in typed)) == typed
    except (CardError, DeckError) as error:
        _shown(error)
    for name in ("deck.txt", "deck.toml"):
        path = _folder() / name
        path.write_bytes(data)
        try:
            assert len(read_deck(path)) == 10
        except DeckFileError as error:
            _shown(error)


def seed(data: bytes) -> None:
    """A seeded match."""
    (_folder() / MATCH_FILE).write_bytes(data)
    try:
        found = load_seed(_folder())
    except (SeedError, ScriptError) as error:
        _shown(error)
        return
    for text in (found.title, found.shows, found.host.name, found.join.name):
        assert text.isprintable()
    for seat in (found.host, found.join):
        check_deck(seat.deck, found.rules)
        seat.make(bytes(32))


def peers(data: bytes) -> None:
    """peers.toml: no player is lost or made up, whatever is changed in it."""
    choices = Choices(data[-8:])
    try:
        book = peers_file.parse(data)
    except peers_file.Flaw as flaw:
        _flawed(flaw, data)
        return
    except peers_file.LaterVersion:
        return
    assert peers_file.parse(peers_file.render(book).encode()) == book
    names = meeting.index(book)
    for key, peer in book.items():
        assert meeting.judge(book, names, key, peer.name).case is meeting.Case.KNOWN
        assert shown_name(peer.label).isprintable()
    new = peers_file.KnownPeer(bytes(32), "New", _NOW, _NOW)
    changed = {**book, new.key: new}
    if book:
        key = choices.pick(list(book))
        if choices.number(2):
            changed[key] = replace(book[key], nickname="\u202e\n", matches=7)
        else:
            del changed[key]
    assert peers_file.parse(peers_file.rewrite(data, book, changed).encode()) == changed


def _flawed(flaw: peers_file.Flaw, data: bytes) -> None:
    assert flaw.what.isprintable()
    assert flaw.line is None or 1 <= flaw.line <= data.count(b"\n") + 2


_NOW = datetime(2031, 5, 4, 21, 30, tzinfo=UTC)


@cache
def _folder() -> Path:
    folder = tempfile.mkdtemp(prefix="pazaak-fuzz-")
    atexit.register(shutil.rmtree, folder)
    return Path(folder)
