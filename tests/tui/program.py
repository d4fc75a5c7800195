"""A program for a real terminal: a person against a scripted opponent, with known cards.

``python -m tests.tui.program [--plain] [--bug]``. Ends with 0 after the match, with 130 if the
person left or a signal asked it to end; ``--bug`` breaks the drawing of the table.
"""

from __future__ import annotations

import signal
import sys

import trio

from pazaak_p2p.rules import Action, Seat, View, parse_deck, parse_rules
from pazaak_p2p.tui.terminal import at_terminal
from tests.tui.house import House, stand_at

DRAWS = [10, 10, 7, 8]


def thinks_aloud(view: View) -> Action:
    print("Is 17 enough?")
    return stand_at(17)(view)


async def main() -> int:
    person = at_terminal(plain="--plain" in sys.argv)
    if "--bug" in sys.argv:
        person._face.show(None)  # type: ignore[arg-type]
    house = House(
        seat=Seat.HOST,
        decks=(parse_deck("+3 ±4 1±2 D +1 +1 +1 +1 +1 +1"), parse_deck("-1 " * 10)),
        opponent=stand_at(17) if "--plain" in sys.argv else thinks_aloud,
        rules=parse_rules("sets=1"),
        draws=DRAWS,
    )
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as signals:
        async with trio.open_nursery() as nursery:

            async def end_on_signal() -> None:
                async for _ in signals:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(end_on_signal)
            nursery.start_soon(person.run)
            await house.play(person)
            nursery.cancel_scope.cancel()
    return 0 if house.state.outcome is not None else 130


if __name__ == "__main__":
    # So that a Ctrl-C that comes when the person's side has ended already does not kill the end.
    signal.signal(signal.SIGINT, lambda number, frame: None)
    print("started", flush=True)
    code = trio.run(main)
    # Python itself takes handlers away at its end, but leaves what is ignored.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(f"ended with {code}", flush=True)
    sys.exit(code)
