"""``pazaak play``"""

from __future__ import annotations

import click

from pazaak_p2p.cli.at_home import AtHome, bot_name, draw_seed
from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import Entrant, seat_options
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.rules import check_deck, parse_rules

_EPILOG = """\
\b
Examples:
  pazaak play
  pazaak play --against threshold:19 --deck wanderer
  pazaak play --bot random --json
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--against",
    metavar="BOT",
    default="threshold",
    show_default=True,
    help="The bot to play against (see: bot list).",
)
@click.option(
    "--against-deck",
    metavar="DECK",
    help="The bot's side deck; without it, the same as yours.",
)
@seat_options
def command(
    against: str,
    against_deck: str | None,
    rules: str | None,
    deck: str | None,
    name: str | None,
    bot: str | None,
    seed: str | None,
    look: Look,
    json: bool,
    debug: bool,
) -> int:
    """A match against a bot, at once, on this machine, without a network.

    Both sides are real peers: the bot can no more see your hand or bend a draw than a stranger
    could. With --bot a bot plays your seat too. A match that you leave, or that breaks off by
    whatever else, is kept: pazaak resume goes on with it.
    """
    # R20: between bots nobody gets tired of ties, so there is an end to them.
    agreed = parse_rules(rules or ("standard" if bot is None else "standard,max_sets=99"))
    cards = seat_deck(deck, agreed, seeded=seed is not None, quiet=json or bot is not None)
    text = draw_seed() if seed is None else seed
    drawn = seed is None
    entrant = Entrant(seat=0, name=name, deck=cards, bot=bot, seed=text, drawn=drawn)
    opponent = Entrant(
        seat=1,
        name=bot_name(against),
        deck=against_deck or cards,
        bot=against,
        seed=text,
        drawn=drawn,
    )
    check_deck(opponent.deck, agreed)
    return AtHome(entrant, opponent).run(agreed, json=json, look=look, debug=debug)
