"""Records that a disk has damaged: nothing of them is lost, and the match goes on if it may."""

from __future__ import annotations

import os
import shutil
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.kept_errors import DamagedRecord, ForeignSecrets, NothingSaid
from pazaak_p2p.store import find_saved
from pazaak_p2p.store.saved_secrets import encoded
from pazaak_p2p.wire.reading import read_saved
from tests.chaos.plans import Cut, message
from tests.survive.cases import CASES
from tests.survive.cuts import reference
from tests.survive.rig import Player, Street, meet
from tests.verifier import verify
from tests.wire.records import pieces

CASE = CASES[2]
SPARSE = 1 << 26
"""Bytes of a file that is as good as empty: as many as the longest record may have."""


@pytest.fixture(scope="session")
def broken_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match whose line was cut in the middle, in folders of both seats."""
    folder = tmp_path_factory.mktemp("broken off")
    players = _players(folder)

    async def play() -> None:
        street = Street(lambda line: ((), (Cut(message(9)),)))
        street.most_lines = 1
        with trio.fail_after(10_000):
            async with street, trio.open_nursery() as nursery:
                nursery.start_soon(players[0].listen, street)
                await trio.testing.wait_all_tasks_blocked()
                nursery.start_soon(players[1].dial, street)

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    assert all(player.kept for player in players)
    return folder


def _players(folder: Path) -> tuple[Player, Player]:
    return Player(0, CASE, folder / "host"), Player(1, CASE, folder / "join")


@pytest.fixture
def players(broken_off: Path, tmp_path: Path) -> tuple[Player, Player]:
    shutil.copytree(broken_off, tmp_path / "copy")
    return _players(tmp_path / "copy")


def keeping(player: Player, told: list[str], *, mends: bool = False) -> Keeping:
    kept = Keeping(
        player.entrant,
        None,
        player.folder,
        Route(False, "street", 1),
        sync=False,
        mends=mends,
        complain=told.append,
    )
    kept.take_up(find_saved(player.folder, None))
    return kept


def copies(player: Player) -> list[Path]:
    return sorted(player.folder.glob("*.pzk.damaged-*"))


def flip(record: bytes, at: int) -> bytes:
    return record[:at] + bytes([record[at] ^ 1 << at % 8]) + record[at + 1 :]


def zero(record: bytes, at: int) -> bytes:
    return record[:at] + bytes(1) + record[at + 1 :]


def drop(record: bytes, at: int) -> bytes:
    return record[:at] + record[at + 1 :]


@pytest.mark.parametrize("alter", [flip, zero, drop])
@pytest.mark.parametrize("mends", [False, True])
def test_no_entry_is_lost_without_a_copy_and_a_word(
    players: tuple[Player, Player], alter: Callable[[bytes, int], bytes], mends: bool
) -> None:
    """Whatever byte is altered: all goes on, or nothing is touched, or the whole is kept beside."""
    player = players[0]
    (path,) = player.records
    good = path.read_bytes()
    whole = len(read_saved([good]).items)
    outcomes = set()
    for at in [*range(3, len(good), 83), *range(len(good) - 400, len(good), 41)]:
        data = alter(good, at)
        path.write_bytes(data)
        told: list[str] = []
        kept = keeping(player, told, mends=mends)
        try:
            match = kept.reopen().match
        except DamagedRecord:
            assert path.read_bytes() == data
            assert copies(player) == []
            outcomes.add("refused")
            continue
        kept.close()
        if copies(player):
            (copy,) = copies(player)
            assert copy.read_bytes() == data
            assert copy.stat().st_mode & 0o777 == 0o600
            (text,) = told
            assert str(copy) in text
            copy.unlink()
            outcomes.add("copied")
        else:
            assert len(match.entries) + len(match.concessions) == whole
            assert told == []
            outcomes.add("whole")
    assert outcomes >= ({"refused", "copied"} if mends else {"refused"})


def test_a_torn_end_goes_on_by_itself_and_is_kept_beside(players: tuple[Player, Player]) -> None:
    player = players[1]
    (path,) = player.records
    saved = read_saved([path.read_bytes()])
    torn = path.read_bytes()[: saved.length - 7] + bytes(100)
    path.write_bytes(torn)
    told: list[str] = []
    kept = keeping(player, told)
    kept.take_stock()
    assert path.read_bytes() == torn  # only who goes on cuts
    assert len(kept.reopen().match.entries) == len(saved.items) - 1
    kept.close()
    (copy,) = copies(player)
    assert copy.read_bytes() == torn
    assert "cut off within a message" in told[0]


@pytest.mark.skipif(sys.platform == "win32", reason="files with holes")
def test_a_torn_end_of_any_length_takes_neither_memory_nor_room(
    players: tuple[Player, Player],
) -> None:
    player = players[1]
    (path,) = player.records
    saved = read_saved([path.read_bytes()])
    whole = path.read_bytes()
    os.truncate(path, saved.length - 7)
    os.truncate(path, SPARSE)
    told: list[str] = []
    kept = keeping(player, told)
    tracemalloc.start()
    try:
        assert len(kept.reopen().match.entries) == len(saved.items) - 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kept.close()
    assert peak < SPARSE / 16
    (copy,) = copies(player)
    found = copy.stat()
    assert found.st_size == SPARSE
    assert path.stat().st_size < saved.length - 7
    assert found.st_blocks * 512 < 1_000_000
    with copy.open("rb") as file:
        assert file.read(len(whole)) == whole[: saved.length - 7].ljust(len(whole), b"\0")
    assert "cut off within a message" in told[0]


def test_a_copy_overwrites_no_other(players: tuple[Player, Player]) -> None:
    player = players[1]
    (path,) = player.records
    kept = []
    for left in (5, 3):
        data = path.read_bytes()[:-left]
        path.write_bytes(data)
        keeper = keeping(player, [])
        keeper.reopen()
        keeper.close()
        kept.append(data)
    assert sorted(copy.read_bytes() for copy in copies(player)) == sorted(kept)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_other_player_tells_again_what_was_damaged(
    players: tuple[Player, Player], seat: int
) -> None:
    """With ``--mend``; without it the match stays as it is, and the way on is told."""
    player = players[seat]
    (path,) = player.records
    data = bytearray(path.read_bytes())
    at = len(b"".join(pieces(bytes(data))[:5])) + 100  # inside the third message of the match
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedRecord) as refused:
        keeping(player, []).take_stock()
    assert "damaged after 2 entries" in refused.value.what
    assert refused.value.next.endswith("--mend")
    player.mends = True

    async def go_on() -> bytes:
        await meet(*players, Street(lambda line: ((), ())))
        return (await reference(CASE)).head

    head = trio.run(go_on, clock=trio.testing.MockClock(autojump_threshold=0))
    for each in players:
        assert each.error is None
        assert not each.kept
        verdict = verify(each.records[0].read_bytes())
        assert (verdict.head, verdict.clean) == (head, True)
    (copy,) = copies(player)
    assert copy.read_bytes() == data
    assert any("damaged after 2 entries" in line for line in player.notes.lines)


def test_secrets_of_another_match_are_told_and_nothing_is_changed(
    players: tuple[Player, Player],
) -> None:
    """The right file for the match, and yet not what it was played with."""
    player = players[0]
    (path,) = player.records
    secret = path.with_suffix(".secret")
    other = find_saved(player.folder, None).secrets
    secret.write_bytes(encoded(replace(other, secret=bytes(32)), secret))
    before = path.read_bytes()
    with pytest.raises(ForeignSecrets) as refused:
        keeping(player, [], mends=True).reopen()
    assert str(secret) in refused.value.what
    assert path.read_bytes() == before
    assert copies(player) == []


@pytest.mark.parametrize("data", [b"\0" * 700, b"\x87\xa1t\xa6record\xa1v"])
def test_what_holds_nothing_yet_says_so(players: tuple[Player, Player], data: bytes) -> None:
    player = players[0]
    (path,) = player.records
    path.write_bytes(data)
    with pytest.raises(NothingSaid):
        keeping(player, []).reopen()


def test_a_beginning_that_is_damaged_is_not_taken_for_no_match(
    players: tuple[Player, Player],
) -> None:
    """The length of the offer is wrong, and swallows all that follows."""
    player = players[0]
    (path,) = player.records
    header = pieces(path.read_bytes())[0]
    data = path.read_bytes()
    at = data.index(b"\xc4\x20", len(header)) + 1  # of its nonce
    path.write_bytes(data[: at - 1] + b"\xc5\x40\x00" + data[at + 1 :])
    with pytest.raises(DamagedRecord) as refused:
        keeping(player, [], mends=True).reopen()
    assert "at its beginning" in refused.value.what
