"""What is done in an attack, as a little program: each step is chosen by the input.

Whoever sits on the line can drop, repeat, reorder, alter and make up messages; a cheating opponent
can also sign whatever it likes. Both are tried, and all that our own side may do meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.rules import Card, Seat
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import RemoteError
from tests.cheating import Cheater
from tests.fuzz.attack import SIZES, Attack
from tests.fuzz.choices import Choices
from tests.fuzz.going_on import broken_off, told_again, wished
from tests.fuzz.scenes import Moment

STRANGER = Ed25519PrivateKey.from_private_bytes(b"?" * 32)
HASHES = (bytes(32), b"?" * 32, b"\xff" * 32)
MOST_STEPS = 40


def run(moment: Moment, choices: Choices) -> None:
    """Do to *moment* what *choices* say."""
    attack = Attack(moment)
    for _ in range(MOST_STEPS):
        if not choices:
            break
        choices.pick(STEPS)(attack, choices)
    attack.finish()


def _next(attack: Attack, _: Choices) -> None:
    """The next message of the recorded session."""
    if attack.at < len(attack.said):
        attack.give(attack.recorded(attack.at))
        attack.at += 1


def _another(attack: Attack, choices: Choices) -> None:
    """Any message of the recorded session: too early, or again."""
    attack.give(attack.recorded(choices.number(len(attack.said))))


def _reflected(attack: Attack, _: Choices) -> None:
    """Our own words."""
    attack.meddled = True
    attack.give(bytes(attack.heard))


def _altered(attack: Attack, choices: Choices) -> None:
    """The next message with a few bytes changed, or with others in the place of a part."""
    data = bytearray(_coming(attack))
    for _ in range(1 + choices.number(4)):
        at = choices.number(len(data))
        if choices.number(4):
            data[at] ^= 1 << choices.number(8)
        else:
            data[at : at + choices.number(40)] = choices.take(choices.number(40))
            data = data or bytearray(1)
    attack.give(bytes(data))


def _cut(attack: Attack, choices: Choices) -> None:
    """A part of the next message."""
    data = _coming(attack)
    attack.give(data[: choices.number(len(data))])


def _coming(attack: Attack) -> bytes:
    return attack.recorded(min(attack.at, len(attack.said) - 1))


def _raw(attack: Attack, choices: Choices) -> None:
    attack.meddled = True
    attack.give(choices.take(choices.number(2048)))


def _beside(attack: Attack, choices: Choices) -> None:
    """What is beside the transcript; as the listed bytes, often many of them."""
    attack.meddled = True
    n = choices.byte()
    said = choices.pick(
        [
            m.Ping(n),
            m.Pong(n % 4),
            m.Chat("\x1b]0;pwned\x07" * (1 + n % 40)),
            m.Bye(choices.pick(list(m.ByeReason)), "\u202e" * (n % 300)),
            m.Decline(m.DeclineReason.USER, ""),
            m.Accept(bytes([n]) * 32),
            m.Resume(bytes([n]) * 32, n, bytes(32), []),
            m.Offer(m.RulesMap.of(attack.moment.scene.rules), bytes([n]) * 32),
        ]
    )
    attack.give(encode(said) * (1 + choices.number(30)))


def _size(attack: Attack, choices: Choices) -> None:
    attack.size = choices.pick(SIZES)


def _our_side(attack: Attack, choices: Choices) -> None:
    """Our own side does something, allowed now or not."""
    side, now = attack.side, attack.now
    peer = side.peer
    if side.seat is Seat.JOIN:
        attack.meddled = True  # the other side's program does not know how to be offered a match
    attack.ours(
        choices.pick(
            [
                lambda: side.think(now),
                lambda: peer.concede(now),
                lambda: peer.chat("hello", now),
                lambda: side.offer(attack.moment.scene.rules, now),
                lambda: peer.bye(m.ByeReason.INTERRUPTED),
            ]
        )
    )


def _time(attack: Attack, choices: Choices) -> None:
    if not attack.wait(None if choices.number(2) else choices.byte() / 10):
        attack.side.peer.handle_timeout(attack.now + 1e6)


def _live(attack: Attack, _: Choices) -> None:
    attack.live()


def _end(attack: Attack, _: Choices) -> None:
    """The stream ends."""
    attack.meddled = True
    attack.side.peer.receive(b"", attack.now)
    attack.react()


def _signed(attack: Attack, choices: Choices) -> None:
    """A correctly signed entry that says anything."""
    foe = attack.foe
    if foe._match is None:
        return
    attack.signed = attack.meddled = True
    if choices.number(2):
        # First what is honest, which may be all that is needed to be at the right place.
        with suppress(RemoteError):
            foe.finish()
    say = [choices.pick(_SAYABLE)(foe, choices) for _ in range(1 + choices.number(3))]
    heads = foe.transcript.heads
    oddity = choices.number(8)
    attack.give(
        foe.entry(
            *say,
            n=choices.number(64) if oddity == 1 else None,
            prev=choices.pick([*HASHES, *heads]) if oddity == 2 else None,
            by=foe.seat.other if oddity == 3 else None,
            state=choices.pick(HASHES) if oddity == 4 else None,
            key=STRANGER if oddity == 5 else None,
        )
    )


def _conceded(attack: Attack, choices: Choices) -> None:
    """A correctly signed concession, at any place."""
    foe = attack.foe
    if foe._match is None:
        return
    attack.signed = attack.meddled = True
    attack.give(
        foe.concession(
            head=choices.pick([foe.transcript.head, *foe.transcript.heads, *HASHES]),
            by=foe.seat.other if choices.number(16) == 1 else None,
            reason=choices.pick(list(m.ConcedeReason)),
        )
    )


STEPS: tuple[Callable[[Attack, Choices], None], ...] = (
    _next,
    _next,
    _live,
    _another,
    _altered,
    _cut,
    _raw,
    _beside,
    _size,
    _our_side,
    _time,
    _signed,
    _signed,
    _conceded,
    _reflected,
    _end,
    broken_off,
    broken_off,
    wished,
    told_again,
)

CARDS = tuple(Card)


def _play(foe: Cheater, choices: Choices) -> m.Statement:
    at = choices.number(10)
    card = choices.pick([foe.deck[at], *CARDS])
    return m.PlayCard(at, card, foe.secret.salt(at), choices.number(21) - 10)


def _playable(foe: Cheater, choices: Choices) -> m.Statement:
    return choices.pick(foe.playable() or [foe.play(0)])


def _lay(foe: Cheater, choices: Choices) -> m.Statement:
    at = choices.number(10)
    return m.LayDown(at, foe.secret.salt(at))


def _reveal(foe: Cheater, choices: Choices) -> m.Statement:
    k = choices.number(64)
    return m.Reveal(foe.secret.share(k), choices.pick([*HASHES, foe.commitment(k + 1)]))


def _open(foe: Cheater, choices: Choices) -> m.Statement:
    honest = foe.opening()
    cards = list(honest.deck)
    cards[choices.number(10)] = choices.pick(CARDS)
    return m.Open(cards, honest.salts)


_SAYABLE: tuple[Callable[[Cheater, Choices], m.Statement], ...] = (
    lambda foe, _: foe.reveal(),
    lambda foe, _: foe.commit(),
    lambda foe, _: foe.opening(),
    lambda _, __: m.EndTurn(),
    lambda _, __: m.StandNow(),
    lambda _, __: m.PassOn(),
    lambda _, choices: m.Commit([choices.pick(HASHES)] * 10, choices.pick(HASHES)),
    lambda _, choices: m.Open([choices.pick(CARDS)] * 10, [choices.pick(HASHES)] * 10),
    _playable,
    _play,
    _lay,
    _reveal,
    _open,
)
