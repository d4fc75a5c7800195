"""``pazaak replay``: which record is meant, what comes out of it, and what is wrong with others."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.replay_record import Side
from pazaak_p2p.tui.replay_text import as_text
from tests.cli.ran import Ran, refused
from tests.tui.replay_pages import GOLD, ROOT, cheats, recording, seed_record, unfinished
from tests.wire.records import RECORD, pieces, with_header

FILE = ROOT / "seeds" / GOLD / "expected.pzk"
STORY = "".join(as_text(recording(GOLD), Side.ABOVE, UNICODE))
ID = recording(GOLD).verdict.match_id.hex()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A home with three records, of which that of the gold cards is in the middle."""
    folder = tmp_path / "matches"
    folder.mkdir()
    for age, name in enumerate(("plain-match", GOLD, "concession")):
        digits = recording(name).verdict.match_id.hex()[:8]
        path = folder / f"2031-05-0{age + 1}_21-30_Ann_vs_Ben_{digits}.pzk"
        path.write_bytes(seed_record(name))
        os.utime(path, (1_000_000 + age, 1_000_000 + age))
    return tmp_path


def record(home: Path, digits: str) -> Path:
    (found,) = (home / "matches").glob(f"*_{digits}.pzk")
    return found


# --- which one


def test_a_pipe_gets_the_whole_story(tmp_path: Path) -> None:
    for more in ((), ("--plain",)):
        ran = Ran(tmp_path, "replay", str(FILE), *more)
        assert (ran.code, ran.out, ran.err) == (0, STORY, "")


def test_a_match_is_named_by_id_by_its_file_or_not_at_all(kept: Path) -> None:
    path = record(kept, ID[:8])
    for wanted in (ID[:4], ID[:8], ID[:9].upper(), ID, path.stem, path.name, str(path)):
        ran = Ran(kept, "replay", wanted)
        assert (ran.code, ran.out) == (0, STORY), wanted
    assert "Ben conceded" in Ran(kept, "replay").out
    newest = kept / "matches" / "2031-06-01_00-00_Ann_vs_Ben_01234567.pzk"
    newest.touch()  # a match that has just begun tells nothing yet
    assert "Ben conceded" in Ran(kept, "replay").out


def test_a_copy_beside_it_is_the_same_match(kept: Path) -> None:
    path = record(kept, ID[:8])
    shutil.copy(path, path.with_name(f"{path.stem}_2.pzk"))
    assert Ran(kept, "replay", ID[:6]).out == STORY


def test_names_that_fit_none_or_several(kept: Path) -> None:
    refused(Ran(kept, "replay", "no-such"), "There is no record 'no-such'.")
    refused(Ran(kept, "replay", "abcd"), "There is no record 'abcd'.")
    refused(Ran(kept, "replay", f"{ID[:8]}00"), "There is no record")
    refused(Ran(kept, "replay", "\x1b[31m"), r"There is no record '\\x1b[31m'.")
    refused(Ran(kept / "empty", "replay"), "There is no match to show yet.")
    other = record(kept, ID[:8]).with_name(f"x_{ID[:4]}0000.pzk")
    other.write_bytes(seed_record("plain-match"))
    ran = Ran(kept, "replay", ID[:4])
    refused(ran, "More than one match begins with")
    assert f"pazaak replay {other.name}" in ran.err or f"_{ID[:8]}.pzk" in ran.err


def test_a_file_of_secrets_is_not_shown(kept: Path) -> None:
    path = record(kept, ID[:8])
    secret = path.with_suffix(".secret")
    secret.write_text("key = 'not for anybody'")
    for wanted in (str(secret), secret.name):
        ran = Ran(kept, "replay", wanted)
        refused(ran, "This is what only one player knows of a match, not its record.")
        assert f"pazaak replay {path}" in ran.err
        assert "not for anybody" not in ran.out + ran.err


# --- what is no record


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"", Exit.USAGE, "The file is empty."),
        (b"Dear Ann,\n", Exit.USAGE, "This is no record of a match."),
        (RECORD[:200], Exit.PEER_LOST, "breaks off before its match begins"),
        (with_header(RECORD, v=7), Exit.MISFIT, "a record of a newer pazaak"),
    ],
    ids=["empty", "text", "beginning", "newer"],
)
def test_what_is_no_record_is_told_as_verify_does(
    tmp_path: Path, data: bytes, code: Exit, says: str
) -> None:
    path = tmp_path / "bad.pzk"
    path.write_bytes(data)
    for more in ((), ("--export", str(tmp_path / "out.json"))):
        ran = Ran(tmp_path, "replay", str(path), *more)
        assert ran.code == code == Ran(tmp_path, "verify", str(path)).code
        assert ran.out == ""
        what, why, next_ = ran.err.splitlines()
        assert what.startswith(f"pazaak: {path}: ")
        assert says in what
        assert (why[:8], next_[:8]) == ("  Why:  ", "  Next: ")
    assert not (tmp_path / "out.json").exists()


def test_a_folder_and_a_file_that_is_much_too_large(tmp_path: Path) -> None:
    refused(Ran(tmp_path, "replay", str(tmp_path)), "This is a folder, not a record.")
    large = tmp_path / "large.pzk"
    with large.open("wb") as file:
        file.write(RECORD)
        file.truncate(1 << 30)
    refused(Ran(tmp_path, "replay", str(large)), "This is too large to be the record of a match.")


# --- what goes wrong in the middle


def test_a_cheat_is_told_where_it_happens(tmp_path: Path) -> None:
    path = tmp_path / "cheat.pzk"
    path.write_bytes(cheats()["card-not-dealt"])
    ran = Ran(tmp_path, "replay", str(path))
    assert (ran.code, ran.err) == (Exit.PEER_BROKE_PROTOCOL, "")
    assert "\nMal CHEATED (card-not-dealt) in entry 6.\n" in ran.out


def test_a_torn_end_and_a_match_that_is_not_over(tmp_path: Path) -> None:
    path = tmp_path / "torn.pzk"
    path.write_bytes(unfinished(GOLD, 14))
    ran = Ran(tmp_path, "replay", str(path))
    assert (ran.code, ran.err) == (Exit.PEER_LOST, "")
    assert "Nobody opened the side deck: cards that were not played stay hidden." in ran.out
    assert "\nThe record ends here: the match is not over.\n" in ran.out
    assert "Its last message is cut off." in ran.out


def test_what_stands_before_a_fault_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "game.pzk"
    *before, end = pieces(RECORD)
    path.write_bytes(b"".join([*before, before[-1], end]))
    ran = Ran(tmp_path, "replay", str(path))
    assert ran.code == Exit.USAGE
    assert "Join won" not in ran.out
    assert "Join wins the set" in ran.out
    assert "Here the record goes wrong: After 7 entries comes a message" in ran.out
    assert ran.err.startswith("pazaak: After 7 entries comes a message that cannot come there")


# --- exports


def test_exports_by_their_endings(tmp_path: Path) -> None:
    files = {}
    for ending in ("txt", "json", "svg", "cast"):
        path = tmp_path / f"game.{ending}"
        ran = Ran(tmp_path, "replay", str(FILE), "--export", str(path))
        assert (ran.code, ran.out, ran.err) == (0, "", f"Written: {path}\n")
        files[ending] = path.read_bytes().decode()
    assert files["txt"] == STORY
    made = json.loads(files["json"])
    assert made["match"]["id"] == ID
    assert set(made["verdict"]) == {
        *("verdict", "exit", "termination", "winner", "sets", "entries", "lots", "cards", "moves"),
        *("transcript", "opened", "complete", "cheat", "claim", "missing", "claimed"),
        *("contradiction", "torn", "problem"),
    }
    page = (ROOT / "protocol" / "replay.md").read_text("utf-8")
    assert all(f"`{key}`" in page for key in made["verdict"])
    svg = ElementTree.fromstring(files["svg"])
    assert "".join(svg.itertext()).strip().startswith("Pazaak, Ann against Ben, step 34: All 14")
    assert len(files["cast"].splitlines()) == 36
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"game.{ending}" for ending in files
    )


def test_exports_to_standard_output(tmp_path: Path) -> None:
    for arguments, begins in (
        (("--export", "-"), "Ann hosts, Ben joins.\n"),
        (("--export", "-", "--format", "json"), '{"format": "pazaak-replay"'),
        (("--format", "svg"), "<svg "),
        (("--format", "cast", "--at", "30", "--pace", "2"), '{"version": 2'),
    ):
        ran = Ran(tmp_path, "replay", str(FILE), *arguments)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(begins)
    assert [json.loads(line)[0] for line in ran.out.splitlines()[1:]] == [0, 2, 14, 16, 18, 30]


def test_options_of_exports(tmp_path: Path) -> None:
    def svg(*arguments: str) -> str:
        ran = Ran(tmp_path, "replay", str(FILE), "--format", "svg", *arguments)
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    assert svg("--at", "22") == (FILE.parent / "screen.svg").read_text("utf-8")
    assert 'width="1104" height="784"' in svg("--size", "120x40")
    assert svg("--theme", "colour-blind") != svg()
    assert "±" in svg("--at", "22")
    assert svg("--at", "22", "--ascii").isascii()
    for seat, says in (("above", "Ann draws"), ("host", "You draw"), ("join", "Ann draws")):
        title = f"<title>Pazaak, Ann against Ben, step 22: {says} [9]: 25, over 20.</title>"
        assert title in svg("--seat", seat, "--at", "22")


def test_what_is_there_is_replaced_only_with_force(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    refused(Ran(tmp_path, "replay", str(FILE), "--export", str(path)), "is there already.")
    assert path.read_text() == "mine"
    assert Ran(tmp_path, "replay", str(FILE), "--export", str(path), "--force").code == 0
    assert path.read_text("utf-8") == STORY


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--export", "game.pdf"), "game.pdf does not tell what it is to be."),
        (("--export", "no/such/folder/game.txt"), "no/such/folder/game.txt cannot be written."),
        (("--at", "35"), "There is no step 35."),
        (("--at", "0"), "Invalid value for '--at'"),
        (("--size", "80"), "Invalid value for '--size': '80' is no size"),
        (("--size", "39x16"), "Invalid value for '--size': A screen has 40x16 to 400x200."),
        (("--size", "\x1b[x1"), r"'\\x1b[x1' is no size"),
        (("--seat", "table"), "Invalid value for '--seat'"),
        (("--pace", "0"), "Invalid value for '--pace'"),
    ],
)
def test_what_cannot_be(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    refused(Ran(tmp_path, "replay", str(FILE), *arguments), says)
