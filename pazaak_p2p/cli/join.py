"""``pazaak join``"""

from __future__ import annotations

import click

from pazaak_p2p.cli.code_options import code_from_file, code_from_person, code_options
from pazaak_p2p.cli.guest import Guest
from pazaak_p2p.cli.introduction import introductions, trust_option
from pazaak_p2p.cli.keeping import Keeping, Route, keep_options
from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import NOT_ENCRYPTED, Entrant, network_options, seat_options
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.seat import SeatPlayer, Sitting, run_seat
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import parse_address
from pazaak_p2p.net.errors import CannotConnect, Left
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import match_folder
from pazaak_p2p.store.meeting import NameTaken
from pazaak_p2p.wire.errors import CodeRequired

_EPILOG = """\
\b
Examples:
  pazaak join 192.168.1.5
  pazaak join 192.168.1.5 --code            asks for the code that the host prints
  pazaak join ann.example.org:7778 --deck wanderer
  pazaak join "[fd00::5]:7778" --rules tournament --bot threshold
"""


@click.command(epilog=_EPILOG)
@click.argument("address", metavar="HOST[:PORT]")
@code_options("Ask for the join code that the host prints, before connecting.")
@keep_options
@trust_option
@network_options
@seat_options
def command(
    address: str,
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
    """Join the match of the host at HOST, a name or an IP address.

    The host chooses the rules. With --rules you play only if they are the ones you name.
    """
    target = parse_address(address)
    wanted = None if rules is None else parse_rules(rules)
    cards = seat_deck(deck, wanted, seeded=seed is not None, quiet=json or bot is not None)
    entrant = Entrant(seat=1, name=name, deck=cards, bot=bot, seed=seed, known=True)
    known = introductions(entrant, trust)
    folder = match_folder()
    shared = code_from_person() if code and code_file is None else code_from_file(code, code_file)
    guest: Guest | None = None

    async def work(seat: SeatPlayer) -> MatchReport:
        nonlocal guest
        route = Route(False, target.host, target.port, insecure_plain)
        played: MatchReport | None = None
        while True:
            kept = Keeping(entrant, seat, folder, route, sync=not no_sync, complain=output.complain)
            guest = Guest(entrant, seat, output, known, route, kept, grace=grace)
            try:
                if played is None:
                    report = await guest.join(wanted, shared)
                else:
                    report = await guest.join_again(wanted, shared)
            except NameTaken as taken:
                await seat.leave()
                if not await known.ask(taken, output):
                    raise
                continue
            except (CannotConnect, Left) as error:
                if played is None or guest.report is not None:
                    raise
                await seat.leave()
                if not isinstance(error, Left):
                    output.complain("The other player does not play again.")
                return played
            if not await seat.rest(again=report.to_its_end):
                return report
            played = report
            await seat.leave()
            output.result(report)
            known.tell_trouble(output)
            output.complain("Going to the other player for another match; Ctrl-C ends.")
            await output.settled()

    exit_code = 0
    with make_output(json=json, bot=bot is not None) as output:
        if insecure_plain:
            output.complain(NOT_ENCRYPTED)
        try:
            sitting = Sitting(json=json, look=look, keeps=True, debug=debug)
            run_seat(entrant, work, output, sitting)
        except PazaakError as error:
            if guest is not None:
                guest.explain(error)
            if isinstance(error, CodeRequired):
                error.next = f"Ask the other player for it, and type: pazaak join {address} --code"
            exit_code = output.failure(error, debug=debug)
        if guest is not None and guest.report is not None:
            output.result(guest.report)
        known.tell_trouble(output)
    return exit_code
