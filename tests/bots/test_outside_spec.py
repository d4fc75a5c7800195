"""Bots from outside as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from pazaak_p2p.bots import find_bot
from pazaak_p2p.bots.errors import UnknownBot
from pazaak_p2p.bots.faults import NotAtOnce
from pazaak_p2p.bots.outside import ProgramBot, TcpBot
from pazaak_p2p.bots.outside_spec import OutsideSpec, find_outside
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.errors import AddressError


def spec(text: str) -> OutsideSpec:
    found = find_outside(text)
    assert found is not None
    assert found.text == text
    return found


async def test_a_command_is_split_into_words() -> None:
    async with trio.open_nursery() as nursery:
        bot = spec("cmd:./my bot --risk '3 4'").open(nursery)
        assert isinstance(bot, ProgramBot)
        assert bot._argv == ["./my", "bot", "--risk", "3 4"]
        bot = spec("cmd,risk=3,book=a b:./bot:x").open(nursery)
        assert isinstance(bot, ProgramBot)
        assert bot._argv == ["./bot:x"]
        assert bot._options == (("risk", "3"), ("book", "a b"))


async def test_an_address_is_read() -> None:
    async with trio.open_nursery() as nursery:
        for text, address in (
            ("tcp:127.0.0.1:9000", Address("127.0.0.1", 9000)),
            ("tcp,risk=3:[::1]:9000", Address("::1", 9000)),
        ):
            bot = spec(text).open(nursery)
            assert isinstance(bot, TcpBot)
            assert bot._address == address


def test_settings() -> None:
    assert (spec("cmd:a").seconds, spec("cmd:a").restarts) == (10, 0)
    both = spec("cmd,seconds=0.25,restart=3:a")
    assert (both.seconds, both.restarts) == (0.25, 3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cmd:", "comes the command"),
        ("cmd:  ", "comes the command"),
        ("cmd:'a", "No closing quotation"),
        ("cmd,restart:a", "NAME=VALUE"),
        ("cmd,restart=x:a", "restart goes from 0 to 100"),
        ("cmd,restart=101:a", "restart goes from 0 to 100"),
        ("cmd,restart=-1:a", "restart goes from 0 to 100"),
        ("cmd,seconds=0:a", "above 0 and up to 3600"),
        ("cmd,seconds=nan:a", "above 0 and up to 3600"),
        ("cmd,seconds=3601:a", "above 0 and up to 3600"),
        ("cmd,Risk=3:a", "NAME=VALUE"),
        ("cmd,risk=:a", "NAME=VALUE"),
        ("cmd,risk=1,risk=2:a", "each once"),
        ("cmd:a\x1b[31m", "printable"),
        ("cmd:" + "x" * 4000, "at most 4000 characters"),
        ("tcp:127.0.0.1", "with its port"),
        ("tcp:", "with its port"),
        ("py:x", "FILE.py:CLASS"),
        ("hal9000", "The bots are random"),
    ],
)
def test_what_cannot_be(text: str, why: str) -> None:
    with pytest.raises(UnknownBot) as caught:
        find_bot(text)
    assert why in caught.value.why
    assert caught.value.what.isprintable()


def test_an_address_that_is_none() -> None:
    with pytest.raises(AddressError):
        find_bot("tcp:a/b:9000")


def test_a_program_cannot_play_where_choices_are_taken_at_once() -> None:
    bot = find_bot("cmd:./mybot")
    assert bot.outside is not None
    with pytest.raises(NotAtOnce, match=r"\./mybot"):
        bot.make(bytes(32))


def test_a_text_of_others_runs_nothing(tmp_path: Path) -> None:
    file, ran = tmp_path / "evil.py", tmp_path / "ran"
    file.write_text(f"open({str(ran)!r}, 'w').close()\nclass Bot: choose = None\n")
    for text in (f"{file}:Bot", f"py:{file}:Bot", f"cmd:touch {ran}", "tcp:127.0.0.1:9000"):
        with pytest.raises(UnknownBot, match="There is no bot"):
            find_bot(text, runs_programs=False)
    assert not ran.exists()


def test_built_in_bots_are_none_from_outside() -> None:
    for text in ("random", "threshold", "threshold:18"):
        assert find_bot(text).outside is None


def test_a_program_or_a_file_that_is_typed_as_it_is_run_is_told_how_to_be_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "mybot.py").touch()
    for typed, told in (
        (
            "./mybot.py --risk 3",
            "type cmd:./mybot.py --risk 3, or a Python class ./mybot.py:CLASS.",
        ),
        ("mybot.py", "type cmd:./mybot.py, or a Python class mybot.py:CLASS."),
        ("./nothing --risk 3", "Type: pazaak bot list"),
        ("~nobody-of-that-name/x", "Type: pazaak bot list"),
        ("", "Type: pazaak bot list"),
        ("\0", "Type: pazaak bot list"),
    ):
        with pytest.raises(UnknownBot) as caught:
            find_bot(typed, folder=tmp_path)
        assert told in caught.value.next
