"""Connecting to a host."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Final

import trio

from pazaak_p2p.errors import leaves
from pazaak_p2p.net.address import Address, show_endpoint
from pazaak_p2p.net.errors import (
    AddressError,
    CannotConnect,
    PeerLost,
    Refused,
    TimedOut,
    UnknownHost,
    Unreachable,
)
from pazaak_p2p.net.no_host import no_host
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, TlsStream, only_pazaak, shake_hands
from pazaak_p2p.text import printable
from pazaak_p2p.wire.errors import RemoteError

CONNECT_SECONDS: Final = 10.0
"""Looking the name up, connecting and shaking hands, together."""

_UNREACHABLE: Final = frozenset(
    {
        errno.ENETUNREACH,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.EHOSTDOWN,
        errno.EADDRNOTAVAIL,
        errno.EAFNOSUPPORT,
        errno.EPERM,
        errno.EACCES,
        # A link-local address without the zone that says on which link.
        errno.EINVAL,
        errno.ENODEV,
    }
)


async def dial(address: Address) -> TlsStream:
    """An encrypted connection to *address*, tried on all the addresses of its name.

    It is never one without encryption instead. Raises as :func:`dial_plain`, and as
    :func:`encrypt`.
    """
    connected = False
    with trio.move_on_after(CONNECT_SECONDS):
        lean = await _connect(address)
        connected = True
        try:
            return await encrypt(lean, where(address))
        except BaseException:
            await trio.aclose_forcefully(lean)
            raise
    raise _too_late(address, connected)


async def encrypt(lean: LeanStream, where: str) -> TlsStream:
    """TLS over a connection to *where*, which the caller closes.

    Raises ``NotPazaak``, ``HungUp`` or ``OnlyOneEncrypts`` if nobody there speaks it as we do. The
    caller sets the deadline.
    """
    carrier = Carrier(lean)
    try:
        return await shake_hands(carrier, only_pazaak(ssl.PROTOCOL_TLS_CLIENT))
    except (PeerLost, RemoteError) as error:
        raise no_host(where, carrier.first, error) from error


async def dial_plain(address: Address) -> LeanStream:
    """A TCP connection to *address*, with TCP_NODELAY, for debugging only.

    Raises :class:`UnknownHost`, :class:`Refused`, :class:`TimedOut` (after ten seconds),
    :class:`Unreachable` or plain :class:`CannotConnect`.
    """
    with trio.move_on_after(CONNECT_SECONDS):
        return await _connect(address)
    raise _too_late(address)


async def _connect(address: Address) -> LeanStream:
    try:
        # trio's SocketStream sets TCP_NODELAY itself.
        return LeanStream.take(await trio.open_tcp_stream(address.host, address.port))
    except (socket.gaierror, UnicodeError) as error:
        raise _lookup_error(address, error) from error
    except OSError as error:
        raise _connect_error(where(address), error) from error


def where(address: Address) -> str:
    """*address* as it is shown to people."""
    return show_endpoint((printable(address.host, 80), address.port))


def _too_late(address: Address, connected: bool = False) -> TimedOut:
    within = f"within {CONNECT_SECONDS:.0f} seconds"
    if not connected:
        return TimedOut(f"{where(address)} did not answer {within}.")
    return TimedOut(
        f"{where(address)} took the connection, but did not start encryption {within}.",
        why="The network is very slow, or what listens there is not pazaak.",
    )


def _lookup_error(address: Address, error: socket.gaierror | UnicodeError) -> Exception:
    host = printable(address.host, 80)
    if isinstance(error, UnicodeError):
        return AddressError(f"{host!r} is no host name.")
    if error.errno == socket.EAI_AGAIN:
        return UnknownHost(
            f"The name {host!r} could not be looked up.",
            why="The name service did not answer: this machine may be offline,"
            " or the name is mistyped.",
        )
    return UnknownHost(f"There is no machine named {host!r}.")


def _connect_error(where: str, error: OSError) -> CannotConnect:
    # trio hangs the errors of several attempts on one of its own.
    attempts = leaves(error if error.__cause__ is None else error.__cause__)
    found = [leaf for leaf in attempts if isinstance(leaf, OSError)]
    numbers = {leaf.errno for leaf in found}
    # With several addresses tried, the answer that shows the machine alive says most.
    if errno.ECONNREFUSED in numbers:
        return Refused(f"{where} refused the connection.")
    if errno.ETIMEDOUT in numbers:
        return TimedOut(f"{where} did not answer.")
    if numbers & _UNREACHABLE:
        return Unreachable(f"{where} cannot be reached from here.")
    said = next(iter(found), error)
    return CannotConnect(
        f"There is no connection to {where}.",
        why=f"The system says: {said.strerror or said}.",
    )
