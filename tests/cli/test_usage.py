"""The command line within this process: help, usage errors, and what they end with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p import __version__
from pazaak_p2p.bots import LEVELS
from pazaak_p2p.cli.host import _with_port
from pazaak_p2p.cli.output import make_output
from pazaak_p2p.cli.program import run
from pazaak_p2p.errors import Exit

TEN = "+1 +2 +3 +4 +5 +6 -1 -2 -3"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path))
    return tmp_path


def test_pazaak_alone_shows_what_most_people_want(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert len(lines) < 32
    # What most people want is still to be seen where there are no more than 24 lines.
    shown = "\n".join(lines[-23:])
    wanted = ("play  ", "play --tutorial", "host", "join 192.168.1.5")
    assert all(f"  pazaak {each}" in shown for each in wanted)
    assert all(name in shown for name in ("  play  ", "  seeds  "))


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize(
    "command",
    [
        (),
        ("play",),
        ("host",),
        ("join",),
        ("rules",),
        ("bot",),
        ("bot", "list"),
        ("bot", "show"),
        ("bot", "check"),
        ("deck",),
        ("deck", "list"),
        ("deck", "show"),
        ("deck", "export"),
        ("deck", "import"),
        ("deck", "edit"),
        ("history",),
        ("stats",),
    ],
)
def test_every_command_has_help_with_examples(
    capsys: pytest.CaptureFixture[str], command: Sequence[str], flag: str
) -> None:
    assert run([*command, flag]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Usage: pazaak")
    if command not in ((), ("bot",), ("deck",)):
        assert "Examples:" in out
        assert f"\n    pazaak {' '.join(command)}" in out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"pazaak {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nope"], "usage", "No such command 'nope'"),
        (["--nope"], "usage", "--nope"),
        (["play", "--nope"], "usage", "--nope"),
        (["join"], "usage", "HOST[:PORT]"),
        (["join", "a", "b"], "usage", "b"),
        (["join", "a b"], "address", "no address"),
        (["join", "a:99999"], "address", "port"),
        (["join", "[::1"], "address", "brackets"),
        (["host", "--port", "x"], "usage", "--port"),
        (["host", "--port", "70000"], "usage", "70000"),
        (["host", "--bot"], "usage", "--bot"),
        (["play", "--against", "nobody"], "bot", "There is no bot 'nobody'"),
        (["play", "--bot", "threshold:99"], "bot", "threshold:99"),
        (["play", "--bot", "script:/no/such"], "script", "cannot be read"),
        (["play", "--rules", "nope"], "rules", "There is no rule set 'nope'"),
        (["play", "--rules", "sets=10"], "rules", "10"),
        (["join", "127.0.0.1", "--rules", "gold=maybe"], "rules", "maybe"),
        (["play", "--deck", "nope"], "deck", "There is no side deck 'nope'"),
        (["play", "--deck", f"{TEN} +19"], "card", "'+19'"),
        (["play", "--deck", TEN], "deck", "9 cards, not 10"),
        (["play", "--against-deck", "nope"], "deck", "nope"),
        (["play", "--deck", "/no/such.toml"], "deck-file", "cannot be read"),
        (["play", "--deck", "hard", "--rules", "kotor1"], "deck", "gold"),
        (["host", "--deck", "hard", "--rules", "gold=off"], "deck", "gold"),
        (["play", "--name", ""], "usage", "name"),
        (["play", "--name", "x" * 33], "usage", "name"),
        (["play", "--name", "a\x1b[31m"], "usage", "name"),
        (["rules", "--rules", "nope"], "rules", "nope"),
        (["bot", "nope"], "usage", "nope"),
        (["bot", "show", "cmd:true"], "bot", "There is no bot 'cmd:true'"),
        (["bot", "check", "threshold"], "usage", "threshold needs no check"),
        (["bot", "check", "cmd:"], "bot", "There is no bot 'cmd:'"),
        (["bot"], "usage", "'pazaak bot' alone does nothing"),
        (["seeds"], "usage", "'pazaak seeds' alone does nothing"),
        (["play", "--against", ""], "bot", "There is no bot ''"),
    ],
)
def test_usage_errors_have_three_parts_and_end_with_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: str, says: str
) -> None:
    assert run(arguments) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("pazaak: ")
    assert says in lines[0]
    assert [line[:8] for line in lines[1:]] == ["  Why:  ", "  Next: "]
    assert all(len(line) > 12 for line in lines)
    assert "Traceback" not in err
    assert "\x1b" not in err
    # The same for scripts, as one object on standard output.
    if arguments[-1] in ("nope", "--bot", "--nope", "bot", "seeds"):
        return
    assert run([*arguments, "--json"]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert err == ""
    event: dict[str, Any] = json.loads(out)
    assert event["event"] == "error"
    assert event["code"] == code
    assert says in event["what"]
    assert event["why"]
    assert event["next"]


def test_a_broken_deck_file_names_the_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "my.toml"
    file.write_text('cards = ["+1",\n"+1"\n"+2"]\n')
    assert run(["play", "--bot", "random", "--deck", str(file)]) == Exit.USAGE
    assert f"{file}, line 3, column" in capsys.readouterr().err


def test_unknown_things_say_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    run(["play", "--against", "x"])
    assert "random, novice, classic, careful, expert, master, threshold," in capsys.readouterr().err
    run(["play", "--deck", "x"])
    assert "starter, average, nightmare" in capsys.readouterr().err
    run(["play", "--rules", "x"])
    assert "standard, kotor1, kotor2, tournament" in capsys.readouterr().err
    run(["x"])
    assert "play, host, join" in capsys.readouterr().err


def test_a_traceback_only_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    run(["play", "--deck", "nope", "--debug"])
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "pazaak: There is no side deck 'nope'" in err


def test_a_fault_of_ours_is_said_to_be_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str) -> None:
        raise ZeroDivisionError("some \x1b[31m reason")

    monkeypatch.setattr("pazaak_p2p.cli.rules.parse_rules", broken)
    assert run(["rules"]) == Exit.FAULT
    err = capsys.readouterr().err
    assert "fault of the program" in err
    assert "ZeroDivisionError: some \\x1b[31m reason" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["host"], "pazaak host --port 7778"),
        (["host", "--port", "7777", "--serve"], "pazaak host --serve --port 7778"),
        (["host", "--port=7777"], "pazaak host --port 7778"),
        (["host", "--insecure-plain"], "pazaak host --insecure-plain --port 7778"),
        (["host", "--name", "Ann B"], "pazaak host --name 'Ann B' --port 7778"),
    ],
)
def test_the_command_with_a_free_port_keeps_the_other_options(
    arguments: list[str], expected: str
) -> None:
    assert _with_port(arguments, 7778) == expected


# --- rules and bots


def test_the_rules_are_all_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    out = capsys.readouterr().out
    numbers = re.findall(r"^(R\d+) ", out, re.MULTILINE)
    assert numbers == [f"R{number}" for number in range(1, 22)]
    assert all(len(line) <= 80 for line in out.splitlines())


@pytest.mark.parametrize(
    ("rules", "says", "not_said"),
    [
        ("standard", ["any number of each kind", "no limit to the number of sets"], ["seconds"]),
        ("tournament", ["at most 4", "2 of one gold", "60 seconds", "After 15 sets"], ["no limit"]),
        ("kotor1", ["no gold cards", "The host opens", "makes you stand"], ["R14", "R15", "2&4"]),
        ("opener=random", ["A fair draw"], ["The other player opens"]),
        ("opener=loser", ["The loser of the set"], []),
        ("opener=winner", ["The winner of the set"], []),
        ("auto_stand=off", ["you choose as at any other"], ["you stand at once"]),
        ("tiebreaker=last", ["as the last card"], []),
        ("tiebreaker=at-tie", ["may lay down"], []),
        ("sets=1", ["First to win one set"], []),
    ],
)
def test_the_rules_are_told_as_the_rule_set_has_them(
    capsys: pytest.CaptureFixture[str], rules: str, says: list[str], not_said: list[str]
) -> None:
    assert run(["rules", "--rules", rules]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for text in says:
        assert text in out
    for text in not_said:
        assert text not in out


def test_the_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--rules", "tournament,sets=5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["name"] == "tournament,sets=5"
    assert told["options"]["turn_seconds"] == 60
    assert len(told["rules"]) == 21


def test_the_bots_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bot", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("random ")
    assert run(["bot", "list", "--json"]) == 0
    bots = [json.loads(line)["bot"] for line in capsys.readouterr().out.splitlines()]
    outside = ["cmd:COMMAND", "tcp:HOST:PORT", "FILE.py:CLASS"]
    assert bots == [*LEVELS, "threshold", "threshold:N", "script:FILE", *outside]


# --- Ctrl-C before there is anything that could say goodbye


@pytest.mark.parametrize("command", ["play", "host", "join", "rules", "bot", "seeds"])
def test_ctrl_c_while_a_command_loads(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", interrupted)
    assert run([command]) == Exit.INTERRUPTED
    assert "fault" not in "".join(capsys.readouterr())


def test_ctrl_c_while_the_program_loads() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pazaak_p2p.cli.program':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "sys.argv = ['pazaak', 'rules']\n"
        "from pazaak_p2p.cli import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.INTERRUPTED, b"", b"")


def test_a_group_alone_names_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds"]) == Exit.USAGE
    err = capsys.readouterr().err
    assert "The commands of 'pazaak seeds' are list, run, update." in err
    assert len(err.splitlines()) == 3


@pytest.mark.parametrize(
    ("system", "quoted"), [("posix", "--name 'Ann B'"), ("nt", '--name "Ann B"')]
)
def test_the_command_with_a_free_port_is_quoted_as_the_shell_wants_it(
    monkeypatch: pytest.MonkeyPatch, system: str, quoted: str
) -> None:
    monkeypatch.setattr("pazaak_p2p.cli.host._WINDOWS", system == "nt")
    assert quoted in _with_port(["host", "--name", "Ann B"], 7778)


def test_a_machine_without_an_address_still_waits(capsys: pytest.CaptureFixture[str]) -> None:
    with make_output(json=False, bot=True) as output:
        output.listening([], 7777)
    out = capsys.readouterr().out
    assert out.startswith("Waiting for one opponent.")
    assert "no address now; port 7777" in out
