"""The player's own key: the file ``identity``, made on first use.

A key is what others know a player by, so it must not get lost unnoticed: a new one in its place
would make its owner a stranger to everybody. Beside the secret file lies ``identity.pub``, which
may be shown to anyone and outlasts it; where there is that one, or a damaged identity that was set
aside, but no ``identity``, nothing is made until the person says so (``pazaak peers me --new``).
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.store.peers import PeerBook
from pazaak_p2p.store.safe_files import (
    cannot,
    place,
    read_trusted,
    replace,
    set_aside,
    set_aside_before,
    writing,
)
from pazaak_p2p.store.trust_errors import (
    FileDamaged,
    IdentityLost,
    IdentityStands,
    TrustFileError,
    quoted,
    shown,
)

NAME: Final = "identity"
NEW_COMMAND: Final = "pazaak peers me --new"

_MOST_BYTES: Final = 4096
_TITLE: Final = "pazaak-identity"
_VERSION: Final = 1
_HEAD: Final = """\
# Your identity in pazaak: the secret key by which other players know you.
# Whoever has this file can play in your name, so show it to nobody. Without it you are
# a stranger to everybody, so keep a copy in a safe place.
"""
_FOLLOWS: Final = (
    "With a new one you would be a stranger to everybody who knows you, and their pazaak would ask"
    " them whether it is you."
)
_PUBLIC_HEAD: Final = """\
# The public half of your identity in pazaak. It is no secret.
"""


def identity_file(folder: Path) -> Path:
    """The file of the secret key in the configuration *folder*."""
    return folder / NAME


def load_identity(folder: Path) -> Ed25519PrivateKey:
    """The user's own key, from the configuration *folder*; made there on first use.

    Programs that do this at the same time all get the same key. Raises :class:`TrustFileError`:
    ``FileExposed`` if others can read it, ``FileDamaged`` (it is then set aside),
    :class:`IdentityLost` if there was one and is none now, and the plain one for what is no file
    of the user's own, cannot be read or written, or is of a later version.
    """
    path = identity_file(folder)
    try:
        key = _read(path)
    except FileNotFoundError:
        with writing(folder):
            # Another program may just have made it.
            if not os.path.lexists(path):
                _not_if_there_was_one(path)
                _make(path)
        key = _read_back(path)
    _note_public(path, key)
    return key


def new_identity(folder: Path) -> Ed25519PrivateKey:
    """A new key in the configuration *folder*, also after one was lost or damaged.

    Raises :class:`IdentityStands` if there is one, and :class:`TrustFileError`.
    """
    path = identity_file(folder)
    with writing(folder):
        if os.path.lexists(path):
            raise IdentityStands(
                why=f"{shown(path)} holds it. A new one would make you a stranger to everybody.",
                next=f"If you want that: mv {quoted(path)} {quoted(path)}.old && {NEW_COMMAND}",
            )
        _make(path)
    key = _read_back(path)
    _note_public(path, key)
    return key


def _make(path: Path) -> None:
    place(path, _text(Ed25519PrivateKey.generate()).encode("ascii"))


def _read_back(path: Path) -> Ed25519PrivateKey:
    """What has just been made, so that a disk that keeps no permissions is noticed at once."""
    try:
        return _read(path)
    except FileNotFoundError as error:
        raise cannot(path, "read", error) from error


def _not_if_there_was_one(path: Path) -> None:
    aside = set_aside_before(path)
    public = _public_file(path)
    if aside:
        why = f"It was damaged, and is now {shown(aside[-1])}."
    elif os.path.lexists(public):
        why = f"{shown(path)} is missing, and {shown(public)} says that there was one."
    elif _knows_somebody(path.parent):
        why = f"{shown(path)} is missing, and the players you know have known you by it."
    else:
        return
    raise IdentityLost(why=f"{why} {_FOLLOWS}", next=_mend(path))


def _knows_somebody(folder: Path) -> bool:
    try:
        # Who asks this holds the lock, so a damaged list is not set aside now.
        return bool(PeerBook(folder, patience=0).peers())
    except TrustFileError:
        return True  # an empty list would be in order


def _mend(path: Path) -> str:
    return (
        f"Put a good copy back: cp -p COPY {quoted(path)}   If you have none, start anew:"
        f" {NEW_COMMAND}"
    )


def _read(path: Path) -> Ed25519PrivateKey:
    data = read_trusted(path, _MOST_BYTES, secret=True)
    try:
        return _parse(path, data)
    except _Flaw as flaw:
        try:
            with writing(path.parent):
                # Not what somebody may have put in order meanwhile.
                again = read_trusted(path, _MOST_BYTES, secret=True)
                aside = set_aside(path) if again == data else None
        except (TrustFileError, FileNotFoundError):
            aside = None
        raise FileDamaged(
            path,
            flaw.what,
            line=flaw.line,
            aside=aside,
            follows=_FOLLOWS,
            next=_mend(path),
        ) from flaw


class _Flaw(Exception):
    """What is wrong with the text of an identity, and in which line, counted from 1."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line


def _text(key: Ed25519PrivateKey) -> str:
    secret, public = key.private_bytes_raw(), key.public_key().public_bytes_raw()
    return f"{_HEAD}{_TITLE} {_VERSION}\nsecret {secret.hex()}\npublic {public.hex()}\n"


def _parse(path: Path, data: bytes) -> Ed25519PrivateKey:
    """The key in the text *data* of *path*.

    That is comments and, in this order, three lines: title and version, secret, public. The public
    half makes sure that no slip of a bit turns the secret into a different, valid one.
    """
    if not data:
        raise _Flaw("it is empty.")
    if len(data) >= _MOST_BYTES or not data.isascii():
        raise _Flaw("this is no identity of pazaak.")
    lines = [
        (number, line)
        for number, line in enumerate(data.decode("ascii").splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    number, line = lines[0] if lines else (None, "")
    title = re.fullmatch(rf"{_TITLE} ([1-9][0-9]{{0,8}})", line)
    if title is None:
        raise _Flaw(f"there should be '{_TITLE} {_VERSION}'.", number)
    if int(title[1]) != _VERSION:
        raise TrustFileError(
            f"{shown(path)} is of a later version of pazaak.",
            why=f"It has version {title[1]}, and this program reads version {_VERSION}.",
            next="Update your copy of pazaak.",
        )
    halves = []
    for (number, line), word in zip(lines[1:], ("secret", "public"), strict=False):
        found = re.fullmatch(rf"{word} ([0-9a-f]{{64}})", line)
        if found is None:
            raise _Flaw(f"there should be '{word}' and 64 hexadecimal digits.", number)
        halves.append(bytes.fromhex(found[1]))
    if len(halves) != 2:
        raise _Flaw("it is cut short.")
    if len(lines) > 3:
        raise _Flaw("nothing should follow here.", lines[3][0])
    key = Ed25519PrivateKey.from_private_bytes(halves[0])
    if key.public_key().public_bytes_raw() != halves[1]:
        raise _Flaw("the secret and the public half do not belong together.")
    return key


def _public_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.pub")


def _note_public(path: Path, key: Ed25519PrivateKey) -> None:
    """Keep ``identity.pub`` true. It is a help, so a folder that cannot be written is no error."""
    public = key.public_key().public_bytes_raw()
    text = f"{_PUBLIC_HEAD}# Fingerprint: {fingerprint(public)}\n{public.hex()}\n".encode("ascii")
    file = _public_file(path)
    with suppress(TrustFileError, FileNotFoundError):
        if read_trusted(file, _MOST_BYTES, secret=False) == text:
            return
    with suppress(TrustFileError), writing(path.parent):
        replace(file, text)
