"""The rules of Pazaak, R1 to R21: pure values and functions, nothing random, nobody local.

>>> from pazaak_p2p.rules import Deal, Draw, Opening, Rules, apply, new_match
>>> state = new_match(Rules())
>>> for step in (Deal((0, 1, 2, 3), (0, 1, 2, 3)), Opening(7, 4), Draw(10)):
...     state = apply(state, step)
>>> state.mover, state.totals
(<Seat.HOST: 0>, (10, 0))
"""

from pazaak_p2p.rules.cards import CARDS, Card, Kind
from pazaak_p2p.rules.decks import DECKS, SideDeck, check_deck, format_deck, parse_deck
from pazaak_p2p.rules.digest import Digester, digest, public_bytes
from pazaak_p2p.rules.engine import apply, new_match
from pazaak_p2p.rules.errors import (
    CardAlreadyPlayed,
    CardError,
    CardNotAllowed,
    CardNotDealt,
    DeckError,
    ImpossibleDraw,
    ImpossibleValue,
    NotDue,
    RuleError,
    RulesOptionError,
    SecondCard,
    WrongCard,
)
from pazaak_p2p.rules.inputs import (
    Action,
    Chance,
    Deal,
    Draw,
    End,
    FirstMove,
    Input,
    Lay,
    Leave,
    Opening,
    Pass,
    Play,
    Stand,
)
from pazaak_p2p.rules.legal import legal_actions
from pazaak_p2p.rules.options import (
    PRESETS,
    Copies,
    Nine,
    Opener,
    Rules,
    Tiebreaker,
    describe,
    parse_rules,
)
from pazaak_p2p.rules.seats import Seat
from pazaak_p2p.rules.state import (
    FULL_DECK,
    HAND_SIZE,
    SLOTS,
    TARGET,
    Hand,
    HandCard,
    Outcome,
    Phase,
    Placed,
    SetEnd,
    SetResult,
    State,
    Table,
    Termination,
)
from pazaak_p2p.rules.tables import possible_values, total_after
from pazaak_p2p.rules.view import View, public, view

__all__ = [
    "CARDS",
    "DECKS",
    "FULL_DECK",
    "HAND_SIZE",
    "PRESETS",
    "SLOTS",
    "TARGET",
    "Action",
    "Card",
    "CardAlreadyPlayed",
    "CardError",
    "CardNotAllowed",
    "CardNotDealt",
    "Chance",
    "Copies",
    "Deal",
    "DeckError",
    "Digester",
    "Draw",
    "End",
    "FirstMove",
    "Hand",
    "HandCard",
    "ImpossibleDraw",
    "ImpossibleValue",
    "Input",
    "Kind",
    "Lay",
    "Leave",
    "Nine",
    "NotDue",
    "Opener",
    "Opening",
    "Outcome",
    "Pass",
    "Phase",
    "Placed",
    "Play",
    "RuleError",
    "Rules",
    "RulesOptionError",
    "Seat",
    "SecondCard",
    "SetEnd",
    "SetResult",
    "SideDeck",
    "Stand",
    "State",
    "Table",
    "Termination",
    "Tiebreaker",
    "View",
    "WrongCard",
    "apply",
    "check_deck",
    "describe",
    "digest",
    "format_deck",
    "legal_actions",
    "new_match",
    "parse_deck",
    "parse_rules",
    "possible_values",
    "public",
    "public_bytes",
    "total_after",
    "view",
]
