"""What the documents say is there is there: links, tests, commands, sections, and every option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from pazaak_p2p.cli.program import group

ROOT = Path(__file__).parent.parent
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "protocol/README.md",
    "protocol/SPECIFICATION.md",
    "protocol/attacks.md",
    "protocol/bot-interface.md",
    "protocol/replay.md",
    "protocol/vectors/README.md",
    "seeds/README.md",
    "seeds/RULES.md",
)


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def options(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Every long option of *command* and of all below it, with the words that come before it."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below, (*path, name))
    for param in command.params:
        if isinstance(param, click.Option):
            for name in (*param.opts, *param.secondary_opts):
                if name.startswith("--"):
                    yield " ".join(path), name


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text_of(page))
    files = [link.partition("#")[0] for link in links if not link.startswith("https://")]
    missing = [file for file in files if not ((ROOT / page).parent / file).exists()]
    assert missing == []


def test_every_part_of_a_page_that_is_named_is_there() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        text = text_of(page)
        headings = set(re.findall(r"^#+ (.+)$", text, re.MULTILINE))
        named = re.findall(r"see \*([^*]+)\*", text)
        assert named
        assert set(named) <= headings


def test_every_test_that_an_attack_names_is_there() -> None:
    rows = [line for line in text_of("protocol/attacks.md").splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row.split(" | ")[-1])}
    assert len(named) > 40
    files = {path.relative_to(ROOT / "tests").as_posix() for path in ROOT.glob("tests/**/*.py")}
    assert {
        name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)
    } == set()


def test_every_module_that_is_to_be_run_can_be_run() -> None:
    """One without a ``__main__`` would do nothing, and say nothing."""
    rows = [line for page in PAGES for line in text_of(page).splitlines()]
    named = set()
    for row in rows:
        for module in re.findall(r"python -m ((?:tests|benchmarks|pazaak_p2p)[\w.]*)", row):
            named.add(module)
            package = module.rpartition(".")[0]
            if package == "benchmarks":  # those that follow, without their package
                found = re.findall(r"`(\w+_speed)`", row)
                named |= {f"{package}.{name}" for name in found}
    assert len(named) > 25
    idle = set()
    for module in named:
        spec = find_spec(module)
        assert spec is not None, module
        if spec.submodule_search_locations is not None:
            spec = find_spec(f"{module}.__main__")
            assert spec is not None, module
        assert spec.origin is not None
        if '__name__ == "__main__"' not in Path(spec.origin).read_text(encoding="utf-8"):
            idle.add(module)
    assert idle == set()


def test_every_section_of_the_specification_that_is_cited_is_there() -> None:
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\.? ", text_of(PAGES[4]), re.MULTILINE))
    assert {"3", "5.4", "6.4", "13"} <= sections
    cited = {
        number
        for folder in ("pazaak_p2p", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for number in re.findall(
            r"specification, sections? (\d+(?:\.\d+)?)", path.read_text(encoding="utf-8"), re.I
        )
    }
    assert len(cited) > 10
    assert cited <= sections


def test_every_option_is_told_in_a_document() -> None:
    told = "".join(text_of(page) for page in PAGES if page != "CHANGELOG.md")
    words = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", told))
    every = set(options(group, ()))
    assert ("resume", "--claim") in every
    assert {(command, name) for command, name in every if name not in words} == set()


def test_every_option_that_a_document_tells_is_there() -> None:
    """After ``pazaak COMMAND`` on one line, within one piece of code."""
    every = set(options(group, ()))
    commands = {command for command, _ in every}
    for page in PAGES:
        for code in re.findall(r"`(pazaak [^`\n]+)`", text_of(page)):
            words = code.split(' "')[0].split()
            two = " ".join(words[1:3])
            command = two if two in commands else "" if words[1] == "--version" else words[1]
            for name in (word for word in words if re.fullmatch(r"--[a-z-]+", word)):
                assert (command, name) in every or name == "--help", code
