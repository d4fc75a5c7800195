"""The options that commands share, and what they stand for."""

from __future__ import annotations

import getpass
import os
import secrets
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeVar

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p import __version__
from pazaak_p2p.bots import BotSpec, find_bot
from pazaak_p2p.cli.look import look_options
from pazaak_p2p.cli.seat_deck import STANDARD_DECK
from pazaak_p2p.errors import UsageError
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.seating import Kit
from pazaak_p2p.rules import SideDeck
from pazaak_p2p.store import config_folder, load_deck
from pazaak_p2p.store.identity import load_identity
from pazaak_p2p.store.settings import load_settings
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.pake import SECRET_SIZE

SOFTWARE: Final = f"pazaak-p2p {__version__}"
MOST_NAME: Final = 32

F = TypeVar("F", bound=Callable[..., Any])


def seat_options(function: F) -> F:
    """The options of everyone who takes a seat."""
    for option in reversed(
        (
            click.option("--rules", metavar="RULES", help="Rule set, as in tournament,sets=5."),
            click.option(
                "--deck",
                metavar="DECK",
                help="Your side deck: a name, a file, or ten cards in quotes; without it, the one"
                f" that you used last, at first {STANDARD_DECK}.",
            ),
            click.option(
                "--name",
                metavar="NAME",
                help="How the other side sees you, this time; for always: name in config.toml.",
            ),
            click.option("--bot", metavar="BOT", help="Let a bot play your seat (see: bot list)."),
            click.option(
                "--seed",
                metavar="TEXT",
                help="Derive every secret of your seat from TEXT. For tests: it is no secret then.",
            ),
            look_options,
            click.option("--json", is_flag=True, help="One JSON object a line, for scripts."),
            click.option("--debug", is_flag=True, help="Show tracebacks."),
        )
    ):
        function = option(function)
    return function


def network_options(function: F) -> F:
    """The options of everyone who plays over a network, beside those of a seat."""
    return click.option(
        "--insecure-plain",
        is_flag=True,
        help="For debugging: encrypt nothing. Both sides need it.",
    )(function)


NOT_ENCRYPTED: Final = (
    "pazaak: WARNING: --insecure-plain is on. Nothing is encrypted: everybody on the way can read"
    " this match, and stand in between. Use it for debugging only."
)


class Secrets(Protocol):
    """Where a seat's 32-byte secrets come from; see :class:`~pazaak_p2p.fairness.SeedSecrets`."""

    def identity(self) -> bytes: ...
    def hello(self, n: int) -> bytes: ...
    def nonce(self, m: int) -> bytes: ...
    def match_secret(self, m: int) -> bytes: ...
    def bot(self, m: int) -> bytes: ...


class FreshSecrets:
    """Secrets from the system's own generator, each asked for once."""

    def identity(self) -> bytes:
        return secrets.token_bytes(32)

    def hello(self, n: int) -> bytes:
        return secrets.token_bytes(32)

    def nonce(self, m: int) -> bytes:
        return secrets.token_bytes(32)

    def match_secret(self, m: int) -> bytes:
        return secrets.token_bytes(32)

    def bot(self, m: int) -> bytes:
        return secrets.token_bytes(32)


class Entrant:
    """One who takes a seat: name, deck, identity, and who chooses.

    Raises what is wrong with *deck*, *bot* and *name* at once. *seed* None is for real secrets; one
    who is to be *known* then has the user's own key, which is made on first use. Else the key means
    nobody. A *drawn* seed is as good as real secrets, and makes a match like any other. The paths
    in *bot* count from *folder*, or else from where we are. Raises ``TrustFileError`` if the user's
    key cannot be had.
    """

    def __init__(
        self,
        *,
        seat: int,
        name: str | None,
        deck: str,
        bot: str | None,
        seed: str | None,
        known: bool = False,
        drawn: bool = False,
        folder: str = "",
    ) -> None:
        self.seat = seat
        self.seed = seed
        self.folder = folder or _here()
        """Where *bot* was asked for."""
        # The bot first: who plays against one names it after what was typed.
        self.bot: BotSpec | None = None
        if bot is not None:
            self.bot = find_bot(bot, folder=Path(self.folder) if self.folder else None)
        self.name = own_name() if name is None else check_name(name)
        self.deck: SideDeck = load_deck(deck)
        if seed is not None and not seed.isprintable():
            raise UsageError(
                "That cannot be a seed.",
                why="It holds characters that cannot be shown.",
                next="Take a seed of letters and digits.",
            )
        self.secrets: Secrets = FreshSecrets() if seed is None else SeedSecrets(seed, seat)
        self.seeded = seed is not None
        self._timed = drawn or seed is None
        self.key = (
            load_identity(config_folder())
            if known and not self.seeded
            else Ed25519PrivateKey.from_private_bytes(self.secrets.identity())
        )

    def anew(self, seed: str) -> Self:
        """The same one for another match, with a drawn *seed*, from which its key follows too."""
        other = copy(self)
        other.seed, other.seeded, other._timed = seed, True, True
        other.secrets = SeedSecrets(seed, self.seat)
        other.key = Ed25519PrivateKey.from_private_bytes(other.secrets.identity())
        return other

    @property
    def public_key(self) -> bytes:
        """The 32 bytes by which others know it."""
        return self.key.public_key().public_bytes_raw()

    def peer(
        self,
        role: Role,
        n: int,
        now: float,
        cert: bytes | None = None,
        code: str | None = None,
        busy: bool = False,
    ) -> Peer:
        """The peer for this entrant's *n*-th session.

        *cert* is that of its connection; it goes by a join *code* or without, and may be *busy*.
        """
        return Peer(
            key=self.key,
            role=role,
            name=self.name,
            nonce=self.secrets.hello(n),
            software=SOFTWARE,
            now=now,
            cert=cert,
            code=code,
            # Never from a seed: it is in no record, and would lay the code open.
            code_secret=secrets.token_bytes(SECRET_SIZE),
            busy=busy,
        )

    def kit(self, m: int) -> Kit:
        """What it brings to its *m*-th match."""
        began = int(time.time()) if self._timed else 0
        return Kit(self.deck, self.secrets.nonce(m), self.secrets.match_secret(m), began)


def _here() -> str:
    """Where we are; empty if that cannot be written down."""
    try:
        folder = os.getcwd()
        folder.encode()
    except (OSError, UnicodeEncodeError):  # deleted; or with a name in no encoding
        return ""
    return folder


def check_name(name: str, where: str = "--name") -> str:
    """*name*, if it can be one; *where* it was given. Raises ``UsageError``."""
    if not name.strip() or len(name) > MOST_NAME or not name.isprintable():
        raise UsageError(
            f"{where}: that cannot be a name.",
            why=f"A name has 1 to {MOST_NAME} printable characters, and not only blanks.",
            next="Leave it out to use your account's name, or write another.",
        )
    return name


def own_name() -> str:
    """The name in the user's settings, or else that of the account.

    Raises ``UsageError``: one that cannot be, or settings that cannot be read.
    """
    name = load_settings().name
    return standard_name() if name is None else check_name(name, "name in config.toml")


def standard_name() -> str:
    """The name of the user's account, or what is left of it."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):  # no account, no environment
        name = ""
    kept = "".join(ch for ch in name if ch.isprintable())[:MOST_NAME]
    return kept if kept.strip() else "player"
