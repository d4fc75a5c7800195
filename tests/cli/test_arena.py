"""``pazaak arena`` through the front door: what it prints, refuses, keeps and goes on with."""

from __future__ import annotations

import csv
import io
import json
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p.arena.errors import ArenaFault
from pazaak_p2p.cli.arena import _Signals
from pazaak_p2p.cli.arena_on import parse_on
from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import CONNECT_SECONDS
from pazaak_p2p.net.errors import Left
from pazaak_p2p.rules import DECKS
from tests.cli.ran import Ran, refused
from tests.e2e.processes import Pazaak
from tests.verifier import verify


def arena(home: Path, *arguments: str) -> Ran:
    ran = Ran(home, "arena", *arguments)
    assert ran.code == Exit.DONE, ran.err
    assert ran.err == ""
    return ran


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def of(kind: str, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in found if event["event"] == kind]


# --- what it prints


def test_json_of_real_peers(tmp_path: Path) -> None:
    ran = arena(tmp_path, "threshold", "random", "--matches", "4", "--seed", "1", "--json")
    found = events(ran.out)
    begin = found[0]
    assert (begin["event"], begin["games"], begin["seed"]) == ("arena", 4, "1")
    assert (begin["transport"], begin["signed"]) == ("tcp-loopback", True)
    games = of("game", found)
    assert [(g["host"], g["join"]) for g in games] == [
        ("threshold", "random"),
        ("random", "threshold"),
    ] * 2
    assert {g["winner"] for g in games} <= {"host", "join", None}
    assert {g["termination"] for g in games} == {"normal"}
    standings = of("standing", found)
    assert len(standings) > 1
    assert found[-1] == standings[-1]
    table = {player["name"]: player for player in standings[-1]["players"]}
    first = table["threshold"]
    won = sum(g[g["winner"]] == "threshold" for g in games)
    assert (first["wins"], first["losses"], first["draws"]) == (won, 4 - won, 0)
    assert first["score"] == won / 4
    assert {"elo", "elo_error"} < first.keys()
    assert table["random"]["wins"] == 4 - won


def test_the_same_seed_prints_the_same_whatever_the_number_of_processes(tmp_path: Path) -> None:
    arguments = ["threshold:15", "threshold:18", "random", "--matches", "200", "--fast", "--json"]
    test = ["--sprt", "elo0=0,elo1=300", "--seed", "again"]
    one = arena(tmp_path, *arguments, *test, "--concurrency", "1").out
    three = arena(tmp_path, *arguments, *test, "--concurrency", "3").out
    assert one == three
    assert arena(tmp_path, *arguments, *test[:-1], "other").out != one
    decided = of("pairing", events(one))
    assert len(decided) == 3
    assert all(pairing["verdict"] in ("H0", "H1") for pairing in decided)
    # Stopped early, and the games that were told are those that count.
    assert len(of("game", events(one))) < 600
    assert len(of("game", events(one))) == events(one)[-1]["games"]


def test_without_a_seed_it_tells_the_one_that_repeats_it(tmp_path: Path) -> None:
    arguments = ["threshold:16", "threshold:18", "--matches", "20", "--fast", "--json"]
    first = arena(tmp_path, *arguments).out
    seed = events(first)[0]["seed"]
    assert arena(tmp_path, *arguments, "--seed", seed).out == first


def test_lines_say_what_is_used(tmp_path: Path) -> None:
    signed = arena(tmp_path, "threshold", "random", "--matches", "2").out
    assert signed.startswith("Played by real peers that sign and check everything, over TCP")
    fast = arena(tmp_path, "threshold", "random", "threshold:3", "--matches", "200", "--fast").out
    lines = fast.splitlines()
    assert lines[0] == "Played by the rules alone (--fast): no peers, no signatures, no network."
    assert "3 players, all against all, 200 matches of each pairing: 600 in all." in lines[1]
    progress = [line.split()[1] for line in lines if line.startswith("progress ")]
    assert progress == [f"{n}/600" for n in range(60, 600, 60)]
    assert not any(line.startswith("game ") for line in lines)
    headings = [line.split() for line in lines if line.startswith("#")]
    assert headings == [
        ["#", "player", "score", "won", "drawn", "lost", "Elo", "±", "LOS"],
        ["#", "player", "1", "2", "3"],
    ]


def test_a_line_for_every_match_that_a_script_can_follow(tmp_path: Path) -> None:
    arguments = ["threshold", "random", "--matches", "4", "--seed", "1"]
    lines = arena(tmp_path, *arguments).out.splitlines()
    games = of("game", events(arena(tmp_path, *arguments, "--json").out))
    assert [line for line in lines if line.startswith("game ")] == [
        f"game {g['game']} {g['sets'][0]}-{g['sets'][1]} {g['winner']} {g['termination']}"
        f"  {g['host']} - {g['join']}"
        for g in games
    ]


def tables(out: str) -> list[list[str]]:
    """What is between the empty lines of what an arena printed: its tables, and last what they
    are."""
    return [block.splitlines() for block in out.split("\n\n")[1:]]


def test_tables_of_all_against_all(tmp_path: Path) -> None:
    arguments = ["threshold:15", "random", "threshold", "--matches", "100", "--fast", "--seed", "1"]
    ran, told = arena(tmp_path, *arguments), events(arena(tmp_path, *arguments, "--json").out)
    standing, cross, pairings, words = tables(ran.out)
    assert max(map(len, standing + cross + pairings)) <= 80
    rows = told[-1]["players"]
    names = [row["name"] for row in rows]
    assert names == ["threshold", "threshold:15", "random"]
    for number, (line, row) in enumerate(zip(standing[1:], rows, strict=True), start=1):
        counts = [str(row["wins"]), str(row["draws"]), str(row["losses"])]
        assert line.split()[:6] == [str(number), row["name"], f"{row['score']:.1%}", *counts]
    found = {tuple(pairing["players"]): pairing for pairing in of("pairing", told)}
    score = 100 * found["threshold:15", "threshold"]["score"]
    assert cross[1].split()[:4] == ["1", "threshold", "-", f"{100 - score:.1f}"]
    assert cross[2].split()[:4] == ["2", "threshold:15", f"{score:.1f}", "-"]
    assert [line[:5] for line in pairings] == ["pairi", "1 - 2", "1 - 3", "2 - 3"]
    # The better one ahead, though the other was typed first.
    turned = found["threshold:15", "threshold"]
    assert pairings[1].split()[3:6] == [
        f"{100 - score:.1f}%",
        f"{-turned['elo']:+.1f}",
        f"{turned['elo_error']:.1f}",
    ]
    assert pairings[1].split()[6:11] == [str(count) for count in turned["pairs"][::-1]]
    assert pairings[1].split()[11] == f"{-turned['nelo']:+.1f}"
    assert [line.split()[0] for line in words] == ["Elo", "The", "Pairs"]


def test_many_players_have_no_table_that_nobody_can_read(tmp_path: Path) -> None:
    bots = [f"threshold:{number}" for number in range(1, 21)]
    ran = arena(tmp_path, *bots, "--matches", "2", "--fast", "--seed", "1")
    standing, words = tables(ran.out)  # neither 190 pairings nor 20 columns of scores
    assert len(standing) == 21
    assert len(words) == 1


def test_a_gauntlet(tmp_path: Path) -> None:
    found = events(
        arena(
            tmp_path,
            *("threshold", "random", "threshold:15", "--gauntlet"),
            *("--matches", "4", "--fast", "--json"),
        ).out
    )
    assert all("threshold" in (g["host"], g["join"]) for g in of("game", found))
    assert len(of("game", found)) == 8
    assert found[0]["gauntlet"] is True


def test_a_gauntlets_table_is_what_its_first_did_against_each(tmp_path: Path) -> None:
    arguments = ["threshold:15", "random", "threshold", "--gauntlet", "--matches", "100", "--fast"]
    ran = arena(tmp_path, *arguments, "--seed", "1")
    standing, pairings, words = tables(ran.out)
    assert max(map(len, standing + pairings)) <= 80
    found = events(arena(tmp_path, *arguments, "--seed", "1", "--json").out)
    random, threshold = of("pairing", found)
    # In all, and then against each, the strongest ahead.
    won = random["wins"] + threshold["wins"]
    assert standing[1].split()[:5] == [
        *("threshold:15", f"{won / 200:.1%}", str(won), "0", str(200 - won))
    ]
    for line, name, pairing in (
        (standing[2], "threshold", threshold),
        (standing[3], "random", random),
    ):
        counts = [str(pairing["wins"]), "0", str(pairing["losses"])]
        assert line.startswith(f"  vs {name} ")
        assert line.split()[2:6] == [f"{pairing['score']:.1%}", *counts]
    assert standing[2].split()[6] == f"{threshold['elo']:+.1f}"
    assert pairings[0].split() == ["threshold:15", "against", "pairs", "nElo", "±"]
    assert [line.split()[0] for line in pairings[1:]] == ["threshold", "random"]
    assert words[0].startswith("Elo is how much stronger threshold:15 is")
    # For scripts each has its own results, and the first is what the others are measured by.
    rows = found[-1]["players"]
    assert [row["name"] for row in rows] == ["threshold:15", "threshold", "random"]
    assert [row["elo"] for row in rows[:2]] == [0.0, pytest.approx(-threshold["elo"])]
    assert (rows[1]["wins"], rows[1]["losses"]) == (threshold["losses"], threshold["wins"])


def test_how_far_a_test_has_come_is_told_on_the_way(tmp_path: Path) -> None:
    arguments = ["threshold:18", "threshold", "--matches", "200", "--fast", "--seed", "1"]
    arguments += ["--sprt", "elo0=0,elo1=30"]
    found = events(arena(tmp_path, *arguments, "--json").out)
    assert found[0]["sprt"] == {"elo0": 0.0, "elo1": 30.0, "alpha": 0.05, "beta": 0.05}
    standings = of("standing", found)
    ratios = [standing["pairings"][0]["llr"] for standing in standings]
    assert len(set(ratios)) > 5
    lines = arena(tmp_path, *arguments).out.splitlines()
    progress = [line for line in lines if line.startswith("progress ")]
    assert [line.partition("LLR ")[2] for line in progress] == [
        f"{ratio:.2f} (-2.94 to 2.94)" for ratio in ratios[:-1]
    ]
    assert any(line.split()[-2:] == [f"{ratios[-1]:.2f}", "open"] for line in lines)


def test_a_bot_that_crashes_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short.txt").write_text("at-end error\nend\n")
    bot = "script:short.txt"
    ran = arena(tmp_path, bot, "threshold", "--matches", "4", "--json")
    found = events(ran.out)
    assert {g["termination"] for g in of("game", found)} == {"crash"}
    table = {player["name"]: player for player in found[-1]["players"]}
    assert (table[bot]["crash"], table[bot]["losses"]) == (4, 4)
    assert all(g["note"].startswith("ScriptError: ") for g in of("game", found))
    assert (table["threshold"]["crash"], table["threshold"]["score"]) == (0, 1.0)
    lines = arena(tmp_path, bot, "threshold", "--matches", "4").out
    assert f"crash game 0 {bot}: ScriptError:" in lines
    assert "crash" in next(line for line in lines.splitlines() if line.startswith("player "))


# --- who plays


def test_decks_of_bots(tmp_path: Path) -> None:
    ran = arena(
        tmp_path,
        *("threshold@hard", "threshold", "random", "--deck", "random=super", "--deck", "easy"),
        *("--matches", "2", "--fast", "--json"),
    )
    players = events(ran.out)[0]["players"]
    assert [player["name"] for player in players] == [
        "threshold@hard",
        "threshold@easy",
        "random@super",
    ]
    assert [player["deck"] for player in players] == [
        [card.ascii for card in DECKS[name]] for name in ("hard", "easy", "super")
    ]


def test_a_deck_tournament(tmp_path: Path) -> None:
    ran = arena(
        tmp_path,
        *("threshold", "threshold:18", "--decks", "super,starter", "--decks", "hard"),
        *("--matches", "20", "--fast", "--json", "--seed", "1"),
    )
    found = events(ran.out)
    assert len(found[0]["players"]) == 6
    (decks,) = of("decks", found)
    rows = decks["decks"]
    assert {row["name"] for row in rows} == {"super", "starter", "hard"}
    # Of 15 pairings, those of a bot with one deck against itself with another: three for each.
    assert sum(row["wins"] for row in rows) == sum(row["losses"] for row in rows) == 6 * 20
    assert rows[-1]["name"] == "starter"
    assert len(of("game", found)) == 15 * 20


def test_the_same_bot_twice_has_two_names(tmp_path: Path) -> None:
    found = events(arena(tmp_path, "random", "random", "--matches", "2", "--fast", "--json").out)
    assert [player["name"] for player in found[0]["players"]] == ["random", "random#2"]


# --- what it refuses


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Missing argument"),
        (["random"], "An arena needs two who play."),
        (["random", "nobody"], "There is no bot 'nobody'."),
        (["random", "threshold@nothing"], "There is no side deck 'nothing'."),
        (["random", "nobody@hard"], "There is no bot 'nobody'."),
        (["random", "threshold", "--matches", "0"], "0 is not in the range"),
        (["random", "threshold", "--matches", "3"], "--matches cannot be 3."),
        (["random", "threshold", "--concurrency", "0"], "0 is not in the range"),
        (["random", "threshold", "--deck", "nobody=hard"], "No bot 'nobody' plays here."),
        (["random", "threshold", "--deck", "nothing"], "There is no side deck 'nothing'."),
        (["random@hard", "--decks", "all"], "Each bot plays all decks of --decks"),
        (["random"] * 8 + ["--decks", "all"], "72 who play are too many."),
        (["random", "threshold", "--sprt", "elo0=1"], "A test needs both elo0 and elo1."),
        (["random", "threshold", "--rules", "chess"], "There is no rule set 'chess'."),
        (["random", "threshold", "--rules", "gold=off", "--deck", "hard"], "holds gold cards"),
        (["random", "threshold", "--seed", "\n"], "That cannot be a seed."),
        (["random", "threshold", "--fast", "--records", "x"], "There are no records"),
        (["random", "threshold", "--out", "result.txt"], "is no name for a result."),
        (["random", "threshold", "--out", "no/where/x.csv"], "cannot be written"),
        (["random", "threshold", "--state", "no/where/x"], "cannot be written"),
        (["random", "threshold", "--state", "."], "cannot be written"),
        (["random", "threshold", "--records", "file"], "cannot hold records"),
        (["random", "threshold", "--on", "localhost:8786"], "'localhost:8786' is no cluster."),
        (["random", "threshold", "--on", "dask://"], "'' is no address"),
    ],
)
def test_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    refused(Ran(tmp_path, "arena", *arguments), says)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_state_of_another_arena_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    arena(tmp_path, "random", "threshold", "--matches", "2", "--fast", "--state", str(state))
    before = state.read_bytes()
    for arguments in (["random", "threshold", "--matches", "4"], ["random", "random"]):
        other = Ran(tmp_path, "arena", *arguments, "--fast", "--state", str(state))
        refused(other, "is the state of another arena.")
    assert state.read_bytes() == before


def test_a_cluster_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pazaak_p2p.arena.cluster.crew", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = Ran(tmp_path, "arena", "random", "threshold", "--on", "dask://localhost")
    refused(ran, "--on needs distributed, which is not installed.")
    assert ran.err.endswith("Type: pip install 'pazaak-p2p[cluster]'\n")


def test_where_a_scheduler_is() -> None:
    assert parse_on("dask://localhost") == Address("localhost", 8786)
    assert parse_on("dask://localhost:7777") == Address("localhost", 7777)
    assert parse_on("dask://[::1]:80") == Address("::1", 80)


# --- what it keeps


def test_results_in_files(tmp_path: Path) -> None:
    arguments = ["threshold:16", "threshold", "--matches", "40", "--fast", "--seed", "1"]
    file = tmp_path / "result.json"
    ran = arena(tmp_path, *arguments, "--json", "--out", str(file))
    outcome = json.loads(file.read_text())
    last = events(ran.out)[-1]
    assert outcome["standing"] == last["players"]
    assert (outcome["games"], outcome["seed"], len(outcome["pairings"])) == (40, "1", 1)
    table = tmp_path / "result.csv"
    arena(tmp_path, *arguments, "--out", str(table))
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [row["name"] for row in rows] == [player["name"] for player in last["players"]]
    assert [float(row["elo"]) for row in rows] == [player["elo"] for player in last["players"]]
    # Between two, who did how against whom is the score.
    first, second = (row["name"] for row in rows)
    assert [row[f"vs {second}"] for row in rows] == [rows[0]["score"], ""]
    assert [row[f"vs {first}"] for row in rows] == ["", rows[1]["score"]]


def test_the_table_of_a_spreadsheet_has_who_did_how_against_whom(tmp_path: Path) -> None:
    table = tmp_path / "result.csv"
    arguments = ["threshold:16", "novice", "careful", "--matches", "20", "--fast", "--seed", "1"]
    told = events(arena(tmp_path, *arguments, "--json", "--out", str(table)).out)
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(table.read_text()))}
    for pairing in of("pairing", told):
        one, two = pairing["players"]
        assert float(rows[one][f"vs {two}"]) == pairing["score"]
        assert float(rows[two][f"vs {one}"]) == 1 - pairing["score"]
    assert all(row[f"vs {name}"] == "" for name, row in rows.items())
    # In a gauntlet only one has met them all.
    arena(tmp_path, *arguments, "--gauntlet", "--out", str(table))
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(table.read_text()))}
    assert rows["novice"]["vs careful"] == rows["careful"]["vs novice"] == ""
    assert rows["novice"]["vs threshold:16"] != ""


def test_an_outcome_that_cannot_be_written_is_told_nevertheless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What took hours is not lost because the disk is full, say; here the name is taken."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "takes.py").write_text(
        "import pathlib\nfrom pazaak_p2p.rules import legal_actions\n"
        "class Takes:\n"
        "    def choose(self, view):\n"
        "        pathlib.Path('result.json').mkdir(exist_ok=True)\n"
        "        return legal_actions(view.state)[-1]\n"
    )
    arguments = ["--matches", "2", "--fast", "--out", "result.json", "--json"]
    ran = Ran(tmp_path, "arena", "threshold", "takes.py:Takes", *arguments)
    assert ran.code == Exit.USAGE
    *_, standing, error = events(ran.out)
    assert (standing["event"], standing["games"]) == ("standing", 2)
    assert error["what"] == "result.json is a folder."


def test_records_and_nothing_else_is_left_behind(tmp_path: Path) -> None:
    folder, home = tmp_path / "records", tmp_path / "home"
    ran = arena(home, "threshold", "random", "--matches", "2", "--records", str(folder), "--json")
    games = of("game", events(ran.out))
    verdicts = [verify(path.read_bytes()) for path in sorted(folder.iterdir())]
    assert [list(verdict.sets) for verdict in verdicts] == [game["sets"] for game in games]
    assert not home.exists()  # no identity, no known players
    # The two of a pair have the same keys and lots. Nobody has cheated by playing both.
    told = Ran(home, "verify", *map(str, sorted(folder.iterdir())), "--json")
    assert (told.code, told.err) == (Exit.DONE, "")
    assert [event["verdict"] for event in events(told.out)] == ["sound", "sound"]


# --- interrupted


ARENA = ["threshold:16", "threshold:18", "random", "--matches", "20", "--seed", "1", "--json"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What it prints that is never interrupted."""
    return arena(tmp_path_factory.mktemp("whole"), *ARENA).out


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_goes_on_where_it_was_stopped(
    tmp_path: Path, whole: str, number: signal.Signals
) -> None:
    state, records = tmp_path / "state", tmp_path / "records"
    arguments = [*ARENA, "--state", str(state), "--records", str(records), "--concurrency", "2"]
    for _ in range(3):
        with Pazaak("arena", *arguments, home=tmp_path / "home") as running:
            running.hold_back()  # or it may have come to its end before the signal
            for _ in range(3):
                running.until("game")
            running.signal(number)
            code = running.finish()
            if number is signal.SIGKILL:
                assert code == -signal.SIGKILL
            else:
                assert code == Exit.INTERRUPTED
                *_, standing, error = events(running.stdout)
                assert standing["event"] == "standing"  # how it stood then
                assert standing["games"] > 0
                assert error["code"] == "interrupted"
                assert error["next"] == "Type the same command again to go on."
            assert "Traceback" not in running.stderr
    stopped = state.read_bytes().count(b"\n") - 1
    assert 0 < stopped < 60
    ran = arena(tmp_path, *arguments)
    # All as if it had never been stopped.
    assert ran.out == whole
    played = [json.loads(line)[0] for line in state.read_text().splitlines()[1:]]
    assert sorted(played) == list(range(60))
    verdicts = [verify(path.read_bytes()) for path in sorted(records.glob("*.pzk"))]
    assert [list(v.sets) for v in verdicts] == [game["sets"] for game in of("game", events(whole))]
    # And again, with nothing left to play.
    assert arena(tmp_path, *arguments).out == whole


def test_who_is_asked_to_end_blames_no_process_that_was_ended_with_it() -> None:
    """A terminal that is closed tells all processes, and those that play may die of it first."""

    def die(*, told: bool) -> None:
        if told:
            signal.raise_signal(signal.SIGTERM)
        raise ArenaFault("A process that plays matches ends again and again.")

    with pytest.raises(Left, match="Interrupted"), _Signals(kept=False):
        die(told=True)
    with pytest.raises(ArenaFault, match="again and again"), _Signals(kept=False):
        die(told=False)


def test_who_only_waits_for_a_cluster_can_be_interrupted_at_once(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        on = f"dask://127.0.0.1:{silent.getsockname()[1]}"
        arguments = ["arena", "threshold", "random", "--json", "--on", on]
        with Pazaak(*arguments, home=tmp_path) as running:
            running.until("arena")
            with silent.accept()[0]:
                began = time.monotonic()
                running.signal(signal.SIGINT)
                assert running.finish_json() == Exit.INTERRUPTED
                assert time.monotonic() - began < CONNECT_SECONDS / 2
    assert running.events[-1]["code"] == "interrupted"
    assert running.stderr == ""


def test_a_state_brings_its_seed(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    arguments = ["threshold:16", "random", "--matches", "4", "--fast", "--json", "--state", state]
    first = arena(tmp_path, *arguments).out
    assert arena(tmp_path, *arguments).out == first
