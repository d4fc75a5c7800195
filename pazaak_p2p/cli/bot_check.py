"""``pazaak bot check``"""

from __future__ import annotations

import json as json_format
import sys
import traceback

import click

from pazaak_p2p.bots import find_bot
from pazaak_p2p.bots.check import MATCHES, POSITIONS, Checker, Finding, Times
from pazaak_p2p.bots.check_apart import check_apart
from pazaak_p2p.bots.outside_spec import (
    SECONDS,
    find_outside,
    is_class,
    is_program,
    typed_seconds,
)
from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.errors import Exit, PazaakError, UsageError

_EPILOG = """\
\b
Examples:
  pazaak bot check ./mybot
  pazaak bot check "cmd,risk=3,seconds=2:./mybot"
  pazaak bot check tcp:127.0.0.1:9000
  pazaak bot check mybot.py:MyBot
"""


@click.command("check", short_help="Try a bot of your own.", epilog=_EPILOG)
@click.argument("bot", metavar="BOT")
@click.option(
    "--positions",
    type=click.IntRange(1, 100_000),
    default=POSITIONS,
    show_default=True,
    help="How many positions it is asked about.",
)
@click.option(
    "--matches",
    type=click.IntRange(1, 10_000),
    default=MATCHES,
    show_default=True,
    help="How many matches it plays.",
)
@click.option("--seed", default="check", show_default=True, help="What the cards follow from.")
@click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(bot: str, positions: int, matches: int, seed: str, json: bool, debug: bool) -> int:
    """Try BOT, a command or a bot from outside, against protocol/bot-interface.md.

    It is started, greeted, asked about positions of every kind, restarted, and plays matches by the
    rules alone, without a network. Exit code 0 if all went well, 5 if not. The bot runs with your
    rights.
    """
    text = _text(bot)

    def tell(finding: Finding) -> None:
        if json:
            event = {"event": "check", "check": finding.check, "ok": finding.ok}
            click.echo(
                json_format.dumps(
                    {**event, "what": finding.what, "why": finding.why, "next": finding.next}
                )
            )
            return
        head = "ok     " if finding.ok else "WRONG  "
        click.echo(fitted(f"{finding.check}: {finding.what}", sys.stdout, head=head))
        if not finding.ok:
            click.echo(fitted(finding.why, sys.stdout, head="         Why:  "))
            click.echo(fitted(finding.next, sys.stdout, head="         Next: "))

    async def check() -> tuple[int, Times | None]:
        if is_class(text):
            return await check_apart(
                text, tell, count=positions, matches=matches, seed=seed, debug=debug
            )
        spec = find_outside(text)
        assert spec is not None
        checker = Checker(spec, tell, trouble, count=positions, matches=matches, seed=seed)
        await checker.run()
        return checker.wrong, checker.times

    def trouble(error: PazaakError) -> None:
        if debug:
            traceback.print_exception(error)

    wrong, times = run_trio(check)
    ok = wrong == 0
    if json:
        fields: dict[str, object] = {"event": "checked", "ok": ok, "wrong": wrong}
        if times is not None:
            fields |= {
                "answers": times.answers,
                "median_ms": round(times.median * 1000, 3),
                "max_ms": round(times.longest * 1000, 3),
            }
        click.echo(json_format.dumps(fields))
    else:
        if times is not None:
            allowed = typed_seconds(text) or SECONDS
            told = (
                f"{times.answers} answers: half of them within {times.median * 1000:.1f} ms, the"
                f" slowest after {times.longest * 1000:.1f} ms ({allowed:g} s are allowed)."
            )
            click.echo(fitted(told, sys.stdout))
        click.echo("The bot keeps to the interface." if ok else "The bot has to be mended.")
    return Exit.DONE if ok else Exit.PEER_BROKE_PROTOCOL


def _text(text: str) -> str:
    """The bot, as it is called everywhere else."""
    try:
        built_in = find_bot(text, runs_programs=False)
    except UsageError:
        return text if is_program(text) or is_class(text) else f"cmd:{text}"  # the command alone
    raise UsageError(
        f"The bot {built_in.text} needs no check.",
        why="It is built in.",
        next=f"If you mean a program of that name, type: pazaak bot check cmd:{built_in.text}",
    )
