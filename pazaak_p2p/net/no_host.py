"""What a joiner is told of something that it has reached, and that is no pazaak host."""

from __future__ import annotations

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import HungUp, NotPazaak, OnlyOneEncrypts, PeerLost, TimedOut, TlsRefused
from pazaak_p2p.wire.errors import Garbage, Silent


def no_host(where: str, first: bytes, error: PazaakError) -> PazaakError:
    """What it means for a joiner that *where* began with the bytes *first*, and ended by *error*.

    That is *error* itself if a host may be there.
    """
    if isinstance(error, Garbage | TlsRefused) and not isinstance(error, OnlyOneEncrypts):
        return NotPazaak(f"{where} is no pazaak host.", why=_language(first))
    if isinstance(error, Silent):
        return TimedOut(
            f"{where} took the connection, and did not greet within ten seconds.",
            why="The program there hangs, or it is no pazaak host.",
            next="Check the address and the port with the other player, and try again.",
        )
    if type(error) is PeerLost:
        return HungUp(f"{where} took the connection, and closed it before it had greeted.")
    return error


def _language(first: bytes) -> str:
    if first.startswith(b"HTTP/"):
        return "It speaks HTTP, as a web server does."
    if first.startswith(b"SSH-"):
        return "It speaks SSH."
    if first.startswith((b"\x15\x03", b"\x16\x03")):
        return "It speaks TLS, as a web server does, but not pazaak."
    return "What it says is not pazaak."
