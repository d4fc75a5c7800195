"""Who gives way where more have come than there is room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import Protocol, TypeVar


class Waiting(Protocol):
    """One of those who have come."""

    remote: str
    """Address and port, as ``show_endpoint`` writes them."""

    @property
    def tried_code(self) -> bool:
        """Has it tried a join code, on which it waits for our word?"""

    @property
    def has_encrypted(self) -> bool:
        """Has it got as far as the greeting?"""


W = TypeVar("W", bound=Waiting)


def least_likely(crowd: Sequence[W]) -> W:
    """The one of *crowd*, the oldest first, who is least likely to be a player.

    A player greets within some round trips. Whoever dials again and again shall push out nobody but
    themselves, so it is one of those who have most lines from one place; of these one that has not
    even encrypted, which costs nothing; and then the oldest. Who has tried a join code is made to
    wait by us, so it gives way last.
    """
    lines = Counter(place(caller.remote) for caller in crowd)
    return max(
        crowd,
        key=lambda one: (not one.tried_code, lines[place(one.remote)], not one.has_encrypted),
    )


def place(remote: str) -> str:
    """Where *remote* is, as far as one user cannot choose it: of IPv6 the first half counts.

    >>> place("192.0.2.7:4000"), place("[2001:db8:0:1::5]:4000")
    ('192.0.2.7', '2001:db8:0:1::')
    """
    host = remote.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> 64 << 64))
