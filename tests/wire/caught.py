"""Catching a cheater, and all that must then hold."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import NamedTuple

from pazaak_p2p.rules import DECKS, Outcome, Seat, Termination
from pazaak_p2p.wire import cheats, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from tests.cheating import Cheater, duel
from tests.verifier import Verdict, verify
from tests.wire.agreement import cautious
from tests.wire.pair import Side, objects_in
from tests.wire.tricks import Case

BY_CODE = {cls.code: cls for cls in cheats.Cheat.__subclasses__()}


class Caught(NamedTuple):
    """A cheater and its victim after the trick has struck."""

    cheater: Cheater
    victim: Side

    @property
    def record(self) -> bytes:
        return bytes(self.victim.record)

    @property
    def verdict(self) -> Verdict:
        """What somebody says who has nothing but the victim's record and the specification."""
        return verify(self.record)


def catch(case: Case, seat: Seat, point: int, split: bool) -> Caught:
    """Play matches, one seed after the other, until one has that moment."""
    for i in count():
        assert i < 300, "this moment never comes"
        seed = f"{case.code} {i}"
        cheater = Cheater(
            seat,
            case.trick,
            rules=case.rules,
            deck=case.deck,
            seed=seed,
            skip=point,
            split=split,
        )
        victim = Side(seat.other, seed, DECKS["balanced"], cautious(seed), person=True)
        with suppress(cheats.IllegalDeck):  # its own, where it was to be caught in another moment
            duel(cheater, victim)
        if cheater.struck:
            return Caught(cheater, victim)
        assert not victim.errors
    raise AssertionError


def check_convicted(
    caught: Caught, code: str, *, entry: int | None = None, conceded: bool = False
) -> None:
    """All that must follow from a proven cheat.

    *entry* is the number of the last entry of the record, unless told otherwise. With *conceded*
    the cheater has lost by a concession before.
    """
    cheater, victim = caught
    (error,) = victim.errors
    assert type(error) is BY_CODE[code]
    assert isinstance(error, cheats.Cheat)
    assert (error.code, error.seat) == (code, cheater.seat)
    # The proof is the last thing in the record before its end.
    objects = objects_in(caught.record)
    assert [o["t"] for o in objects[:3]] == ["record", "offer", "accept"]
    *_, proof, end = objects
    accepted = sum(o["t"] == "entry" for o in objects) - (proof["t"] == "entry")
    assert error.entry == (accepted if entry is None else entry)
    # The cheater loses, unless it has lost already.
    outcome, opened = cheater.before
    if conceded:
        outcome = Outcome(Termination.CONCESSION, victim.seat)
        opened = (victim.seat is Seat.HOST, victim.seat is Seat.JOIN)
    elif outcome is None or outcome.winner is not victim.seat or not opened[victim.seat]:
        outcome = Outcome(Termination.CHEAT, victim.seat)
    (ended,) = victim.of_kind(events.Ended)
    assert ended.outcome == outcome
    assert ended.opened == opened
    assert end["t"] == "end"
    assert (end["termination"], end["winner"]) == (outcome.termination.value, victim.seat)
    assert (end["code"], end["opened"]) == (code, list(opened))
    # Anybody can see it from the record alone.
    verdict = caught.verdict
    assert verdict.cheat == (code, cheater.seat, error.entry)
    assert verdict.winner == victim.seat
    assert verdict.termination == outcome.termination.value
    assert verdict.problem == ""
    assert verdict.head == ended.head
    check_over(caught, m.ByeReason.CHEAT, code)


def check_over(caught: Caught, reason: m.ByeReason, code: str) -> None:
    """The other side was told, and nothing more is taken from it."""
    cheater, victim = caught
    assert cheater.bye == m.Bye(reason, code)
    told = list(victim.events)
    victim.peer.receive(encode(m.Chat("sorry")) + encode(m.Ping(1)) + b"\xc1", 0.0)
    victim.react()
    assert victim.events == told
    assert victim.send() == b""
    assert victim.peer.next_deadline() is None
