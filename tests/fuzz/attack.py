"""An attack on a peer, as a little program read from the input; and what must hold all along.

Whoever sits on the line can drop, repeat, reorder, alter and make up messages; a cheating opponent
can also sign whatever it likes. Both are tried, and all that our own side may do meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.rules import Card, Seat
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.cheats import Cheat, WillNotOpen, WillNotReveal
from pazaak_p2p.wire.codec import MAX_MESSAGE, Cutter, encode
from pazaak_p2p.wire.errors import LocalError, RemoteError
from pazaak_p2p.wire.judge import judge
from tests.cheating import Cheater
from tests.fuzz.choices import Choices
from tests.fuzz.scenes import Moment
from tests.verifier import verify

SIZES = (MAX_MESSAGE, 1, 2, 3, 7, 64, 333, 5000)
"""Sizes of the pieces in which bytes arrive."""
STRANGER = Ed25519PrivateKey.from_private_bytes(b"?" * 32)
HASHES = (bytes(32), b"?" * 32, b"\xff" * 32)
MOST_STEPS = 40
_OUR_WORD = (WillNotReveal, WillNotOpen)  # convicted for being late, which nobody signs


class Attack:
    """A moment under attack. Methods raise an AssertionError as soon as something is wrong."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self.side = moment.copied_side()
        self.said = moment.said
        self.at = self._start = moment.at
        self.now = 0.0
        self.size = MAX_MESSAGE
        self.signed = False
        """Has the other side signed what no honest peer signs?"""
        self._foretold = False
        """Was something given that the other side said in the recorded session, and not here?"""
        self._diverged = False
        """Does this session differ from the recorded one, as our side did something else?"""
        self.meddled = False
        """Is it no longer sure that the other side knows what ours does?"""
        self.heard = bytearray()
        """What our side has said that the other has not been given."""
        self._deaf = False
        self._given = self._sent = self._told = 0

    @cached_property
    def foe(self) -> Cheater:
        """The other side; copied only where it is needed, as that takes its time."""
        return self.moment.copied_foe()

    def give(self, data: bytes) -> None:
        """Let *data* arrive, in pieces of the size that is set."""
        side = self.side
        for start in range(0, len(data), self.size):
            side.peer.receive(data[start : start + self.size], self.now)
            self.react()
        self._given += len(data)
        # Bounds on what it says and tells in answer; entries are the longest answer.
        assert self._sent <= 20_000 + 20 * self._given, "it says too much"
        assert self._told <= 200 + 2 * self._given, "it tells too much"

    def react(self) -> None:
        """Take in what our peer says; whatever is no RemoteError comes out here."""
        side, was_over = self.side, self.over
        side.react(self.now)
        data = side.send()
        if was_over:
            assert not side.events, "what raised takes nothing more"
            assert not data, "what raised says nothing more"
        self._told += len(side.events)
        self._sent += len(data)
        self.heard += data
        side.events.clear()
        side.sent.clear()
        assert len(side.errors) <= 1
        if self.over and not was_over:
            self._check_accusation(side.errors[0])

    def _check_accusation(self, error: RemoteError) -> None:
        if isinstance(error, Cheat):
            # In a second match the seats may be exchanged.
            assert self.side.peer.seat is not None
            assert error.seat is self.side.peer.seat.other, "the wrong seat was convicted"
            by_word = isinstance(error, _OUR_WORD)
            assert self.signed or by_word, f"convicted without having signed: {error!r}"

    def recorded(self, number: int) -> bytes:
        """Message *number* of the other side in the recorded session, to be given."""
        self.meddled = True
        if number >= self._start:
            self._foretold = True
            self._two_worlds()
        return self.said[number]

    def _two_worlds(self) -> None:
        # What was said in another session stands beside what is said in this one for the same
        # places, under one signature.
        if self._foretold and self._diverged:
            self.signed = True

    @property
    def over(self) -> bool:
        return bool(self.side.errors)

    def ours(self, action: Callable[[], object]) -> None:
        """Let our own side do something that may not be possible now."""
        self._diverged = True
        self._two_worlds()
        with suppress(LocalError):
            action()
        self.react()

    def wait(self, seconds: float | None = None) -> bool:
        """Let time pass, by default until the next deadline; False if there is none."""
        at = self.side.peer.next_deadline()
        if at is None:
            return False
        if self.moment.scene.rules.turn_seconds is not None:  # then our side may give up by itself
            self._diverged = True
            self._two_worlds()
        self.now = max(self.now, at if seconds is None else self.now + seconds)
        self.side.peer.handle_timeout(self.now)
        self.react()
        return True

    def live(self) -> None:
        """Let the other side hear all that ours has said, and answer as an honest peer does."""
        data = bytes(self.heard)
        self.heard.clear()
        if self._deaf:
            return
        try:
            self.foe.receive(data)
        except (RemoteError, AssertionError) as error:
            # It may lack what others have given to us in its name; but unless it has signed
            # nonsense itself it must not find fault with what we signed.
            if not self.meddled or (isinstance(error, Cheat) and not self.signed):
                raise AssertionError(f"our honest side was refused: {error!r}") from error
            self._deaf = True
        self.give(self.foe.send())

    def finish(self) -> None:
        """Nobody says anything any more: it must end by itself, and its record must be sound."""
        for _ in range(8):
            if not self.wait():
                break
        else:
            raise AssertionError("it goes on for ever")
        if self.over:
            self.give(b"\x82\xa1t\xa4ping\xa1n\x01")
        self._check_verdict()

    def _check_verdict(self) -> None:
        side = self.side
        error = side.errors[0] if side.errors else None
        proven = isinstance(error, Cheat) and not isinstance(error, _OUR_WORD)
        # To judge a record costs more than all before it: in every case that matters, and a few.
        if side.record and (proven or sum(side.record[-32:]) % 16 == 0):
            _check_record(_last_match(bytes(side.record)), error if proven else None)


def _last_match(record: bytes) -> bytes:
    """The record of the last match of a session."""
    cutter = Cutter()
    last = b""
    for start in range(0, len(record), MAX_MESSAGE):
        cutter.feed(record[start : start + MAX_MESSAGE])
        for value, exact in cutter:
            assert isinstance(value, dict)
            last = exact if value["t"] == "record" else last + exact
    return last


def _check_record(record: bytes, cheat: RemoteError | None) -> None:
    """The record of an honest keeper is sound, and convicts of *cheat* or nobody."""
    verdict = judge(record)
    assert verdict.problem is None, f"the record is not sound: {verdict.problem}"
    assert verdict.contradiction == "", verdict.contradiction
    found = verdict.cheat and (verdict.cheat.code, verdict.cheat.seat, verdict.cheat.entry)
    told = (cheat.code, cheat.seat, cheat.entry) if isinstance(cheat, Cheat) else None
    assert found == told, "the record convicts otherwise"
    second = verify(record)
    assert not second.problem, second.problem
    assert second.cheat == told


# --- the program


def run(moment: Moment, choices: Choices) -> None:
    """Do to *moment* what *choices* say."""
    attack = Attack(moment)
    for _ in range(MOST_STEPS):
        if not choices:
            break
        choices.pick(_STEPS)(attack, choices)
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


_STEPS: tuple[Callable[[Attack, Choices], None], ...] = (
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
