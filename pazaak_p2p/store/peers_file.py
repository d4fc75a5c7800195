"""The text of ``peers.toml``: read strictly, written whole, a person's own comments kept.

One table a player, under the public key in hexadecimal digits. Text that came from another player
is written with escapes, so that the file is harmless to a terminal too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from pazaak_p2p.text import printable

VERSION: Final = 1
MOST_NAME: Final = 32
MOST_EARLIER: Final = 8
"""Former names that are kept, the latest."""

_HEAD: Final = """\
# The players you know in pazaak, by their keys; names are no more than labels.
# "pazaak peers" lists, renames and forgets them. Comments that you write here are kept.
"""

Name = Annotated[str, Meta(min_length=1, max_length=MOST_NAME)]


class KnownPeer(Struct, frozen=True):
    """A player we have met. Names are raw, as they were given: show them by ``shown_name``."""

    key: bytes
    """The Ed25519 public key, 32 bytes."""
    name: str
    """As it last called itself, 1 to 32 characters."""
    first_seen: datetime
    """In UTC and whole seconds, like ``last_seen``."""
    last_seen: datetime
    matches: int = 0
    """Matches played to an end."""
    nickname: str | None = None
    """What our own user calls it."""
    earlier_names: tuple[str, ...] = ()
    """Former names, the latest last; at most 8."""

    @property
    def label(self) -> str:
        """What our own user knows it by; raw."""
        return self.name if self.nickname is None else self.nickname

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is or was called; raw."""
        own = () if self.nickname is None else (self.nickname,)
        return (*own, self.name, *self.earlier_names)


Book = dict[bytes, KnownPeer]
"""By key, in the order of the file."""


class Flaw(Exception):
    """What is wrong with the text, and where; *line* and *column* count from 1."""

    def __init__(self, what: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.column = column


class LaterVersion(Exception):
    """The text is of a version that this program does not know."""


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    first_seen: Annotated[datetime, Meta(tz=True)]
    last_seen: Annotated[datetime, Meta(tz=True)]
    matches: Annotated[int, Meta(ge=0)] = 0
    nickname: Name | None = None
    earlier_names: Annotated[tuple[Name, ...], Meta(max_length=MOST_EARLIER)] = ()


def parse(data: bytes) -> Book:
    """The players in the text *data*. Raises :class:`Flaw` or :class:`LaterVersion`."""
    text, table = _toml(data)
    version = table.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Flaw(f"it has no version = {VERSION}.", _line_of(text, "version"))
    if version > VERSION:
        raise LaterVersion(str(version))
    for setting in table:
        if setting not in ("version", "players"):
            what = f"there is no setting {printable(setting, 40)!r}."
            raise Flaw(what, _line_of(text, setting))
    players = table.get("players", {})
    if not isinstance(players, dict):
        raise Flaw("players is no table.", _line_of(text, "players"))
    peers = (_peer(text, key, entry) for key, entry in players.items())
    return {peer.key: peer for peer in peers}


def _toml(data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Flaw("this is not UTF-8 text.", line) from error
    try:
        return text, tomllib.loads(text)
    except RecursionError as error:
        raise Flaw("it is nested too deeply.") from error
    except ValueError as error:
        # Before Python 3.14 the place is in the words alone.
        found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        if found is None:
            what = str(error).removesuffix(" (at end of document)")
            raise Flaw(f"it is no valid TOML: {printable(what)}.") from error
        raise Flaw(
            f"it is no valid TOML: {printable(found[1])}.", int(found[2]), int(found[3])
        ) from error


def _peer(text: str, key: str, entry: object) -> KnownPeer:
    if re.fullmatch(r"[0-9a-f]{64}", key) is None:
        what = f"{printable(key, 80)!r} is no key: that is 64 hexadecimal digits, small letters."
        raise Flaw(what, _line_of(text, key))
    try:
        read = msgspec.convert(entry, _Entry)
        seen = [_in_utc(when) for when in (read.first_seen, read.last_seen)]
    except (msgspec.ValidationError, OverflowError) as error:
        # It names the setting as `$.name`, or as `name` if that is unknown or missing.
        at = re.search(r"`\$\.(\w+)|field `([^`]+)`", str(error))
        setting = "" if at is None else at[1] or at[2]
        what = printable(re.sub(r"`?\$\.?", "`" if setting else "", str(error)))
        raise Flaw(f"{what}.", _line_of(text, setting, below=key)) from error
    return KnownPeer(
        key=bytes.fromhex(key),
        name=read.name,
        first_seen=seen[0],
        last_seen=seen[1],
        matches=read.matches,
        nickname=read.nickname,
        earlier_names=read.earlier_names,
    )


def _in_utc(when: datetime) -> datetime:
    return when.astimezone(UTC).replace(microsecond=0)


def _line_of(text: str, word: str, *, below: str = "") -> int | None:
    """The first line with *word* after that with *below*, or else the latter: as a rule the one."""
    lines = list(enumerate(text.split("\n"), start=1))
    start = next((number for number, line in lines if below in line), None)
    if start is None:
        return None
    return next((n for n, line in lines if n >= start and word in line), start if below else None)


def render(book: Book) -> str:
    """The text for *book*."""
    parts = [f"{_HEAD}version = {VERSION}\n"]
    for key, peer in book.items():
        lines = [f"{setting} = {value}\n" for setting, value in _settings(peer).items()]
        parts.append(f"\n[players.{key.hex()}]\n{''.join(lines)}")
    return "".join(parts)


def rewrite(data: bytes, old: Book, new: Book) -> str:
    """The text for *new*, where *data* says *old*: what a person wrote besides stays in it."""
    if data == render(old).encode():
        return render(new)  # nobody has: the usual case, and a hundred times as fast
    # An odd way to write a table may be more than the editor can take, one way or another. Then
    # comments are lost rather than players.
    with suppress(Exception):
        text = _edited(data.decode("utf-8-sig"), old, new)
        if parse(text.encode()) == new:
            return text
    return render(new)


def _edited(text: str, old: Book, new: Book) -> str:
    import tomlkit  # only now: it takes as long to import as all the rest

    document = tomlkit.parse(text)
    players: Any = document.setdefault("players", tomlkit.table(is_super_table=True))
    orphaned = []
    for key, below in zip(old, [*list(old)[1:], None], strict=True):
        if key not in new:
            comments = "".join(item.as_string() for _, item in _take_rest(players[key.hex()]))
            orphaned.append((comments.lstrip("\n"), below))
            players.remove(key.hex())
    for key, peer in new.items():
        if peer == old.get(key):
            continue
        table = players.setdefault(key.hex(), tomlkit.table())
        rest = _take_rest(table)
        before: Mapping[str, str] = _settings(old[key]) if key in old else {}
        after = _settings(peer)
        for setting in before:
            if setting not in after:
                table.remove(setting)
        for setting, value in after.items():
            if before.get(setting) != value:
                table[setting] = tomlkit.value(value)
        table.value.body.extend(rest)
    text = tomlkit.dumps(document)
    for comments, below in reversed(orphaned):
        head = below and re.search(rf"^[^\n#]*{below.hex()}", text, re.MULTILINE)
        at = head.start() if head else len(text)
        text = text[:at] + comments + text[at:]
    return text


def _take_rest(table: Any) -> list[Any]:
    """Take off what a person wrote below a player's last setting: it is about the next player."""
    body = table.value.body
    rest: list[Any] = []
    while body and body[-1][0] is None:
        rest.insert(0, body.pop())
    return rest


def _settings(peer: KnownPeer) -> dict[str, str]:
    """The settings of *peer*'s table, the values as TOML."""
    settings = {"name": _string(peer.name)}
    if peer.nickname is not None:
        settings["nickname"] = _string(peer.nickname)
    if peer.earlier_names:
        settings["earlier_names"] = f"[{', '.join(map(_string, peer.earlier_names))}]"
    settings["first_seen"] = _time(peer.first_seen)
    settings["last_seen"] = _time(peer.last_seen)
    settings["matches"] = str(peer.matches)
    return settings


def _time(when: datetime) -> str:
    return when.isoformat().replace("+00:00", "Z")


def _string(text: str) -> str:
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(ch: str) -> str:
    if ch in '"\\':
        return f"\\{ch}"
    if ch.isprintable():
        return ch
    return f"\\u{ord(ch):04x}" if ord(ch) < 0x10000 else f"\\U{ord(ch):08x}"
