"""Who plays in an arena, as people type it: bots, their side decks, and many decks at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pazaak_p2p.arena.errors import ArenaError
from pazaak_p2p.arena.plan import MOST_ENTRANTS, Entrant
from pazaak_p2p.bots import find_bot
from pazaak_p2p.cli.seat_deck import STANDARD_DECK
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.rules import DECKS, Rules, check_deck
from pazaak_p2p.store import load_deck
from pazaak_p2p.text import printable

_MOST_SHOWN: Final = 60


def entrants(
    bots: Sequence[str], decks: Sequence[str], tournament: Sequence[str], rules: Rules
) -> tuple[Entrant, ...]:
    """Those that *bots* name, ``BOT`` or ``BOT@DECK``, with the side decks that they play.

    *decks* are ``BOT=DECK``, or ``DECK`` for all; with the decks of a *tournament* each bot takes
    part once with each. Raises :class:`~pazaak_p2p.arena.errors.ArenaError` and what is wrong with
    a bot or a deck.
    """
    named = [_split(bot) for bot in bots]
    general, own = _decks(decks, [bot for bot, _ in named])
    chosen: list[tuple[str, str]] = []
    every = _every(tournament)
    for bot, deck in named:
        if every and (deck is not None or decks):
            raise ArenaError(
                "Each bot plays all decks of --decks, so none can have one of its own.",
                next="Leave --deck and @DECK out, or --decks.",
            )
        if every:
            chosen += [(bot, each) for each in every]
        else:
            chosen.append((bot, deck or own.get(bot) or general))
    if len(chosen) < 2:
        raise ArenaError(
            "An arena needs two who play.",
            why="Only one was named.",
            next="Type: pazaak arena threshold random",
        )
    if len(chosen) > MOST_ENTRANTS:
        raise ArenaError(
            f"{len(chosen)} who play are too many.", why=f"There may be {MOST_ENTRANTS}."
        )
    alike = len({deck for _, deck in chosen}) == 1 and not any(deck for _, deck in named)
    made: list[Entrant] = []
    for bot, deck in chosen:
        cards = load_deck(deck)
        check_deck(cards, rules)
        shown, shown_deck = printable(bot, _MOST_SHOWN), printable(deck, _MOST_SHOWN)
        name = shown if alike else f"{shown}@{shown_deck}"
        made.append(Entrant(_unlike(name, made), bot, cards, shown_deck))
    return tuple(made)


def _unlike(name: str, others: Sequence[Entrant]) -> str:
    """*name*, with a number behind it if another has it."""
    taken, number, free = {other.name for other in others}, 1, name
    while free in taken:
        number += 1
        free = f"{name}#{number}"
    return free


def _split(text: str) -> tuple[str, str | None]:
    """Bot and deck of ``BOT@DECK``; no deck where what is behind the last ``@`` is none."""
    bot, at, deck = text.rpartition("@")
    wrong: PazaakError | None = None
    if at:
        try:
            load_deck(deck)
        except PazaakError as error:
            wrong = error
        else:
            find_bot(bot)
            return bot, deck
    try:
        find_bot(text)
    except PazaakError:
        if wrong is not None and _is_bot(bot):
            raise wrong from None
        raise
    return text, None


def _is_bot(text: str) -> bool:
    try:
        find_bot(text)
    except PazaakError:
        return False
    return True


def _decks(decks: Sequence[str], bots: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The deck of all, and those of single bots."""
    general, own = STANDARD_DECK, {}
    for text in decks:
        bot, equals, deck = text.rpartition("=")
        if not equals:
            general = text
        elif bot in bots:
            own[bot] = deck
        else:
            raise ArenaError(
                f"No bot {printable(bot, _MOST_SHOWN)!r} plays here.",
                why=f"--deck BOT=DECK takes one of {', '.join(map(printable, bots))}.",
                next="Write the bot as you have written it among those who play.",
            )
    return general, own


def _every(tournament: Sequence[str]) -> list[str]:
    """The decks of a tournament: names with commas between, ten cards, or all that ship."""
    found: list[str] = []
    for text in tournament:
        if text == "all":
            found += DECKS
        elif " " in text.strip():
            found.append(text)
        else:
            found += [part for part in text.split(",") if part]
    return list(dict.fromkeys(found))
