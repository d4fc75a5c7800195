"""The command group, and the one place where a command's failure becomes words and an exit code."""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from pazaak_p2p import __version__
from pazaak_p2p.cli.failure import show_failure
from pazaak_p2p.errors import Exit, UsageError, leaves

# Name, and the line that the short help shows, so that it need not import every command.
_COMMANDS: Final = {
    "play": "A match against a bot, at once, on this machine.",
    "host": "Wait for one opponent on the network.",
    "join": "Join the match of a host.",
    "arena": "Bots against bots, many matches, and who is stronger.",
    "resume": "Go on with a match that was broken off.",
    "peers": "The players you know, and who you are to them.",
    "rules": "The rules of the game, as a rule set has them.",
    "bot": "The bots that can play.",
    "deck": "Side decks: list, show, build, share.",
    "history": "Your matches, the newest first.",
    "stats": "What your matches come to: sets, decks, cards, luck.",
    "replay": "Step through a recorded match, on the table or as text.",
    "verify": "Check the record of a match: who won, or who cheated where.",
    "seeds": "Seeded matches, which always come out the same.",
}

_HELP: Final = "Pazaak for two peers who need not trust each other."

# At the end: a terminal of 24 lines shows that, and not the beginning.
_EPILOG: Final = """\
\b
Most people want one of these:
  pazaak play               a match against a bot, here and now
  pazaak play --tutorial    the same, explained while you play
  pazaak host               wait for a friend; it prints the line that they type
  pazaak join 192.168.1.5   join the friend who hosts there
Every command has --help with examples.
"""

_CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"pazaak_p2p.cli.{cmd_name}").command
        if isinstance(command, click.Group):
            # Said in our words: the help of the group is no error.
            command.no_args_is_help = False
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    help=_HELP,
    epilog=_EPILOG,
    invoke_without_command=True,
    context_settings=_CONTEXT,
)
@click.version_option(__version__, message="pazaak %(version)s")
@click.pass_context
def group(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run the command line *arguments*; the exit code. Whatever goes wrong is said here."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: >&-
            nowhere = os.open(os.devnull, os.O_WRONLY)
            setattr(sys, name, open(nowhere, "w", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a sign shows its number; that is no reason to stop.
            stream.reconfigure(errors="backslashreplace")
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    json, debug = "--json" in options, "--debug" in options
    try:
        try:
            code = group.main(list(arguments), prog_name="pazaak", standalone_mode=False)
            sys.stdout.flush()
            return int(code or 0)
        except click.Abort as error:  # what click makes of a Ctrl-C
            raise KeyboardInterrupt from error
        except click.ClickException as error:
            return show_failure(_usage_error(error), json=json, debug=debug)
        except Exception as error:
            if _nobody_reads(error):
                raise
            return show_failure(error, json=json, debug=debug)
    except (OSError, SystemExit, KeyboardInterrupt, BaseExceptionGroup):
        # Nobody reads what we print (click turns that into an exit), or a Ctrl-C came before or
        # after all that can say goodbye. Neither is anybody's fault, nor worth a word.
        _hush()
        return Exit.INTERRUPTED


def _nobody_reads(error: Exception) -> bool:
    """Whether *error* is that of ``pazaak rules | head`` or of a closed terminal."""
    return any(
        isinstance(leaf, OSError) and leaf.errno in (errno.EPIPE, errno.EIO)
        for leaf in leaves(error)
    )


def _hush() -> None:
    """Throw away what is still to be printed: the interpreter would try again, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _usage_error(error: click.ClickException) -> UsageError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "pazaak"
    message = error.format_message()
    why = f"It was typed in a way that '{path}' does not understand."
    if message.startswith(("No such command", "Missing command")):
        assert context is not None
        commands = context.command.list_commands(context)
        why = f"The commands of '{path}' are {', '.join(commands)}."
    if message == "Missing command.":
        message = f"'{path}' alone does nothing: it needs one of its commands."
    return UsageError(
        message if message.endswith((".", "?", "!", ")")) else f"{message}.",
        why=why,
        next=f"Type: {path} --help",
    )
