"""The best response to master by who sees its hand."""

from __future__ import annotations

from functools import cache
from random import Random
from statistics import fmean

import pytest
from msgspec.structs import replace

from pazaak_p2p.arena.solver.response import (
    BUST,
    ENDED,
    PARTS,
    STOOD,
    Response,
    replies_of,
)
from pazaak_p2p.arena.solver.seer import SeerBot
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
    legal_actions,
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


HANDS = (0, 3, 14, 22), (5, 9, 13, 15)
"""+1 +4 ±3 D, and +6 -4 ±2 ±4."""


@pytest.fixture(scope="module")
def response() -> Response:
    return Response(*HANDS, shipped_book())


def naive(response: Response, opens: bool, own: int, its: int) -> float:
    """Our chance at the start of a last set, move by move: *own* and *its* parts of the hands."""
    ends = response.sets[(1, 1), opens].ends
    codes = response.sets[(1, 1), opens].codes

    def judged(total: int, other: int, own: int, its: int) -> float:
        result = 1 if total == other else 0 if total > other else 2
        return float(ends[result, own, its])

    @cache
    def ours(total: int, other: int, own: int, its: int, other_stands: bool) -> float:
        """Before our draw."""
        return fmean(drawn(total, rank, other, own, its, other_stands) for rank in range(1, 11))

    def drawn(total: int, rank: int, other: int, own: int, its: int, other_stands: bool) -> float:
        found = [over(total + rank, other, own, its, other_stands)]
        if total + rank != TARGET:
            for at, kind in enumerate(HANDS[0]):
                if own >> at & 1:
                    for value in CARDS[kind].values or (rank,):
                        made = max(total + rank + value, 0)
                        found.append(over(made, other, own & ~(1 << at), its, other_stands))
        return max(found)

    @cache
    def over(total: int, other: int, own: int, its: int, other_stands: bool) -> float:
        """No card is left to play in our turn: the best of standing and ending."""
        if total > TARGET:
            return float(ends[2, own, its])
        if other_stands:
            stand = judged(total, other, own, its)
            return stand if total == TARGET else max(stand, ours(total, other, own, its, True))
        stand = masters(total, other, own, its, True)
        return stand if total == TARGET else max(stand, masters(total, other, own, its, False))

    @cache
    def masters(total: int, other: int, own: int, its: int, we_stand: bool) -> float:
        """Before its draw."""
        row = codes[its, own.bit_count(), int(we_stand), total, other].tolist()
        return fmean(came(code, total, own, we_stand) for code in row)

    def came(code: int, total: int, own: int, we_stand: bool) -> float:
        if code >= BUST:
            return float(ends[0, own, code - BUST])
        made, left = divmod(code % STOOD, PARTS)
        if code >= STOOD:
            return (
                judged(total, made, own, left) if we_stand else ours(total, made, own, left, True)
            )
        return (
            masters(total, made, own, left, True)
            if we_stand
            else ours(total, made, own, left, False)
        )

    return ours(0, 0, own, its, False) if opens else masters(0, 0, own, its, False)


@pytest.mark.parametrize(
    ("own", "its"), [(0, 0), (0b0001, 0b1000), (0b0100, 0b0011), (0b1010, 0b0110)]
)
def test_the_response_is_what_going_through_it_move_by_move_gives(
    response: Response, own: int, its: int
) -> None:
    for opens in (False, True):
        value = float(response.sets[(1, 1), opens].first[int(opens), own, its])
        assert naive(response, opens, own, its) == pytest.approx(value, abs=1e-9)


def test_who_plays_the_response_expects_what_it_is_worth(response: Response) -> None:
    """With as many of each rank in the deck as in an endless one, in any position."""
    rng = Random("seer")
    seer = SeerBot(response, (range(4), range(4)))
    solved = response.sets
    for _ in range(300):
        score, opened = (rng.randint(1, 3), rng.randint(1, 3)), rng.random() < 0.5
        part, its, stands = rng.randrange(PARTS), rng.randrange(PARTS), rng.random() < 0.5
        total, before, rank = rng.randint(1, 19 + stands), rng.randint(0, 19), rng.randint(1, 10)
        if before + rank == TARGET:
            continue
        table = Placed(None, before), Placed(None, rank)
        view = seen(HANDS[0], part, score, opened, (0, stands, total), table)
        hidden = tuple(HandCard(at, None, not its >> at & 1) for at in range(4))
        view = View(view.seat, replace(view.state, hands=(hidden, view.state.hands[1])))
        after = solved[score, opened].after[int(stands)]
        made = [(part, view.total)] + [
            (part & ~(1 << action.at), total_after(view.state, action))
            for action in legal_actions(view.state)
            if isinstance(action, Play)
        ]
        worth = max(
            float(after[left, max(some, 0), total, its])
            if some <= TARGET
            else float(solved[score, opened].ends[2, left, its])
            for left, some in made
        )
        assert max(seer.worth(view).values()) == pytest.approx(worth, abs=1e-9)


def test_without_cards_master_cannot_be_beaten(response: Response) -> None:
    """Its play is the optimum there, so the best response does as well as itself."""
    for score in ((1, 1), (2, 2), (3, 3)):
        bare = [float(response.values[score, opens][0, 0]) for opens in (False, True)]
        assert sum(bare) == pytest.approx(1, abs=1e-3)
