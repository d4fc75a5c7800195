"""Which side deck was used last: the file ``last-deck.json`` of the data folder.

A convenience, so nothing depends on it: what cannot be read back is forgotten with a word, and
what cannot be written is not remembered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.rules import DECKS, SideDeck, format_deck, parse_deck
from pazaak_p2p.store.decks import own_deck_files, read_deck
from pazaak_p2p.store.folders import data_folder, deck_folder, expanded
from pazaak_p2p.store.safe_files import replace, writing
from pazaak_p2p.store.texts import BadText, read_text
from pazaak_p2p.text import printable

_NAME: Final = "last-deck.json"
_MOST_BYTES: Final = 8192


class LastDeck(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the last deck was named; exactly one field is set.

    By name where it has one, so that a deck that is edited is the edited one the next time.
    """

    shipped: str | None = None
    own: str | None = None
    file: str | None = None
    """An absolute path."""
    cards: str | None = None
    """One line."""

    @property
    def label(self) -> str:
        """What to call it to the user."""
        return printable(self.shipped or self.own or self.file or self.cards or "", 200)


class NotRemembered(PazaakError):
    """The deck that you used last cannot be used again."""

    code = "last-deck"
    next = "Name a deck with --deck; it is remembered then."


def remember_deck(text: str, cards: SideDeck) -> None:
    """Remember *cards*, which ``load_deck(text)`` gave, as the deck used last.

    Raises a ``PazaakError`` if that cannot be written.
    """
    data = msgspec.json.encode(_named(text, cards)) + b"\n"
    folder = data_folder()
    with writing(folder):
        replace(folder / _NAME, data)


def recall_deck() -> tuple[LastDeck, SideDeck] | None:
    """The deck used last, and how it was named; None if none was.

    Raises :class:`NotRemembered`, which says why it cannot be had.
    """
    path = data_folder() / _NAME
    try:
        if not path.exists():
            return None
        last = msgspec.json.decode(read_text(path, _MOST_BYTES), type=LastDeck)
        return last, _cards(last)
    except PazaakError as error:
        raise NotRemembered(why=error.what) from error
    except BadText as error:
        raise NotRemembered(why=f"{printable(str(path))}: {error.what}") from error
    except (msgspec.MsgspecError, OSError) as error:
        raise NotRemembered(
            why=f"{printable(str(path))}: it is not what was written there."
        ) from error


def _named(text: str, cards: SideDeck) -> LastDeck:
    if text in DECKS:
        return LastDeck(shipped=text)
    if len(text.replace(",", " ").split()) == 1:
        # Whether a bare name is a file here or a deck of the own folder is as load_deck has it.
        path = expanded(text)
        own = deck_folder() / f"{text}.toml"
        if path.is_file():
            return LastDeck(file=str(path.absolute()))
        if path.name == text and own.is_file():
            return LastDeck(own=text)
    return LastDeck(cards=format_deck(cards))  # typed, or from a pipe that gives it once only


def _cards(last: LastDeck) -> SideDeck:
    if sum(value is not None for value in msgspec.structs.astuple(last)) != 1:
        raise NotRemembered("it does not say which deck it was.")
    if last.shipped is not None:
        if last.shipped not in DECKS:
            raise NotRemembered(f"There is no deck {printable(last.shipped, 60)!r} any more.")
        return DECKS[last.shipped]
    if last.own is not None:
        for path in own_deck_files():  # by listing, so that no name leads out of the folder
            if path.stem == last.own:
                return read_deck(path)
        raise NotRemembered(f"There is no deck {printable(last.own, 60)!r} any more.")
    if last.file is not None:
        return read_deck(Path(last.file))
    assert last.cards is not None
    return parse_deck(last.cards)
