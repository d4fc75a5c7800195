"""What ``?`` shows."""

from __future__ import annotations

from pazaak_p2p.rules import Card
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line


def help_lines(glyphs: Glyphs) -> list[Line]:
    """The keys and, in a few words, the game."""
    sign, sizes, tiebreaker = (
        glyphs.name(card) for card in (Card.PLUSMINUS_4, Card.ONE_TWO, Card.TIEBREAKER)
    )
    return [
        _head("Come as near to 20 as you can; over 20 at the end of a turn is bust (R10)."),
        _key("1 2 3 4", "play that card: one a turn, each once in the match (R4, R8)"),
        _key("", f"{sign}: then + or -.  {sizes}: then 1 or 2 and + or -, as in 3 2 -"),
        _key("gold", f"D doubles your green card, 2&4 3&6 turn signs, {tiebreaker} wins ties"),
        _key("e", "end your turn: a new green card next turn (R9)"),
        _key("s", "stand for the rest of the set (R12); 20 stands by itself (R11)"),
        _key("p", f"pass, when a tie asks for a {tiebreaker} (R17)"),
        _key("t c q", "talk, concede, leave; c and q ask first, Ctrl-C twice leaves too"),
    ]


def _head(text: str) -> Line:
    return (("class:name", f" {text}"),)


def _key(key: str, text: str) -> Line:
    return (("", "   "), ("class:name", key.ljust(9)), ("", text))
