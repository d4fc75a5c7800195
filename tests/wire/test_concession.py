"""Conceding at any moment, whatever is on the way: both come to the same end (section 10)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert
from msgspec.structs import replace

from pazaak_p2p.rules import DECKS, Leave, Outcome, Phase, Rules, Seat, Termination, digest
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.errors import BrokenChain, RemoteError
from pazaak_p2p.wire.terms import Due, Kind, agree
from pazaak_p2p.wire.transcript import Transcript
from tests.cheating import Cheater, Trick
from tests.verifier import verify
from tests.wire.agreement import STANDARD, cautious, lobby, moves
from tests.wire.caught import Caught, catch, check_convicted
from tests.wire.pair import Pair, Side, messages_in, objects_in
from tests.wire.tricks import Case
from tests.wire.tricks.case import BOTH, OTHER_BYTES, owes

SHORT = Rules(sets=1)


class Wire:
    """Two persons, and every message on its way until somebody lets it arrive."""

    def __init__(self, seed: object, rules: Rules = SHORT) -> None:
        decks = (DECKS["balanced"], DECKS["hard"])
        choose = (cautious(f"{seed} host"), cautious(f"{seed} join"))
        self.pair = Pair(f"wire {seed}", decks, choose, persons=(True, True))
        self.pair.greet()
        self.on_the_way: dict[Seat, deque[bytes]] = {seat: deque() for seat in Seat}
        """Messages for each seat, in the order sent."""
        self.conceded: list[Seat] = []
        self.pair.host.offer(rules)
        self._flush(self.pair.host)

    def side(self, seat: Seat) -> Side:
        return self.pair.sides[seat]

    def _flush(self, side: Side) -> None:
        side.react()
        for _, exact in messages_in(side.send()):
            self.on_the_way[side.seat.other].append(exact)

    def deliver(self, seat: Seat) -> None:
        """The next message for *seat* arrives."""
        side = self.side(seat)
        side.peer.receive(self.on_the_way[seat].popleft(), 0.0)
        self._flush(side)

    def think(self, seat: Seat) -> None:
        self.side(seat).think()
        self._flush(self.side(seat))

    def concede(self, seat: Seat, reason: m.ConcedeReason = m.ConcedeReason.CONCESSION) -> None:
        side = self.side(seat)
        side.thinking_about = None
        side.peer.concede(0.0, reason)
        self.conceded.append(seat)
        self._flush(side)

    def may_concede(self, seat: Seat) -> bool:
        side = self.side(seat)
        state = side.peer.state
        playing = state is not None and not side.of_kind(events.Ended)
        return playing and state is not None and state.phase is not Phase.OVER

    def possible(self) -> Iterator[Callable[[], None]]:
        """What can happen next."""
        for seat in Seat:
            if self.on_the_way[seat]:
                yield lambda seat=seat: self.deliver(seat)  # type: ignore[misc]
            if self.side(seat).thinking_about is not None:
                yield lambda seat=seat: self.think(seat)  # type: ignore[misc]

    def step(self) -> bool:
        """The first of these happens; False if nothing can."""
        for happen in self.possible():
            happen()
            return True
        return False

    def finish(self) -> events.Ended:
        """Let everything happen, and check that both sides saw the same."""
        while self.step():
            pass
        host, join = self.pair.sides
        for side in self.pair.sides:
            assert side.errors == []
        (ended,) = host.of_kind(events.Ended)
        assert join.of_kind(events.Ended) == [ended]
        assert ended.opened == (True, True)
        assert ended.head == host.peer.head == join.peer.head
        assert moves(host) == moves(join)
        for side in self.pair.sides:
            verdict = verify(bytes(side.record))
            assert verdict.clean
            assert verdict.complete
            assert verdict.head == ended.head
            assert (verdict.termination, verdict.winner) == (
                ended.outcome.termination.value,
                ended.outcome.winner,
            )
        return ended


def conceded_by(seat: Seat) -> Outcome:
    return Outcome(Termination.CONCESSION, seat.other)


def steps_of_a_match() -> int:
    wire = Wire("exhaustive")
    n = 0
    while wire.step():
        n += 1
    return n


STEPS = steps_of_a_match()


@pytest.mark.parametrize("seats", [(Seat.HOST,), (Seat.JOIN,), BOTH, BOTH[::-1]], ids=str)
def test_at_every_moment_of_a_match(seats: tuple[Seat, ...]) -> None:
    voids = 0
    for moment in range(STEPS):
        wire = Wire("exhaustive")
        for _ in range(moment):
            wire.step()
        conceding = [seat for seat in seats if wire.may_concede(seat)]
        for seat in conceding:
            wire.concede(seat)
        outcome = wire.finish().outcome
        if not conceding:
            assert outcome.termination is Termination.NORMAL
        elif outcome.termination is Termination.NORMAL:
            voids += 1  # an entry that was on its way has ended the match
        else:
            # Of two that crossed, the host's counts.
            assert outcome == conceded_by(min(conceding))
    assert voids <= 2


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 1000),
    choices=st.lists(st.integers(0, 3), max_size=60),
    when=st.lists(st.tuples(st.integers(0, 70), st.sampled_from(Seat)), min_size=1, max_size=2),
)
def test_in_any_order_of_arrival(
    seed: int, choices: list[int], when: list[tuple[int, Seat]]
) -> None:
    wire = Wire(seed)
    at = dict((seat, moment) for moment, seat in when)
    for moment in range(71):
        for seat, chosen in at.items():
            if chosen == moment and wire.may_concede(seat):
                wire.concede(seat)
        possible = list(wire.possible())
        if possible:
            choice = choices[moment] if moment < len(choices) else 0
            possible[choice % len(possible)]()
    outcome = wire.finish().outcome
    if outcome.termination is Termination.CONCESSION:
        assert outcome.winner is not None
        assert outcome.winner.other in wire.conceded


# --- each case by itself


def until(wire: Wire, true: Callable[[], bool]) -> None:
    while not true():
        assert wire.step()


def thinker(wire: Wire) -> Seat:
    """Let the match go on until somebody thinks and nothing is on the way; who."""

    def thinking() -> bool:
        quiet = not any(wire.on_the_way.values())
        return quiet and any(side.thinking_about for side in wire.pair.sides)

    until(wire, thinking)
    return next(seat for seat in Seat if wire.side(seat).thinking_about)


@pytest.mark.parametrize("reason", list(m.ConcedeReason))
@pytest.mark.parametrize("floor", [True, False], ids=["with the floor", "without it"])
def test_conceding(floor: bool, reason: m.ConcedeReason) -> None:
    wire = Wire("one")
    thinking = thinker(wire)
    seat = thinking if floor else thinking.other
    head = wire.side(seat).peer.head
    wire.concede(seat, reason)
    (data,) = wire.on_the_way[seat.other]
    said, _ = next(messages_in(data))
    assert isinstance(said, m.Concede)
    assert (said.by, said.head, said.reason) == (seat, head, reason)
    ended = wire.finish()
    assert ended.outcome == Outcome(Termination(reason.value), seat.other)
    # The winner opens first, and each `open` is an entry by itself.
    objects = objects_in(bytes(wire.pair.host.record))
    last = [read_body(o["body"]) for o in objects if o["t"] == "entry"][-2:]
    assert [body.by for body in last] == [seat.other, seat]
    assert [[type(said) for said in body.say] for body in last] == [[m.Open], [m.Open]]
    for side in wire.pair.sides:
        leave = side.of_kind(events.Moved)[-1]
        assert leave.input == Leave(seat, Termination(reason.value))
        assert leave.seat is seat


@pytest.mark.parametrize("seat", BOTH)
def test_conceding_before_both_have_committed_waits_for_that(seat: Seat) -> None:
    wire = Wire("early")
    until(wire, lambda: bool(wire.side(seat).of_kind(events.Started)))
    wire.concede(seat)
    assert wire.finish().outcome == conceded_by(seat)
    for side in wire.pair.sides:
        kinds = [o["t"] for o in objects_in(bytes(side.record))]
        assert kinds.index("concede") >= 5  # record, offer, accept, and the entries of both
    commits = [
        said
        for message in wire.side(Seat.HOST).said() + wire.side(Seat.JOIN).said()
        if isinstance(message, m.Entry)
        for said in read_body(message.body).say
        if isinstance(said, m.Commit)
    ]
    assert len(commits) == 2


@pytest.mark.parametrize("seat", BOTH)
def test_a_concession_before_both_have_committed_is_unexpected(seat: Seat) -> None:
    case = Case("", "", Trick(owes(Kind.COMMIT), lambda c: c.concession()))
    caught = catch(case, seat, 0, split=False)
    assert [error.code for error in caught.victim.errors] == ["unexpected"]
    assert caught.verdict.clean


@pytest.mark.parametrize("wins", [True, False])
@pytest.mark.parametrize("seat", BOTH)
def test_void_if_an_entry_on_the_way_has_ended_the_match(seat: Seat, wins: bool) -> None:
    for seed in count():
        wire = Wire(f"void {seed}")

        def crossed(wire: Wire = wire) -> bool:
            here, there = (wire.side(s).peer.state for s in (seat, seat.other))
            return (
                here is not None
                and there is not None
                and here.outcome is None
                and there.outcome is not None
            )

        while not crossed() and wire.step():
            pass
        if not crossed():
            continue
        there = wire.side(seat.other).peer.state
        assert there is not None
        if there.outcome != Outcome(Termination.NORMAL, seat if wins else seat.other):
            continue
        assert wire.may_concede(seat)
        wire.concede(seat)
        assert wire.finish().outcome == there.outcome
        return


def test_of_two_that_cross_the_joiners_is_void() -> None:
    for order in (BOTH, BOTH[::-1]):
        wire = Wire("both")
        thinker(wire)
        for seat in order:
            wire.concede(seat)
        assert wire.finish().outcome == conceded_by(Seat.HOST)


def test_an_entry_on_the_way_still_counts() -> None:
    # The thinker acts, the other concedes before it hears of it.
    wire = Wire("crossing", replace(SHORT, sets=9))
    thinking = thinker(wire)
    wire.think(thinking)
    assert wire.on_the_way[thinking.other]
    length = len(objects_in(bytes(wire.side(thinking).record)))
    wire.concede(thinking.other)
    assert wire.finish().outcome == conceded_by(thinking.other)
    for side in wire.pair.sides:
        assert len(objects_in(bytes(side.record))) == length + 4  # concede, two opens, end


def test_a_match_can_follow_a_concession() -> None:
    pair = lobby()
    pair.host.offer(STANDARD)
    while not any(side.thinking_about for side in pair.sides):
        pair.step()
    for side in pair.sides:
        side.thinking_about = None
    pair.join.peer.concede(0.0)
    pair.run()
    pair.join.offer(STANDARD)
    pair.run()
    outcomes = [ended.outcome for ended in pair.host.of_kind(events.Ended)]
    assert outcomes[0] == conceded_by(Seat.JOIN)
    assert outcomes[1].termination is Termination.NORMAL
    assert pair.join.of_kind(events.Ended) == pair.host.of_kind(events.Ended)


# --- when the other side does not take it as it should


def conceded_to_a_cheater(seat: Seat) -> Caught:
    """An honest side that has conceded to a cheater in *seat*, who has heard it."""
    caught = catch(Case("", "", Trick(lambda c: c.they_think, lambda _: b"")), seat, 0, True)
    victim = caught.victim
    victim.thinking_about = None
    victim.peer.concede(0.0)
    caught.cheater.receive(victim.send())
    return caught


def give(caught: Caught, data: bytes) -> None:
    caught.victim.peer.receive(data, 0.0)
    caught.victim.react()
    caught.cheater.receive(caught.victim.send())


@pytest.mark.parametrize("seat", BOTH)
def test_the_winner_accepts_by_opening(seat: Seat) -> None:
    caught = conceded_to_a_cheater(seat)
    give(caught, caught.cheater.entry(caught.cheater.opening()))
    (ended,) = caught.victim.of_kind(events.Ended)
    assert ended.outcome == conceded_by(seat.other)
    assert ended.opened == (True, True)
    assert caught.verdict.clean


@pytest.mark.parametrize("seat", BOTH)
def test_an_acceptance_with_another_digest_convicts_nobody(seat: Seat) -> None:
    # It rests on a concession that is not in the chain; see section 11.
    caught = conceded_to_a_cheater(seat)
    give(caught, caught.cheater.entry(caught.cheater.opening(), state=OTHER_BYTES))
    (error,) = caught.victim.errors
    assert type(error) is BrokenChain
    (ended,) = caught.victim.of_kind(events.Ended)
    assert ended.outcome == conceded_by(seat.other)  # its own concession counts
    assert ended.opened == (False, False)
    assert caught.verdict.cheat is None
    assert caught.verdict.problem == ""


@pytest.mark.parametrize("seat", BOTH)
def test_an_acceptance_with_another_deck_forfeits(seat: Seat) -> None:
    caught = conceded_to_a_cheater(seat)
    salts = caught.cheater.opening().salts[::-1]
    give(caught, caught.cheater.entry(replace(caught.cheater.opening(), salts=salts)))
    check_convicted(caught, "deck-does-not-open")


@pytest.mark.parametrize("seat", BOTH)
def test_the_deck_of_the_one_who_conceded_is_checked_too(seat: Seat) -> None:
    case = Case("", "", Trick(owes(Kind.ACT), lambda c: c.concession()))
    caught = catch(case, seat, 1, True)
    cheater = caught.cheater
    opening = replace(cheater.opening(), salts=cheater.opening().salts[::-1])
    n = cheater.transcript.length + 1
    assert caught.victim.peer.state is not None
    state = digest(caught.victim.peer.state)
    give(caught, cheater.entry(opening, n=n, prev=caught.victim.peer.head, state=state))
    check_convicted(caught, "deck-does-not-open", conceded=True)


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize("salts", [1, -1], ids=["its deck", "another deck"])
def test_nor_does_another_digest_of_the_one_who_conceded(seat: Seat, salts: int) -> None:
    # It rests on the same concession as the winner's `open`.
    case = Case("", "", Trick(owes(Kind.ACT), lambda c: c.concession()))
    caught = catch(case, seat, 1, True)
    cheater = caught.cheater
    opening = replace(cheater.opening(), salts=cheater.opening().salts[::salts])
    n = cheater.transcript.length + 1
    give(caught, cheater.entry(opening, n=n, prev=caught.victim.peer.head, state=OTHER_BYTES))
    (error,) = caught.victim.errors
    assert type(error) is BrokenChain
    (ended,) = caught.victim.of_kind(events.Ended)
    assert ended.outcome == conceded_by(seat)
    assert ended.opened == (seat is Seat.JOIN, seat is Seat.HOST)
    assert caught.verdict.cheat is None
    assert caught.verdict.problem == ""


# --- a refused acceptance


def read_again(caught: Caught) -> Transcript:
    """The victim's transcript as anybody makes it from its record, the concession included."""
    header, offer, accept, *rest = objects_in(caught.record)
    assert header["t"] == "record"
    keys = (header["host"]["key"], header["join"]["key"])
    sent = b"".join(caught.victim.sent)
    made = [exact for said, exact in messages_in(sent) if isinstance(said, m.Offer | m.Accept)]
    exact = [encode(convert(o, type=kind)) for o, kind in ((offer, m.Offer), (accept, m.Accept))]
    assert set(made) <= set(exact)
    transcript = Transcript(agree(STANDARD, keys, exact[0], exact[1]))
    assert transcript.terms.match_id == caught.victim.peer.match_id
    for o in rest:
        if o["t"] == "entry":
            transcript.read(convert(o, type=m.Entry))
        elif o["t"] == "concede":
            transcript.hear_concession(caught.victim.seat, convert(o, type=m.Concede))
    return transcript


def seen(t: Transcript) -> tuple[object, ...]:
    return (t.state, t.due, t.conceded, t.opened, t.head, t.length, t.lots, t.complete)


@pytest.mark.parametrize("seat", BOTH)
def test_a_refused_acceptance_leaves_all_as_it_was(seat: Seat) -> None:
    caught = conceded_to_a_cheater(seat)
    cheater, victim = caught
    transcript = read_again(caught)
    before = seen(transcript)
    outcome = transcript.state.outcome
    assert outcome is None
    assert transcript.conceded is victim.seat
    for refused, code in (
        (cheater.entry(cheater.opening(), state=OTHER_BYTES), "broken-chain"),
        (cheater.entry(cheater.opening(), by=victim.seat), "bad-signature"),
        (cheater.entry(cheater.opening(), prev=OTHER_BYTES), "broken-chain"),
        (cheater.entry(cheater.opening(), cheater.opening()), "without-floor"),
    ):
        entry = next(messages_in(refused))[0]
        assert isinstance(entry, m.Entry)
        with pytest.raises(RemoteError) as caught_again:
            transcript.read(entry)
        assert caught_again.value.code == code
        assert seen(transcript) == before
    # So the right one is taken after all, and then the deck of the one who conceded.
    entry = next(messages_in(cheater.entry(cheater.opening())))[0]
    assert isinstance(entry, m.Entry)
    transcript.read(entry)
    assert transcript.state.outcome == conceded_by(victim.seat)
    assert transcript.due == Due(victim.seat, Kind.OPEN)


@pytest.mark.parametrize("seat", BOTH)
def test_an_acceptance_without_a_concession_leaves_all_as_it_was(seat: Seat) -> None:
    caught = catch(Case("", "", Trick(lambda c: c.they_think, lambda _: b"")), seat, 0, True)
    transcript = read_again(caught)
    before = seen(transcript)
    entry = next(messages_in(caught.cheater.entry(caught.cheater.opening())))[0]
    assert isinstance(entry, m.Entry)
    with pytest.raises(BrokenChain):
        transcript.read(entry)
    assert seen(transcript) == before


@pytest.mark.parametrize("seat", BOTH)
def test_playing_on_against_a_concession_leads_nowhere(seat: Seat) -> None:
    # What the other side may still say is taken; what it needs from us does not come.
    def what(c: Cheater) -> bytes:
        return b""

    caught = catch(Case("", "", Trick(owes(Kind.ACT), what)), seat, 0, True)
    victim, cheater = caught.victim, caught.cheater
    victim.peer.concede(0.0)
    said = victim.send()
    assert [type(message) for message, _ in messages_in(said)] == [m.Concede]
    cheater.turn()
    give(caught, cheater.send())
    assert victim.errors == []
    assert victim.of_kind(events.Ended) == []
    assert victim.send() == b""
    give(caught, encode(m.Bye(m.ByeReason.INTERRUPTED, "")))
    assert victim.of_kind(events.Ended)[0].outcome == conceded_by(seat.other)
