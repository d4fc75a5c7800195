"""Entries and concessions that break one rule each, at the place in a match where they can."""

import random
from collections.abc import Callable

from .game import Phase, Rules
from .generator import Table, random_deck
from .shapes import Map
from .verdict import Cheat

Case = tuple[Table, int, bytes]
ZERO = bytes(32)


def until(
    name: str,
    condition: Callable[[Table], bool],
    rules: Rules | None = None,
    decks: tuple[list[str], list[str]] | None = None,
) -> tuple[Table, int]:
    """A match, said statement by statement to where this holds, and the seat with the floor."""
    rules = rules or Rules(sets=2)
    for seed in range(200):
        rng = random.Random(f"{name} {seed}")
        table = Table(name, rules, decks or (random_deck(rng, rules), random_deck(rng, rules)))
        while not table.transcript.complete():
            if condition(table):
                due = table.transcript.due()
                assert due is not None
                return table, due[1]
            try:
                table.turn(rng, keep=0)
            except Cheat:  # an illegal deck is opened, and the condition was not met before
                break
    raise AssertionError(name)


def due(kind: str, shares: int = 0) -> Callable[[Table], bool]:
    """This is due, with so many shares of the lot revealed."""

    def condition(table: Table) -> bool:
        transcript = table.transcript
        told = sum(share is not None for share in transcript.shares)
        statement = transcript.due()
        return statement is not None and statement[0] == kind and told == shares

    return condition


def acting(
    condition: Callable[[Table, int], bool] = lambda table, seat: True,
) -> Callable[[Table], bool]:
    """The mover is to act, and this holds of it."""

    def both(table: Table) -> bool:
        game = table.transcript.game
        return game.phase == Phase.ACT and condition(table, game.mover)

    return both


def holds_hidden(table: Table, seat: int) -> bool:
    """The mover may still play a hand card."""
    game = table.transcript.game
    return game.sides[seat].hides and not game.played


def hidden(table: Table, seat: int) -> int:
    """The position of an unplayed hand card."""
    return next(p for p, number in table.transcript.game.sides[seat].hand if not number)


def lie(table: Table, seat: int, *say: Map, **changes: object) -> Case:
    """An entry that will be refused."""
    return table, seat, table.entry(seat, list(say), **changes)


def two_entries() -> Case:
    table, _ = until("two", acting())
    count = len(table.transcript.bodies)
    seat = table.transcript.authors[count - 2]
    return lie(table, seat, {"t": "end"}, n=count - 2, prev=table.transcript.chain[count - 2])


def other_match() -> Case:
    table, seat = until("other", due("commit"))
    return lie(table, seat, table.players[seat].commit(), prev=ZERO)


def wrong_previous() -> Case:
    table, seat = until("previous", acting())
    assert table.transcript.authors[-1] == seat
    return lie(table, seat, {"t": "end"}, prev=ZERO)


def wrong_sequence() -> Case:
    table, seat = until("sequence", acting())
    return lie(table, seat, {"t": "end"}, n=len(table.transcript.bodies) + 1)


def acted_after_conceding() -> Case:
    table, seat = until("conceded", acting())
    table.messages.append(table.concession(seat, "concession"))
    return lie(table, seat, {"t": "end"})


def conceded_before_acting() -> Case:
    table, seat = until("early", acting())
    assert table.transcript.authors[-1] == seat
    return table, seat, table.concession(seat, "time", table.transcript.chain[-2])


def without_floor() -> Case:
    table, seat = until("floor", due("reveal"))
    return lie(table, 1 - seat, table.players[1 - seat].reveal(table.transcript.k))


def loser_opens_first() -> Case:
    table, seat = until("open", due("open"))
    return lie(table, 1 - seat, table.players[1 - seat].open())


def revealed_and_opened() -> Case:
    """The draw gives its drawer an act, and it opens its deck instead."""

    def draws(table: Table) -> bool:
        game = table.transcript.game
        return game.phase == Phase.DRAW and due("reveal", 1)(table) and not game.finished

    table, seat = until("drew", draws)
    player = table.players[seat]
    return lie(table, seat, player.reveal(table.transcript.k), player.open())


def opened_behind_a_turn() -> Case:
    """It has said its share for the next draw, and the floor is the other's."""

    def goes_on(table: Table, seat: int) -> bool:
        sides = table.transcript.game.sides
        return sides[seat].total < 20 and not sides[1 - seat].stands

    table, seat = until("turn and deck", acting(goes_on))
    player = table.players[seat]
    return lie(table, seat, {"t": "end"}, player.reveal(table.transcript.k), player.open())


def given_up(table: Table, seat: int) -> None:
    """This seat concedes, and the digests of what follows are those of the end."""
    table.messages.append(table.concession(seat, "concession"))
    table.transcript.conceded[seat] = ("concession", len(table.transcript.bodies))
    table.transcript.settle()


def opened_twice_when_conceded() -> Case:
    table, seat = until("twice open", acting())
    given_up(table, 1 - seat)
    return lie(table, seat, table.players[seat].open(), table.players[seat].open())


def acted_when_conceded() -> Case:
    table, seat = until("given", acting())
    given_up(table, 1 - seat)
    return lie(table, seat, table.players[seat].open(), {"t": "end"})


def opened_and_acted_after_conceding() -> Case:
    table, seat = until("opened", acting())
    table.messages.append(table.concession(seat, "concession"))
    return lie(table, seat, table.players[seat].open(), {"t": "end"})


def out_of_turn() -> Case:
    table, seat = until("turn", acting(lambda t, s: not t.transcript.game.sides[1 - s].stands))
    return lie(table, 1 - seat, {"t": "end"})


def after_standing(twenty: bool = False) -> Case:
    def stands(table: Table, seat: int) -> bool:
        side = table.transcript.game.sides[1 - seat]
        return side.stands and (side.total == 20) == twenty

    table, seat = until("stands", acting(stands))
    return lie(table, 1 - seat, {"t": "stand"})


def standing_revealer() -> Case:
    def stands(table: Table) -> bool:
        game = table.transcript.game
        return (
            due("reveal")(table)
            and game.phase == Phase.DRAW
            and game.sides[1 - game.mover].stands
            and game.sides[1 - game.mover].total != 20
        )

    table, seat = until("revealer", stands)
    return lie(table, seat, {"t": "end"})


def reveal_instead_of_act() -> Case:
    table, seat = until("instead", acting())
    return lie(table, seat, table.players[seat].reveal(table.transcript.k))


def passing_in_a_turn() -> Case:
    table, seat = until("passing", acting())
    return lie(table, seat, {"t": "pass"})


def ending_at_a_tie() -> Case:
    rules = Rules(tiebreaker="at-tie", sets=9)
    table, seat = until("tie", lambda t: t.transcript.game.phase == Phase.TIE, rules)
    return lie(table, seat, {"t": "end"})


def copied_card_commitment() -> Case:
    table, seat = until("card copy", lambda t: len(t.transcript.bodies) == 1)
    commit = table.players[1].commit()
    return lie(table, seat, commit | {"cards": table.transcript.cards[0]})


def copied_share_commitment() -> Case:
    table, seat = until("share copy", due("reveal"))
    reveal = table.players[seat].reveal(table.transcript.k)
    return lie(table, seat, reveal | {"next": table.transcript.next[1 - seat]})


def copied_share() -> Case:
    table, seat = until("copy", due("reveal", 1))
    transcript = table.transcript
    reveal = table.players[seat].reveal(transcript.k)
    return lie(table, seat, reveal | {"share": transcript.shares[1 - seat]})


def wrong_share() -> Case:
    table, seat = until("share", due("reveal", 1))
    return lie(table, seat, table.players[seat].reveal(table.transcript.k + 1))


def card_does_not_open() -> Case:
    table, seat = until("card", acting(holds_hidden))
    player = table.players[seat]
    at = hidden(table, seat)
    card = "+1" if player.deck[at] != "+1" else "+2"
    return lie(table, seat, player.play(at, 1) | {"card": card})


def laid_another_card() -> Case:
    rules = Rules(tiebreaker="at-tie", sets=9)

    def asked(table: Table) -> bool:
        game = table.transcript.game
        if game.phase != Phase.TIE:
            return False
        return table.players[game.mover].deck[hidden(table, game.mover)] != "+-1T"

    table, seat = until("laid", asked, rules)
    return lie(table, seat, table.players[seat].lay(hidden(table, seat)))


def card_not_dealt() -> Case:
    table, seat = until("dealt", acting(holds_hidden))
    dealt = [position for position, _ in table.transcript.game.sides[seat].hand]
    at = next(position for position in range(10) if position not in dealt)
    return lie(table, seat, table.players[seat].play(at, 1))


def played(table: Table, seat: int) -> list[int]:
    """The positions of what the seat has played."""
    return [p for p, number in table.transcript.game.sides[seat].hand if number]


def card_played_twice() -> Case:
    table, seat = until(
        "twice", acting(lambda t, s: bool(played(t, s)) and not t.transcript.game.played)
    )
    return lie(table, seat, table.players[seat].play(played(table, seat)[0], 1))


def card_not_allowed() -> Case:
    rules = Rules(gold=False)
    table, seat = until("gold", acting(holds_hidden), rules, (["2&4"] * 10, ["2&4"] * 10))
    return lie(table, seat, table.players[seat].play(hidden(table, seat), 0))


def two_cards() -> Case:
    table, seat = until("cards", acting(lambda t, s: t.transcript.game.played))
    return lie(table, seat, table.players[seat].play(played(table, seat)[0], 1))


def impossible_value() -> Case:
    table, seat = until("value", acting(holds_hidden))
    return lie(table, seat, table.players[seat].play(hidden(table, seat), -8))


def impossible_double() -> Case:
    decks = (["D"] * 10, ["D"] * 10)
    table, seat = until("double", acting(holds_hidden), None, decks)
    drawn = table.transcript.game.sides[seat].table[-1][1]
    return lie(table, seat, table.players[seat].play(hidden(table, seat), drawn - 1))


def wrong_digest() -> Case:
    table, seat = until("digest", acting())
    return lie(table, seat, {"t": "end"})


def wrong_digest_of_an_open() -> Case:
    table, seat = until("audit digest", due("open"))
    return lie(table, seat, table.players[seat].open(), state=ZERO)


def deck_does_not_open() -> Case:
    table, seat = until("audit", due("open"))
    player = table.players[seat]
    deck = [*player.deck[1:], "+1" if player.deck[0] != "+1" else "+2"]
    return lie(table, seat, player.open() | {"deck": deck})


def illegal_deck() -> Case:
    decks = (["+1"] * 5 + ["+2"] * 5, ["+1"] * 5 + ["+2"] * 5)
    table, seat = until("illegal", due("open"), Rules(copies="limited", sets=1), decks)
    return lie(table, seat, table.players[seat].open())


CASES = [
    ("two-entries", two_entries),
    ("other-match", other_match),
    ("wrong-previous", wrong_previous),
    ("wrong-sequence", wrong_sequence),
    ("acted-after-conceding", acted_after_conceding),
    ("acted-after-conceding", conceded_before_acting),
    ("acted-after-conceding", opened_and_acted_after_conceding),
    ("without-floor", without_floor),
    ("without-floor", loser_opens_first),
    ("without-floor", opened_behind_a_turn),
    ("without-floor", opened_twice_when_conceded),
    ("out-of-turn", out_of_turn),
    ("out-of-turn", acted_when_conceded),
    ("after-standing", after_standing),
    ("after-standing", standing_revealer),
    ("at-twenty", lambda: after_standing(True)),
    ("wrong-statement", reveal_instead_of_act),
    ("wrong-statement", revealed_and_opened),
    ("wrong-statement", passing_in_a_turn),
    ("wrong-statement", ending_at_a_tie),
    ("copied-commitment", copied_card_commitment),
    ("copied-commitment", copied_share_commitment),
    ("copied-share", copied_share),
    ("wrong-share", wrong_share),
    ("card-does-not-open", card_does_not_open),
    ("card-does-not-open", laid_another_card),
    ("card-not-dealt", card_not_dealt),
    ("card-played-twice", card_played_twice),
    ("card-not-allowed", card_not_allowed),
    ("two-cards", two_cards),
    ("impossible-value", impossible_value),
    ("impossible-value", impossible_double),
    ("wrong-digest", wrong_digest),
    ("wrong-digest", wrong_digest_of_an_open),
    ("deck-does-not-open", deck_does_not_open),
    ("illegal-deck", illegal_deck),
]
