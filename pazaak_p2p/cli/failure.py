"""What a user is told when something went wrong: three parts, in plain words."""

from __future__ import annotations

import json as json_format
import sys
import traceback

from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.errors import PazaakError, leaves
from pazaak_p2p.net.errors import Left, way_back
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.text import printable


def show_failure(error: BaseException, *, json: bool, debug: bool) -> int:
    """Say what *error* means for the user; the exit code that goes with it.

    On standard error, or with *json* as one event on standard output. *debug* adds the traceback on
    standard error.
    """
    failure = as_failure(error)
    if debug:
        traceback.print_exception(error)
    if json:
        print(json_failure(failure), flush=True)
    else:
        print(describe_failure(failure), file=sys.stderr, flush=True)
    return failure.exit_code


def describe_failure(error: PazaakError) -> str:
    """The three parts of *error*, one a line; at a terminal, lines that fit into it."""
    parts = (("pazaak: ", error.what), ("  Why:  ", error.why), ("  Next: ", error.next))
    return "\n".join(fitted(text, sys.stderr, head=head) for head, text in parts)


def json_failure(error: PazaakError) -> str:
    """*error* as an event for a script."""
    return json_format.dumps(
        {
            "event": "error",
            "code": error.code,
            "what": error.what,
            "why": error.why,
            "next": error.next,
        }
    )


def as_failure(error: BaseException) -> PazaakError:
    """What to tell the user of *error*, which may be a group of errors or none of ours."""
    found = list(leaves(error))
    for leaf in found:
        if isinstance(leaf, PazaakError):
            return leaf
    leaf = found[0]
    return PazaakError(
        why=f"This is a fault of the program, not of yours: {type(leaf).__name__}:"
        f" {printable(str(leaf))}"
    )


def tell_way_back(
    error: PazaakError, report: MatchReport | None, unheard: bytes | None = None
) -> None:
    """If *error* is that our player leaves a match that is kept, say in it how to go on.

    *report* is how the match stands; if there is none, *unheard* is the id of one that was to go
    on, and whose other side was not heard yet.
    """
    if not isinstance(error, Left):
        return
    if report is not None:
        if report.open:
            error.next = way_back(report.match_id)
    elif unheard is not None:
        error.next = way_back(unheard)


def interrupted(by: str) -> Left:
    """The user, or the system, wants the program to end."""
    why = f"The program was asked to end ({by})."
    return Left("Interrupted.", why=why, next="Type the same command again, if you want.")
