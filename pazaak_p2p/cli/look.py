"""How a person's table looks: the options for it, and the settings in their absence."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

import click
import msgspec

from pazaak_p2p.store.settings import Settings, load_settings, setting_error
from pazaak_p2p.text import printable

STANDARD_PACE: Final = 0.7
MOST_PACE: Final = 10.0
THEMES: Final = ("standard", "colour-blind", "plain")
"""The names of ``pazaak_p2p.tui.style.THEMES``, which would bring prompt_toolkit along."""

F = TypeVar("F", bound=Callable[..., Any])


class Look(msgspec.Struct, frozen=True):
    """What was asked for on the command line; None leaves it to the settings."""

    plain: bool | None = None
    ascii: bool | None = None
    theme: str | None = None
    pace: float | None = None
    bell: bool | None = None

    def with_settings(self, settings: Settings) -> Look:
        """With what *settings* say where the command line says nothing.

        Raises ``SettingsError``.
        """
        table = settings.table
        look = Look(
            plain=_first(self.plain, table.plain, False),
            ascii=_first(self.ascii, table.ascii, False),
            theme=_first(self.theme, table.theme, THEMES[0]),
            pace=_first(self.pace, table.pace, STANDARD_PACE),
            bell=_first(self.bell, table.bell, False),
        )
        if look.theme not in THEMES:
            raise setting_error(
                f"there is no theme {printable(str(look.theme), 40)}.",
                "table",
                "theme",
                next=f"Take one of these: {', '.join(THEMES)}.",
            )
        assert look.pace is not None
        if not 0 <= look.pace <= MOST_PACE:
            raise setting_error(
                f"the pace cannot be {look.pace}: it is in seconds, 0 to {MOST_PACE:.0f}.",
                "table",
                "pace",
                next="Take 0 for no pause at all.",
            )
        return look


def _first(*choices: Any) -> Any:
    return next(choice for choice in choices if choice is not None)


def theme_of(look: Look, settings: Settings) -> dict[str, str]:
    """The styles by name. Raises ``SettingsError`` if the user's own cannot be had."""
    from pazaak_p2p.tui.style import THEMES, style_of

    assert look.theme is not None
    theme = THEMES[look.theme]
    for name, colours in settings.colours.items():
        if name not in theme:
            raise setting_error(
                f"nothing on the table is called {printable(name, 40)}.",
                "colours",
                name,
                next=f"Take some of these: {', '.join(theme)}.",
            )
        try:
            style_of({name: colours})
        except ValueError as error:
            raise setting_error(
                f"{name} cannot look like {printable(colours, 60)}.",
                "colours",
                name,
                next='A look is like "bg:#005faf #ffffff bold" or "ansigreen underline".',
            ) from error
    return theme | settings.colours


def look_options(function: F) -> F:
    """The options of everyone who may be a person at a terminal; gives the command ``look``."""

    @wraps(function)
    def with_look(
        *args: Any,
        plain: bool,
        ascii: bool,
        theme: str | None,
        pace: float | None,
        bell: bool,
        **kwargs: Any,
    ) -> Any:
        # An option that is not there says nothing; one that is there says yes.
        look = Look(plain or None, ascii or None, theme, pace, bell or None)
        return function(*args, look=look, **kwargs)

    wrapped: Any = with_look
    for option in reversed(
        (
            click.option("--plain", is_flag=True, help="Numbered lines in place of the table."),
            click.option("--ascii", is_flag=True, help="ASCII signs only: +-4 in place of ±4."),
            click.option("--theme", type=click.Choice(THEMES), help="Colours of the table."),
            click.option(
                "--pace",
                type=click.FloatRange(0, MOST_PACE),
                metavar="SECONDS",
                help="How long each card of the other side is shown before the next one; 0 for"
                f" not at all. {STANDARD_PACE} without it. Any key goes on at once.",
            ),
            click.option("--bell", is_flag=True, help="Ring when it becomes your turn."),
        )
    ):
        wrapped = option(wrapped)
    result: F = wrapped
    return result


def settled(look: Look) -> tuple[Look, dict[str, str]]:
    """*look* with the user's settings, and the theme. Raises what is wrong with the settings."""
    settings = load_settings()
    settled_look = look.with_settings(settings)
    return settled_look, theme_of(settled_look, settings)
