"""Reading a match.toml: what is wrong with it, and where."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pazaak_p2p.arena.errors import NoSeeds, SeedError, UnknownSeed
from pazaak_p2p.arena.expected import update
from pazaak_p2p.arena.run_seed import run_seed
from pazaak_p2p.arena.seeds import find_seed, list_seeds, load_seed, seeds_folder
from pazaak_p2p.bots import ScriptError
from pazaak_p2p.errors import PazaakError

GOOD = """\
title = "A match"
shows = "Nothing much."
covers = ["R1"]
rules = "standard,sets=1"

[host]
name = "Ann"
seed = "text"
deck = "starter"
script = ["at-end threshold", "end"]

[join]
name = "Ben"
seed = "text"
deck = "+1 +1 +2 +2 +3 +3 +4 +4 +5 +5"
bot = "threshold:18"
"""

Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str | bytes) -> Path:
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / "match.toml").write_bytes(data)
        return tmp_path

    return write


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


async def test_a_good_file_is_read_and_played(write: Write) -> None:
    match = load_seed(write(GOOD))
    assert (match.title, match.shows, match.covers) == ("A match", "Nothing much.", ("R1",))
    assert (match.host.name, match.join.seed, match.rules.sets) == ("Ann", "text", 1)
    run = await run_seed(match)
    assert run.text.startswith("A match\nRules: standard,sets=1\nAnn hosts with +1 +1")


async def test_the_example_in_the_readme_is_read_and_played(write: Write) -> None:
    readme = Path(__file__).parents[2] / "seeds" / "README.md"
    example = readme.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    run = await run_seed(load_seed(write(example)))
    assert "Ann  draws 8                 23 = 5 10 8\n  Ann  plays -3, stands" in run.text


@pytest.mark.parametrize(
    ("text", "line", "what", "why"),
    [
        (changed("rules =", "rules"), 4, "no valid TOML", None),
        (b'title = "\xff"', 1, "not UTF-8", None),
        (changed('title = "A match"\n', ""), None, "title is missing", "top of the file"),
        (changed('title = "A match"', "title = 3"), 1, "title: it must be a text", None),
        (changed('"R1"', '"R22"'), 3, "covers: 'R22' is neither", None),
        (changed('"R1"', '"C8"'), 3, "covers: 'C8' is neither", None),
        (changed('"A match"', '"A\\u001b[2J"'), 1, "title: it holds characters", None),
        (changed('"Nothing much."', '"\\u202Eno"'), 2, "shows: it holds characters", None),
        (changed('["R1"]', '"R1"'), 3, "covers: it must be a list", None),
        (changed("sets=1", "sets=10"), 4, "rules: The option sets", "from 1 to 9"),
        (changed("standard,", "normal,"), 4, "There is no rule set 'normal'", "presets"),
        (changed("covers", "covered"), 3, "no setting 'covered'", "The settings here are"),
        (changed("[join]", "[guest]"), 12, "no setting 'guest'", None),
        (GOOD.partition("[join]")[0], None, "[join] is missing", "two seats"),
        (changed('name = "Ben"\n', ""), 12, "name is missing", "in [join]"),
        (changed('"Ann"', f'"{"A" * 33}"'), 7, "[host] name: it must be", None),
        (changed('"Ann"', '"A\\u001bn"'), 7, "[host] name: it holds characters", None),
        (changed('"starter"', '"dull"'), 9, "[host] deck: There is no side card", "that ship are"),
        (changed('"+1 +1 ', '"+1 +9 '), 15, "no side card '+9'", "from 1 to 6"),
        (changed('"+1 +1 ', '"+1 '), 15, "has 9 cards", None),
        (changed("sets=1", "copies=limited").replace("+2 +2 +3", "+1 +1 +1"), 15, "+1 5", "R3"),
        (changed('bot = "threshold:18"', ""), 12, "either script or bot", None),
        (GOOD + 'script = ["end"]\n', 17, "either script or bot", None),
        (changed("threshold:18", "clever"), 16, "[join] bot: There is no bot", "threshold"),
        (changed("threshold:18", "cmd:./a"), 16, "[join] bot: There is no bot", "threshold"),
        (changed("threshold:18", "os:Bot"), 16, "[join] bot: There is no bot", "threshold"),
        (changed("threshold:18", "script:a.txt"), 16, "a script stands here", None),
        (changed("threshold:18", "random").replace("bot", "plays"), 16, "no setting 'plays'", None),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused_with_its_line(
    write: Write, text: str | bytes, line: int | None, what: str, why: str | None
) -> None:
    folder = write(text)
    with pytest.raises(SeedError) as caught:
        load_seed(folder)
    error = caught.value
    where = str(folder / "match.toml") + ("" if line is None else f", line {line}")
    assert error.what.startswith(f"{where}: ")
    assert what in error.what
    assert why is None or why in error.why
    assert error.next


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SeedError, match="cannot be read: No such file"):
        load_seed(tmp_path)


def test_a_file_that_is_too_large(write: Write) -> None:
    with pytest.raises(SeedError, match="more than 100000 bytes"):
        load_seed(write(b"#" * 100_001))


def test_an_action_that_is_none_is_named_by_its_number(write: Write) -> None:
    with pytest.raises(ScriptError) as caught:
        load_seed(write(changed('"end"', '"end", "play", "stand"')))
    assert "[host] script, line 3: 'play' is no action" in caught.value.what


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ('"end", "play -6"', "line 2: the hand holds no such card now"),
        ('"pass"', "line 1: A pass cannot come now"),
        ('"end"', "it has no line left"),
    ],
)
async def test_a_script_that_does_not_fit_ends_the_match_with_its_line(
    write: Write, script: str, what: str
) -> None:
    match = load_seed(write(changed('"at-end threshold", "end"', script)))
    with pytest.raises(PazaakError) as caught:
        await run_seed(match)
    assert isinstance(caught.value, ScriptError)
    assert "match.toml, [host] script" in caught.value.what
    assert what in caught.value.what


def test_finding_matches(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(GOOD)
    monkeypatch.chdir(folder)
    assert find_seed(str(folder), None) == folder
    assert find_seed(str(folder / "match.toml"), None) == folder
    assert find_seed("plain-match", None).name == "plain-match"  # that of the source
    with pytest.raises(UnknownSeed, match="'plain'"):
        find_seed("plain", None)
    with pytest.raises(NoSeeds, match="no seeded matches in"):
        list_seeds(folder)
    with pytest.raises(NoSeeds, match="There is no folder"):
        seeds_folder(folder / "none")


async def test_an_expectation_is_replaced_in_one_step(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = load_seed(write(GOOD))
    run = await run_seed(match)
    assert update(match, run)
    assert not update(match, run)
    before = {path.name: path.read_bytes() for path in match.folder.iterdir()}

    def full(old: object, new: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    other = msgspec.structs.replace(run, text="something else")
    with pytest.raises(SeedError, match="cannot be written: No space"):
        update(match, other)
    assert {path.name: path.read_bytes() for path in match.folder.iterdir()} == before
