"""Side decks by name, from a file, or typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.rules import DECKS, CardError, DeckError, parse_deck
from pazaak_p2p.store import DeckFileError, UnknownDeck, load_deck, own_decks
from pazaak_p2p.store.decks import read_deck

LINE = "+1 -2 ±3 +-4 1±2 2&4 3&6 D ±1T +6"
CARDS = parse_deck(LINE)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize("name", DECKS)
def test_a_deck_that_ships(name: str) -> None:
    assert load_deck(name) == DECKS[name]


def test_a_deck_that_ships_in_capitals() -> None:
    assert load_deck("Wanderer") == DECKS["wanderer"]


@pytest.mark.parametrize(
    "text",
    [LINE, LINE.replace(" ", ","), LINE.replace("±", "+-"), LINE.replace("±", "+/-")],
)
def test_a_typed_deck(text: str) -> None:
    assert load_deck(text) == CARDS


@pytest.mark.parametrize("name", ["my.txt", "my"])
@pytest.mark.parametrize(
    "text",
    [
        LINE + "\n",
        "# mine\n" + LINE.replace(" ", "\n") + "  # the last\n",
        "\ufeff" + LINE,
        LINE.replace(" ", " \r\n"),
    ],
)
def test_a_deck_file_of_plain_text(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert load_deck(str(file)) == CARDS


@pytest.mark.parametrize("name", ["my.toml", "my.TOML", "my.txt", "my"])
@pytest.mark.parametrize(
    "text",
    [
        f'cards = "{LINE}"\n',
        'name = "mine"\ncards = [' + ", ".join(f'"{card}"' for card in LINE.split()) + "]\n",
    ],
)
def test_a_deck_file_of_toml(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert load_deck(str(file)) == CARDS


def test_a_deck_of_the_users_own_folder(home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    (home / "decks" / "mine.toml").write_text(f'cards = "{LINE}"', encoding="utf-8")
    assert load_deck("mine") == CARDS
    assert own_decks() == ["mine"]
    with pytest.raises(UnknownDeck, match="mien") as caught:
        load_deck("mien")
    assert "starter" in caught.value.why
    assert "mine" in caught.value.why


@pytest.mark.parametrize("text", ["", "starterr", "+", "x" * 5000, "no\0such"])
def test_an_unknown_deck(text: str) -> None:
    with pytest.raises(UnknownDeck) as caught:
        load_deck(text)
    assert caught.value.exit_code == Exit.USAGE
    assert caught.value.what.isprintable()


def test_a_typed_deck_with_an_unknown_card() -> None:
    with pytest.raises(CardError, match=r"\+19") as caught:
        load_deck("+1 -2 +19 +4 +5 +6 -1 -2 -3 -4")
    assert caught.value.exit_code == Exit.USAGE


@pytest.mark.parametrize("text", ["+1", "+1 +2", " ".join(["+1"] * 11)])
def test_a_typed_deck_of_another_size(text: str) -> None:
    with pytest.raises(DeckError, match="not 10"):
        load_deck(text)


def broken(tmp_path: Path, name: str, data: bytes) -> DeckFileError:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(DeckFileError) as caught:
        load_deck(str(file))
    assert caught.value.what.startswith(str(file))
    assert caught.value.exit_code == Exit.USAGE
    return caught.value


def test_a_plain_file_with_an_unknown_card_names_line_and_column(tmp_path: Path) -> None:
    error = broken(tmp_path, "my.txt", b"+1 -2\n+3 +77 +4\n")
    assert (error.line, error.column) == (2, 4)
    assert "line 2, column 4: There is no side card '+77'." in error.what


def test_a_broken_toml_file_names_line_and_column(tmp_path: Path) -> None:
    error = broken(tmp_path, "my.toml", b'name = "x"\ncards = ["+1", \n  oops\n')
    assert error.line == 3
    assert error.column is not None
    assert "no valid TOML" in error.what


def test_a_toml_file_with_an_unknown_card_names_the_line(tmp_path: Path) -> None:
    error = broken(tmp_path, "my.toml", b'cards = [\n"+1",\n"+9",\n]\n')
    assert error.line == 3
    assert "'+9'" in error.what


@pytest.mark.parametrize(
    ("data", "says", "line"),
    [
        (b"", "no cards, not 10", None),
        (b"+1 +2", "2 cards, not 10", None),
        (b'cards = ["+1"]', "1 card, not 10", None),
        (b"cards = [1, 2]\n", "it has no cards", 1),
        (b'name = "x"\n', "it has no cards", None),
        (b'cards = "+1"\nkind = 3\n', "no setting 'kind'", 2),
        (b"+1 \xff\n", "not UTF-8", 1),
        (b"+1\n+2\n\x80", "not UTF-8", 3),
        (b"\x1b[31m +1", "no side card", 1),
        (b" " * 200_000, "more than 16384 bytes", None),
    ],
)
def test_a_broken_file_says_what_is_wrong(
    tmp_path: Path, data: bytes, says: str, line: int | None
) -> None:
    error = broken(tmp_path, "deck", data)
    assert says in error.what
    assert error.line == line
    assert error.what.isprintable()


@pytest.mark.parametrize("name", ["missing.toml", "folder/missing", "."])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(PazaakError, match="cannot be read") as caught:
        load_deck(str(tmp_path / name))
    assert isinstance(caught.value, DeckFileError)


@pytest.mark.parametrize("text", ["\n" * 16_000, ".".join(["a"] * 8_000) + "=1", "a={" * 5_000])
def test_hostile_deck_files_are_refused_at_once(tmp_path: Path, text: str) -> None:
    file = tmp_path / "deck.toml"
    file.write_text(text)
    with pytest.raises(DeckFileError):
        read_deck(file)
    file.rename(tmp_path / "deck")
    with pytest.raises(DeckFileError):
        read_deck(tmp_path / "deck")
