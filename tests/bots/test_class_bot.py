"""Bots that are Python classes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from pazaak_p2p.bots import find_bot
from pazaak_p2p.bots.class_bot import ClassBot, load_class, make_bot
from pazaak_p2p.bots.faults import BotFault, NoSuchClass
from pazaak_p2p.bots.interface import Begin
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import Action, Rules, Seat, Stand, View, legal_actions
from tests.bots.outsiders import EXAMPLES, some_views

VIEWS = some_views(3)
BEGIN = Begin(bytes(32), Seat.HOST, Rules(), bytes(range(32)), False)


def test_a_class_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))  # so that what loading adds goes again
    (tmp_path / "friend_of_my_bot.py").write_text("LAST = -1\n")
    (tmp_path / "my_bot.py").write_text(
        "from friend_of_my_bot import LAST\n"
        "from pazaak_p2p.rules import legal_actions\n"
        "class Mine:\n"
        "    def choose(self, view):\n"
        "        return legal_actions(view.state)[LAST]\n"
    )
    for text in (f"{tmp_path}/my_bot.py:Mine", f"py,seconds=2:{tmp_path}/my_bot.py:Mine"):
        found = find_bot(text)
        assert found.outside is not None
        for view in VIEWS:
            assert found.make(bytes(32)).choose(view) == legal_actions(view.state)[-1]
    monkeypatch.chdir(tmp_path)
    assert find_bot("my_bot:Mine").make(bytes(32)).choose(VIEWS[0]) == Stand()


BROKEN = [
    ("class A:\n    def choose(self view): pass\n", "line 2: this is no Python", "Python says"),
    ("import no_such_module_at_all\n", "cannot be loaded", "line 1: ModuleNotFoundError"),
    ("\n\n1 / 0\n", "cannot be loaded", "line 3: ZeroDivisionError: division by zero"),
    ("raise SystemExit\n", "ends the program when it is loaded", "__main__"),
    ("class E(BaseException): pass\nraise E\n", "cannot be loaded", "line 2: E: "),
    ("A = 3\n", "no class A", "There is no class with a method choose."),
    ("class A: pass\n", "is no bot", "has no method choose"),
    ("class B:\n    def choose(self, view): pass\n", "no class A", "with a method choose are: B"),
]


@pytest.mark.parametrize(
    ("source", "what", "why"), BROKEN, ids=[str(i) for i in range(len(BROKEN))]
)
def test_a_class_that_cannot_be_loaded(tmp_path: Path, source: str, what: str, why: str) -> None:
    file = tmp_path / "broken_bot.py"
    file.write_text(source)
    with pytest.raises(NoSuchClass) as caught:
        load_class(str(file), "A")
    assert what in caught.value.what
    assert why in caught.value.why
    assert "broken_bot.py" in caught.value.what + caught.value.why


def test_no_such_file_or_module() -> None:
    with pytest.raises(NoSuchClass, match=r"There is no file nowhere/mybot\.py"):
        find_bot("nowhere/mybot.py:A")
    for module in ("no_such_module_at_all", "no.such.module"):
        with pytest.raises(NoSuchClass, match=f"There is no module {module}"):
            find_bot(f"{module}:A")


def test_options_and_the_seed_are_arguments() -> None:
    class Wants:
        def __init__(self, seed: bytes, risk: str = "1", two_words: str = "") -> None:
            self.got = seed, risk, two_words

        def choose(self, view: View) -> Action:
            raise NotImplementedError

    bot = make_bot(Wants, [("risk", "3"), ("two-words", "x")], b"seed")
    assert isinstance(bot, Wants)
    assert bot.got == (b"seed", "3", "x")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("", "missing a required argument: 'risk'"),
        ("py,risk=3,nerve=4:", "unexpected keyword argument 'nerve'"),
    ],
)
def test_options_that_a_class_does_not_take_are_told_before_any_match(
    settings: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "picky_bot.py").write_text(
        "class Picky:\n"
        "    def __init__(self, risk, seed): pass\n"
        "    def choose(self, view): raise NotImplementedError\n"
    )
    assert find_bot(f"py,risk=3:{tmp_path}/picky_bot.py:Picky").outside is not None
    with pytest.raises(NoSuchClass, match="Picky cannot be made with these options") as caught:
        find_bot(f"{settings}{tmp_path}/picky_bot.py:Picky")
    assert why in caught.value.why


class Does:
    """Does what it is told to."""

    deed: object = None
    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def choose(self, view: View) -> object:
        if isinstance(self.deed, BaseException):
            raise self.deed
        return self.deed


async def begun(deed: object) -> ClassBot:
    bot = ClassBot(type("Mine", (Does,), {"deed": deed}), ())
    assert (await bot.open()).name == "Mine"
    await bot.begin(BEGIN)
    return bot


async def test_it_chooses_or_concedes() -> None:
    assert await (await begun(Stand())).ask(VIEWS[0], 10) == Stand()
    assert await (await begun(Concede())).ask(VIEWS[0], 10) == Concede()


@pytest.mark.parametrize(
    ("deed", "code", "why"),
    [
        (ValueError("a\x1b[31mb"), "bot-crash", "ValueError: a\\x1b[31mb"),
        (SystemExit(3), "bot-crash", "SystemExit: 3"),
        (KeyboardInterrupt(), "bot-crash", "KeyboardInterrupt"),
        (None, "bot-illegal", "one of legal_actions(view.state)"),
        ("stand", "bot-illegal", "one of legal_actions(view.state)"),
    ],
)
async def test_what_it_does_wrong(deed: object, code: str, why: str) -> None:
    bot = await begun(deed)
    with pytest.raises(BotFault) as caught:
        await bot.ask(VIEWS[0], 10)
    assert caught.value.code == code
    assert why in caught.value.why
    if isinstance(deed, BaseException):
        assert caught.value.__cause__ is deed  # which --debug shows
        assert "test_class_bot.py, line" in caught.value.why


class Trap(Exception):
    """Whatever looks at it runs the bot's own code."""

    def __init__(self, spring: Callable[[], object]) -> None:
        self.spring = spring

    def __eq__(self, other: object) -> bool:
        return bool(self.spring())

    def __repr__(self) -> str:
        return str(self.spring())

    __str__ = __repr__
    __hash__ = Exception.__hash__


async def test_what_it_chose_or_raised_is_looked_at_in_its_thread() -> None:
    """So that what fails or hangs there costs the match, as in ``choose``, and nothing more."""
    looked: list[threading.Thread] = []
    release = threading.Event()

    def note() -> str:
        looked.append(threading.current_thread())
        return ""

    def fail() -> str:
        raise BaseException("a trap")

    def hang() -> str:
        release.wait(60)
        return ""

    class Raises(Does):
        def choose(self, view: View) -> object:
            assert isinstance(self.deed, BaseException)
            raise self.deed

    class Returns(Does):
        def choose(self, view: View) -> object:
            return self.deed

    cases = [
        (Returns, note, 10, "bot-illegal", "one of legal_actions(view.state)"),
        (Raises, note, 10, "bot-crash", "Trap: "),
        (Returns, fail, 10, "bot-crash", "BaseException: a trap"),
        (Raises, fail, 10, "bot-crash", "what was raised cannot be told"),
        (Returns, hang, 0.05, "bot-time", "thinks too long"),
        (Raises, hang, 0.05, "bot-time", "thinks too long"),
    ]
    try:
        for cls, spring, seconds, code, why in cases:
            bot = ClassBot(type("Mine", (cls,), {"deed": Trap(spring)}), ())
            await bot.open()
            await bot.begin(BEGIN)
            with pytest.raises(BotFault) as caught, trio.fail_after(20):
                await bot.ask(VIEWS[0], seconds)
            assert caught.value.code == code
            assert why in caught.value.why
    finally:
        release.set()
    assert looked
    assert threading.main_thread() not in looked


async def test_one_that_hangs_is_left_behind_and_the_next_is_fresh() -> None:
    release = threading.Event()

    class Hangs:
        made = 0

        def __init__(self) -> None:
            Hangs.made += 1
            self.hangs = Hangs.made == 1

        def choose(self, view: View) -> Action:
            if self.hangs:
                release.wait(60)
            return Stand()

    bot = ClassBot(Hangs, ())
    await bot.open()
    await bot.begin(BEGIN)
    try:
        with pytest.raises(BotFault) as caught:
            await bot.ask(VIEWS[0], 0.05)
        assert caught.value.code == "bot-time"
        assert "py,seconds=30:" in caught.value.next
        await bot.close(caught.value)
        await bot.open()
        await bot.begin(BEGIN)
        with trio.fail_after(20):
            assert await bot.ask(VIEWS[0], 20) == Stand()
        assert Hangs.made == 2
    finally:
        release.set()


def test_the_shortest_example_plays() -> None:
    bot = find_bot(f"{EXAMPLES / 'stand17.py'}:Stand17").make(bytes(32))
    for view in VIEWS:
        assert bot.choose(view) in legal_actions(view.state)
