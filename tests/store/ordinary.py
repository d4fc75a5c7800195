"""An ordinary user: root may read and write whatever the permissions say."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def ordinary_folder() -> Iterator[Path]:
    """A folder of the user who runs this; if that is root, of another one, whom we are then."""
    folder = Path(tempfile.mkdtemp(prefix="pazaak-"))
    root = os.geteuid() == 0
    try:
        if root:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
