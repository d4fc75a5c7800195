"""``pazaak deck``, and the deck that is remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import DECKS, format_deck
from pazaak_p2p.store import read_deck
from tests.cli.ran import Ran, refused
from tests.e2e.processes import hosting, join

TEN = "+1 +2 +3 -1 -2 -3 ±4 ±5 ±6 D"
TEN_ASCII = TEN.replace("±", "+-")


def deck(home: Path, *arguments: str, text: bytes | None = None, process: bool = False) -> Ran:
    return Ran(home, "deck", *arguments, text=text, process=process)


# --- list, show


def test_list(tmp_path: Path) -> None:
    assert deck(tmp_path, "import", "mine", TEN).code == 0
    ran = deck(tmp_path, "list", process=True)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines] == [*DECKS, "mine"]
    assert lines[0] == "starter    +1 +1 +2 +2 +3 +3 +4 +4 +5 +5        for all rule sets"
    assert lines[8].endswith("for all rule sets, the standard")
    assert lines[9].endswith(f"{TEN}         not for kotor1, yours")


def test_list_as_json(tmp_path: Path) -> None:
    deck(tmp_path, "import", "mine", TEN)
    ran = deck(tmp_path, "list", "--json")
    decks = {each["deck"]: each for each in map(json.loads, ran.out.splitlines())}
    assert list(decks) == [*DECKS, "mine"]
    assert [name for name, each in decks.items() if each["standard"]] == ["balanced"]
    assert not any(each["last"] for each in decks.values())
    assert decks["mine"] == {
        "deck": "mine",
        "own": True,
        "cards": TEN_ASCII.split(),
        "line": TEN_ASCII,
        "legal": {"standard": True, "kotor1": False, "kotor2": True, "tournament": True},
        "standard": False,
        "last": False,
    }


def test_a_damaged_deck_keeps_nobody_from_the_others(tmp_path: Path) -> None:
    deck(tmp_path, "import", "mine", TEN)
    (tmp_path / "decks" / "bad.toml").write_text('name = "bad"\ncards = "+1 +77"\n')
    ran = deck(tmp_path, "list")
    assert ran.code == Exit.USAGE
    assert len(ran.out.splitlines()) == len(DECKS) + 1
    assert "bad.toml, line 2, column 13: There is no side card '+77'." in ran.err
    assert (tmp_path / "decks" / "bad.toml").exists()


def test_show(tmp_path: Path) -> None:
    ran = deck(tmp_path, "show", "hard", process=True)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[2].startswith(" │2&4 │ │3&6 │ │ ±4 │")
    assert lines[5] == " 2&4 3&6 ±4 ±6 D ±1T 1±2 ±3 ±6 2&4"
    assert " 2 x  2&4   turns the sign of every 2 and 4 on your table (R15)" in lines
    assert " standard   ✓ legal (R3)" in lines
    assert " kotor1     ✗ R3: this match is played without gold cards (gold=off)." in lines
    assert all(len(line) <= 80 for line in lines)


def test_show_under_one_rule_set_and_in_ascii(tmp_path: Path) -> None:
    ran = deck(tmp_path, "show", "-1 -1 -1 -1 -1 +-2 +-2 D D D", "--ascii", "--rules", "tournament")
    assert ran.code == 0
    assert ran.out.isascii()
    assert ran.out.splitlines()[-1].startswith(" tournament x R3: at most 4 of one ordinary kind")


def test_show_as_json(tmp_path: Path) -> None:
    shown = json.loads(deck(tmp_path, "show", "hard", "--json").out)
    assert shown["line"] == format_deck(DECKS["hard"], ascii=True)
    assert shown["R3"]["standard"] is None
    assert shown["R3"]["kotor1"].startswith("R3: ")


@pytest.mark.parametrize("command", ["show", "export"])
def test_a_deck_that_there_is_not(tmp_path: Path, command: str) -> None:
    refused(deck(tmp_path, command, "nope"), "There is no side deck 'nope'.")
    refused(deck(tmp_path, command, "-1 +1"), "The side deck has 2 cards, not 10.")


# --- export, import


def test_what_is_exported_can_be_imported(tmp_path: Path) -> None:
    line = deck(tmp_path, "export", "hard", process=True).out
    assert line == "2&4 3&6 ±4 ±6 D ±1T 1±2 ±3 ±6 2&4\n"
    assert deck(tmp_path, "export", "hard", "--ascii").out == line.replace("±", "+-")
    file = tmp_path / "friend.toml"
    file.write_text(deck(tmp_path, "export", "hard", "--toml").out, "utf-8")
    assert deck(tmp_path, "import", "a", line, process=True).code == 0
    assert deck(tmp_path, "import", "b", "-", text=line.encode(), process=True).code == 0
    assert deck(tmp_path, "import", "c", str(file)).code == 0
    assert deck(tmp_path, "import", "d", "hard").code == 0
    for name in "abcd":
        assert read_deck(tmp_path / "decks" / f"{name}.toml") == DECKS["hard"]
    assert deck(tmp_path, "export", "c", "--toml").out == f'name = "c"\ncards = "{line.strip()}"\n'


def test_import_says_what_it_did(tmp_path: Path) -> None:
    ran = deck(tmp_path, "import", "mine", TEN)
    first, second, third = ran.out.splitlines()
    assert first == f"mine: {TEN}"
    assert second == "Not for kotor1: R3: this match is played without gold cards (gold=off)."
    assert third.endswith("mine.toml. Play with: pazaak play --deck mine")


def test_import_overwrites_nothing_without_force(tmp_path: Path) -> None:
    deck(tmp_path, "import", "mine", TEN)
    refused(deck(tmp_path, "import", "mine", "easy"), "There is a deck 'mine' already.")
    assert format_deck(read_deck(tmp_path / "decks" / "mine.toml")) == TEN
    assert deck(tmp_path, "import", "mine", "easy", "--force").code == 0
    assert read_deck(tmp_path / "decks" / "mine.toml") == DECKS["easy"]


@pytest.mark.parametrize(
    ("name", "source", "text", "says"),
    [
        ("mine", "+1 +2\n-3 +77", None, "what was pasted, line 2, column 4: There is no side card"),
        ("mine", "-", b"+1 +2\n-3  x\n", "standard input, line 2, column 5: There is no side card"),
        ("mine", "-", b'cards = ["+1",\n oops', "standard input, line 2, column 2: it is no valid"),
        ("mine", "-", b"+1\n\xff", "standard input, line 2: this is not UTF-8 text."),
        ("mine", "-", b"+1 " * 9000, "standard input: it has more than 16384 bytes."),
        ("mine", "-", b"", "standard input: The side deck has no cards, not 10."),
        ("mine", "/no/such.txt", None, "/no/such.txt: it cannot be read"),
        ("mine", "nope", None, "There is no side deck 'nope'."),
        ("hard", TEN, None, "'hard' is the name of a deck that ships."),
        ("../mine", TEN, None, "'../mine' cannot be the name of a deck."),
        ("D", TEN, None, "'D' is a card"),
    ],
)
def test_what_cannot_be_imported(
    tmp_path: Path, name: str, source: str, text: bytes | None, says: str
) -> None:
    refused(deck(tmp_path, "import", name, source, text=text), says)
    assert list(tmp_path.glob("decks/*.toml")) == []


def test_a_file_that_is_not_there_is_no_file_to_be_mended(tmp_path: Path) -> None:
    for ran in (
        deck(tmp_path, "import", "mine", "/no/such.txt"),
        deck(tmp_path, "show", str(tmp_path / "mine.toml")),
    ):
        refused(ran, "it cannot be read: No such file or directory.")
        assert "Next: Check the path. The decks that have names: pazaak deck list." in ran.err


def test_the_builder_needs_a_terminal_and_names_the_plain_way(tmp_path: Path) -> None:
    ran = deck(tmp_path, "edit", "mine", process=True)
    refused(ran, "The deck builder needs a terminal that it can draw on.")
    assert "pazaak deck import NAME" in ran.err


# --- the deck used last


def play(home: Path, *arguments: str) -> Ran:
    return Ran(
        home, "play", "--bot", "random", "--against", "random", "--json", *arguments, process=True
    )


def cards_shown(home: Path) -> set[str]:
    """The decks that the last record shows, each in the order of its cards' numbers."""
    from pazaak_p2p.wire.codec import read_body
    from pazaak_p2p.wire.messages import Entry, Open
    from pazaak_p2p.wire.reading import Reading

    *_, last = sorted((home / "matches").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    reading = Reading([last.read_bytes()])
    reading.begin()
    opened = [
        said.deck
        for item in reading
        if isinstance(item, Entry)
        for said in read_body(item.body).say
        if isinstance(said, Open)
    ]
    return {format_deck(sorted(deck, key=lambda card: card.number)) for deck in opened}


def in_order(name: str) -> str:
    return format_deck(sorted(DECKS[name], key=lambda card: card.number))


def test_the_deck_used_last_is_used_again(tmp_path: Path) -> None:
    assert play(tmp_path).code == 0
    assert cards_shown(tmp_path) == {in_order("balanced")}
    assert play(tmp_path, "--deck", "hard").code == 0
    assert json.loads((tmp_path / "last-deck.json").read_text()) == {"shipped": "hard"}
    ran = play(tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert cards_shown(tmp_path) == {in_order("hard")}
    listed = [json.loads(line) for line in deck(tmp_path, "list", "--json").out.splitlines()]
    assert [each["deck"] for each in listed if each["last"]] == ["hard"]


def test_the_other_sides_deck_is_not_ours(tmp_path: Path) -> None:
    assert play(tmp_path, "--against-deck", "hard").code == 0
    assert cards_shown(tmp_path) == {in_order("balanced"), in_order("hard")}
    assert not (tmp_path / "last-deck.json").exists()


def test_host_and_join_remember_and_use_it(tmp_path: Path) -> None:
    host_home, join_home = tmp_path / "host", tmp_path / "join"
    for host_deck, join_deck in ((("--deck", "easy"), ("--deck", "hard")), ((), ())):
        with hosting(host_home, *host_deck) as (host, address):
            with join(address, join_home, *join_deck) as guest:
                assert guest.finish_json() == 0
            assert host.finish_json() == 0
        assert cards_shown(host_home) == {in_order("easy"), in_order("hard")}


def test_a_seeded_match_neither_uses_nor_leaves_a_memory(tmp_path: Path) -> None:
    first = play(tmp_path, "--seed", "s").out
    assert play(tmp_path, "--seed", "s", "--deck", "hard").code == 0
    assert not (tmp_path / "last-deck.json").exists()
    assert play(tmp_path, "--deck", "hard").code == 0
    again = play(tmp_path, "--seed", "s").out
    transcripts = [json.loads(out.splitlines()[-1])["transcript"] for out in (first, again)]
    assert transcripts[0] == transcripts[1]


def test_a_broken_memory_falls_back_with_a_word(tmp_path: Path) -> None:
    (tmp_path / "last-deck.json").write_text('{"own": "gone"}')
    ran = play(tmp_path)
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "pazaak: The deck that you used last cannot be used again.",
        "  Why:  There is no deck 'gone' any more.",
        "  Next: Name a deck with --deck; it is remembered then.",
        "You play with the standard deck, 'balanced'.",
    ]
    assert cards_shown(tmp_path) == {in_order("balanced")}


def test_R3_a_deck_that_is_not_for_these_rules_is_not_taken_from_memory(tmp_path: Path) -> None:
    assert play(tmp_path, "--deck", "hard").code == 0
    ran = play(tmp_path, "--rules", "kotor1,max_sets=9")
    assert ran.code == 0
    assert ran.err == (
        "The deck that you used last, hard, is not for these rules (R3: this match is played"
        " without gold cards (gold=off)): you play with the standard deck, 'balanced'.\n"
    )
    assert cards_shown(tmp_path) == {in_order("balanced")}
    # Named, it is an error, and nothing is remembered by it.
    ran = play(tmp_path, "--deck", "from-hell", "--rules", "kotor1")
    assert ran.code == Exit.USAGE
    assert json.loads((tmp_path / "last-deck.json").read_text()) == {"shipped": "hard"}
