"""Bots that are programs: what they do wrong, what is told of it, and what is left of them."""

from __future__ import annotations

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from pazaak_p2p.bots.faults import BotFault, BotGarbage, CannotStart
from pazaak_p2p.bots.interface import Begin, question_text
from pazaak_p2p.bots.outside import Outside, ProgramBot, TcpBot
from pazaak_p2p.bots.outside_spec import find_outside
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import Rules, Seat, View, legal_actions
from tests.bots.outsiders import EXAMPLES, gone, group, misbehaving, python, some_views

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

VIEWS = some_views(10)
BEGIN = Begin(bytes(32), Seat.HOST, Rules(), bytes(32), False)
PATIENT = 20.0
HASTY = 0.5

FAULTS = [
    ("hang", HASTY, "bot-time", "did not answer within 0.5 seconds", "That was question 3."),
    ("crash", PATIENT, "bot-crash", "The bot ended.", "It ended with exit code 3."),
    ("killed", PATIENT, "bot-crash", "The bot ended.", "It was ended by SIGSEGV."),
    ("garbage", PATIENT, "bot-garbage", "answered question 3 with 'I stand!'", "'act 3 ACTION'"),
    ("bytes", PATIENT, "bot-garbage", "what is no line", "not UTF-8"),
    ("long", PATIENT, "bot-garbage", "what is no line", "longer than 1000 bytes"),
    ("endless", PATIENT, "bot-garbage", "what is no line", "longer than 1000 bytes"),
    ("flood", PATIENT, "bot-garbage", "answered question 3 with 'act 1 1'", "'act 3 ACTION'"),
    ("stderr", HASTY, "bot-time", "did not answer within 0.5 seconds", "\\x1b[2J"),
    ("close-output", PATIENT, "bot-crash", "The bot ended.", "It closed its output, and runs on."),
    ("close-input", HASTY, "bot-time", "did not answer", "That was question 3."),
    ("illegal", PATIENT, "bot-illegal", "chose action 99", "had actions 1 to"),
    ("other-question", PATIENT, "bot-garbage", "answered question 3 with 'act 4 1'", "concede 3"),
    ("gives-up", PATIENT, "bot-gave-up", "cannot go on", "It says: no more ideas\\x1b[0m"),
    ("child", HASTY, "bot-time", "did not answer", "That was question 3."),
    ("detached-child", PATIENT, "bot-crash", "The bot ended.", "It ended with exit code 3."),
]


def program(nursery: trio.Nursery, text: str) -> ProgramBot:
    spec = find_outside(text)
    assert spec is not None
    bot = spec.open(nursery)
    assert isinstance(bot, ProgramBot)
    return bot


def pid_of(bot: ProgramBot) -> int:
    assert bot._program is not None
    return bot._program.pid


@asynccontextmanager
async def opened(text: str) -> AsyncIterator[ProgramBot]:
    """The bot, greeted; nothing of it is left afterwards."""
    async with trio.open_nursery() as nursery:
        bot = program(nursery, text)
        await bot.open()
        pid = pid_of(bot)
        try:
            yield bot
        finally:
            await bot.close()
        await gone(pid)


@pytest.mark.parametrize(
    ("deed", "seconds", "code", "what", "why"), FAULTS, ids=[fault[0] for fault in FAULTS]
)
async def test_a_bot_that_goes_wrong_is_told_apart_and_ended_with_its_children(
    deed: str, seconds: float, code: str, what: str, why: str
) -> None:
    async with trio.open_nursery() as nursery:
        bot = program(nursery, misbehaving(deed, 3))
        await bot.open()
        pid = pid_of(bot)
        await bot.begin(BEGIN)
        for view in VIEWS[:2]:
            assert await bot.ask(view, PATIENT) == legal_actions(view.state)[-1]
        with pytest.raises(BotFault) as caught:
            await bot.ask(VIEWS[2], seconds)
        fault = caught.value
        assert fault.code == code
        assert what in fault.what
        assert why in fault.why
        assert ("seconds=30" in fault.next) is (code == "bot-time")
        if deed in ("child", "detached-child"):
            assert group(pid) != []
        await bot.close(fault)
        await gone(pid)
        assert all(text.isprintable() for text in (fault.what, fault.why, fault.next))


async def test_the_last_words_of_a_bot_that_crashed_are_told() -> None:
    async with opened(misbehaving("crash", 1)) as bot:
        with pytest.raises(BotFault) as caught:
            await bot.ask(VIEWS[0], PATIENT)
    assert caught.value.why.endswith("Its last words on standard error: it hurts\\x1b[31m")


@pytest.mark.parametrize(
    ("deed", "code"),
    [
        ("crash", "bot-crash"),
        ("garbage", "bot-garbage"),
        ("flood", "bot-garbage"),
        ("gives-up", "bot-gave-up"),
    ],
)
async def test_a_bot_that_goes_wrong_instead_of_greeting(deed: str, code: str) -> None:
    async with trio.open_nursery() as nursery:
        bot = program(nursery, misbehaving(deed, 0))
        with pytest.raises(BotFault) as caught:
            await bot.open()
        assert caught.value.code == code
        pid = pid_of(bot)
        await bot.close(caught.value)
        await gone(pid)


@pytest.mark.parametrize("then", ["", "; sleep 60", "; exit 1"])
async def test_a_wrong_greeting_is_told_whatever_the_bot_does_then(then: str) -> None:
    async with trio.open_nursery() as nursery:
        bot = program(nursery, f"cmd:sh -c 'echo hello garbage{then}'")
        with pytest.raises(BotGarbage) as caught:
            await bot.open()
        assert "'pazaak-bot 1', and is 'hello garbage'" in caught.value.why
        await bot.close(caught.value)


async def test_a_bot_may_concede() -> None:
    async with opened(misbehaving("concede", 1)) as bot:
        assert await bot.ask(VIEWS[0], PATIENT) == Concede()


async def test_a_question_that_is_taken_back_is_answered_for_nobody() -> None:
    async with opened(python(EXAMPLES / "bot.py")) as bot:
        await bot.begin(BEGIN)
        for view, then in pairwise(VIEWS):
            with trio.CancelScope() as scope:
                scope.cancel()
                await bot.ask(view, PATIENT)
            with trio.move_on_after(0.0002):
                await bot.ask(view, PATIENT)
            assert await bot.ask(then, PATIENT) in legal_actions(then.state)


async def test_a_question_that_is_longer_than_a_pipe_is_answered() -> None:
    view = max(VIEWS, key=lambda view: len(view.state.results))
    results = 900 * view.state.results  # R20: a match may have so many ties
    long = View(view.seat, replace(view.state, results=results))
    assert len(question_text(1, long, PATIENT)) > 65_536
    async with opened(python(EXAMPLES / "bot.py")) as bot:
        await bot.begin(BEGIN)
        assert await bot.ask(long, PATIENT) in legal_actions(view.state)


async def test_a_bot_that_does_not_read_cannot_hold_us_up() -> None:
    view = max(VIEWS, key=lambda view: len(view.state.results))
    long = View(view.seat, replace(view.state, results=900 * view.state.results))
    async with opened(misbehaving("hang", 1)) as bot:
        with trio.move_on_after(0.05):
            await bot.ask(VIEWS[0], PATIENT)
        start = trio.current_time()
        with pytest.raises(BotFault, match="did not answer"):
            await bot.ask(long, PATIENT)
        assert trio.current_time() - start < PATIENT


async def test_a_bot_leaves_by_itself_or_is_made_to() -> None:
    async with trio.open_nursery() as nursery:
        polite = program(nursery, python(EXAMPLES / "bot.py"))
        await polite.open()
        assert await polite.close()
        stays = program(nursery, misbehaving("stays", 1))
        await stays.open()
        pid = pid_of(stays)
        await stays.ask(VIEWS[0], PATIENT)
        assert not await stays.close()
        await gone(pid)


async def test_a_bot_is_ended_also_when_we_are_cancelled() -> None:
    with trio.CancelScope() as scope:
        async with opened(misbehaving("hang", 1)):
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("./no-such-bot", "No such file or directory"),
        (".", "Permission denied"),
        ("''", ""),
    ],
)
async def test_a_program_that_cannot_be_started(command: str, why: str) -> None:
    async with trio.open_nursery() as nursery:
        with pytest.raises(CannotStart) as caught:
            await program(nursery, f"cmd:{command}").open()
    assert why in caught.value.why


@pytest.mark.parametrize("name", ["mybot", "mybot.py"])
def test_a_program_of_this_folder_is_written_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start() -> None:
        async with trio.open_nursery() as nursery:
            with pytest.raises(CannotStart) as caught:
                await program(nursery, f"cmd:{name} --risk 3").open()
        assert f"./{name}." in caught.value.next
        assert ("mybot.py:CLASS" in caught.value.next) is (name == "mybot.py")

    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    trio.run(start)


async def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("import sys; print('error', *sys.argv[1:], flush=True)")
    async with trio.open_nursery() as nursery:
        bot = program(nursery, python(script) + " '$HOME' * ; > x 'a b'")
        with pytest.raises(BotFault) as caught:
            await bot.open()
        await bot.close(caught.value)
    assert caught.value.why == "It says: $HOME * ; > x a b"


async def test_an_option_is_set_and_told() -> None:
    async with trio.open_nursery() as nursery:
        bot = program(nursery, python(EXAMPLES / "bot.py", settings=",risk=19"))
        greeting = await bot.open()
        assert greeting.options == (("risk", "19"),)
        await bot.close()
        bot = program(nursery, misbehaving("hang", 9, ",risk=19"))
        with pytest.raises(BotFault, match="has no option risk"):
            await bot.open()
        await bot.close()


# --- TCP


async def listening() -> trio.SocketListener:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    assert isinstance(listener, trio.SocketListener)
    return listener


def port_of(listener: trio.SocketListener) -> int:
    port: int = listener.socket.getsockname()[1]
    return port


async def test_a_bot_over_tcp_is_connected_to_again_after_a_break() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = await trio.lowlevel.open_process(
        [sys.executable, "-S", str(EXAMPLES / "bot.py"), "--listen", str(port)], stdout=-1
    )
    assert process.stdout is not None
    try:
        with trio.fail_after(PATIENT):
            said = b""
            while not said.endswith(b"\n"):
                said += await process.stdout.receive_some(100)
            assert said == b"listening on 127.0.0.1:%d\n" % port
        bot: Outside = TcpBot(Address("127.0.0.1", port), ())
        for _ in range(3):
            assert (await bot.open()).name == "Python example"
            await bot.begin(BEGIN)
            for view in VIEWS:
                assert await bot.ask(view, PATIENT) in legal_actions(view.state)
            await bot.close()
    finally:
        process.kill()
        await process.wait()
        await process.stdout.aclose()


async def test_nobody_listens() -> None:
    listener = await listening()
    port = port_of(listener)
    await listener.aclose()
    with pytest.raises(CannotStart, match=f"There is no bot at 127.0.0.1:{port}"):
        await TcpBot(Address("127.0.0.1", port), ()).open()


async def test_one_that_does_not_greet_over_tcp(autojump_clock: trio.testing.MockClock) -> None:
    async with await listening() as listener:
        bot = TcpBot(Address("127.0.0.1", port_of(listener)), ())
        start = trio.current_time()
        with pytest.raises(BotFault, match="did not greet within 10 seconds") as caught:
            await bot.open()
        assert trio.current_time() - start == 10
        assert "flush" in caught.value.next
        assert "seconds=" not in caught.value.next  # which would give it no more time for this
        await bot.close()


async def test_one_that_hangs_up_over_tcp() -> None:
    async with await listening() as listener, trio.open_nursery() as nursery:

        async def hang_up() -> None:
            async with await listener.accept() as stream:
                await stream.receive_some(1)

        nursery.start_soon(hang_up)
        bot = TcpBot(Address("127.0.0.1", port_of(listener)), ())
        with pytest.raises(BotFault) as caught:
            await bot.open()
        assert (caught.value.code, caught.value.why) == ("bot-crash", "It closed the connection.")
        await bot.close(caught.value)
