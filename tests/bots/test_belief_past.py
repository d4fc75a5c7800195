"""What the opponent has chosen is read from the view just as it chose, under every option."""

from __future__ import annotations

from random import Random
from typing import Any

from pazaak_p2p.bots import Bot, find_bot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.bots.solved.chances import match_stakes
from pazaak_p2p.bots.solved.hands import Kinds, kinds
from pazaak_p2p.bots.solved.past import NOTHING, Choice, past
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    HAND_SIZE,
    SLOTS,
    TARGET,
    Action,
    Card,
    Lay,
    Pass,
    Phase,
    Play,
    Seat,
    SetEnd,
    Stand,
    View,
    total_after,
    view,
)
from tests.bots.matches import random_deck, random_rules


class Witness:
    """A bot, and what it really saw and chose. (Turns as ``past`` tells of them.)"""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.turns: list[dict[str, Any]] = []
        self.passes: list[Kinds] = []
        self.lays: list[int] = []
        """The sets at whose end it laid a tiebreaker."""

    def choose(self, view: View) -> Action | Concede:
        action = self._bot.choose(view)
        state = view.state
        used = kinds(held.card for held in state.hands[view.seat] if held.played and held.card)
        if isinstance(action, Pass):
            self.passes.append(used)
        elif isinstance(action, Lay):
            self.lays.append(len(state.results) + 1)
        elif state.phase is Phase.ACT:
            if not state.played:
                values = [placed.value for placed in view.table]
                turned = [sum(-v if abs(v) in flip else v for v in values) for flip in FLIPPED]
                self.turns.append(
                    {
                        "stakes": match_stakes(view),
                        "before": used,
                        "drawn": values[-1],
                        "total": view.total,
                        "flipped": tuple(turned),
                        "other_cards": view.opponent_cards,
                        "other_total": view.opponent_total,
                        "other_stands": view.opponent_stands,
                        "card": NOTHING,
                        "made": view.total,
                        "stood": False,
                        "slots": len(view.table),
                    }
                )
            turn = self.turns[-1]
            if isinstance(action, Play):
                made = total_after(state, action)
                stood = made == TARGET and state.rules.auto_stand
                turn |= {"card": action.card.number - 1, "made": made, "stood": stood}
                turn["slots"] += 1
            elif isinstance(action, Stand):
                turn["stood"] = view.total <= TARGET
        return action

    def choices(self) -> list[Choice]:
        told = [t for t in self.turns if t["slots"] < SLOTS and t["total"] != TARGET]
        return [
            Choice(**{key: value for key, value in turn.items() if key != "slots"}) for turn in told
        ]


FLIPPED = ((2, 4), (3, 6))


def test_every_choice_is_told_as_it_was() -> None:
    seen: set[str] = set()
    for number in range(320):
        rng = Random(f"past {number}")
        rules = random_rules(rng)
        deck = random_deck(rng, rules)
        names = rng.choice([("random", "random"), ("random", "careful"), ("careful", "random")])
        bots = [Witness(find_bot(name).make(rng.randbytes(32))) for name in names]
        state = play_match(rules, (deck, deck), (bots[0], bots[1]), rng)
        if set(bots[0].lays) & set(bots[1].lays):
            continue  # which tie that was is not told
        for seat in Seat:
            told = past(view(state, seat))
            assert list(told.choices) == bots[seat.other].choices()
            # Who holds nothing is not asked.
            assert [p for p in told.passes if len(p) < HAND_SIZE] == bots[seat.other].passes
            seen |= told_of(told.choices) | {"passed" for _ in told.passes}
            seen |= {"laid" for _ in bots[seat].lays}
        seen |= {result.reason for result in state.results}
    # All that is odd was among it.
    assert seen >= {"double", "flip", "bust", "capped", "passed", "laid", *SetEnd}


def told_of(choices: tuple[Choice, ...]) -> set[str]:
    names = {Card.DOUBLE: "double", Card.FLIP_2_4: "flip", Card.FLIP_3_6: "flip"}
    found = {names[card] for card in names for choice in choices if choice.card == card.number - 1}
    found |= {"bust" for choice in choices if choice.made > TARGET}
    return found | {"capped" for choice in choices if choice.stakes.final is not None}


def test_what_is_told_in_the_middle_of_a_match_is_the_beginning_of_what_is_told_later() -> None:
    rng = Random("middle")
    views: list[View] = []

    class Looking(Witness):
        def choose(self, view: View) -> Action | Concede:
            views.append(view)
            return super().choose(view)

    rules = random_rules(rng)
    deck = random_deck(rng, rules)
    bots = Looking(find_bot("random").make(bytes(32))), find_bot("random").make(bytes(32))
    state = play_match(rules, (deck, deck), bots, rng)
    whole = past(view(state, Seat.HOST)).choices
    assert len(whole) > 5
    lengths = [len(past(seen).choices) for seen in views]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 3
    for seen, length in zip(views, lengths, strict=True):
        assert past(seen).choices == whole[:length]
