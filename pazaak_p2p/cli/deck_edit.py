"""``pazaak deck edit``: the deck builder at this terminal."""

from __future__ import annotations

import os
import sys

import click
from prompt_toolkit.input import create_input
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import is_dumb_terminal

from pazaak_p2p.cli.look import Look, settled
from pazaak_p2p.cli.printing import signs
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.rules import DECKS, Rules, format_deck
from pazaak_p2p.store import load_deck, read_deck
from pazaak_p2p.store.deck_files import DeckStands, deck_path, save_deck
from pazaak_p2p.text import printable
from pazaak_p2p.tui.bridge import HungUp
from pazaak_p2p.tui.deck_builder import Builder, Save
from pazaak_p2p.tui.deck_screen import AnotherDeck, DeckScreen, NotWritten
from pazaak_p2p.tui.style import style_of
from pazaak_p2p.tui.terminal import colour_depth


class NoTerminal(UsageError):
    """The deck builder needs a terminal that it can draw on."""

    code = "no-terminal"
    why = "Standard input or output is no terminal, or TERM says that it cannot move its cursor."
    next = 'The plain way is: pazaak deck import NAME "+1 -2 ±3 ..." (ten cards, or a file)'


def edit(deck: str | None, rules: Rules, *, ascii: bool) -> int:
    """Build *deck* until the user leaves; the exit code.

    Raises what is wrong with its name, and with the settings.
    """
    look, theme = settled(Look(ascii=ascii or None))
    builder = _beginning(deck, rules)
    ends = (sys.stdin, sys.stdout)
    at_terminal = all(end is not None and end.isatty() for end in ends)
    if not at_terminal or is_dumb_terminal():
        raise NoTerminal
    output = create_output(sys.stdout)
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False  # a full screen begins at its corner; there is nothing to ask
    screen = DeckScreen(
        builder,
        _write,
        signs(ascii=bool(look.ascii)),
        create_input(sys.stdin),
        output,
        style=style_of(theme),
        depth=colour_depth(os.environ),
    )
    try:
        left = run_trio(screen.run)
    except HungUp:
        return Exit.INTERRUPTED
    except PazaakError:
        _tell_unsaved(screen.builder)
        raise
    if left.interrupted and screen.builder.changed:
        _tell_unsaved(screen.builder)
        return Exit.INTERRUPTED
    return Exit.DONE


def _beginning(deck: str | None, rules: Rules) -> Builder:
    if deck is None:
        return Builder(rules=rules)
    if deck in DECKS or not deck.isprintable() or len(deck.split()) != 1:
        cards = load_deck(deck)
        return Builder(cards=cards, rules=rules, source=printable(deck, 60), kept=cards)
    if os.sep in deck or deck.endswith((".toml", ".txt")):
        cards = load_deck(deck)
        return Builder(cards=cards, rules=rules, source=printable(deck, 60), kept=cards)
    path = deck_path(deck)
    if not path.exists():
        return Builder(rules=rules, name=deck)
    cards = read_deck(path)
    return Builder(cards=cards, rules=rules, name=deck, kept=cards, on_disk=True)


def _write(save: Save) -> None:
    try:
        save_deck(save.name, save.cards, force=save.force)
    except DeckStands as error:
        raise AnotherDeck from error
    except PazaakError as error:
        raise NotWritten(f"{error.what} {error.why}") from error


def _tell_unsaved(builder: Builder) -> None:
    """So that a signal takes nobody's work away."""
    if builder.changed and builder.cards:
        line = format_deck(builder.cards, signs(ascii=False).ascii)
        click.echo(f"pazaak: The deck was not saved. Its cards: {line}", err=True)
