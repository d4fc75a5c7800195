"""Draw all pages anew, and as SVG into a folder if one is named."""

import sys
from pathlib import Path

from pazaak_p2p.tui.style import THEMES, style_of
from tests.tui.table_pages import PAGES, path, svg, text

for name in PAGES:
    path(name).write_text(text(name), encoding="utf-8")
if len(sys.argv) > 1:
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    theme = style_of(THEMES[sys.argv[2] if len(sys.argv) > 2 else "standard"])
    for name in PAGES:
        Path(sys.argv[1], f"{name}.svg").write_text(svg(name, theme), encoding="utf-8")
