"""Text files that people write."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.store.texts import BadText, parse_toml, read_text


def test_a_text_is_read_without_the_mark_at_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "my.txt"
    file.write_text("\ufeff±4\r\n", encoding="utf-8", newline="")
    assert read_text(file, 9) == "±4\r\n"


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"1234567890", "more than 9 bytes", None),
        (b"a\nb\n\xff\n", "not UTF-8", 3),
        (b"\xef\xbb\xbf\n\n\xff", "not UTF-8", 3),
        (b"\xff", "not UTF-8", 1),
        (None, "cannot be read: No such file", None),
    ],
)
def test_what_is_wrong_with_a_text_is_told_with_its_line(
    tmp_path: Path, data: bytes | None, what: str, line: int | None
) -> None:
    file = tmp_path / "my.txt"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(BadText, match=what) as caught:
        read_text(file, 9)
    assert caught.value.line == line


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(BadText):
        read_text(Path("a\0b"), 9)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb", 2), ("a = [\n", 2), ("a = 1\na = 2\n", 2), ("a = " + "[" * 100_000, None)],
)
def test_what_is_wrong_with_toml_is_told_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(BadText, match="no valid TOML") as caught:
        parse_toml(text)
    assert line is None or caught.value.line == line


def test_toml_of_the_other_side_of_a_terminal_is_shown_safely() -> None:
    with pytest.raises(BadText) as caught:
        parse_toml("a = '\x1b[2J'")
    assert "\x1b" not in caught.value.what


def test_a_number_of_thousands_of_digits_is_no_fault_of_the_program() -> None:
    with pytest.raises(BadText, match="no valid TOML"):
        parse_toml("cards = " + "1" * 6000)
