"""Commands run to their end: within this process, which is fast, or as users run them."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from pazaak_p2p.cli.program import run
from pazaak_p2p.errors import Exit
from tests.e2e.processes import Pazaak


class Ran:
    """What ``pazaak`` with these arguments said."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        text: bytes | None = None,
        process: bool = False,
        fresh: bool = False,
    ) -> None:
        """*text* is standard input. With *process*, or *fresh* too, it is a process of its own."""
        if process or fresh:
            with Pazaak(*arguments, home=home, fresh=fresh) as running:
                self.code = running.finish(text)
            self.out, self.err = running.stdout, running.stderr
        else:
            out, err = _Captured(), _Captured()
            given = io.TextIOWrapper(io.BytesIO(text or b""), "utf-8")
            with (
                patch.dict("os.environ", PAZAAK_HOME=str(home)),
                patch.object(sys, "stdin", given),
                redirect_stdout(out),
                redirect_stderr(err),
            ):
                self.code = run(arguments)
            self.out, self.err = out.all(), err.all()
        assert "Traceback" not in self.err
        assert "\x1b" not in self.out + self.err


class _Captured(io.TextIOWrapper):
    """A standard stream that is a pipe, as for a process."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, "utf-8")

    def all(self) -> str:
        self.flush()
        return self._bytes.getvalue().decode()


def refused(ran: Ran, says: str) -> None:
    """It is a usage error, told in three parts."""
    assert ran.code == Exit.USAGE
    assert ran.out == ""
    what, why, next_ = ran.err.splitlines()
    assert says in what
    assert (what[:8], why[:8], next_[:8]) == ("pazaak: ", "  Why:  ", "  Next: ")
