"""Persons at real terminals: the whole program, from the command to the prompt that comes after."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.errors import Exit
from tests.e2e.persons import CTRL_C, check, pazaak, play_on
from tests.e2e.processes import Pazaak, hosting
from tests.verifier import verify


def test_a_match_against_a_bot_by_hand(tmp_path: Path) -> None:
    with pazaak(tmp_path, "play", "--rules", "sets=1", "--seed", "by hand", fresh=True) as terminal:
        terminal.wait_for("Your turn.")
        terminal.send("9")  # no such card
        terminal.wait_for("Your hand has the cards 1 to 4")
        terminal.send("s")  # what it says in place of "Your turn."
        terminal.wait_gone("Your hand has the cards 1 to 4")
        play_on(terminal, leave="a")
        terminal.wait_gone("key leaves")
        play_on(terminal)  # another match, with draws of its own
        check(terminal.finish(), 0)
        assert "Both side decks have been opened and checked" in terminal.everything()
        assert "Record: " in terminal.everything()
    verdicts = [verify(record.read_bytes()) for record in (tmp_path / "matches").iterdir()]
    assert len({verdict.head for verdict in verdicts}) == 2
    assert all(verdict.clean and verdict.complete for verdict in verdicts)


def test_two_persons_at_two_terminals(tmp_path: Path) -> None:
    options = ["--bind", "127.0.0.1", "--port", "0", "--rules", "sets=1", "--name", "Ann"]
    with pazaak(tmp_path / "host", "host", *options) as host:
        host.wait_for("pazaak join 127.0.0.1:")
        address = host.text().partition("pazaak join ")[2].split()[0]
        with pazaak(tmp_path / "join", "join", address, "--name", "Bob") as guest:
            play_on(host, guest)
            check(guest.finish(), 0)
            check(host.finish(), 0)
            assert "Ann sits down at the table." in guest.everything()
            assert "Bob sits down at the table." in host.everything()


def test_ctrl_c_twice_leaves_and_says_so(tmp_path: Path) -> None:
    with pazaak(tmp_path, "play") as terminal:
        terminal.wait_for("You draw", scrolled=True)
        terminal.send(CTRL_C)
        terminal.wait_for("Leave now?")
        terminal.send(CTRL_C)
        check(terminal.finish(), Exit.INTERRUPTED)
        assert "pazaak: You left the match." in terminal.text()
        assert "Next:" in terminal.text()


def test_ctrl_c_while_waiting_for_an_opponent(tmp_path: Path) -> None:
    with pazaak(tmp_path, "host", "--port", "0") as terminal:
        terminal.wait_for("They type:")
        terminal.send(CTRL_C)
        check(terminal.finish(), Exit.INTERRUPTED)
        assert "pazaak: Interrupted." in terminal.text()
        assert "Traceback" not in terminal.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_a_match(tmp_path: Path, number: signal.Signals) -> None:
    with pazaak(tmp_path, "play") as terminal:
        terminal.wait_for("You draw", scrolled=True)
        terminal.signal(number)
        check(terminal.finish(), Exit.INTERRUPTED)
        assert number.name in terminal.text()


def test_a_closed_terminal_ends_the_program_and_the_record(tmp_path: Path) -> None:
    with pazaak(tmp_path, "play") as terminal:
        terminal.wait_for("You draw", scrolled=True)
        terminal.hang_up()
        end = terminal.finish()
        assert not end.hung
        assert end.exit_code == Exit.INTERRUPTED
    record, secret = sorted((tmp_path / "matches").iterdir())
    verdict = verify(record.read_bytes())
    assert verdict.clean
    assert verdict.ended
    assert secret == record.with_suffix(".secret")  # so it can go on


def test_an_opponent_who_is_lost_gives_the_terminal_back(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host", bot="threshold:1") as (host, address),
        pazaak(tmp_path / "join", "join", address, "--grace", "0") as terminal,
    ):
        terminal.wait_for("You draw", scrolled=True)
        host.signal(signal.SIGKILL)
        check(terminal.finish(), Exit.PEER_LOST)
        assert "pazaak: The connection to the other player was lost." in terminal.text()


def test_an_error_is_wrapped_at_words_and_whole_where_it_is_searched(tmp_path: Path) -> None:
    arguments = ("deck", "show", "no-such-deck")
    with pazaak(tmp_path, *arguments, columns=50) as narrow:
        check(narrow.finish(), Exit.USAGE)
        lines = [line for line in narrow.everything().splitlines() if line]
    with Pazaak(*arguments, home=tmp_path) as piped:
        assert piped.finish() == Exit.USAGE
    parts = piped.stderr.splitlines()
    assert len(parts) == 3
    assert len(lines) > 3
    assert [line.startswith(" " * 8) for line in lines].count(False) == 3
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(parts).split())
