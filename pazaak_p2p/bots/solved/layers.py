"""Backward induction over what is left of a set, for the hand that is really held.

The same computation as in the solver (arena/solver/layers.py), for one hand and what it may come
down to, in plain lists over the opponent's totals 0 to 20. Green cards come from an endless deck;
the exact rest of the deck is for the next draws only (chances.py).
"""

from __future__ import annotations

from functools import cache
from operator import add, sub
from typing import Final, NamedTuple, TypeAlias

from pazaak_p2p.bots.solved.hands import Kinds, hand_numbers
from pazaak_p2p.bots.solved.model import LOSS, RANKS, TIE, WIN, Model, Reply
from pazaak_p2p.bots.solved.tables import COUNTS, MOST_SETS, TOTALS, Score, Tables, shipped
from pazaak_p2p.rules import CARDS, Card, Kind

Values: TypeAlias = list[float]
"""By the opponent's total, 0 to 20."""

TARGET: Final = 20
_DRAWN: Final = 31
_PLUSMINUS_1: Final = Card.PLUSMINUS_1.number - 1
TIEBREAKER: Final = Card.TIEBREAKER.number - 1
DOUBLE: Final = Card.DOUBLE.number - 1
_VALUES: Final = [() if c.kind is Kind.FLIP else c.values for c in CARDS]
_FLIPS: Final = {c.number - 1: c.flips for c in CARDS if c.kind is Kind.FLIP}
_MOST_LAYERS: Final = 2_000
"""Kept at a time, about 100 kB each."""


class Stakes(NamedTuple):
    """What a set is played for: scores and openers after it, or the end of the match."""

    score: Score
    """Sets that the own side and the opponent have to win, scaled to MOST_SETS."""
    opens: tuple[float, float, float]
    """How likely the own side opens the next set after a win, a tie, a loss."""
    final: tuple[float, float, float] | None = None
    """If no set follows: what a win, a tie and a loss are worth."""
    lays: bool = False
    """Whether a tiebreaker may be laid at a tie (R17, ``at-tie``)."""
    price: float = 0.0
    """With *final*: what each card that is still in the hand is worth beside."""


def scaled(score: Score) -> Score:
    """*score* as one that there are tables for, with about the same proportion."""
    most = max(score)
    if most <= MOST_SETS:
        return score
    own, theirs = (max(1, round(sets * MOST_SETS / most)) for sets in score)
    return own, theirs


class Leaves:
    """Chances to win the match once the set is over."""

    def __init__(self, tables: Tables, stakes: Stakes) -> None:
        self.stakes, self._value = stakes, tables.value
        own, theirs = stakes.score
        self._scores = ((own - 1, theirs), (own, theirs), (own, theirs - 1))
        self._known: dict[Kinds, Values] = {}

    def of(self, hand: Kinds) -> Values:
        """15 values, ``[opponent's cards, WIN | TIE | LOSS]``, with *hand* left."""
        found = self._known.get(hand)
        if found is None:
            found = self.plain(hand)
            if self.stakes.lays and TIEBREAKER in hand:
                at = hand.index(TIEBREAKER)
                laid = self.plain(hand[:at] + hand[at + 1 :])
                for place in range(TIE, len(found), 3):
                    found[place] = max(found[place], laid[place - TIE + WIN])
            self._known[hand] = found
        return found

    def plain(self, hand: Kinds) -> Values:
        """The same, with a tie that stays one."""
        stakes = self.stakes
        if stakes.final is not None:
            return [worth + stakes.price * len(hand) for worth in stakes.final] * COUNTS
        if stakes.lays:
            # The tables are for tiebreakers that are played; one that is laid is little but a ±1.
            hand = tuple(sorted(_PLUSMINUS_1 if kind == TIEBREAKER else kind for kind in hand))
        number = hand_numbers()[hand]
        return [
            opens * self._value(score, True, cards, number)
            + (1 - opens) * self._value(score, False, cards, number)
            for cards in range(COUNTS)
            for score, opens in zip(self._scores, stakes.opens, strict=True)
        ]


@cache
def flip_chances(kind: int) -> tuple[tuple[tuple[int, float], ...], ...]:
    """By total after a draw: sums of the green cards that the flip would turn, with chances."""
    turned = {number for number in _FLIPS[kind] if number > 0}
    ways: list[dict[int, float]] = [{0: 1.0}]
    for total in range(1, _DRAWN):
        now: dict[int, float] = {}
        for rank in range(1, min(10, total) + 1):
            if total - rank <= TARGET:
                for before, chance in ways[total - rank].items():
                    after = before + (rank if rank in turned else 0)
                    now[after] = now.get(after, 0.0) + chance / 10
        whole = sum(now.values())
        ways.append({after: chance / whole for after, chance in now.items()})
    return tuple(tuple(sorted(row.items())) for row in ways)


class Sets:
    """Layers of one kind of set: what is at stake, and the lowest total that the opponent has."""

    def __init__(self, book: Book, stakes: Stakes, lowest: int) -> None:
        self.book, self.leaves = book, Leaves(book.tables, stakes)
        self.lowest = lowest
        self.layers: dict[tuple[Kinds, int, int], Layer] = {}

    def layer(self, hand: Kinds, cards: int, tied: int) -> Layer:
        """*hand* against so many *cards*; equal totals count as *tied* (WIN, TIE or LOSS)."""
        key = (hand, cards, tied)
        layer = self.layers.get(key)
        if layer is None:
            layer = self.layers[key] = Layer(self, hand, cards, tied)
        return layer


class Layer:
    """The values of one hand against one number of hidden cards, own totals downwards."""

    def __init__(self, sets: Sets, hand: Kinds, cards: int, tied: int) -> None:
        self.cards = cards
        self.fewer = sets.layer(hand, cards - 1, tied) if cards else self
        self.model = sets.book.model(sets.leaves.stakes.score, len(hand))
        self._lowest = sets.lowest
        self._bare = not hand and not cards
        leaves = sets.leaves.of(hand)
        self.won, self.lost = leaves[3 * cards + WIN], leaves[3 * cards + LOSS]
        self.drawn_even = leaves[3 * cards + tied]
        self._ahead = tied == WIN
        self._low = TARGET + 1
        self._after: list[list[Values]] = [[[]] * TOTALS, [[]] * TOTALS]
        self._expected: list[list[Values]] = [[[]] * TOTALS, [[]] * TOTALS]
        self._best: list[list[Values]] = [[[]] * _DRAWN, [[]] * _DRAWN]
        self._alone: list[Values] = [[0.0] * TOTALS] * TOTALS
        self._sums: list[Values] = [[], []]
        self.without: list[tuple[int, Layer]] = []
        for at, kind in enumerate(hand):
            if not at or hand[at - 1] != kind:
                rest = hand[:at] + hand[at + 1 :]
                # A tiebreaker on the table wins ties, unless the other side has one there too.
                then = tied
                if kind == TIEBREAKER and not sets.leaves.stakes.lays:
                    then = WIN if tied == TIE else TIE if tied == LOSS else tied
                self.without.append((kind, sets.layer(rest, cards, then)))
        self._double = next((layer for kind, layer in self.without if kind == DOUBLE), None)
        lost = [self.lost] * TOTALS
        for drawn in range(TARGET + 1, _DRAWN):
            for stands in (0, 1):
                self._best[stands][drawn] = self._mended(lost, drawn, stands)

    # --- values by the opponent's total

    def after(self, stands: int, total: int) -> Values:
        """With *total* and nothing more to play in this turn; *stands*: the opponent does."""
        total = max(total, 0)
        self._down_to(total)
        return self._after[stands][total]

    def expected(self, stands: int, total: int) -> Values:
        """Before a draw."""
        total = max(total, 0)
        self._down_to(total)
        return self._expected[stands][total]

    def best(self, stands: int, drawn: int, rank: int) -> Values:
        """After a draw of *rank* that made *drawn*."""
        drawn = max(drawn, 1)
        self._down_to(min(drawn, TARGET))
        best = self._best[stands][drawn]
        made = drawn + rank
        if self._double is not None and made <= TARGET:
            return list(map(max, best, self._double.after(stands, made)))
        return best

    def stand(self, total: int, theirs: int) -> float:
        """Standing with *total* against one who plays on from *theirs*."""
        total = max(total, 0)
        self._down_to(total)
        return self._alone[total][max(theirs, self._lowest)]

    def stand_after(self, total: int, drawn: int) -> float:
        """The same once the opponent has drawn, and has *drawn*."""
        total = max(total, 0)
        self._down_to(total)
        if self._bare:
            if drawn > TARGET:
                return self.won
            judged = self.judged(total, drawn)
            return judged if drawn == TARGET else min(judged, self._alone[total][drawn])
        drawn = max(drawn, self._lowest + 1)
        reply = self.standing_replies(total)[drawn]
        assert reply is not None
        return reply.worth(self.standing_values(total))

    def judged(self, total: int, theirs: int) -> float:
        """Both stand."""
        return self.won if total > theirs else self.lost if total < theirs else self.drawn_even

    # --- induction

    def _down_to(self, total: int) -> None:
        while self._low > total:
            self._low -= 1
            self._settle(self._low)

    def _settle(self, total: int) -> None:
        lowest = self._lowest
        going = [self._mean(stands, total) for stands in (0, 1)]
        self._expected[0][total], self._expected[1][total] = going
        if self._bare:
            alone, ends = self._bare_replies(total, going)
        else:
            alone, ends = self._replies(total, going)
        judged = self._judged(total)
        if total < TARGET:
            alone = list(map(max, alone, ends))
            judged = list(map(max, judged, going[1]))
        # Totals below the lowest are only come to by odd cards of the opponent.
        self._after[0][total] = [alone[0]] * lowest + alone
        self._after[1][total] = judged
        if total:
            for stands in (0, 1):
                self._best[stands][total] = self._bettered(
                    self._after[stands][total], total, stands
                )

    def _replies(self, total: int, going: list[Values]) -> tuple[Values, Values]:
        """The opponent's turns after standing or ending at *total*, from its lowest total up."""
        fewer, won, lowest = self.fewer, self.won, self._lowest
        if fewer is not self:
            fewer._down_to(total)
        alone = self._alone_against(total)
        if total == TARGET:
            return alone[lowest:], alone[lowest:]
        values = [*going[0], *going[1], won]
        values += [*fewer._expected[0][total], *fewer._expected[1][total], fewer.won]
        replies = self.model.replies(self.cards, 0, total, lowest)
        worth = [0.0 if reply is None else reply.worth(values) for reply in replies]
        return alone[lowest:], [sum(worth[u + 1 : u + 11]) / 10 for u in range(lowest, TOTALS)]

    def _alone_against(self, total: int) -> Values:
        """The opponent goes on alone against a standing *total*; by its total."""
        values = self.standing_values(total)
        replies = self.standing_replies(total)
        worth = [0.0] * _DRAWN
        for drawn in reversed(range(self._lowest + 1, _DRAWN)):
            if drawn <= TARGET:
                values[drawn] = sum(worth[drawn + 1 : drawn + 11]) / 10
            reply = replies[drawn]
            assert reply is not None
            worth[drawn] = reply.worth(values)
        values[self._lowest] = sum(worth[self._lowest + 1 : self._lowest + 11]) / 10
        self._alone[total] = values[:TOTALS]
        return self._alone[total]

    def standing_values(self, total: int) -> Values:
        """What each outcome of the opponent's turn is worth against a standing *total* (see
        tables.py for their order); where it goes on, with the values known so far.
        """
        fewer = self.fewer
        values = self._alone[total] + self._judged(total)
        if fewer is self:
            return [*values, self.won, *values, self.won]
        return [*values, self.won, *fewer._alone[total], *fewer._judged(total), fewer.won]

    def standing_replies(self, total: int) -> list[Reply | None]:
        """Its turns against a standing *total*, by what it has after the draw."""
        # Against a tiebreaker on the table it goes for one more; 20 it cannot beat at all.
        goal = min(total + 1, TARGET) if self._ahead else total
        return self.model.replies(self.cards, 1, goal, self._lowest)

    def _judged(self, total: int) -> Values:
        return [self.won] * total + [self.drawn_even] + [self.lost] * (TARGET - total)

    def _bare_replies(self, total: int, going: list[Values]) -> tuple[Values, Values]:
        """The same where nobody holds a card: the opponent's best play, exactly."""
        alone, ends = [0.0] * TOTALS, [0.0] * TOTALS
        for theirs in reversed(range(TOTALS)):
            for rank in RANKS:
                drawn = theirs + rank
                if drawn > TARGET:
                    stay = meet = self.won
                else:
                    stay, meet = self.judged(total, drawn), going[1][drawn]
                    if drawn < TARGET:
                        stay, meet = min(stay, alone[drawn]), min(meet, going[0][drawn])
                alone[theirs] += stay / 10
                ends[theirs] += meet / 10
        self._alone[total] = alone
        return alone[self._lowest :], ends[self._lowest :]

    def _mean(self, stands: int, total: int) -> Values:
        best, sums = self._best[stands], self._sums[stands]
        if total == TARGET:
            rows = best[total + 1 : total + 11]
            whole: Values = [sum(column) for column in zip(*rows, strict=True)]
        else:
            # One rank further down than for the total above.
            whole = list(map(add, map(sub, sums, best[total + 11]), best[total + 1]))
        self._sums[stands] = whole
        double = self._double
        if double is not None:
            for rank in RANKS:
                made = total + 2 * rank
                if made > TARGET:
                    break
                row, other = best[total + rank], double.after(stands, made)
                whole = list(map(add, whole, map(sub, map(max, row, other), row)))
        return [value / 10 for value in whole]

    def _bettered(self, base: Values, drawn: int, stands: int) -> Values:
        """Up to 20: cards that raise the total. (Lower totals are looked at over 20 only, or where
        the choice is really to be made.)
        """
        if drawn == TARGET or (drawn < 8 and not stands):
            return base
        rows = [base]
        for kind, layer in self.without:
            rows.extend(
                layer.after(stands, drawn + number)
                for number in _VALUES[kind]
                if 0 < number <= TARGET - drawn
            )
        return base if len(rows) == 1 else list(map(max, *rows))

    def _mended(self, base: Values, drawn: int, stands: int) -> Values:
        """Over 20: cards that lower the total."""
        rows = [base]
        for kind, layer in self.without:
            rows.extend(
                layer.after(stands, drawn + number)
                for number in _VALUES[kind]
                if drawn + number <= TARGET
            )
        best = base if len(rows) == 1 else list(map(max, *rows))
        for kind, layer in self.without:
            if kind in _FLIPS:
                mean = [0.0] * TOTALS
                for turned, chance in flip_chances(kind)[drawn]:
                    made = drawn - 2 * turned
                    row = best
                    if turned and made <= TARGET:
                        row = list(map(max, best, layer.after(stands, made)))
                    mean = [old + chance * new for old, new in zip(mean, row, strict=True)]
                best = mean
        return best


class Book:
    """Tables, and what has been worked out from them: kept as long as that is not too much."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._models: dict[tuple[Score, int], Model] = {}
        self._sets: dict[tuple[Stakes, int], Sets] = {}

    def model(self, score: Score, own: int) -> Model:
        """The opponent at *score* (own sets to win, its sets to win), against *own* cards."""
        found = self._models.get((score, own))
        if found is None:
            habits = self.tables.habits((score[1], score[0]))
            found = self._models[score, own] = Model(habits, own)
        return found

    def sets(self, stakes: Stakes, lowest: int) -> Sets:
        """The layers for *stakes*, against opponents with *lowest* or more."""
        key = (stakes, lowest)
        found = self._sets.pop(key, None) or Sets(self, stakes, lowest)
        self._sets[key] = found  # the last used is last
        while sum(len(sets.layers) for sets in self._sets.values()) > _MOST_LAYERS:
            oldest = next(iter(self._sets))
            if oldest == key:
                found = self._sets[key] = Sets(self, stakes, lowest)
                break
            del self._sets[oldest]
        return found


@cache
def shipped_book() -> Book:
    """The book of the tables that ship. Shared by all bots of this process: it only remembers.

    The first call reads the tables, so that no choice waits for them.
    """
    hand_numbers()
    tables = shipped()
    tables.read_all()
    return Book(tables)
