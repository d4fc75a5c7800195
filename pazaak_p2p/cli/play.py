"""``pazaak play``"""

from __future__ import annotations

import socket
from functools import partial

import click
import trio

from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import Entrant, seat_options
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.seat import SeatPlayer, run_seat, with_seat
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.cli.tutorial import run_tutorial
from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.net.pair import run_both
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating, JoinSeating
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import check_deck, parse_rules
from pazaak_p2p.store import NoRecord, RecordWriter, match_folder
from pazaak_p2p.text import printable
from pazaak_p2p.wire import Role

STANDARD = "threshold"
_EPILOG = """\
\b
Examples:
  pazaak play
  pazaak play --against threshold:19 --deck wanderer
  pazaak play --tutorial
  pazaak play --bot random --json
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--against",
    metavar="BOT",
    default=STANDARD,
    show_default=True,
    help="The bot to play against (see: bot list).",
)
@click.option(
    "--against-deck",
    metavar="DECK",
    help="The bot's side deck; without it, the same as yours.",
)
@click.option(
    "--tutorial",
    is_flag=True,
    help="A match that explains the game as it comes, in five minutes. Nothing of it is kept.",
)
@seat_options
def command(
    against: str,
    against_deck: str | None,
    tutorial: bool,
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
    could. With --bot a bot plays your seat too.
    """
    if tutorial:
        _check_alone(
            against=None if against == STANDARD else against,
            against_deck=against_deck,
            rules=rules,
            deck=deck,
            bot=bot,
            seed=seed,
            json="" if json else None,
        )
        return run_tutorial(look, name=name, debug=debug)
    # R20: between bots nobody gets tired of ties, so there is an end to them.
    agreed = parse_rules(rules or ("standard" if bot is None else "standard,max_sets=99"))
    cards = seat_deck(deck, agreed, seeded=seed is not None, quiet=json or bot is not None)
    entrant = Entrant(seat=0, name=name, deck=cards, bot=bot, seed=seed)
    opponent = Entrant(
        seat=1, name=printable(against, 32), deck=against_deck or cards, bot=against, seed=seed
    )
    check_deck(opponent.deck, agreed)
    pump: Pump | None = None

    async def against_other(seat: SeatPlayer) -> MatchReport:
        return await with_seat(opponent, partial(work, seat), output, json=json, debug=debug)

    async def work(seat: SeatPlayer, other_seat: SeatPlayer) -> MatchReport:
        nonlocal pump
        ours, theirs = (LeanStream(end) for end in socket.socketpair())
        other_seat.sit(0)
        other = Pump(
            theirs,
            opponent.peer(Role.DIALLER, 0, trio.current_time()),
            opponent.name,
            JoinSeating(agreed, opponent.kit(0)),
            other_seat,
            NoRecord(),  # it would say the same as ours
        )
        seat.sit(0)
        pump = Pump(
            ours,
            entrant.peer(Role.LISTENER, 0, trio.current_time()),
            entrant.name,
            HostSeating(agreed, lambda: entrant.kit(0)),
            seat,
            RecordWriter(match_folder()),
            [output.watch("this machine")],
        )
        return (await run_both(pump, other))[0]

    code = 0
    with make_output(json=json, bot=bot is not None) as output:
        try:
            run_seat(
                entrant, against_other, output, json=json, look=look, practice=True, debug=debug
            )
        except PazaakError as error:
            code = output.failure(error, debug=debug)
        if pump is not None and pump.report is not None:
            output.result(pump.report)
    return code


def _check_alone(**options: str | None) -> None:
    """Raise ``UsageError`` if one of *options* is given: the tutorial has its own ideas of them."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"--tutorial does not go with --{name.replace('_', '-')}.",
                why="Its decks, draws and rules are chosen so that everything comes up.",
                next="Type: pazaak play --tutorial",
            )
