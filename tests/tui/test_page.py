"""The full screen as a pure function: its pictures, and what holds on every size."""

from __future__ import annotations

import pytest
from prompt_toolkit.utils import get_cwidth

from pazaak_p2p.tui.control import Control
from pazaak_p2p.tui.dialog import Position
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.page import Row, draw_page
from pazaak_p2p.tui.style import STANDARD, THEMES
from tests.tui import table_pages
from tests.tui.drawn import text_of
from tests.tui.pictures import conceded
from tests.tui.positions import at, views_of_random_matches

SIZES = [(40, 16), (41, 17), (79, 24), (80, 19), (80, 20), (80, 24), (81, 33), (119, 30), (200, 50)]


@pytest.mark.parametrize("name", table_pages.PAGES)
def test_page(name: str) -> None:
    assert table_pages.text(name) == table_pages.path(name).read_text(encoding="utf-8")


def test_every_picture_file_is_drawn() -> None:
    files = {path.stem for path in table_pages.FOLDER.glob("*.txt")}
    assert files == set(table_pages.PAGES)


@pytest.mark.parametrize("name", table_pages.PAGES)
def test_a_page_fits_into_its_terminal(name: str) -> None:
    _, columns, rows, _ = table_pages.PAGES[name]
    fits(table_pages.page_of(name), columns, rows)


def fits(page: list[Row], columns: int, rows: int) -> None:
    assert len(page) <= rows
    assert max(sum(get_cwidth(text) for _, text, _ in row) for row in page) <= columns


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_position_fits_into_every_terminal(glyphs: Glyphs) -> None:
    for view in views_of_random_matches(4):
        control = Control(glyphs)
        control.show(Position(view, "Kreia", 1 if view.to_choose else None))
        for columns, rows in SIZES:
            page = draw_page(control.scene(), columns, rows, glyphs)
            fits(page, columns, rows)
            assert glyphs is UNICODE or text_of(page).isascii()


@pytest.mark.parametrize(("columns", "rows"), [(40, 16), (60, 20), (80, 24), (200, 50)])
def test_everything_that_can_be_done_is_shown_and_can_be_clicked(columns: int, rows: int) -> None:
    for view in views_of_random_matches(4):
        control = Control(UNICODE)
        control.show(Position(view, "Kreia", 1 if view.to_choose else None))
        scene = control.scene()
        page = draw_page(scene, columns, rows, UNICODE)
        clicked = {key for row in page for _, _, key in row if key is not None}
        assert {key for entry in scene.entries for key in entry.keys} <= clicked
        shown = text_of(page)
        assert all(entry.meaning in shown for entry in scene.entries)


def test_no_page_has_a_style_that_no_theme_has() -> None:
    for name in table_pages.PAGES:
        for row in table_pages.page_of(name):
            for style, _, _ in row:
                for word in style.split():
                    assert word.removeprefix("class:") in STANDARD, (name, word)


def test_themes_name_the_same_things() -> None:
    assert {frozenset(theme) for theme in THEMES.values()} == {frozenset(STANDARD)}


def test_a_terminal_of_nothing_gets_something() -> None:
    control = Control(UNICODE)
    control.show(Position(at(7), "Kreia", 1))
    for columns, rows in [(0, 0), (1, 1), (39, 50), (200, 15)]:
        assert draw_page(control.scene(), columns, rows, UNICODE)


@pytest.mark.parametrize("key", ["?", "l"])
@pytest.mark.parametrize(("columns", "rows"), [(40, 16), (80, 24), (200, 50)])
def test_what_covers_the_table_goes_away_by_a_click(key: str, columns: int, rows: int) -> None:
    control = Control(UNICODE)
    control.show(Position(at(7), "Kreia", 1))
    control.press(key)
    *_, last = draw_page(control.scene(), columns, rows, UNICODE)
    ((_, text, clicked),) = last
    assert "any key goes back" in text.lower() or "any other key goes back" in text
    assert clicked is not None
    assert control.press(clicked) is None
    scene = control.scene()
    assert not scene.help
    assert not scene.reading


@pytest.mark.parametrize(("columns", "rows"), [(40, 16), (60, 16), (80, 20), (80, 24), (120, 40)])
@pytest.mark.parametrize("name", ["Kreia", "達斯" * 6])
def test_how_a_match_ended_is_to_be_read_in_every_window(
    name: str, columns: int, rows: int
) -> None:
    text = f" The clock of {name} has run out (R21). You win the match; sets: 0 to 0. "
    control = Control(UNICODE)
    control.show(Position(conceded(), name, banner=(("class:won", text),)))
    control.rest(again=True)
    page = text_of(draw_page(control.scene(), columns, rows, UNICODE))
    assert "".join(text.split()) in "".join(page.replace(UNICODE.side, "").split())
    assert "a play again" in page
