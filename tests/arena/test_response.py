"""The best response to master by who sees its hand."""

from __future__ import annotations

from random import Random

import pytest

from pazaak_p2p.arena.solver.response import (
    BUST,
    ENDED,
    PARTS,
    STOOD,
    Response,
    replies_of,
)
from pazaak_p2p.bots import MasterBot
from pazaak_p2p.bots.solved.book import shipped_book
from pazaak_p2p.rules import (
    CARDS,
    DECKS,
    FULL_DECK,
    TARGET,
    End,
    HandCard,
    Phase,
    Placed,
    Play,
    Rules,
    Seat,
    Stand,
    State,
    View,
    total_after,
)


def seen(
    hand: tuple[int, ...],
    part: int,
    score: tuple[int, int],
    opened: bool,
    ours: tuple[int, bool, int],
    table: tuple[Placed, ...],
    played: bool = False,
) -> View:
    """Master, the joiner, is to choose with *part* of *hand*; *ours* are cards, stands, total. All
    green cards are in the deck, so each rank is as likely as in an endless one.
    """
    cards, stands, total = ours
    held = tuple(HandCard(at, CARDS[kind], not part >> at & 1) for at, kind in enumerate(hand))
    hidden = tuple(HandCard(at, None, False) for at in range(cards))
    state = State(
        rules=Rules(),
        phase=Phase.ACT,
        decks=(None, None),
        hands=(hidden, held),
        tables=((Placed(None, total),), table),
        totals=(total, sum(placed.value for placed in table)),
        stood=(stands, False),
        deck=FULL_DECK,
        mover=Seat.JOIN,
        opener=Seat.JOIN if opened else Seat.HOST,
        played=played,
        laid=(False, False),
        won=(3 - score[1], 3 - score[0]),
        results=(),
        outcome=None,
    )
    return View(Seat.JOIN, state)


def held(hand: tuple[int, ...], part: int) -> list[int]:
    return [kind for at, kind in enumerate(hand) if part >> at & 1]


@pytest.mark.parametrize("deck", ["starter", "average", "balanced", "wanderer"])
def test_master_does_in_its_matches_what_the_response_takes_it_to_do(deck: str) -> None:
    rng = Random(f"replies {deck}")
    master, kinds = MasterBot(), [card.number - 1 for card in DECKS[deck]]
    cards_played = 0
    for _ in range(3):
        hand = tuple(sorted(rng.sample(kinds, 4)))
        score, opened = (rng.randint(1, 3), rng.randint(1, 3)), rng.random() < 0.5
        codes = replies_of(shipped_book(), hand, score, opened)
        for _ in range(40):
            part, ours = rng.randrange(PARTS), (rng.randint(0, 4), rng.random() < 0.5)
            total, before, rank = (
                rng.randint(1, 19 + ours[1]),
                rng.randint(4, 19),
                rng.randint(1, 10),
            )
            if before + rank == TARGET:
                continue
            table: tuple[Placed, ...] = Placed(None, before), Placed(None, rank)
            view = seen(hand, part, score, opened, (*ours, total), table)
            expected = int(codes[part, ours[0], int(ours[1]), total, before, rank - 1])
            action, left, made = master.choose(view), part, view.total
            if isinstance(action, Play):
                cards_played += 1
                left, made = part & ~(1 << action.at), total_after(view.state, action)
                table = (*table, Placed(action.card, made - view.total))
                view = seen(hand, left, score, opened, (*ours, total), table, played=True)
                action = Stand() if made == TARGET else master.choose(view)
            chances = master.chances(view)
            if made != TARGET and abs(chances[Stand()] - chances[End()]) < 1e-6:
                continue  # both win, or both lose
            if made > TARGET:
                assert expected == BUST + left
            else:
                way = STOOD if isinstance(action, Stand) else ENDED
                assert (
                    expected % PARTS == left or hand.count(hand[(left ^ part).bit_length() - 1]) > 1
                )
                assert expected // PARTS * PARTS == way + max(made, 0) * PARTS
    assert cards_played > 10


def test_without_cards_master_cannot_be_beaten() -> None:
    """Its play is the optimum there, so the best response does as well as itself."""
    response = Response((0, 1, 2, 3), (0, 1, 2, 3), shipped_book())
    for score in ((1, 1), (2, 2), (3, 3)):
        bare = [float(response.values[score, opens][0, 0]) for opens in (False, True)]
        assert sum(bare) == pytest.approx(1, abs=1e-3)
    assert 0.5 < response.chance < 0.53
