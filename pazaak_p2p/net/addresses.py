"""Under which addresses the other side reaches this machine."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Sequence
from typing import Final

import ifaddr
import msgspec

from pazaak_p2p.net.address import Address

_WINDOWS: Final = os.name == "nt"


class Way(msgspec.Struct, frozen=True):
    """One way to this machine: what the other side types, and where that works."""

    address: Address
    where: str
    insecure_plain: bool = False
    """Whether nothing is encrypted there."""

    @property
    def target(self) -> str:
        """The address as a word of a command."""
        text = str(self.address)
        # Some shells take brackets for a pattern; double quotes are what all of them understand.
        return f'"{text}"' if "[" in text else text

    @property
    def line(self) -> str:
        """The command that the other side types."""
        line = f"pazaak join {self.target}"
        return f"{line} --insecure-plain" if self.insecure_plain else line


def ways(bound: Iterable[tuple[str, int]], *, insecure_plain: bool = False) -> list[Way]:
    """The ways to sockets that listen at *bound* (host and port each), the likeliest first."""
    found = ways_from(bound, machine_addresses())
    return [msgspec.structs.replace(way, insecure_plain=insecure_plain) for way in found]


def machine_addresses() -> list[tuple[str, str]]:
    """Every IP address of this machine (IPv6 link-local ones with ``%zone``) and its interface."""
    found = []
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            if isinstance(ip.ip, str):
                found.append((ip.ip, adapter.nice_name))
            else:
                host, _, scope = ip.ip
                # On Windows an interface's name is no zone; its number is.
                name = adapter.index if _WINDOWS else adapter.name
                zone = f"%{name}" if scope and "%" not in host else ""
                found.append((host + zone, adapter.nice_name))
    return found


def ways_from(bound: Iterable[tuple[str, int]], machine: Sequence[tuple[str, str]]) -> list[Way]:
    """As :func:`ways`, for a machine with the addresses *machine*."""
    found: dict[str, Way] = {}
    for host, port in bound:
        listening = ipaddress.ip_address(host)
        names = dict(machine)
        hosts = (
            [name for name in names if ipaddress.ip_address(name).version == listening.version]
            if listening.is_unspecified
            else [host]
        )
        for name in hosts:
            found.setdefault(name, Way(Address(name, port), _where(name, names.get(name, ""))))
    ordered = sorted(found.values(), key=_rank)
    # A link-local address needs the name that the *other* machine gives its own interface, so it
    # is only worth showing where there is nothing better. One loopback address is enough.
    if any(_rank(way) < _LINK_LOCAL for way in ordered):
        ordered = [way for way in ordered if _rank(way) != _LINK_LOCAL]
    loopback = [way for way in ordered if _rank(way) == _LOOPBACK]
    return [way for way in ordered if way not in loopback[1:]]


_LINK_LOCAL = 3
_LOOPBACK = 4


def _rank(way: Way) -> int:
    ip = ipaddress.ip_address(way.address.host)
    if ip.is_loopback:
        return _LOOPBACK
    if ip.is_link_local:
        return _LINK_LOCAL
    if ip.version == 4:
        return 0 if ip.is_private else 1
    return 2


def _where(host: str, interface: str) -> str:
    ip = ipaddress.ip_address(host)
    if ip.is_loopback:
        return "on this machine"
    if ip.is_link_local:
        return f"same link as {interface}; behind % goes the other machine's own interface"
    return interface
