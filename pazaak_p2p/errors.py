"""The one tree of errors.

A class's docstring is the first thing its user reads (*what* happened), its ``why`` and ``next``
attributes are the other two parts, ``code`` is the name that ``--json`` reports, ``exit_code`` is
what the process ends with. An instance may replace ``what``, ``why`` and ``next`` with words that
know the case at hand. Text that came from a peer or a file must have been through
:func:`pazaak_p2p.text.printable` before it gets here.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """What ``pazaak`` ends with."""

    DONE = 0
    FAULT = 1
    USAGE = 2
    NO_CONNECTION = 3
    PEER_LOST = 4
    PEER_BROKE_PROTOCOL = 5
    MISFIT = 6
    IDENTITY_REFUSED = 7
    INTERRUPTED = 130


class PazaakError(Exception):
    """Something went wrong inside pazaak."""

    code: ClassVar[str] = "fault"
    exit_code: ClassVar[Exit] = Exit.FAULT
    why: str = "This is a fault of the program, not of yours."
    next: str = "Run the same command with --debug and report what it prints."

    def __init__(
        self, what: str | None = None, *, why: str | None = None, next: str | None = None
    ) -> None:
        self.what = what if what is not None else inspect.cleandoc(type(self).__doc__ or "")
        if why is not None:
            self.why = why
        if next is not None:
            self.next = next
        super().__init__(self.what)

    def __str__(self) -> str:
        return self.what


class UsageError(PazaakError):
    """The command cannot be carried out as it was typed."""

    code = "usage"
    exit_code = Exit.USAGE
    why = "An option or argument does not fit."
    next = "Type the command with --help to see what it takes."


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors that *error* is made of, if it is a group; else itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error
