"""What ``python -m tests.fuzz`` runs in a process of its own: atheris with one target.

    python -m tests.fuzz.guided TARGET FOUND [libFuzzer's own options]

What is found that reaches new code goes to the folder FOUND.
"""

from __future__ import annotations

import sys

import atheris

# Before anything imports the package: what is imported here is watched.
with atheris.instrument_imports(include=["pazaak_p2p"]):
    from tests.fuzz.corpus import MOST_BYTES, folder_of
    from tests.fuzz.targets import TARGETS


def main(target: str, found: str, *options: str) -> None:
    TARGETS[target](b"")  # what is made once is made now, not within the first input's time
    limits = [f"-max_len={MOST_BYTES}", "-rss_limit_mb=2048", "-len_control=10", *options]
    atheris.Setup([sys.argv[0], *limits, found, str(folder_of(target))], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
