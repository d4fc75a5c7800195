"""What the log says, told from events of real matches."""

from __future__ import annotations

import pytest

from pazaak_p2p.net.player import Away
from pazaak_p2p.rules import (
    Card,
    Deal,
    Draw,
    End,
    FirstMove,
    Input,
    Lay,
    Leave,
    Opening,
    Outcome,
    Pass,
    Phase,
    Play,
    Rules,
    Seat,
    Stand,
    State,
    Termination,
    apply,
    new_match,
    parse_rules,
    view,
)
from pazaak_p2p.tui.glyphs import ASCII, UNICODE
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.story import Story
from pazaak_p2p.wire.events import (
    Chatted,
    Choose,
    Closed,
    Declined,
    Ended,
    Event,
    Greeted,
    Left,
    Moved,
    Offered,
    Resumed,
    Started,
)
from tests.tui.positions import OURS, THEIRS, at

DEAL = Deal((0, 1, 2, 3), (0, 1, 2, 3))
WE_OPEN, THEY_OPEN = Opening(7, 4), Opening(4, 7)


class Telling:
    """A story and the match it tells, from the host's side of the table."""

    def __init__(self, rules: Rules | None = None, *, ascii: bool = False) -> None:
        self.story = Story(ASCII if ascii else UNICODE)
        self.state: State = new_match(rules or Rules(), (OURS, THEIRS))
        self.story.tell(Greeted("Kreia", bytes(32), "test"))
        self.story.tell(Started(bytes(32), Seat.HOST, self.state.rules))

    def move(self, step: Input) -> list[str]:
        chooses = self.state.phase in (Phase.DRAW, Phase.ACT, Phase.TIE)
        seat = step.seat if isinstance(step, Leave) else self.state.mover if chooses else None
        self.state = apply(self.state, step)
        known = view(self.state, Seat.HOST).state
        return [plain(line) for line in self.story.tell(Moved(step, seat, known))]

    def skip(self, *steps: Input) -> Telling:
        for step in steps:
            self.move(step)
        return self


def begun(rules: Rules | None = None, *, opening: Opening = WE_OPEN) -> Telling:
    return Telling(rules).skip(DEAL, opening)


def test_R4_the_own_hand_is_told_the_others_is_not() -> None:
    assert Telling().move(DEAL) == [" Your hand for the whole match: [+3] [±4] [1±2] [D] (R4)."]


def test_ascii_notation_is_kept_to() -> None:
    told = Telling(ascii=True).move(DEAL)
    assert told == [" Your hand for the whole match: [+3] [+-4] [1+-2] [D] (R4)."]


def test_R5_the_opening() -> None:
    telling = Telling().skip(DEAL)
    assert telling.move(Opening(5, 5)) == [
        " Who opens? You draw 5, Kreia draws 5: equal, so both draw again (R5)."
    ]
    assert telling.move(THEY_OPEN) == [" Who opens? You draw 4, Kreia draws 7: Kreia opens (R5)."]


def test_R7_R9_turns() -> None:
    telling = begun()
    assert telling.move(Draw(10)) == [" You draw [10]: 10."]
    assert telling.move(End()) == []  # the next card shows it
    assert telling.move(Draw(9)) == [" Kreia draws [9]: 9."]
    assert telling.move(Stand()) == [" Kreia stands at 9."]


def test_R8_R14_R15_cards() -> None:
    telling = begun().skip(Draw(4))
    assert telling.move(Play(1, Card.PLUSMINUS_4, -4)) == [" You play [±4] as -4: 0."]
    telling.skip(End(), Draw(4), End(), Draw(6))
    assert telling.move(Play(3, Card.DOUBLE, 6)) == [" You play [D] for another 6 (R14): 12."]
    telling.skip(End(), Draw(2))
    assert telling.move(Play(1, Card.FLIP_2_4, 0)) == [
        " Kreia plays [2&4], turning 4→-4 2→-2 (R15): -6."
    ]
    telling.skip(End(), Draw(1))
    assert telling.move(Play(0, Card.PLUS_3, 3)) == [" You play [+3]: 16."]


def test_R15_a_flip_with_nothing_to_turn() -> None:
    telling = begun(opening=THEY_OPEN).skip(Draw(7))
    assert telling.move(Play(1, Card.FLIP_2_4, 0)) == [
        " Kreia plays [2&4], turning nothing (R15): 7."
    ]


def test_R11_exactly_20_stands() -> None:
    telling = begun().skip(Draw(10), End(), Draw(10), End(), Draw(7))
    assert telling.move(Play(0, Card.PLUS_3, 3)) == [
        " You play [+3]: 20.",
        " You stand at 20 (R11).",
    ]
    assert telling.move(Draw(10)) == [
        " Kreia draws [10]: 20.",
        " Kreia stands at 20 (R11).",
        " Set 1 is tied: 20 each, and nobody scores (R18).",
        " You   ○○○  20  [10][7][+3]",
        " Kreia ○○○  20  [10][10]",
        " Set 2: Kreia opens (R6).",
    ]


def test_R10_bust() -> None:
    telling = begun().skip(Draw(10), End(), Draw(10), End(), Draw(9), End(), Draw(5), End())
    assert telling.move(Draw(3)) == [" You draw [3]: 22, over 20."]
    assert telling.move(End()) == [
        " You end your turn, over 20.",
        " Set 1 goes to Kreia: you go bust at 22 (R10).",
        " You   ○○○  22  [10][9][3]",
        " Kreia ●○○  15  [10][5]",
        " Set 2: Kreia opens (R6).",
    ]


def test_R18_the_higher_total() -> None:
    telling = begun().skip(Draw(10), End(), Draw(10), End(), Draw(9), Stand(), Draw(8))
    assert telling.move(Stand())[:2] == [
        " Kreia stands at 18.",
        " Set 1 is yours: 19 beats 18 (R18).",
    ]


NINE_DRAWS = [step for rank in (1, 1, 2, 2, 2) for step in (Draw(rank), End())]
TO_NINE = (Draw(1), End(), Draw(10), End(), Draw(1), End(), Draw(7), Stand(), *NINE_DRAWS)


def test_R16_nine_cards_win() -> None:
    telling = begun().skip(*TO_NINE, Draw(3), End())
    assert telling.move(Draw(4))[:2] == [
        " You draw [4]: 17.",
        " Set 1 is yours: nine cards at 17 win at once (R16).",
    ]


def test_R16_the_ninth_card_busts() -> None:
    telling = begun().skip(*TO_NINE, Draw(9))
    assert telling.move(Play(0, Card.PLUS_3, 3))[:2] == [
        " You play [+3]: 22, over 20.",
        " Set 1 goes to Kreia: you go bust at 22 (R16).",
    ]


def test_R16_nine_cards_that_only_stand() -> None:
    telling = begun(parse_rules("nine=stand")).skip(*TO_NINE, Draw(3), End())
    assert telling.move(Draw(4))[:3] == [
        " You draw [4]: 17.",
        " You stand at 17 (R16).",
        " Set 1 is tied: 17 each, and nobody scores (R18).",
    ]


def test_R17_a_tiebreaker_on_the_table() -> None:
    telling = begun().skip(Draw(10), End(), Draw(9), Play(0, Card.TIEBREAKER, 1), End(), Draw(8))
    assert telling.skip(Stand(), Draw(8)).move(Stand())[:2] == [
        " Kreia stands at 18.",
        " Set 1 goes to Kreia: 18 each, and the ±1T decides (R17).",
    ]


def test_R17_a_tiebreaker_laid_at_the_tie() -> None:
    telling = begun(parse_rules("tiebreaker=at-tie"))
    telling.skip(Draw(10), End(), Draw(10), End(), Draw(8), Stand(), Draw(8), Stand())
    assert telling.move(Pass()) == [" You lay nothing (R17)."]
    assert telling.move(Lay(0))[:2] == [
        " Kreia lays down [±1T] (R17).",
        " Set 1 goes to Kreia: 18 each, and the ±1T decides (R17).",
    ]


def test_R6_the_opener_by_lot() -> None:
    telling = begun(parse_rules("opener=random"))
    told = telling.skip(Draw(10), Stand(), Draw(9)).move(Stand())
    assert told[-1] == " Kreia ○○○   9  [9]"
    assert telling.move(FirstMove(Seat.JOIN)) == [" Kreia opens, by a fair draw (R6)."]


def test_R19_the_match_is_won() -> None:
    telling = begun(parse_rules("sets=1")).skip(Draw(10), Stand(), Draw(9))
    assert telling.move(Stand())[-1] == " You win the match, 1 to 0."


def test_R20_the_last_set() -> None:
    telling = begun(parse_rules("max_sets=1")).skip(Draw(10), Stand(), Draw(9))
    assert telling.move(Stand())[-1] == (
        " You win the match, 1 to 0. The last set has been played (R20)."
    )
    telling = begun(parse_rules("max_sets=1")).skip(Draw(10), Stand(), Draw(10))
    assert telling.move(Stand())[-1] == " The match is drawn, 0 sets each (R20)."


@pytest.mark.parametrize(
    ("leave", "told"),
    [
        (
            Leave(Seat.JOIN, Termination.CONCESSION),
            [" Kreia concedes the match.", " You win the match; sets: 0 to 0."],
        ),
        (
            Leave(Seat.HOST, Termination.CONCESSION),
            [" You concede the match.", " Kreia wins the match; sets: 0 to 0."],
        ),
        (
            Leave(Seat.JOIN, Termination.TIME),
            [" The clock of Kreia has run out (R21).", " You win the match; sets: 0 to 0."],
        ),
        (
            Leave(Seat.HOST, Termination.TIME),
            [" Your clock has run out (R21).", " Kreia wins the match; sets: 0 to 0."],
        ),
    ],
)
def test_R21_leaving(leave: Leave, told: list[str]) -> None:
    assert begun().skip(Draw(10)).move(leave) == told


def tell(telling: Telling, event: Ended) -> list[str]:
    return [plain(line) for line in telling.story.tell(event)]


def test_the_audit() -> None:
    telling = begun(parse_rules("sets=1")).skip(Draw(10), Stand(), Draw(9), Stand())
    outcome = Outcome(Termination.NORMAL, Seat.HOST)
    assert tell(telling, Ended(outcome, (True, True), bytes(32))) == [
        " Both side decks have been opened and checked: a fair match."
    ]
    assert tell(telling, Ended(outcome, (True, False), bytes(32))) == [
        " Kreia has not opened the side deck: unaudited."
    ]
    assert tell(telling, Ended(outcome, (False, True), bytes(32))) == []


@pytest.mark.parametrize(
    ("termination", "told"),
    [
        (Termination.CHEAT, " Kreia is found to have cheated."),
        (Termination.ABANDONED, " Kreia left the match (R21)."),
    ],
)
def test_an_end_that_was_no_move_is_told_at_the_end(termination: Termination, told: str) -> None:
    telling = begun().skip(Draw(10))
    ended = Ended(Outcome(termination, Seat.HOST), (True, True), bytes(32))
    assert tell(telling, ended) == [told, " You win the match; sets: 0 to 0."]


def test_a_match_broken_off_by_nobody() -> None:
    telling = begun().skip(Draw(10))
    ended = Ended(Outcome(Termination.ABANDONED, None), (False, False), bytes(32))
    assert tell(telling, ended) == [" The match was broken off: nobody wins it."]


def test_before_and_beside_the_match() -> None:
    story = Story(UNICODE)
    events: list[Event] = [
        Greeted("Kreia", bytes(32), "test"),
        Offered(parse_rules("tournament")),
        Declined("user", "no time"),
        Declined("deck", ""),
        Started(bytes(32), Seat.HOST, parse_rules("sets=1")),
        Chatted("Well met"),
        Left("interrupted", "dinner"),
        Left("done", ""),
        Closed(),
        Choose(at(7)),
    ]
    assert [plain(line) for event in events for line in story.tell(event)] == [
        " Kreia sits down at the table.",
        " Kreia declines the match: no time.",
        " Kreia declines the match: deck.",
        " The match begins: first to one set (standard,sets=1).",
        " Kreia ▸ Well met",
        " Kreia has left: dinner.",
    ]


def test_names_and_talk_of_the_peer_cannot_write_on_the_terminal() -> None:
    story = Story(UNICODE)
    story.tell(Greeted("\x1b[2JKre\u202eia\n", bytes(32), "test"))
    assert story.opponent == "\\x1b[2JKre\\u202eia"
    told = story.tell(Chatted("a\x07b\nYou win the match"))
    assert [plain(line) for line in told] == [" \\x1b[2JKre\\u202eia ▸ a\\x07b\\nYou win the match"]


@pytest.mark.parametrize("name", ["   ", "You", "yOU "])
def test_a_name_that_would_confuse_is_not_used(name: str) -> None:
    story = Story(UNICODE)
    story.tell(Greeted(name, bytes(32), "test"))
    assert story.opponent == "Opponent"


def test_a_long_wide_name_is_cut_to_24_columns() -> None:
    story = Story(UNICODE)
    story.tell(Greeted("絶" * 32, bytes(32), "test"))
    assert story.opponent == "絶" * 11 + "…"


def test_R21_while_they_are_away_it_is_told_who_is_to_move_and_when_to_claim() -> None:
    story = begun().story

    def told(event: Event | Away) -> list[str]:
        return [plain(line).strip() for line in story.tell(event)]

    waiting = "Kreia is away. Waiting for up to 10 minutes; q keeps the match for later."
    assert told(Away(600.0)) == [waiting]
    assert told(Away(600.0, 300.0)) == [
        waiting,
        "It is for Kreia to move. If they do not come back, you can claim the match in 5 minutes:"
        " w.",
    ]
    assert told(Away(300.0, 0.0)) == ["Kreia has not come back. You can claim the match (R21): w."]


def test_why_a_match_stops_is_told_before_what_comes_of_it() -> None:
    telling = begun()
    stands = Ended(Outcome(Termination.ABANDONED, None), (False, False), bytes(32), resumable=True)
    events: list[Event | Away] = [stands, Left("leaving", "dinner"), Away(600.0)]
    assert [plain(line) for event in events for line in telling.story.tell(event)] == [
        " Kreia has left: dinner.",
        " Kreia is away. Waiting for up to 10 minutes; q keeps the match for later.",
    ]


def test_one_who_is_busy_and_asked_again_is_told_of_once() -> None:
    story = Story(UNICODE)
    asked: list[Event] = [Greeted("Kreia", bytes(32), "test"), Left("busy", "")]
    events = [*asked, *asked, *asked[:1], Left("leaving", ""), *asked[:1]]
    assert [plain(line) for event in events for line in story.tell(event)] == [
        " Kreia sits down at the table.",
        " Kreia has left.",
        " Kreia sits down at the table.",
    ]


def test_who_has_lost_by_leaving_is_not_told_to_have_left_as_well() -> None:
    telling = begun()
    lost = Outcome(Termination.ABANDONED, Seat.HOST)
    events: list[Event | Away] = [Ended(lost, (False, False), bytes(32)), Left("leaving", "")]
    assert [plain(line) for event in events for line in telling.story.tell(event)] == [
        " Kreia left the match (R21).",
        " You win the match; sets: 0 to 0.",
    ]


@pytest.mark.parametrize(
    ("winner", "told"),
    [
        (Seat.HOST, "You have claimed the match, since Kreia did not come back (R21)."),
        (Seat.JOIN, "You did not come back in time: Kreia has claimed the match (R21)."),
    ],
)
def test_R21_a_claim_is_told(winner: Seat, told: str) -> None:
    outcome = Outcome(Termination.ABANDONED, winner)
    ended = Ended(outcome, (False, False), bytes(32), claimed=True)
    lines = tell(begun(), ended)
    assert lines[0].strip() == told
    assert len(lines) == 2


def test_what_was_told_of_a_match_is_told_again_to_who_was_not_there() -> None:
    telling = Telling()
    told = [plain(line) for line in telling.story.tell(Started(bytes(32), Seat.HOST, Rules()))]
    moves: list[Moved] = []
    for step in (DEAL, WE_OPEN, Draw(4), Play(0, Card.PLUS_3, 3), End(), Draw(9), Stand()):
        seat = telling.state.mover if telling.state.phase in (Phase.DRAW, Phase.ACT) else None
        told += telling.move(step)
        moves.append(Moved(step, seat, view(telling.state, Seat.HOST).state))
    now = moves[-1].state
    resumed = Resumed(bytes(32), Seat.HOST, Rules(), now, (), tuple(moves))
    fresh = Story(UNICODE)
    fresh.tell(Greeted("Kreia", bytes(32), "test"))
    assert [plain(line) for line in fresh.retell(resumed)] == told
    assert [plain(line) for line in fresh.tell(resumed)] == [
        " The match goes on where it was; sets won: 0 to 0.",
        " Your hand: [±4] [1±2] [D] (R4).",
    ]
    assert fresh.retell(resumed) == []  # it was told here
    assert telling.story.retell(resumed) == []
