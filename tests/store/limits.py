"""A disk on which files stay small."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def at_most(size: int) -> Iterator[None]:
    """No file grows beyond *size* bytes.

    Only around what is tested: pytest's own output may go to a file, too.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
