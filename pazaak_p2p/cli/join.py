"""``pazaak join``"""

from __future__ import annotations

import click
import trio

from pazaak_p2p.cli.introduction import introductions, trust_option
from pazaak_p2p.cli.options import Entrant, seat_options
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.cli.seat import SeatPlayer, with_seat
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import parse_address
from pazaak_p2p.net.dial import dial
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import JoinSeating
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import RecordWriter, match_folder
from pazaak_p2p.store.meeting import NameTaken
from pazaak_p2p.wire import Role
from pazaak_p2p.wire.events import Greeted

_EPILOG = """\
\b
Examples:
  pazaak join 192.168.1.5
  pazaak join ann.example.org:7778 --deck wanderer
  pazaak join "[fd00::5]:7778" --rules tournament --bot threshold
"""


@click.command(epilog=_EPILOG)
@click.argument("address", metavar="HOST[:PORT]")
@trust_option
@seat_options
def command(
    address: str,
    rules: str | None,
    deck: str,
    name: str | None,
    bot: str | None,
    seed: str | None,
    plain: bool,
    ascii: bool,
    json: bool,
    debug: bool,
    trust: tuple[str, ...],
) -> int:
    """Join the match of the host at HOST, a name or an IP address.

    The host chooses the rules. With --rules you play only if they are the ones you name.
    """
    target = parse_address(address)
    entrant = Entrant(seat=1, name=name, deck=deck, bot=bot, seed=seed, known=True)
    wanted = None if rules is None else parse_rules(rules)
    known = introductions(entrant, trust)
    pump: Pump | None = None
    sessions = 0

    async def play(seat: SeatPlayer) -> MatchReport:
        nonlocal pump, sessions
        stream = await dial(target)
        session, sessions = sessions, sessions + 1
        seat.sit(0)

        def welcome(event: Greeted) -> None:
            seat.tell(known.introduce(event))

        pump = Pump(
            stream,
            entrant.peer(Role.DIALLER, session, trio.current_time()),
            entrant.name,
            JoinSeating(wanted, entrant.kit(0), welcome),
            seat,
            RecordWriter(match_folder()),
            [output.watch(stream.remote), known.watch()],
        )
        return await pump.run()

    async def work(seat: SeatPlayer) -> MatchReport:
        while True:
            try:
                return await play(seat)
            except NameTaken as taken:
                await seat.leave()
                if not await known.ask(taken, output):
                    raise

    code = 0
    with make_output(json=json, bot=bot is not None) as output:
        try:
            run_trio(lambda: with_seat(entrant, work, json=json, plain=plain, ascii=ascii))
        except PazaakError as error:
            code = output.failure(error, debug=debug)
        if pump is not None and pump.report is not None:
            output.result(pump.report)
        known.tell_trouble(output)
    return code
