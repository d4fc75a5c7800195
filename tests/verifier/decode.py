"""Strict msgpack: single objects and streams of them, within the limits of section 4."""

from collections.abc import Iterator

import msgpack

from .verdict import Refusal

MESSAGE_BYTES = 65_536
LEVELS = 8
MOST_ITEMS = 64  # no array or map of the protocol is longer

Value = dict[str, object] | list[object] | str | bytes | int | bool | None


class _Odd:
    """Stands for what msgpack can say and the protocol cannot."""


def _pairs(pairs: list[tuple[object, object]]) -> object:
    keys = [key for key, _ in pairs]
    if not all(type(key) is str for key in keys) or len(set(keys)) != len(keys):
        return _Odd()
    return dict(pairs)


def _ext(code: int, data: bytes) -> object:
    return _Odd()


def _unpacker() -> msgpack.Unpacker:
    return msgpack.Unpacker(
        raw=False,
        strict_map_key=False,
        use_list=True,
        unicode_errors="strict",
        object_pairs_hook=_pairs,
        ext_hook=_ext,
        timestamp=0,
        max_buffer_size=MESSAGE_BYTES,
        max_str_len=MESSAGE_BYTES,
        max_bin_len=MESSAGE_BYTES,
        max_ext_len=MESSAGE_BYTES,
        max_array_len=MOST_ITEMS,
        max_map_len=MOST_ITEMS,
    )


def _check(value: object, level: int = 1) -> None:
    if type(value) is dict or type(value) is list:
        if level > LEVELS:
            raise Refusal("too-deep", f"more than {LEVELS} levels")
        for item in value.values() if isinstance(value, dict) else value:
            _check(item, level + 1)
    elif value is not None and type(value) not in (str, bytes, int, bool):
        raise Refusal("malformed", "a float, an extension, or a bad or double map key")


def _first(data: bytes) -> tuple[dict[str, object], int] | None:
    """The map at the beginning of data and its length, or None if it is torn."""
    unpacker = _unpacker()
    unpacker.feed(data[:MESSAGE_BYTES])
    try:
        value = unpacker.unpack()
    except msgpack.OutOfData:
        if len(data) >= MESSAGE_BYTES:
            raise Refusal("oversized", f"more than {MESSAGE_BYTES} bytes") from None
        return None
    except (msgpack.StackError, RecursionError):
        raise Refusal("too-deep", f"more than {LEVELS} levels") from None
    except UnicodeDecodeError:
        raise Refusal("malformed", "a str that is not UTF-8") from None
    except msgpack.FormatError:
        raise Refusal("garbage", "no msgpack") from None
    except (ValueError, msgpack.UnpackException) as error:
        raise Refusal("oversized", f"beyond the limits: {error}") from None
    if isinstance(value, _Odd):
        raise Refusal("malformed", "a bad or double map key")
    if type(value) is not dict:
        raise Refusal("garbage", "no map")
    _check(value)
    return value, unpacker.tell()


def one_map(data: bytes) -> dict[str, object]:
    """The one map that these bytes are, exactly."""
    found = _first(data)
    if found is None or found[1] != len(data):
        raise Refusal("malformed", "not exactly one map")
    return found[0]


def maps(data: bytes) -> Iterator[tuple[bytes, dict[str, object]]]:
    """Each map of a stream with its exact bytes; a torn last one ends it as `torn` below."""
    position = 0
    view = memoryview(data)
    while position < len(data):
        found = _first(bytes(view[position : position + MESSAGE_BYTES]))
        if found is None:
            raise Torn
        value, length = found
        yield data[position : position + length], value
        position += length


class Torn(Exception):
    """The last object of a stream stops before its end (section 12)."""
