"""People who go on with a match: at real terminals, with the whole program."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit
from tests.e2e.persons import CTRL_C, check, pazaak, play_on
from tests.e2e.processes import Pazaak, hosting, join, waiting_join
from tests.verifier import verify

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
RULES = ("--rules", "sets=1")


def matches(home: Path, kind: str = "pzk") -> list[Path]:
    return sorted((home / "matches").glob(f"*.{kind}"))


@pytest.mark.parametrize("swapped", [False, True])
def test_two_people_leave_and_go_on(tmp_path: Path, swapped: bool) -> None:
    """Also when the one who came waits this time; when not, they can play another match."""
    ann, bob = tmp_path / "ann", tmp_path / "bob"
    with Pazaak("host", "--port", "0", "--bind", "127.0.0.1", "--json", *RULES, home=ann) as host:
        address = f"127.0.0.1:{host.until('listening')['port']}"
        with pazaak(bob, "join", address) as guest:
            host.until("draw")
            guest.send(CTRL_C)
            guest.wait_for("Leave now?")
            guest.send(CTRL_C)
            check(guest.finish(), Exit.INTERRUPTED)
            assert "pazaak resume" in guest.everything()
        host.until("away")
        host.process.kill()
    (secret,) = matches(ann, "secret")
    first, second = (bob, ann) if swapped else (ann, bob)
    wait = ["resume", "--host", "--port", address.rsplit(":", 1)[1]]
    with pazaak(first, *wait) as one:
        one.wait_for("Waiting for the other player")
        again = f"pazaak resume {json.loads(secret.read_text())['match'][:8]}"
        one.wait_for(f"{again} --join 127.0.0.1")
        assert (f"  {again}\n" in one.text().replace("\r", "")) is not swapped
        one.wait_for("Your hand: ")  # what they will go on with is told before they have come
        assert "Set 1, first to 1. Sets won: " in one.text()
        with pazaak(second, "resume", "--join", address) as two:
            if not swapped:
                play_on(one, two, leave="a")
                one.wait_gone("key leaves")
                two.wait_gone("key leaves")
            play_on(one, two)
            check(two.finish(), 0)
        check(one.finish(), 0)
    assert not secret.exists()
    heads = {verify(path.read_bytes()).head for home in (ann, bob) for path in matches(home)}
    assert len(heads) == (1 if swapped else 2)


def test_what_can_go_on_is_listed_and_given_up(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host", "--grace", "0") as (host, address),
        waiting_join(address, tmp_path / "join") as guest,
    ):
        match_id = guest.until("match")["match_id"]
        host.until("draw")
        assert guest.finish_json() == Exit.INTERRUPTED
        assert host.finish_json() == Exit.PEER_LOST
    home = tmp_path / "join"
    with Pazaak("resume", "--list", "--json", home=home) as listing:
        assert listing.finish() == 0
    (line,) = listing.stdout.splitlines()
    assert json.loads(line)["match_id"] == match_id
    with Pazaak("resume", "--forget", home=home) as unnamed:
        assert unnamed.finish() == Exit.USAGE
        assert "named" in unnamed.stderr
    with Pazaak("resume", match_id[:6], "--forget", home=home) as given_up:
        assert given_up.finish() == 0
    assert matches(home, "secret") == []
    assert len(matches(home)) == 1
    with Pazaak("resume", home=home) as nothing:
        assert nothing.finish() == Exit.USAGE


def test_a_finished_match_and_a_port_in_use(tmp_path: Path) -> None:
    with hosting(tmp_path / "host") as (host, address):
        with join(address, tmp_path / "join") as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    match_id = host.of("match")[0]["match_id"]
    with Pazaak("resume", match_id[:8], home=tmp_path / "host") as over:
        assert over.finish() == Exit.USAGE
        assert "over" in over.stderr
