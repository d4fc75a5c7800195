"""Bots from outside, through the front door: processes of their own beside those of the program."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p.bots import outside
from pazaak_p2p.errors import Exit
from tests.bots.outsiders import EXAMPLES, misbehaving, python, running
from tests.cli.ran import Ran
from tests.e2e.processes import SECONDS, Pazaak, hosting, join

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

SHELL = f"cmd:{EXAMPLES / 'bot.sh'}"
PYTHON = python(EXAMPLES / "bot.py")
NODE = shutil.which("node")


def marked(folder: Path, deed: str, at: int, settings: str = "") -> str:
    """The bot of ``misbehaving.py``, with *folder* in its command line."""
    return f"{misbehaving(deed, at, settings)} {folder}"


def until_gone(folder: Path) -> None:
    """A killed process that is no child of ours is gone in a moment, and can only be looked for."""
    end = time.monotonic() + SECONDS
    while left := running(str(folder)):
        assert time.monotonic() < end, left
        time.sleep(0.01)


@pytest.mark.parametrize("bot", [SHELL, PYTHON, "node", "class"])
def test_an_example_hosts_a_match(bot: str, tmp_path: Path) -> None:
    if bot == "node":
        if NODE is None:
            pytest.skip("there is no Node.js here")
        bot = f"cmd:{NODE} {EXAMPLES / 'bot.js'}"
    if bot == "class":
        bot = f"{EXAMPLES / 'stand17.py'}:Stand17"
    with hosting(tmp_path / "host", bot=bot) as (host, address):
        with join(address, tmp_path / "join") as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    assert (host.stderr, guest.stderr) == ("", "")
    (ours,), (theirs,) = host.of("result"), guest.of("result")
    assert {**ours, "record": ""} == {**theirs, "record": ""}
    assert ours["termination"] == "normal"
    (verdict,) = host.verdicts()
    assert verdict.clean
    assert verdict.complete


def test_a_thread_that_a_class_leaves_behind_keeps_nobody_waiting(tmp_path: Path) -> None:
    (tmp_path / "leaves.py").write_text(
        "import threading, time\n"
        "print('a word')\n"
        "from pazaak_p2p.rules import legal_actions\n"
        "class Leaves:\n"
        "    def choose(self, view):\n"
        "        print('a word')\n"
        "        threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "        return legal_actions(view.state)[-1]\n"
    )
    bot = f"{tmp_path}/leaves.py:Leaves"
    with Pazaak("play", "--bot", bot, "--against", "random", "--json", home=tmp_path) as play:
        assert play.finish_json() == 0
    assert play.of("result")[0]["termination"] == "normal"
    # What it prints when it is loaded, and when it is asked, is none of a script's lines.
    assert set(play.stderr.splitlines()) == {"a word"}
    assert play.stderr.count("a word") > 2


def test_two_programs_play_each_other_on_this_machine(tmp_path: Path) -> None:
    arguments = ["--bot", SHELL, "--against", PYTHON, "--json"]
    with Pazaak("play", *arguments, home=tmp_path) as play:
        assert play.finish_json() == 0
    assert play.stderr == ""
    assert play.of("result")[0]["termination"] == "normal"


@pytest.mark.parametrize(
    ("deed", "settings", "code"),
    [
        ("crash", "", "bot-crash"),
        ("hang", ",seconds=0.5", "bot-time"),
        ("flood", "", "bot-garbage"),
        ("child", ",seconds=0.5", "bot-time"),
    ],
)
def test_a_host_that_serves_outlives_what_its_bot_does(
    deed: str, settings: str, code: str, tmp_path: Path
) -> None:
    bot = marked(tmp_path, deed, 2, settings)
    with hosting(tmp_path / "host", "--serve", bot=bot) as (host, address):
        for number in range(2):
            with join(address, tmp_path / f"join{number}") as guest:
                assert guest.finish_json() == 0
            (result,) = guest.of("result")
            assert (result["termination"], result["winner"]) == ("concession", "join")
            assert host.until("result")["termination"] == "concession"
        host.signal(signal.SIGTERM)
        assert host.finish_json() == Exit.INTERRUPTED
    faults = [event for event in host.of("error") if event["code"] != "interrupted"]
    assert [fault["code"] for fault in faults] == [code, code]
    assert all(fault[part] for fault in faults for part in ("what", "why", "next"))
    assert [verdict.clean and verdict.complete for verdict in host.verdicts()] == [True, True]
    until_gone(tmp_path)


def test_a_bot_that_is_restarted_goes_on_in_the_match(tmp_path: Path) -> None:
    bot = marked(tmp_path, "crash", 2, ",restart=100")
    with hosting(tmp_path / "host", bot=bot) as (host, address):
        with join(address, tmp_path / "join") as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    assert host.of("result")[0]["termination"] == "normal"
    assert host.of("error") == []
    notes = [event["note"] for event in host.of("restart")]
    for number, note in enumerate(notes, start=1):
        assert note.startswith("The bot ended. It ended with exit code 3.")
        assert note.endswith(f" again ({number} of 100).")
    assert notes
    assert host.stderr == "".join(f"pazaak: {note}\n" for note in notes)
    until_gone(tmp_path)


@pytest.mark.parametrize(
    "bot",
    ["cmd:./no-such-bot", "tcp:127.0.0.1:1", "nowhere.py:Bot", misbehaving("garbage", 0)],
)
def test_a_bot_that_cannot_play_is_told_before_anybody_is_waited_for(
    bot: str, tmp_path: Path
) -> None:
    with Pazaak("host", "--port", "0", "--json", "--bot", bot, home=tmp_path) as host:
        assert host.finish_json() == Exit.USAGE
    (error,) = host.events
    assert error["event"] == "error"
    assert error["code"].startswith("bot-")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_host_that_is_interrupted_takes_its_bot_along(
    number: signal.Signals, tmp_path: Path
) -> None:
    bot = marked(tmp_path, "stays", 1)
    with hosting(tmp_path / "host", bot=bot) as (host, _):
        assert any(line.startswith(f"{sys.executable} -S") for line in running(str(tmp_path)))
        host.signal(number)
        assert host.finish_json() == Exit.INTERRUPTED
    until_gone(tmp_path)


def test_a_host_that_is_killed_leaves_a_bot_that_sees_the_end_of_its_input(
    tmp_path: Path,
) -> None:
    with hosting(tmp_path / "host", bot=f"{PYTHON} {tmp_path}") as (host, _):
        host.signal(signal.SIGKILL)
        assert host.finish() == -signal.SIGKILL
    until_gone(tmp_path)


def test_a_killed_match_goes_on_with_the_bot_asked_from_the_position(tmp_path: Path) -> None:
    home = tmp_path / "host"
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--bot", PYTHON]
    killed = Pazaak(
        "write:12:after", "host", *options, home=home, program=("-m", "tests.e2e.killed")
    )
    with killed as host:
        address = f"127.0.0.1:{host.until('listening')['port']}"
        guest = Pazaak("join", address, "--json", "--bot", SHELL, home=tmp_path / "join")
        with guest:
            assert host.finish() == -signal.SIGKILL
            with Pazaak("resume", "--json", home=home) as again:
                assert again.finish_json() == 0
            assert guest.finish_json() == 0
    (back,) = again.of("back")
    (ours,), (theirs,) = again.of("result"), guest.of("result")
    assert ours["match_id"] == theirs["match_id"] == back["match_id"]
    assert ours["transcript"] == theirs["transcript"]
    assert ours["termination"] == theirs["termination"] == "normal"
    assert [event["event"] for event in guest.events].count("back") == 1


def test_debug_shows_where_a_class_failed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    def choose(self, view):\n        return 1 / 0\n")
    arguments = ["--bot", f"{file}:Mine", "--json"]
    for debug in ([], ["--debug"]):
        with Pazaak("play", *arguments, *debug, home=tmp_path) as play:
            assert play.finish_json() == 0
        (error,) = play.of("error")
        assert error["code"] == "bot-crash"
        assert error["why"] == "mine.py, line 3: ZeroDivisionError: division by zero"
        assert ("Traceback" in play.stderr) is bool(debug)
        assert play.of("result")[0]["termination"] == "concession"


# --- bot check


def checked(*arguments: str, home: Path, code: int) -> dict[str, dict[str, Any]]:
    """The findings of ``bot check`` by name, the last line under ``checked``."""
    with Pazaak("bot", "check", "--json", *arguments, home=home) as check:
        assert check.finish_json() == code, check.stderr
        assert check.stderr == ""
    return {event.get("check", "checked"): event for event in check.events}


@pytest.mark.parametrize("bot", [SHELL, PYTHON, "node", "class"])
def test_the_examples_pass_the_check(bot: str, tmp_path: Path) -> None:
    if bot == "node":
        if NODE is None:
            pytest.skip("there is no Node.js here")
        bot = f"cmd:{NODE} {EXAMPLES / 'bot.js'}"
    if bot == "class":
        bot = f"{EXAMPLES / 'stand17.py'}:Stand17"
    found = checked(bot, home=tmp_path, code=0)
    parts = ["greeting", "positions", "questions taken back", "restarts", "matches", "leaving"]
    assert list(found) == [*parts, "checked"]
    assert all(event["ok"] for event in found.values())
    assert found["positions"]["what"].startswith("300 positions answered: 23 kinds of cards")
    assert found["checked"]["answers"] > 300
    assert 0 < found["checked"]["median_ms"] <= found["checked"]["max_ms"]


@pytest.mark.parametrize(
    ("deed", "at", "settings", "wrong"),
    [
        ("garbage", 0, "", {"greeting": "greets in words"}),
        ("illegal", 250, "", {"positions": "chose action 99"}),
        ("hang", 200, ",seconds=0.5", {"positions": "did not answer within 0.5 seconds"}),
        (
            "crash",
            1,
            "",
            {
                "positions": "The bot ended.",
                "questions taken back": "The bot ended.",
                "restarts": "The bot ended.",
                "matches": "The bot ended.",
            },
        ),
    ],
)
def test_the_check_finds_what_is_wrong(
    deed: str, at: int, settings: str, wrong: dict[str, str], tmp_path: Path
) -> None:
    bot = marked(tmp_path, deed, at, settings)
    found = checked(bot, "--matches", "1", home=tmp_path, code=Exit.PEER_BROKE_PROTOCOL)
    bad = {name: event for name, event in found.items() if not event["ok"]}
    assert bad.pop("checked")["wrong"] == len(wrong)
    assert {name: event["what"] for name, event in bad.items()}.keys() == wrong.keys()
    for name, words in wrong.items():
        assert words in bad[name]["what"]
        assert bad[name]["why"]
        assert bad[name]["next"]
        assert "bot check" not in bad[name]["next"]  # which is what they have typed
    until_gone(tmp_path)


def test_the_check_finds_a_bot_that_does_not_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "QUIT_SECONDS", 0.1)  # as often as it starts it, and it never goes
    bot = tmp_path / "bot.sh"
    bot.write_text(
        "#!/bin/sh\n"
        "trap '' TERM\n"
        "printf '%s\\n' 'pazaak-bot 1' 'name stays' ready\n"
        "while read -r key number rest; do\n"
        "    case $key in\n"
        "    choose) n=$number ;;\n"
        '    end) [ -z "$n" ] || echo "act $n 1"; n= ;;\n'
        "    esac\n"
        "done\n"
        "while :; do sleep 1000; done\n"
    )
    bot.chmod(0o755)
    check = Ran(tmp_path, "bot", "check", str(bot), "--matches", "2")
    assert (check.code, check.err) == (Exit.PEER_BROKE_PROTOCOL, "")
    lines = check.out.splitlines()
    assert [line for line in lines if line.startswith("WRONG")] == [
        "WRONG  leaving: The bot does not leave when it is told to."
    ]
    why = lines[lines.index("WRONG  leaving: The bot does not leave when it is told to.") + 1]
    assert why.startswith("         Why:  It was told 'quit' and its input was closed")
    assert lines[-1] == "The bot has to be mended."
    until_gone(tmp_path)


def test_the_check_takes_a_command_alone_and_tells_what_cannot_be_started(tmp_path: Path) -> None:
    found = checked("./no-such-bot --x", home=tmp_path, code=Exit.PEER_BROKE_PROTOCOL)
    assert list(found) == ["greeting", "checked"]
    assert found["greeting"]["what"] == "The bot './no-such-bot' cannot be started."
    assert os.strerror(2) in found["greeting"]["why"]


GARBAGE = "[line.send_bytes(b'abcde') for line in gc.get_objects() if type(line) is Connection]"
"""In place of what its process tells the one that started it."""


@pytest.mark.parametrize(
    ("deed", "done"),
    [("os._exit(0)", "ended"), ("os.closerange(0, 100)", "ended"), (GARBAGE, "cut off")],
)
def test_the_check_tells_of_a_class_that_takes_its_process_along(
    deed: str, done: str, tmp_path: Path
) -> None:
    (tmp_path / "ends.py").write_text(
        "import gc, os, time\n"
        "from multiprocessing.connection import Connection\n"
        "from pazaak_p2p.rules import legal_actions\n"
        "print('a word')\n"
        "class Ends:\n"
        "    def choose(self, view):\n"
        f"        {deed}\n"
        "        time.sleep(5)\n"
        "        return legal_actions(view.state)[0]\n"
    )
    arguments = ["bot", "check", f"{tmp_path}/ends.py:Ends", "--json", "--positions", "5"]
    with Pazaak(*arguments, home=tmp_path) as check:
        assert check.finish_json() == Exit.PEER_BROKE_PROTOCOL
    greeting, positions, verdict = check.events
    assert greeting["ok"]
    assert (positions["check"], positions["ok"]) == ("positions", False)
    assert positions["what"] == f"The bot has {done} the process that it runs in."
    assert verdict == {"event": "checked", "ok": False, "wrong": 1}
    assert check.stderr == "a word\n"
