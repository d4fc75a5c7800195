"""`python -m tests.verifier FILE...` prints one verdict line for each record."""

import sys
from pathlib import Path

from . import verify


def main(paths: list[str]) -> int:
    """Verify every file; 0 if all are clean, 1 otherwise."""
    worst = 0
    for path in paths:
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            print(f"{path}: unreadable: {error}")
            worst = 1
            continue
        verdict = verify(data)
        print(f"{path}: {verdict}")
        if not verdict.clean:
            worst = 1
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
