"""TLS 1.3 on a connection (specification, section 2.1).

It keeps listeners out, and gives each connection something that nobody can imitate: the key behind
the host's certificate. Who the host *is* it does not say. That is proven inside, by a greeting that
names the certificate, so nothing is verified here; but nothing else than this is spoken either. A
connection that is not all of TLS 1.3 with ``pazaak/1`` is refused, never continued without.
"""

from __future__ import annotations

import contextlib
import hashlib
import ssl
from typing import Final

import trio

from pazaak_p2p.net.errors import OnlyOneEncrypts, PeerLost, TlsRefused
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Garbage, RemoteError
from pazaak_p2p.wire.messages import Bye, ByeReason

ALPN: Final = "pazaak/1"
# Bytes that tell what somebody speaks.
_TELLING: Final = 16
# What a dialler is told that does not encrypt, or encrypts something else.
_REFUSED: Final = encode(Bye(ByeReason.PROTOCOL, TlsRefused.code))
# The alert "protocol_version" (70), fatal, as a record in the clear (RFC 8446, 5.1 and 6): trio
# keeps the one that OpenSSL would send to itself.
_OLD: Final = b"\x15\x03\x03\x00\x02\x02\x46"
# OpenSSL's reasons, in either role, when the other side is too old.
_TOO_OLD: Final = frozenset({"UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION"})


def only_pazaak(protocol: int) -> ssl.SSLContext:
    """A context of *protocol* (``ssl.PROTOCOL_TLS_SERVER`` or ``_CLIENT``) for pazaak alone."""
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols([ALPN])
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def fingerprint_of(certificate: bytes) -> bytes:
    """What a greeting says of *certificate* (DER): its SHA-256."""
    return hashlib.sha256(certificate).digest()


class Carrier(trio.abc.Stream):
    """The bytes under TLS. Closing them is left to the owner of *lean*."""

    def __init__(self, lean: LeanStream) -> None:
        self.lean = lean
        self.first = b""
        """What came first, up to 16 bytes, to tell what kind of stranger it is."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        # Without a checkpoint as long as the system takes all at once, which is nearly always:
        # to be cancelled between encrypting and sending breaks the connection for good, and then
        # no goodbye can be said.
        with memoryview(data) as rest:
            sent = self.lean.send_now(rest)
            if sent < len(rest):
                await self.lean.send_all(rest[sent:])

    async def wait_send_all_might_not_block(self) -> None:
        await self.lean.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        data = await self.lean.receive_some(max_bytes)
        if len(self.first) < _TELLING:
            self.first += data[: _TELLING - len(self.first)]
        return data

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


class TlsStream(trio.abc.Stream):
    """An encrypted stream, made by :func:`shake_hands`.

    A send that is cancelled before the system took anything of it has changed nothing if the caller
    was not cancelled already; one that is cancelled half-way breaks the stream.
    """

    def __init__(self, carrier: Carrier, tls: trio.SSLStream[Carrier], certificate: bytes) -> None:
        self._lean = carrier.lean
        self._tls = tls
        self.remote = self._lean.remote
        """The other side's address, for messages."""
        self.certificate: bytes | None = certificate
        """The fingerprint of the listener's certificate."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._tls.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._tls.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._tls.receive_some(max_bytes)

    async def close_notify(self) -> LeanStream:
        """Say that nothing more comes; the connection below, of which only the end is awaited.

        ``ssl`` cannot close one direction and read on in the other. So what the other side still
        says is not decrypted any more.
        """
        await self._tls.aclose()  # which closes the carrier, and that is nothing
        return self._lean

    async def aclose(self) -> None:
        await self._lean.aclose()


Line = LeanStream | TlsStream
"""A connection over the network, encrypted or not, with ``remote`` and ``certificate``."""


async def shake_hands(
    carrier: Carrier, context: ssl.SSLContext, certificate: bytes | None = None
) -> TlsStream:
    """TLS over *carrier*: as the listener with the fingerprint *certificate*, or as dialler (None).

    The caller sets the deadline, and closes. Raises ``TlsRefused`` or ``Garbage`` if the other side
    does not speak TLS as we do, having said so to a dialler as far as it can understand; and
    ``PeerLost`` if the line broke.
    """
    # Not ``https_compatible``: we do say close_notify, as RFC 8446 (6.1) wants it, and an end that
    # comes without is an error. That error means no more than an end, since what ends a session in
    # good order is ``bye``; the pump takes both for a line that is gone.
    tls = trio.SSLStream(carrier, context, server_side=certificate is not None)
    try:
        await tls.do_handshake()
    except trio.BrokenResourceError as error:
        cause = error.__cause__
        if not isinstance(cause, ssl.SSLError) or isinstance(cause, ssl.SSLEOFError):
            raise PeerLost(
                "The connection was closed before anything was said.",
                why="The other side is gone, is busy, or takes no more connections for a while.",
            ) from error
        if certificate is not None:
            with contextlib.suppress(trio.BrokenResourceError):
                carrier.lean.send_now(_OLD if _is_tls(carrier.first) else _REFUSED)
        raise _refusal(carrier.first, cause) from error
    if tls.selected_alpn_protocol() != ALPN:
        with contextlib.suppress(trio.BrokenResourceError):
            await tls.send_all(_REFUSED)
        raise TlsRefused(
            "The other side speaks TLS, but not pazaak.",
            why="It may be a web server or a web browser.",
        )
    if certificate is None:
        seen = tls.getpeercert(binary_form=True)
        assert seen is not None  # in TLS 1.3 no server is without one (RFC 8446, 4.4.2)
        certificate = fingerprint_of(seen)
    return TlsStream(carrier, tls, certificate)


def _is_tls(first: bytes) -> bool:
    return first[:1] in (b"\x15", b"\x16") and first[1:2] == b"\x03"


def _refusal(first: bytes, error: ssl.SSLError) -> RemoteError:
    """What to make of *error*, when the other side began with the bytes *first*."""
    if first[1:].startswith((b"\xa1t\xa5hello", b"\xa1t\xa3bye")):
        return OnlyOneEncrypts()
    if not _is_tls(first):
        return Garbage()
    if error.reason in _TOO_OLD:
        return TlsRefused(
            "The other side does not speak TLS 1.3.", why="Nothing older is safe enough for pazaak."
        )
    # Its words are from a table of OpenSSL's own, never from the other side.
    words = (error.reason or "unknown").lower().replace("_", " ")
    return TlsRefused(
        "The other side broke TLS off, as a web browser does, or does it wrongly.",
        why=f"OpenSSL says: {words}.",
    )
