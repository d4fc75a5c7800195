"""A joiner reaches something that is no pazaak host, over real sockets of this machine."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.cli.guest import Guest
from pazaak_p2p.cli.introduction import NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.net.certificate import make_credentials
from pazaak_p2p.net.errors import HungUp, NotPazaak, OnlyOneEncrypts, TimedOut
from pazaak_p2p.store import find_saved
from tests.survive.cases import CASES
from tests.survive.rig import Player
from tests.survive.test_wearing import Fleeting, Slow, play

Answer = Callable[[trio.SocketStream], Awaitable[None]]
CHECK = "Check the address and the port: 'pazaak host' prints the line to type."


@pytest.fixture
def patient_clock() -> trio.testing.MockClock:
    """Jumps only when the sockets have been quiet for a while too."""
    return trio.testing.MockClock(autojump_threshold=0.05)


async def https(stream: trio.SocketStream, alpn: list[str] | None = None) -> None:
    """A web server that is encrypted."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    make_credentials(context)
    if alpn is not None:
        context.set_alpn_protocols(alpn)
    tls = trio.SSLStream(stream, context, server_side=True)
    await tls.do_handshake()
    await tls.receive_some()


async def old_tls(stream: trio.SocketStream) -> None:
    """The alert of a server that knows nothing newer than TLS 1.2."""
    await stream.receive_some()
    await stream.send_all(b"\x15\x03\x03\x00\x02\x02\x46")


async def says(words: bytes, stream: trio.SocketStream) -> None:
    await stream.send_all(words)
    await stream.receive_some()


async def answers(words: bytes, stream: trio.SocketStream) -> None:
    await stream.receive_some()
    await stream.send_all(words)


async def silent(stream: trio.SocketStream) -> None:
    while await stream.receive_some():
        pass


async def closes(stream: trio.SocketStream) -> None:
    await stream.receive_some()


http = partial(answers, b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
ssh = partial(says, b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
mail = partial(says, b"220 mail.example.org ESMTP\r\n")


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[int]:
    """The port at which *answer* is what everybody gets."""

    async def handle(stream: trio.SocketStream) -> None:
        async with stream:
            with suppress(trio.BrokenResourceError):  # the joiner has gone
                await answer(stream)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, handle, 0, host="127.0.0.1"))
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def join(
    player: Player, answer: Answer, *, plain: bool = False, resume: bool = False
) -> tuple[PazaakError, str]:
    """What a joiner is told who comes upon *answer*, and its address."""
    folder = player.folder
    async with serving(answer) as port:
        route = Route(False, "127.0.0.1", port, plain)
        seat = BotSeat(player.entrant)
        kept = Keeping(player.entrant, seat, folder, route, sync=False)
        guest = Guest(
            player.entrant, seat, player.notes, NoIntroductions(), route, kept, grace=600.0
        )
        if resume:
            kept.take_up(find_saved(folder, None))
        with trio.fail_after(30), pytest.raises(PazaakError) as caught:
            await (guest.resume(kept.take_stock()) if resume else guest.join(None, None))
    return caught.value, f"127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("answer", "plain", "why"),
    [
        (https, False, "It speaks TLS, as a web server does, but not pazaak."),
        (
            partial(https, alpn=["h2", "http/1.1"]),
            False,
            "It speaks TLS, as a web server does, but not pazaak.",
        ),
        (old_tls, False, "It speaks TLS, as a web server does, but not pazaak."),
        (old_tls, True, "It speaks TLS, as a web server does, but not pazaak."),
        (http, False, "It speaks HTTP, as a web server does."),
        (http, True, "It speaks HTTP, as a web server does."),
        (ssh, False, "It speaks SSH."),
        (ssh, True, "It speaks SSH."),
        (mail, False, "What it says is not pazaak."),
        (mail, True, "What it says is not pazaak."),
    ],
)
async def test_one_who_speaks_something_else_is_no_pazaak_host(
    tmp_path: Path, answer: Answer, plain: bool, why: str
) -> None:
    player = Player(1, CASES[0], tmp_path)
    error, address = await join(player, answer, plain=plain)
    assert type(error) is NotPazaak
    assert error.exit_code is Exit.NO_CONNECTION
    assert (error.code, error.what) == ("not-pazaak", f"{address} is no pazaak host.")
    assert (error.why, error.next) == (why, CHECK)
    assert player.records == []


@pytest.mark.parametrize("plain", [False, True])
async def test_one_who_closes_may_be_busy_or_no_host(tmp_path: Path, plain: bool) -> None:
    error, address = await join(Player(1, CASES[0], tmp_path), closes, plain=plain)
    assert type(error) is HungUp
    assert error.exit_code is Exit.NO_CONNECTION
    assert error.what == f"{address} took the connection, and closed it before it had greeted."
    assert error.why.endswith("or it is no pazaak host.")


@pytest.mark.parametrize(
    ("plain", "what"),
    [
        (False, "took the connection, but did not start encryption within 10 seconds."),
        (True, "took the connection, and did not greet within ten seconds."),
    ],
)
async def test_one_who_says_nothing_is_given_up_after_ten_seconds(
    tmp_path: Path, patient_clock: trio.testing.MockClock, plain: bool, what: str
) -> None:
    error, address = await join(Player(1, CASES[0], tmp_path), silent, plain=plain)
    assert type(error) is TimedOut
    assert error.exit_code is Exit.NO_CONNECTION
    assert error.what == f"{address} {what}"
    assert "no pazaak" in error.why or "not pazaak" in error.why
    assert 10.0 <= trio.current_time() < 11.0


async def test_a_pazaak_that_does_not_encrypt_is_told_apart(tmp_path: Path) -> None:
    bye = b"\x83\xa1t\xa3bye\xa6reason\xa4busy\xa4text\xa0"
    error, _ = await join(Player(1, CASES[0], tmp_path), partial(answers, bye))
    assert type(error) is OnlyOneEncrypts
    assert error.exit_code is Exit.MISFIT


async def test_who_resumes_does_not_go_on_asking_a_web_server(
    tmp_path: Path, patient_clock: trio.testing.MockClock
) -> None:
    """Nobody is there who could come back; but the match is kept."""
    host = Player(0, CASES[2], tmp_path / "host", grace=1.0, sits=Slow)
    player = Player(1, CASES[2], tmp_path / "join", grace=1.0)
    await play(host, player, Fleeting(lives=1.0, gone=1000.0))
    assert player.kept
    error, address = await join(player, http, resume=True)
    assert type(error) is NotPazaak
    assert error.what == f"{address} is no pazaak host."
    assert player.kept
