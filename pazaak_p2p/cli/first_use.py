"""What is told once, when somebody plays for the first time."""

from __future__ import annotations

from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.rules import DECKS
from pazaak_p2p.store import match_folder
from pazaak_p2p.text import printable


def first_words(entrant: Entrant) -> str:
    """Who the person is and with which deck, and how to change both; "" if it is not the first use.

    It is the first as long as no match has been recorded.
    """
    try:
        if any(match_folder().iterdir()):
            return ""
    except FileNotFoundError:
        pass
    except OSError:
        return ""  # whoever writes there next says what is wrong
    names = [name for name, cards in DECKS.items() if cards == entrant.deck]
    deck = f"the deck {names[0]}" if names else "a deck of your own"
    return f"You are {printable(entrant.name, 40)}, with {deck}: --name and --deck change that."
