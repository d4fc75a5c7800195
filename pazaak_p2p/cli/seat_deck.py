"""The side deck of a seat: the one that is named, or the one used last, or the standard one."""

from __future__ import annotations

from typing import Final

import click

from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.rules import DECKS, DeckError, Rules, SideDeck, check_deck, format_deck
from pazaak_p2p.store import load_deck
from pazaak_p2p.store.last_deck import NotRemembered, recall_deck, remember_deck

STANDARD_DECK: Final = "balanced"
assert STANDARD_DECK in DECKS


def seat_deck(named: str | None, rules: Rules | None, *, seeded: bool, quiet: bool) -> str:
    """The ten cards to play with, on one line.

    *named* is what the user named, None for nothing; *rules* are None where the other side chooses
    them. A *seeded* match always comes out the same, so it neither uses nor leaves a memory. What
    is wrong with the memory is said on standard error, and unless *quiet* also that it was used.
    Raises what is wrong with a deck that was named.
    """
    if named is not None:
        cards = load_deck(named)
        if rules is not None:
            check_deck(cards, rules)
        if not seeded:
            _remember(named, cards)
    else:
        cards = DECKS[STANDARD_DECK] if seeded else _recall(rules, quiet=quiet)
    return format_deck(cards)


def _remember(named: str, cards: SideDeck) -> None:
    try:
        remember_deck(named, cards)
    except PazaakError as error:
        _tell(f"pazaak: The deck will not be remembered. {error.why}")


def _recall(rules: Rules | None, *, quiet: bool) -> SideDeck:
    standard = DECKS[STANDARD_DECK]
    try:
        found = recall_deck()
        if found is None:
            return standard
        last, cards = found
        if rules is not None:
            check_deck(cards, rules)
    except NotRemembered as error:
        _tell(describe_failure(error))
        _tell(f"You play with the standard deck, {STANDARD_DECK!r}.")
        return standard
    except DeckError as error:
        _tell(
            f"The deck that you used last, {last.label}, is not for these rules"
            f" ({error.why.rstrip('.')}): you play with the standard deck, {STANDARD_DECK!r}."
        )
        return standard
    if not quiet:
        _tell(f"Your side deck is {last.label}, the last you used; --deck takes another.")
    return cards


def _tell(line: str) -> None:
    click.echo(line, err=True)
