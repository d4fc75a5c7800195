"""The only code that writes the player's files: key, players, decks, records, history."""

from pazaak_p2p.store.decks import load_deck, own_decks, read_deck
from pazaak_p2p.store.errors import DeckFileError, RecordError, UnknownDeck, UnknownUser
from pazaak_p2p.store.folders import (
    config_folder,
    data_folder,
    deck_folder,
    expanded,
    match_folder,
)
from pazaak_p2p.store.journal import Journal
from pazaak_p2p.store.match_errors import (
    AmbiguousMatch,
    MatchFinished,
    MatchInUse,
    NothingSaved,
    SavedDamaged,
    SavedLater,
    SavedMatchError,
    UnknownMatch,
)
from pazaak_p2p.store.record import NoRecord, RecordWriter
from pazaak_p2p.store.saved import (
    SavedMatch,
    Standing,
    find_saved,
    forget,
    records_of,
    saved_matches,
    set_aside,
    standing,
)
from pazaak_p2p.store.saved_secrets import SavedSecrets

__all__ = [
    "AmbiguousMatch",
    "DeckFileError",
    "Journal",
    "MatchFinished",
    "MatchInUse",
    "NoRecord",
    "NothingSaved",
    "RecordError",
    "RecordWriter",
    "SavedDamaged",
    "SavedLater",
    "SavedMatch",
    "SavedMatchError",
    "SavedSecrets",
    "Standing",
    "UnknownDeck",
    "UnknownMatch",
    "UnknownUser",
    "config_folder",
    "data_folder",
    "deck_folder",
    "expanded",
    "find_saved",
    "forget",
    "load_deck",
    "match_folder",
    "own_decks",
    "read_deck",
    "records_of",
    "saved_matches",
    "set_aside",
    "standing",
]
