"""The targets: functions of bytes that return, or raise because something is wrong.

What reads the user's files gets them as files (``texts.py``); all else is sans-IO.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.cli.verdicts import exit_code, headline, record_event, tell_record, tell_together
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import MAX_MESSAGE, Cutter, Reader, encode, read_body
from pazaak_p2p.wire.errors import Malformed, Reflected, Refusal
from pazaak_p2p.wire.greeting import Greeting, Role
from pazaak_p2p.wire.judge import Verdict, judge, judge_together
from pazaak_p2p.wire.verdict import DifferentMatches
from tests.fuzz import attack, program, texts
from tests.fuzz.choices import Choices
from tests.fuzz.scenes import Moment, Stage, moments, moments_of
from tests.fuzz.seeds import records_that_convict, sound_record
from tests.verifier import verify
from tests.wire.pair import Side, messages_in

Target = Callable[[bytes], None]


def decoder(data: bytes) -> None:
    """A stream of messages: read alike whatever its pieces, and written as it was read."""
    choices = Choices(data)
    size = choices.pick(attack.SIZES)
    stream = choices.rest()
    found, refused = _read(stream, size)
    assert (found, refused) == _read(stream, MAX_MESSAGE), "pieces matter"
    for message, _ in found:
        again = encode(message)
        ((read, exact),) = messages_in(again)
        assert (read, exact) == (message, again), "it is not written as it was read"
        if isinstance(message, m.Entry):
            _read_body(message.body)
    _read_body(stream)


def _read(stream: bytes, size: int) -> tuple[list[tuple[m.Message, bytes]], str]:
    """The messages of *stream*, and the code of the refusal that ends it."""
    reader = Reader()
    found: list[tuple[m.Message, bytes]] = []
    try:
        for start in range(0, len(stream), size):
            reader.feed(stream[start : start + size])
            found.extend(reader)
    except Refusal as refusal:
        return found, refusal.code
    return found, ""


def _read_body(data: bytes) -> None:
    try:
        body = read_body(data)
    except Malformed:
        return
    assert read_body(encode(body)) == body


def greeting(data: bytes) -> None:
    """A peer that has just been connected; after our hello, or after both."""
    choices = Choices(data)
    moment = _moment(choices, Stage.GREETING)
    victim = attack.Attack(moment)
    victim.meddled = True
    how = choices.number(8)
    victim.size = choices.pick(attack.SIZES)
    if how % 2:
        victim.give(victim.recorded(victim.at))
    if how >= 4:
        victim.give(_greeting_by(victim.side, choices))
    victim.give(choices.rest())
    victim.finish()


def _greeting_by(side: Side, choices: Choices) -> bytes:
    """A hello with fields of its own, and the proof that belongs to it."""
    role = Role.DIALLER if side.peer._lobby._role is Role.LISTENER else Role.LISTENER
    key = Ed25519PrivateKey.from_private_bytes(bytes([choices.byte()]) * 32)
    name = choices.take(choices.number(33)).decode("utf-8", "ignore") or "\u202e"
    theirs = Greeting(key, role, name, choices.take(32).ljust(32, b"?"), "fuzz")
    ours = side.peer._greeting
    try:
        return theirs.hello + theirs.take_hello(ours.ours, ours.hello)
    except Reflected:  # its nonce is ours
        return theirs.hello


def lobby(data: bytes) -> None:
    """A peer between the greeting and a match."""
    choices = Choices(data)
    program.run(_moment(choices, Stage.LOBBY), choices)


def match(data: bytes) -> None:
    """A peer in a match, or after it."""
    choices = Choices(data)
    program.run(_moment(choices, Stage.MATCH), choices)


def _moment(choices: Choices, stage: Stage) -> Moment:
    scene, number = choices.pick(moments_of(stage))
    return moments(scene)[number]


def record(data: bytes) -> None:
    """A record: judged, told, judged with a sound one; the second verifier says the same."""
    verdict = judge(data)
    _tell(verdict)
    if verdict.cheat is not None:
        assert verdict.match_id in records_that_convict(), "a conviction without a signature"
    second = verify(data)
    cheat = verdict.cheat and (verdict.cheat.code, verdict.cheat.seat, verdict.cheat.entry)
    assert cheat == second.cheat, (cheat, second)
    sound = verdict.problem is None and not verdict.torn and not verdict.contradiction
    assert sound is not bool(second.problem), (verdict.problem, second.problem)
    if verdict.match_id and verdict.problem is None:
        assert (verdict.entries, verdict.head) == (second.entries, second.head), second
    try:
        together = judge_together([sound_record(), data])
    except DifferentMatches:
        return
    assert together.verdict.cheat is None, "altered records of an honest match convict"
    assert together.verdict.proven == _sound_verdict().proven, "an honest match ends otherwise"
    tell_together(["one", "other"], [_sound_verdict(), verdict], together)


@cache
def _sound_verdict() -> Verdict:
    return judge(sound_record())


def _tell(verdict: Verdict) -> None:
    exit_code(verdict)
    record_event("file", verdict)
    if verdict.match_id:
        assert headline(verdict).isprintable()
        assert tell_record(verdict).isprintable()


def cutter(data: bytes) -> None:
    """Objects of any kind: what was cut is the stream, and memory is bounded."""
    choices = Choices(data)
    size = choices.pick(attack.SIZES)
    stream = choices.rest()
    cut = Cutter()
    got = b""
    try:
        for start in range(0, len(stream), size):
            cut.feed(stream[start : start + size])
            for _, exact in cut:
                assert 0 < len(exact) <= MAX_MESSAGE
                got += exact
            assert len(cut.rest) <= MAX_MESSAGE
    except Refusal:
        assert stream.startswith(got)
        return
    assert got + cut.rest == stream


TARGETS: Final[dict[str, Target]] = {
    "cutter": cutter,
    "decoder": decoder,
    "greeting": greeting,
    "lobby": lobby,
    "match": match,
    "record": record,
    "rules": texts.rules,
    "script": texts.script,
    "deck": texts.deck,
    "seed": texts.seed,
    "peers": texts.peers,
}
WIRE: Final = ("cutter", "decoder", "greeting", "lobby", "match", "record")
"""The targets that take what comes from the network or from another player."""
