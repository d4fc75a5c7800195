"""``config.toml``: what it may say, and what is said of one that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.store.settings import Settings, SettingsError, TableSettings, load_settings


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_nobody_needs_settings(config: Path) -> None:
    assert load_settings() == Settings()
    assert not config.exists()


def test_everything_that_can_be_set(config: Path) -> None:
    config.write_text(
        'name = "Ann"\n[table]\ntheme = "colour-blind"\npace = 1.5\nascii = true\nbell = true\n'
        "plain = false\n"
        '[colours]\n"card.green" = "bg:#123456"\n'
    )
    table = TableSettings(theme="colour-blind", pace=1.5, ascii=True, bell=True, plain=False)
    assert load_settings() == Settings("Ann", table, {"card.green": "bg:#123456"})


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"[table\n", "it is no valid TOML", 1),
        (b"[table]\npace = fast\n", "it is no valid TOML: Invalid value", 2),
        (b"\xff\xfe", "this is not UTF-8 text", 1),
        (
            b'[table]\npace = "fast"\n',
            "got `str` - at `$.table.pace`",
            None,
        ),
        (b"[tabel]\n", "unknown field `tabel`", None),
        (b"#" * 70_000, "it has more than 65536 bytes", None),
    ],
)
def test_damage_is_told_by_its_place_and_the_file_is_kept(
    config: Path, data: bytes, what: str, line: int | None
) -> None:
    config.write_bytes(data)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert what in caught.value.what
    assert str(config) in caught.value.what
    assert caught.value.line == line
    assert config.read_bytes() == data
