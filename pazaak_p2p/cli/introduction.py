"""Who the other side is: judged before a match, asked about when in doubt, kept when it begins.

A player under a known name with another key gets no match until the user has said yes: at the
prompt, or beforehand by ``--trust``. Where there is no terminal to ask at, that ends with
:class:`~pazaak_p2p.store.meeting.NameTaken`. Who joins a host is kept waiting meanwhile, as long as
the protocol lets it; the question may take as long as a telephone call does, and then they join
again.

A bot knows nobody, and neither does a seat whose secrets come from a seed: they play with whoever
comes. Nobody's word is taken there for being anybody, so there is nothing to be fooled in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TextIO, TypeVar

import click
import trio

from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.cli.options import Entrant, standard_name
from pazaak_p2p.cli.output import Output
from pazaak_p2p.cli.players import YES, describe_meeting, question
from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.fairness.fingerprint import fingerprint, fits, full_fingerprint, is_fingerprint
from pazaak_p2p.rules import Termination
from pazaak_p2p.store import config_folder
from pazaak_p2p.store.meeting import Case, Meeting, NameTaken
from pazaak_p2p.store.peers import PeerBook
from pazaak_p2p.text import printable
from pazaak_p2p.wire.events import Ended, Event, Greeted, Resumed, Started

MOST_REFUSED: Final = 3
"""After so many noes in one run nobody is asked about any more: a stranger can make up keys for
ever."""
# Within a session nobody can wait long for another program to be done with the list.
_PATIENCE: Final = 0.5
_HANG_UP: Final = 0.2

F = TypeVar("F", bound=Callable[..., Any])


def trust_option(function: F) -> F:
    """The option ``--trust``, for commands that play with others."""
    return click.option(
        "--trust",
        metavar="FINGERPRINT",
        multiple=True,
        help="Play with this key also if you know its player's name with another one.",
    )(function)


class Introductions:
    """All that one run of a program has to do with who is who.

    *own* is our public key: nobody is introduced to themselves. *trust* are whole fingerprints.
    Raises ``UsageError`` if one is none, and what the *book* raises if it cannot be used, so that
    both come out before anybody is kept waiting.
    """

    def __init__(self, book: PeerBook, own: bytes, trust: Sequence[str] = ()) -> None:
        for text in trust:
            if not is_fingerprint(text):
                raise UsageError(
                    f"{printable(text, 80)!r} is no fingerprint.",
                    why="A key is trusted by its whole fingerprint: six groups of four digits.",
                    next="Type it as 'pazaak peers me' shows it on the other side.",
                )
        book.peers()
        self._book = book
        self._own = own
        self._trust = list(trust)
        self._refused: set[bytes] = set()
        self._counted: set[bytes] = set()
        self.trouble: PazaakError | None = None
        """Why somebody could not be kept. No reason to stop a match."""

    def judge(self, event: Greeted) -> Meeting | None:
        """How the one who greets stands to those we know; None for ourselves. Writes nothing.

        Raises :class:`NameTaken` if the user has not said that this key is to be trusted, and what
        the book raises.
        """
        if event.key == self._own:
            return None
        meeting = self._book.look(event.key, event.name)
        if meeting.case is Case.NAME_TAKEN and not self._trusts(event.key):
            error = NameTaken(meeting)
            own = fingerprint(event.key)
            error.next += f" If it is {own}, add: --trust {own}"
            raise error
        return meeting

    def introduce(self, event: Greeted) -> str:
        """The sentence that tells our player who has come. Raises as :meth:`judge`."""
        return describe_meeting(self.judge(event))

    def watch(self) -> Callable[[Event], None]:
        """What is to be called with every event of one session, to keep whom we play with.

        A stranger who only greets is not kept: that would let anybody fill the list.
        """
        greeted: Greeted | None = None
        match_id = b""

        def watch(event: Event) -> None:
            nonlocal greeted, match_id
            if isinstance(event, Started | Resumed):
                match_id = event.match_id
            if isinstance(event, Greeted):
                greeted = None if event.key == self._own else event
            elif greeted is not None and isinstance(event, Started | Ended):
                try:
                    if isinstance(event, Started):
                        trusted = self._trusts(greeted.key)
                        self._book.meet(greeted.key, greeted.name, trusted=trusted)
                    elif (
                        event.outcome.termination is not Termination.ABANDONED
                        and match_id not in self._counted  # it may end once more, to be told again
                    ):
                        self._counted.add(match_id)
                        self._book.played(greeted.key)
                except PazaakError as error:
                    self.trouble = error

        return watch

    def can_ask(self, taken: NameTaken) -> bool:
        """Is there anybody to ask about this key who has not said no?"""
        if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
            return False
        return taken.meeting.key not in self._refused and len(self._refused) < MOST_REFUSED

    async def ask(self, taken: NameTaken, output: Output, *, still: bool = False) -> bool:
        """Ask the person at the terminal whether this key is to be trusted; no, if there is none.

        After a no the same key is not asked about again in one run. *still* is for a question that
        stands there already, about one who has gone meanwhile.
        """
        if not self.can_ask(taken):
            return False
        key = taken.meeting.key
        source = sys.stdin
        # prompt_toolkit comes along with it.
        from pazaak_p2p.tui.stdin import LineReader, input_encoding

        # What was typed before the question is no answer to it.
        if still:
            output.complain(f"They are not waiting any more. Type {YES} to let them in later:")
        else:
            _forget_typed(source)
            output.complain("\n".join(question(taken.meeting, standard_name())))
        answer = await LineReader(source.fileno(), input_encoding(source)).read_line()
        if answer is None:
            # Perhaps the terminal was closed: then a signal is on its way, which ends us.
            await trio.sleep(_HANG_UP)
        if answer is None or answer.strip().lower() != YES:
            self._refused.add(key)
            return False
        self._trust.append(full_fingerprint(key))
        return True

    def tell_trouble(self, output: Output) -> None:
        """Tell what went wrong beside the match, once, when the screen is free."""
        if self.trouble is not None:
            output.complain(describe_failure(self.trouble))
            self.trouble = None

    def _trusts(self, key: bytes) -> bool:
        return any(fits(text, key) for text in self._trust)


class NoIntroductions:
    """Everyone is let in, nobody is kept, and the user's list is not touched."""

    def introduce(self, event: Greeted) -> str:
        """Nothing is said."""
        return ""

    def watch(self) -> Callable[[Event], None]:
        return lambda event: None

    def can_ask(self, taken: NameTaken) -> bool:
        return False

    async def ask(self, taken: NameTaken, output: Output, *, still: bool = False) -> bool:
        raise AssertionError("nobody's name is taken here")

    def tell_trouble(self, output: Output) -> None:
        """Nothing."""


def introductions(entrant: Entrant, trust: Sequence[str]) -> Introductions | NoIntroductions:
    """What suits the seat of *entrant*.

    Raises as :class:`Introductions`, and ``UsageError`` for a *trust* where nobody is known.
    """
    if entrant.bot is None and not entrant.seeded:
        book = PeerBook(config_folder(), patience=_PATIENCE)
        return Introductions(book, entrant.public_key, trust)
    if trust:
        raise UsageError(
            "There is nobody to trust here.",
            why="A bot, or a seat with --seed, knows nobody and plays with whoever comes.",
            next="Type the command without --trust.",
        )
    return NoIntroductions()


if sys.platform == "win32":
    import msvcrt

    def _forget_typed(source: TextIO) -> None:
        while msvcrt.kbhit():
            msvcrt.getwch()

else:
    import termios

    def _forget_typed(source: TextIO) -> None:
        termios.tcflush(source.fileno(), termios.TCIFLUSH)
