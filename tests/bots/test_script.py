"""Scripted bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.bots import BotSpec, ScriptBot, ScriptError, UnknownBot, find_bot, parse_script
from pazaak_p2p.errors import Exit
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import Action, End, Lay, Pass, Phase, Stand
from tests.bots.test_threshold import play, position

HAND = "+3 ±4 1±2 D"


def bot(text: str) -> ScriptBot:
    return ScriptBot(parse_script(text, "my.txt"))


@pytest.mark.parametrize(
    ("line", "card", "value"),
    [
        ("play +3", "+3", 3),
        ("play +-4 as -", "±4", -4),
        ("play ±4 as +4", "±4", 4),
        ("play +/-4 as +", "±4", 4),
        ("play 1+-2 as -2", "1±2", -2),
        ("play 1±2 as +1", "1±2", 1),
        ("play D", "D", 6),
        ("  play   +3   # a remark", "+3", 3),
    ],
)
def test_R8_a_card_is_played_as_the_script_says(line: str, card: str, value: int) -> None:
    view = position([5, 6], HAND)
    assert bot(line).choose(view) == play(view, card, value)


def test_lines_are_choices_in_their_order() -> None:
    view = position([5, 6], HAND)
    script = bot("# how I win\n\nend\r\nauto\nplay +3\nauto 11\nstand\n")
    choices: list[Action | Concede] = [script.choose(view) for _ in range(5)]
    assert choices == [End(), End(), play(view, "+3", 3), Stand(), Stand()]


def test_R17_lines_for_a_tie() -> None:
    view = position([10, 8], "+1 ±1T", 18, phase=Phase.TIE)
    assert bot("lay").choose(view) == Lay(1)
    assert bot("pass").choose(view) == Pass()


def test_R21_a_script_can_concede() -> None:
    assert bot("concede").choose(position([5])) == Concede()


@pytest.mark.parametrize(
    ("head", "total", "action"),
    [
        ("", 17, Stand()),
        ("", 16, End()),
        ("at-end threshold\n", 17, Stand()),
        ("at-end threshold:15 # early\n", 15, Stand()),
        ("at-end threshold:15\n", 14, End()),
    ],
)
def test_after_the_last_line_the_threshold_bot_plays_on(
    head: str, total: int, action: Action
) -> None:
    script = bot(head + "end\n")
    assert script.choose(position([5])) == End()
    assert script.choose(position([9, total - 9])) == action


def test_at_end_error_wants_a_line_for_every_choice() -> None:
    script = bot("at-end error\nend\n")
    script.choose(position([5]))
    with pytest.raises(ScriptError, match=r"my\.txt: it has no line left") as caught:
        script.choose(position([5]))
    assert caught.value.exit_code == Exit.USAGE


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("play +4", "no such card"),
        ("lay", "no such card"),
        ("pass", "cannot come now"),
    ],
)
def test_a_line_that_cannot_be_played_names_itself_when_its_turn_comes(
    line: str, says: str
) -> None:
    script = bot(f"end\n{line}\n")
    script.choose(position([5], HAND))
    with pytest.raises(ScriptError, match=r"my\.txt, line 2") as caught:
        script.choose(position([5], HAND))
    assert caught.value.line == 2
    assert says in f"{caught.value.what} {caught.value.why}"


def test_R8_a_second_card_is_refused_by_its_rule() -> None:
    with pytest.raises(ScriptError, match="line 1") as caught:
        bot("play +3").choose(position([5, 6], HAND, played=True))
    assert caught.value.why.startswith("R8")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("end\nplay\n", 2, "no action"),
        ("jump\n", 1, "no action"),
        ("end now\n", 1, "no action"),
        ("play +7\n", 1, "no side card"),
        ("play +3 as -3\n", 1, "cannot be played as"),
        ("play +3 as x\n", 1, "cannot be played as"),
        ("play ±4\n", 1, "say which"),
        ("play ±4 as 4\n", 1, "cannot be played as"),
        ("play 1±2 as -\n", 1, "cannot be played as"),
        ("play D as 3\n", 1, "cannot be played as"),
        ("auto 21\n", 1, "not a number from 1 to 20"),
        ("auto x\n", 1, "not a number from 1 to 20"),
        ("\n\nend\nat-end error\n", 4, "before all actions"),
        ("at-end error\nat-end error\n", 2, "comes once"),
        ("at-end nobody\n", 1, "at-end takes"),
        ("at-end threshold:0\n", 1, "not a number from 1 to 20"),
        ("\x1b[31m\n", 1, "no action"),
    ],
)
def test_a_broken_script_names_the_line(text: str, line: int, says: str) -> None:
    with pytest.raises(ScriptError, match=rf"^my\.txt, line {line}: ") as caught:
        parse_script(text, "my.txt")
    assert caught.value.line == line
    assert says in f"{caught.value.what} {caught.value.why}"
    assert caught.value.what.isprintable()


def test_a_script_file(tmp_path: Path) -> None:
    file = tmp_path / "my.txt"
    file.write_text("\ufeffplay ±4 as -\n", encoding="utf-8")
    view = position([5, 6], HAND)
    assert find_bot(f"script:{file}").make(bytes(32)).choose(view) == play(view, "±4", -4)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "cannot be read"),
        (b"end\n\xff", "line 2: this is not UTF-8"),
        (b"#" * 2_000_000, "more"),
    ],
)
def test_a_script_file_that_cannot_be_read(tmp_path: Path, data: bytes | None, says: str) -> None:
    file = tmp_path / "my.txt"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(ScriptError, match=says):
        find_bot(f"script:{file}")


@pytest.mark.parametrize("text", ["random", "threshold", "threshold:1", "threshold:20"])
def test_a_bot_by_name(text: str) -> None:
    spec = find_bot(text)
    assert isinstance(spec, BotSpec)
    assert spec.text == text
    one, two = spec.make(bytes(32)), spec.make(bytes(32))
    assert one is not two
    assert one.choose(position([20])) == two.choose(position([20]))


@pytest.mark.parametrize(
    "text",
    ["", "nobody", "random:1", "threshold:", "threshold:0", "threshold:21", "threshold:x", "script",
     "script:", "Random", "\x1b[31m"],
)  # fmt: skip
def test_an_unknown_bot_says_what_there_is(text: str) -> None:
    with pytest.raises(UnknownBot) as caught:
        find_bot(text)
    assert caught.value.exit_code == Exit.USAGE
    assert "threshold" in caught.value.why
    assert caught.value.what.isprintable()
