"""TLS 1.3 as pazaak speaks it, against real TLS of other kinds (specification, section 2.1)."""

from __future__ import annotations

import hashlib
import ssl
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.certificate import make_credentials, receive_line
from pazaak_p2p.net.dial import CONNECT_SECONDS, dial
from pazaak_p2p.net.errors import CannotListen, OnlyOneEncrypts, PeerLost, TimedOut, TlsRefused
from pazaak_p2p.net.tls import ALPN, Carrier, TlsStream, only_pazaak, shake_hands
from pazaak_p2p.wire.errors import Garbage
from tests.matches import Side
from tests.net.house import CREDENTIALS
from tests.net.tls_pair import lean_pair, tls_pair

Clock = trio.testing.MockClock


def client(alpn: list[str] | None = None) -> ssl.SSLContext:
    """A TLS client of another kind, that does not mind who it talks to."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if alpn is not None:
        context.set_alpn_protocols(alpn)
    return context


def server(alpn: list[str] | None = None) -> ssl.SSLContext:
    """A TLS server of another kind."""
    context = only_pazaak(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols([ALPN] if alpn is None else alpn)
    make_credentials(context)
    return context


def old(context: ssl.SSLContext) -> ssl.SSLContext:
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
    return context


# --- two of our kind


async def test_both_ends_know_the_certificate_and_only_1_3_is_spoken() -> None:
    ours, theirs = await tls_pair()
    assert ours.certificate == theirs.certificate == CREDENTIALS.fingerprint
    for end in (ours, theirs):
        assert end._tls.version() == "TLSv1.3"
        assert end._tls.selected_alpn_protocol() == "pazaak/1"
        assert end._tls.compression() is None
    seen = theirs._tls.getpeercert(binary_form=True)
    assert hashlib.sha256(seen).digest() == CREDENTIALS.fingerprint
    # Nobody could resume this: no tickets come, not even after some talk.
    await ours.send_all(b"x")
    assert await theirs.receive_some() == b"x"
    session = theirs._tls._ssl_object.session
    assert session is not None
    assert not session.has_ticket
    await ours.aclose()
    await theirs.aclose()


async def test_much_both_ways_at_once_arrives_whole() -> None:
    ends = await tls_pair()
    data = bytes(range(256)) * 20_000
    got: dict[TlsStream, bytearray] = {end: bytearray() for end in ends}

    async def receive(end: TlsStream) -> None:
        while len(got[end]) < len(data):
            got[end] += await end.receive_some(65536)

    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            for end in ends:
                nursery.start_soon(end.send_all, data)
                nursery.start_soon(receive, end)
    assert [bytes(piece) for piece in got.values()] == [data, data]
    for end in ends:
        await end.aclose()


async def test_nothing_of_what_is_said_can_be_read_on_the_way() -> None:
    """What passes under TLS does not hold the words, nor does the same look the same again."""
    passed = []

    class Wiretap(Carrier):
        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            passed.append(bytes(data))
            await super().send_all(data)

    ours, theirs = lean_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(receive_line, Carrier(ours), CREDENTIALS)
        talker = await shake_hands(Wiretap(theirs), only_pazaak(ssl.PROTOCOL_TLS_CLIENT))
    await talker.send_all(b"a secret of mine")
    await talker.send_all(b"a secret of mine")
    assert passed[-1] != passed[-2]
    assert b"secret" not in b"".join(passed)
    await ours.aclose()
    await talker.aclose()


async def test_an_end_without_close_notify_is_broken_and_with_one_is_the_end() -> None:
    ours, theirs = await tls_pair()
    with trio.fail_after(5):
        lean = await ours.close_notify()
        await lean.send_eof()
        assert await theirs.receive_some() == b""
        await theirs.send_all(b"still to say")  # what comes now is taken, and not looked at
        assert b"still" not in await lean.receive_some()
        await theirs.aclose()
        assert await lean.receive_some() == b""
    await ours.aclose()
    ours, theirs = await tls_pair()
    await ours.aclose()
    with pytest.raises(trio.BrokenResourceError):
        await theirs.receive_some()
    await theirs.aclose()


async def test_a_cancelled_receive_loses_nothing() -> None:
    ours, theirs = await tls_pair()
    with trio.move_on_after(0.01) as scope:
        await theirs.receive_some()
    assert scope.cancelled_caught
    await ours.send_all(b"still here")
    assert await theirs.receive_some() == b"still here"
    await ours.aclose()
    await theirs.aclose()


async def test_one_who_is_cancelled_while_the_system_takes_all_can_go_on() -> None:
    """trio's own streams would be broken by that."""
    ours, theirs = await tls_pair()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:

            async def send() -> None:
                nursery.start_soon(cancel)
                await ours.send_all(b"one ")

            async def cancel() -> None:
                scope.cancel()

            nursery.start_soon(send)
    await ours.send_all(b"two")
    assert await theirs.receive_some() + await theirs.receive_some() == b"one two"
    await ours.aclose()
    await theirs.aclose()


# --- the certificate


def test_every_run_has_a_key_of_its_own() -> None:
    assert make_credentials().fingerprint != make_credentials().fingerprint


def test_the_key_is_never_on_a_disk_in_the_clear_and_the_file_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[int, int, bytes]] = []

    class Looking(ssl.SSLContext):
        def load_cert_chain(self, certfile: Any, keyfile: Any = None, password: Any = None) -> None:
            file = Path(certfile)
            modes = [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)]
            seen.append((modes[0], modes[1], file.read_bytes()))
            super().load_cert_chain(certfile, keyfile, password)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = make_credentials(Looking(ssl.PROTOCOL_TLS_SERVER))
    ((file_mode, folder_mode, pem),) = seen
    assert (file_mode, folder_mode) == (0o600, 0o700)
    assert b"ENCRYPTED PRIVATE KEY" in pem
    assert b"BEGIN PRIVATE KEY" not in pem
    assert list(tmp_path.iterdir()) == []
    shown = x509.load_pem_x509_certificate(pem)
    assert hashlib.sha256(shown.public_bytes(Encoding.DER)).digest() == made.fingerprint
    assert shown.not_valid_before_utc.year == 2000  # no clock of this machine is told
    assert shown.not_valid_after_utc.year == 9999


def test_no_room_for_the_certificate_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(CannotListen, match="No certificate") as caught:
        make_credentials()
    assert "No such file or directory" in caught.value.why
    assert "TMPDIR" in caught.value.next


# --- others, as the host meets them


async def received(other: ssl.SSLContext) -> tuple[BaseException | None, str]:
    """Have a client of kind *other* come: what we make of it, and how it ends for the client."""
    ours, theirs = lean_pair()
    refused: list[BaseException] = []

    async def accept() -> None:
        try:
            await receive_line(Carrier(ours), CREDENTIALS)
        except (TlsRefused, PeerLost) as error:
            refused.append(error)
        await ours.aclose()

    heard = ""
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(accept)
            stream = trio.SSLStream(theirs, other, https_compatible=True)
            try:
                await stream.do_handshake()
                heard = (await stream.receive_some()).decode("latin-1")
            except trio.BrokenResourceError as error:
                heard = getattr(error.__cause__, "reason", "")
            await theirs.aclose()
    return (refused[0] if refused else None), heard


async def test_a_client_that_is_limited_to_1_2_is_refused_and_told_by_an_alert() -> None:
    error, heard = await received(old(client([ALPN])))
    assert isinstance(error, TlsRefused)
    assert error.what == "The other side does not speak TLS 1.3."
    assert error.exit_code == Exit.PEER_BROKE_PROTOCOL
    assert heard == "TLSV1_ALERT_PROTOCOL_VERSION"


@pytest.mark.parametrize("alpn", [None, ["h2", "http/1.1"], ["pazaak/2"]])
async def test_a_client_without_our_alpn_is_refused_and_told_within_tls(
    alpn: list[str] | None,
) -> None:
    error, heard = await received(client(alpn))
    assert isinstance(error, TlsRefused)
    assert error.what == "The other side speaks TLS, but not pazaak."
    assert "bye" in heard
    assert heard.endswith("tls")


async def test_a_client_of_another_kind_with_our_alpn_is_as_good_as_ours() -> None:
    error, heard = await received(client(["h2", ALPN]))
    assert (error, heard) == (None, "")


async def test_a_client_that_verifies_is_one_that_breaks_off() -> None:
    context = client([ALPN])
    context.verify_mode = ssl.CERT_REQUIRED
    error, heard = await received(context)
    assert heard == "CERTIFICATE_VERIFY_FAILED"
    # trio keeps the alert that the client would send; so all we see is that it goes.
    assert isinstance(error, PeerLost)


HELLO = b"\x88\xa1t\xa5hello\xa8versions\x91\x01\xa4name\xa3Bob"


@pytest.mark.parametrize(
    ("words", "error", "answer"),
    [
        (HELLO, OnlyOneEncrypts, b"\xa3tls"),
        (b"GET / HTTP/1.1\r\n\r\n", Garbage, b"\xa3tls"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Garbage, b"\xa3tls"),
        (bytes(range(255, 0, -1)), Garbage, b"\xa3tls"),
        (b"\x16\x03\x01\x02\x00" + bytes(512), TlsRefused, b"\x02\x46"),
        (b"", PeerLost, b""),
        (b"\x16\x03\x01", PeerLost, b""),
    ],
)
async def test_what_is_not_tls_is_refused_in_a_language_it_may_know(
    words: bytes, error: type[Exception], answer: bytes
) -> None:
    ours, theirs = lean_pair()
    await theirs.send_all(words)
    await theirs.send_eof()
    with trio.fail_after(5), pytest.raises(error):
        await receive_line(Carrier(ours), CREDENTIALS)
    await ours.aclose()
    got = b""
    while piece := await theirs.receive_some():
        got += piece
    assert got.endswith(answer)
    assert bool(got) == bool(answer)
    await theirs.aclose()


# --- others, as a joiner meets them


async def dialled(answer: Callable[[Any], Any]) -> BaseException:
    """Dial one who does *answer* with its end: what we make of it."""
    ours, theirs = lean_pair()

    async def respond() -> None:
        await answer(theirs)
        await theirs.aclose()

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(respond)
            with pytest.raises((TlsRefused, PeerLost, Garbage)) as caught:
                await shake_hands(Carrier(ours), only_pazaak(ssl.PROTOCOL_TLS_CLIENT))
            await ours.aclose()
    return caught.value


def speaks(context: ssl.SSLContext) -> Callable[[Any], Any]:
    async def answer(end: Any) -> None:
        stream = trio.SSLStream(end, context, server_side=True)
        try:
            await stream.do_handshake()
            await stream.receive_some()
        except trio.BrokenResourceError:
            pass

    return answer


async def test_a_server_that_is_limited_to_1_2_is_refused() -> None:
    async def answer(end: Any) -> None:
        # By hand, as trio would keep the alert.
        into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = old(server()).wrap_bio(into, out, server_side=True)
        into.write(await end.receive_some())
        with pytest.raises(ssl.SSLError, match="UNSUPPORTED_PROTOCOL"):
            tls.do_handshake()
        await end.send_all(out.read())

    error = await dialled(answer)
    assert isinstance(error, TlsRefused)
    assert error.what == "The other side does not speak TLS 1.3."


@pytest.mark.parametrize("alpn", [["h2", "http/1.1"], ["pazaak/2"]])
async def test_a_server_without_our_alpn_is_refused(alpn: list[str]) -> None:
    error = await dialled(speaks(server(alpn)))
    assert isinstance(error, TlsRefused)
    assert error.what == "The other side speaks TLS, but not pazaak."


@pytest.mark.parametrize(
    ("words", "kind", "what"),
    [
        (HELLO, OnlyOneEncrypts, "The other side speaks pazaak without encryption."),
        (
            b"\x83\xa1t\xa3bye\xa6reason\xa4busy\xa4text\xa0",
            OnlyOneEncrypts,
            "The other side speaks pazaak without encryption.",
        ),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", Garbage, "The other side does not speak pazaak."),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Garbage, "The other side does not speak pazaak."),
        (b"\x15\x03\x03\x00\x02\x02\x46", TlsRefused, "The other side does not speak TLS 1.3."),
        (b"", PeerLost, "The connection was closed before anything was said."),
    ],
)
async def test_a_host_that_answers_without_tls_is_not_talked_to(
    words: bytes, kind: type[Exception], what: str
) -> None:
    heard = b""

    async def answer(end: Any) -> None:
        nonlocal heard
        if words:
            await end.send_all(words)
        await end.send_eof()
        while piece := await end.receive_some():
            heard += piece

    error = await dialled(answer)
    assert type(error) is kind
    assert str(error) == what
    # Nothing but the start of TLS was said, and that names nobody.
    assert heard.startswith(b"\x16\x03\x01")
    assert b"hello" not in heard


async def test_a_handshake_that_is_not_answered_is_given_up_ten_seconds_after_dialling(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's connect is replaced, so that it takes four of these seconds."""
    ours, theirs = lean_pair()

    async def slowly(host: str, port: int) -> trio.SocketStream:
        await trio.sleep(4)
        return trio.SocketStream(trio.socket.from_stdlib_socket(ours._sock))

    monkeypatch.setattr(trio, "open_tcp_stream", slowly)
    with pytest.raises(TimedOut, match="did not start encryption within 10 seconds"):
        await dial(Address("192.0.2.1"))
    assert trio.current_time() == CONNECT_SECONDS
    assert await theirs.receive_some() != b""
    assert await theirs.receive_some() == b""  # and closed
    await theirs.aclose()


async def test_a_match_over_tls_is_the_match_without() -> None:
    records = []
    for streams in (await tls_pair(), lean_pair()):
        host, guest = Side(0, "same"), Side(1, "same")
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(host.run, streams[0])
                nursery.start_soon(guest.run, streams[1])
        assert host.error is guest.error is None
        records.append((host.record.data, guest.record.data))
    assert records[0] == records[1]
