"""``python -m pazaak_p2p``: the same as the command ``pazaak``."""

import sys

from pazaak_p2p.cli import main

if __name__ == "__main__":
    sys.exit(main())
