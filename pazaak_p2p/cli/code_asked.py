"""The join code that a host asks for: the user's own, or one that is renewed."""

from __future__ import annotations

from collections.abc import Callable

from pazaak_p2p.cli.output import Output
from pazaak_p2p.net.code_gate import LONGEST_DELAY, MOST_WRONG, CodeGate
from pazaak_p2p.net.code_words import new_code


def gate_for(own: str | None, output: Output, taken: Callable[[], bool]) -> CodeGate:
    """What judges join codes: by the user's *own*, which cannot be replaced, or else by a new one.

    *output* is told a new code, and that many were wrong; *taken* is as for :class:`CodeGate`.
    """

    def again() -> str:
        assert own is not None
        output.complain(
            f"pazaak: {MOST_WRONG} more wrong join codes; somebody may be guessing. One is"
            f" looked at every {LONGEST_DELAY:.0f} seconds now. Still waiting."
        )
        return own

    def renew() -> str:
        code = new_code()
        output.complain(f"pazaak: {MOST_WRONG} wrong join codes. There is another now:")
        output.code(code)
        return code

    if own is not None:
        return CodeGate(own, again, taken)
    first = new_code()
    output.code(first)
    return CodeGate(first, renew, taken)
