"""The belief over the opponent's hand: that it is one, that it is true, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from benchmarks.bot_belief import Turn, chance, likelier, watched
from pazaak_p2p.bots import Bot, MasterBot, find_bot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.bots.solved.belief import Belief, Believer, shipped_believer
from pazaak_p2p.bots.solved.book import read_all, shipped_book
from pazaak_p2p.bots.solved.chances import ANYBODY_LAYS, chances
from pazaak_p2p.bots.solved.foresight import Informed
from pazaak_p2p.bots.solved.guess import Draws, Guesser, Hands, Position
from pazaak_p2p.bots.solved.hands import Kinds, kinds
from pazaak_p2p.bots.solved.leaves import set_stakes
from pazaak_p2p.bots.solved.past import NOTHING, Choice, flipped, past
from pazaak_p2p.bots.solved.prior import anybodys
from pazaak_p2p.bots.solved.scene import Scene
from pazaak_p2p.bots.solved.tables import BUST, STOOD, USED
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    CARDS,
    DECKS,
    HAND_SIZE,
    TARGET,
    Action,
    Card,
    HandCard,
    Lay,
    Pass,
    Phase,
    Placed,
    Rules,
    Seat,
    SetEnd,
    SetResult,
    Tiebreaker,
    View,
    parse_deck,
)
from tests.bots.matches import random_deck, random_rules
from tests.bots.test_threshold import position

GOLD = [card.number - 1 for card in CARDS if card.gold]


def against(theirs: Sequence[int], used: str = "", results: tuple[SetResult, ...] = ()) -> View:
    """The joiner is to choose at 15; the host has the green cards *theirs* on its table, and has
    used the cards *used* in sets that are not told.
    """
    view = position([9, 6], "+2 ±4 1±2 D")
    played = [Card.parse(text) for text in used.split()]
    hidden = [HandCard(at, None, False) for at in range(len(played), HAND_SIZE)]
    host = (*(HandCard(at, card, True) for at, card in enumerate(played)), *hidden)
    state = replace(
        view.state,
        hands=(host, view.state.hands[1]),
        tables=(tuple(Placed(None, rank) for rank in theirs), view.table),
        totals=(sum(theirs), view.total),
        opener=Seat.HOST,
        results=results,
    )
    return View(view.seat, state)


def held(view: View) -> tuple[Belief, Belief]:
    """Before anything was seen but the cards used, and now."""
    believer = shipped_believer()
    belief = believer.belief(view)
    assert belief is not None
    return believer.prior(view), belief


class Views:
    """A bot that keeps its views."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.views: list[View] = []

    def choose(self, view: View) -> Action | Concede:
        self.views.append(view)
        return self._bot.choose(view)


def test_it_is_a_distribution_over_hands_that_fit_whatever_is_played_under_any_rules() -> None:
    """Also against bots that play just anything, and by the view alone: whoever has seen nothing
    before believes the same, to the last bit.
    """
    one, weighed = Believer(shipped_book()), 0
    for match in range(40):
        rng = Random(f"belief {match}")
        rules = random_rules(rng)
        deck = random_deck(rng, rules)
        bots = Views(find_bot("careful").make(b"")), find_bot("random").make(rng.randbytes(32))
        play_match(rules, (deck, deck), bots, rng)
        for view in bots[0].views[::2]:
            belief = one.belief(view)
            if belief is None:
                continue
            weighed += 1
            assert belief.hands.size == view.opponent_cards
            assert np.isfinite(belief.weights).all()
            assert (belief.weights >= 0).all()
            assert belief.weights.sum() == pytest.approx(1)
            if not rules.gold:
                assert not any(belief.holds(kind) for kind in GOLD)
        if match % 8 == 0:
            view = bots[0].views[-1]
            again = Believer(shipped_book())
            anew, known = again.belief(view), one.belief(view)
            assert (anew is None) == (known is None)
            if anew is not None and known is not None:
                assert anew.weights.tobytes() == known.weights.tobytes()
            assert chances(view, believer=again) == chances(view, believer=one)
    assert weighed > 150


def test_what_was_used_is_no_longer_held() -> None:
    """Who has used three cards of a deck of pairs holds one more of it, or something random."""
    view = against([10], "1±2 D 2&4")
    _, belief = held(view)
    assert belief.hands.size == 1
    left = [number(text) for text in ("1±2", "D", "2&4", "3&6", "±1T")]
    assert sum(belief.holds(kind) for kind in left) > 0.8
    early, late = held(against([10], "+1 +1"))[1], held(against([10], "+1 +1 +2"))[1]
    assert early.holds(number("+2")) > 1.5 * late.holds(number("+2")) > 0


def test_who_goes_on_at_18_holds_what_brings_it_back() -> None:
    before, now = held(against([10, 8, 1]))
    for text in ("-2", "-3", "-4", "-5", "-6"):
        assert now.holds(number(text)) > before.holds(number(text)), text
    for text in ("+1", "+2"):
        assert now.holds(number(text)) < 0.9 * before.holds(number(text)), text


@pytest.mark.parametrize(
    ("bust", "helpful"),
    [((10, 3, 10), ("-3", "-4", "±3", "±4")), ((10, 5, 10), ("-5", "-6", "±5", "±6"))],
)
def test_who_went_bust_without_a_card_has_none_that_helps(
    bust: tuple[int, ...], helpful: tuple[str, ...]
) -> None:
    table = tuple(Placed(None, rank) for rank in bust)
    mine = (Placed(None, 10), Placed(None, 9))
    lost = SetResult(
        1, Seat.JOIN, (sum(bust), 19), Seat.JOIN, SetEnd.BUST, (table, mine), (False, True)
    )
    view = against([10], results=(lost,))
    view = View(view.seat, replace(view.state, won=(0, 1)))
    assert [choice.made for choice in past(view).choices] == [10, sum(bust[:2]), sum(bust), 10]
    before, now = held(view)
    for text in helpful:
        assert now.holds(number(text)) < 0.75 * before.holds(number(text)), text
    assert now.holds(number("+1")) > before.holds(number("+1"))


def number(text: str) -> int:
    return Card.parse(text).number - 1


# --- the truth of it, over matches


@pytest.fixture(scope="module")
def seen() -> dict[str, list[Turn]]:
    read_all(shipped_book())
    decks = list(DECKS.values())
    return {
        name: [
            turn
            for match in range(27)
            for turn in watched(name, "expert", decks[match % len(decks)], match)
            if turn.before.opponent_cards
        ]
        for name in ("master", "expert", "careful")
    }


@pytest.mark.parametrize("name", ["master", "expert", "careful"])
def test_the_true_hand_is_likelier_than_before(name: str, seen: dict[str, list[Turn]]) -> None:
    known = [likelier(turn, shipped_believer()) for turn in seen[name]]
    true = [ratio for ratio in known if ratio is not None]
    assert len(true) > 300
    assert np.mean(true) > 0.05


@pytest.mark.parametrize("name", ["master", "expert", "careful"])
def test_the_next_turn_is_told_better_than_by_habits(
    name: str, seen: dict[str, list[Turn]]
) -> None:
    """By the mean of -log(chance) of what was then done."""
    book, believer = shipped_book(), shipped_believer()
    habits = [np.log(chance(turn, book, None)) for turn in seen[name]]
    belief = [np.log(chance(turn, book, believer)) for turn in seen[name]]
    assert np.mean(belief) > np.mean(habits) + 0.015


# --- what follows from it


def test_with_nothing_seen_nothing_changes() -> None:
    for view in (against([]), against([10]), against([3, 7])):
        assert shipped_believer().belief(view) is None
        assert MasterBot().chances(view) == chances(view)
    # Cards that no hand explains: none of them is in this match.
    view = against([10, 8], "D")
    odd = View(view.seat, replace(view.state, rules=Rules(gold=False)))
    assert shipped_believer().belief(odd) is None
    assert MasterBot().chances(odd) == chances(odd)


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_a_belief_that_says_nothing_changes_nothing(cards: int) -> None:
    """One that is that of anybody with so many cards."""
    view = against([10, 4])
    book = shipped_book()
    habits = book.habits((3, 3))
    hands, weights = anybodys(cards, True)
    informed = Informed(Guesser(book), habits, view, hands, weights)
    ranks = np.full(10, 0.1)
    for stands, total in ((0, 15), (1, 18), (0, 3)):
        plain = habits.turn(3, cards, stands, total, 14, ranks)
        told = informed.turn(3, cards, stands, total, 14, ranks)
        assert told == pytest.approx(plain, abs=1e-6)


def test_one_who_holds_what_mends_a_bust_is_expected_to_play_it() -> None:
    """At 17 drawing a 7, with a -4 for sure, and with a +4."""
    view = against([10, 7])
    book = shipped_book()
    habits, ranks = book.habits((3, 3)), np.eye(10)[6]
    by_card = {
        text: Informed(
            Guesser(book),
            habits,
            view,
            Hands(np.array([kinds(parse(text))])),
            np.ones(1),
        ).turn(2, 1, 1, 18, 17, ranks)
        for text in ("-4", "+4")
    }
    plain = habits.turn(2, 1, 1, 18, 17, ranks)
    made_20 = USED + STOOD + TARGET
    assert by_card["-4"][made_20] > 1.5 * plain[made_20] > 0
    assert by_card["+4"][made_20] < 0.2 * plain[made_20]
    assert by_card["+4"][BUST] > plain[BUST] > by_card["-4"][BUST]


def parse(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


def test_what_comes_of_a_turn_is_the_sum_of_its_choices() -> None:
    """Two ways to reckon the same: outcomes of all hands and draws at once, and the likelihood of
    each single choice of a single hand.
    """
    guesser, rng = Guesser(shipped_book()), Random("scene")
    for _ in range(30):
        size = rng.randint(1, HAND_SIZE)
        hand = tuple(sorted(rng.randrange(len(CARDS)) for _ in range(size)))
        table = [rng.randint(1, 10) for _ in range(rng.randint(0, 3))]
        if sum(table) >= TARGET:
            continue
        won = rng.randint(0, 2), rng.randint(0, 2)
        stakes = set_stakes(Rules(), Seat.HOST, Seat(rng.randrange(2)), won, sum(won) + 1)
        at = Position(stakes, rng.randint(0, 4), rng.randint(0, 20), rng.random() < 0.4)
        ranks = range(1, 11)
        totals, turned = zip(
            *((sum(table) + rank, flipped([*table, rank])) for rank in ranks), strict=True
        )
        hands = Hands(np.array([hand]))
        scene = Scene(guesser, hands, np.ones((1, 1), np.float32), Draws(ranks, totals, turned))
        told = scene.turn(at)[0]
        assert told.sum(axis=1) == pytest.approx(np.ones(10), abs=1e-5)
        for rank, total, flips in zip(ranks, totals, turned, strict=True):
            base = Choice(stakes, (), rank, total, flips, *at[1:], NOTHING, total, False)
            for outcome, chance_of_it in enumerate(told[rank - 1].tolist()):
                summed = sum(
                    float(guesser.likelihood(choice, hands)[0])
                    for choice in choices_to(outcome, base, hand)
                )
                assert summed == pytest.approx(chance_of_it, abs=1e-5)


def choices_to(outcome: int, base: Choice, hand: Kinds) -> list[Choice]:
    """All ways to come to *outcome*, but for cards that leave a total over 20."""
    used, end = divmod(outcome, USED)
    if end == BUST:
        return [base] if base.made > TARGET and not used else []
    stood, total = end >= STOOD, end % STOOD
    if total == TARGET and not stood:
        return []
    if not used:
        same = base.total == total
        return [base._replace(stood=stood)] if same else []
    found = []
    for kind in sorted(set(hand)):
        card = CARDS[kind]
        if card.flips:
            made = [base.flipped[card is Card.FLIP_3_6]]
        else:
            made = [base.total + value for value in card.values or (base.drawn,)]
        found += [
            base._replace(card=kind, made=total, stood=stood)
            for each in made
            if max(each, 0) == total
        ]
    return found


def test_R17_whether_the_other_lays_a_tiebreaker_follows_from_what_it_has_done() -> None:
    rules = Rules(tiebreaker=Tiebreaker.AT_TIE)

    def tied(used: str, ties: int = 0) -> View:
        table = (Placed(None, 10), Placed(None, 8))
        result = SetResult(1, Seat.JOIN, (18, 18), None, SetEnd.TIE, (table, table), (True, True))
        view = against([10, 8], used, tuple(replace(result, number=n + 1) for n in range(ties)))
        return View(
            view.seat,
            replace(
                view.state,
                rules=rules,
                phase=Phase.TIE,
                opener=Seat.JOIN,
                tables=(table, table),
                totals=(18, 18),
                stood=(True, True),
                hands=(view.state.hands[0], (HandCard(0, Card.TIEBREAKER, False),)),
            ),
        )

    believer = shipped_believer()
    assert 0 < believer.lays(tied("+1 +2")) < ANYBODY_LAYS / 2
    golden = believer.lays(tied("1±2 D"))
    assert golden > 0.2
    assert believer.lays(tied("1±2 D", ties=2)) < 0.6 * golden
    # Against who is likely to lay one, passing is worth less beside laying.
    for used, better in (("1±2 D", True), ("+1 +2", False)):
        plain, told = chances(tied(used)), MasterBot().chances(tied(used))
        assert set(told) == {Lay(0), Pass()}
        assert (told[Pass()] < plain[Pass()]) is better


def test_weights_rest_on_the_latest_turns_however_long_the_match() -> None:
    """A match to nine sets against who never plays a card: all of it is told, and weighed."""
    deck = parse_deck("±1 ±1 ±2 ±2 ±3 ±3 ±4 ±4 ±5 ±6")
    bots = Views(find_bot("careful").make(b"")), find_bot("novice").make(bytes(32))
    play_match(Rules(sets=9, max_sets=30), (deck, deck), bots, Random("long"))
    view = bots[0].views[-1]
    assert len(past(view).choices) > 40
    believer = Believer(shipped_book())
    belief = believer.belief(view)
    assert belief is not None
    assert belief.weights.sum() == pytest.approx(1)
