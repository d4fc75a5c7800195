"""A match that is broken off in an attack, and taken up in another session (section 6.4)."""

from __future__ import annotations

from contextlib import suppress
from itertools import count, permutations

from pazaak_p2p.wire import Role
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import RemoteError
from pazaak_p2p.wire.greeting import Greeting
from pazaak_p2p.wire.reading import read_saved
from pazaak_p2p.wire.resuming import Interrupted, restore
from tests.cheating import Cheater
from tests.fuzz.attack import Attack, last_match
from tests.fuzz.choices import Choices
from tests.wire.pair import messages_in
from tests.wire.records import pieces

STRANGE = (bytes(32), b"?" * 32, b"\xff" * 32)


def broken_off(attack: Attack, choices: Choices) -> None:
    """The line breaks, and both greet again; each may say how far it is, in any order."""
    side, foe = attack.side, attack.foe
    if attack.over or foe._match is None or not side.record:
        return
    side.peer.receive(b"", attack.now)
    attack.react()
    left = _left(attack)
    if left is None:
        return
    attack.new_world()
    role, other = choices.pick(list(permutations(Role)))
    attack.sessions += 1
    greeting = Greeting(foe.key, other, "Cheater", foe.secrets.hello(attack.sessions), "by hand")
    side.restart(role, attack.sessions, attack.now)
    attack.give(greeting.hello)
    (hello, exact), (proof, _) = messages_in(bytes(attack.heard))
    attack.heard.clear()
    assert isinstance(hello, m.Hello)
    assert isinstance(proof, m.Proof)
    answer = greeting.take_hello(hello, exact)
    greeting.take_proof(proof)
    attack.give(answer)
    if choices.number(4):
        attack.ours(lambda: side.resume(left, attack.now))
    if choices.number(4):
        wished(attack, choices)
    if choices.number(4) == 0:
        attack.ours(lambda: side.resume(left, attack.now))
    if choices.number(2):
        told_again(attack, choices)


def _left(attack: Attack) -> Interrupted | None:
    """The match as our side left it, from what it has written; None if that tells of a cheat."""
    side = attack.side
    record = last_match(bytes(side.record))
    saved = read_saved([record])
    with suppress(RemoteError):
        offer, accept = pieces(record)[1:3]
        nonces = [each.nonce for each, _ in messages_in(offer + accept)]  # type: ignore[union-attr]
        number = next(n for n in count() if side.secrets.nonce(n) == nonces[side.seat])
        left = restore(saved, side.key, side.secrets.match_secret(number), side.deck)
        del side.record[len(side.record) - len(record) + saved.length :]
        return left
    return None


def wished(attack: Attack, choices: Choices) -> None:
    """How far the other side is, or says that it is."""
    foe = attack.foe
    if foe._match is None:
        return
    attack.meddled = True
    heads = foe.transcript.heads
    n = len(heads) - 1
    conceded: list[m.Concede] = []
    match choices.number(8):
        case 0:
            n = choices.number(len(heads) + 3)
        case 1:
            n = choices.pick([0, 2**32 - 1, n + 1])
        case 2:
            attack.signed = True
            said = foe.concession(head=choices.pick([*heads, *STRANGE]))
            conceded = [
                message for message, _ in messages_in(said) if isinstance(message, m.Concede)
            ]
    honest = heads[n] if n < len(heads) else STRANGE[1]
    head = choices.pick([honest, honest, honest, *STRANGE, *heads])
    match_id = foe.match_id if choices.number(16) else STRANGE[1]
    attack.give(encode(m.Resume(match_id, n, head, conceded)))


def told_again(attack: Attack, choices: Choices) -> None:
    """Entries of either seat, as they were said, from any of them on."""
    said = _all(attack.foe)
    attack.meddled = True
    first = choices.number(len(said) + 1)
    attack.give(b"".join(said[first : first + 1 + choices.number(40)]))


def _all(foe: Cheater) -> list[bytes]:
    """All entries that the other side knows, in order."""
    ours, theirs = iter(foe.bodies), iter(foe.their_entries)
    said: list[bytes] = []
    if foe._match is None:
        return said
    for author in foe.transcript.authors:
        if author is foe.seat:
            if (body := next(ours, None)) is not None:
                said.append(foe.sign(body))
        elif (entry := next(theirs, None)) is not None:
            said.append(entry)
    return said
