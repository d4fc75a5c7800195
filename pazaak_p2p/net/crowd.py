"""Who gives way where more have come than there is room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Protocol, TypeVar

from msgspec import Struct


class Home(Struct, frozen=True):
    """Where somebody comes from."""

    place: str
    """As far as one user cannot choose it: of IPv6 the first half."""
    neighbourhood: str
    """What one owner may well have all of: /24 of IPv4, /48 of IPv6."""


class Waiting(Protocol):
    """One of those who have come."""

    home: Home

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
    themselves, so it is one of those who have most lines from one place, and then from one
    neighbourhood, since who has one address may have more. Of these it is one that has not tried a
    join code, as who has is made to wait by us; one that has not even encrypted, which costs
    nothing; and then the oldest.
    """
    places = Counter(one.home.place for one in crowd)
    around = Counter(one.home.neighbourhood for one in crowd)
    return max(
        crowd,
        key=lambda one: (
            places[one.home.place],
            around[one.home.neighbourhood],
            not one.tried_code,
            not one.has_encrypted,
        ),
    )


def home_of(remote: str) -> Home:
    """The home of *remote*, an address and port as ``show_endpoint`` writes them.

    >>> home_of("192.0.2.7:4000")
    Home(place='192.0.2.7', neighbourhood='192.0.2.0')
    >>> home_of("[2001:db8:0:1::5]:4000")
    Home(place='2001:db8:0:1::', neighbourhood='2001:db8::')
    """
    host = remote.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return Home(host, host)
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return Home(_network(address, 64), _network(address, 48))
        address = address.ipv4_mapped
    return Home(str(address), _network(address, 24))


def _network(address: IPv4Address | IPv6Address, bits: int) -> str:
    return str(ip_network((address, bits), strict=False).network_address)
