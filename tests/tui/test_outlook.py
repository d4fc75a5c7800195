"""What actions lead to, against the rules engine."""

from __future__ import annotations

from pazaak_p2p.rules import (
    Action,
    Card,
    Draw,
    End,
    Input,
    Lay,
    Pass,
    Play,
    Stand,
    State,
    View,
    apply,
    parse_rules,
)
from pazaak_p2p.tui.outlook import Outlook, Verdict, at_equal, outlooks, ways_back
from tests.tui.pictures import ninth_to_play, second_set_theirs
from tests.tui.positions import (
    after,
    against_standing,
    at,
    dealt,
    play_on,
    tie_to_break,
    views_of_random_matches,
)


def look(seen: View, action: Action) -> Outlook:
    return next(look for look in outlooks(seen) if look.action == action)


def test_nothing_to_look_at_when_it_is_not_our_turn() -> None:
    assert outlooks(second_set_theirs()) == ()


def test_R8_a_card_changes_the_total() -> None:
    plus = Play(0, Card.PLUS_3, 3)
    assert look(at(7), plus) == Outlook(plus, 10, None, False)


def test_R11_a_card_to_20_stands() -> None:
    plus = Play(0, Card.PLUS_3, 3)
    assert look(at(17), plus) == Outlook(plus, 20, None, True)


def test_R18_standing_against_a_standing_opponent_decides() -> None:
    verdicts = [look(against_standing(n, 16), Stand()).verdict for n in (15, 16, 17)]
    assert verdicts == [Verdict.WINS, Verdict.TIES, Verdict.LOSES]


def test_R16_the_ninth_card_decides() -> None:
    seen = ninth_to_play()
    assert look(seen, Play(6, Card.MINUS_5, -5)).verdict is Verdict.WINS
    assert look(seen, Play(0, Card.PLUS_3, 3)).verdict is Verdict.LOSES


def test_R10_over_20_is_doomed_for_plays_and_ends_of_turns() -> None:
    seen = at(18)
    assert look(seen, Play(0, Card.PLUS_3, 3)).doomed
    assert not look(seen, End()).doomed
    over = at(23)
    assert look(over, End()).verdict is Verdict.LOSES
    assert look(over, Stand()).verdict is Verdict.LOSES


def test_R10_the_ways_back() -> None:
    assert [way.action for way in ways_back(at(23, 1, 2, 6, 4))] == [
        Play(1, Card.PLUSMINUS_4, -4),
        Play(6, Card.MINUS_5, -5),
        Play(4, Card.FLIP_2_4, 0),
    ]
    assert ways_back(at(18)) == ()


def test_R17_at_a_tie_nothing_is_decided_while_the_other_is_to_be_asked() -> None:
    seen = tie_to_break()
    assert [(look.action, look.total, look.verdict) for look in outlooks(seen)] == [
        (Lay(7), 18, None),
        (Pass(), 18, None),
    ]


def test_an_outlook_is_what_the_rules_then_do() -> None:
    for seen in views_of_random_matches(10):
        for look in outlooks(seen):
            after = apply(seen.state, look.action)
            ended = len(after.results) > len(seen.state.results)
            assert (look.verdict is not None) == ended
            totals = after.results[-1].totals if ended else after.totals
            assert look.total == totals[seen.seat]


def test_R17_what_equal_totals_come_to() -> None:
    begun = play_on(dealt(7, 0, 1, 2), Draw(5))
    ours = Play(7, Card.TIEBREAKER, 1)
    theirs = Play(0, Card.TIEBREAKER, 1)

    def equal(state: State, *between: Input) -> Verdict:
        return at_equal(after(state, *between, Draw(3)))

    assert equal(begun, End(), Draw(10), Stand()) is Verdict.TIES
    assert equal(begun, ours, End(), Draw(10), Stand()) is Verdict.WINS
    assert equal(begun, End(), Draw(10), theirs, Stand()) is Verdict.LOSES
    assert equal(begun, ours, End(), Draw(10), theirs, Stand()) is Verdict.TIES
    at_tie = dealt(7, 0, 1, 2, rules=parse_rules("tiebreaker=at-tie"))
    assert equal(at_tie, Draw(5), ours, End(), Draw(10), Stand()) is Verdict.TIES
