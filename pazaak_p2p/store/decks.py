"""Side decks by name, from a file, or typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from pazaak_p2p.rules import (
    DECKS,
    PRESETS,
    Card,
    CardError,
    DeckError,
    SideDeck,
    check_deck,
    parse_deck,
)
from pazaak_p2p.store.errors import DeckFileError, DeckUnreadable, UnknownDeck
from pazaak_p2p.store.folders import deck_folder, expanded
from pazaak_p2p.store.texts import BadText, parse_toml, read_text
from pazaak_p2p.text import printable

MOST_BYTES: Final = 16_384
"""A larger deck file is refused."""
_SUFFIXES: Final = (".toml", ".txt")


def load_deck(text: str) -> SideDeck:
    """The side deck that *text* means.

    That is, in this order: ten cards (``"+1 -2 ±3 ..."``); a deck that ships; a file, if *text*
    looks like one (it has a folder, or ends in ``.toml`` or ``.txt``) or is one; a deck of the
    user's own folder; a deck that ships, in capitals perhaps. Raises :class:`UnknownDeck`,
    :class:`DeckFileError`, ``UnknownUser``, or ``CardError`` or ``DeckError`` for a typed deck.
    """
    if len(text.replace(",", " ").split()) > 1 or _is_card(text):
        return parse_deck(text)
    if text in DECKS:
        return DECKS[text]
    path = expanded(text)
    looks_like_file = path.name != text or path.suffix.lower() in _SUFFIXES
    if looks_like_file or _is_file(path):
        return read_deck(path)
    own = deck_folder() / f"{text}.toml"
    if text and _is_file(own):
        return read_deck(own)
    if text.lower() in DECKS:
        return DECKS[text.lower()]
    names = ", ".join([*DECKS, *own_decks()])
    raise UnknownDeck(
        f"There is no side deck {printable(text, 60)!r}.", why=f"The decks are {names}."
    )


def own_decks() -> list[str]:
    """The names of the decks in the user's own folder."""
    return [printable(path.stem, 60) for path in own_deck_files()]


def own_deck_files() -> list[Path]:
    """The files of the decks in the user's own folder, by name."""
    try:
        return sorted(deck_folder().glob("*.toml"))
    except OSError:
        return []


def read_deck(path: Path) -> SideDeck:
    """The side deck in the file *path*; see :func:`read_deck_text`. Raises ``DeckFileError``."""
    file = str(path)
    try:
        text = read_text(path, MOST_BYTES)
    except BadText as error:
        kind = DeckUnreadable if isinstance(error.__cause__, OSError) else DeckFileError
        raise kind(file, error.what, line=error.line) from error
    return read_deck_text(text, file, toml=path.suffix.lower() == ".toml")


def read_deck_text(text: str, source: str, *, toml: bool = False) -> SideDeck:
    """The side deck that *text* holds: TOML, or the cards as plain text.

    TOML has ``cards``, an array of cards or one text, and may have a ``name``; a text with such
    settings is taken for TOML without *toml* too. Plain text holds ten cards on any number of
    lines; what follows a ``#`` does not count. Raises ``DeckFileError``, which names *source*.
    """
    if toml or re.search(r"^[ \t]*\w+[ \t]*=", text, re.MULTILINE):
        cards = _toml_cards(text, source)
    else:
        cards = _plain_cards(text, source)
    try:
        # Only the size can be wrong here: the rules of a match are not known yet.
        check_deck(cards, PRESETS["standard"])
    except DeckError as error:
        raise DeckFileError(source, error.what, why=error.why) from error
    return cards


def _plain_cards(text: str, file: str) -> SideDeck:
    cards = []
    for number, line in enumerate(text.split("\n"), start=1):
        for match in re.finditer(r"[^\s,]+", line.partition("#")[0]):
            try:
                cards.append(Card.parse(match[0]))
            except CardError as error:
                raise DeckFileError(
                    file, error.what, line=number, column=match.start() + 1, why=error.why
                ) from error
    return tuple(cards)


def _toml_cards(text: str, file: str) -> SideDeck:
    try:
        table = parse_toml(text)
    except BadText as error:
        raise DeckFileError(file, error.what, line=error.line, column=error.column) from error
    for key in table:
        if key not in ("name", "cards"):
            line, column = _place_of(text, key)
            raise DeckFileError(
                file,
                f"there is no setting {printable(key, 40)!r}.",
                line=line,
                column=column,
                why="A deck has cards and may have a name.",
            )
    cards = table.get("cards")
    if isinstance(cards, str):
        cards = cards.replace(",", " ").split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        line, column = _place_of(text, "cards")
        raise DeckFileError(file, 'it has no cards = ["+1", ...].', line=line, column=column)
    found = []
    for card in cards:
        try:
            found.append(Card.parse(card))
        except CardError as error:
            line, column = _place_of(text, card)
            raise DeckFileError(
                file, error.what, line=line, column=column, why=error.why
            ) from error
    return tuple(found)


def _place_of(text: str, word: str) -> tuple[int | None, int | None]:
    """Line and column of the first *word* that stands by itself: as a rule the one that is meant.

    TOML that has been read does not tell any more where its values stood.
    """
    pattern = rf"(?<![^\s\"',\[]){re.escape(word)}(?![^\s\"',\]=])"
    for number, line in enumerate(text.split("\n"), start=1):
        if word and (match := re.search(pattern, line)):
            return number, match.start() + 1
    return None, None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def _is_card(text: str) -> bool:
    try:
        Card.parse(text)
    except CardError:
        return False
    return True
