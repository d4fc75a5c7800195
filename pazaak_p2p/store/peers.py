"""The list of known players: the file ``peers.toml``.

It holds keys, names and when we met, and nothing about where anybody comes from. A damaged list is
not taken for an empty one: everybody would be new then, and a known name with another key would
pass without a word. So until the user has decided what to do, there is no list at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from pazaak_p2p.store.meeting import Case, Index, Meeting, NameTaken, index, judge
from pazaak_p2p.store.naming import check_nickname, find
from pazaak_p2p.store.peers_file import (
    MOST_EARLIER,
    Book,
    Flaw,
    KnownPeer,
    LaterVersion,
    parse,
    render,
    rewrite,
)
from pazaak_p2p.store.safe_files import (
    PATIENCE,
    read_trusted,
    replace,
    set_aside,
    set_aside_before,
    writing,
)
from pazaak_p2p.store.trust_errors import (
    FileDamaged,
    PlayersLost,
    TrustFileError,
    quoted,
    shown,
)

NAME: Final = "peers.toml"
MOST_PEERS: Final = 1000
"""More are played with, but not kept: nobody can fill our disk, or push out those we know."""
FORGET_ALL: Final = "pazaak peers forget --all"

_MOST_BYTES: Final = 8_000_000

T = TypeVar("T")


class PeerBook:
    """The known players, in ``peers.toml`` of the configuration *folder*.

    Every method sees what other programs have written and loses nothing of it. All but
    :meth:`forget_all` raise :class:`TrustFileError`: ``FileDamaged`` (the file is then set aside),
    :class:`PlayersLost` until the user has decided what to do about that, ``FileExposed``, or the
    plain one for what is no file of the user's own, cannot be read or written, or is of a later
    version. *clock* gives the time in UTC, *patience* are the seconds to wait for other writers.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        patience: float = PATIENCE,
    ) -> None:
        self.path = folder / NAME
        self._clock = clock
        self._patience = patience
        self._loaded: tuple[int, ...] = ()
        self._book: Book = {}
        self._names: Index = {}

    def peers(self) -> list[KnownPeer]:
        """All of them, who was seen last first."""
        return sorted(self._load().values(), key=lambda peer: peer.last_seen, reverse=True)

    # --- meeting

    def look(self, key: bytes, name: str) -> Meeting:
        """How a player with *key* and *name* stands to those we know. Writes nothing."""
        book = self._load()
        return judge(book, self._names, key, name)

    def meet(self, key: bytes, name: str, *, trusted: bool = False) -> Meeting:
        """Keep that we have met this player, and return how it stood to those we knew.

        Raises :class:`NameTaken`, and keeps nothing, if that is the case and the user has not said
        that this key is to be *trusted*.
        """

        def keep(book: Book) -> Meeting:
            meeting = judge(book, index(book), key, name)
            if meeting.case is Case.NAME_TAKEN and not trusted:
                raise NameTaken(meeting)
            now = self._now()
            peer = book.get(key)
            if peer is None:
                if len(book) >= MOST_PEERS:
                    return meeting
                peer = KnownPeer(key=key, name=name, first_seen=now, last_seen=now)
            elif peer.name != name:
                earlier = [old for old in (*peer.earlier_names, peer.name) if old != name]
                peer = msgspec.structs.replace(
                    peer, name=name, earlier_names=tuple(earlier[-MOST_EARLIER:])
                )
            book[key] = peer = msgspec.structs.replace(peer, last_seen=now)
            return msgspec.structs.replace(meeting, peer=peer)

        return self._change(keep)

    def played(self, key: bytes) -> None:
        """Count one more match with this player, if it is known."""

        def count(book: Book) -> None:
            if key in book:
                book[key] = msgspec.structs.replace(
                    book[key], matches=book[key].matches + 1, last_seen=self._now()
                )

        self._change(count)

    # --- naming

    def find(self, who: str) -> KnownPeer:
        """The player that *who* means: nickname, name, former name, or the beginning of a
        fingerprint. Raises :class:`UnknownPlayer` or :class:`AmbiguousPlayer`.
        """
        return find(self._load(), who)

    def rename(self, who: str, nickname: str | None) -> KnownPeer:
        """Give the player that *who* means a *nickname*, or take it away; the player then.

        Raises what :meth:`find` does, and :class:`NicknameRefused`.
        """

        def change(book: Book) -> KnownPeer:
            peer = find(book, who)
            if nickname is not None:
                check_nickname(book, peer, nickname)
            book[peer.key] = renamed = msgspec.structs.replace(peer, nickname=nickname)
            return renamed

        return self._change(change)

    def forget(self, who: str) -> KnownPeer:
        """Forget the player that *who* means, and return what was known. Raises as :meth:`find`."""
        return self._change(lambda book: book.pop(find(book, who).key))

    def forget_all(self) -> None:
        """Begin again with no known players, also after the file was damaged.

        Raises :class:`TrustFileError` if that cannot be written.
        """
        with writing(self.path.parent, self._patience):
            replace(self.path, render({}).encode())

    # --- the file

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC).replace(microsecond=0)

    def _load(self) -> Book:
        # Anybody can greet, so a greeting must not cost the reading of a long list.
        stamp = self._stamp()
        if not stamp or stamp != self._loaded:
            self._book = self._read_whole()
            self._names = index(self._book)
            self._loaded = stamp
        return self._book

    def _read_whole(self) -> Book:
        try:
            return self._read()[1]
        except _Damaged as error:
            try:
                with writing(self.path.parent, self._patience):
                    return self._read_or_set_aside()[1]  # it may have been mended meanwhile
            except (FileDamaged, PlayersLost):
                raise
            except TrustFileError:
                raise self._damaged(error.flaw, None) from error.flaw

    def _stamp(self) -> tuple[int, ...]:
        try:
            found = os.lstat(self.path)
        except OSError:
            return ()
        return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def _change(self, change: Callable[[Book], T]) -> T:
        """Let *change* change the book, and write that, while nobody else does."""
        with writing(self.path.parent, self._patience):
            data, old = self._read_or_set_aside()
            new = dict(old)
            result = change(new)
            if new != old:
                text = render(new) if data is None else rewrite(data, old, new)
                replace(self.path, text.encode())
        return result

    def _read_or_set_aside(self) -> tuple[bytes | None, Book]:
        try:
            return self._read()
        except _Damaged as error:
            aside = set_aside(self.path)
            raise self._damaged(error.flaw, aside) from error.flaw

    def _damaged(self, flaw: Flaw, aside: Path | None) -> FileDamaged:
        return FileDamaged(
            self.path,
            flaw.what,
            aside=aside,
            line=flaw.line,
            column=flaw.column,
            follows="Without it you would know nobody.",
            next=self._mend(aside or self.path),
        )

    def _mend(self, aside: Path) -> str:
        put_back = "" if aside == self.path else f" and put it back: mv {quoted(aside)}"
        put_back += "" if aside == self.path else f" {quoted(self.path)}"
        return f"Mend it{put_back}   Or begin again with nobody known: {FORGET_ALL}"

    def _read(self) -> tuple[bytes | None, Book]:
        """The file and what it says; None if there is none. Raises :class:`_Damaged`."""
        try:
            data = read_trusted(self.path, _MOST_BYTES, secret=False)
        except FileNotFoundError:
            aside = set_aside_before(self.path)
            if aside:
                raise PlayersLost(
                    why=f"It is now {shown(aside[-1])}. Without it you would know nobody.",
                    next=self._mend(aside[-1]),
                ) from None
            return None, {}
        try:
            if len(data) >= _MOST_BYTES:
                raise Flaw(f"it has {_MOST_BYTES} bytes or more.")
            return data, parse(data)
        except Flaw as flaw:
            raise _Damaged(flaw) from flaw
        except LaterVersion as version:
            raise TrustFileError(
                f"{shown(self.path)} is of a later version of pazaak.",
                why=f"It has version {version}, which this program cannot read.",
                next="Update your copy of pazaak.",
            ) from version


class _Damaged(Exception):
    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.what)
        self.flaw = flaw
