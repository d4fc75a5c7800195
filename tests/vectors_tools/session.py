"""A session between two sides, step by step: made for the vectors, and played again from them.

A *side* is a real peer, or (``Forged``) a list of bytes that somebody else signed. A step is a JSON
object; ``protocol/vectors/README.md`` says what each means.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from pazaak_p2p.rules import Action, Rules, Seat, SideDeck, View
from pazaak_p2p.wire import Peer, Role, events
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.codec import Reader, read_body
from pazaak_p2p.wire.errors import RemoteError, Unproven
from pazaak_p2p.wire.messages import ByeReason, DeclineReason, Entry
from pazaak_p2p.wire.reading import read_saved
from pazaak_p2p.wire.resuming import restore
from tests.vectors_tools import shown

SOFTWARE = "pazaak-p2p seeds"
LABELS = ("listener", "dialler")

Step: TypeAlias = dict[str, Any]


class Who:
    """A side's part of a vector: its name and what it signs with."""

    def __init__(
        self,
        name: str,
        private_key: bytes,
        nonce: bytes,
        software: str,
        code: str | None = None,
        code_secret: bytes = b"",
    ) -> None:
        self.code = code
        self.code_secret = code_secret
        self.name = name
        self.private_key = private_key
        self.nonce = nonce
        self.software = software

    def show(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "software": self.software,
            "private_key": self.private_key.hex(),
            "public_key": self.signer().public_key().public_bytes_raw().hex(),
            "nonce": self.nonce.hex(),
            **self._show_code(),
        }

    def _show_code(self) -> dict[str, str]:
        if self.code is None:
            return {}
        return {"code": self.code, "code_secret": self.code_secret.hex()}

    @classmethod
    def read(cls, value: dict[str, Any]) -> Who:
        key, nonce = bytes.fromhex(value["private_key"]), bytes.fromhex(value["nonce"])
        secret = bytes.fromhex(value.get("code_secret", ""))
        return cls(value["name"], key, nonce, value["software"], value.get("code"), secret)

    def signer(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.private_key)


class Forged:
    """A side whose bytes come from elsewhere."""

    def __init__(self) -> None:
        self.out = b""

    def take(self, data: bytes, now: float) -> None:
        """Nothing: it says what it says."""

    def say(self) -> bytes:
        """All that is to be sent now."""
        out, self.out = self.out, b""
        return out


class Honest:
    """A real peer, and what it has told."""

    def __init__(self, who: Who, role: Role) -> None:
        self.peer = Peer(
            key=who.signer(),
            role=role,
            name=who.name,
            nonce=who.nonce,
            software=who.software,
            now=0.0,
            code=who.code,
            code_secret=who.code_secret,
        )
        self._now = 0.0
        self.choices: deque[View] = deque()
        """Choices that wait for an answer."""
        self.offered = False
        """An offer waits for an answer."""
        self.saved = b""
        """The record of a match that is to go on."""
        self.refusals: deque[RemoteError] = deque()
        self.matches: list[Played] = []

    def take(self, data: bytes, now: float) -> None:
        self._now = now
        self.peer.receive(data, now)
        self.drain()

    def say(self) -> bytes:
        data = self.peer.data_to_send()
        self.drain()
        return data

    def drain(self) -> None:
        """Take in what the peer tells."""
        while True:
            try:
                event = self.peer.next_event()
            except RemoteError as error:
                self.refusals.append(error)
                continue
            match event:
                case None:
                    break
                case events.CodeTried():
                    self.peer.try_code(self._now)
                case events.Offered():
                    self.offered = True
                case events.Started(_, seat, _):
                    self.matches.append(Played(seat, event))
                case events.Resumed(_, seat, _):
                    self.matches.append(Played(seat, event))
                    self.matches[-1].record += self.saved
                case events.Moved():
                    self.matches[-1].moves.append(event)
                case events.Choose(view):
                    self.choices.append(view)
                case events.Ended():
                    self.choices.clear()
                    self.matches[-1].ended = event
                case _:
                    pass
        if record := self.peer.data_to_record():
            self.matches[-1].record += record


class Played:
    """A match as one side saw it."""

    def __init__(self, seat: Seat, started: events.Started | events.Resumed) -> None:
        self.seat = seat
        self.started = started
        self.moves: list[events.Moved] = []
        self.ended: events.Ended | None = None
        self.record = bytearray()

    def show_moves(self) -> list[dict[str, Any]]:
        return [
            {
                **shown.show_input(move.input),
                **({} if move.seat is None else {"by": int(move.seat)}),
                **shown.state_vector(move.state),
            }
            for move in self.moves
        ]

    def show_result(self) -> dict[str, Any] | None:
        if self.ended is None:
            return None
        outcome = self.ended.outcome
        states = [move.state for move in self.moves[-1:]]
        if not states and isinstance(self.started, events.Resumed):
            states = [self.started.state]
        return {
            "termination": outcome.termination.value,
            "winner": None if outcome.winner is None else int(outcome.winner),
            "sets": list(states[0].won) if states else [0, 0],
            "opened": list(self.ended.opened),
            "head": self.ended.head.hex(),
        }


class Session:
    """Two sides, the wire between them, and the steps taken so far.

    What is sent arrives in pieces of *piece* bytes, which must make no difference.
    """

    def __init__(
        self, who: dict[str, Who], honest: Sequence[str] = LABELS, piece: int = 1 << 20
    ) -> None:
        self.who = who
        self._piece = piece
        self.sides: dict[str, Honest | Forged] = {
            label: Honest(who[label], Role(label)) if label in honest else Forged()
            for label in LABELS
        }
        self.steps: list[Step] = []
        self._held = {label: b"" for label in LABELS}
        self._now = 0.0
        self._offered: list[dict[str, dict[str, Any]]] = []

    def honest(self, label: str) -> Honest:
        side = self.sides[label]
        assert isinstance(side, Honest)
        return side

    # --- steps

    def send(self, label: str, late: bool = False) -> bool:
        """*label* says what it has to say; False if that is nothing. *late*: it is on the way."""
        data = self.sides[label].say()
        if not data:
            return False
        step: Step = {"step": "send", "side": label, "says": _says(data), "bytes": data.hex()}
        self._log({**step, "late": True} if late else step)
        self._held[label] += data
        if not late:
            self._deliver(label)
        return True

    def arrive(self, label: str) -> None:
        """What *label* has sent late arrives."""
        self._log({"step": "arrive", "side": label})
        self._deliver(label)

    def close(self, label: str) -> None:
        """*label* closes the stream."""
        self._log({"step": "close", "side": label})
        self.sides[_other(label)].take(b"", self._now)
        self._note_refusals()

    def offer(self, label: str, rules: Rules, nonce: bytes, secret: bytes, deck: SideDeck) -> None:
        self._log(
            {
                "step": "offer",
                "side": label,
                "rules": shown.show_rules(rules),
                **_kit(nonce, secret, deck),
            }
        )
        self.honest(label).peer.offer(rules, nonce, secret, deck, self._now)

    def accept(self, label: str, nonce: bytes, secret: bytes, deck: SideDeck) -> None:
        self._log({"step": "accept", "side": label, **_kit(nonce, secret, deck)})
        side = self.honest(label)
        side.offered = False
        side.peer.accept(nonce, secret, deck, self._now)
        side.drain()

    def resume(
        self, label: str, record: bytes, secret: bytes, deck: SideDeck, away: float = 0.0
    ) -> None:
        """*label*, *away* for so many seconds, wants to go on with the match of *record*."""
        self._log(
            {
                "step": "resume",
                "side": label,
                "record": record.hex(),
                "secret": secret.hex(),
                "deck": shown.show_deck(deck),
                "away": away,
            }
        )
        side = self.honest(label)
        saved = read_saved([record])
        side.saved = record[: saved.length]
        interrupted = restore(saved, self.who[label].signer(), secret, deck)
        side.peer.resume(replace(interrupted, away=away), self._now)
        side.drain()
        self._note_refusals()

    def decline(self, label: str, reason: str, text: str) -> None:
        self._log({"step": "decline", "side": label, "reason": reason, "text": text})
        self.honest(label).offered = False
        self.honest(label).peer.decline(DeclineReason(reason), text)

    def choose(self, label: str, action: Action) -> None:
        """*label*'s player answers the choice that waits."""
        self._log({"step": "choose", "side": label, **shown.show_input(action)})
        side = self.honest(label)
        side.choices.popleft()
        side.peer.act(action, self._now)
        side.drain()

    def concede(self, label: str) -> None:
        self._log({"step": "concede", "side": label})
        side = self.honest(label)
        side.choices.clear()
        side.peer.concede(self._now)
        side.drain()

    def chat(self, label: str, text: str) -> None:
        self._log({"step": "chat", "side": label, "text": text})
        self.honest(label).peer.chat(text, self._now)

    def bye(self, label: str, reason: str) -> None:
        self._log({"step": "bye", "side": label, "reason": reason})
        self.honest(label).peer.bye(ByeReason(reason))
        self.honest(label).drain()

    def wait(self, seconds: float) -> None:
        """Time passes; each honest side does what its deadlines demand."""
        self._log({"step": "wait", "seconds": seconds})
        until = self._now + seconds
        for side in self.sides.values():
            if isinstance(side, Honest):
                while (at := side.peer.next_deadline()) is not None and at <= until:
                    side.peer.handle_timeout(at)
                    side.drain()
        self._now = until
        self._note_refusals()

    def forge(self, label: str, data: bytes, late: bool = False) -> None:
        """The forged side *label* says *data*."""
        side = self.sides[label]
        assert isinstance(side, Forged)
        side.out += data
        self.send(label, late)

    # --- what is behind them

    def _log(self, step: Step) -> None:
        self.steps.append(step)

    def _deliver(self, label: str) -> None:
        data, self._held[label] = self._held[label], b""
        for start in range(0, len(data), self._piece):
            self.sides[_other(label)].take(data[start : start + self._piece], self._now)
        self._note_refusals()

    def _note_refusals(self) -> None:
        for label, side in self.sides.items():
            if isinstance(side, Honest):
                while side.refusals:
                    self._log(
                        {"step": "refuse", "side": label, **show_refusal(side.refusals.popleft())}
                    )

    # --- as JSON

    def show(self, *, moves: bool = True) -> dict[str, Any]:
        """The sides, the steps, and the matches that came of them, with or without their moves."""
        return {
            "sides": {
                label: {"honest": isinstance(self.sides[label], Honest), **self.who[label].show()}
                for label in LABELS
            },
            "steps": self.steps,
            "matches": [
                match if moves else {k: v for k, v in match.items() if k != "moves"}
                for match in self.show_matches()
            ],
        }

    def show_matches(self) -> list[dict[str, Any]]:
        of_side = {
            label: side.matches for label, side in self.sides.items() if isinstance(side, Honest)
        }
        most = max((len(matches) for matches in of_side.values()), default=0)
        return [
            _show_match({label: ms[m] for label, ms in of_side.items() if m < len(ms)})
            for m in range(most)
        ]


def _show_match(played: dict[str, Played]) -> dict[str, Any]:
    """A match as the honest sides saw it. What one of them knows, the other must not contradict."""
    label, first = max(played.items(), key=lambda item: len(item[1].moves))
    moves = first.show_moves()
    for other in played.values():
        # Of a match that went on, each side tells what it had not known.
        resumed = isinstance(other.started, events.Resumed)
        known = len(moves) - len(other.moves) if resumed else 0
        assert moves[known : known + len(other.moves)] == other.show_moves()
        assert first.started.match_id == other.started.match_id
    return {
        "match_id": first.started.match_id.hex(),
        "host": label if first.seat is Seat.HOST else _other(label),
        "rules": shown.show_rules(first.started.rules),
        "moves": moves,
        "results": {str(p.seat): p.show_result() for p in _by_seat(played)},
        "records": {str(p.seat): p.record.hex() for p in _by_seat(played)},
    }


def _by_seat(played: dict[str, Played]) -> list[Played]:
    return sorted(played.values(), key=lambda p: p.seat)


def show_refusal(error: RemoteError) -> dict[str, Any]:
    """The code, and the seat and entry that it names."""
    if isinstance(error, Cheat | Unproven):
        return {"code": error.code, "seat": int(error.seat), "entry": error.entry}
    return {"code": error.code}


def _kit(nonce: bytes, secret: bytes, deck: SideDeck) -> dict[str, str]:
    return {"nonce": nonce.hex(), "secret": secret.hex(), "deck": shown.show_deck(deck)}


def _other(label: str) -> str:
    return LABELS[1 - LABELS.index(label)]


def _says(data: bytes) -> list[str]:
    """What the bytes say, in a word or two a message; for the reader only."""
    reader = Reader()
    words = []
    try:
        reader.feed(data)
        for message, _ in reader:
            word = str(type(message).__struct_config__.tag)
            if isinstance(message, Entry):
                body = read_body(message.body)
                said = ", ".join(str(type(s).__struct_config__.tag) for s in body.say)
                word = f"entry {body.n} by {Seat(body.by)}: {said}"
            words.append(word)
    except RemoteError:
        words.append("...")
    return words
