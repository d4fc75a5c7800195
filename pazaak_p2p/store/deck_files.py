"""The user's own side decks as files: ``decks/NAME.toml``, made and replaced whole."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.rules import DECKS, Card, CardError, SideDeck, format_deck
from pazaak_p2p.store.folders import deck_folder
from pazaak_p2p.store.safe_files import place, replace, writing
from pazaak_p2p.store.trust_errors import TrustFileError
from pazaak_p2p.text import printable

MOST_NAME: Final = 32
# What names mean on Windows, with any ending.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)


class DeckNameRefused(UsageError):
    """That cannot be the name of a deck."""

    code = "deck-name"
    why = f"A name has 1 to {MOST_NAME} letters, digits, - and _, such as my-deck."
    next = "Take another name."


class DeckStands(UsageError):
    """There is a deck of that name already."""

    code = "deck-stands"
    why = "Nothing is overwritten unless you say so."
    next = "Take another name, or replace that deck with --force."


class DeckNotWritten(PazaakError):
    """The deck cannot be written."""

    code = "deck-write"
    why = "The system did not say why."
    next = "Make room or mend the permissions there, or set PAZAAK_HOME to another folder."


def check_deck_name(name: str) -> str:
    """*name*, if a deck of the user's own can have it. Raises :class:`DeckNameRefused`."""
    shown = printable(name, 40)
    if not 0 < len(name) <= MOST_NAME or not all(ch.isalnum() or ch in "-_" for ch in name):
        raise DeckNameRefused(f"{shown!r} cannot be the name of a deck.")
    if name[0] in "-_":
        raise DeckNameRefused(
            f"{shown!r} cannot be the name of a deck.", why="It would be taken for an option."
        )
    if name.casefold() in DECKS:
        raise DeckNameRefused(
            f"{shown!r} is the name of a deck that ships.", why="Those stay as they are."
        )
    if name.casefold() in _DEVICES:
        raise DeckNameRefused(
            f"{shown!r} cannot be the name of a deck.", why="Windows means a device by it."
        )
    try:
        Card.parse(name)
    except CardError:
        return name
    raise DeckNameRefused(f"{shown!r} is a card, not the name of a deck.")


def deck_path(name: str) -> Path:
    """Where the user's own deck *name* is, if there is one. Raises :class:`DeckNameRefused`."""
    return deck_folder() / f"{check_deck_name(name)}.toml"


def deck_toml(name: str, cards: SideDeck, *, ascii: bool = False) -> str:
    """The text of a deck's file; *name* is one that a deck can have, so needs no escapes."""
    return f'name = "{name}"\ncards = "{format_deck(cards, ascii)}"\n'


def save_deck(name: str, cards: SideDeck, *, force: bool = False) -> Path:
    """Write *cards* as the user's own deck *name*; its file.

    With *force* in the place of one that is there. Raises :class:`DeckNameRefused`,
    :class:`DeckStands` or :class:`DeckNotWritten`.
    """
    path = deck_path(name)
    data = deck_toml(name, cards).encode()
    try:
        with writing(path.parent):
            try:
                (replace if force else place)(path, data)
            except FileExistsError as error:
                raise DeckStands(f"There is a deck {name!r} already.") from error
    except TrustFileError as error:
        raise DeckNotWritten(error.what, why=error.why, next=error.next) from error
    return path
