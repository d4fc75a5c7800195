"""Recorded matches as text, JSON, SVG and asciicast."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pyte
import pytest
from prompt_toolkit.utils import get_cwidth

from pazaak_p2p.rules import Card, Phase, SetEnd
from pazaak_p2p.tui.glyphs import ASCII, UNICODE
from pazaak_p2p.tui.picture import as_svg
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_cast import as_cast
from pazaak_p2p.tui.replay_json import as_json
from pazaak_p2p.tui.replay_page import draw_replay
from pazaak_p2p.tui.replay_record import Recording, Side, read_recording
from pazaak_p2p.tui.replay_text import as_text
from pazaak_p2p.tui.style import STYLE, THEMES, style_of
from tests.tui.drawn import text_of
from tests.tui.replay_pages import GOLD, ROOT, cheats, recording, seed_record
from tests.wire.records import with_header

SEEDS = sorted(path.name for path in (ROOT / "seeds").iterdir() if path.is_dir())
PAGE = (ROOT / "protocol" / "replay.md").read_text("utf-8")


def named(host: str) -> Recording:
    """A match with another name of its host."""
    players = recording(GOLD).verdict.players
    assert players is not None
    player = {"name": host, "key": players[0].key}
    return read_recording([with_header(seed_record(GOLD), host=player)])


# --- text


@pytest.mark.parametrize("seed", SEEDS)
def test_the_text_has_what_the_seed_tells(seed: str) -> None:
    text = "".join(as_text(recording(seed), Side.ABOVE, UNICODE))
    told = (ROOT / "seeds" / seed / "expected.txt").read_text("utf-8")
    play = told[told.index("\n\n") + 2 : told.rindex("\n\n")]
    assert f"\n{play}\n\n" in text
    assert text.endswith("".join(told.splitlines(keepends=True)[-2:]))


def test_a_whole_text() -> None:
    assert "".join(as_text(recording("minus-card-saves"), Side.JOIN, ASCII)) == TEXT


TEXT = """\
Ann hosts, Ben joins.
Rules: standard,sets=1
Seen by Ben.

Ann is dealt ? ? ? ?
Ben is dealt +3 +4 +4 +1
For the opening: Ann 1, Ben 3.

Set 1, Ben opens
  Ben  draws 8                  8 = 8
  Ben  plays +4                12 = 8 (+4)
  Ben  ends the turn
  Ann  draws 5                  5 = 5
  Ann  ends the turn
  Ben  draws 2                 14 = 8 (+4) 2
  Ben  plays +4                18 = 8 (+4) 2 (+4)
  Ben  stands
  Ann  draws 10                15 = 5 10
  Ann  ends the turn
  Ann  draws 8                 23 = 5 10 8
  Ann  plays -3, stands        20 = 5 10 8 (-3)
  Ann wins the set, 20:18 (higher total). Sets 1:0

Ann opens the side deck: -3 -3 +5 -5 +5 +4 -5 +3 +4 -4
Ben opens the side deck: +4 +5 +2 +3 +1 +3 +2 +1 +5 +4
Ann won the match, 1 to 0.
All 7 draws, 8 hand cards and 7 moves checked. Both side decks were opened: a fair match.
Match: a0ea232442af1b49401c01cba1dc1adb929e6510543357a555b1e84f57cfe600
Head:  3156c9bd5e24aaa6ff05157321a32f148d39823fe8099bde51014fb14ec69d4a
"""


# --- JSON


def document(shown: Recording, side: Side = Side.ABOVE) -> Any:
    text = "".join(as_json(shown, side, {"exit": 0}))
    assert text.isascii()
    assert len(text.splitlines()) == shown.last + 5
    return json.loads(text)


MORE = {
    "start": set(),
    "end-of-record": set(),
    "deal": {"host", "join"},
    "opening": {"host", "join"},
    "first-move": {"opener"},
    "draw": {"card"},
    "play": {"at", "card", "value"},
    "end": set(),
    "stand": set(),
    "pass": set(),
    "lay": {"at"},
    "leave": {"termination"},
    "open": {"deck"},
}
STATE = {
    *("phase", "set", "mover", "opener", "hands", "tables", "totals", "stood", "won", "played"),
    *("deck", "outcome"),
}
RESULT = {"set", "opener", "winner", "reason", "totals", "stood", "tables"}
MATCH = {"id", "began", "rules", "keeper", "players", "decks"}


def test_every_key_is_there_and_is_documented() -> None:
    kinds = set()
    for seed in SEEDS:
        made = document(recording(seed))
        assert list(made) == ["format", "version", "seen", "match", "verdict", "steps"]
        assert (made["format"], made["version"], made["seen"]) == ("pazaak-replay", 1, "above")
        assert set(made["match"]) == MATCH
        for step in made["steps"]:
            assert list(step) == ["step", "entry", "seat", "what", "result", "state"]
            kinds.add(step["what"]["kind"])
            assert set(step["what"]) == {"kind"} | MORE[step["what"]["kind"]]
            assert set(step["state"]) == STATE
            assert step["result"] is None or set(step["result"]) == RESULT
        assert [step["step"] for step in made["steps"]] == list(range(1, len(made["steps"]) + 1))
    assert kinds == set(MORE)
    documented = set(re.findall(r"`([a-z-]+)`", PAGE))
    words = {phase.name.lower() for phase in Phase} | {reason.value for reason in SetEnd}
    keys = STATE | RESULT | MATCH | set(MORE) | set().union(*MORE.values()) | words
    assert keys | {"step", "entry", "seat", "what", "kind", "verdict", "steps"} <= documented


def test_the_state_after_each_step_adds_up() -> None:
    for seed in SEEDS:
        won = [0, 0]
        for step in document(recording(seed))["steps"]:
            state, result = step["state"], step["result"]
            tables = [state["tables"][seat] for seat in ("host", "join")]
            assert state["totals"] == [sum(card["value"] for card in table) for table in tables]
            for table, hand in zip(tables, state["hands"].values(), strict=True):
                assert len(hand) in (0, 4)
                for card in (*table, *hand):
                    assert card["card"] is None or Card.parse(card["card"]).ascii == card["card"]
            if result is not None and result["winner"] is not None:
                won[("host", "join").index(result["winner"])] += 1
            assert state["won"] == won


def test_from_a_seat_it_holds_what_that_seat_saw() -> None:
    shown = recording(GOLD)
    for side, other in ((Side.HOST, "join"), (Side.JOIN, "host")):
        for step in document(shown, side)["steps"]:
            for seat, hand in step["state"]["hands"].items():
                hidden = [card["card"] is None for card in hand]
                expected = [seat == other and not card["played"] for card in hand]
                assert hidden == expected


# --- SVG

NS = "{http://www.w3.org/2000/svg}"


def drawn_text(svg: ElementTree.Element) -> list[str]:
    """The texts of a picture in the cells of 9 by 19 in which they stand."""
    cells: dict[int, dict[int, str]] = {}
    for text in svg.iter(f"{NS}text"):
        assert text.text is not None
        assert text.get("textLength") == str(9 * get_cwidth(text.text))
        row = cells.setdefault((int(text.get("y", "")) - 14) // 19, {})
        row[int(text.get("x", "")) // 9] = text.text
    lines = []
    for number in range(max(cells) + 1):
        line = ""
        for column, word in sorted(cells.get(number, {}).items()):
            line += " " * (column - get_cwidth(line)) + word
        lines.append(line)
    return lines


STROKES = re.compile("[─│╭╮╰╯━┃┏┓┗┛┣┫╺╸╻╹┻●○▒]")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("columns", "rows"), [(40, 16), (80, 24), (130, 40)])
def test_a_picture_has_all_signs_of_its_page_in_their_places(
    columns: int, rows: int, theme: str
) -> None:
    replay = Replay(recording(GOLD), UNICODE, at=22)
    page = draw_replay(replay, columns, rows, UNICODE)
    svg = ElementTree.fromstring(as_svg(page, columns, rows, style_of(THEMES[theme]), "A title"))
    assert svg.tag == f"{NS}svg"
    assert (svg.get("width"), svg.get("height")) == (str(columns * 9 + 24), str(rows * 19 + 24))
    wanted = [STROKES.sub(" ", line).rstrip() for line in text_of(page).splitlines()]
    while not wanted[-1]:
        wanted.pop()
    assert drawn_text(svg) == wanted
    for rect in svg.iter(f"{NS}rect"):
        assert 0 <= float(rect.get("x", "0")) < columns * 9
        colour = rect.get("fill", "")
        assert re.fullmatch("#[0-9a-f]{6}", colour), colour
    pips = [circle for circle in svg.iter(f"{NS}circle")]
    assert len(pips) == sum(
        line.count("●") + line.count("○") for line in text_of(page).splitlines()
    )


def test_nothing_in_a_picture_comes_from_elsewhere() -> None:
    svg = as_svg(draw_replay(Replay(recording(GOLD), UNICODE), 80, 24, UNICODE), 80, 24, STYLE, "")
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in svg
    assert "<script" not in svg


def test_names_cannot_break_a_document() -> None:
    hostile = "<&>\"'\x1b[31m]]>\u202e"
    shown = named(hostile)
    for at in (0, 5, shown.last):
        page = draw_replay(Replay(shown, UNICODE, at=at), 80, 24, UNICODE)
        svg = as_svg(page, 80, 24, STYLE, f'{hostile!a} & "quotes"')
        root = ElementTree.fromstring(svg)
        assert {element.tag.removeprefix(NS) for element in root.iter()} <= {
            *("svg", "title", "g", "rect", "text", "path", "circle")
        }
    made = {
        "txt": "".join(as_text(shown, Side.ABOVE, UNICODE)),
        "json": "".join(as_json(shown, Side.ABOVE, {})),
        "cast": json.loads(next(as_cast(Replay(shown, UNICODE), 80, 24, UNICODE, STYLE)))["title"],
    }
    for kind, text in made.items():
        assert "\x1b" not in text, kind
        assert "\u202e" not in text, kind
        assert "\\x1b[31m" in text.replace("\\\\", "\\"), kind
    assert "\\u001b" not in made["json"]


def test_the_picture_of_the_readme_is_that_of_the_match() -> None:
    replay = Replay(recording(GOLD), UNICODE, at=21)
    title = "Pazaak, Ann against Ben, step 22: Ann draws [9]: 25, over 20."
    svg = as_svg(draw_replay(replay, 80, 24, UNICODE), 80, 24, STYLE, title)
    picture = "seeds/every-gold-card/screen.svg"
    assert (ROOT / picture).read_text("utf-8") == svg
    assert f"]({picture})" in (ROOT / "README.md").read_text("utf-8")


# --- asciicast


def frames(shown: Recording, columns: int, rows: int) -> Iterator[tuple[float, list[str]]]:
    """The screens of an asciicast as a terminal shows them, each with its time."""
    replay = Replay(shown, UNICODE, pace=0.5)
    header, *events = map(json.loads, as_cast(replay, columns, rows, UNICODE, STYLE))
    title = f"Pazaak: {' against '.join(replay.telling.names)}"
    assert header == {
        "version": 2,
        "width": columns,
        "height": rows,
        "title": title,
        "env": {"TERM": "xterm-256color"},
    }
    screen = pyte.Screen(columns, rows)
    stream = pyte.Stream(screen)
    stream.feed("what was there before\r\n" * 5)
    for seconds, kind, data in events:
        assert kind == "o"
        for unwanted in ("\x1b[?1049h", "\x1b[?1000h", "\x1b[?2004h", "\x1b[6n"):
            assert unwanted not in data
        stream.feed(data)
        yield seconds, [line.rstrip() for line in screen.display]
    assert not screen.cursor.hidden


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 16), (130, 40)])
def test_an_asciicast_shows_every_page_in_its_time(columns: int, rows: int) -> None:
    shown = recording(GOLD)
    replay = Replay(shown, UNICODE, pace=0.5)
    replay.press(" ")
    seconds = 0.0
    seen = list(frames(shown, columns, rows))
    assert len(seen) == shown.last + 2
    for when, lines in seen[:-1]:
        page = text_of(draw_replay(replay, columns, rows, UNICODE)).splitlines()
        assert (when, lines) == (round(seconds, 3), page + [""] * (rows - len(page)))
        seconds += replay.wait or 0
        replay.tick()
    assert replay.at == shown.last
    assert seen[-1] == (seen[-2][0] + 3.0, seen[-2][1])


def test_an_asciicast_of_a_single_step() -> None:
    shown = recording(GOLD)
    replay = Replay(shown, UNICODE, at=shown.last)
    events = list(as_cast(replay, 80, 24, UNICODE, STYLE))
    assert len(events) == 3


def test_a_cheat_can_be_exported_too() -> None:
    shown = read_recording([cheats()["card-not-dealt"]])
    assert "Mal CHEATED (card-not-dealt) in entry 6." in "".join(
        as_text(shown, Side.ABOVE, UNICODE)
    )
    assert document(shown)["steps"][-1]["what"] == {"kind": "end-of-record"}
    assert "Mal CHEATED" in "\n".join(list(frames(shown, 80, 24))[-1][1])
