"""Two ends of an encrypted connection, within one program."""

from __future__ import annotations

import socket
import ssl

import trio

from pazaak_p2p.net.certificate import receive_line
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, TlsStream, only_pazaak, shake_hands
from tests.net.house import CREDENTIALS


def lean_pair() -> tuple[LeanStream, LeanStream]:
    one, two = socket.socketpair()
    return LeanStream(one), LeanStream(two)


async def tls_pair() -> tuple[TlsStream, TlsStream]:
    """The listener's end and the dialler's, after the handshake."""
    ours, theirs = lean_pair()
    accepted: list[TlsStream] = []

    async def accept() -> None:
        line = await receive_line(Carrier(ours), CREDENTIALS)
        assert isinstance(line, TlsStream)
        accepted.append(line)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept)
        dialled = await shake_hands(Carrier(theirs), only_pazaak(ssl.PROTOCOL_TLS_CLIENT))
    return accepted[0], dialled
