"""``pazaak verify`` through the front door: what it says, and what it ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgpack
import pytest

from pazaak_p2p.cli.program import run
from pazaak_p2p.rules import Seat
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.judge import judge
from pazaak_p2p.wire.messages import Entry
from pazaak_p2p.wire.record import ARENA
from pazaak_p2p.wire.terms import entry_frame
from tests.cli.verified import CHEATS, REFUSALS, SEEDS, VECTORS, Verified, vector
from tests.e2e.processes import Pazaak
from tests.wire.pair import messages_in
from tests.wire.records import RECORD, conceded, pieces, played, with_end, with_header


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.pzk"
    path.write_bytes(RECORD)
    return path


# --- what is fine


def test_a_whole_match_in_one_paragraph(tmp_path: Path, record: Path) -> None:
    verified = Verified(tmp_path, record)
    assert verified.code == 0
    assert verified.err == ""
    title, *lines = verified.out.splitlines()
    assert title == f"{record}: sound"
    assert all(len(line) <= 80 and (not line or line.startswith("  ")) for line in lines)
    assert verified.text.startswith(
        f'{record}: sound "Host" (host) against "Join" (joiner), by the rules standard,sets=1.'
        " The joiner won, 1 set to 0. Every one of 4 draws, 8 hand cards and 2 moves was checked."
        " Both opened their side decks, which are what they had committed to: audited."
        " Only the word of its keeper, the host: the names."
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("plain-match", "won, 3 sets to "),
        ("cap-with-a-winner", "won more of all the sets that the rules allow. Sets: host "),
        ("limited-copies-cap-draw", "It is a draw, after all the sets that the rules allow."),
        ("concession", "conceded, so the "),
    ],
)
def test_how_a_match_ended(capsys: pytest.CaptureFixture[str], name: str, says: str) -> None:
    (path,) = [path for path in SEEDS if path.parent.name == name]
    assert run(["verify", str(path)]) == 0
    assert says in " ".join(capsys.readouterr().out.split())


def test_R21_out_of_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (match,) = json.loads((VECTORS / "matches" / "out-of-time.json").read_text("utf-8"))["matches"]
    loser = "joiner" if match["results"]["host"]["winner"] == 0 else "host"
    path = tmp_path / "time.pzk"
    path.write_bytes(bytes.fromhex(match["records"]["host"]))
    assert run(["verify", str(path)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"The {loser} ran out of time and conceded, so the " in text


def test_all_seeded_matches_are_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "--json", *map(str, SEEDS)]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["file"] for event in events if event["event"] == "record"] == list(
        map(str, SEEDS)
    )
    assert {event["verdict"] for event in events} == {"sound"}


def test_the_record_that_play_has_written(tmp_path: Path) -> None:
    arguments = ["--bot", "random", "--against", "threshold", "--json", "--rules", "sets=2"]
    with Pazaak("play", *arguments, home=tmp_path) as play:
        assert play.finish_json() == 0
    (result,) = play.of("result")
    verified = Verified(tmp_path, "--json", result["record"])
    assert verified.code == 0
    (event,) = verified.events
    assert event["transcript"] == result["transcript"]
    for same in ("match_id", "winner", "sets", "termination", "opened"):
        assert event[same] == result[same]


def test_a_conceded_match_is_fine_too(tmp_path: Path, record: Path) -> None:
    record.write_bytes(conceded((Seat.HOST,))[1][0])
    verified = Verified(tmp_path, record)
    assert verified.code == 0
    assert "The host conceded, so the joiner won. Sets: host 0, joiner 0." in verified.text


def test_the_object_of_a_record(tmp_path: Path, record: Path) -> None:
    (event,) = Verified(tmp_path, "--json", record).events
    verdict = judge(RECORD)
    assert verdict.players is not None
    players = event.pop("players")
    assert {seat: (p["name"], p["key"]) for seat, p in players.items()} == {
        str(seat): (p.name, p.key.hex()) for seat, p in zip(Seat, verdict.players, strict=True)
    }
    assert event == {
        "event": "record",
        "file": str(record),
        "verdict": "sound",
        "exit": 0,
        "match_id": verdict.match_id.hex(),
        "rules": "standard,sets=1",
        "termination": "normal",
        "winner": "join",
        "sets": [0, 1],
        "entries": 7,
        "lots": 4,
        "cards": 8,
        "moves": 2,
        "transcript": verdict.head.hex(),
        "opened": [True, True],
        "complete": True,
        "cheat": None,
        "claim": None,
        "missing": None,
        "keeper": "host",
        "claimed": None,
        "contradiction": None,
        "torn": False,
        "problem": None,
    }


# --- cheats, silence, lies


def test_a_cheat_is_named_with_its_seat_and_entry(tmp_path: Path) -> None:
    path = tmp_path / "cheat.pzk"
    path.write_bytes(vector(CHEATS, "card-not-dealt"))
    verified = Verified(tmp_path, path)
    assert verified.code == 5
    assert verified.out.startswith(f"{path}: a cheat is proven\n")
    assert "The host CHEATED (card-not-dealt) in entry 6" in verified.text
    assert "A card was played that was not dealt (R4)." in verified.text
    assert "So the match counts as won by the joiner." in verified.text
    verified = Verified(tmp_path, "--json", path)
    assert verified.code == 5
    (event,) = verified.events
    assert event["verdict"] == "cheat"
    cheat = event["cheat"]
    assert (cheat["code"], cheat["seat"], cheat["entry"]) == ("card-not-dealt", "host", 6)
    assert (event["termination"], event["winner"]) == ("cheat", "join")


def test_a_cheat_of_one_who_had_lost(tmp_path: Path) -> None:
    path = tmp_path / "cheat.pzk"
    path.write_bytes(vector(CHEATS, "illegal-deck, the loser's"))
    verified = Verified(tmp_path, path)
    assert verified.code == 5
    assert "lost by the host before that: The joiner won, 1 set to 0." in verified.text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("will-not-reveal", "the host kept back what was due, so that the joiner won"),
        ("will-not-open, the winner", "the host would not open its side deck, so that the joiner"),
        ("turn_seconds", "that the host ran out of time, so that the joiner won"),
        ("the stream ends in a match", "that the match was abandoned there (closed)"),
        ("bye in a match", "that the host left (interrupted), so that the joiner won"),
        (
            "stream ended by a winner that has not opened",
            "that the host left owing its side deck (closed), so that the joiner won",
        ),
        (
            "bye of a host that has not opened, drawn",
            "that the host left owing its side deck (interrupted), so that the joiner won",
        ),
        ("will-not-open, the host after a drawn match", "the host would not open its side deck"),
    ],
)
def test_who_fell_silent_is_only_the_keepers_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, says: str
) -> None:
    path = tmp_path / "silent.pzk"
    path.write_bytes(vector(REFUSALS, name))
    assert run(["verify", str(path)]) == 4
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith(f"{path}: broken off ")
    assert "It breaks off where the host was to " in text
    assert "Only the word of its keeper, the joiner: the names; that " in text
    assert says in text


def test_a_keeper_that_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lie.pzk"
    path.write_bytes(with_end(RECORD, winner=0))
    assert run(["verify", str(path)]) == 2
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith(f"{path}: NOT SOUND ")
    assert "The joiner won, 1 set to 0." in text
    assert "What its keeper, the host, says at its end cannot be:" in text


def test_names_are_shown_so_that_they_can_do_no_harm(tmp_path: Path) -> None:
    name = '\x1b[31mA" (host) won. \u202e'
    path = tmp_path / "names.pzk"
    host = {"name": name, "key": msgpack.unpackb(pieces(RECORD)[0])["host"]["key"]}
    path.write_bytes(with_header(RECORD, host=host))
    verified = Verified(tmp_path, path)
    assert verified.code == 0
    assert '"\\x1b[31mA\' (host) won. \\u202e" (host) against "Join"' in verified.text
    (event,) = Verified(tmp_path, "--json", path).events
    assert event["players"]["host"]["name"] == name
    # A terminal that cannot show a name, or gets one that is no text.
    path.write_bytes(with_header(RECORD, host={**host, "name": "Zoë ±"}))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PAZAAK_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "pazaak_p2p", "verify", str(path)],
        capture_output=True,
        env=environment,
        check=True,
    )
    assert b'"Zo\\xeb \\xb1" (host)' in done.stdout


# --- several files


def test_of_several_files_the_worst_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        0: RECORD,
        4: bytes(played("other").host.record)[:2000],
        6: with_header(RECORD, v=2),
        2: b"text",
        5: vector(CHEATS, "card-not-dealt"),
    }
    paths: list[str] = []
    for code, data in files.items():
        path = tmp_path / f"{code}.pzk"
        path.write_bytes(data)
        assert run(["verify", str(path)]) == code
        # The order of the files makes no difference.
        paths.insert(len(paths) // 2, str(path))
        assert run(["verify", *paths]) == code
    capsys.readouterr()
    assert run(["verify", "--json", *paths]) == 5
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["file"] for event in events] == paths


def test_two_records_of_one_match(tmp_path: Path, record: Path) -> None:
    cut = tmp_path / "cut.pzk"
    cut.write_bytes(b"".join(pieces(RECORD)[:7]))
    verified = Verified(tmp_path, record, cut)
    assert verified.code == 4  # one of the files is broken off
    assert f"{record} + {cut}: sound These are records of one match." in verified.text
    assert f"Together they show 7 entries; {cut} shows only 4 entries." in verified.text
    _, _, together = Verified(tmp_path, "--json", record, cut).events
    assert together["event"] == "pair"
    assert together["files"] == [str(record), str(cut)]
    assert (together["verdict"], together["exit"], together["agreed"]) == ("sound", 0, 4)
    assert (together["winner"], together["complete"]) == ("join", True)
    assert "keeper" not in together
    theirs = tmp_path / "theirs.pzk"
    theirs.write_bytes(bytes(played().join.record))
    verified = Verified(tmp_path, record, theirs)
    assert verified.code == 0
    assert "All show the same 7 entries." in verified.text


def test_two_entries_for_one_place_are_convicted_though_each_record_is_good(
    tmp_path: Path, record: Path
) -> None:
    pair, at = played(), 3 + 4
    parts = pieces(RECORD)
    ((entry, _),) = messages_in(parts[at])
    assert isinstance(entry, Entry)
    number = entry.body.index(b"\xa1n") + 2
    body = entry.body[:number] + b"\xcc" + entry.body[number:]
    author = Seat(read_body(body).by)
    side = pair.sides[author]
    twin = Entry(body, side.key.sign(entry_frame(side.peer.match_id, body)))
    told = tmp_path / "told.pzk"
    told.write_bytes(b"".join([*parts[:at], encode(twin)]))
    assert Verified(tmp_path, told).code == 4
    verified = Verified(tmp_path, record, told)
    assert verified.code == 5
    who = ("host", "joiner")[author]
    assert f"The {who} CHEATED (two-entries) in entry 4: Two different entries" in verified.text
    assert "They begin with the same 4 entries." in verified.text
    *_, together = Verified(tmp_path, "--json", told, record).events
    assert together["cheat"]["seat"] == str(author)
    assert (together["cheat"]["code"], together["cheat"]["entry"]) == ("two-entries", 4)
    # Its header is not signed: to call it an arena's does not hide it from the other record.
    told.write_bytes(with_header(told.read_bytes(), software=ARENA))
    assert Verified(tmp_path, record, told).code == 5
    # Where both are an arena's, they are two matches of one program.
    record.write_bytes(with_header(RECORD, software=ARENA))
    assert Verified(tmp_path, record, told).code == 4
