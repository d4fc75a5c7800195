"""Where the user's files are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pazaak_p2p.bots import find_bot
from pazaak_p2p.errors import Exit
from pazaak_p2p.store import (
    UnknownUser,
    config_folder,
    data_folder,
    deck_folder,
    expanded,
    load_deck,
    match_folder,
)


def test_PAZAAK_HOME_holds_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path))
    assert config_folder() == data_folder() == tmp_path
    assert deck_folder() == tmp_path / "decks"
    assert match_folder() == tmp_path / "matches"


def test_PAZAAK_HOME_may_begin_with_the_users_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAZAAK_HOME", "~/games")
    assert data_folder() == Path.home() / "games"


@pytest.mark.parametrize("unset", ["", None])
def test_otherwise_the_platforms_own_folders(
    monkeypatch: pytest.MonkeyPatch, unset: str | None
) -> None:
    if unset is None:
        monkeypatch.delenv("PAZAAK_HOME", raising=False)
    else:
        monkeypatch.setenv("PAZAAK_HOME", unset)
    assert data_folder().name == config_folder().name == "pazaak"
    assert data_folder().is_absolute()


@pytest.mark.skipif(sys.platform == "win32", reason="there every ~name has a folder")
def test_a_user_who_is_not_here_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for ask in (
        lambda: expanded("~nobody-of-that-name/x"),
        lambda: load_deck("~nobody-of-that-name/my.toml"),
        lambda: load_deck("~nobody-of-that-name"),
        lambda: find_bot("script:~nobody-of-that-name/my.txt"),
    ):
        with pytest.raises(UnknownUser, match="no such user") as caught:
            ask()
        assert caught.value.exit_code == Exit.USAGE
    monkeypatch.setenv("PAZAAK_HOME", "~nobody-of-that-name/games")
    with pytest.raises(UnknownUser):
        data_folder()


def test_a_script_may_be_in_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "my.txt").write_text("end\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert find_bot("script:~/my.txt").text == "script:~/my.txt"
