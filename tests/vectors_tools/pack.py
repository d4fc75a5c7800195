"""msgpack written by hand, so that it can also be written badly."""

from __future__ import annotations

import struct
from typing import Any


class Raw:
    """Bytes that go in as they are."""

    def __init__(self, data: bytes) -> None:
        self.data = data


class Pairs:
    """A map in this order; keys may be of any type and come twice."""

    def __init__(self, *pairs: tuple[Any, Any]) -> None:
        self.pairs = pairs


def pack(value: Any, *, wide: bool = False) -> bytes:
    """*value* as msgpack: each part in its shortest form, or (*wide*) in its longest."""
    match value:
        case Raw():
            return value.data
        case Pairs():
            return _map(value.pairs, wide)
        case dict():
            return _map(tuple(value.items()), wide)
        case list() | tuple():
            head = _head(len(value), wide, fix=(0x90, 15), forms=(None, 0xDC, 0xDD))
            return head + b"".join(pack(each, wide=wide) for each in value)
        case str():
            data = value.encode()
            return _head(len(data), wide, fix=(0xA0, 31), forms=(0xD9, 0xDA, 0xDB)) + data
        case bytes():
            return _head(len(value), wide, fix=None, forms=(0xC4, 0xC5, 0xC6)) + value
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _int(value, wide)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case _:
            raise TypeError(f"no msgpack for {value!r}")


def _map(pairs: tuple[tuple[Any, Any], ...], wide: bool) -> bytes:
    head = _head(len(pairs), wide, fix=(0x80, 15), forms=(None, 0xDE, 0xDF))
    return head + b"".join(pack(k, wide=wide) + pack(v, wide=wide) for k, v in pairs)


def _head(
    length: int, wide: bool, fix: tuple[int, int] | None, forms: tuple[int | None, int, int]
) -> bytes:
    if not wide:
        if fix is not None and length <= fix[1]:
            return bytes([fix[0] | length])
        if forms[0] is not None and length < 1 << 8:
            return bytes([forms[0], length])
        if length < 1 << 16:
            return bytes([forms[1]]) + length.to_bytes(2, "big")
    return bytes([forms[2]]) + length.to_bytes(4, "big")


def _int(value: int, wide: bool) -> bytes:
    if not wide:
        if -32 <= value < 128:
            return struct.pack(">b", value) if value < 0 else bytes([value])
        for form, code in ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q")):
            if 0 <= value < 1 << 8 * struct.calcsize(code):
                return bytes([form]) + struct.pack(code, value)
        for form, code in ((0xD0, ">b"), (0xD1, ">h"), (0xD2, ">i")):
            if value >= -1 << 8 * struct.calcsize(code) - 1:
                return bytes([form]) + struct.pack(code, value)
    # Signed, as one of the two longest forms; a positive number may be written so.
    return b"\xd3" + struct.pack(">q", value)
