"""Bursts of SIGINT at real terminals, at every moment of a program's life.

    python -m tests.e2e.bursts [--bursts 200] [--seed 1] [--only MOMENT] [--by SIGINT]

A burst is one to six SIGINTs within some milliseconds, to the program alone or, as from a key, to
all of its process group. Whoever is still asked something after it presses Ctrl-C again, as people
do. Every program must then end soon, with exit code 130 (or that of a match that was over), leave
its terminal as it found it, show no traceback, and say how a match goes on that can.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct

from pazaak_p2p.errors import Exit
from tests.e2e.persons import pazaak
from tests.e2e.processes import hosting, join, waiting_join
from tests.terminal import Ended, Terminal

_MORE = 3
"""How often Ctrl-C has to be pressed at most after the burst."""
_QUIET = 1.0
_SECONDS = 20.0
_BOT = (
    'cmd,seconds=99:sh -c "read -r a; echo pazaak-bot 1; echo name slow; echo ready; exec sleep 99"'
)
"""A bot from outside that thinks until it is ended."""


class Place:
    """What the moments need around them; each program has a home of its own, or a shared one."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.chance = random.Random()
        self._homes = 0
        _, self.address = stack.enter_context(
            hosting(self.home(), "--serve", "--grace", "0", bot="threshold:1")
        )
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.silent = f"127.0.0.1:{silent.getsockname()[1]}"
        """Where connections come about, and nobody says a word."""
        self.kept = self.home()
        """A home with a match that can go on."""
        with waiting_join(self.address, self.kept) as guest:
            guest.until("match")
            guest.until("draw")
            assert guest.finish_json() == Exit.INTERRUPTED

    def home(self) -> Path:
        self._homes += 1
        return self.folder / str(self._homes)

    @contextmanager
    def start(self, *arguments: str, home: Path | None = None) -> Iterator[Terminal]:
        with pazaak(home or self.home(), *arguments) as terminal:
            yield terminal


Reach = Callable[[Place], Iterator[Terminal]]


class Moment(Struct, frozen=True):
    """When a burst comes, and what is to be read after it."""

    reach: Reach
    """Yields the terminal when the moment has come."""
    tells: str = ""
    exits: tuple[int, ...] = (Exit.INTERRUPTED,)


# What comes before a line of the program has run is Python's own affair.
_STARTED = (
    "import sys; from pazaak_p2p.cli import main; print('started', flush=True); sys.exit(main())"
)
_PLAIN = {"PYTHONWARNINGS": ""}
"""No warnings as errors: what Ctrl-C cuts short within Python's import is left to Python."""
_KEYS = {"Any key goes on.": " ", "Really (y/n)?": "y", "Your turn.": "s"}
"""What is pressed when something is asked, to come to the end of a set."""
PLAY = ("play", "--seed", "bursts a")


def starting(*arguments: str) -> Reach:
    def reach(place: Place) -> Iterator[Terminal]:
        with pazaak(place.home(), *arguments, code=_STARTED, more=_PLAIN) as terminal:
            terminal.wait_for("started")
            until = time.monotonic() + place.chance.uniform(0, 1.0)
            while (left := until - time.monotonic()) > 0:
                terminal.pump(left)
            yield terminal

    return reach


def at(text: str, keys: str, *arguments: str, then: str = "") -> Reach:
    """At a program of *arguments* that shows *text*, and after *keys* shows *then*."""

    def reach(place: Place) -> Iterator[Terminal]:
        with place.start(*arguments) as terminal:
            terminal.wait_for(text)
            if keys:
                terminal.send(keys)
                terminal.wait_for(then)
            yield terminal

    return reach


def shown(text: str, *arguments: str) -> Reach:
    """At a match that is played until *text* is on the screen."""

    def reach(place: Place) -> Iterator[Terminal]:
        with place.start(*arguments) as terminal:
            deadline = time.monotonic() + _SECONDS
            pressed = ""
            while text not in terminal.text():
                terminal.pump()
                seen = terminal.text()
                asked = next((asked for asked in _KEYS if asked in seen), "")
                if asked != pressed and text not in seen:
                    terminal.send(_KEYS.get(asked, ""))
                    pressed = asked
                if time.monotonic() > deadline:
                    raise AssertionError(f"{text} never comes:\n{seen}")
            yield terminal

    return reach


def waiting(place: Place) -> Iterator[Terminal]:
    with place.start("host", "--port", "0", "--bind", "127.0.0.1") as terminal:
        terminal.wait_for("They type:")
        yield terminal


def hosting_one(place: Place) -> Iterator[Terminal]:
    with place.start("host", "--port", "0", "--bind", "127.0.0.1") as terminal:
        terminal.wait_for("pazaak join 127.0.0.1:")
        address = terminal.text().partition("pazaak join ")[2].split()[0]
        with join(address, place.home()):
            terminal.wait_for("Your turn.")
            yield terminal


def dialling(place: Place) -> Iterator[Terminal]:
    # Once a line of the program has run: at what it shows nobody sees that it dials.
    with pazaak(place.home(), "join", place.silent, code=_STARTED, more=_PLAIN) as terminal:
        terminal.wait_for("started")
        until = time.monotonic() + place.chance.uniform(0.5, 1.5)
        while (left := until - time.monotonic()) > 0:
            terminal.pump(left)
        yield terminal


def asked_for_a_code(place: Place) -> Iterator[Terminal]:
    with place.start("join", place.silent, "--code") as terminal:
        terminal.wait_for("Join code:")
        yield terminal


def joined(*more: str) -> Reach:
    def reach(place: Place) -> Iterator[Terminal]:
        with place.start("join", place.address, *more) as terminal:
            terminal.wait_for("Your turn.")
            yield terminal

    return reach


def left_alone(place: Place) -> Iterator[Terminal]:
    with (
        hosting(place.home(), bot="threshold:1") as (host, address),
        place.start("join", address) as terminal,
    ):
        terminal.wait_for("Your turn.")
        host.signal(signal.SIGKILL)
        terminal.wait_for("is away")
        yield terminal


def resuming(place: Place) -> Iterator[Terminal]:
    options = ("resume", "--host", "--port", "0")
    with place.start(*options, home=place.kept) as terminal:
        terminal.wait_for("They type:")
        yield terminal


_ON = "Go on with the match: pazaak resume"

MOMENTS = {
    "play starts": Moment(starting(*PLAY)),
    "play --plain starts": Moment(starting(*PLAY, "--plain")),
    "host starts": Moment(starting("host", "--port", "0")),
    "deck edit starts": Moment(starting("deck", "edit")),
    "own turn": Moment(at("Your turn.", "", *PLAY), _ON),
    "asked to concede": Moment(at("Your turn.", "c", *PLAY, then="Concede"), _ON),
    "talking": Moment(at("Your turn.", "thello", *PLAY, then="say: hello"), _ON),
    "reading help": Moment(at("Your turn.", "?", *PLAY, then="Any key goes back"), _ON),
    "a bot thinks": Moment(at("Your turn.", "e", *PLAY, "--against", _BOT, then="'s turn ─"), _ON),
    "held to be looked at": Moment(at("Any key goes on.", "", *PLAY, "--pace", "10"), _ON),
    "end of a set": Moment(shown("the set is over", *PLAY, "--pace", "10"), _ON),
    "end of the match": Moment(
        shown("any other key leaves.", *PLAY, "--rules", "sets=1"),
        "a fair match.",
        exits=(Exit.DONE, Exit.INTERRUPTED),
    ),
    "plain, own turn": Moment(at("Your turn.", "", *PLAY, "--plain"), _ON),
    "plain, asked to concede": Moment(
        at("Your turn.", "c\r", *PLAY, "--plain", then="Concede"), _ON
    ),
    "plain, a bot thinks": Moment(
        at("Your turn.", "e\r", *PLAY, "--plain", "--against", _BOT, then="draws [2]"),
        _ON,
    ),
    "deck builder": Moment(at("of 10", "", "deck", "edit")),
    "deck builder, not saved": Moment(
        at("of 10", "+", "deck", "edit", then="1 of 10"), "The deck was not saved."
    ),
    "host waits": Moment(waiting),
    "host plays": Moment(hosting_one, _ON),
    "join dials": Moment(dialling),
    "join asks for the code": Moment(asked_for_a_code),
    "join plays": Moment(joined(), _ON),
    "join --plain plays": Moment(joined("--plain"), _ON),
    "opponent away": Moment(left_alone, _ON),
    "resume waits": Moment(resuming, _ON),
}


EARLY = {name for name in MOMENTS if name.endswith("starts")} | {
    "join dials",
    "join asks for the code",
}
"""Where no work may have begun, and other signals than SIGINT may do what they do to anyone."""


class Fault(AssertionError):
    """What a burst broke."""


def burst(place: Place, name: str, number: signal.Signals = signal.SIGINT) -> tuple[int, float]:
    """One burst at the moment *name*: the exit code, and the seconds from its last signal to that.

    A signal that ended the program counts as a negative exit code. Raises :class:`Fault`.
    """
    moment = MOMENTS[name]
    with contextmanager(moment.reach)(place) as terminal:
        send = terminal.signal if place.chance.random() < 0.5 else _to_all(terminal)
        sent = 0.0
        for _ in range(place.chance.randint(1, 6)):
            send(number)
            sent = time.monotonic()
            terminal.pump(place.chance.choice((0, 0, 0.002, 0.02)))
        for _ in range(_MORE if number is signal.SIGINT else 0):
            if not _ends_soon(terminal):
                send(number)
                sent = time.monotonic()
        end = terminal.finish(_SECONDS)
        took = time.monotonic() - sent
        code = _code(end)
        exits = moment.exits
        if number is not signal.SIGINT:
            exits = (Exit.INTERRUPTED, -number) if name in EARLY else (Exit.INTERRUPTED,)
        seen = " ".join(terminal.everything().split())
        faults = [
            what
            for what, wrong in (
                ("it hung", end.hung),
                (f"exit code {code}", not end.hung and code not in exits),
                (f"the terminal is left as {end}", not end.restored),
                ("a traceback", "Traceback" in seen or "Exception ignored" in seen),
                (f"it does not say: {moment.tells}", moment.tells not in seen and code != -number),
            )
            if wrong
        ]
        if faults:
            raise Fault(f"{name}: {'; '.join(faults)}\n{terminal.everything()}")
        return code, took


def hang_up(place: Place, name: str) -> tuple[int, float]:
    """Close the terminal at the moment *name*; else as :func:`burst`."""
    with contextmanager(MOMENTS[name].reach)(place) as terminal:
        terminal.hang_up()
        end = terminal.finish(_SECONDS)
        code = _code(end)
        if end.hung or code not in (Exit.INTERRUPTED, -signal.SIGHUP):
            raise Fault(f"{name}: {'it hung' if end.hung else f'exit code {code}'}")
        return code, end.seconds


def _code(end: Ended) -> int:
    return -(end.signal or 0) if end.exit_code is None else end.exit_code


def _to_all(terminal: Terminal) -> Callable[[int], None]:
    def send(number: int) -> None:
        if terminal.running:
            os.killpg(terminal.pid, number)

    return send


def _ends_soon(terminal: Terminal) -> bool:
    """Whether the program ends before it has been quiet for a while."""
    quiet_since = time.monotonic()
    while terminal.running and time.monotonic() - quiet_since < _QUIET:
        if not terminal.quiet(0.02):
            terminal.pump(0)
            quiet_since = time.monotonic()
    return not terminal.running


@contextmanager
def a_place(seed: int) -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Place(Path(folder), stack)
        place.chance.seed(seed)
        yield place


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bursts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=MOMENTS, metavar="MOMENT", help=", ".join(MOMENTS))
    parser.add_argument("--by", choices=("SIGINT", "SIGTERM", "SIGHUP", "close"), default="SIGINT")
    options = parser.parse_args()
    names = [options.only] if options.only else list(MOMENTS)
    ends: Counter[str] = Counter()
    faults, slowest = 0, 0.0
    with a_place(options.seed) as place:
        for number in range(options.bursts):
            name = names[number % len(names)]
            try:
                if options.by == "close":
                    code, seconds = hang_up(place, name)
                else:
                    code, seconds = burst(place, name, signal.Signals[options.by])
            except AssertionError as fault:
                faults += 1
                print(f"{number}: {fault}\n", flush=True)
            else:
                ends[f"{name}: {code}"] += 1
                slowest = max(slowest, seconds)
    for text, count in sorted(ends.items()):
        print(f"{count:4d}  {text}")
    print(f"{options.bursts} bursts, {faults} faults; the slowest end took {slowest:.1f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # programs inherit what is ignored
    sys.exit(main())
