"""Styled lines on standard output, for commands that print and end."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click
from prompt_toolkit.output import create_output
from prompt_toolkit.renderer import print_formatted_text

from pazaak_p2p.tui.glyphs import Glyphs, glyphs_for
from pazaak_p2p.tui.lines import Line, formatted, plain
from pazaak_p2p.tui.style import STYLE


def signs(*, ascii: bool) -> Glyphs:
    """The signs that standard output can show; always ASCII if *ascii* asks for it."""
    return glyphs_for(sys.stdout.encoding, ascii=ascii)


def print_lines(lines: Sequence[Line]) -> None:
    """Print *lines*, with colours if standard output is a terminal that has them."""
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        for line in lines:
            click.echo(plain(line))
        return
    output = create_output(sys.stdout)
    depth = output.get_default_color_depth()
    print_formatted_text(output, formatted(lines), STYLE, color_depth=depth)
    output.flush()
