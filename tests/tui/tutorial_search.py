"""Looks for a tutorial in which everything happens to whoever does as it says.

``nice python -m tests.tui.tutorial_search [FIRST [LAST]]`` tries the seeds ``tutorial FIRST`` to
``tutorial LAST`` by the rules alone, on the very lots that a match of these seeds has, and prints
those that are good, with the decks that make them so.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.bots.tutor import TutorBot
from pazaak_p2p.fairness import MatchSecret, SeedSecrets, deal, draw, lot, opening
from pazaak_p2p.rules import (
    Card,
    Deal,
    Draw,
    End,
    Input,
    Kind,
    Opening,
    Phase,
    Play,
    Rules,
    Seat,
    SetEnd,
    SideDeck,
    Stand,
    State,
    apply,
    new_match,
    parse_deck,
    view,
)
from pazaak_p2p.tui.advice import advice
from pazaak_p2p.tui.choices import keys_for
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.messages import Accept, Offer, RulesMap
from pazaak_p2p.wire.terms import agree

RULES = Rules()
WANTED = frozenset(
    {"plus", "minus", "plusminus", "one-two", "double", "2&4", "3&6", "tiebreaker"}
    | {"twenty", "back", "stand", "tie", "broken", "nine"}
)
_MOST_SETS = 5


class Lots:
    """The lots of the match that two seats of the *seed* have."""

    def __init__(self, seed: str) -> None:
        secrets = [SeedSecrets(seed, seat) for seat in Seat]
        keys = [
            Ed25519PrivateKey.from_private_bytes(each.identity()).public_key().public_bytes_raw()
            for each in secrets
        ]
        offer = encode(Offer(RulesMap.of(RULES), secrets[0].nonce(0)))
        accept = encode(Accept(secrets[1].nonce(0)))
        self._id = agree(RULES, (keys[0], keys[1]), offer, accept).match_id
        self.secrets = [MatchSecret(secrets[seat].match_secret(0), self._id, seat) for seat in Seat]
        self._known: list[bytes] = []

    def __getitem__(self, k: int) -> bytes:
        while len(self._known) <= k:
            n = len(self._known)
            host, join = (each.share(n) for each in self.secrets)
            self._known.append(lot(self._id, n, host, join))
        return self._known[k]


def place(lots: Lots, seat: Seat, hand: tuple[Card, ...], rest: Card) -> SideDeck:
    """The side deck of *seat*, as its owner writes it, of which exactly *hand* is dealt."""
    dealt, order = deal(lots[0])[seat], lots.secrets[seat].order(10)
    written = [rest] * 10
    for position, card in zip(dealt, hand, strict=True):
        written[order[position]] = card
    return tuple(written)


def _in_order(lots: Lots, seat: Seat, deck: SideDeck) -> SideDeck:
    return tuple(deck[i] for i in lots.secrets[seat].order(10))


def run(lots: Lots, decks: tuple[SideDeck, SideDeck]) -> Iterator[tuple[State, State, Input]]:
    """Every step of the match of who follows the advice with the tutor."""
    host, join = (_in_order(lots, seat, decks[seat]) for seat in Seat)
    state = new_match(RULES, (host, join))
    tutor = TutorBot()
    k = 0
    while state.outcome is None:
        match state.phase:
            case Phase.DEAL:
                step: Input = Deal(*deal(lots[k]))
            case Phase.OPENING:
                step = Opening(*opening(lots[k]))
            case Phase.DRAW:
                step = Draw(draw(lots[k], bytes(state.deck)))
            case _:
                assert state.mover is not None
                seen = view(state, state.mover)
                step = advice(seen) if state.mover is Seat.HOST else tutor.choose(seen)
        k += state.phase in (Phase.DEAL, Phase.OPENING, Phase.DRAW)
        before, state = state, apply(state, step)
        yield before, state, step


def keys_of(lots: Lots, decks: tuple[SideDeck, SideDeck]) -> list[str]:
    """What is pressed in it, choice by choice."""
    return [
        keys_for(view(before, Seat.HOST), step)
        for before, _, step in run(lots, decks)
        if before.mover is Seat.HOST and isinstance(step, Play | End | Stand)
    ]


def met(lots: Lots, decks: tuple[SideDeck, SideDeck]) -> frozenset[str]:
    """What happens in it; given up as soon as a set teaches nothing."""
    seen: set[str] = set()
    known = 0
    for before, after, step in run(lots, decks):
        ours = before.mover is Seat.HOST
        if isinstance(step, Opening) and step.host <= step.join:
            break
        if isinstance(step, Play):
            flips = step.card.kind is Kind.FLIP
            seen.add(step.card.ascii if flips else step.card.kind.value)
            if ours and before.totals[0] > 20:
                seen.add("back")
        if ours and isinstance(step, Stand):
            seen.add("stand")
        ended = len(after.results) > len(before.results)
        totals = after.results[-1].totals if ended else after.totals
        if ours and isinstance(step, Play | Draw) and totals[0] == 20:
            seen.add("twenty")
        if ended:
            result = after.results[-1]
            if result.winner is None:
                seen.add("tie")
            if result.winner is Seat.HOST and result.reason is SetEnd.TIEBREAKER:
                seen.add("broken")
            if result.winner is Seat.HOST and result.reason is SetEnd.NINE:
                seen.add("nine")
            happened = len(seen & {"tie", "broken", "nine", "back", "twenty"})
            if happened == known or len(after.results) > _MOST_SETS:
                break
            known = happened
    return frozenset(seen)


def hands(chance: random.Random) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    sizes = [chance.randint(1, 6) for _ in range(3)]
    ours = parse_deck(f"±{sizes[0]} 1±2 2&4 ±1T " + "+1 " * 6)[:4]
    theirs = parse_deck(f"+{sizes[1]} -{sizes[2]} D 3&6 " + "+1 " * 6)[:4]
    return ours, theirs


def main() -> None:
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    last = int(sys.argv[2]) if len(sys.argv) > 2 else 10**9
    most = 0
    for number in range(first, last):
        lots = Lots(f"tutorial {number}")
        host, join = opening(lots[1])
        if host <= join:
            continue
        chance = random.Random(number)
        tried = set()
        for _ in range(12):
            ours, theirs = hands(chance)
            if (ours, theirs) in tried:
                continue
            tried.add((ours, theirs))
            decks = (
                place(lots, Seat.HOST, ours, Card.PLUS_1),
                place(lots, Seat.JOIN, theirs, Card.PLUS_1),
            )
            found = len(WANTED & met(lots, decks))
            if found >= max(most, len(WANTED) - 1):
                most = max(most, found)
                missing = sorted(WANTED - met(lots, decks))
                words = [" ".join(map(str, deck)) for deck in (ours, theirs)]
                print(number, found, missing, words, flush=True)


if __name__ == "__main__":
    main()
