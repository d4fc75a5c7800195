"""Two peers play whole matches."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pazaak_p2p.fairness import MatchSecret
from pazaak_p2p.rules import (
    DECKS,
    Card,
    Copies,
    Nine,
    Opener,
    Outcome,
    Phase,
    Rules,
    Seat,
    State,
    Termination,
    Tiebreaker,
)
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from tests.wire.agreement import OPTIONS, PLAYERS, STANDARD, cautious, check, decks_for, moves
from tests.wire.pair import (
    Pair,
    Side,
    at_random,
    last_legal,
    messages_in,
    objects_in,
    whole,
)

# --- whole matches


@pytest.mark.parametrize("rules", OPTIONS, ids=repr)
def test_both_sides_agree_on_whole_matches(rules: Rules) -> None:
    for i in range(3):
        host, join = decks_for(rules, i)
        seed = f"agree {i}"
        choose = (PLAYERS[i % 2]((seed, 0)), PLAYERS[i // 2 % 2]((seed, 1)))
        pair = Pair(seed, (DECKS[host], DECKS[join]), choose)
        pair.play(rules)
        assert check(pair).outcome.termination in (Termination.NORMAL, Termination.CAP)


@pytest.mark.parametrize(("host", "join"), list(zip(DECKS, reversed(DECKS), strict=True)))
def test_every_deck_that_ships_can_be_played(host: str, join: str) -> None:
    pair = Pair(host, (DECKS[host], DECKS[join]), (at_random(host), at_random(join)))
    pair.play(STANDARD)
    check(pair)


def test_drawn_matches_are_opened_too() -> None:
    # R20: with one set a tie is a draw; then the host opens first.
    drawn = 0
    for i in range(40):
        pair = Pair(f"draw {i}", choose=(cautious(i), cautious(-i)))
        pair.play(replace(STANDARD, max_sets=1, tiebreaker=Tiebreaker.AT_TIE))
        ended = check(pair)
        drawn += ended.outcome == Outcome(Termination.CAP, None)
    assert drawn >= 2


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(1, 400), min_size=1))
def test_chunks_change_nothing(seed: int, sizes: list[int]) -> None:
    lengths = cycle(sizes)

    def pieces(_: Side, data: bytes) -> Iterable[bytes]:
        while data:
            size = next(lengths)
            yield data[:size]
            data = data[size:]

    rules = OPTIONS[seed % len(OPTIONS)]
    decks = DECKS["balanced"], DECKS["super"]
    chopped, smooth = (
        Pair(f"chunks {seed}", decks, (at_random(seed), at_random(-seed)), between=between)
        for between in (pieces, whole)
    )
    chopped.play(rules)
    smooth.play(rules)
    check(chopped)
    assert chopped.host.record == smooth.host.record
    assert chopped.host.events == smooth.host.events
    assert chopped.join.events == smooth.join.events


def test_a_match_byte_by_byte() -> None:
    singly = Pair(between=lambda _, data: (bytes([byte]) for byte in data))
    at_once = Pair()
    for pair in (singly, at_once):
        pair.play(STANDARD)
    assert check(singly) == check(at_once)
    assert singly.join.record == at_once.join.record


# --- persons: the same game in more entries


def say(side: Side) -> list[list[m.Statement]]:
    return [read_body(message.body).say for message in side.said() if isinstance(message, m.Entry)]


@pytest.mark.parametrize("persons", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("seed", range(4))
def test_a_person_says_the_same_in_more_entries(persons: tuple[bool, bool], seed: int) -> None:
    rules = replace(STANDARD, tiebreaker=Tiebreaker.AT_TIE)
    choose = [(at_random(seed), at_random(-seed)) for _ in range(2)]
    bots, people = Pair(f"{seed}", choose=choose[0]), Pair(f"{seed}", choose=choose[1])
    people.host.person, people.join.person = persons
    for pair in (bots, people):
        pair.play(rules)
        check(pair)
    assert moves(people.host) == moves(bots.host)
    for bot, person, slow in zip(bots.sides, people.sides, persons, strict=True):
        assert list(chain(*say(person))) == list(chain(*say(bot)))
        assert (len(say(person)) > len(say(bot))) is slow
    lone = [entry for entry in say(people.sides[persons.index(True)]) if len(entry) == 1]
    assert any(isinstance(entry[0], m.Reveal) for entry in lone)


def test_a_bots_usual_turn_is_one_entry() -> None:
    pair = Pair(choose=(last_legal, last_legal))
    pair.play(STANDARD)
    kinds = [[type(statement) for statement in entry] for entry in say(pair.host) + say(pair.join)]
    assert [m.Reveal, m.StandNow, m.Reveal] in kinds


# --- what is recorded, and what is not said


def test_what_is_sent_is_in_the_record_before() -> None:
    pair = Pair()
    pair.greet()
    pair.host.offer(STANDARD)
    for _ in range(200):
        for source, target in (pair.sides, pair.sides[::-1]):
            source.react()
            data = source.peer.data_to_send()
            source.record += source.peer.data_to_record()
            for message, exact in messages_in(data):
                if isinstance(message, m.Entry):
                    assert exact in source.record
            if data:
                target.peer.receive(data, 0.0)
    assert pair.host.of_kind(events.Ended)
    assert pair.host.peer.data_to_record() == b""


@pytest.mark.parametrize("seed", range(5))
def test_hidden_cards_and_later_shares_are_not_sent(seed: int) -> None:
    pair = Pair(f"hidden {seed}", choose=(at_random(seed), at_random(-seed)))
    pair.play(STANDARD)
    for side in pair.sides:
        secret = MatchSecret(side.secrets.match_secret(0), side.peer.match_id, side.seat)
        assert side.peer.state is not None
        played = {card.position for card in side.peer.state.hands[side.seat] if card.played}
        entries = [read_body(e.body).say for e in side.said() if isinstance(e, m.Entry)]
        before_open = [encode(s) for say in entries for s in say if not isinstance(s, m.Open)]
        for position in range(10):
            shown = any(secret.salt(position) in said for said in before_open)
            assert shown is (position in played)
        reveals = [s.share for say in entries for s in say if isinstance(s, m.Reveal)]
        assert reveals == [secret.share(k) for k in range(side.peer.lots_checked)]
        assert secret.share(side.peer.lots_checked) not in b"".join(side.sent)


# --- several matches


def decks_seen(side: Side) -> list[tuple[Card, ...]]:
    """The side deck of this side's seat, in its secret order, as each match began."""
    seats = [started.seat for started in side.of_kind(events.Started)]
    firsts = [e.state for e in side.of_kind(events.Moved) if e.state.phase is Phase.OPENING]
    ids = [started.match_id for started in side.of_kind(events.Started)]
    assert len(set(ids)) == len(ids)
    decks = []
    for seat, state in zip(seats, _first_of_each(firsts), strict=True):
        deck = state.decks[seat]
        assert deck is not None
        assert [len(hand) for hand in state.hands] == [4, 4]
        decks.append(deck)
    return decks


def _first_of_each(states: list[State]) -> list[State]:
    """The states right after a deal: an opening that was tied gives the same state again."""
    return [
        state for before, state in zip([None, *states], states, strict=False) if state != before
    ]


def test_C11_a_rematch_has_ten_cards_again_also_with_seats_swapped() -> None:
    pair = Pair(choose=(at_random(1), at_random(2)))
    pair.greet()
    for offering in (pair.host, pair.join, pair.join, pair.host):
        offering.offer(STANDARD)
        pair.run()
    seats = [started.seat for started in pair.host.of_kind(events.Started)]
    assert seats == [Seat.HOST, Seat.JOIN, Seat.JOIN, Seat.HOST]
    for side in pair.sides:
        decks = decks_seen(side)
        assert [sorted(c.number for c in deck) for deck in decks] == [
            sorted(c.number for c in side.deck)
        ] * 4
        assert len(set(decks)) == 4  # and the order is another each time
    assert pair.host.of_kind(events.Ended) == pair.join.of_kind(events.Ended)
    assert len(pair.host.of_kind(events.Ended)) == 4
    headers = [o for o in objects_in(bytes(pair.join.record)) if o["t"] == "record"]
    assert [header["seat"] for header in headers] == [1, 0, 0, 1]
    assert [header["host"]["name"] for header in headers] == ["Host", "Join", "Join", "Host"]


@pytest.mark.parametrize("reason", list(m.DeclineReason))
def test_declined_offers_leave_both_free(reason: m.DeclineReason) -> None:
    pair = Pair()
    pair.greet()
    pair.host.offer(STANDARD)
    pair.join.peer.receive(pair.host.send(), 0.0)
    assert pair.join.peer.next_event() == events.Offered(STANDARD)
    pair.join.peer.decline(reason, "not today")
    pair.host.peer.receive(pair.join.send(), 0.0)
    assert pair.host.peer.next_event() == events.Declined(reason.value, "not today")
    assert pair.host.peer.data_to_record() == pair.join.peer.data_to_record() == b""
    pair.join.offer(STANDARD)
    pair.run()
    assert [started.seat for started in pair.host.of_kind(events.Started)] == [Seat.JOIN]
    check(pair)


def test_seats_do_not_depend_on_who_dialled() -> None:
    first, second = Pair("roles"), Pair("roles")
    first.play(STANDARD)
    second.greet()
    second.join.offer(STANDARD)
    second.run()
    for pair, seats in ((first, (0, 1)), (second, (1, 0))):
        assert tuple(side.peer.seat for side in pair.sides) == seats
        check(pair)


def test_one_person_can_play_both_seats() -> None:
    # Equal keys are fine (section 5.1): seats and nonces differ.
    pair = Pair("self", choose=(at_random(1), at_random(2)))
    pair.join = Side(Seat.JOIN, "self", pair.join.deck, at_random(2), key=pair.host.key)
    pair.sides = (pair.host, pair.join)
    pair.play(STANDARD)
    check(pair)
    header = objects_in(bytes(pair.host.record))[0]
    assert header["host"]["key"] == header["join"]["key"]


def test_every_value_of_every_option_is_played() -> None:
    for option, values in (
        ("copies", Copies),
        ("opener", Opener),
        ("nine", Nine),
        ("tiebreaker", Tiebreaker),
        ("gold", (True, False)),
        ("auto_stand", (True, False)),
    ):
        assert {getattr(rules, option) for rules in OPTIONS} == set(values)
