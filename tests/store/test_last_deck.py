"""The deck used last."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.rules import DECKS, format_deck, parse_deck
from pazaak_p2p.store import load_deck
from pazaak_p2p.store.deck_files import save_deck
from pazaak_p2p.store.last_deck import LastDeck, NotRemembered, recall_deck, remember_deck

TYPED = "+1 -2 ±3 +-4 1±2 2&4 3&6 D ±1T +6"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def use(text: str) -> None:
    remember_deck(text, load_deck(text))


def test_at_first_there_is_none() -> None:
    assert recall_deck() is None


def test_the_last_of_several() -> None:
    use("hard")
    use(TYPED)
    use("easy")
    assert recall_deck() == (LastDeck(shipped="easy"), DECKS["easy"])


def test_a_typed_deck() -> None:
    use(TYPED)
    cards = parse_deck(TYPED)
    assert recall_deck() == (LastDeck(cards=format_deck(cards)), cards)


def test_an_own_deck_is_remembered_by_name_and_so_as_it_is_now() -> None:
    save_deck("mine", DECKS["hard"])
    use("mine")
    assert recall_deck() == (LastDeck(own="mine"), DECKS["hard"])
    save_deck("mine", DECKS["easy"], force=True)
    assert recall_deck() == (LastDeck(own="mine"), DECKS["easy"])


def test_a_file_is_remembered_wherever_the_user_is_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(TYPED, "utf-8")
    use("mine.txt")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert recall_deck() == (LastDeck(file=str(file)), parse_deck(TYPED))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names there")
def test_a_pipe_is_remembered_by_its_cards() -> None:
    readable, writable = os.pipe()
    os.write(writable, TYPED.encode())
    os.close(writable)
    path = f"/dev/fd/{readable}"
    cards = load_deck(path)
    remember_deck(path, cards)
    os.close(readable)
    assert recall_deck() == (LastDeck(cards=format_deck(cards)), cards)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not what was written"),
        ("\x80", "not what was written|not UTF-8"),
        ('{"shipped": 5}', "not what was written"),
        ('{"shipped": "easy", "more": 1}', "not what was written"),
        ("[" * 5000, "not what was written"),
        ("{}", "does not say which"),
        ('{"shipped": "easy", "own": "x"}', "does not say which"),
        ('{"shipped": "hard\\u001b[31mer"}', "no deck 'hard.+31mer' any more"),
        ('{"own": "gone"}', "no deck 'gone' any more"),
        ('{"own": "../last-deck"}', "no deck '../last-deck' any more"),
        ('{"file": "/no/such"}', "cannot be read"),
        ('{"file": "a\\u0000b"}', "no file can have that name"),
        ('{"cards": "+1 +77"}', "no side card"),
        ('{"cards": "+1"}', "1 card, not 10"),
        (" " * 9000, "more than 8192 bytes"),
    ],
)
def test_a_broken_memory_says_why(home: Path, text: str, says: str) -> None:
    home.mkdir()
    (home / "last-deck.json").write_text(text, "latin-1")
    with pytest.raises(NotRemembered) as caught:
        recall_deck()
    assert re.search(says, f"{caught.value.what} {caught.value.why}")
    assert f"{caught.value.what}{caught.value.why}{caught.value.next}".isprintable()


def test_a_memory_that_cannot_be_written(home: Path) -> None:
    home.write_text("no folder")
    with pytest.raises(PazaakError, match="cannot be written"):
        use("hard")
