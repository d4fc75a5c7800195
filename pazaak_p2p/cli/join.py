"""``pazaak join``"""

from __future__ import annotations

import click
import trio

from pazaak_p2p.cli.options import Entrant, seat_options
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.cli.seat import SeatPlayer, with_seat
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import parse_address
from pazaak_p2p.net.dial import dial
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import JoinSeating
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import RecordWriter, match_folder
from pazaak_p2p.wire import Role

_EPILOG = """\
\b
Examples:
  pazaak join 192.168.1.5
  pazaak join ann.example.org:7778 --deck wanderer
  pazaak join "[fd00::5]:7778" --rules tournament --bot threshold
"""


@click.command(epilog=_EPILOG)
@click.argument("address", metavar="HOST[:PORT]")
@seat_options
def command(
    address: str,
    rules: str | None,
    deck: str | None,
    name: str | None,
    bot: str | None,
    seed: str | None,
    plain: bool,
    ascii: bool,
    json: bool,
    debug: bool,
) -> int:
    """Join the match of the host at HOST, a name or an IP address.

    The host chooses the rules. With --rules you play only if they are the ones you name.
    """
    target = parse_address(address)
    wanted = None if rules is None else parse_rules(rules)
    cards = seat_deck(deck, wanted, seeded=seed is not None, quiet=json or bot is not None)
    entrant = Entrant(seat=1, name=name, deck=cards, bot=bot, seed=seed)
    pump: Pump | None = None

    async def work(seat: SeatPlayer) -> MatchReport:
        nonlocal pump
        stream = await dial(target)
        seat.sit(0)
        pump = Pump(
            stream,
            entrant.peer(Role.DIALLER, 0, trio.current_time()),
            entrant.name,
            JoinSeating(wanted, entrant.kit(0)),
            seat,
            RecordWriter(match_folder()),
            [output.watch(stream.remote)],
        )
        return await pump.run()

    code = 0
    with make_output(json=json, bot=bot is not None) as output:
        try:
            run_trio(lambda: with_seat(entrant, work, json=json, plain=plain, ascii=ascii))
        except PazaakError as error:
            code = output.failure(error, debug=debug)
        if pump is not None and pump.report is not None:
            output.result(pump.report)
    return code
