"""Draw all pages anew, and as SVG into a folder if one is named."""

import sys
from pathlib import Path

from pazaak_p2p.tui.picture import as_svg
from pazaak_p2p.tui.style import STYLE
from tests.tui.replay_pages import PAGES, VERDICTS, page_of, path, verdicts
from tests.tui.table_pages import described

VERDICTS.write_text(verdicts(), encoding="utf-8")
if len(sys.argv) > 1:
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
for name, page in PAGES.items():
    path(name).write_text(described(page_of(name)), encoding="utf-8")
    if len(sys.argv) > 1:
        picture = as_svg(page_of(name), page[4], page[5], STYLE, name)
        Path(sys.argv[1], f"{name}.svg").write_text(picture, encoding="utf-8")
