"""Connections that are no opponents: what they seem to be, and how they are sent away."""

from __future__ import annotations

from typing import Final

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.certificate import Credentials, receive_line
from pazaak_p2p.net.errors import OnlyOneEncrypts, PeerLost, TlsRefused
from pazaak_p2p.net.parting import linger
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Garbage, Refusal, RemoteError, Silent
from pazaak_p2p.wire.messages import Bye, ByeReason

AWAY_SECONDS: Final = 2.0
"""How long sending a connection away may take."""

_HTTP: Final = (
    b"GET ", b"HEAD ", b"POST ", b"PUT ", b"OPTIONS ", b"CONNECT ", b"DELETE ", b"PATCH ", b"PRI * "
)  # fmt: skip


_BUSY: Final = encode(Bye(ByeReason.BUSY, ""))


def describe_stranger(first: bytes, error: PazaakError, *, greeted: bool = False) -> str:
    """Why whoever began with the bytes *first* was no opponent.

    *error* is how the greeting ended, or, if it has *greeted*, the time after that.
    """
    if greeted and isinstance(error, Silent | PeerLost):
        gone = "did not take our offer in time" if isinstance(error, Silent) else "left again"
        return f"it greeted, and {gone}"
    if first.startswith(_HTTP):
        return "it spoke HTTP, as a web browser does"
    if first.startswith(b"\x16\x03") and isinstance(error, Garbage):  # where there is no TLS
        return "it spoke TLS, as a web browser does, and a pazaak without --insecure-plain"
    if first.startswith(b"SSH-"):
        return "it spoke SSH"
    match error:
        case Silent() if not first:
            return "it said nothing for ten seconds"
        case Silent():
            return "it did not finish its greeting within ten seconds"
        case PeerLost() if not first:
            return "it left without a word"
        case OnlyOneEncrypts():
            return "it spoke pazaak without encryption (--insecure-plain)"
        case Garbage():
            return "what it sent is not pazaak"
        case Refusal() | TlsRefused():
            return f"{error.what} {error.why}"
        case _:
            return error.what


async def send_away(lean: LeanStream, credentials: Credentials | None) -> None:
    """Tell whoever is on *lean* that we are busy, and close it, within two seconds.

    With *credentials* under TLS; whoever does not speak it is told nothing.
    """
    try:
        with trio.move_on_after(AWAY_SECONDS):
            stream = await receive_line(Carrier(lean), credentials)
            await stream.send_all(_BUSY)
            await linger(stream)
    except (trio.BrokenResourceError, PeerLost, RemoteError):
        pass
    finally:
        await trio.aclose_forcefully(lean)
