"""Modules that lie beside the files of Python bots, when several have some of one name."""

from __future__ import annotations

import py_compile
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p.bots import beside, find_bot
from pazaak_p2p.bots.faults import NoSuchClass

AT_THE_TOP = """
import json  # Python's own, though there is a file of that name
import strategy
from parts.deep import NUMBER
from pazaak_p2p.rules import legal_actions

class Mine:
    loads = json.loads

    def choose(self, view):
        return strategy.NUMBER, NUMBER
"""
WHEN_ASKED = """
class Mine:
    def choose(self, view):
        import strategy
        return strategy.NUMBER
"""


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Other tests know nothing of what is imported here."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(beside, "_OF", {})
    before = dict(sys.modules)
    yield
    beside._REFUSED.names = set()
    sys.modules.clear()
    sys.modules.update(before)


def version(folder: Path, number: int, source: str = AT_THE_TOP) -> str:
    (folder / "parts").mkdir(parents=True)
    (folder / "strategy.py").write_text(f"NUMBER = {number}\n")
    (folder / "parts" / "deep.py").write_text(f"NUMBER = {number}\n")
    (folder / "json.py").write_text("this is no Python\n")
    (folder / "bot.py").write_text(source)
    return f"{folder}/bot.py:Mine"


def chosen(text: str) -> Any:
    view: Any = None
    return find_bot(text).make(bytes(32)).choose(view)


def test_each_version_of_a_bot_plays_with_its_own(tmp_path: Path) -> None:
    one, two = version(tmp_path / "v1", 1), version(tmp_path / "v2", 2)
    made: list[Any] = [find_bot(text).make(bytes(32)) for text in (one, two)]
    view: Any = None
    assert [bot.choose(view) for bot in made] == [(1, 1), (2, 2)]
    assert [chosen(text) for text in (two, one, two)] == [(2, 2), (1, 1), (2, 2)]
    # As where a process inherits what the one that started it has found.
    beside._OF.clear()
    assert [chosen(text) for text in (one, two)] == [(1, 1), (2, 2)]
    # Classes are found by the names of their modules, as pickle does it.
    assert len({type(bot).__module__ for bot in made}) == 2


def test_what_is_compiled_is_each_version_s_own_too(tmp_path: Path) -> None:
    versions = [version(tmp_path / f"v{number}", number) for number in (1, 2)]
    for number in (1, 2):
        source = tmp_path / f"v{number}" / "strategy.py"
        py_compile.compile(str(source), cfile=f"{source}c", doraise=True)
        source.unlink()
    assert [chosen(text) for text in versions] == [(1, 1), (2, 2)]


def test_who_imports_when_asked_gets_its_own_or_none(tmp_path: Path) -> None:
    one, two = (version(tmp_path / f"v{number}", number, WHEN_ASKED) for number in (1, 2))
    assert chosen(one) == 1
    first = find_bot(one).make(bytes(32))
    second = find_bot(two).make(bytes(32))
    view: Any = None
    for bot in (first, second):
        with pytest.raises(ImportError, match="other bots have a module strategy too"):
            bot.choose(view)


def test_one_that_cannot_be_loaded_leaves_the_others_alone(tmp_path: Path) -> None:
    one = version(tmp_path / "v1", 1)
    broken = version(tmp_path / "v2", 2, "import strategy\n1 / 0\n")
    assert chosen(one) == (1, 1)
    with pytest.raises(NoSuchClass):
        find_bot(broken)
    assert chosen(one) == (1, 1)


def test_copies_of_the_program_beside_bots_are_none_of_their_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in two clones, of which the program itself runs from the first."""
    one, two = version(tmp_path / "v1", 1), version(tmp_path / "v2", 2)
    for folder in (tmp_path / "v1", tmp_path / "v2"):
        package = folder / "pazaak_p2p"
        package.mkdir()
        (package / "__init__.py").write_text("1 / 0\n")
    program = sys.modules["pazaak_p2p"]
    monkeypatch.setattr(program, "__file__", str(tmp_path / "v1" / "pazaak_p2p" / "__init__.py"))
    assert [chosen(text) for text in (one, two)] == [(1, 1), (2, 2)]
    assert sys.modules["pazaak_p2p"] is program
    # What is started from here finds this program too, and no other version.
    where = [Path(folder) for folder in sys.path]
    installed = where.index(Path(beside.__file__).parents[2])
    assert installed < where.index(tmp_path / "v1")
    assert installed < where.index(tmp_path / "v2")
