"""Random matches on both engines, compared after every move.

    python -m tests.naive.differential --matches 1000000 --seed 7

plays match 7, 8, 9 ..; a disagreement names the match, and

    python -m tests.naive.differential --matches 1 --seed THAT

plays it alone. A match is decided by its number only.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from random import Random
from typing import Any

from pazaak_p2p.rules import (
    Action,
    Card,
    CardAlreadyPlayed,
    Copies,
    Deal,
    DeckError,
    Draw,
    End,
    FirstMove,
    Input,
    Lay,
    Leave,
    Nine,
    Opener,
    Opening,
    Pass,
    Play,
    RuleError,
    Rules,
    Seat,
    SecondCard,
    Stand,
    State,
    Termination,
    Tiebreaker,
    apply,
    check_deck,
    legal_actions,
    new_match,
    public_bytes,
    view,
)
from tests.naive import choosing, engine, layout
from tests.naive.engine import Match, Move

SEATS = {"host": Seat.HOST, "join": Seat.JOIN}
NAMES = ("host", "join")
CARDS = {card.value: card for card in Card}
PHASES = ("deal", "opening", "opener", "draw", "act", "tie", "over")
LONGEST = 4_000
"""Moves after which a match without ``max_sets`` is broken off by a concession."""


class Disagreement(AssertionError):
    """The two engines differ."""


def to_rules(options: Match) -> Rules:
    return Rules(
        copies=Copies(options["copies"]),
        gold=options["gold"],
        opener=Opener(options["opener"]),
        auto_stand=options["auto_stand"],
        nine=Nine(options["nine"]),
        tiebreaker=Tiebreaker(options["tiebreaker"]),
        sets=options["sets"],
        max_sets=options["max_sets"],
        turn_seconds=options["turn_seconds"],
    )


def to_input(move: Move) -> Input:
    kind = move[0]
    if kind == "draw":
        return Draw(move[1])
    if kind == "play":
        return Play(move[1], CARDS[move[2]], move[3])
    if kind == "end":
        return End()
    if kind == "stand":
        return Stand()
    if kind == "lay":
        return Lay(move[1])
    if kind == "pass":
        return Pass()
    if kind == "deal":
        return Deal(move[1], move[2])
    if kind == "opening":
        return Opening(move[1], move[2])
    if kind == "first":
        return FirstMove(SEATS[move[1]])
    return Leave(SEATS[move[1]], Termination(move[2]))


def to_move(action: Action) -> Move:
    if type(action) is Play:
        return ("play", action.at, action.card.ascii, action.value)
    if type(action) is Lay:
        return ("lay", action.at)
    return (type(action).__name__.lower(),)


def play(number: int) -> Counter[str]:
    """Play random match *number* on both engines; what happened in it, counted.

    Raises :class:`Disagreement` with the number and the moves so far.
    """
    history: list[Move] = []
    try:
        return _play(Random(number), history)
    except Exception as error:
        raise Disagreement(
            f"match {number}, after {len(history)} moves: {error!r}\n"
            f"last moves: {history[-12:]}\n"
            f"again: python -m tests.naive.differential --matches 1 --seed {number}"
        ) from error


def _play(rng: Random, history: list[Move]) -> Counter[str]:
    seen: Counter[str] = Counter()
    options = choosing.options(rng)
    rules = to_rules(options)
    decks = [choosing.side_deck(rng, options) for _ in NAMES]
    for index, deck in enumerate(decks):
        if _compare_deck(options, rules, deck):
            seen["deck refused"] += 1
            decks[index] = ["+1", "-2", "+-3", "+4", "-5", "+-6", "+1", "-2", "+-3", "+4"]
    host, join = (tuple([CARDS[card] for card in deck]) for deck in decks)
    naive = engine.new_match(options, *decks)
    state = new_match(rules, (host, join))
    # The engine of one player, to whom the other's hand is hidden, must come to the same.
    own = rng.choice([Seat.HOST, Seat.JOIN])
    partial = new_match(rules, (host, None) if own is Seat.HOST else (None, join))
    drawer = choosing.draw_style(rng)
    players = {seat: rng.choice(choosing.PLAYERS) for seat in NAMES}

    while naive["phase"] != "over":
        compare(state, naive)
        if rng.random() < 0.1:
            _compare_public(state, partial, naive)
        if rng.random() < 0.25:
            seen["refused " + _compare_foul(state, naive, choosing.foul(rng, naive))] += 1
        phase = naive["phase"]
        move: Move
        if phase == "draw":
            move = ("draw", drawer(rng, naive))
        elif phase in ("act", "tie"):
            moves = _compare_legal(state, naive)
            move = players[naive["who"]](rng, naive, moves)
        elif phase == "deal":
            move = ("deal", tuple(rng.sample(range(10), 4)), tuple(rng.sample(range(10), 4)))
        elif phase == "opening":
            move = ("opening", rng.randint(1, 10), rng.randint(1, 10))
        else:
            move = ("first", rng.choice(NAMES))
        if rng.random() < 0.0005 or len(history) > LONGEST:
            move = ("leave", rng.choice(NAMES), rng.choice(["concession", "time"]))
        history.append(move)
        given = to_input(move)
        engine.do(naive, move)
        state = apply(state, given)
        partial = apply(partial, given)
        if move[0] in ("lay", "pass") or (move[0] == "play" and move[2] in engine.GOLD):
            seen[" ".join(str(part) for part in move[::2])] += 1

    compare(state, naive)
    if legal_actions(state) or engine.legal(naive):
        raise Disagreement("somebody may still choose")
    _compare_foul(state, naive, choosing.foul(rng, naive))
    compare_results(state, naive)
    _compare_public(state, partial, naive)
    if view(partial, own) != view(state, own):
        raise Disagreement("a player's own engine sees something else")
    for result in naive["sets"]:
        seen[result["reason"]] += 1
        if result["reason"] == "bust" and 9 in [len(t) for t in result["tables"].values()]:
            seen["bust with a full table"] += 1
        if result["reason"] == "nine" and (True in result["stood"]):
            seen["nine against a standing player"] += 1
    seen[naive["result"][0]] += 1
    seen["moves"] += len(history)
    return seen


def _compare_deck(options: Match, rules: Rules, deck: list[str]) -> bool:
    refused = engine.deck_refused(options, deck)
    try:
        check_deck([CARDS[card] for card in deck], rules)
    except DeckError:
        if not refused:
            raise
    else:
        if refused:
            raise Disagreement(f"the deck {deck} was taken")
    return refused


def compare(state: State, naive: Match) -> None:
    """Phase, who is next, tables, totals, marks and score are the same."""
    who = naive["who"]
    tables = naive["table"]
    stands, won = naive["stands"], naive["won"]
    same = (
        PHASES[state.phase] == naive["phase"]
        and state.mover is (None if who is None else SEATS[who])
        and state.totals == (engine.total(naive, "host"), engine.total(naive, "join"))
        and _plain(state.tables[0]) == tables["host"]
        and _plain(state.tables[1]) == tables["join"]
        and state.stood == (stands["host"], stands["join"])
        and state.won == (won["host"], won["join"])
        and list(state.deck) == naive["green"]
        and len(state.results) == len(naive["sets"])
    )
    if not same:
        raise Disagreement(f"package: {state}\nnaive: {naive}")


def _plain(table: Any) -> list[list[Any]]:
    return [["green" if p.card is None else p.card.ascii, p.value] for p in table]


def _compare_legal(state: State, naive: Match) -> list[Move]:
    moves = engine.legal(naive)
    ours = [to_move(action) for action in legal_actions(state)]
    if len(ours) != len(moves) or set(ours) != set(moves):
        raise Disagreement(f"legal: package {ours}, naive {moves}")
    return moves


def _compare_foul(state: State, naive: Match, move: Move) -> str:
    """Both take or both refuse *move*, by the same rule; the rule, or ``nothing``."""
    expected = engine.refusal(naive, move)
    for _ in range(2):  # C10: a refusal lifts nothing.
        try:
            apply(state, to_input(move))
        except RuleError as error:
            got = error.rule
            if isinstance(error, (SecondCard, CardAlreadyPlayed)) and not (
                naive["card_played"] or naive["used"][naive["who"]]
            ):
                raise
        else:
            got = ""
        if got != expected:
            raise Disagreement(f"{move}: package {got or 'takes it'}, naive {expected or 'too'}")
    return expected or "nothing"


def _compare_public(state: State, partial: State, naive: Match) -> None:
    """G5: the same bytes from every engine, whatever it knows."""
    expected = bytes(layout.public_bytes(naive))
    for known in (state, partial):
        if public_bytes(known) != expected:
            raise Disagreement(f"public: {public_bytes(known).hex()}, naive: {expected.hex()}")


def compare_results(state: State, naive: Match) -> None:
    for number, (result, plain) in enumerate(
        zip(state.results, naive["sets"], strict=True), start=1
    ):
        ours = {
            "opener": str(result.opener),
            "totals": result.totals,
            "winner": None if result.winner is None else str(result.winner),
            "reason": result.reason.value,
            "tables": {name: _plain(result.tables[seat]) for name, seat in SEATS.items()},
            "stood": result.stood,
        }
        if ours != plain or result.number != number:
            raise Disagreement(f"set {number}: package {ours}, naive {plain}")
    outcome = state.outcome
    assert outcome is not None
    winner = None if outcome.winner is None else str(outcome.winner)
    if (outcome.termination.value, winner) != naive["result"]:
        raise Disagreement(f"package {outcome}, naive {naive['result']}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Play random matches on both rules engines and compare every step."
    )
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first match")
    arguments = parser.parse_args()
    seen: Counter[str] = Counter()
    began = shown = time.monotonic()
    for done, number in enumerate(range(arguments.seed, arguments.seed + arguments.matches), 1):
        seen.update(play(number))
        now = time.monotonic()
        if now - shown > 10:
            shown = now
            print(f"{done:,} of {arguments.matches:,}, {done / (now - began):,.0f} a second")
    seconds = time.monotonic() - began
    print(f"{arguments.matches:,} matches from {arguments.seed} agree, in {seconds:.1f} s")
    for what, count in sorted(seen.items()):
        print(f"  {count:>12,}  {what}")


if __name__ == "__main__":
    main()
