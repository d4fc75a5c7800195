"""``pazaak peers``"""

from __future__ import annotations

import json as json_format
import sys

import click

from pazaak_p2p.cli.players import count_matches, describe_peer
from pazaak_p2p.errors import UsageError
from pazaak_p2p.fairness.fingerprint import fingerprint, full_fingerprint
from pazaak_p2p.store import config_folder
from pazaak_p2p.store.names import shown_name
from pazaak_p2p.store.peers import PeerBook
from pazaak_p2p.store.peers_file import KnownPeer
from pazaak_p2p.store.trust_errors import shown

_WHO = """\
WHO is a nickname, a name, or the beginning of a fingerprint (four characters or more).
"""

_json = click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
_debug = click.option("--debug", is_flag=True, help="Show tracebacks.")


@click.group(short_help="The players you know, and who you are to them.")
def command() -> None:
    """The players you know, and who you are to them.

    A player is known by its key, which does not change; names are labels that everybody chooses
    freely. Compare fingerprints by voice to be sure who it is.
    """


@command.command("list", epilog="\b\nExamples:\n  pazaak peers list\n  pazaak peers list --json")
@_json
@_debug
def list_peers(json: bool, debug: bool) -> None:
    """List the players you know, who was seen last first."""
    peers = PeerBook(config_folder()).peers()
    if json:
        for peer in peers:
            click.echo(json_format.dumps(_as_json(peer)))
        return
    if not peers:
        click.echo("You know nobody yet. Whom you play with is kept here.")
    width = max((len(count_matches(peer)) for peer in peers), default=0)
    for peer in peers:
        seen = f"{peer.last_seen.astimezone():%Y-%m-%d}"
        facts = f"{fingerprint(peer.key)}  {seen}  {count_matches(peer):<{width}}"
        # Names last: they are of any width and in any script.
        click.echo(f"{facts}  {describe_peer(peer)}")


@command.command(
    "forget",
    help=f"Forget a player, who is new to you then.\n\n{_WHO}",
    epilog="\b\nExamples:\n  pazaak peers forget Ann\n  pazaak peers forget 4821-0937\n"
    "  pazaak peers forget --all",
)
@click.argument("who", nargs=-1)
@click.option("--all", "everybody", is_flag=True, help="Forget all players.")
@click.option("--yes", is_flag=True, help="With --all: do not ask.")
@_debug
def forget(who: tuple[str, ...], everybody: bool, yes: bool, debug: bool) -> None:
    if everybody == bool(who):
        raise UsageError(
            "Name one player to forget, or --all.",
            why="There is no name, or there are both." if everybody else "There is neither.",
            next="Type: pazaak peers list",
        )
    book = PeerBook(config_folder())
    if everybody:
        if yes or _sure():
            book.forget_all()
            click.echo("Forgotten: everybody.")
        else:
            click.echo("Nobody is forgotten.")
        return
    peer = book.forget(" ".join(who))
    click.echo(f"Forgotten: {describe_peer(peer)}, {fingerprint(peer.key)}.")


def _sure() -> bool:
    if not sys.stdin.isatty():
        raise UsageError(
            "To forget everybody has to be confirmed.",
            why="There is no terminal to ask at, and it cannot be undone.",
            next="Type: pazaak peers forget --all --yes",
        )
    click.echo("Forget every player you know? It cannot be undone. Type yes: ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() == "yes"


@command.command(
    "rename",
    help=f"Give a player a nickname of your own; '' takes it away.\n\n{_WHO}",
    epilog="\b\nExamples:\n  pazaak peers rename 4821-0937 Ann\n"
    "  pazaak peers rename 'ann@laptop' 'Ann B'\n  pazaak peers rename Ann ''",
)
@click.argument("who")
@click.argument("name")
@_debug
def rename(who: str, name: str, debug: bool) -> None:
    peer = PeerBook(config_folder()).rename(who, name or None)
    click.echo(f"{fingerprint(peer.key)}  {describe_peer(peer)}")


@command.command(
    "me", epilog="\b\nExamples:\n  pazaak peers me          read the fingerprint to your friend"
)
@click.option("--new", is_flag=True, help="Make a new identity, when the old one is lost.")
@_json
@_debug
def me(new: bool, json: bool, debug: bool) -> None:
    """Your own name, and the fingerprint of your key.

    Who wants to be sure that it is you compares the fingerprint with what their pazaak shows.
    """
    # The rest of this file needs neither keys nor what a seat needs.
    from pazaak_p2p.cli.options import standard_name
    from pazaak_p2p.store.identity import identity_file, load_identity, new_identity

    folder = config_folder()
    own = new_identity(folder) if new else load_identity(folder)
    key = own.public_key().public_bytes_raw()
    name, file = standard_name(), identity_file(folder)
    if json:
        told = {
            "name": name,
            "fingerprint": fingerprint(key),
            "full_fingerprint": full_fingerprint(key),
            "key": key.hex(),
            "identity": str(file),
        }
        click.echo(json_format.dumps(told))
        return
    click.echo(f"Name:         {shown_name(name)}  (--name gives you another for a match)")
    click.echo(f"Fingerprint:  {fingerprint(key)}")
    click.echo(f"  in full:    {full_fingerprint(key)}")
    click.echo(f"Secret key:   {shown(file)}")


def _as_json(peer: KnownPeer) -> dict[str, object]:
    return {
        "fingerprint": fingerprint(peer.key),
        "full_fingerprint": full_fingerprint(peer.key),
        "key": peer.key.hex(),
        "name": peer.name,
        "nickname": peer.nickname,
        "earlier_names": list(peer.earlier_names),
        "first_seen": peer.first_seen.isoformat(),
        "last_seen": peer.last_seen.isoformat(),
        "matches": peer.matches,
    }
