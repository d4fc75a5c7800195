"""``pazaak host``"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import click
import trio

from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.cli.options import Entrant, seat_options
from pazaak_p2p.cli.output import Output, make_output
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.cli.seat import SeatPlayer, with_seat
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import STANDARD_PORT
from pazaak_p2p.net.addresses import ways
from pazaak_p2p.net.errors import PortInUse
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating, Kit
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import Rules, parse_rules
from pazaak_p2p.store import RecordWriter, match_folder
from pazaak_p2p.wire import Role

_WINDOWS: Final = os.name == "nt"

_EPILOG = """\
\b
Examples:
  pazaak host                               wait on port 7777, play once
  pazaak host --port 7778 --rules tournament
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
@seat_options
def command(
    port: int,
    bind: str | None,
    once: bool,
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
    """Wait for one opponent on the network.

    Prints, for each address of this machine, the line that the other side types.
    """
    agreed = parse_rules(rules or "standard")
    cards = seat_deck(deck, agreed, seeded=seed is not None, quiet=json or bot is not None)
    entrant = Entrant(seat=0, name=name, deck=cards, bot=bot, seed=seed)
    records = match_folder()  # a folder that cannot be is told now, not to the first opponent
    house: _House | None = None

    async def work(seat: SeatPlayer) -> MatchReport:
        nonlocal house
        try:
            listeners = await listen(port, bind)
        except PortInUse as error:
            error.next = f"Type: {_with_port(sys.argv[1:], error.free)}"
            raise
        bound = [listener.socket.getsockname()[:2] for listener in listeners]
        output.listening(ways(bound), bound[0][1])
        house = _House(entrant, agreed, seat, output, records, forever=not once, debug=debug)
        return await keep_door(listeners, house, forever=not once)

    with make_output(json=json, bot=bot is not None) as output:
        try:
            run_trio(lambda: with_seat(entrant, work, json=json, plain=plain, ascii=ascii))
        except PazaakError as error:
            if house is None:
                raise
            return house.close(error)
    return 0


class _House:
    """What the host's door opens to."""

    def __init__(
        self,
        entrant: Entrant,
        rules: Rules,
        seat: SeatPlayer,
        output: Output,
        records: Path,
        *,
        forever: bool,
        debug: bool,
    ) -> None:
        self._entrant = entrant
        self._rules = rules
        self._seat = seat
        self._output = output
        self._records = records
        self._forever = forever
        self._debug = debug
        self._sessions = 0
        self._matches = 0
        self._playing: Pump | None = None
        self._told: PazaakError | None = None

    def receive(self, stream: LeanStream, claim: Callable[[], None]) -> Pump:
        def take() -> Kit:
            claim()
            match = self._matches
            self._matches += 1
            self._playing = pump
            self._seat.sit(match)
            return self._entrant.kit(match)

        session = self._sessions
        self._sessions += 1
        pump = Pump(
            stream,
            self._entrant.peer(Role.LISTENER, session, trio.current_time()),
            self._entrant.name,
            HostSeating(self._rules, take),
            self._seat,
            RecordWriter(self._records),
            [self._output.watch(stream.remote)],
        )
        return pump

    def stranger(self, address: str, what: str) -> None:
        # Not while a match is on: the screen is the player's then.
        if self._playing is None:
            what = what.rstrip(".")
            self._output.complain(f"pazaak: {address} is no opponent: {what}. Still waiting.")

    async def turned_down(self, error: PazaakError) -> None:
        await self._seat.leave()
        self._playing = None
        self._output.complain(f"{describe_failure(error)}\nStill waiting.")
        await self._output.settled()

    async def finished(self, report: MatchReport | None, error: PazaakError | None) -> None:
        await self._seat.leave()
        if error is not None:
            self._told = error
            self._output.failure(error, debug=self._debug)
        if report is not None:
            self._output.result(report)
        if self._forever:
            self._output.complain("Waiting for the next opponent; Ctrl-C ends.")
        await self._output.settled()
        self._playing = None

    def close(self, error: PazaakError) -> int:
        """Say what ended the program, and how the match that was on came out; the exit code."""
        if error is not self._told:
            self._output.failure(error, debug=self._debug)
        if self._playing is not None and self._playing.report is not None:
            self._output.result(self._playing.report)
        return error.exit_code


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
