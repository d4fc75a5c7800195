"""``HOST[:PORT]`` as people type it, and back."""

from __future__ import annotations

import ipaddress
from typing import Final

import msgspec

from pazaak_p2p.net.errors import AddressError
from pazaak_p2p.text import printable

STANDARD_PORT: Final = 7777


class Address(msgspec.Struct, frozen=True):
    """Where to dial. ``host`` is a name or an IP address: no brackets, IPv6 with its ``%zone``."""

    host: str
    port: int = STANDARD_PORT

    def __str__(self) -> str:
        """The shortest text that :func:`parse_address` reads back."""
        if self.port == STANDARD_PORT:
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """The address written as *text*: ``name``, ``1.2.3.4:7778``, ``[::1]:7778`` or bare ``::1``.

    Raises :class:`AddressError`.
    """
    shown = printable(text, 80)
    if not text or any(ch.isspace() or not ch.isprintable() for ch in text):
        raise AddressError(f"{shown!r} is no address: it is empty or holds blanks.")
    if "://" in text or "/" in text:
        raise AddressError(f"{shown!r} is no address: it looks like a link or a path.")
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise AddressError(f"{shown!r} is no address: the brackets do not match.")
        if not _is_ipv6(host):
            raise AddressError(f"{shown!r} is no address: only IPv6 numbers stand in brackets.")
        return Address(host, _parse_port(rest[1:], shown) if rest else STANDARD_PORT)
    if _is_ipv6(text):
        return Address(text)
    host, colon, port = text.partition(":")
    if ":" in port:
        raise AddressError(
            f"{shown!r} is no address: too many colons, and it is no IPv6 number either.",
            next="Put an IPv6 number in brackets when a port follows: [fd00::5]:7778",
        )
    if not host:
        raise AddressError(f"{shown!r} is no address: the host is missing.")
    return Address(host, _parse_port(port, shown) if colon else STANDARD_PORT)


def show_endpoint(sockaddr: object) -> str:
    """The socket address *sockaddr* as ``1.2.3.4:7778`` or ``[fd00::5]:7778``, for messages."""
    match sockaddr:
        case (str(host), int(port), *_):
            return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        case _:
            return "this machine"


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _parse_port(text: str, shown: str) -> int:
    port = int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else 0
    if not 1 <= port <= 65535:
        raise AddressError(
            f"{shown!r} is no address: the port {printable(text, 20)!r} is not a number"
            " from 1 to 65535."
        )
    return port
