"""A bare prompt_toolkit application: the least that a screen can do with what comes from a network.

``python -m benchmarks.bare_screen PORT`` connects there, and shows the Greek and Cyrillic words in
what comes below a full screen of other text.
"""

from __future__ import annotations

import asyncio
import re
import sys

from prompt_toolkit.application import Application
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output

ROWS = 24


def show_words(port: int) -> None:
    """Show what comes, until the connection ends."""
    said = ["ready"]

    def render() -> str:
        table = [f"{row:2d} " + "· " * 35 for row in range(ROWS - 8)]
        return "\n".join([*table, *(f" Kreia ▸ {text}" for text in said[-7:])])

    output = create_output(sys.stdout)
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False
    app: Application[None] = Application(
        layout=Layout(Window(FormattedTextControl(render, show_cursor=False), wrap_lines=False)),
        output=output,
        full_screen=True,
        mouse_support=True,
    )

    async def show() -> None:
        reader, _ = await asyncio.open_connection("127.0.0.1", port)
        while data := await reader.read(65536):
            found = re.search(r"[\u0370-\u04ff]+", data.decode(errors="replace"))
            if found is not None:
                said.append(found.group())
                app.invalidate()

    async def until_ended() -> None:
        showing = asyncio.create_task(show())
        await app.run_async()
        showing.cancel()

    asyncio.run(until_ended())


if __name__ == "__main__":
    show_words(int(sys.argv[1]))
