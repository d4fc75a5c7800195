"""The rules page once more, as dicts, lists and strings: slow, obvious, and nothing imported.

A match is a dict that ``do`` changes. A move is a tuple that begins with its kind:

    ("deal", host positions, join positions)   ("opening", host card, join card)   ("first", seat)
    ("draw", card)   ("play", position, card, value)   ("end",)   ("stand",)
    ("lay", position)   ("pass",)   ("leave", seat, reason)

``refusal`` says which rule forbids a move ("" if none does). Seats are "host" and "join", cards
are their ASCII notation. Options are a dict with the keys of RULES.md.
"""

from __future__ import annotations

from typing import Any

Match = dict[str, Any]
Move = tuple[Any, ...]

OTHER = {"host": "join", "join": "host"}

ORDINARY = [sign + str(n) for sign in ("+", "-", "+-") for n in range(1, 7)]
GOLD = ["+-1T", "1+-2", "2&4", "3&6", "D"]


def deck_refused(options: Match, deck: list[str]) -> bool:
    """R3."""
    if len(deck) != 10:
        return True
    for card in deck:
        if card in GOLD:
            if not options["gold"]:
                return True
            if options["copies"] == "limited" and deck.count(card) > 2:
                return True
        elif card in ORDINARY:
            if options["copies"] == "limited" and deck.count(card) > 4:
                return True
        else:
            return True
    return False


def new_match(options: Match, host_deck: list[str], join_deck: list[str]) -> Match:
    return {
        "options": options,
        "decks": {"host": host_deck, "join": join_deck},
        "phase": "deal",
        "who": None,
        "hand": {"host": [], "join": []},  # positions dealt
        "used": {"host": [], "join": []},  # positions played or laid
        "table": {"host": [], "join": []},  # [card or "green", value]
        "stands": {"host": False, "join": False},
        "green": full_deck(),
        "drawn": None,  # this turn's green card
        "card_played": False,
        "laid": {"host": False, "join": False},
        "opener": None,
        "won": {"host": 0, "join": 0},
        "sets": [],
        "result": None,  # (termination, winner or None)
    }


def full_deck() -> list[int]:
    """R1."""
    return [rank for rank in range(1, 11) for copy in range(4)]


def total(match: Match, seat: str) -> int:
    return sum([value for card, value in match["table"][seat]])


def unplayed(match: Match, seat: str) -> list[int]:
    return [at for at in match["hand"][seat] if at not in match["used"][seat]]


# --- what may be done -------------------------------------------------------------------------


def values_of(match: Match, card: str) -> list[int]:
    """R8, R14, R15: the values that the mover can give a card."""
    if card == "D":
        return [match["drawn"]]
    if card in ("2&4", "3&6"):
        return [0]
    if card == "1+-2":
        return [1, 2, -1, -2]
    if card == "+-1T":
        return [1, -1]
    if card.startswith("+-"):
        return [int(card[2:]), -int(card[2:])]
    return [int(card)]


def legal(match: Match) -> list[Move]:
    """Every move open to the player who chooses now; none when a lot is due or all is over."""
    who = match["who"]
    moves: list[Move] = []
    if match["phase"] == "act":
        if not match["card_played"]:
            for at in unplayed(match, who):
                card = match["decks"][who][at]
                moves += [("play", at, card, value) for value in values_of(match, card)]
        moves.append(("end",))
        moves.append(("stand",))
    if match["phase"] == "tie":
        deck = match["decks"][who]
        moves += [("lay", at) for at in unplayed(match, who) if deck[at] == "+-1T"]
        moves.append(("pass",))
    return moves


PHASE_OF = {
    "deal": "deal",
    "opening": "opening",
    "first": "opener",
    "draw": "draw",
    "play": "act",
    "end": "act",
    "stand": "act",
    "lay": "tie",
    "pass": "tie",
}
RULE_OF_PHASE = {
    "deal": "R4",
    "opening": "R5",
    "opener": "R6",
    "draw": "R7",
    "act": "R9",
    "tie": "R17",
    "over": "R19",
}


def refusal(match: Match, move: Move) -> str:
    """The number of the rule that forbids the move, "" if it is legal."""
    kind = move[0]
    phase = match["phase"]
    who = match["who"]
    if kind == "leave":
        if phase == "over":
            return "R19"
        return "R21" if move[2] in ("normal", "cap") else ""
    if PHASE_OF[kind] != phase:
        return RULE_OF_PHASE[phase]
    if kind == "deal":
        for positions in move[1:]:
            if len(positions) != 4 or len(set(positions)) != 4:
                return "R4"
            for at in positions:
                if at not in range(10):
                    return "R4"
    if kind == "opening" and not (move[1] in range(1, 11) and move[2] in range(1, 11)):
        return "R5"
    if kind == "draw" and move[1] not in match["green"]:
        return "R1"
    if kind == "play":
        kind, at, card, value = move
        if match["card_played"]:
            return "R8"
        if at not in match["hand"][who]:
            return "R4"
        if at in match["used"][who]:
            return "R4"
        if match["decks"][who][at] != card:
            return "R4"
        if value not in values_of(match, card):
            return {"D": "R14", "2&4": "R15", "3&6": "R15"}.get(card, "R8")
    if kind == "lay":
        at = move[1]
        if at not in match["hand"][who]:
            return "R4"
        if at in match["used"][who]:
            return "R4"
        if match["decks"][who][at] != "+-1T":
            return "R17"
    return ""


# --- what a move does -------------------------------------------------------------------------


def do(match: Match, move: Move) -> None:
    """Change the match by a move that ``refusal`` has nothing against."""
    kind = move[0]
    who = match["who"]
    if kind == "deal":
        match["hand"]["host"] = list(move[1])
        match["hand"]["join"] = list(move[2])
        match["phase"] = "opening"
    elif kind == "opening":
        if move[1] > move[2]:
            begin_set(match, "host")
        if move[1] < move[2]:
            begin_set(match, "join")
    elif kind == "first":
        begin_set(match, move[1])
    elif kind == "draw":
        match["green"].remove(move[1])
        match["drawn"] = move[1]
        match["table"][who].append(["green", move[1]])
        match["card_played"] = False
        match["phase"] = "act"
        after_placing(match)
    elif kind == "play":
        kind, at, card, value = move
        if card in ("2&4", "3&6"):
            for placed in match["table"][who]:
                if str(abs(placed[1])) in card.split("&"):
                    placed[1] = -placed[1]
        match["table"][who].append([card, value])
        match["used"][who].append(at)
        match["card_played"] = True
        after_placing(match)
    elif kind == "end":
        if total(match, who) > 20:
            set_over(match, OTHER[who], "bust")
        else:
            next_turn(match)
    elif kind == "stand":
        if total(match, who) > 20:
            set_over(match, OTHER[who], "bust")
        else:
            stand(match)
    elif kind == "lay":
        match["used"][who].append(move[1])
        match["laid"][who] = True
        tie_answered(match)
    elif kind == "pass":
        tie_answered(match)
    elif kind == "leave":
        match["result"] = (move[2], OTHER[move[1]])
        finish(match)


def begin_set(match: Match, opener: str) -> None:
    match["table"] = {"host": [], "join": []}
    match["stands"] = {"host": False, "join": False}
    match["laid"] = {"host": False, "join": False}
    match["green"] = full_deck()
    match["opener"] = opener
    match["who"] = opener
    match["phase"] = "draw"


def after_placing(match: Match) -> None:
    """R11, R16: what the card just placed decides."""
    who = match["who"]
    if len(match["table"][who]) == 9:
        if total(match, who) > 20:
            set_over(match, OTHER[who], "bust")
        elif match["options"]["nine"] == "win":
            set_over(match, who, "nine")
        else:
            stand(match)
    elif total(match, who) == 20 and match["options"]["auto_stand"]:
        stand(match)


def stand(match: Match) -> None:
    """R12."""
    match["stands"][match["who"]] = True
    if match["stands"]["host"] and match["stands"]["join"]:
        both_stand(match)
    else:
        next_turn(match)


def next_turn(match: Match) -> None:
    if not match["stands"][OTHER[match["who"]]]:
        match["who"] = OTHER[match["who"]]
    match["phase"] = "draw"


def both_stand(match: Match) -> None:
    """R17, R18."""
    host, join = total(match, "host"), total(match, "join")
    if host > join:
        set_over(match, "host", "higher")
    elif join > host:
        set_over(match, "join", "higher")
    elif match["options"]["tiebreaker"] == "at-tie":
        match["to_ask"] = [match["opener"], OTHER[match["opener"]]]
        ask(match)
    else:
        have = []
        for seat in ("host", "join"):
            cards = [card for card, value in match["table"][seat]]
            if match["options"]["tiebreaker"] == "last":
                cards = cards[-1:]
            if "+-1T" in cards:
                have.append(seat)
        tie_decided(match, have)


def ask(match: Match) -> None:
    """R17, at-tie: who holds cards is asked, the opener first; without gold nobody is."""
    while match["to_ask"]:
        seat = match["to_ask"].pop(0)
        if match["options"]["gold"] and unplayed(match, seat):
            match["who"] = seat
            match["phase"] = "tie"
            return
    tie_decided(match, [seat for seat in ("host", "join") if match["laid"][seat]])


def tie_answered(match: Match) -> None:
    ask(match)


def tie_decided(match: Match, have: list[str]) -> None:
    if len(have) == 1:
        set_over(match, have[0], "tiebreaker")
    else:
        set_over(match, None, "tie")


def set_over(match: Match, winner: str | None, reason: str) -> None:
    """R18, R19, R20, R6."""
    options = match["options"]
    match["sets"].append(
        {
            "opener": match["opener"],
            "totals": (total(match, "host"), total(match, "join")),
            "winner": winner,
            "reason": reason,
            "tables": {seat: [list(p) for p in match["table"][seat]] for seat in OTHER},
            "stood": (match["stands"]["host"], match["stands"]["join"]),
        }
    )
    if winner is not None:
        match["won"][winner] += 1
        if match["won"][winner] == options["sets"]:
            match["result"] = ("normal", winner)
            finish(match)
            return
    if options["max_sets"] is not None and len(match["sets"]) == options["max_sets"]:
        if match["won"]["host"] == match["won"]["join"]:
            match["result"] = ("cap", None)
        else:
            match["result"] = ("cap", max(OTHER, key=lambda seat: match["won"][seat]))
        finish(match)
        return
    if options["opener"] == "alternate":
        begin_set(match, OTHER[match["opener"]])
    elif options["opener"] == "host":
        begin_set(match, "host")
    elif options["opener"] == "winner":
        begin_set(match, winner or match["opener"])
    elif options["opener"] == "loser":
        begin_set(match, OTHER[winner] if winner else match["opener"])
    elif options["opener"] == "random":
        begin_set(match, "host")
        match["opener"] = None
        match["who"] = None
        match["phase"] = "opener"


def finish(match: Match) -> None:
    match["phase"] = "over"
    match["who"] = None
    match["laid"] = {"host": False, "join": False}
