"""Draw all pages anew."""

from tests.tui.deck_pages import PAGES, path, text

for name in PAGES:
    path(name).write_text(text(name), encoding="utf-8")
