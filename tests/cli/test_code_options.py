"""Where a join code is read from, and where not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pazaak_p2p.cli.code_options import CodeFileError, code_from_file, code_from_person
from pazaak_p2p.errors import Exit, UsageError
from pazaak_p2p.net.code_words import NoCode

CODE = "17-copper-lantern"
posix = pytest.mark.skipif(os.name == "nt", reason="permission bits mean nothing there")
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(data: bytes, mode: int = 0o600) -> Path:
        path = tmp_path / "code"
        path.write_bytes(data)
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], int]]:
    """Make standard input a pipe with these bytes in it; its descriptor."""
    reader, writer = os.pipe()

    def make(data: bytes) -> int:
        os.write(writer, data)
        os.close(writer)
        return reader

    with os.fdopen(reader) as file:
        monkeypatch.setattr(sys, "stdin", file)
        yield make


def test_without_a_file_there_is_no_code() -> None:
    assert code_from_file(True, None) is None
    assert code_from_file(False, None) is None


@pytest.mark.parametrize(
    "data", [b"17-copper-lantern", b"17 Copper Lantern\n", b"\xef\xbb\xbf17-copper-lantern\r\n"]
)
def test_a_code_from_a_file(write: Write, data: bytes) -> None:
    assert code_from_file(False, str(write(data))) == CODE


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o660])
def test_a_file_that_others_can_read_or_change_is_refused(write: Write, mode: int) -> None:
    path = write(CODE.encode(), mode)
    with pytest.raises(CodeFileError) as caught:
        code_from_file(False, str(path))
    assert caught.value.what == f"{path} has the wrong permissions."
    assert caught.value.why == "Other users of this machine can read or change the join code."
    assert caught.value.next == f"Type: chmod 600 {path}"
    assert caught.value.exit_code is Exit.USAGE
    path.chmod(0o600)
    assert code_from_file(False, str(path)) == CODE


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "No join code was typed."),
        (b"17-coper-lantern\n", "'coper' is no word of a join code."),
        (b"17-copper-lantern\n18-copper-lantern\n", "That is no join code."),
        (b"\xff\xfe\x00", "No join code was typed."),
        (b"x" * 256, "That is too long for a join code."),
    ],
)
def test_a_file_without_a_code_is_named(write: Write, data: bytes, says: str) -> None:
    path = write(data)
    with pytest.raises(NoCode) as caught:
        code_from_file(False, str(path))
    assert caught.value.what == f"{path}: {says}"


def test_a_large_file_is_not_read(write: Write) -> None:
    with pytest.raises(CodeFileError, match="it is too large"):
        code_from_file(False, str(write(CODE.encode() + b"\n" * 300)))


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "code")
    for name, says in (("nothing", "There is no file"), ("", "is a folder"), ("link", "is a link")):
        with pytest.raises(CodeFileError) as caught:
            code_from_file(False, str(tmp_path / name))
        assert says in caught.value.what


def test_both_options_are_too_many(write: Write) -> None:
    with pytest.raises(UsageError) as caught:
        code_from_file(True, str(write(CODE.encode())))
    assert caught.value.what == "--code and --code-file cannot be given together."


def test_standard_input_is_read_to_the_end_of_the_line(
    standard_input: Callable[[bytes], int],
) -> None:
    descriptor = standard_input(b"17 copper lantern\ns\n")
    assert code_from_file(False, "-") == CODE
    assert os.read(descriptor, 100) == b"s\n"  # what comes next is the player's


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "No join code was typed."),
        (b"17-copper-lantren\n", "'lantren' is no word of a join code."),
        (b"a" * 100_000, "That is too long for a join code."),
    ],
)
def test_standard_input_without_a_code(
    standard_input: Callable[[bytes], int], data: bytes, what: str
) -> None:
    standard_input(data[:65536])
    with pytest.raises(NoCode) as caught:
        code_from_file(False, "-")
    assert caught.value.what == what


def test_a_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(CodeFileError) as asked:
        code_from_person()
    with pytest.raises(CodeFileError) as read:
        code_from_file(False, "-")
    assert asked.value.why == read.value.why == "Standard input is closed."


def test_nobody_is_asked_without_a_terminal(standard_input: Callable[[bytes], int]) -> None:
    standard_input(CODE.encode())
    with pytest.raises(UsageError) as caught:
        code_from_person()
    assert caught.value.what == "There is no terminal at which to ask for the join code."
    assert "--code-file FILE" in caught.value.next
