"""``pazaak history`` and ``stats``."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from pazaak_p2p.cli.past import table, whole
from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import DECKS
from tests.cli.ran import Ran, refused
from tests.cli.verified import SEEDS
from tests.e2e.processes import hosting, join, waiting_join
from tests.history import some_records
from tests.wire.records import RECORD

if sys.platform != "win32":
    from tests.terminal import Terminal

COUNT = 30


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    write_records_of(folder / "matches")
    return folder


def write_records_of(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number, (ours, _) in enumerate(some_records(COUNT)):
        (folder / f"{number:02}.pzk").write_bytes(ours)


def words(text: str) -> str:
    return " ".join(text.split())


# --- history


def test_history(home: Path) -> None:
    ran = Ran(home, "history", process=True)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].split() == ["When", "Opponent", "Result", "Sets", "Rules", "Deck"]
    assert len(lines) == 22
    assert lines[-1] == "10 earlier ones: pazaak history --limit 30"
    times = [line[:16] for line in lines[1:21]]
    assert times == sorted(times, reverse=True)
    assert all(len(line) <= 80 for line in lines)
    assert len(Ran(home, "history", "--limit", "30").out.splitlines()) == 31


def test_hostile_names_are_shown_harmless(home: Path) -> None:
    for arguments in (["history"], ["history", "--csv"], ["history", "--json"], ["stats"]):
        ran = Ran(home, *arguments)  # which sees that there is no escape character
        assert "[31mEve" in ran.out
    assert Ran(home, "history", "--ascii").out.isascii()
    assert Ran(home, "stats", "--ascii").out.isascii()


def test_history_as_json(home: Path) -> None:
    ran = Ran(home, "history", "--json")
    matches = [json.loads(line) for line in ran.out.splitlines()]
    assert len(matches) == COUNT
    assert ran.out.isascii()
    assert matches[0]["record"] == "29.pzk"
    assert set(matches[0]) == {
        *("match_id", "began", "opponent", "seat", "result", "termination", "proven"),
        *("sets", "rules", "deck", "opponent_deck", "record", "can_go_on"),
    }
    assert not any(match["can_go_on"] for match in matches)
    assert {match["opponent"]["name"] for match in matches} >= {"\x1b[31mEve", "絶対", "=1+2"}


def test_history_as_csv_is_safe_in_a_spreadsheet(home: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(Ran(home, "history", "--csv").out)))
    assert len(rows) == COUNT
    names = {row["opponent"] for row in rows}
    assert "'=1+2" in names
    assert "=1+2" not in names
    assert {row["result"] for row in rows} <= {"won", "lost", "drawn", "broken off"}


def test_history_with_one_player(home: Path) -> None:
    ran = Ran(home, "history", "Kreia", "--json")
    matches = [json.loads(line) for line in ran.out.splitlines()]
    assert {match["opponent"]["name"] for match in matches} == {"Kreia"}
    prefix = matches[0]["opponent"]["fingerprint"][:9]
    assert Ran(home, "history", prefix, "--json").out == ran.out


@pytest.mark.parametrize("command", ["history", "stats"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Nobody"], "You have played against no player 'Nobody'."),
        (["Ann"], "'Ann' can mean 2 players"),
        (["\x1b[31m"], "You have played against no player"),
        (["--json", "--csv"], "It cannot be --csv and --json at once."),
        (["--nope"], "--nope"),
        (["a", "b"], "b"),
    ],
)
def test_what_cannot_be(home: Path, command: str, arguments: list[str], says: str) -> None:
    ran = Ran(home, command, *arguments)
    if "--json" in arguments:
        assert ran.code == Exit.USAGE
        assert says in json.loads(ran.out)["what"]
    else:
        refused(ran, says)


@pytest.mark.parametrize("limit", ["0", "x", "1" * 400])
def test_limits_that_cannot_be(home: Path, limit: str) -> None:
    refused(Ran(home, "history", f"--limit={limit}"), "--limit")


def test_nothing_has_been_played_yet(tmp_path: Path) -> None:
    for command in ("history", "stats"):
        ran = Ran(tmp_path, command, process=True)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == "There is no match yet that is over. Play one: pazaak play\n"
        assert Ran(tmp_path, command, "--csv").out.count("\n") >= 1
    assert Ran(tmp_path, "history", "--json").out == ""
    assert json.loads(Ran(tmp_path, "stats", "--json").out)["matches"]["played"] == 0


def test_records_that_are_left_out_are_told(home: Path) -> None:
    (home / "matches" / "bad\x1b[31m.pzk").write_text("text")
    (home / "matches" / "now.pzk").write_bytes(RECORD[:900])
    (home / "matches" / "00.pzk").unlink()
    ran = Ran(home, "history", "--limit", "1")
    assert ran.code == 0
    assert "pazaak: 1 record left out, for the match is not over" in ran.err
    assert "now.pzk." in ran.err
    assert "1 record cannot be read, and left out: bad\\x1b[31m.pzk: This is no record" in ran.err
    assert "went" not in ran.err  # it was never in
    (home / "matches" / "01.pzk").unlink()
    assert "pazaak: 1 record went, and counts no more" in Ran(home, "history").err


def test_rebuild_and_a_damaged_index(home: Path) -> None:
    first = Ran(home, "stats").out
    (home / "history.sqlite3").write_text("damaged " * 1000)
    ran = Ran(home, "stats")
    assert ran.code == 0
    assert ran.err.startswith("pazaak: The history was damaged, and has been made anew")
    assert "history.sqlite3.damaged-" in ran.err
    assert ran.out == first
    ran = Ran(home, "history", "--rebuild", "--limit", "1")
    assert ran.err == f"pazaak: The history has been made anew from {COUNT} records.\n"
    assert Ran(home, "stats").out == first


def test_a_match_counts_as_soon_as_it_is_over(tmp_path: Path) -> None:
    ran = Ran(
        tmp_path,
        "play",
        "--bot",
        "random",
        "--against",
        "random",
        "--deck",
        "hard",
        "--json",
        process=True,
    )
    result = json.loads(ran.out.splitlines()[-1])
    (match,) = map(json.loads, Ran(tmp_path, "history", "--json").out.splitlines())
    assert match["match_id"] == result["match_id"]
    assert [match["sets"]["won"], match["sets"]["lost"]] == result["sets"]
    assert match["result"] == {"host": "won", "join": "lost", None: "drawn"}[result["winner"]]
    assert match["termination"] == result["termination"]
    assert match["opponent"]["name"] == "random"
    shown = Ran(tmp_path, "history").out
    assert shown.splitlines()[1].endswith("hard")


def test_both_seats_of_one_home_count_once(tmp_path: Path) -> None:
    with hosting(tmp_path) as (host, address):
        with join(address, tmp_path) as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    assert len(list((tmp_path / "matches").iterdir())) == 2
    (match,) = map(json.loads, Ran(tmp_path, "history", "--json").out.splitlines())
    assert match["seat"] == "host"
    assert json.loads(Ran(tmp_path, "stats", "--json").out)["matches"]["played"] == 1


def test_a_match_that_is_being_played_now_is_left_out(tmp_path: Path) -> None:
    host_home, guest_home = tmp_path / "host", tmp_path / "guest"
    with (
        hosting(host_home, "--grace", "0", bot="threshold:1") as (host, address),
        waiting_join(address, guest_home) as guest,
    ):
        host.until("draw")
        ran = Ran(host_home, "history")
        assert ran.code == 0
        assert "the match is not over (it is being played now" in ran.err
        assert ran.out.startswith("There is no match yet")
        guest.process.kill()
        host.finish_json()
    (match,) = map(json.loads, Ran(host_home, "history", "--json").out.splitlines())
    assert match["termination"] == "abandoned"
    assert not match["proven"]


# --- stats


def test_stats(home: Path) -> None:
    ran = Ran(home, "stats", process=True)
    assert (ran.code, ran.err) == (0, "")
    assert all(len(line.rstrip()) <= 80 for line in ran.out.splitlines())
    assert "Matches" in ran.out
    for title in (
        "Who opened",
        "Opponents, by their keys",
        "Your side decks",
        "Your cards, in the sets in which you played them",
        "Luck: what came, and what was to be expected of the cards that were left",
    ):
        assert f"\n{title}\n" in ran.out
    told = words(ran.out)
    assert "The deck: nothing odd; " in told
    assert "fair decks would stray at least as far: chi-squared is" in told
    assert "You drew to exactly 20: " in told
    lines = ran.out.splitlines()
    assert sum(line.startswith("Ann ") for line in lines) == 2
    at = lines.index("Your side decks")
    assert {line.split()[0] for line in lines[at + 2 : at + 5]} <= {*DECKS, "not"}


def test_stats_as_json_and_csv_say_the_same(home: Path) -> None:
    stats = json.loads(Ran(home, "stats", "--json").out)
    assert stats["matches"]["played"] == COUNT
    assert stats["sets"]["played"] == (
        stats["sets"]["opened"]["played"] + stats["sets"]["answered"]["played"]
    )
    assert stats["luck"]["all"]["freedom"] == 9
    assert sum(stats["luck"]["all"]["came"]) == stats["luck"]["all"]["draws"]
    assert sum(stats["luck"]["all"]["expected"]) == pytest.approx(stats["luck"]["all"]["draws"])
    text = Ran(home, "stats", "--csv").out
    cells = {
        (row["table"], row["item"], row["measure"]): row["value"]
        for row in csv.DictReader(io.StringIO(text))
    }
    assert cells["all", "", "matches_won"] == str(stats["matches"]["won"])
    for opponent in stats["opponents"]:
        won = cells["opponent", opponent["fingerprint"], "sets_won"]
        assert won == str(opponent["sets"]["won"])
    for card in stats["cards"]:
        assert cells["card", card["card"], "twenties"] == str(card["twenties"])


def test_long_lists_are_cut_unless_all_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "matches").mkdir()
    for path in SEEDS:  # each with players of its own
        shutil.copy(path, tmp_path / "matches" / f"{path.parent.name}.pzk")
    opponents = len(json.loads(Ran(tmp_path, "stats", "--json").out)["opponents"])
    assert opponents > 12
    cut, whole = Ran(tmp_path, "stats").out, Ran(tmp_path, "stats", "--all").out
    assert f"\n{opponents - 10} more  " in cut
    assert " more  " not in whole


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals of this kind")
@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal(home: Path, no_color: bool) -> None:
    env = {"PAZAAK_HOME": str(home), "PYTHONWARNINGS": "error"}
    if no_color:
        env["NO_COLOR"] = "1"
    argv = [sys.executable, "-m", "pazaak_p2p", "history"]
    with Terminal(argv, env=env, rows=30, columns=80) as terminal:
        end = terminal.finish()
        assert (end.exit_code, end.restored) == (0, True)
        assert "When" in terminal.text()
        colours = {terminal.style_at(row, column)[0] for row in range(30) for column in range(80)}
        assert (colours == {"default"}) is no_color


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals of this kind")
def test_many_new_records_show_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "matches").mkdir()
    for copy in range(200):
        (tmp_path / "matches" / f"{copy}.pzk").write_bytes(RECORD)
    argv = [sys.executable, "-m", "pazaak_p2p", "history"]
    with Terminal(argv, env={"PAZAAK_HOME": str(tmp_path)}) as terminal:
        end = terminal.finish()
        assert (end.exit_code, end.restored) == (0, True)
        assert b"Reading records" in terminal.raw
        assert "Reading records" not in terminal.text()  # gone when it is done
        assert len([line for line in terminal.lines() if line]) == 2


def test_the_same_bot_is_the_same_opponent(tmp_path: Path) -> None:
    for bot in ("threshold", "threshold", "random"):
        assert Ran(tmp_path, "play", "--bot", "random", "--against", bot).code == 0
    ran = Ran(tmp_path, "history", "threshold", "--json")
    assert ran.code == 0
    opponents = [json.loads(line)["opponent"] for line in ran.out.splitlines()]
    assert [one["name"] for one in opponents] == ["threshold", "threshold"]
    assert len({one["fingerprint"] for one in opponents}) == 1


@pytest.mark.parametrize("columns", [20, 40, 60])
def test_in_a_narrow_window_a_table_loses_nothing(columns: int) -> None:
    def shown(columns: int) -> str:
        written = io.StringIO()
        out = Console(file=written, width=columns, highlight=False)
        made = table(("", "left"), ("Opponent", "left"), ("Sets", "right"), ("won of all", "left"))
        made.add_row("matches that you opened", Text("Kreia 1038-2902"), "12", " 75% ████████▌  ")
        made.add_row("sets", Text("Atton 9918-0003"), "3", "")
        out.print(whole(made, out))
        return " ".join(written.getvalue().split())

    assert shown(70) == (
        "Opponent Sets won of all"
        " matches that you opened Kreia 1038-2902 12 75% ████████▌ sets Atton 9918-0003 3"
    )
    assert shown(columns) == (
        "matches that you opened, opponent Kreia 1038-2902, sets 12, won of all 75% ████████▌"
        " sets, opponent Atton 9918-0003, sets 3"
    )
