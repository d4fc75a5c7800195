"""What only one player knows of a running match: the file ``NAME.secret`` beside ``NAME.pzk``.

The record holds what was said; this holds what it was said from. With both, a program that was
killed says the very same again. So no slip of a bit may turn a secret into a different, valid one:
the file carries a checksum, and one that does not fit is damaged.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pazaak_p2p.rules import CardError, DeckError, SideDeck, format_deck, parse_deck
from pazaak_p2p.store.match_errors import SavedDamaged, SavedLater, SavedMatchError
from pazaak_p2p.store.safe_files import read_trusted
from pazaak_p2p.store.trust_errors import TrustFileError, shown

VERSION: Final = 1
SUFFIX: Final = ".secret"
MOST_BYTES: Final = 65_536
"""A larger file is none of ours."""


_Folder = Annotated[str, Meta(min_length=1, max_length=4096)]
_Deck = Annotated[str, Meta(max_length=100)]
_Name = Annotated[str, Meta(min_length=1, max_length=32)]


class Against(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that plays the other seat in the same program; its secrets follow from the seed."""

    bot: str
    """As it was asked for."""
    deck: _Deck
    """Its side deck, as that of ``SavedSecrets``."""
    name: _Name


class SavedSecrets(Struct, frozen=True, kw_only=True):
    """What a seat of a running match has to know to go on.

    Raises ``ValueError`` for what no seat can have.
    """

    match_id: bytes
    """32 bytes."""
    seat: int
    """0 (host) or 1 (join)."""
    key: bytes
    """Our own Ed25519 public key, 32 bytes. The private half is not kept here."""
    secret: bytes
    """The match secret, 32 bytes."""
    deck: str
    """The side deck in the order in which its owner wrote it: ten cards in ASCII notation."""
    name: str
    """What we call ourselves, 1 to 32 characters; raw."""
    listened: bool
    """Whether we listened, or dialled."""
    host: str = ""
    """The address dialled, or listened at; empty for all of this machine."""
    port: int = 0
    """0 to 65535."""
    bot: str | None = None
    """The bot that plays, as it was asked for; None for a person."""
    bot_secret: bytes | None = None
    """What the bot's own choices follow from, 32 bytes."""
    folder: str | UnsetType = UNSET
    """The folder from which the paths of bots count: where they were asked for."""
    against: Against | UnsetType = UNSET
    """Who plays the other seat, if that is done by the same program."""
    seed: str | None = None
    """What all secrets follow from, in a seeded match."""
    plain: bool = False
    """Whether the connection is plain TCP, without TLS."""
    began: int = 0
    """Unix time in whole seconds; 0 in seeded matches."""

    def __post_init__(self) -> None:
        _form(self)

    def __repr__(self) -> str:
        """Nothing secret: this may get into a traceback."""
        return f"<SavedSecrets of seat {self.seat} in {self.match_id[:4].hex()}>"

    @property
    def side_deck(self) -> SideDeck:
        """The cards of ``deck``."""
        return parse_deck(self.deck)


_IN_HEX: Final = ("match", "key", "secret", "bot_secret")
_Hex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class _Form(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: JSON, bytes in hexadecimal digits."""

    v: Literal[1] = 1
    match: _Hex
    seat: Literal[0, 1]
    key: _Hex
    secret: _Hex
    deck: _Deck
    name: _Name
    listened: bool
    host: Annotated[str, Meta(max_length=300)]
    port: Annotated[int, Meta(ge=0, le=65535)]
    bot: str | None
    bot_secret: _Hex | None
    folder: _Folder | UnsetType = UNSET
    against: Against | UnsetType = UNSET
    seed: str | None
    plain: bool
    began: Annotated[int, Meta(ge=0, le=2**53)]
    check: str = ""
    """SHA-256 of the same object with this empty, written without blanks. What is not set is not
    written either."""


class _Version(Struct):
    v: Annotated[int, Meta(ge=1, le=2**31)]


def secret_file(record: Path) -> Path:
    """The file of the secrets that belong to *record*."""
    return record.with_suffix(SUFFIX)


def encoded(secrets: SavedSecrets, path: Path) -> bytes:
    """*secrets* as the content of the file *path*. Raises ``SavedMatchError``."""
    form = _form(secrets)
    try:
        form = msgspec.structs.replace(form, check=_checksum(form))
        data = msgspec.json.format(msgspec.json.encode(form), indent=2) + b"\n"
    except UnicodeEncodeError as error:
        raise _unfit(path, "the name of the bot, or another text, is no Unicode") from error
    if len(data) > MOST_BYTES:
        raise _unfit(path, "the seed or the name of the bot is too long")
    return data


def read_secrets(path: Path) -> SavedSecrets:
    """The secrets in the file *path*.

    Raises ``FileNotFoundError``; ``SavedDamaged``; ``SavedLater``; or the plain
    ``SavedMatchError`` for what is no file, is not ours, is open to others or cannot be read.
    """
    try:
        data = read_trusted(
            path, MOST_BYTES + 1, secret=True, holds="what only you may know of a match"
        )
    except TrustFileError as error:
        raise SavedMatchError(path, error.what, why=error.why, next=error.next) from error
    if len(data) > MOST_BYTES:
        raise SavedDamaged(path, f"it has more than {MOST_BYTES} bytes.")
    if not data:
        raise SavedDamaged(path, "it is empty.")
    try:
        version = msgspec.json.decode(data, type=_Version).v
        if version > VERSION:
            raise SavedLater(path, version, VERSION)
        form = msgspec.json.decode(data, type=_Form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SavedDamaged(path, "these are no secrets of a match.") from error
    if form.check != _checksum(form):
        raise SavedDamaged(path, "its checksum does not fit its content.")
    try:
        return _secrets(form)
    except ValueError as error:
        raise SavedDamaged(path, f"{error}.") from error


def _form(secrets: SavedSecrets) -> _Form:
    form = {
        name: value for name, value in msgspec.structs.asdict(secrets).items() if value is not UNSET
    }
    form["match"] = form.pop("match_id")
    for name in _IN_HEX:
        form[name] = None if form[name] is None else form[name].hex()
    _check_deck(secrets.deck)
    if secrets.against is not UNSET:
        _check_deck(secrets.against.deck)
        if secrets.seed is None:
            raise ValueError("both seats are played here, and there is no seed")
    try:
        return msgspec.convert(form, _Form)
    except msgspec.ValidationError as error:
        # Without the value, which may be secret.
        raise ValueError(f"not what a seat of a match can have: {error}") from None


def _secrets(form: _Form) -> SavedSecrets:
    fields = msgspec.structs.asdict(form)
    for name in _IN_HEX:
        fields[name] = None if fields[name] is None else bytes.fromhex(fields[name])
    fields["match_id"] = fields.pop("match")
    del fields["v"], fields["check"]
    return SavedSecrets(**fields)


def _check_deck(text: str) -> None:
    try:
        fits = format_deck(parse_deck(text), ascii=True) == text
    except (CardError, DeckError):
        fits = False
    if not fits:
        raise ValueError("the side deck is no ten cards in ASCII notation")


def _checksum(form: _Form) -> str:
    bare = msgspec.structs.replace(form, check="")
    return hashlib.sha256(msgspec.json.encode(bare)).hexdigest()


def _unfit(path: Path, why: str) -> SavedMatchError:
    return SavedMatchError(
        path,
        f"What this match needs to go on after a crash cannot be written to {shown(path)}.",
        why=f"In it, {why}.",
        next="Play with another --bot or --seed.",
    )
