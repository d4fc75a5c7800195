"""``pazaak join``"""

from __future__ import annotations

import click

from pazaak_p2p.cli.code_options import code_from_file, code_from_person, code_options
from pazaak_p2p.cli.introduction import introductions, trust_option
from pazaak_p2p.cli.keeping import Route, keep_options
from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.options import NOT_ENCRYPTED, Entrant, network_options, seat_options
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.seat import SeatPlayer, Sitting, run_seat
from pazaak_p2p.cli.seat_deck import seat_deck
from pazaak_p2p.cli.visit import Visit
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import parse_address
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import match_folder
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
    visit: Visit | None = None

    async def work(seat: SeatPlayer) -> MatchReport:
        nonlocal visit
        route = Route(False, target.host, target.port, insecure_plain)
        visit = Visit(entrant, seat, output, known, route, folder, grace=grace, sync=not no_sync)
        return await visit.join(wanted, shared)

    exit_code = 0
    with make_output(json=json, bot=bot is not None) as output:
        if insecure_plain:
            output.complain(NOT_ENCRYPTED)
        try:
            sitting = Sitting(json=json, look=look, keeps=True, debug=debug)
            run_seat(entrant, work, output, sitting)
        except PazaakError as error:
            if visit is not None:
                visit.explain(error)
            if isinstance(error, CodeRequired):
                error.next = f"Ask the other player for it, and type: pazaak join {address} --code"
            exit_code = output.failure(error, debug=debug)
        if visit is not None:
            visit.tell_result()
        known.tell_trouble(output)
    return exit_code
