"""Draw all pictures anew."""

from tests.tui.pictures import PICTURES, path, text

for name in PICTURES:
    path(name).write_text(text(name), encoding="utf-8")
