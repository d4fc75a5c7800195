"""``pazaak resume``"""

from __future__ import annotations

import re
from datetime import datetime
from json import dumps
from pathlib import Path
from typing import Final

import click
from msgspec import UNSET

from pazaak_p2p.cli.at_home import at_home_again
from pazaak_p2p.cli.claiming import claim_kept
from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.cli.house import House
from pazaak_p2p.cli.introduction import introductions
from pazaak_p2p.cli.keeping import Keeping, Route, keep_options
from pazaak_p2p.cli.kept_errors import GivenUp
from pazaak_p2p.cli.look import Look, look_options
from pazaak_p2p.cli.options import NOT_ENCRYPTED, Entrant
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.seat import PersonSeat, SeatPlayer, Sitting, run_seat
from pazaak_p2p.cli.verdicts import exit_code
from pazaak_p2p.cli.visit import Visit
from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.net.address import STANDARD_PORT, Address, parse_address
from pazaak_p2p.net.addresses import ways
from pazaak_p2p.net.certificate import make_credentials
from pazaak_p2p.net.errors import PortInUse, resuming
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.store import (
    SavedMatch,
    Standing,
    find_saved,
    forget,
    match_folder,
    saved_matches,
    standing,
)
from pazaak_p2p.store.match_errors import MatchFinished, quoted
from pazaak_p2p.store.safe_files import pieces
from pazaak_p2p.store.saved_secrets import SavedSecrets
from pazaak_p2p.text import printable
from pazaak_p2p.wire.judge import judge

_EPILOG = """\
\b
Examples:
  pazaak resume                        the latest, the way it was begun
  pazaak resume 3f9a                   the one whose id begins so
  pazaak resume --list
  pazaak resume --join 192.168.1.7     the other player has another address now
  pazaak resume --claim                it is yours: the other player stays away (R21)
  pazaak resume --host                 wait for the other player, whoever did before
"""

_NAMED: Final = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d_(.+)_[0-9a-f]{8}")
"""The name of a record, as ``store.record`` makes it: when, who, and the id."""
_STANDS = {
    Standing.OPEN: "",
    Standing.UNAUDITED: " (over, the audit is missing)",
    Standing.UNHEARD: " (over, the other player may not have heard the end)",
}


@click.command(epilog=_EPILOG)
@click.argument("match", required=False)
@click.option("--list", "list_", is_flag=True, help="List the matches that can go on.")
@click.option("--forget", "forget_", is_flag=True, help="Give MATCH up; its record stays.")
@click.option("--claim", is_flag=True, help="End MATCH: the other player does not come back.")
@click.option(
    "--mend", is_flag=True, help="Go on from what is sound of a damaged record; a copy is kept."
)
@click.option("--host", "wait", is_flag=True, help="Wait for the other player here.")
@click.option("--join", "address", metavar="HOST[:PORT]", help="Go to the other player there.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to wait on.")
@look_options
@click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@keep_options
def command(
    match: str | None,
    list_: bool,
    forget_: bool,
    claim: bool,
    mend: bool,
    wait: bool,
    address: str | None,
    port: int | None,
    look: Look,
    json: bool,
    debug: bool,
    grace: float,
    no_sync: bool,
) -> int:
    """Go on with a match that was broken off: by a cut line, a crash, or because you left it.

    MATCH is the beginning of its id, or its record; without it, the latest that is not over. The
    other player does the same, or has never stopped waiting. Who waited before waits again, and who
    came comes again, unless you say otherwise.
    """
    folder = match_folder()
    if list_:
        _list(folder, json=json)
        return 0
    if wait and address is not None:
        raise UsageError(
            "--host and --join do not go together.",
            why="One of the two players waits, and the other comes.",
            next="Leave one of them out.",
        )
    if forget_ and match is None:
        raise UsageError(
            "Which match is to be given up?",
            why="What is given up cannot go on again, so it has to be named.",
            next="Type the beginning of its id, as 'pazaak resume --list' shows it.",
        )
    saved = _found(folder, match)
    if forget_:
        forget(saved)
        with make_output(json=json, bot=True) as output:
            output.given_up(saved.secrets.match_id, saved.record)
        return 0
    secrets = saved.secrets
    if secrets.against is not UNSET:
        if claim or wait or address is not None or port is not None:
            raise UsageError(
                "This match is against a bot on this machine.",
                why="Nobody else has a part in it, and the bot does not stay away.",
                next=f"Type: {resuming(secrets.match_id)}",
            )
        at_home = at_home_again(saved, mends=mend)
        return at_home.run(saved, json=json, look=look, debug=debug)
    entrant = Entrant(
        seat=secrets.seat,
        name=secrets.name,
        deck=secrets.deck,
        bot=secrets.bot,
        seed=secrets.seed,
        known=True,
        folder="" if secrets.folder is UNSET else secrets.folder,
    )
    known = introductions(entrant, ())
    target = _target(saved.secrets, waits=wait, address=address)
    if target is None:
        host = secrets.host if secrets.listened else ""
        route = Route(True, host, _port(port, secrets), secrets.plain)
    else:
        route = Route(False, target.host, target.port, secrets.plain)
    if claim:
        # No seat is taken for it, so a person reads the same lines as a bot's owner.
        with make_output(json=json, bot=True) as output:
            try:
                kept = Keeping(
                    entrant,
                    None,
                    folder,
                    route,
                    sync=not no_sync,
                    mends=mend,
                    complain=output.complain,
                )
                kept.take_up(saved)
                report = claim_kept(kept, saved)
            except PazaakError as error:
                return output.failure(error, debug=debug)
            output.claimed(report)
            output.result(report)
        return 0
    house: House | None = None
    visit: Visit | None = None

    async def work(seat: SeatPlayer) -> MatchReport:
        nonlocal house, visit
        kept = Keeping(
            entrant,
            seat,
            folder,
            route,
            sync=not no_sync,
            mends=mend,
            complain=output.complain,
        )
        kept.take_up(saved)
        stood = kept.take_stock()  # what is wrong with it is told now, not when they have come
        if target is not None:
            output.complain(f"Going to the other player at {printable(str(target), 80)}.")
            visit = Visit(
                entrant, seat, output, known, route, folder, grace=grace, sync=not no_sync
            )
            return await visit.resume(kept, stood)
        try:
            listeners = await listen(route.port, route.host or None)
        except PortInUse as error:
            error.next = f"Type: {resuming(secrets.match_id)} --host --port {error.free}"
            raise
        bound = [listener.socket.getsockname()[:2] for listener in listeners]
        there = secrets.listened and bound[0][1] == secrets.port
        output.awaiting(ways(bound), bound[0][1], secrets.match_id, there=there)
        if isinstance(seat, PersonSeat):
            for text in seat.standing():
                output.complain(text)
        credentials = None if route.plain else make_credentials()
        house = House(
            entrant,
            seat,
            output,
            folder,
            known,
            route,
            grace=grace,
            sync=not no_sync,
            debug=debug,
            rests=kept,
            stood=stood,
        )
        with house.waiting:
            return await keep_door(listeners, house, credentials, forever=False)
        # All that could change it is said, and nobody has come to hear the rest.
        kept.end(stood)
        output.result(stood)
        return stood

    code = 0
    with make_output(json=json, bot=secrets.bot is not None) as output:
        if route.plain:
            output.complain(NOT_ENCRYPTED)
        try:
            sitting = Sitting(json=json, look=look, keeps=True, debug=debug)
            run_seat(entrant, work, output, sitting)
        except PazaakError as error:
            if house is not None:
                return house.close(error)
            if visit is not None:
                visit.explain(error)
            code = output.failure(error, debug=debug)
        if visit is not None:
            visit.tell_result()
        known.tell_trouble(output)
    return code


def _target(secrets: SavedSecrets, *, waits: bool, address: str | None) -> Address | None:
    """Where the other player is to be found; None if it is to come here."""
    if address is not None:
        return parse_address(address)
    if waits or secrets.listened:
        return None
    return Address(secrets.host, secrets.port)


def _port(port: int | None, secrets: SavedSecrets) -> int:
    if port is not None:
        return port
    return secrets.port if secrets.listened else STANDARD_PORT


def _found(folder: Path, match: str | None) -> SavedMatch:
    """As :func:`find_saved`, but a match that was given up is not called over."""
    try:
        return find_saved(folder, match)
    except MatchFinished as finished:
        try:
            with finished.record.open("rb") as file:
                verdict = judge(pieces(file))
        except OSError:
            raise finished from None
        left = verdict.end is not None and verdict.end.winner is not None  # by who lost by it
        if verdict.problem is None and exit_code(verdict) == Exit.PEER_LOST and not left:
            raise GivenUp(
                f"The match in {printable(str(finished.record), 1000)} cannot go on.",
                next=f"Begin a new one. See how it stood: pazaak verify {quoted(finished.record)}",
            ) from None
        raise


def _list(folder: Path, *, json: bool) -> None:
    found, troubles = saved_matches(folder)
    for saved in found:
        secrets, stands = saved.secrets, standing(saved)
        if json:
            fields = {
                "match_id": secrets.match_id.hex(),
                "record": str(saved.record),
                "seat": "host" if secrets.seat == 0 else "join",
                "bot": secrets.bot,
                "against": None if secrets.against is UNSET else secrets.against.bot,
                "touched": int(saved.mtime),
                "standing": stands.value,
            }
            click.echo(dumps(fields))
            continue
        when = datetime.fromtimestamp(saved.mtime).strftime("%Y-%m-%d %H:%M")
        # When it began and the id, which the name of a record tells too, stand there already.
        named = _NAMED.fullmatch(saved.record.stem)
        what = saved.record.stem if named is None else named[1].replace("_vs_", " vs ")
        if secrets.against is not UNSET:
            what = f"against the bot {secrets.against.bot} on this machine"
        line = f"{secrets.match_id[:4].hex()}  {when}  {printable(what, 80)}"
        if secrets.bot is not None:
            line += f", played by {printable(secrets.bot, 40)}"
        click.echo(line + _STANDS[stands])
    if not found and not json:
        click.echo("There is no match to go on with.")
    for trouble in troubles:
        click.echo(describe_failure(trouble), err=True)
