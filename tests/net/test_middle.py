"""A man in the middle, who encrypts to both sides with a certificate of his own."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.certificate import Credentials, make_credentials, receive_line
from pazaak_p2p.net.dial import dial, dial_plain
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line
from pazaak_p2p.wire.errors import CertificateRefused, IdentityRefused, RemoteError
from tests.matches import Side
from tests.net.house import CREDENTIALS, House, serving

TOLD = "The other player's program cannot tell that it talks to yours."
UNPROVEN = "The other side could not prove that its key is its own."


class Middle:
    """Takes one connection and dials *house* for it; relays what both say, as he likes."""

    def __init__(
        self, house: House, credentials: Credentials | None, *, rewrites: bool, mute: bool = False
    ) -> None:
        self.house = house
        self.credentials = credentials
        self.rewrites = rewrites
        self.mute = mute
        """Whether he keeps back the dialler's goodbye."""
        self.port = 0
        self.heard = {"dialler": b"", "host": b""}

    def _for_dialler(self, data: bytes) -> bytes:
        if not self.rewrites:
            return data
        own = b"\xc0" if self.credentials is None else b"\xc4 " + self.credentials.fingerprint
        return data.replace(b"\xc4 " + CREDENTIALS.fingerprint, own)

    async def _relay(self, one: Line, other: Line, who: str) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while data := bytes(await one.receive_some(65536)):
                self.heard[who] += data
                if self.mute and b"\xa3bye" in data:
                    break
                await other.send_all(data if who == "dialler" else self._for_dialler(data))
        await trio.aclose_forcefully(other)

    async def serve_one(self, listener: trio.SocketListener) -> None:
        lean = LeanStream.take(await listener.accept())
        to_dialler = await receive_line(Carrier(lean), self.credentials)
        to_host = await self.house.dial()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._relay, to_dialler, to_host, "dialler")
            nursery.start_soon(self._relay, to_host, to_dialler, "host")


@asynccontextmanager
async def between(middle: Middle) -> AsyncIterator[None]:
    (listener,) = await listen(0, "127.0.0.1")
    middle.port = listener.socket.getsockname()[1]
    async with listener, trio.open_nursery() as nursery:
        nursery.start_soon(middle.serve_one, listener)
        yield


@pytest.mark.parametrize(
    ("rewrites", "mute", "dialler_says", "host_says"),
    [
        (False, False, CertificateRefused, TOLD),
        (False, True, CertificateRefused, "The connection to the other player was lost."),
        (True, False, IdentityRefused, UNPROVEN),
        (True, True, IdentityRefused, UNPROVEN),
    ],
)
async def test_both_sides_notice_who_stands_between_two_encrypted_lines(
    rewrites: bool, mute: bool, dialler_says: type[RemoteError], host_says: str
) -> None:
    """He relays the host's hello as it is, or puts his own certificate's fingerprint into it."""
    house = House()
    middle = Middle(house, make_credentials(), rewrites=rewrites, mute=mute)
    guest = Side(1, "guest")
    async with serving(house):
        async with between(middle):
            stream = await dial(Address("127.0.0.1", middle.port))
            assert await guest.run(stream) is None
        await house.until(lambda: len(house.strangers) == 1)
        await house.visit(Side(1, "honest"))
        await house.until(lambda: len(house.results) == 1)
    assert type(guest.error) is dialler_says
    assert guest.error.exit_code == Exit.IDENTITY_REFUSED
    assert house.strangers[0].startswith(host_says)
    assert guest.kinds() == []  # no session stood, and no match began
    assert guest.record.began == 0
    # He did read along, and what he read was no more than a greeting.
    assert b"\xa5hello" in middle.heard["dialler"]
    assert b"\xa5hello" in middle.heard["host"]
    assert b"\xa5proof" in middle.heard["host"]
    assert (b"\xa5proof" in middle.heard["dialler"]) == rewrites


@pytest.mark.parametrize("rewrites", [False, True])
async def test_encryption_cannot_be_taken_away_between_a_host_and_a_plain_joiner(
    rewrites: bool,
) -> None:
    """With or without the fingerprint left in the host's hello."""
    house = House()
    middle = Middle(house, None, rewrites=rewrites)
    guest = Side(1, "guest")
    async with serving(house):
        async with between(middle):
            await guest.run(await dial_plain(Address("127.0.0.1", middle.port)))
        await house.until(lambda: len(house.strangers) == 1)
    assert type(guest.error) is (IdentityRefused if rewrites else CertificateRefused)
    assert guest.kinds() == []
    assert house.strangers[0].startswith(UNPROVEN if rewrites else TOLD)
