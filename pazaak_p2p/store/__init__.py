"""The only code that touches the user's files."""

from pazaak_p2p.store.decks import load_deck, own_decks, read_deck
from pazaak_p2p.store.errors import DeckFileError, RecordError, UnknownDeck
from pazaak_p2p.store.folders import config_folder, data_folder, deck_folder, match_folder
from pazaak_p2p.store.record import NoRecord, RecordWriter

__all__ = [
    "DeckFileError",
    "NoRecord",
    "RecordError",
    "RecordWriter",
    "UnknownDeck",
    "config_folder",
    "data_folder",
    "deck_folder",
    "load_deck",
    "match_folder",
    "own_decks",
    "read_deck",
]
