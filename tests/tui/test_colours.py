"""How many colours a terminal has, by what it says."""

from __future__ import annotations

import pytest
from prompt_toolkit.output import ColorDepth

from pazaak_p2p.tui.terminal import colour_depth


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, ColorDepth.DEPTH_24_BIT),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, ColorDepth.DEPTH_24_BIT),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-16color"}, ColorDepth.DEPTH_4_BIT),
        ({"TERM": "linux"}, ColorDepth.DEPTH_4_BIT),
        ({"TERM": "vt100"}, ColorDepth.DEPTH_1_BIT),
        ({"TERM": "xterm-mono"}, ColorDepth.DEPTH_1_BIT),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, ColorDepth.DEPTH_1_BIT),
        ({"NO_COLOR": "", "COLORTERM": "truecolor"}, ColorDepth.DEPTH_24_BIT),
        ({"PROMPT_TOOLKIT_COLOR_DEPTH": "DEPTH_4_BIT", "COLORTERM": "truecolor"}, None),
        ({}, None),
    ],
)
def test_depth(environment: dict[str, str], depth: ColorDepth | None) -> None:
    assert colour_depth(environment) is depth
