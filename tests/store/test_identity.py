"""The player's own key."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.store.identity import identity_file, load_identity, new_identity
from pazaak_p2p.store.safe_files import place, writing
from pazaak_p2p.store.trust_errors import (
    FileDamaged,
    FileExposed,
    IdentityLost,
    IdentityStands,
    TrustFileError,
)
from tests.store.ordinary import NOBODY, ordinary_folder
from tests.store.racing import race

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


@pytest.fixture
def ordinary() -> Iterator[Path]:
    with ordinary_folder() as folder:
        yield folder


def load(folder: Path) -> bytes:
    """The public key."""
    return load_identity(folder).public_key().public_bytes_raw()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# --- first use


def test_it_is_made_on_first_use_and_stays_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "folder"
    key = load(folder)
    assert load(folder) == key
    assert files(folder) == {"identity", "identity.pub", ".lock"}
    assert load(tmp_path / "other") != key


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    key = load_identity(tmp_path)
    lines = identity_file(tmp_path).read_text(encoding="ascii").splitlines()
    assert lines[0].startswith("# Your identity in pazaak")
    assert lines[-3:] == [
        "pazaak-identity 1",
        f"secret {key.private_bytes_raw().hex()}",
        f"public {key.public_key().public_bytes_raw().hex()}",
    ]
    public = (tmp_path / "identity.pub").read_text(encoding="ascii")
    assert key.private_bytes_raw().hex() not in public
    assert f"# Fingerprint: {fingerprint(key.public_key().public_bytes_raw())}\n" in public


@posix_only
def test_nobody_else_can_get_at_it_from_the_first_moment(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    before = os.umask(0)
    try:
        load(folder)
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in files(folder):
        assert (folder / name).stat().st_mode & 0o777 == 0o600, name


def test_programs_that_start_at_once_end_with_the_same_key(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from pazaak_p2p.store.identity import load_identity\n"
        "ready()\n"
        "print(load_identity(Path(sys.argv[1])).public_key().public_bytes_raw().hex())\n"
    )
    for round_ in range(3):
        folder = tmp_path / str(round_)
        told = race([code] * 6, str(folder))
        assert told == [f"{load(folder).hex()}\n"] * 6
        assert files(folder) == {"identity", "identity.pub", ".lock"}


def test_on_a_disk_without_second_names_it_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted", str(source), None, str(target))

    monkeypatch.setattr(os, "link", link)
    key = load(tmp_path)
    assert load(tmp_path) == key
    assert files(tmp_path) == {"identity", "identity.pub", ".lock"}
    with writing(tmp_path), pytest.raises(FileExistsError):
        place(identity_file(tmp_path), b"another")
    assert load(tmp_path) == key
    assert files(tmp_path) == {"identity", "identity.pub", ".lock"}


def test_what_a_killed_program_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "identity.new").write_text("half a ke")
    key = load(tmp_path)
    assert load(tmp_path) == key
    assert files(tmp_path) == {"identity", "identity.pub", ".lock"}


@posix_only
def test_a_link_that_waits_for_what_is_written_is_not_followed(tmp_path: Path) -> None:
    home, victim = tmp_path / "home", tmp_path / "victim"
    victim.write_text("precious")
    home.mkdir()
    for name in ("identity.new", "identity.pub"):
        (home / name).symlink_to(victim)
    with pytest.raises(IdentityLost):  # the second looks as if there had been one
        load(home)
    new_identity(home)
    assert victim.read_text() == "precious"
    assert not (home / "identity").is_symlink()
    assert not (home / "identity.pub").is_symlink()

    (home / ".lock").unlink()
    (home / ".lock").symlink_to(victim)
    (home / "identity").unlink()
    with pytest.raises(TrustFileError, match="cannot be written"):
        new_identity(home)
    assert victim.read_text() == "precious"


@posix_only
def test_a_disk_without_room(tmp_path: Path) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(TrustFileError, match="cannot be written") as caught:
            load(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "File too large" in caught.value.why
    assert files(tmp_path) == {".lock"}
    load(tmp_path)


@posix_only
def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file is in the way")
    with pytest.raises(TrustFileError) as caught:
        load(tmp_path / "home")
    assert caught.value.exit_code == Exit.IDENTITY_REFUSED
    assert "PAZAAK_HOME" in caught.value.next


@posix_only
def test_a_writer_that_never_ends_is_waited_for_only_so_long(tmp_path: Path) -> None:
    def write() -> None:
        with writing(tmp_path, patience=0):
            pass

    with writing(tmp_path), pytest.raises(TrustFileError, match="Another pazaak") as caught:
        write()
    assert ".lock" in caught.value.why
    write()


# --- who else could have touched it


@posix_only
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o602, 0o610, 0o601, 0o777])
def test_open_to_others_it_is_refused_with_the_command_that_mends_it(
    tmp_path: Path, mode: int
) -> None:
    folder = tmp_path / "Ann's home"
    key = load(folder)
    file = identity_file(folder)
    file.chmod(mode)
    with pytest.raises(FileExposed) as caught:
        load(folder)
    error = caught.value
    assert error.exit_code == Exit.IDENTITY_REFUSED
    assert f"{mode:04o}" in error.why
    assert error.next == f"Type: {error.command}"
    assert error.command.startswith("chmod 600 ")
    subprocess.run(error.command, shell=True, check=True)
    assert load(folder) == key


@posix_only
@pytest.mark.parametrize("mode", [0o000, 0o200])
def test_unreadable_it_is_refused_with_the_command_that_mends_it(ordinary: Path, mode: int) -> None:
    key = load(ordinary)
    identity_file(ordinary).chmod(mode)
    with pytest.raises(FileExposed) as caught:
        load(ordinary)
    assert caught.value.command == f"chmod 600 {identity_file(ordinary)}"
    identity_file(ordinary).chmod(0o600)
    assert load(ordinary) == key


@posix_only
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    load(tmp_path)
    os.chown(identity_file(tmp_path), NOBODY, NOBODY)
    with pytest.raises(TrustFileError, match="belongs to another user") as caught:
        load(tmp_path)
    assert caught.value.exit_code == Exit.IDENTITY_REFUSED
    assert str(NOBODY) in caught.value.why


@posix_only
def test_a_link_is_refused_even_to_a_good_identity(tmp_path: Path) -> None:
    load(tmp_path / "other")
    for target in (identity_file(tmp_path / "other"), tmp_path / "nowhere"):
        home = tmp_path / f"home of {target.name}"
        home.mkdir()
        identity_file(home).symlink_to(target)
        with pytest.raises(TrustFileError, match="is a link"):
            load(home)
        assert files(home) <= {"identity"}
    assert not (tmp_path / "nowhere").exists()


@posix_only
def test_what_is_no_file_is_refused_without_waiting_and_left_alone(tmp_path: Path) -> None:
    file = identity_file(tmp_path)
    file.mkdir()
    with pytest.raises(TrustFileError, match="is a folder"):
        load(tmp_path)
    file.rmdir()
    os.mkfifo(file)
    with pytest.raises(TrustFileError, match="is a pipe"):
        load(tmp_path)
    file.unlink()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(file))
        with pytest.raises(TrustFileError, match="is a socket"):
            load(tmp_path)
    assert files(tmp_path) == {"identity"}


# --- damage

SECRET, PUBLIC = f"secret {'1' * 64}", f"public {'2' * 64}"


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("", "it is empty", None),
        ("\n\n# nothing else\n", "there should be 'pazaak-identity 1'", None),
        ("secret\n", "there should be 'pazaak-identity 1'", 1),
        ("# x\n\npazaak-identity\n", "there should be 'pazaak-identity 1'", 3),
        ("pazaak-identity 1\n", "it is cut short", None),
        (f"pazaak-identity 1\n{SECRET}\n", "it is cut short", None),
        (f"pazaak-identity 1\n{SECRET}1\n{PUBLIC}\n", "there should be 'secret'", 2),
        (f"pazaak-identity 1\n{SECRET[:-1]}G\n{PUBLIC}\n", "there should be 'secret'", 2),
        (f"pazaak-identity 1\n{PUBLIC}\n{SECRET}\n", "there should be 'secret'", 2),
        (f"pazaak-identity 1\n{SECRET}\n{PUBLIC[:-1]}\n", "there should be 'public'", 3),
        (f"pazaak-identity 1\n{SECRET}\n{PUBLIC}\n", "do not belong together", None),
        (f"pazaak-identity 1\n{SECRET}\n{PUBLIC}\nx\n", "nothing should follow", 4),
        ("\ufeffpazaak-identity 1\n", "no identity of pazaak", None),
        ("\0" * 100, "there should be 'pazaak-identity 1'", 1),
        ("#" * 5000, "no identity of pazaak", None),
    ],
)
def test_a_damaged_one_is_set_aside_and_named(
    tmp_path: Path, text: str, says: str, line: int | None
) -> None:
    file = identity_file(tmp_path)
    data = text.encode()
    file.write_bytes(data)
    file.chmod(0o600)
    with pytest.raises(FileDamaged) as caught:
        load(tmp_path)
    error = caught.value
    assert error.exit_code == Exit.IDENTITY_REFUSED
    assert error.what.startswith(str(file))
    assert says in error.what
    assert error.line == line
    assert "stranger to everybody who knows you" in error.why
    assert "pazaak peers me --new" in error.next
    assert error.aside is not None
    assert error.aside.name.startswith("identity.damaged-")
    assert str(error.aside) in error.why
    assert error.aside.read_bytes() == data
    assert files(tmp_path) == {error.aside.name, ".lock"}


def test_every_changed_character_of_a_key_is_noticed(tmp_path: Path) -> None:
    load(tmp_path)
    file = identity_file(tmp_path)
    good = file.read_bytes()
    start = good.index(b"pazaak-identity 1")
    for at in range(start, len(good) - 1):
        changed = bytearray(good)
        changed[at] = ord("0") if good[at] != ord("0") else ord("1")
        file.write_bytes(bytes(changed))
        file.chmod(0o600)
        with pytest.raises(TrustFileError):
            load(tmp_path)
    file.write_bytes(good)
    file.chmod(0o600)
    load(tmp_path)


def test_after_damage_no_new_one_is_made_without_a_word(tmp_path: Path) -> None:
    key = load(tmp_path)
    file = identity_file(tmp_path)
    good = file.read_bytes()
    for _ in range(2):  # within one second, and both are kept
        file.write_bytes(good[:-9])
        file.chmod(0o600)
        with pytest.raises(FileDamaged):
            load(tmp_path)
        for _ in range(2):
            with pytest.raises(IdentityLost, match="identity is gone") as caught:
                load(tmp_path)
            assert caught.value.exit_code == Exit.IDENTITY_REFUSED
            assert "identity.damaged-" in caught.value.why
    aside = sorted(tmp_path.glob("identity.damaged-*"))
    assert [path.read_bytes() for path in aside] == [good[:-9]] * 2

    # A copy put back is the same player, a new one is another; what was set aside stays.
    file.write_bytes(good)
    file.chmod(0o600)
    assert load(tmp_path) == key
    file.unlink()
    new = new_identity(tmp_path).public_key().public_bytes_raw()
    assert new != key
    assert load(tmp_path) == new
    assert sorted(tmp_path.glob("identity.damaged-*")) == aside


def test_lost_it_is_not_made_anew_without_a_word(tmp_path: Path) -> None:
    key = load(tmp_path)
    file = identity_file(tmp_path)
    file.rename(tmp_path / "copy")
    with pytest.raises(IdentityLost) as caught:
        load(tmp_path)
    error = caught.value
    assert error.exit_code == Exit.IDENTITY_REFUSED
    assert f"{file} is missing" in error.why
    assert "pazaak peers me --new" in error.next
    assert not file.exists()
    (tmp_path / "copy").rename(file)
    assert load(tmp_path) == key


def test_a_good_one_is_never_replaced(tmp_path: Path) -> None:
    key = load(tmp_path)
    with pytest.raises(IdentityStands) as caught:
        new_identity(tmp_path)
    assert caught.value.exit_code == Exit.USAGE
    assert load(tmp_path) == key


def test_one_from_another_machine_is_taken_and_its_public_half_noted(tmp_path: Path) -> None:
    load(tmp_path / "one")
    key = load(tmp_path / "other")
    identity_file(tmp_path / "other").replace(identity_file(tmp_path / "one"))
    assert load(tmp_path / "one") == key
    assert key.hex() in (tmp_path / "one" / "identity.pub").read_text()


def test_line_ends_of_another_system_do_no_harm(tmp_path: Path) -> None:
    key = load(tmp_path)
    file = identity_file(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert load(tmp_path) == key


def test_a_later_version_is_left_alone(tmp_path: Path) -> None:
    file = identity_file(tmp_path)
    file.write_text("# x\npazaak-identity 2\nsomething else\n")
    file.chmod(0o600)
    with pytest.raises(TrustFileError, match="later version") as caught:
        load(tmp_path)
    assert not isinstance(caught.value, FileDamaged)
    assert caught.value.next == "Update your copy of pazaak."
    assert files(tmp_path) == {"identity"}


@posix_only
def test_a_huge_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = identity_file(tmp_path)
    with file.open("wb") as opened:
        opened.truncate(1 << 30)
    file.chmod(0o600)
    with pytest.raises(FileDamaged) as caught:
        load(tmp_path)
    assert caught.value.aside is not None
    assert caught.value.aside.stat().st_size == 1 << 30


# --- a folder that cannot be written


@posix_only
def test_in_a_read_only_folder_a_good_one_serves(ordinary: Path) -> None:
    key = load(ordinary)
    (ordinary / "identity.pub").unlink()
    ordinary.chmod(0o500)
    assert load(ordinary) == key
    assert files(ordinary) == {"identity", ".lock"}


@posix_only
def test_in_a_read_only_folder_none_can_be_made(ordinary: Path) -> None:
    ordinary.chmod(0o500)
    with pytest.raises(TrustFileError, match="cannot be written") as caught:
        load(ordinary)
    assert "Permission denied" in caught.value.why
    assert files(ordinary) == set()


@posix_only
def test_in_a_read_only_folder_a_damaged_one_stays_and_is_named(ordinary: Path) -> None:
    load(ordinary)
    identity_file(ordinary).write_text("x")
    ordinary.chmod(0o500)
    with pytest.raises(FileDamaged) as caught:
        load(ordinary)
    assert caught.value.aside is None
    assert "stays where it is" in caught.value.why
    assert identity_file(ordinary).read_text() == "x"


@posix_only
def test_a_folder_that_cannot_be_entered(ordinary: Path) -> None:
    load(ordinary)
    ordinary.chmod(0o000)
    with pytest.raises(TrustFileError, match="cannot be read"):
        load(ordinary)
