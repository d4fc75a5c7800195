"""Bytes to typed messages and back, with limits before and while decoding.

Specification, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar, get_args

import msgpack
import msgspec

from pazaak_p2p.text import printable
from pazaak_p2p.wire.errors import Garbage, Malformed, Oversized, Refusal, TooDeep
from pazaak_p2p.wire.messages import Body, Message

MAX_MESSAGE: Final = 65_536
MAX_DEPTH: Final = 8
# Far above any valid message. It also bounds what a nest of array headers can make the decoder
# allocate: it makes room for an array as soon as it has read the announced length.
_MAX_ITEMS: Final = 64

_T = TypeVar("_T", bound=msgspec.Struct)
_P = TypeVar("_P")

encode: Final = msgspec.msgpack.Encoder().encode
"""A message, body or record map as msgpack: keys in the order of the specification, ``t`` first,
every value in its shortest form."""

_MESSAGE: Final[msgspec.msgpack.Decoder[Message]] = msgspec.msgpack.Decoder(Message)
_BODY: Final = msgspec.msgpack.Decoder(Body)


def _plain(data: bytes, decoder: msgspec.msgpack.Decoder[_P]) -> _P | None:
    """What *data* is, if it is one value written just as :data:`encode` writes it.

    As a rule everything is, and is read much faster by itself. Bytes that are what their own value
    gives hide nothing: no key twice, nothing unknown, nothing behind. Whatever else is valid, and
    what is wrong with the rest, the way through the cutter tells.
    """
    try:
        value = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if encode(value) == data else None


def _pairs_to_map(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    for key, _ in pairs:
        if type(key) is not str:
            raise Malformed(why="A key of a map is no string.")
    as_map = dict(pairs)
    if len(as_map) != len(pairs):
        raise Malformed(why="A map holds the same key twice.")
    return as_map


def _no_ext(code: int, data: bytes) -> None:
    raise Malformed(why="It holds an extension type.")


_LIMITS: Final[dict[str, Any]] = {
    "raw": False,
    "use_list": True,
    "strict_map_key": False,  # _pairs_to_map is stricter
    "object_pairs_hook": _pairs_to_map,
    "max_str_len": MAX_MESSAGE,
    "max_bin_len": MAX_MESSAGE,
    "max_array_len": _MAX_ITEMS,
    "max_map_len": _MAX_ITEMS,
    "max_ext_len": MAX_MESSAGE,
    "ext_hook": _no_ext,
}


def _depth(value: object) -> int:
    """Levels of nesting, found without recursion: the value may be as deep as the decoder goes."""
    depth, level = 0, [value]
    while level:
        depth += any(isinstance(v, (list, dict)) for v in level)
        level = [
            inner
            for v in level
            if isinstance(v, (list, dict))
            for inner in (v.values() if isinstance(v, dict) else v)
        ]
    return depth


def kinds_of(*types: type[_T]) -> dict[str, type[_T]]:
    """*types* by what stands for them under ``t``."""
    return {str(type_.__struct_config__.tag): type_ for type_ in types}


def typed(value: object, kinds: dict[str, type[_T]]) -> _T:
    """*value* as the one of *kinds* that it says it is under ``t``. Raises a ``Refusal``."""
    if type(value) is msgpack.Timestamp:  # the one extension type that has no hook
        raise Malformed(why="It holds an extension type.")
    if type(value) is not dict:
        raise Garbage(why="What it sent is no msgpack map.")
    kind = value.get("t")
    type_ = kinds.get(kind) if type(kind) is str else None
    if type_ is None:
        raise _misfit(value, "It has no kind that is known here.")
    return _converted(value, type_)


def _converted(value: object, type_: type[_T]) -> _T:
    try:
        return msgspec.convert(value, type_, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        raise _misfit(value, f"{error}.") from None


def _misfit(value: object, why: str) -> Refusal:
    # No valid message is deeper than the limit, so depth needs a look only here.
    return TooDeep() if _depth(value) > MAX_DEPTH else Malformed(why=printable(why))


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, msgpack.exceptions.StackError):
        return TooDeep()
    if isinstance(error, UnicodeDecodeError):
        return Malformed(why="A string is not valid UTF-8.")
    if isinstance(error, msgpack.exceptions.FormatError):
        return Garbage(why="What it sent is no msgpack.")
    why = f"{printable(str(error))}."
    if "exceeds max_" in why:  # an announced length; msgpack has no class of its own for it
        return Oversized(why=why)
    return Malformed(why=why)


class Cutter:
    """A stream of bytes, cut into the msgpack objects that it is made of.

    :meth:`feed` takes what arrived, then iterating yields each complete object with its exact
    bytes. Raises a :class:`Refusal` at the first that is outside the limits; the cutter is of no
    use after that. Holds at most one object and one piece of input.
    """

    def __init__(self) -> None:
        self._unpacker = msgpack.Unpacker(max_buffer_size=2 * MAX_MESSAGE, **_LIMITS)
        self.rest = bytearray()
        """What has arrived of the object that is not complete."""
        self._taken = 0

    def feed(self, data: bytes) -> None:
        """Take *data*, at most ``MAX_MESSAGE`` bytes at a time."""
        self.rest += data
        self._unpacker.feed(data)

    def __iter__(self) -> Iterator[tuple[object, bytes]]:
        unpacker, rest = self._unpacker, self.rest
        while rest:
            try:
                value = unpacker.unpack()
            except msgpack.OutOfData:
                if len(rest) > MAX_MESSAGE:
                    raise Oversized from None
                return
            except Refusal:
                raise
            except (ValueError, msgpack.UnpackException) as error:
                raise _refusal(error) from None
            end = unpacker.tell()
            size, self._taken = end - self._taken, end
            if size > MAX_MESSAGE:
                raise Oversized
            exact = bytes(rest[:size])
            del rest[:size]
            yield value, exact


MESSAGES: Final[dict[str, type[Message]]] = kinds_of(*get_args(Message))


class Reader:
    """A stream of bytes, cut into messages; the same as a :class:`Cutter` otherwise."""

    def __init__(self) -> None:
        self._cutter = Cutter()
        self._whole: Message | None = None
        self._data = b""

    def feed(self, data: bytes) -> None:
        """Take *data*, at most ``MAX_MESSAGE`` bytes at a time."""
        if self._whole is not None:  # and nobody has asked for it yet
            self._cutter.feed(self._data)
            self._whole = None
        elif not self._cutter.rest:
            self._whole = _plain(data, _MESSAGE)
            if self._whole is not None:
                self._data = data
                return
        self._cutter.feed(data)

    def __iter__(self) -> Iterator[tuple[Message, bytes]]:
        if self._whole is not None:
            message, self._whole = self._whole, None
            return iter(((message, self._data),))
        return self._cut()

    def _cut(self) -> Iterator[tuple[Message, bytes]]:
        for value, exact in self._cutter:
            yield typed(value, MESSAGES), exact


def read_body(data: bytes) -> Body:
    """The body of an entry. Raises :class:`Malformed`, whatever is wrong with it."""
    body = _plain(data, _BODY)
    if body is not None:
        return body
    try:
        value = msgpack.unpackb(data, **_LIMITS)
        if type(value) is not dict:
            raise Malformed(why="An entry's body is no map.")
        return _converted(value, Body)
    except Refusal as error:
        raise Malformed(why=error.why) from None
    except (ValueError, msgpack.UnpackException) as error:  # too short or too long among them
        raise Malformed(why=f"An entry's body cannot be read: {printable(str(error))}.") from None
