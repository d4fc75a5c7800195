"""``pazaak host``"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

import click

from pazaak_p2p.cli.code_options import code_from_file, code_options
from pazaak_p2p.cli.house import House
from pazaak_p2p.cli.introduction import introductions, trust_option
from pazaak_p2p.cli.keeping import Route, keep_options
from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import NOT_ENCRYPTED, Entrant, network_options, seat_options
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.seat import SeatPlayer, Sitting, run_seat
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import STANDARD_PORT
from pazaak_p2p.net.addresses import ways
from pazaak_p2p.net.certificate import make_credentials
from pazaak_p2p.net.errors import PortInUse
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import match_folder

_WINDOWS: Final = os.name == "nt"

_EPILOG = """\
\b
Examples:
  pazaak host                               wait on port 7777, play once
  pazaak host --port 7778 --rules tournament
  pazaak host --code                        only who knows the code that it prints can join
  pazaak host --serve --bot threshold:18    a bot that plays whoever comes
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=STANDARD_PORT,
    show_default=True,
    help="Port to listen on; 0 takes any free one.",
)
@click.option("--bind", metavar="ADDR", help="Listen on this address only, not on all.")
@click.option(
    "--once/--serve",
    default=True,
    help="End after one match (that is standard), or go on for ever.",
)
@code_options("Print a join code; only who knows it can join.")
@keep_options
@trust_option
@network_options
@seat_options
def command(
    port: int,
    bind: str | None,
    once: bool,
    code: bool,
    code_file: str | None,
    insecure_plain: bool,
    rules: str | None,
    deck: str | None,
    name: str | None,
    bot: str | None,
    seed: str | None,
    look: Look,
    json: bool,
    debug: bool,
    trust: tuple[str, ...],
    grace: float,
    no_sync: bool,
) -> int:
    """Wait for one opponent on the network.

    Prints, for each address of this machine, the line that the other side types.
    """
    agreed = parse_rules(rules or "standard")
    cards = seat_deck(deck, agreed, seeded=seed is not None, quiet=json or bot is not None)
    entrant = Entrant(seat=0, name=name, deck=cards, bot=bot, seed=seed, known=True)
    given = code_from_file(code, code_file)
    records = match_folder()  # a folder that cannot be is told now, not to the first opponent
    known = introductions(entrant, trust)
    house: House | None = None

    async def work(seat: SeatPlayer) -> MatchReport:
        nonlocal house
        try:
            listeners = await listen(port, bind)
        except PortInUse as error:
            error.next = f"Type: {_with_port(sys.argv[1:], error.free)}"
            raise
        credentials = None if insecure_plain else make_credentials()
        bound = [listener.socket.getsockname()[:2] for listener in listeners]
        house = House(
            entrant,
            seat,
            output,
            records,
            known,
            Route(True, bind or "", bound[0][1], insecure_plain),
            rules=agreed,
            grace=grace,
            sync=not no_sync,
            forever=not once,
            debug=debug,
        )
        if code or given is not None:
            house.ask_for_code(given)
        found = ways(bound, insecure_plain=insecure_plain)
        output.listening(found, bound[0][1], code=house.gate is not None)
        return await keep_door(listeners, house, credentials, forever=not once)

    with make_output(json=json, bot=bot is not None) as output:
        if insecure_plain:
            output.complain(NOT_ENCRYPTED)
        try:
            sitting = Sitting(json=json, look=look, keeps=True, debug=debug)
            run_seat(entrant, work, output, sitting)
        except PazaakError as error:
            if house is None:
                raise
            return house.close(error)
    return 0


def _with_port(arguments: Sequence[str], port: int) -> str:
    """The command line *arguments*, with another port."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument.startswith("--port="):
            skip = False
        elif argument == "--port":
            skip = True
        else:
            kept.append(argument)
    words = ["pazaak", *kept, "--port", str(port)]
    return subprocess.list2cmdline(words) if _WINDOWS else shlex.join(words)
