"""What can be wrong with a seeded match."""

from __future__ import annotations

from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.text import printable


class SeedError(UsageError):
    """A seeded match cannot be played.

    *line* counts from 1 and is None where the file as a whole is meant.
    """

    code = "seed"
    why = "seeds/README.md says what a match.toml holds."
    next = "Mend the file and run it again."

    def __init__(self, file: str, line: int | None, what: str, *, why: str | None = None) -> None:
        where = printable(file) if line is None else f"{printable(file)}, line {line}"
        super().__init__(f"{where}: {what}", why=why)
        self.file = file
        self.line = line


class NoSeeds(UsageError):
    """There are no seeded matches here."""

    code = "no-seeds"
    why = (
        "They come with the source of pazaak, in its folder seeds/, and are not installed with it."
    )
    next = "Run this in the source's folder, or name the folder: --dir path/to/seeds"


class UnknownSeed(UsageError):
    """There is no such seeded match."""

    code = "unknown-seed"
    next = "Type: pazaak seeds list"


class SeedDiffers(PazaakError):
    """A seeded match does not give what it must give."""

    code = "seed-differs"
    why = "The rules, the protocol or the match.toml has changed since its expectation was written."


class ArenaError(UsageError):
    """The arena cannot be held as it was asked for."""

    code = "arena"


class SprtError(ArenaError):
    """The test cannot be made."""

    code = "sprt"
    why = "A test is written like elo0=0,elo1=10 or elo0=0,elo1=10,alpha=0.01,beta=0.01."
    next = "Write it like: --sprt elo0=0,elo1=10"


class StateDiffers(ArenaError):
    """That file is the state of another arena."""

    code = "arena-state"
    next = "Type the command as it was begun, or name another file with --state."


class StateDamaged(ArenaError):
    """That file is no state of an arena."""

    code = "arena-state"
    why = "It was not written by this command, or somebody has changed it."
    next = "Name another file with --state."


class ArenaFault(PazaakError):
    """A match of the arena could not be played."""

    code = "arena-fault"


class BotNotReady(ArenaFault):
    """A bot of the arena cannot be started."""

    code = "arena-bot"
    exit_code = Exit.USAGE


class NoClusterExtra(ArenaError):
    """What plays on a cluster is not installed."""

    code = "no-cluster-extra"
    why = "Dask comes with an extra of pazaak, as few need it."
    next = "Type: pip install 'pazaak-p2p[cluster]'"


class NoCluster(PazaakError):
    """The cluster cannot be used."""

    code = "no-cluster"
    exit_code = Exit.NO_CONNECTION
    next = "See that 'dask scheduler' runs there, and type its address: --on dask://HOST:8786"


class OtherCode(PazaakError):
    """Another pazaak is installed on the cluster's workers."""

    code = "other-code"
    exit_code = Exit.MISFIT
    why = "The same seeds give the same results from the same program alone, and its files differ."
    next = "Install the same pazaak here and there, and start the workers again."
