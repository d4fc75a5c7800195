"""Which face fits the terminal, or what is in place of one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from prompt_toolkit.input import Input, create_input
from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.utils import is_dumb_terminal

from pazaak_p2p.tui.glyphs import glyphs_for
from pazaak_p2p.tui.person import Person
from pazaak_p2p.tui.plain import Plain
from pazaak_p2p.tui.screen import Screen
from pazaak_p2p.tui.stdin import LineReader, input_encoding
from pazaak_p2p.tui.style import STANDARD, Theme, style_of
from pazaak_p2p.tui.tutorial import Tutorial


def at_terminal(
    *,
    plain: bool = False,
    ascii: bool = False,
    pace: float = 0,
    theme: Theme = STANDARD,
    bell: bool = False,
    keeps: bool = False,
    practice: bool = False,
    tutorial: bool = False,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
) -> Person:
    """The person at *stdin* and *stdout* (standard: the program's own).

    A screen if both are a terminal that can move its cursor, numbered lines otherwise or if *plain*
    asks for them; *ascii* keeps to ASCII signs. *pace* (seconds a card), *theme* and *bell* (when
    it becomes the person's turn) are for the screen; *keeps* and *practice* are as for
    :class:`Person`, and *tutorial* tells whether there is to be one.
    """
    source = stdin if stdin is not None else sys.stdin
    target = stdout if stdout is not None else sys.stdout
    glyphs = glyphs_for(getattr(target, "encoding", None), ascii=ascii)
    lessons = Tutorial(glyphs) if tutorial else None
    typed_at = source is not None and source.isatty()
    if not plain and typed_at and target.isatty() and not is_dumb_terminal():
        input, output = terminal_ends(source, target)
        screen = Screen(
            glyphs,
            input,
            output,
            style=style_of(theme),
            depth=colour_depth(os.environ),
            bell=bell,
        )
        return Person(screen, pace=pace, keeps=keeps, practice=practice, tutorial=lessons)
    descriptor = source.fileno() if source is not None else None
    reader = LineReader(descriptor, input_encoding(source))
    lines = Plain(glyphs, reader, target, interactive=typed_at)
    return Person(lines, keeps=keeps, practice=practice, tutorial=lessons)


def terminal_ends(source: TextIO, target: TextIO) -> tuple[Input, Output]:
    """The two ends of a terminal as a full screen takes them."""
    output = create_output(target)
    if isinstance(output, Vt100_Output):
        # The table needs no cursor position; asking would confuse terminals that do not answer.
        output.enable_cpr = False
    return create_input(source), output


def colour_depth(environment: Mapping[str, str]) -> ColorDepth | None:
    """How many colours the terminal has; None leaves that to prompt_toolkit.

    ``NO_COLOR`` and ``PROMPT_TOOLKIT_COLOR_DEPTH`` come first; a terminal says the rest by
    ``COLORTERM`` and ``TERM``.
    """
    if environment.get("NO_COLOR"):
        return ColorDepth.DEPTH_1_BIT
    if environment.get("PROMPT_TOOLKIT_COLOR_DEPTH"):
        return None
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT
    term = environment.get("TERM", "").lower()
    if term.endswith("-mono") or term.startswith(("vt1", "vt2")):
        return ColorDepth.DEPTH_1_BIT
    if term in ("linux", "ansi", "cygwin") or term.endswith("-16color"):
        return ColorDepth.DEPTH_4_BIT
    return None
