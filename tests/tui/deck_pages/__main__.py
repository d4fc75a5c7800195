"""Draw all pages anew, and as SVG into a folder if one is named."""

import sys
from pathlib import Path

from pazaak_p2p.tui.style import STYLE
from tests.tui.deck_pages import PAGES, path, svg, text

if len(sys.argv) > 1:
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
for name in PAGES:
    path(name).write_text(text(name), encoding="utf-8")
    if len(sys.argv) > 1:
        Path(sys.argv[1], f"{name}.svg").write_text(svg(name, STYLE), encoding="utf-8")
