"""How the table is asked to look: options, settings, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.cli.look import STANDARD_PACE, THEMES, Look, settled, theme_of
from pazaak_p2p.errors import UsageError
from pazaak_p2p.store.settings import Settings, TableSettings
from pazaak_p2p.tui import style


def test_the_themes_are_those_that_there_are() -> None:
    assert tuple(style.THEMES) == THEMES


def test_without_anything_said() -> None:
    look = Look().with_settings(Settings())
    assert look == Look(False, False, "standard", STANDARD_PACE, False)


def test_the_command_line_comes_before_the_settings() -> None:
    table = TableSettings(theme="plain", pace=2.0, ascii=True, bell=True, plain=True)
    settings = Settings(table=table)
    assert Look().with_settings(settings) == Look(True, True, "plain", 2.0, True)
    asked = Look(theme="standard", pace=0.0)
    assert asked.with_settings(settings) == Look(True, True, "standard", 0.0, True)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (TableSettings(theme="neon\x1b"), "there is no theme neon"),
        (TableSettings(pace=11.0), "the pace cannot be 11.0: it"),
        (TableSettings(pace=-0.1), "the pace cannot be -0.1: it"),
        (TableSettings(pace=float("nan")), "the pace cannot be nan: it"),
    ],
)
def test_settings_that_cannot_be(table: TableSettings, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Look().with_settings(Settings(table=table))
    assert f"config.toml: {says}" in caught.value.what
    assert caught.value.what.isprintable()


def test_colours_of_ones_own_lie_on_top_of_the_theme() -> None:
    settings = Settings(colours={"card.green": "bg:#123456"})
    theme = theme_of(Look(theme="colour-blind"), settings)
    assert theme == style.THEMES["colour-blind"] | {"card.green": "bg:#123456"}


@pytest.mark.parametrize(
    ("colours", "says"),
    [
        ({"card.pink": "bold"}, "nothing on the table is called card.pink."),
        ({"name": "very red"}, "name cannot look like very red."),
        ({"card.green": "bg:#zzz"}, "card.green cannot look like bg:#zzz."),
    ],
)
def test_colours_that_cannot_be(colours: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        theme_of(Look(theme="standard"), Settings(colours=colours))
    assert caught.value.what.endswith(f"config.toml: {says}")
    assert caught.value.next


def test_settled_reads_the_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text("[table]\npace = 3\n")
    look, theme = settled(Look(theme="plain"))
    assert look.pace == 3
    assert theme == style.THEMES["plain"]
