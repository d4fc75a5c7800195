"""The deck builder without a terminal: keys in, deck and errands out."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import CARDS, DECKS, PRESETS, Card, SideDeck, parse_deck
from pazaak_p2p.tui.deck_builder import (
    BACKSPACE,
    CTRL_C,
    DELETE,
    DOWN,
    ENTER,
    ESCAPE,
    LEFT,
    MOST_STEPS,
    RIGHT,
    UP,
    Builder,
    Errand,
    Leave,
    Mode,
    Save,
    Tone,
    click,
    not_saved,
    press,
    saved,
)

HARD = DECKS["hard"]
OPENED = Builder(cards=HARD, name="mine", kept=HARD, on_disk=True)


def typed(builder: Builder, *keys: str) -> tuple[Builder, list[Errand]]:
    """After *keys*, each a key, and the errands on the way."""
    errands = []
    for key in keys:
        builder, errand = press(builder, key)
        if errand is not None:
            errands.append(errand)
    return builder, errands


def after(builder: Builder, *keys: str) -> Builder:
    builder, errands = typed(builder, *keys)
    assert errands == []
    return builder


# --- the cursor


def test_arrows_reach_all_23_kinds_and_come_round() -> None:
    builder, seen = Builder(), []
    for _ in CARDS:
        seen.append(builder.card)
        builder = after(builder, RIGHT)
    assert seen == list(CARDS)
    assert builder.at == 0
    assert after(builder, LEFT).card is Card.DOUBLE


def test_up_and_down_go_by_rows_and_then_through_the_gold_cards() -> None:
    builder, seen = after(Builder(), RIGHT), []
    for _ in range(8):
        seen.append(builder.card.ascii)
        builder = after(builder, DOWN)
    assert seen == ["+2", "-2", "+-2", "+-1T", "1+-2", "2&4", "3&6", "D"]
    assert builder.card is Card.PLUS_1
    seen = []
    for _ in range(8):
        builder = after(builder, UP)
        seen.append(builder.card.ascii)
    assert seen == ["D", "3&6", "2&4", "1+-2", "+-1T", "+-1", "-1", "+1"]


def test_any_move_stays_on_a_card() -> None:
    chance = random.Random(1)
    builder = Builder()
    for _ in range(2000):
        builder = after(builder, chance.choice((UP, DOWN, LEFT, RIGHT)))
        assert 0 <= builder.at < len(CARDS)


# --- putting in and taking out


@pytest.mark.parametrize("key", [ENTER, " ", "+"])
def test_a_card_is_put_in(key: str) -> None:
    assert after(Builder(), RIGHT, key, key).cards == (Card.PLUS_2, Card.PLUS_2)


@pytest.mark.parametrize("key", ["-", BACKSPACE, DELETE])
def test_the_last_of_its_kind_is_taken_out(key: str) -> None:
    builder = Builder(cards=parse_deck("+1 +2 +1 +3 -1 -1 -1 -1 -1 -1"))
    assert after(builder, key).cards == parse_deck("+1 +2 +3 -1 -1 -1 -1 -1 -1 D")[:9]


def test_a_card_that_is_not_there_cannot_be_taken_out() -> None:
    builder = after(Builder(), "-")
    assert (builder.cards, builder.message, builder.tone) == (
        (),
        "There is no +1 in the deck.",
        Tone.BAD,
    )


def test_R3_an_eleventh_card_is_refused() -> None:
    builder = after(OPENED, ENTER)
    assert builder.cards == HARD
    assert "full" in builder.message
    assert "R3" in builder.message
    assert builder.past == ()


def test_a_click_does_the_same() -> None:
    builder = click(Builder(), Card.DOUBLE, out=False)
    assert (builder.cards, builder.card) == ((Card.DOUBLE,), Card.DOUBLE)
    assert click(builder, Card.DOUBLE, out=True).cards == ()
    asking = replace(builder, mode=Mode.LEAVE)
    assert click(asking, Card.DOUBLE, out=True) is asking


# --- undo and redo


def test_undo_and_redo_go_through_everything() -> None:
    builder = Builder()
    decks: list[SideDeck] = [()]
    for key in (ENTER, RIGHT, ENTER, ENTER, "-", LEFT, ENTER):
        builder = after(builder, key)
        if builder.cards != decks[-1]:
            decks.append(builder.cards)
    assert len(decks) == 6
    for deck in reversed(decks[:-1]):
        builder = after(builder, "u")
        assert builder.cards == deck
    assert after(builder, "u").message == "There is nothing to take back."
    for deck in decks[1:]:
        builder = after(builder, "r")
        assert builder.cards == deck
    assert after(builder, "r").message == "There is nothing to do again."


def test_after_a_new_step_nothing_can_be_done_again() -> None:
    builder = after(Builder(), ENTER, ENTER, "u", RIGHT, ENTER)
    assert builder.cards == (Card.PLUS_1, Card.PLUS_2)
    assert builder.future == ()


def test_what_can_be_undone_is_bounded() -> None:
    builder = Builder()
    for _ in range(MOST_STEPS):
        builder = after(builder, ENTER, "-")
    assert len(builder.past) == MOST_STEPS


# --- the check against R3


def test_R3_is_checked_live() -> None:
    builder = Builder(cards=HARD[:9], rules=PRESETS["kotor1"])
    assert builder.fault is not None
    assert "9 cards" in builder.fault.what
    builder = after(builder, ENTER)
    assert builder.fault is not None
    assert "gold" in builder.fault.what
    assert replace(builder, rules=PRESETS["standard"]).fault is None


def test_p_goes_through_the_rule_sets() -> None:
    builder, seen = Builder(), []
    for _ in range(3):
        builder = after(builder, "p")
        seen.append(builder.rules)
    assert seen == [PRESETS["kotor1"], PRESETS["tournament"], PRESETS["standard"]]
    assert after(Builder(rules=replace(PRESETS["kotor1"], sets=5)), "p").rules == Builder().rules


# --- saving


def test_s_saves_over_the_deck_that_was_opened() -> None:
    changed = replace(OPENED, cards=DECKS["easy"])
    builder, errands = typed(changed, "s")
    (save,) = errands
    assert save == Save("mine", DECKS["easy"], force=True)
    assert builder.saving
    assert isinstance(save, Save)
    builder, errand = saved(builder, save)
    assert errand is None
    assert not builder.changed
    assert builder.message == "Saved. Play with it: pazaak play --deck mine"


def test_while_it_is_saved_no_key_changes_it() -> None:
    builder = replace(OPENED, saving=True)
    assert press(builder, ENTER) == (builder, None)
    assert press(builder, CTRL_C) == (builder, None)
    assert click(builder, Card.DOUBLE, out=True) is builder


def test_a_deck_without_a_name_asks_for_one() -> None:
    builder = after(Builder(cards=HARD), "s", *"my", "/", *"-deckk", BACKSPACE)
    assert (builder.mode, builder.typed) == (Mode.NAME, "my-deck")
    builder, errands = typed(builder, ENTER)
    assert errands == [Save("my-deck", HARD, force=False)]


@pytest.mark.parametrize(
    ("name", "says"),
    [("", "cannot be the name"), ("hard", "ships"), ("D", "is a card"), ("con", "device")],
)
def test_a_name_that_cannot_be_is_refused_at_once(name: str, says: str) -> None:
    builder = after(Builder(cards=HARD), "n", *name, ENTER)
    assert (builder.mode, builder.name) == (Mode.NAME, "")
    assert says in builder.message


def test_R3_nine_cards_are_named_but_not_saved() -> None:
    builder = after(Builder(cards=HARD[:9]), "n", *"mine", ENTER)
    assert (builder.mode, builder.name) == (Mode.BUILD, "mine")
    builder = after(builder, "s")
    assert builder.message == "A deck has 10 cards, this has 9: it cannot be saved yet (R3)."


def test_a_deck_against_the_rules_is_saved_with_a_word() -> None:
    builder = replace(OPENED, rules=PRESETS["kotor1"])
    builder, _ = saved(builder, Save("mine", HARD, force=True))
    assert builder.message.startswith("Saved, though not for kotor1: R3: ")


@pytest.mark.parametrize("answer", ["n", ESCAPE, "x"])
def test_another_deck_is_not_replaced_without_a_yes(answer: str) -> None:
    save = Save("other", HARD, force=False)
    builder = not_saved(replace(OPENED, saving=True), save, "", stands=True)
    assert builder.mode is Mode.REPLACE
    assert press(builder, "y")[1] == Save("other", HARD, force=True)
    builder = after(builder, answer)
    assert (builder.mode, builder.name) == (Mode.BUILD, "mine")
    assert builder.message == "Not saved; both are as before."


def test_a_disk_that_is_full_is_told_and_nothing_is_lost() -> None:
    save = Save("mine", HARD, force=True)
    leaving = replace(OPENED, cards=DECKS["easy"], saving=True, leaving=True)
    builder = not_saved(leaving, save, "The disk is full.", stands=False)
    assert builder.message == "Not saved. The disk is full."
    assert (builder.changed, builder.leaving, builder.saving) == (True, False, False)


def test_naming_can_be_given_up() -> None:
    assert after(OPENED, "n", "x", ESCAPE) == OPENED
    assert after(OPENED, "n", ENTER) == OPENED


def test_a_name_is_bounded() -> None:
    assert after(Builder(), "n", *"x" * 40).typed == "x" * 32


# --- leaving


@pytest.mark.parametrize("key", ["q", ESCAPE])
def test_leaving_without_changes_asks_nothing(key: str) -> None:
    assert typed(OPENED, key)[1] == [Leave()]


def test_leaving_with_changes_asks() -> None:
    changed = replace(OPENED, cards=DECKS["easy"])
    asking = after(changed, "q")
    assert asking.mode is Mode.LEAVE
    assert typed(asking, "n")[1] == [Leave()]
    assert after(asking, ESCAPE) == changed
    builder, errands = typed(asking, "y")
    (save,) = errands
    assert save == Save("mine", DECKS["easy"], force=True)
    assert isinstance(save, Save)
    assert saved(builder, save)[1] == Leave()


def test_leaving_with_half_a_deck_that_was_to_be_saved_stays() -> None:
    builder = after(Builder(cards=HARD[:3]), "q", "y")
    assert builder.mode is Mode.BUILD
    assert "cannot be saved yet" in builder.message
    assert not builder.leaving


def test_leaving_with_a_deck_without_a_name_asks_for_that_too() -> None:
    builder, errands = typed(Builder(cards=HARD), "q", "y", *"new", ENTER)
    (save,) = errands
    assert isinstance(save, Save)
    assert saved(builder, save)[1] == Leave()
    builder = after(Builder(cards=HARD), "q", "y", ESCAPE)
    assert (builder.mode, builder.leaving) == (Mode.BUILD, False)


def test_ctrl_c_asks_and_a_second_one_leaves() -> None:
    assert typed(OPENED, CTRL_C)[1] == [Leave(interrupted=True)]
    changed = replace(OPENED, cards=DECKS["easy"])
    assert typed(changed, CTRL_C, CTRL_C)[1] == [Leave(interrupted=True)]
    assert typed(after(changed, "n"), CTRL_C, CTRL_C)[1] == [Leave(interrupted=True)]


# --- other keys


def test_help_is_left_by_any_key_which_does_nothing_else() -> None:
    assert after(OPENED, "?").mode is Mode.HELP
    assert after(OPENED, "?", "q") == OPENED


@pytest.mark.parametrize(("key", "named"), [("x", "x"), ("f1", "f1"), ("\x07", "That key")])
def test_a_key_that_does_nothing_says_so(key: str, named: str) -> None:
    assert after(OPENED, key).message == f"{named} does nothing here; ? shows what the keys do."


def test_random_keys_keep_to_R3_and_never_lose_a_deck() -> None:
    keys = [UP, DOWN, LEFT, RIGHT, ENTER, "+", "-", "u", "r", "n", "s", "p", "?", ESCAPE, "y", "x"]
    for seed in range(200):
        chance = random.Random(seed)
        builder = Builder()
        for _ in range(100):
            key = chance.choice(keys)
            builder, errand = press(builder, key)
            assert len(builder.cards) <= 10
            if isinstance(errand, Save):
                assert len(errand.cards) == 10
                stands = chance.random() < 0.3 and not errand.force
                if stands:
                    builder = not_saved(builder, errand, "", stands=True)
                else:
                    builder, errand = saved(builder, errand)
                    assert not builder.changed
            if isinstance(errand, Leave):
                assert not builder.changed or key == "n"
                break
