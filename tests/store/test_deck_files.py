"""The user's own side decks as files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import DECKS
from pazaak_p2p.store import DeckFileError, load_deck, read_deck
from pazaak_p2p.store.deck_files import (
    DeckNameRefused,
    DeckNotWritten,
    DeckStands,
    check_deck_name,
    save_deck,
)
from pazaak_p2p.store.decks import read_deck_text


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_deck_is_saved_and_read_back(home: Path) -> None:
    path = save_deck("my-deck_2", DECKS["hard"])
    assert path == home / "decks" / "my-deck_2.toml"
    assert read_deck(path) == load_deck("my-deck_2") == DECKS["hard"]
    assert path.read_text("utf-8") == (
        'name = "my-deck_2"\ncards = "2&4 3&6 ±4 ±6 D ±1T 1±2 ±3 ±6 2&4"\n'
    )


def test_a_deck_is_replaced_only_by_force() -> None:
    path = save_deck("mine", DECKS["hard"])
    with pytest.raises(DeckStands, match="There is a deck 'mine' already") as caught:
        save_deck("mine", DECKS["easy"])
    assert caught.value.exit_code == Exit.USAGE
    assert "--force" in caught.value.next
    assert read_deck(path) == DECKS["hard"]
    save_deck("mine", DECKS["easy"], force=True)
    assert read_deck(path) == DECKS["easy"]
    assert sorted(file.name for file in path.parent.iterdir()) == [".lock", "mine.toml"]


@pytest.mark.parametrize("name", ["a", "my-deck", "Jürgens", "絶対", "x" * 32, "10", "d2"])
def test_names_that_a_deck_can_have(name: str) -> None:
    assert check_deck_name(name) == name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "cannot be the name"),
        ("x" * 33, "cannot be the name"),
        ("../x", "cannot be the name"),
        ("a b", "cannot be the name"),
        ("a.toml", "cannot be the name"),
        ("\x1b[31m", "cannot be the name"),
        ("a\0b", "cannot be the name"),
        ("-f", "cannot be the name"),
        ("D", "is a card"),
        ("hard", "a deck that ships"),
        ("HARD", "a deck that ships"),
        ("con", "cannot be the name"),
        ("LPT1", "cannot be the name"),
    ],
)
def test_names_that_no_deck_can_have(name: str, says: str, home: Path) -> None:
    with pytest.raises(DeckNameRefused, match=says) as caught:
        save_deck(name, DECKS["hard"])
    assert caught.value.what.isprintable()
    assert caught.value.exit_code == Exit.USAGE
    assert not home.exists()


def test_a_folder_that_cannot_be_written(home: Path) -> None:
    home.mkdir()
    (home / "decks").write_text("no folder")
    with pytest.raises(DeckNotWritten, match="decks cannot be written") as caught:
        save_deck("mine", DECKS["hard"])
    assert caught.value.exit_code == Exit.FAULT


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_nothing_is_written_through_a_link(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (home / "decks").mkdir(parents=True)
    os.symlink(target, home / "decks" / "mine.toml")
    with pytest.raises(DeckStands):
        save_deck("mine", DECKS["hard"])
    save_deck("mine", DECKS["hard"], force=True)
    assert target.read_text() == "mine"
    assert not (home / "decks" / "mine.toml").is_symlink()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("+1 -2\n+3 +77 +4", (2, 4)),
        ("+1,-2,+3,x", (1, 10)),
        ('cards = ["+1", "+9"]', (1, 17)),
        ('name = "+9"\ncards = "+1 +9"', (1, 9)),
        ('cards = [\n  "+1",\n  "-9",\n]', (3, 4)),
        ('name = "x"\n kind = 1\ncards = ""', (2, 2)),
        ("cards = 5", (1, 1)),
        ('cards = ["+1",', (1, None)),
    ],
)
def test_what_is_wrong_in_a_text_has_its_place(text: str, place: tuple[int, int | None]) -> None:
    with pytest.raises(DeckFileError, match=r"^pasted") as caught:
        read_deck_text(text, "pasted")
    assert (caught.value.line, caught.value.column) == place


def test_a_text_with_a_comment_is_a_deck() -> None:
    line = "D D 2&4 2&4 3&6 3&6 ±1T ±1T 1±2 1±2 # from hell"
    assert read_deck_text(line, "pasted") == DECKS["from-hell"]
