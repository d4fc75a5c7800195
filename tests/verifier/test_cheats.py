"""Every cheat of section 11 that a record can prove is found, with its code, seat and entry."""

import random
from collections import Counter
from collections.abc import Callable

import msgpack
import pytest

from . import verify
from .cards import CARDS
from .game import NOBODY, Phase, Rules
from .generator import Table, pack, play, random_table
from .lies import CASES, ZERO, Case, acting, until
from .shapes import Map
from .verdict import Verdict


@pytest.mark.parametrize(("code", "case"), CASES)
def test_a_cheat_is_named_with_its_seat_and_entry_and_loses(
    code: str, case: Callable[[], Case]
) -> None:
    table, seat, message = case()
    before = verify(table.record())
    assert before.clean, before
    count = len(table.transcript.bodies)
    number = count - 2 if code == "two-entries" else count
    end = table.end(termination="cheat", winner=1 - seat, code=code)
    for more in ((message,), (message, end)):
        verdict = verify(table.record(*more))
        assert verdict.cheat == (code, seat, number)
        assert verdict.problem == ""
        assert verdict.winner == 1 - seat
        assert verdict.termination == "cheat"
        assert (verdict.entries, verdict.head) == (count, before.head)
        assert (verdict.sets, verdict.opened) == (before.sets, before.opened)
    assert verify(table.record(message, end, message)).problem
    assert verify(table.record(message, message)).problem
    assert verify(table.record(message, table.end())).problem


def refused(verdict: Verdict, table: Table, code: str) -> None:
    """Refused with this code, and nobody is blamed for it."""
    assert verdict.problem.startswith(code)
    assert verdict.cheat is None
    assert verdict.entries == len(table.transcript.bodies)
    assert verdict.termination == "unfinished"


def test_what_anybody_could_have_made_blames_nobody() -> None:
    table, seat = until("nobody", acting())
    body = msgpack.unpackb(table.entry(seat, [{"t": "pass"}]))["body"]
    forged = pack({"t": "entry", "body": body, "sig": bytes(64)})
    refused(verify(table.record(forged)), table, "bad-signature")
    concession = msgpack.unpackb(table.concession(seat, "time"))
    refused(verify(table.record(pack(concession | {"by": 1 - seat}))), table, "bad-signature")
    refused(verify(table.record(table.concession(seat, "time", ZERO))), table, "broken-chain")
    late = table.entry(seat, [{"t": "end"}], n=len(table.transcript.bodies) + 1, prev=ZERO)
    refused(verify(table.record(late)), table, "broken-chain")
    refused(verify(table.record(table.messages[-1])), table, "broken-chain")
    wrong: list[Map] = [{"by": 2}, {"n": -1}, {"say": []}, {"say": [{"t": "sleep"}]}, {"x": 1}]
    for changes in wrong:
        odd = table.entry(seat, [{"t": "end"}], **changes)
        verdict = verify(table.record(odd))
        refused(verdict, table, "malformed")


DECKS = (["+1"] * 5 + ["+2"] * 5, ["+1", "+2", "+3", "+4", "+5"] * 2)


def ended(winner: int, conceded: bool = False) -> Table:
    """A match that this seat won and has opened, or that is drawn; the host's deck is illegal."""
    rules = Rules(copies="limited", sets=1, max_sets=1)
    for seed in range(100):
        rng = random.Random(seed)
        table = Table(f"ended {seed}", rules, DECKS)
        while table.transcript.game.phase != Phase.OVER:
            table.turn(rng, 0)
            if conceded and table.transcript.game.phase == Phase.ACT:
                table.messages.append(table.concession(1 - winner, "time"))
                table.transcript.conceded[1 - winner] = ("time", len(table.transcript.bodies))
                table.transcript.settle()
        if table.transcript.game.winner == winner:
            if winner == 1:
                table.say(1, table.players[1].open())
            return table
    raise AssertionError


def late(table: Table, seat: int) -> list[tuple[str, int, bytes]]:
    """Cheats of a seat that owes its `open`: code, entry, message."""
    transcript, player = table.transcript, table.players[seat]
    count = len(transcript.bodies)
    own = max(place for place, author in enumerate(transcript.authors) if author == seat)
    early = transcript.chain[own]
    gone = bool(transcript.conceded)
    salts = {"salts": [ZERO] * 10}
    cases = [
        ("illegal-deck", count, table.entry(seat, [player.open()])),
        ("deck-does-not-open", count, table.entry(seat, [player.open() | salts])),
        ("two-entries", own, table.entry(seat, [player.open()], n=own, prev=early)),
        ("wrong-sequence", count, table.entry(seat, [player.open()], n=count + 1)),
    ]
    acts: list[tuple[str, Map]] = [
        ("out-of-turn", {"t": "end"}),
        ("wrong-statement", player.reveal(transcript.k)),
        ("wrong-statement", player.commit()),
    ]
    if transcript.game.sides[seat].stands:
        del acts[0]
    for code, statement in acts:
        gave = "acted-after-conceding" if gone else code
        cases.append((gave, count, table.entry(seat, [statement])))
    if not gone:
        cases.append(("acted-after-conceding", count, table.concession(seat, "time", early)))
    return cases


@pytest.mark.parametrize("conceded", [False, True])
def test_who_cheats_after_having_lost_changes_nothing(conceded: bool) -> None:
    table = ended(1, conceded)
    result = verify(table.record()).termination
    assert result == ("time" if conceded else "normal")
    for code, number, message in late(table, 0):
        for more in ((), (table.end(code=code),)):
            verdict = verify(table.record(message, *more))
            assert verdict.cheat == (code, 0, number)
            assert verdict.problem == ""
            assert (verdict.termination, verdict.winner) == (result, 1)
            assert verdict.opened == (False, True)
        for said in ({"termination": "cheat", "code": code}, {}, {"code": "closed"}):
            assert verify(table.record(message, table.end(**said))).problem
        assert verify(table.record(table.end(code=code))).problem


def test_a_winner_that_cheats_after_its_open_loses() -> None:
    table = ended(1)
    message = table.entry(1, [table.players[1].open()])
    said = {"termination": "cheat", "winner": 0, "code": "without-floor"}
    verdict = verify(table.record(message, table.end(**said)))
    assert verdict.problem == ""
    assert verdict.cheat == ("without-floor", 1, len(table.transcript.bodies))
    assert (verdict.termination, verdict.winner) == ("cheat", 0)


def test_a_drawn_match_is_lost_by_who_cheats_after_it() -> None:
    table = ended(NOBODY)
    for code, number, message in late(table, 0):
        verdict = verify(table.record(message, table.end(termination="cheat", winner=1, code=code)))
        assert verdict.cheat == (code, 0, number)
        assert verdict.problem == ""
        assert (verdict.termination, verdict.winner) == ("cheat", 1)


def test_one_byte_more_in_a_body_is_refused() -> None:
    rng = random.Random(3)
    table = play(random_table("tail", rng), rng, 6)
    body = msgpack.unpackb(table.messages[-1])["body"] + b"\x00"
    table.messages[-1] = pack({"t": "entry", "body": body, "sig": bytes(64)})
    assert verify(table.record()).problem.startswith("malformed")


def anything(table: Table, rng: random.Random) -> Map:
    """A statement of some kind and shape, real or not."""
    player = rng.choice(table.players)
    at, value = rng.randrange(10), rng.randint(-10, 10)
    kinds: list[Map] = [
        player.commit(),
        player.reveal(table.transcript.k + rng.randint(0, 1)),
        player.play(at, value) | {"card": rng.choice(CARDS)},
        player.play(at, value),
        player.lay(at),
        player.open(),
        {"t": "end"},
        {"t": "stand"},
        {"t": "pass"},
    ]
    statement = rng.choice(kinds)
    if rng.random() < 0.1:
        field = rng.choice(list(statement))
        odd: object = rng.choice((None, True, -1, 2**40, "", b"", [], {}, [statement], 1.5))
        statement = {**statement, field: odd}
    return statement


def test_whatever_the_seats_sign_never_raises() -> None:
    codes: Counter[str] = Counter()
    for seed in range(120):
        rng = random.Random(seed)
        table = play(random_table(f"fuzz {seed}", rng), rng, rng.randint(0, 25))
        said = [anything(table, rng) for _ in range(rng.choice((1, 1, 2, 9)))]
        due_now = table.transcript.due()
        seat = rng.randrange(2) if due_now is None or rng.random() < 0.3 else due_now[1]
        verdict = verify(table.record(table.entry(seat, said)))
        assert verdict.problem or verdict.cheat or verdict.clean
        assert verdict.cheat is None or verdict.cheat[1] == seat
        codes[verdict.cheat[0] if verdict.cheat else verdict.problem.partition(":")[0]] += 1
    assert len(codes) >= 10
