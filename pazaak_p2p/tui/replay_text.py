"""A recorded match as text: its story from the deal to the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from pazaak_p2p.arena.narrate import tell_moves
from pazaak_p2p.rules import describe, format_deck
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.replay_record import Opened, Recording, Side
from pazaak_p2p.tui.replay_words import (
    deed,
    hidden_words,
    played_on,
    seat_names,
    seen_from,
    verdict_lines,
)
from pazaak_p2p.wire.events import Moved


def as_text(recording: Recording, side: Side, glyphs: Glyphs) -> Iterator[str]:
    """The lines of the story, each with its end; from a seat, with what that seat saw."""
    for line in _lines(recording, side, glyphs):
        shown = line.rstrip()
        if glyphs.ascii:
            shown = shown.replace("±", "+-").encode("ascii", "backslashreplace").decode()
        yield f"{shown}\n"


def _lines(recording: Recording, side: Side, glyphs: Glyphs) -> Iterator[str]:
    verdict = recording.verdict
    assert verdict.rules is not None
    names = seat_names(recording, glyphs)
    when = played_on(recording)
    yield f"{names[0]} hosts, {names[1]} joins{f', {when}' if when else ''}."
    yield f"Rules: {describe(verdict.rules)}"
    yield f"Seen {seen_from(recording, side, names)}."
    if hidden := hidden_words(recording, names):
        yield hidden
    yield ""
    steps = range(1, recording.last)
    hands = recording.seen(1, side).state.hands  # as they were dealt, if they were
    told = tell_moves(
        (
            Moved(what, recording.steps[at].seat, recording.seen(at, side).state)
            for at in steps
            if (what := recording.steps[at].what) is not None and not isinstance(what, Opened)
        ),
        names,
        hands,
    )
    if told:
        yield from (*told, "")
    for at in steps:
        step = recording.steps[at]
        if isinstance(step.what, Opened):
            cards = format_deck(step.what.deck, glyphs.ascii)
            yield f"{deed(step, names, glyphs, first=False)}: {cards}"
    heading, more = verdict_lines(recording, names)
    yield plain(heading).strip()
    if more:
        yield more
    yield f"Match: {verdict.match_id.hex()}"
    yield f"Head:  {verdict.head.hex()}"
