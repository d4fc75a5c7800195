"""The only code that touches the user's files."""

from pazaak_p2p.store.decks import load_deck, own_decks, read_deck
from pazaak_p2p.store.errors import DeckFileError, RecordError, UnknownDeck, UnknownUser
from pazaak_p2p.store.folders import (
    config_folder,
    data_folder,
    deck_folder,
    expanded,
    match_folder,
)
from pazaak_p2p.store.record import NoRecord, RecordWriter

__all__ = [
    "DeckFileError",
    "NoRecord",
    "RecordError",
    "RecordWriter",
    "UnknownDeck",
    "UnknownUser",
    "config_folder",
    "data_folder",
    "deck_folder",
    "expanded",
    "load_deck",
    "match_folder",
    "own_decks",
    "read_deck",
]
