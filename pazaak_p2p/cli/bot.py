"""``pazaak bot``"""

from __future__ import annotations

import inspect
import json as json_format
import re
import sys
from typing import Final

import click

from pazaak_p2p.bots import BOTS, find_bot
from pazaak_p2p.cli.fitting import fitted

_ITEM: Final = re.compile(r"(\d+\.|-) ")


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
        click.echo(fitted(what, sys.stdout, head=f"{name:<{width}}  "))


@command.command(
    "show",
    short_help="How a bot decides that is built in.",
    epilog="\b\nExamples:\n  pazaak bot show careful\n  pazaak bot show master",
)
@click.argument("bot", metavar="BOT")
@click.option("--json", is_flag=True, help="The account as a JSON object.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def show_bot(bot: str, json: bool, debug: bool) -> None:
    """How BOT decides, one of those that are built in."""
    spec = find_bot(bot, runs_programs=False)
    account = account_of(type(spec.make(bytes(32))))
    if json:
        click.echo(json_format.dumps({"bot": spec.text, "account": account}))
        return
    for line in account.split("\n"):
        item = _ITEM.match(line)
        click.echo(fitted(line, sys.stdout, indent=" " * item.end() if item else ""))


def account_of(bot: type) -> str:
    """What *bot* says of itself: a line for each paragraph and each item of a list."""
    text = re.sub(r"``|\*\*|\*(?=\w)|(?<=\w)\*", "", inspect.getdoc(bot) or "")
    # A line goes on unless it is empty, or what follows begins an item or is empty.
    return re.sub(r"(?<!\n)\n(?!\n|\d+\. |- ) *", " ", text)
