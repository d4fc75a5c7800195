"""What ``?`` shows."""

from __future__ import annotations

from pazaak_p2p.rules import Card
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line, wrap

_WIDE = 80


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
        _key("p w", "pass, at a tie (R17); claim, if they stay away in their turn (R21)"),
        _key("t c q", "talk, concede, leave; c and q ask first, Ctrl-C twice leaves too"),
    ]


def help_page(glyphs: Glyphs, columns: int, rows: int) -> list[Line]:
    """The same on a whole screen of *columns* and *rows*, which are at least 40 and 16."""
    if columns >= _WIDE and rows >= 20:
        lines = [
            *help_lines(glyphs),
            _key("arrows", "choose a card or what is below it, and tell what a card does"),
            _key("Enter", "press what is chosen; a click with the mouse does it at once"),
            _key("any key", "goes on while the table stands still for you to look"),
            _key("Ctrl-Z", "puts the game aside; fg brings it back. A clock runs on."),
            (),
            _head("The table"),
            _key("cards", "green: drawn. Blue +, red -, purple: either sign, gold: special"),
            _key(glyphs.arrow, "what a card would make of your total, before you play it"),
            _key(glyphs.good, f"20, or a way back from over 20; {glyphs.bad}: over 20"),
            _key("4 below", "a card that is flipped, or played as something, keeps its print"),
            (),
        ]
    else:
        lines = [
            _head("Near to 20, never over (R10)."),
            *(
                _short(key, text)
                for key, text in (
                    ("1 2 3 4", "play that card (R8)"),
                    ("+ - 1 2", "what it is to count as"),
                    ("e", "end the turn (R9)"),
                    ("s", "stand for the set (R12)"),
                    ("p", "pass at a tie (R17)"),
                    ("c q", "concede, leave: both ask"),
                    ("t", "talk"),
                    ("w", "claim: they stay away (R21)"),
                    ("arrows", "choose; Enter presses it"),
                    ("mouse", "a click presses"),
                    (f"{glyphs.arrow} {glyphs.good} {glyphs.bad}", "makes; good; over 20"),
                    ("Ctrl-C", "twice leaves"),
                )
            ),
        ]
    page = [part for line in lines for part in wrap(line, columns - 1, " " * 12)]
    return [*page[: rows - 1], (("class:question", " Any key goes back to the table."),)]


def _head(text: str) -> Line:
    return (("class:name", f" {text}"),)


def _key(key: str, text: str) -> Line:
    return (("", "   "), ("class:name", key.ljust(9)), ("", text))


def _short(key: str, text: str) -> Line:
    return (("", " "), ("class:name", key.ljust(9)), ("", text))
