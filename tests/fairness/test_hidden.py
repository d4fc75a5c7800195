"""G2: whoever lacks one share of a lot knows nothing of the card that it will draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from typing import NamedTuple

import pytest

from pazaak_p2p import rules
from pazaak_p2p.fairness import draw, lot, share_commitment
from pazaak_p2p.rules import DECKS, Phase, Rules, Seat
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.terms import agree
from pazaak_p2p.wire.transcript import Transcript
from tests.fairness.chi2 import check, check_rate
from tests.wire.agreement import cautious
from tests.wire.pair import Pair, messages_in, objects_in


class Draw(NamedTuple):
    """A draw of a real match, at the moment at which no share of it is out."""

    match_id: bytes
    k: int
    deck: bytes
    """The green cards that are left."""
    shares: tuple[bytes, bytes]
    commitments: tuple[bytes, bytes]
    before: tuple[bytes, bytes]
    """The shares of the lot before."""
    seen: bytes
    """A hash of all entries so far, exactly."""
    rank: int


def lot_with(moment: Draw, seat: Seat, own: bytes, other: bytes) -> bytes:
    """The lot if *seat* has the share *own* and the other seat *other*."""
    pair = (own, other) if seat is Seat.HOST else (other, own)
    return lot(moment.match_id, moment.k, *pair)


def draws_of(seed: int) -> Iterator[Draw]:
    """All draws of a match, from its record."""
    pair = Pair(
        f"hidden {seed}",
        (DECKS["balanced"], DECKS["hard"]),
        (cautious((seed, 0)), cautious((seed, 1))),
    )
    pair.play(Rules())
    record = bytes(pair.host.record)
    objects = objects_in(record)
    sent = b"".join(pair.host.sent + pair.join.sent)
    offer, accept = (
        next(exact for said, exact in messages_in(sent) if isinstance(said, kind))
        for kind in (m.Offer, m.Accept)
    )
    keys = (objects[0]["host"]["key"], objects[0]["join"]["key"])
    transcript = Transcript(agree(Rules(), keys, offer, accept))
    commitments, shares, before = [b"", b""], [b"", b""], [b"", b""]
    seen = sha256()
    moment: Draw | None = None
    for entry in (o["body"] for o in objects if o["t"] == "entry"):
        body = read_body(entry)
        for said in body.say:
            state = transcript.state
            k = transcript.lots
            fresh = moment is None or moment.k != k
            if fresh and isinstance(said, m.Reveal) and state.phase is Phase.DRAW:
                moment = Draw(
                    transcript.terms.match_id,
                    k,
                    state.deck,
                    (b"", b""),
                    (commitments[0], commitments[1]),
                    (before[0], before[1]),
                    seen.digest(),
                    0,
                )
            moved = transcript.say(Seat(body.by), said)
            if isinstance(said, m.Commit | m.Reveal):
                commitments[body.by] = said.next
            if isinstance(said, m.Reveal):
                shares[body.by] = said.share
            if transcript.lots > k:
                before = list(shares)
                if moment is not None and moment.k == k:
                    assert moved is not None
                    assert isinstance(moved.input, rules.Draw)
                    yield moment._replace(shares=(shares[0], shares[1]), rank=moved.input.card)
        seen.update(entry)


@cache
def moments() -> list[Draw]:
    return [moment for seed in range(40) for moment in draws_of(seed)]


def guesses(n: int, salt: object) -> Iterator[bytes]:
    return (sha256(f"{salt} {i}".encode()).digest() for i in range(n))


def test_the_draws_are_those_of_real_matches() -> None:
    assert len(moments()) > 800
    assert {len(moment.deck) for moment in moments()} >= set(range(31, 41))
    for moment in moments():
        assert draw(lot(moment.match_id, moment.k, *moment.shares), moment.deck) == moment.rank
        for seat in Seat:
            assert moment.commitments[seat] == share_commitment(
                moment.match_id, seat, moment.k, moment.shares[seat]
            )


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("at", range(0, 800, 100))
def test_G2_with_one_share_missing_every_card_that_is_left_is_possible(seat: Seat, at: int) -> None:
    moment = moments()[at]
    n = len(moment.deck)
    places: Counter[int] = Counter()
    ranks: Counter[int] = Counter()
    for other in guesses(60 * n, (at, seat)):
        number = lot_with(moment, seat, moment.shares[seat], other)
        places[int.from_bytes(number, "big") % n] += 1
        ranks[draw(number, moment.deck)] += 1
    assert set(places) == set(range(n))
    check([places[i] for i in range(n)], [60.0] * n)
    left = sorted(set(moment.deck))
    assert sorted(ranks) == left
    check([ranks[rank] for rank in left], [60.0 * moment.deck.count(rank) for rank in left])


Guess = Callable[[Draw, Seat], bytes]
"""A lot that somebody in *seat* could compute before the other share is out."""

GUESSES: dict[str, Guess] = {
    "own share twice": lambda d, s: lot_with(d, s, d.shares[s], d.shares[s]),
    "nothing for the other": lambda d, s: lot_with(d, s, d.shares[s], bytes(32)),
    "the other's commitment": lambda d, s: lot_with(d, s, d.shares[s], d.commitments[s.other]),
    "the other's last share": lambda d, s: lot_with(d, s, d.shares[s], d.before[s.other]),
    "all that was seen": lambda d, s: lot_with(d, s, d.shares[s], d.seen),
    "own share": lambda d, s: d.shares[s],
    "commitment": lambda d, s: d.commitments[s.other],
    "hash of all": lambda d, s: sha256(
        d.seen + d.shares[s] + d.commitments[s.other] + d.before[s.other]
    ).digest(),
    "the lot before": lambda d, s: lot(d.match_id, d.k - 1, *d.before),
    "difference": lambda d, s: bytes(
        a ^ b for a, b in zip(d.shares[s], d.commitments[s.other], strict=True)
    ),
}


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("guess", GUESSES.values(), ids=GUESSES)
def test_G2_nothing_that_was_seen_before_predicts_the_card(guess: Guess, seat: Seat) -> None:
    hits, expected, variance = 0, 0.0, 0.0
    for moment in moments():
        chance = moment.deck.count(moment.rank) / len(moment.deck)
        hits += draw(guess(moment, seat), moment.deck) == moment.rank
        expected += chance
        variance += chance * (1 - chance)
    check_rate(hits, expected, variance)


def test_G2_most_likely_is_the_best_that_anybody_can_do() -> None:
    """Who counts cards knows what is left, as at any table: a little over one chance in ten."""
    hits, expected, variance = 0, 0.0, 0.0
    for moment in moments():
        best = max(set(moment.deck), key=lambda rank: (moment.deck.count(rank), rank))
        chance = moment.deck.count(best) / len(moment.deck)
        hits += best == moment.rank
        expected += chance
        variance += chance * (1 - chance)
    check_rate(hits, expected, variance)
    assert expected / len(moments()) < 0.125


def test_G2_another_missing_share_leaves_what_was_seen_as_it_is_but_its_commitment() -> None:
    # For every card that is left there is a share that gives it, and its commitment, which is all
    # that the other side has of it, tells nothing about which.
    moment = moments()[50]
    n = len(moment.deck)
    table: Counter[tuple[int, int]] = Counter()
    for other in guesses(400 * n, "commitments"):
        place = int.from_bytes(lot_with(moment, Seat.HOST, moment.shares[0], other), "big") % n
        commitment = share_commitment(moment.match_id, Seat.JOIN, moment.k, other)
        table[place, int.from_bytes(commitment, "big") % 8] += 1
    cells = [(place, part) for place in range(n) for part in range(8)]
    check([table[cell] for cell in cells], [50.0] * len(cells))
