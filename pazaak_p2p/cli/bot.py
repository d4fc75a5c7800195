"""``pazaak bot``"""

from __future__ import annotations

import json as json_format

import click

from pazaak_p2p.bots import BOTS


class _Bots(click.Group):
    # What tries bots is imported when it runs.
    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), "check"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "check":
            from pazaak_p2p.cli.bot_check import command

            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Bots)
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
