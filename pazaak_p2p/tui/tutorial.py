"""The tutorial: what is worth a word at a first match, said once, when it comes. Pure.

Nothing here is a script. Every lesson follows from what the own seat sees and from what has been
told before, so whoever does something else than is proposed is told about that instead. What never
came up is told at the end.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from pazaak_p2p.rules import (
    SLOTS,
    TARGET,
    Action,
    Card,
    Draw,
    Input,
    Kind,
    Nine,
    Phase,
    Play,
    Seat,
    SetEnd,
    Stand,
    State,
    View,
)
from pazaak_p2p.tui.advice import SAFE, advice
from pazaak_p2p.tui.choices import keys_for
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.outlook import Outlook, Verdict, at_equal, outlooks


class Topic(Enum):
    """What a newcomer has to be told once; those of the cards come first."""

    PLUS = "plus"
    MINUS = "minus"
    PLUSMINUS = "plusminus"
    ONE_TWO = "one-two"
    DOUBLE = "double"
    FLIP_2_4 = "2&4"
    FLIP_3_6 = "3&6"
    TIEBREAKER = "tiebreaker"
    TURN = "turn"
    HAND = "hand"
    RISK = "risk"
    STAND = "stand"
    TWENTY = "twenty"
    OVER = "over"
    LOST = "lost"
    STANDING = "standing"
    SET = "set"
    TIE = "tie"
    BROKEN = "broken"
    NINE = "nine"


class Lesson(msgspec.Struct, frozen=True):
    """One or two sentences, and what they are about."""

    topics: tuple[Topic, ...]
    text: str
    keys: str = ""
    """What it tells to press, the keys one after the other."""


_KINDS: Final = {
    Kind.PLUS: Topic.PLUS,
    Kind.MINUS: Topic.MINUS,
    Kind.PLUSMINUS: Topic.PLUSMINUS,
    Kind.ONE_TWO: Topic.ONE_TWO,
    Kind.DOUBLE: Topic.DOUBLE,
    Kind.TIEBREAKER: Topic.TIEBREAKER,
}
_SAMPLES: Final = {
    Topic.PLUS: Card.PLUS_3,
    Topic.MINUS: Card.MINUS_3,
    Topic.PLUSMINUS: Card.PLUSMINUS_3,
    Topic.ONE_TWO: Card.ONE_TWO,
    Topic.DOUBLE: Card.DOUBLE,
    Topic.FLIP_2_4: Card.FLIP_2_4,
    Topic.FLIP_3_6: Card.FLIP_3_6,
    Topic.TIEBREAKER: Card.TIEBREAKER,
}
_MANY: Final = 5
"""Cards on a table from which the ninth is worth thinking of."""
_NEARLY: Final = 7
"""Cards from which it is worth saying again."""


def topic_of(card: Card) -> Topic:
    """The topic that is *card*'s kind."""
    if card.kind is Kind.FLIP:
        return Topic.FLIP_2_4 if card is Card.FLIP_2_4 else Topic.FLIP_3_6
    return _KINDS[card.kind]


class Tutorial:
    """One newcomer's way through a match; remembers what has been told."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self.told: frozenset[Topic] = frozenset()

    def asked(self, view: View, opponent: str) -> Lesson | None:
        """What to say before our seat chooses in *view*; None if there is nothing new."""
        return self._tell(self._choice(view, opponent))

    def happened(self, step: Input, before: State, after: View, opponent: str) -> Lesson | None:
        """What to say about *step*, which led from *before* to *after*."""
        ours, mover = after.seat, before.mover
        if len(after.state.results) > len(before.results):
            return self._tell(self._set_over(after))
        if isinstance(step, Play) and mover is not ours:
            return self._tell(self._their_card(step, before, after, opponent))
        if isinstance(step, Draw) and mover is ours and after.total == TARGET and after.stands:
            text = f"Exactly {TARGET} stands by itself: you draw no more in this set (R11, R12)."
            return self._tell(self._new(Lesson((Topic.TWENTY,), text)))
        return None

    def rest(self) -> list[str]:
        """At the end: what did not come up, in a line each."""
        left = [topic for topic in Topic if topic not in self.told]
        self.told = frozenset(Topic)
        return [self._in_short(topic) for topic in left]

    def _tell(self, lesson: Lesson | None) -> Lesson | None:
        if lesson is not None:
            self.told |= frozenset(lesson.topics)
        return lesson

    def _new(self, lesson: Lesson) -> Lesson | None:
        return lesson if set(lesson.topics) - self.told else None

    # Before our choice.

    def _choice(self, view: View, opponent: str) -> Lesson | None:
        if view.state.phase is not Phase.ACT:
            return None
        looks = outlooks(view)
        action = advice(view)
        look = next(each for each in looks if each.action == action)
        if view.total > TARGET:
            return self._over(view, look)
        if isinstance(action, Play):
            return self._card(view, look, opponent)
        press = keys_for(view, action)
        many = self._many(view, press)
        if many is not None and len(view.table) >= _NEARLY:
            return many
        lessons = (
            many,
            self._against_standing(view, opponent, press),
            self._first_turns(view, press),
            self._near(view, action, press),
        )
        found = next((each for each in lessons if each is not None and self._new(each)), None)
        return found or self._own_card(view, press)

    def _over(self, view: View, look: Outlook) -> Lesson | None:
        over = f"{view.total} is over {TARGET}"
        if not isinstance(look.action, Play):
            why = "your card is played" if view.state.played else "no card of yours brings it back"
            text = f"{over}, and {why}: this set is lost (R10). Press e."
            return self._new(Lesson((Topic.LOST,), text, "e"))
        keys, name = keys_for(view, look.action), self._glyphs.name(look.action.card)
        kind = topic_of(look.action.card)
        press = f"Press {spelt(keys)}: back to {look.total}."
        does = f"{name} {_does(look.action.card)}"
        topics = tuple(topic for topic in (Topic.OVER, kind) if topic not in self.told)
        if len(topics) == 2:
            text = f"{over}: lost if the turn ends so (R10). Your {does}. {press}"
        elif topics == (kind,):
            text = f"{over}. Your {does}. {press}"
        else:
            text = f"{over}, which loses only at the end of the turn (R10). {press}"
        return self._new(Lesson(topics, text, keys))

    def _card(self, view: View, look: Outlook, opponent: str) -> Lesson:
        """To play a card is best; that is always said."""
        play = look.action
        assert isinstance(play, Play)
        keys, name = keys_for(view, play), self._glyphs.name(play.card)
        kind = topic_of(play.card)
        topics = [] if kind in self.told else [kind]
        does = f"Your {name} {_does(play.card)}. " if topics else ""
        made = f"{name} makes {look.total}"
        ties = view.opponent_stands and look.total == view.opponent_total
        if ties and play.card is Card.TIEBREAKER and at_equal(view) is Verdict.TIES:
            made += ", a tie that it wins (R17)"
        elif look.total == TARGET and Topic.TWENTY not in self.told:
            topics.append(Topic.TWENTY)
            made += ", which stands by itself (R11)"
        elif view.opponent_stands and look.total > view.opponent_total:
            made += f", more than {opponent} has"
        return Lesson(tuple(topics), f"{does}Press {spelt(keys)}: {made}.", keys)

    def _against_standing(self, view: View, opponent: str, press: str) -> Lesson | None:
        if not view.opponent_stands or look_for(view, Stand()).verdict is Verdict.WINS:
            return None
        theirs = view.opponent_total
        stands = f"{opponent} stands at {theirs}"
        nine = view.state.rules.nine is Nine.WIN
        if theirs >= TARGET:
            text = f"{stands} and draws no more (R12): {TARGET} {at_equal(view).value}"
            text += f", nine cards of {TARGET} or less win." if nine else "."
        elif press == "s":
            text = f"{stands} and draws no more (R12). You have as much: to stand is a tie (R18)."
        else:
            more = f"{theirs + 1} to {TARGET} wins" if theirs + 1 < TARGET else f"{TARGET} wins"
            text = f"{stands} and draws no more (R12). You go on: {more}, more loses."
        return Lesson((Topic.STANDING,), f"{text} Press {press}.", press)

    def _many(self, view: View, press: str) -> Lesson | None:
        placed = len(view.table)
        if placed < _MANY or view.state.rules.nine is not Nine.WIN or press != "e":
            return None
        text = f"{placed} of your {SLOTS} places are taken: the ninth card wins at {TARGET} or less"
        return Lesson((Topic.NINE,), f"{text} (R16). Press {press}.", press)

    def _first_turns(self, view: View, press: str) -> Lesson | None:
        if view.total > SAFE or press != "e" or view.opponent_stands:
            return None
        if Topic.TURN not in self.told:
            text = f"Nearest to {TARGET} wins. From {view.total} no card takes you over it, so end"
            return Lesson((Topic.TURN,), f"{text} the turn for another one (R9): press e.", press)
        text = "Below are your four cards: one a turn at most, each once in the match (R4, R8)."
        return Lesson((Topic.HAND,), f"{text} For now press e.", press)

    def _near(self, view: View, action: Action, press: str) -> Lesson | None:
        deck = view.state.deck
        over = sum(view.total + rank > TARGET for rank in deck)
        if view.opponent_stands or not over:
            return None
        would = f"{over} of the {len(deck)} cards left would take you over {TARGET}"
        if isinstance(action, Stand):
            text = f"At {view.total}, {would}. Press s to stand: you draw no more in this set"
            return Lesson((Topic.STAND,), f"{text} (R12).", press)
        text = f"From {view.total}, {would}, but it is too little to stand at. Press {press}."
        return Lesson((Topic.RISK,), text, press)

    def _own_card(self, view: View, press: str) -> Lesson | None:
        """In a quiet moment: a card of the hand that has not been spoken of."""
        for held in view.hand:
            assert held.card is not None
            if (kind := topic_of(held.card)) not in self.told:
                name = self._glyphs.name(held.card)
                text = f"Your {name} {_does(held.card)}. For now press {press}."
                return Lesson((kind,), text, press)
        return None

    # What has happened.

    def _their_card(self, play: Play, before: State, after: View, opponent: str) -> Lesson | None:
        seat: Seat = after.seat.other
        was, now = before.totals[seat], after.opponent_total
        name = self._glyphs.name(play.card)
        text = f"{opponent} plays {name}, which {_does(play.card, 'its own')}: {was} becomes {now}."
        return self._new(Lesson((topic_of(play.card),), text))

    def _set_over(self, after: View) -> Lesson | None:
        result = after.state.results[-1]
        if result.winner is None:
            text = "Equal totals: nobody scores (R18), and what was played is gone all the same."
            return self._new(Lesson((Topic.TIE,), text))
        if result.reason is SetEnd.TIEBREAKER:
            name = self._glyphs.name(Card.TIEBREAKER)
            text = f"Equal totals, but a {name} lies on one table only: that side wins (R17)."
            return self._new(Lesson((Topic.BROKEN,), text))
        if result.reason is SetEnd.NINE:
            text = f"The ninth card, at {TARGET} or less: the set is won at once (R16)."
            return Lesson((Topic.NINE,), text)  # it was told before, but this is the moment
        if result.reason is SetEnd.BUST:
            text = f"Over {TARGET} when a turn ends, or with the ninth card, loses the set at once"
            return self._new(Lesson((Topic.LOST,), f"{text} (R10, R16)."))
        text = f"The higher total wins the set, {after.state.rules.sets} sets win the match"
        return self._new(Lesson((Topic.SET,), f"{text} (R18, R19)."))

    # What has not.

    def _in_short(self, topic: Topic) -> str:
        if topic in _SAMPLES:
            card = _SAMPLES[topic]
            return f"{self._glyphs.name(card)} {_does(card)}."
        name = self._glyphs.name(Card.TIEBREAKER)
        return {
            Topic.TURN: f"A turn is one green card; the nearest to {TARGET} wins (R7, R9).",
            Topic.HAND: "Four cards for the whole match, one a turn, each once (R4, R8).",
            Topic.RISK: f"From {SAFE + 1} on the next card can take you over {TARGET}.",
            Topic.STAND: "Who stands draws and plays no more in that set (R12).",
            Topic.TWENTY: f"Exactly {TARGET} stands by itself (R11).",
            Topic.OVER: f"Over {TARGET} a card can still bring you back in the same turn (R10).",
            Topic.LOST: f"Over {TARGET} at the end of the turn loses the set (R10).",
            Topic.STANDING: "When the other side stands you go on alone (R12).",
            Topic.SET: "The higher total wins the set (R18), three sets the match (R19).",
            Topic.TIE: "Equal totals score for nobody (R18).",
            Topic.BROKEN: f"A tie is won by the only side with a {name} on its table (R17).",
            Topic.NINE: f"Nine cards on the table at {TARGET} or less win at once (R16).",
        }[topic]


def look_for(view: View, action: Action) -> Outlook:
    """What *action*, a legal one, leads to."""
    return next(look for look in outlooks(view) if look.action == action)


def spelt(keys: str) -> str:
    """*keys* as they are told: ``3, then 2 and -``."""
    first, rest = keys[0], keys[1:]
    return first if not rest else f"{first}, then {' and '.join(rest)}"


def _does(card: Card, whose: str = "your") -> str:
    size = card.ascii[-1]
    match card.kind:
        case Kind.PLUS:
            return f"adds {size}"
        case Kind.MINUS:
            return f"takes {size} off"
        case Kind.PLUSMINUS:
            return f"adds or takes {size}"
        case Kind.ONE_TWO:
            return "adds or takes 1 or 2"
        case Kind.TIEBREAKER:
            return "adds or takes 1, and wins ties (R17)"
        case Kind.DOUBLE:
            return "doubles the card just drawn (R14)"
        case Kind.FLIP:
            one, other = card.flips[:2]
            return f"turns the signs of {whose} {one}s and {other}s (R15)"
