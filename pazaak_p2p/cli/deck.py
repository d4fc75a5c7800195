"""``pazaak deck``"""

from __future__ import annotations

import json as json_format
import sys
from typing import Final

import click

from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.cli.seat_deck import STANDARD_DECK
from pazaak_p2p.rules import DECKS, PRESETS, SideDeck, format_deck, parse_rules
from pazaak_p2p.store import DeckFileError, load_deck, read_deck
from pazaak_p2p.store.deck_files import deck_toml, save_deck
from pazaak_p2p.store.decks import MOST_BYTES, own_deck_files, read_deck_text
from pazaak_p2p.store.last_deck import LastDeck, NotRemembered, recall_deck
from pazaak_p2p.text import printable

_json = click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
_debug = click.option("--debug", is_flag=True, help="Show tracebacks.")
_ascii = click.option("--ascii", is_flag=True, help="ASCII signs only: +-4 in place of ±4.")

PASTED: Final = "what was pasted"


@click.group()
def command() -> None:
    """Side decks: those that ship, and your own.

    A deck is also one line of ten cards, such as "+1 -2 ±3 ...", which you can send to a friend.
    """


# --- list


@command.command("list", epilog="\b\nExamples:\n  pazaak deck list\n  pazaak deck list --json")
@_ascii
@_json
@_debug
def list_command(ascii: bool, json: bool, debug: bool) -> int:
    """List the decks, and the rule sets that each is legal under (R3)."""
    from pazaak_p2p.cli.printing import signs

    last, code = _last(), 0
    found: list[tuple[str, SideDeck, bool]] = [(name, DECKS[name], False) for name in DECKS]
    problems: list[DeckFileError] = []
    for path in own_deck_files():
        try:
            found.append((path.stem, read_deck(path), True))
        except DeckFileError as error:
            problems.append(error)
    if json:
        for name, cards, own in found:
            click.echo(json_format.dumps(_as_object(name, cards, own=own, last=last)))
    else:
        ascii = signs(ascii=ascii).ascii
        shown = [printable(name, 60) for name, _, _ in found]
        lines = [format_deck(cards, ascii) for _, cards, _ in found]
        wide, wider = max(map(len, shown)), max(map(len, lines))
        for label, line, (name, cards, own) in zip(shown, lines, found, strict=True):
            notes = [_legality(cards)]
            notes += ["yours"] if own else []
            notes += ["the standard"] if name == STANDARD_DECK and not own else []
            notes += ["used last"] if _is_last(last, name, own=own) else []
            click.echo(f"{label:<{wide}}  {line:<{wider}}  {', '.join(notes)}")
    for problem in problems:
        # Next to what can be listed: one damaged deck keeps nobody from the others.
        sys.stdout.flush()
        click.echo(describe_failure(problem), err=True)
        code = int(problem.exit_code)
    return code


def _legality(cards: SideDeck) -> str:
    from pazaak_p2p.tui.deck_cards import preset_verdicts

    against = [name for name, error in preset_verdicts(cards).items() if error is not None]
    return f"not for {' or '.join(against)}" if against else "for all rule sets"


def _as_object(
    name: str, cards: SideDeck, *, own: bool, last: LastDeck | None
) -> dict[str, object]:
    from pazaak_p2p.tui.deck_cards import preset_verdicts

    return {
        "deck": name,
        "own": own,
        "cards": [card.ascii for card in cards],
        "line": format_deck(cards, ascii=True),
        "legal": {preset: error is None for preset, error in preset_verdicts(cards).items()},
        "standard": name == STANDARD_DECK and not own,
        "last": _is_last(last, name, own=own),
    }


def _last() -> LastDeck | None:
    try:
        found = recall_deck()
    except NotRemembered:  # said where it would be used
        return None
    return None if found is None else found[0]


def _is_last(last: LastDeck | None, name: str, *, own: bool) -> bool:
    return last is not None and (last.own if own else last.shipped) == name


# --- show


@command.command(
    "show",
    epilog="\b\nExamples:\n  pazaak deck show wanderer\n  pazaak deck show mine --rules kotor1\n"
    '  pazaak deck show "+1 +2 +3 -1 -2 -3 ±4 ±5 ±6 D"',
    context_settings={"ignore_unknown_options": True},  # a deck may begin with -1
)
@click.argument("deck")
@click.option("--rules", metavar="RULES", help="Say what R3 says under these rules only.")
@_ascii
@_json
@_debug
def show_command(deck: str, rules: str | None, ascii: bool, json: bool, debug: bool) -> int:
    """Show a deck: its cards, what they do, and what R3 says to it.

    DECK is a name, a file, or ten cards in quotes.
    """
    from pazaak_p2p.cli.printing import print_lines, signs
    from pazaak_p2p.tui.deck_cards import card_words, deck_row, verdict
    from pazaak_p2p.tui.lines import Line, wrap
    from pazaak_p2p.tui.style import card_style

    sets = PRESETS if rules is None else {rules: parse_rules(rules)}
    cards = load_deck(deck)
    verdicts = {name: verdict(cards, each) for name, each in sets.items()}
    if json:
        told = {name: None if error is None else error.why for name, error in verdicts.items()}
        line = format_deck(cards, ascii=True)
        shown = {"deck": deck, "cards": [card.ascii for card in cards], "line": line, "R3": told}
        click.echo(json_format.dumps(shown))
        return 0
    glyphs = signs(ascii=ascii)
    words_by = next(iter(sets.values()))
    lines: list[Line] = [
        (),
        *((("", " "), *row) for row in deck_row(cards, glyphs)),
        (),
        (("", " "), ("class:name", format_deck(cards, glyphs.ascii))),
        (),
    ]
    for card in dict.fromkeys(cards):
        times = f"{cards.count(card)} x " if cards.count(card) > 1 else ""
        name = glyphs.name(card).center(6)
        lines.append(
            (("", f" {times:>4}"), (card_style(card), name), ("", f" {card_words(card, words_by)}"))
        )
    lines.append(())
    for name, error in verdicts.items():
        label = f" {printable(name, 60).ljust(max(map(len, verdicts)))} "
        if error is None:
            lines.append((("", label), ("class:good", f"{glyphs.good} legal (R3)")))
        else:
            against: Line = (("", label), ("class:bad", f"{glyphs.bad} {error.why}"))
            lines += wrap(against, 80, " " * (len(label) + 2))
    print_lines(lines)
    return 0


# --- export and import


@command.command(
    "export",
    epilog="\b\nExamples:\n  pazaak deck export mine\n  pazaak deck export mine --toml > mine.toml",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("deck")
@click.option("--toml", is_flag=True, help="As a deck file in place of one line.")
@_ascii
@_debug
def export_command(deck: str, toml: bool, ascii: bool, debug: bool) -> None:
    """Print a deck on one line, to be sent to a friend, or as a deck file.

    DECK is a name, a file, or ten cards in quotes.
    """
    from pazaak_p2p.cli.printing import signs

    cards = load_deck(deck)
    ascii = signs(ascii=ascii).ascii
    if toml:
        named = deck in DECKS or any(path.stem == deck for path in own_deck_files())
        click.echo(deck_toml(deck if named else "deck", cards, ascii=ascii), nl=False)
    else:
        click.echo(format_deck(cards, ascii))


@command.command(
    "import",
    epilog='\b\nExamples:\n  pazaak deck import mine "+1 +2 +3 -1 -2 -3 ±4 ±5 ±6 D"\n'
    "  pazaak deck import mine friend.toml\n  pazaak deck export hard | pazaak deck import mine -",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("name")
@click.argument("source")
@click.option("--force", is_flag=True, help="Replace a deck of that name.")
@_ascii
@_debug
def import_command(name: str, source: str, force: bool, ascii: bool, debug: bool) -> None:
    """Keep a deck as your own, under NAME.

    SOURCE is ten cards in quotes, a file, the name of another deck, or - for standard input.
    """
    from pazaak_p2p.cli.printing import signs
    from pazaak_p2p.tui.deck_cards import preset_verdicts

    if source == "-":
        cards = _read_stdin()
    elif len(source.split()) > 1:
        cards = read_deck_text(source, PASTED)
    else:
        cards = load_deck(source)
    path = save_deck(name, cards, force=force)
    click.echo(f"{name}: {format_deck(cards, signs(ascii=ascii).ascii)}")
    for preset, error in preset_verdicts(cards).items():
        if error is not None:
            click.echo(f"Not for {preset}: {error.why}")
    click.echo(f"Kept in {printable(str(path), 1000)}. Play with: pazaak play --deck {name}")


def _read_stdin() -> SideDeck:
    source = "standard input"
    if sys.stdin is None:
        raise DeckFileError(source, "it is closed.", why="Nothing can be read from it.")
    if sys.stdin.isatty():
        click.echo("Paste the deck; Enter and Ctrl-D end it.", err=True)
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise DeckFileError(source, f"it has more than {MOST_BYTES} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DeckFileError(source, "this is not UTF-8 text.", line=line) from error
    return read_deck_text(text, source)


# --- edit


@command.command(
    "edit",
    epilog="\b\nExamples:\n  pazaak deck edit mine\n  pazaak deck edit wanderer   a new deck,"
    " beginning with that one\n  pazaak deck edit --rules tournament",
)
@click.argument("deck", required=False, metavar="[NAME]")
@click.option(
    "--rules",
    metavar="RULES",
    default="standard",
    show_default=True,
    help="The rules that the deck is to be legal under (R3).",
)
@_ascii
@_debug
def edit_command(deck: str | None, rules: str, ascii: bool, debug: bool) -> int:
    """Build a deck on a full screen.

    NAME is a deck of yours, or a new one; a deck that ships is the beginning of a new one.
    """
    from pazaak_p2p.cli.deck_edit import edit

    return edit(deck, parse_rules(rules), ascii=ascii)
