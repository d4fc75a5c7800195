"""``pazaak bot``"""

from __future__ import annotations

import json as json_format

import click

from pazaak_p2p.bots import BOTS


@click.group()
def command() -> None:
    """The bots that can play, with --bot or --against."""


@command.command("list", epilog="\b\nExamples:\n  pazaak bot list\n  pazaak bot list --json")
@click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def list_bots(json: bool, debug: bool) -> None:
    """List the bots."""
    if json:
        for name, what in BOTS:
            click.echo(json_format.dumps({"bot": name, "what": what}))
        return
    width = max(len(name) for name, _ in BOTS)
    for name, what in BOTS:
        click.echo(f"{name:<{width}}  {what}")
