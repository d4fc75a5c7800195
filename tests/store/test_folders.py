"""Where the user's files are."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.store import config_folder, data_folder, deck_folder, match_folder


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
