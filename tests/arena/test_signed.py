"""Matches of real peers: the same again, and the same with swapped seats."""

from __future__ import annotations

import socket

from pazaak_p2p.arena.fast import play_fast
from pazaak_p2p.arena.referee import Watched
from pazaak_p2p.arena.signed import KeptRecord, Sitting, play_signed
from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.net.at_once import Loopback
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import DECKS, Rules
from tests.arena.test_referee import Noted
from tests.verifier import verify

RULES = Rules(max_sets=99)


def bots(stands: tuple[int, int]) -> tuple[Watched, Watched]:
    first, second = stands
    return (
        Watched(lambda: ThresholdBot(first), 0, 60, Noted()),
        Watched(lambda: ThresholdBot(second), 1, 60, Noted()),
    )


def play(
    door: Loopback, stands: tuple[int, int], decks: tuple[str, str], seed: str
) -> tuple[MatchReport, bytes]:
    record = KeptRecord()
    cards = DECKS[decks[0]], DECKS[decks[1]]
    sitting = Sitting((f"t{stands[0]}", f"t{stands[1]}"), cards, bots(stands))
    report = play_signed(door, RULES, sitting, ("arena", seed), record)
    return report, bytes(record.data)


def test_a_match_is_the_same_again_byte_for_byte() -> None:
    with Loopback() as door:
        _, one = play(door, (16, 18), ("super", "hard"), "arena 0 0")
        _, two = play(door, (16, 18), ("super", "hard"), "arena 0 0")
        _, other = play(door, (16, 18), ("super", "hard"), "arena 0 1")
    assert one == two
    assert one != other
    assert verify(one).termination == "normal"


def test_names_decks_and_players_change_no_lot() -> None:
    # So whoever changes seats gets the draws, and the places, that the other had. That is all in
    # the match's id, from which with the seats' secrets all lots follow.
    with Loopback() as door:
        one, _ = play(door, (17, 17), ("balanced", "balanced"), "arena 0 0")
        two, _ = play(door, (18, 16), ("hard", "super"), "arena 0 0")
        other, _ = play(door, (17, 17), ("balanced", "balanced"), "arena 0 1")
    assert one.match_id == two.match_id != other.match_id


def test_by_the_rules_alone_it_is_the_same_again_too() -> None:
    decks = DECKS["super"], DECKS["hard"]
    played = [play_fast(RULES, decks, bots((16, 18)), f"x {n}") for n in [*range(9), *range(9)]]
    assert played[:9] == played[9:]
    assert len({(outcome.winner, won) for outcome, won in played}) > 1


def test_somebody_elses_connection_is_not_taken() -> None:
    with Loopback() as door:
        intruder = socket.create_connection(door._door.getsockname())
        with intruder:
            dialled, dialling = door.connect()
            with dialled, dialling:
                dialled.setblocking(True)
                dialling.send(b"it is me")
                assert dialled.recv(100) == b"it is me"
            assert intruder.recv(1) == b""  # closed
