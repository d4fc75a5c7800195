"""A concession is not in the chain: nothing done with one convicts an honest seat."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import msgpack
import pytest

from . import Verdict, verify
from .game import NOBODY, Phase, Rules
from .generator import Table, leave, play, random_table
from .lies import ZERO, acting, until
from .shapes import Map


def nobody(verdict: Verdict, code: str = "broken-chain") -> None:
    """Refused, and nobody is blamed for it."""
    assert verdict.problem.startswith(code), verdict
    assert verdict.cheat is None


def file(table: Table, messages: list[bytes], keeper: int = 0) -> bytes:
    """A record of these messages."""
    return b"".join((table.header(keeper), *messages))


def conceder(message: bytes) -> int | None:
    """The seat that concedes with this message."""
    fields = msgpack.unpackb(message)
    return int(fields["by"]) if fields["t"] == "concede" else None


def without(table: Table, seat: int) -> list[bytes]:
    """All but the concession of this seat."""
    return [message for message in table.messages if conceder(message) != seat]


def given_up(name: str, *seats: int) -> Table:
    """A match that these seats concede while somebody is to act; nobody has opened."""
    table, _ = until(name, acting())
    for seat in seats:
        table.messages.append(table.concession(seat, "concession"))
        table.transcript.conceded[seat] = ("concession", len(table.transcript.bodies))
    table.transcript.settle()
    return table


def audit(table: Table) -> None:
    """One `open` of the seat that owes it."""
    due = table.transcript.due()
    assert due is not None
    assert due[0] == "open"
    table.say(due[1], table.players[due[1]].open())


@pytest.mark.parametrize("loser", [0, 1])
@pytest.mark.parametrize("opens", [1, 2])
def test_a_a_loser_takes_its_concession_out(loser: int, opens: int) -> None:
    table = given_up("taken out", loser)
    for _ in range(opens):
        audit(table)
    assert verify(table.record()).clean
    nobody(verify(file(table, without(table, loser), loser)))
    end = table.end(termination="cheat", winner=loser, code="without-floor", opened=[False, False])
    nobody(verify(file(table, [*without(table, loser), end], loser)))


@pytest.mark.parametrize("loser", [0, 1])
def test_b_a_loser_exchanges_the_reason_of_its_concession(loser: int) -> None:
    table = given_up("exchanged", loser)
    place = len(table.messages) - 1
    head = table.transcript.head
    audit(table)
    audit(table)
    messages = list(table.messages)
    messages[place] = table.concession(loser, "time", head)
    verdict = verify(file(table, messages, loser))
    nobody(verdict)
    assert (verdict.termination, verdict.winner) == ("time", 1 - loser)


def crossed(wins: bool) -> Iterator[tuple[Table, int, int]]:
    """Matches whose end crosses a concession, the seat that conceded, and where it did."""
    for seed in range(200):
        rng = random.Random(seed)
        table = random_table(f"crossed {seed}", rng, Rules(sets=1))
        while table.transcript.game.phase != Phase.OVER:
            place = len(table.messages)
            head = table.transcript.head
            table.turn(rng, 0)
        seat = 1 - table.transcript.authors[-1]
        game = table.transcript.game
        if (
            game.winner != NOBODY
            and (game.winner == seat) == wins
            and not any(table.transcript.opened)
        ):
            table.messages.insert(place, table.concession(seat, "concession", head))
            yield table, seat, place


@pytest.mark.parametrize("wins", [True, False])
def test_c_a_void_concession_is_moved_behind_the_open_of_its_seat(wins: bool) -> None:
    found = list(islice(crossed(wins), 5))
    assert len(found) == 5
    for table, seat, place in found:
        concession = table.messages.pop(place)
        while not table.transcript.complete():
            audit(table)
            for end in range(place, len(table.messages) + 1):
                messages = [*table.messages[:end], concession, *table.messages[end:]]
                verdict = verify(file(table, messages, 1 - seat))
                assert verdict.cheat is None
                assert verdict.termination == "normal"
                assert (verdict.winner == seat) == wins
                after = end == len(table.messages) and table.transcript.complete()
                assert verdict.problem.startswith("unexpected") if after else verdict.clean
        # What B could also do: leave its own `open` out.
        first = table.messages[:-1] if wins else table.messages[:-2]
        verdict = verify(file(table, [*first, concession], 1 - seat))
        assert verdict.clean
        assert (verdict.winner == seat) == wins


def test_d_the_host_takes_its_own_of_two_concessions_out() -> None:
    table = given_up("both", 0, 1)
    audit(table)
    audit(table)
    whole = verify(table.record())
    assert whole.clean
    assert (whole.termination, whole.winner) == ("concession", 1)
    nobody(verify(file(table, without(table, 0))))
    verdict = verify(file(table, without(table, 1)))  # the joiner's is void in any case
    assert verdict.clean
    assert verdict.winner == 1


def test_e_nobody_can_concede_before_both_have_committed() -> None:
    table = random_table("early", random.Random(1), Rules(sets=1))
    conceded: list[bytes] = []
    for _ in range(2):
        conceded += [table.concession(seat, "concession") for seat in (0, 1)]
        nobody(verify(table.record(table.concession(0, "time", ZERO))))
        for concession in conceded:
            nobody(verify(table.record(concession)), "unexpected")
        due = table.transcript.due()
        assert due is not None
        table.say(due[1], table.players[due[1]].commit())
    for concession in conceded:  # by its head it is early wherever it stands
        nobody(verify(table.record(concession)), "unexpected")
    opened = table.entry(0, [table.players[0].open()], n=1, prev=table.transcript.chain[1])
    nobody(verify(file(table, [*table.messages[:3], opened])))
    nobody(verify(table.record(table.entry(0, [table.players[0].open()]))))
    for seat in (0, 1):
        verdict = verify(table.record(table.concession(seat, "concession")))
        assert verdict.clean
        assert (verdict.winner, verdict.due) == (1 - seat, ("open", 1 - seat))


@pytest.mark.parametrize("loser", [0, 1])
def test_what_rests_on_a_concession_convicts_nobody(loser: int) -> None:
    table = given_up("rests", loser)
    winner = 1 - loser
    first, second = (table.players[seat].open() for seat in (winner, loser))
    nobody(verify(table.record(table.entry(loser, [second]))))
    nobody(verify(table.record(table.entry(winner, [first], state=ZERO))))
    lies: list[tuple[str, list[Map]]] = [
        ("without-floor", [first, second]),  # the first `open` is due
        ("deck-does-not-open", [{**first, "salts": [ZERO] * 10}]),
        ("out-of-turn", [first, {"t": "end"}]),
    ]
    for code, statements in lies:
        nobody(verify(table.record(table.entry(winner, statements, state=ZERO))))
        said = verify(table.record(table.entry(winner, statements)))
        assert said.cheat == (code, winner, len(table.transcript.bodies))
        assert (said.termination, said.winner) == ("cheat", loser)
    audit(table)
    nobody(verify(table.record(table.entry(winner, [first]))))
    nobody(verify(table.record(table.entry(loser, [second], state=ZERO))))
    nobody(verify(table.record(table.entry(loser, [{**second, "salts": [ZERO] * 10}], state=ZERO))))
    bad = table.entry(loser, [{**second, "salts": [ZERO] * 10}])
    verdict = verify(table.record(bad, table.end(code="deck-does-not-open")))
    assert verdict.problem == ""
    assert verdict.cheat == ("deck-does-not-open", loser, len(table.transcript.bodies))
    assert (verdict.termination, verdict.winner) == ("concession", winner)


@pytest.mark.parametrize("loser", [0, 1])
def test_one_that_names_a_head_at_which_the_match_was_over_is_void(loser: int) -> None:
    table = given_up("after", loser)
    audit(table)
    verdict = verify(table.record(table.concession(1 - loser, "time")))  # who has accepted
    assert verdict.clean
    assert (verdict.termination, verdict.winner) == ("concession", 1 - loser)
    for seed in range(5):
        rng = random.Random(seed)
        table = random_table(f"over {seed}", rng, Rules(sets=1))
        while table.transcript.game.phase != Phase.OVER or not any(table.transcript.opened):
            before = verify(table.record())
            table.turn(rng, 0)
        for seat in (0, 1):
            if table.transcript.opened[1 - seat]:
                verdict = verify(table.record(table.concession(seat, "concession")))
                assert verdict.clean
                assert (verdict.termination, verdict.winner) == (before.termination, before.winner)


def test_only_an_open_that_begins_its_entry_rests_on_a_concession() -> None:
    table, seat = until("behind", acting(lambda t, s: t.transcript.game.sides[s].total < 20))
    player = table.players[seat]
    for other in (0, 1):
        nobody(verify(table.record(table.entry(other, [table.players[other].open()]))))
    nobody(verify(table.record(table.entry(seat, [player.open(), {"t": "end"}]))))
    nobody(verify(table.record(table.entry(seat, [player.open(), player.open()]))))
    code = "without-floor" if table.transcript.game.sides[1 - seat].stands else "wrong-statement"
    behind = verify(table.record(table.entry(seat, [{"t": "end"}, player.open()])))
    assert behind.cheat == (code, seat, len(table.transcript.bodies))
    conceded = table.concession(1 - seat, "concession")  # does not excuse it
    again = verify(table.record(conceded, table.entry(seat, [{"t": "end"}, player.open()])))
    assert (again.cheat, again.winner) == (behind.cheat, 1 - seat)


def test_a_winner_whose_deck_is_refused_forfeits() -> None:
    table = given_up("forfeits", 0)
    salts = [ZERO] * 10
    bad = table.entry(1, [{**table.players[1].open(), "salts": salts}])
    said = {"termination": "cheat", "winner": 0, "code": "deck-does-not-open"}
    verdict = verify(table.record(bad, table.end(**said)))
    assert verdict.problem == ""
    assert verdict.cheat == ("deck-does-not-open", 1, len(table.transcript.bodies))
    assert (verdict.termination, verdict.winner) == ("cheat", 0)


def tampered(table: Table, keeper: int, rng: random.Random) -> list[bytes]:
    """What the keeper can make of the concessions: leave out, move, sign others, cut the end."""
    messages = list(table.messages)
    for concession in [message for message in messages if conceder(message) is not None]:
        if rng.random() < 0.5:
            messages.remove(concession)
            if rng.random() < 0.6:
                messages.insert(rng.randint(2, len(messages)), concession)
    for _ in range(rng.choice((0, 0, 1, 2))):
        heads = table.transcript.chain
        head = rng.choice(heads[-4:] if rng.random() < 0.7 else heads)
        forged = table.concession(keeper, rng.choice(("concession", "time")), head)
        messages.insert(rng.randint(max(2, len(messages) - 5), len(messages)), forged)
    return messages[: len(messages) - rng.choice((0, 0, 0, 1, 2, 3))]


def test_no_keeper_can_make_a_cheat_of_the_other_with_concessions() -> None:
    seen: Counter[str] = Counter()
    for seed in range(120):
        rng = random.Random(seed)
        keeper = seed % 2
        table = random_table(f"tampered {seed}", rng, Rules(sets=1))
        play(table, rng, rng.randint(2, 16))
        if table.transcript.game.phase == Phase.OVER:
            continue
        leave(table, rng, keeper)
        for _ in range(8):
            verdict = verify(file(table, tampered(table, keeper, rng), keeper))
            assert verdict.cheat is None or verdict.cheat[1] == keeper, (seed, verdict)
            seen[verdict.cheat[0] if verdict.cheat else verdict.problem.partition(":")[0]] += 1
    assert set(seen) == {"", "broken-chain", "unexpected", "acted-after-conceding"}
