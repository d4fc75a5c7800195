"""The public state as bytes, and its digest (section 9)."""

from .frames import digest
from .game import Game, Rules, Side

COPIES = ("unlimited", "limited")
OPENER = ("alternate", "loser", "winner", "random", "host")
NINE = ("win", "stand")
TIEBREAKER = ("played", "last", "at-tie")


def rules_bytes(rules: Rules) -> bytes:
    """The eleven bytes of the rules."""
    return (
        bytes(
            (
                COPIES.index(rules.copies),
                rules.gold,
                OPENER.index(rules.opener),
                rules.auto_stand,
                NINE.index(rules.nine),
                TIEBREAKER.index(rules.tiebreaker),
                rules.sets,
            )
        )
        + (rules.max_sets or 0).to_bytes(2, "big")
        + (rules.turn_seconds or 0).to_bytes(2, "big")
    )


def side_bytes(side: Side) -> bytes:
    """The bytes of one seat: mark, table, hand."""
    out = bytearray((side.stands, len(side.table)))
    for number, value in side.table:
        out.append(number)
        out += value.to_bytes(1, "big", signed=True)
    out.append(len(side.hand))
    for position, number in side.hand:
        out += bytes((position, number))
    return bytes(out)


def state_bytes(game: Game) -> bytes:
    """What both sides know."""
    return (
        bytes((game.phase,))
        + rules_bytes(game.rules)
        + min(game.finished, 0xFFFF).to_bytes(2, "big")
        + bytes((*game.won, game.opener, game.mover, game.played, game.laid, *game.deck))
        + b"".join(side_bytes(side) for side in game.sides)
        + bytes((game.termination, game.winner))
    )


def state_digest(game: Game) -> bytes:
    """The digest that closes every entry."""
    return digest("state", state_bytes(game))
