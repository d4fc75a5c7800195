"""``pazaak rules``"""

from __future__ import annotations

import json as json_format
import textwrap

import click
import msgspec

from pazaak_p2p.cli.rulebook import rulebook
from pazaak_p2p.rules import PRESETS, describe, parse_rules

_WIDTH = 80
_TEXT_AT = 5

_EPILOG = """\
\b
Examples:
  pazaak rules
  pazaak rules --rules tournament,sets=5
  pazaak rules --rules kotor1 --json
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--rules",
    metavar="RULES",
    default="standard",
    show_default=True,
    help=f"A preset ({', '.join(PRESETS)}), options key=value, or both.",
)
@click.option("--json", is_flag=True, help="The options and the rules as one JSON object.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(rules: str, json: bool, debug: bool) -> None:
    """The rules of the game, as a rule set has them."""
    chosen = parse_rules(rules)
    texts = rulebook(chosen)
    if json:
        options = msgspec.to_builtins(chosen)
        told = [{"rule": number, "title": title, "text": text} for number, title, text in texts]
        click.echo(json_format.dumps({"name": describe(chosen), "options": options, "rules": told}))
        return
    click.echo(f"Pazaak by the rules {describe(chosen)!r}\n")
    for number, title, text in texts:
        click.echo(
            textwrap.fill(
                f"{title}. {text}",
                _WIDTH,
                initial_indent=f"{number:<{_TEXT_AT}}",
                subsequent_indent=" " * _TEXT_AT,
            )
        )
