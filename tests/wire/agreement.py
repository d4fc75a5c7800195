"""What is played in the tests, and all that must hold of two peers after it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pazaak_p2p.rules import (
    DECKS,
    PRESETS,
    Action,
    Copies,
    Nine,
    Opener,
    Phase,
    Rules,
    Seat,
    State,
    Tiebreaker,
    View,
    legal_actions,
    public,
)
from pazaak_p2p.wire import events
from tests.verifier import verify
from tests.wire.pair import (
    Choice,
    Pair,
    Side,
    at_random,
    objects_in,
)

STANDARD = Rules()
OPTIONS: list[Rules] = [
    *PRESETS.values(),
    *(replace(STANDARD, copies=copies) for copies in Copies),
    *(replace(STANDARD, gold=gold) for gold in (True, False)),
    *(replace(STANDARD, opener=opener) for opener in Opener),
    *(replace(STANDARD, auto_stand=auto) for auto in (True, False)),
    *(replace(STANDARD, nine=nine) for nine in Nine),
    *(replace(STANDARD, tiebreaker=tiebreaker) for tiebreaker in Tiebreaker),
    *(replace(STANDARD, sets=sets) for sets in (1, 2, 9)),
    *(replace(STANDARD, max_sets=most) for most in (1, 2, 999)),
    *(replace(STANDARD, turn_seconds=seconds) for seconds in (5, 3600)),
    replace(STANDARD, tiebreaker=Tiebreaker.AT_TIE, gold=False),
    replace(STANDARD, tiebreaker=Tiebreaker.AT_TIE, opener=Opener.RANDOM, auto_stand=False),
    replace(STANDARD, nine=Nine.STAND, auto_stand=False, opener=Opener.LOSER, max_sets=3),
]
PLAIN = [name for name, deck in DECKS.items() if not any(card.gold for card in deck)]


def cautious(seed: object) -> Choice:
    """Plays to around 17, so that sets are stood out, tied and filled up."""
    any_action = at_random(seed)

    def choose(view: View) -> Action:
        actions = legal_actions(view.state)
        if view.state.phase is Phase.ACT and view.total <= 20:
            return actions[-1] if view.total >= 17 else actions[-2]
        return any_action(view)

    return choose


PLAYERS: list[Callable[[object], Choice]] = [at_random, cautious]


def decks_for(rules: Rules, i: int) -> tuple[str, str]:
    names = list(DECKS) if rules.gold else PLAIN
    return names[i % len(names)], names[(i * 7 + 3) % len(names)]


def moves(side: Side) -> list[tuple[object, object, State]]:
    """What happened in the game, as an onlooker of this side's events sees it."""
    return [(e.input, e.seat, public(e.state)) for e in side.of_kind(events.Moved)]


def check(pair: Pair) -> events.Ended:
    """All that must hold of both sides after one whole match."""
    host, join = pair.sides
    (ended,) = host.of_kind(events.Ended)
    assert join.of_kind(events.Ended) == [ended]
    assert ended.opened == (True, True)
    assert host.peer.head == join.peer.head == ended.head
    assert host.peer.match_id == join.peer.match_id
    assert host.peer.lots_checked == join.peer.lots_checked > 1
    assert moves(host) == moves(join)
    for side in pair.sides:
        assert side.peer.state is not None
        assert side.peer.state.outcome == ended.outcome
        theirs = Seat.JOIN if side.peer.seat is Seat.HOST else Seat.HOST
        for moved in side.of_kind(events.Moved):
            # C13: nothing of the other hand but what was played.
            hidden = [card.card for card in moved.state.hands[theirs] if not card.played]
            assert set(hidden) <= {None}
            assert moved.state.decks[theirs] is None
    (host_header, *host_rest), (join_header, *join_rest) = (
        objects_in(bytes(side.record)) for side in pair.sides
    )
    assert host_rest == join_rest
    assert [host_header.pop("seat"), join_header.pop("seat")] == [host.peer.seat, join.peer.seat]
    assert host_header == join_header
    assert host_rest[-1] == {
        "t": "end",
        "termination": ended.outcome.termination.value,
        "winner": ended.outcome.winner,
        "opened": [True, True],
        "code": "",
        "text": "",
    }
    verdict = verify(bytes(host.record))
    assert verdict.clean
    assert verdict.complete
    assert verdict.head == ended.head
    assert (verdict.termination, verdict.winner) == (
        ended.outcome.termination.value,
        ended.outcome.winner,
    )
    return ended


def lobby() -> Pair:
    """Two persons who have greeted each other."""
    pair = Pair(persons=(True, True))
    pair.greet()
    return pair


def in_match() -> Pair:
    """A match in which one side thinks about its first choice."""
    pair = lobby()
    pair.host.offer(STANDARD)
    while not any(side.thinking_about for side in pair.sides):
        assert pair.step()
    return pair
