"""Both seats in one loop: what the two sides say is checked and recorded as between strangers."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.arena.signed import KeptRecord
from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net import at_once
from pazaak_p2p.net.at_once import NOW, Loopback, Side, play_at_once
from pazaak_p2p.net.errors import PeerLeft, PeerLost
from pazaak_p2p.net.player import BotPlayer
from pazaak_p2p.net.seating import Kit
from pazaak_p2p.rules import DECKS, Outcome, Rules, Seat, Termination
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.cheats import WrongShare
from pazaak_p2p.wire.messages import ByeReason
from tests.cheating import Cheater
from tests.verifier import verify
from tests.wire.tricks.lots import CASES as LOTS

RULES = Rules(max_sets=99)
DECK = DECKS["starter"]
Ends = tuple[socket.socket, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    with Loopback() as door:
        taken, dialled = door.connect()
    with taken, dialled:
        yield taken, dialled


def peer(seat: Seat) -> Peer:
    secrets = SeedSecrets("at once", seat)
    key = Ed25519PrivateKey.from_private_bytes(secrets.identity())
    role = Role.LISTENER if seat is Seat.HOST else Role.DIALLER
    return Peer(
        key=key, role=role, name=str(seat), nonce=secrets.hello(0), software="tests", now=NOW
    )


def side(ends: Ends, seat: Seat, rules: Rules | None) -> tuple[Side, KeptRecord]:
    secrets = SeedSecrets("at once", seat)
    kit = Kit(DECK, secrets.nonce(0), secrets.match_secret(0), 0)
    record = KeptRecord()
    return Side(ends[seat], peer(seat), kit, BotPlayer(ThresholdBot), record, rules), record


def test_both_sides_keep_the_same_match(ends: Ends) -> None:
    host, kept = side(ends, Seat.HOST, RULES)
    join, also_kept = side(ends, Seat.JOIN, None)
    one, other = play_at_once(host, join)
    assert (one.seat, other.seat) == (Seat.HOST, Seat.JOIN)
    assert one.head == other.head
    assert one.opened == (True, True)
    verdicts = [verify(bytes(record.data)) for record in (kept, also_kept)]
    assert [verdict.termination for verdict in verdicts] == ["normal", "normal"]


class CheatingSide:
    """A cheater at this end of the connection."""

    report = None

    def __init__(self, end: socket.socket, cheater: Cheater) -> None:
        self.end = end
        self._cheater = cheater

    def say(self) -> bytes:
        return self._cheater.send()

    def hear(self, size: int) -> None:
        self._cheater.receive(self.end.recv(size))

    def keep(self) -> None: ...


def test_a_cheat_is_convicted_and_the_proof_recorded(ends: Ends) -> None:
    case = next(case for case in LOTS if case.code == WrongShare.code)
    host, kept = side(ends, Seat.HOST, case.rules)
    cheater = Cheater(Seat.JOIN, case.trick, rules=case.rules, deck=case.deck, seed="cheater")
    with pytest.raises(WrongShare):
        play_at_once(host, CheatingSide(ends[1], cheater))  # type: ignore[arg-type]
    assert cheater.struck
    assert host.report is not None
    assert host.report.outcome == Outcome(Termination.CHEAT, Seat.HOST)
    assert verify(bytes(kept.data)).cheat is not None


def test_two_who_wait_for_each_other_do_not_wait_for_ever(ends: Ends) -> None:
    host, _ = side(ends, Seat.HOST, None)
    join, _ = side(ends, Seat.JOIN, None)
    with pytest.raises(PeerLost) as caught:
        play_at_once(host, join)
    assert caught.value.why == "Neither side has anything to say, and the match is not over."


def test_who_leaves_before_the_end_is_told(ends: Ends) -> None:
    host, _ = side(ends, Seat.HOST, RULES)
    join, _ = side(ends, Seat.JOIN, None)
    leaving = peer(Seat.JOIN)
    leaving.bye(ByeReason.INTERRUPTED)
    join._peer = leaving
    with pytest.raises(PeerLeft) as caught:
        play_at_once(host, join)
    assert caught.value.why == "They interrupted their program."


def test_what_does_not_fit_into_the_system_goes_in_parts(ends: Ends) -> None:
    taken, dialled = ends
    dialled.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    data = memoryview(bytes(range(256)) * 16_384)  # 4 MiB, more than any buffer
    heard, sent = bytearray(), 0
    while sent < len(data):
        part = at_once._send(dialled, data[sent:])
        sent += part
        while len(heard) < sent:
            heard += at_once._receive(taken)
    assert heard == data


def fill(end: socket.socket) -> None:
    """Send until the buffers are full, and more."""
    while True:
        at_once._send(end, memoryview(bytes(65_536)))


def test_what_never_comes_is_not_waited_for(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "_SECONDS", 0.0)
    taken, dialled = ends
    with pytest.raises(PeerLost, match="lost") as caught:
        at_once._receive(taken)
    assert caught.value.why == "What was sent does not arrive."
    with pytest.raises(PeerLost) as caught:
        fill(dialled)
    assert caught.value.why == "The system takes nothing of what is sent."


def test_the_end_of_the_connection_is_told(ends: Ends) -> None:
    taken, dialled = ends
    dialled.close()
    with pytest.raises(PeerLost):
        at_once._receive(taken)
