"""``matches/*.json``: whole matches between two honest peers, every byte of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pazaak_p2p.arena.run_seed import SOFTWARE
from pazaak_p2p.arena.seeds import SeededMatch, load_seed
from pazaak_p2p.bots import Bot, ThresholdBot
from pazaak_p2p.fairness import SeedSecrets, digest
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import DECKS, Rules, Seat, SideDeck, parse_rules
from pazaak_p2p.wire.greeting import Greeting, Role
from tests.vectors_tools.session import LABELS, Session, Who

Vector = dict[str, Any]

SEEDS: Final = Path(__file__).parents[2] / "seeds"

FROM_SEEDS: Final = (
    "plain-match",
    "every-gold-card",
    "tie-and-tiebreaker",
    "tiebreaker-at-tie",
    "nine-beats-19",
    "opener-random",
    "limited-copies-cap-draw",
    "concession",
)
"""Seeded matches that are vectors too: the records are those of ``seeds/NAME/expected.pzk``."""


def matches() -> dict[str, Vector]:
    """All of them, by name."""
    return {**{name: _from_seed(name) for name in FROM_SEEDS}, **_special()}


class Players:
    """Two sides with all that they need for any number of matches."""

    def __init__(
        self,
        seeds: tuple[str, str],
        names: tuple[str, str],
        decks: tuple[SideDeck, SideDeck],
    ) -> None:
        # The listener's secrets are those of seat 0 in its seed, also where it is not the host.
        self.secrets = {
            label: SeedSecrets(seed, seat)
            for label, seed, seat in zip(LABELS, seeds, Seat, strict=True)
        }
        self.decks = dict(zip(LABELS, decks, strict=True))
        self.bots: dict[str, Bot] = {}
        self.patient: set[str] = set()
        """Sides that send what they have before they choose, as a person's program does."""
        self._begun = dict.fromkeys(LABELS, 0)
        who = {
            label: Who(name, secrets.identity(), secrets.hello(0), SOFTWARE)
            for (label, secrets), name in zip(self.secrets.items(), names, strict=True)
        }
        self.session = Session(who)

    def kit(self, label: str) -> tuple[bytes, bytes, SideDeck]:
        m = self._begun[label]
        self._begun[label] += 1
        secrets = self.secrets[label]
        return secrets.nonce(m), secrets.match_secret(m), self.decks[label]

    def offer(self, label: str, rules: Rules) -> None:
        self.session.offer(label, rules, *self.kit(label))

    # --- playing

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Go on until neither has anything to say, or *until* holds between two pieces."""
        while any([self.step(label, until) for label in LABELS]):
            if until():
                return

    def step(self, label: str, until: Callable[[], bool]) -> bool:
        """*label* answers what it is asked and sends what it has to say."""
        if until():
            return False
        side, session = self.session.honest(label), self.session
        sent = False
        if side.offered:
            session.accept(label, *self.kit(label))
        while side.choices:
            if label in self.patient:
                sent |= session.send(label)
            self.answer(label)
        return session.send(label) or sent

    def answer(self, label: str) -> None:
        """*label*'s bot answers what it is asked."""
        choice = self.bots[label].choose(self.session.honest(label).choices[0])
        if isinstance(choice, Concede):
            self.session.concede(label)
        else:
            self.session.choose(label, choice)

    def asked(self) -> str | None:
        """The side that has a choice."""
        return next((label for label in LABELS if self.session.honest(label).choices), None)

    def leave(self) -> None:
        """Both say goodbye."""
        for label in LABELS:
            self.session.bye(label, "done")
            self.session.send(label, late=True)
        for label in LABELS:
            self.session.arrive(label)


def _from_seed(name: str) -> Vector:
    match = load_seed(SEEDS / name)
    players = _seated(match)
    players.run()
    players.offer("listener", match.rules)
    players.run()
    players.leave()
    return _vector(players, f"{match.title}. {match.shows}", list(match.covers))


def _seated(match: SeededMatch) -> Players:
    seats = match.host, match.join
    players = Players(
        (seats[0].seed, seats[1].seed),
        (seats[0].name, seats[1].name),
        (seats[0].deck, seats[1].deck),
    )
    for label, seat in zip(LABELS, seats, strict=True):
        players.bots[label] = seat.make(players.secrets[label].bot(0))
    return players


def _vector(players: Players, what: str, covers: list[str]) -> Vector:
    hellos = (
        Greeting(who.signer(), Role(label), who.name, who.nonce, who.software).hello
        for label, who in players.session.who.items()
    )
    session_id = digest("session", *hellos).hex()
    shown = players.session.show()
    return {"what": what, "covers": covers, "session_id": session_id, **shown}


# --- what seeded matches do not show


def _special() -> dict[str, Vector]:
    return {
        "thinking-players": _thinking(),
        "rematch-with-seats-exchanged": _rematch(),
        "concession-crosses-an-entry": _crossing(),
        "concession-crosses-the-end": _void(),
        "both-concede": _both(),
        "conceded-before-the-first-entry": _early(),
        "out-of-time": _late(),
    }


def _pair(name: str, rules: str = "standard,sets=1") -> Players:
    """Two threshold bots, greeted and seated."""
    players = Players((name, name), ("Ann", "Ben"), (DECKS["balanced"], DECKS["hard"]))
    for label, stand_at in zip(LABELS, (17, 18), strict=True):
        players.bots[label] = ThresholdBot(stand_at)
    players.run()
    players.offer("listener", parse_rules(rules))
    return players


def _thinking() -> Vector:
    players = _pair("thinking-players", "standard,sets=2")
    players.patient = set(LABELS)
    players.run()
    players.leave()
    what = "Both players take their time: each reveal is sent at once, and the choice later."
    return _vector(players, what, [])


def _rematch() -> Vector:
    players = _pair("rematch")
    players.run()
    players.offer("dialler", parse_rules("kotor1,sets=1,gold=on"))
    players.run()
    players.leave()
    what = "Two matches in one session. The second is offered by the dialler, who is its host."
    return _vector(players, what, [])


def _choosing(players: Players, label: str, entries: int) -> Callable[[], bool]:
    """*label* has a choice, *entries* or more pieces into the session."""
    return lambda: (
        bool(players.session.honest(label).choices) and len(players.session.steps) >= entries
    )


def _crossing() -> Vector:
    players = _pair("crossing", "standard,sets=2")
    session = players.session
    players.run(_choosing(players, "listener", 20))
    # Ann plays on; before her entry is there, Ben gives up.
    players.answer("listener")
    session.send("listener", late=True)
    session.concede("dialler")
    session.send("dialler", late=True)
    session.arrive("listener")
    session.arrive("dialler")
    players.run()
    players.leave()
    what = (
        "The joiner concedes while an entry of the host is on its way. The concession counts as"
        " said after that entry."
    )
    return _vector(players, what, ["R21"])


def _void() -> Vector:
    """The last act of a match crosses the other side's concession."""
    for i in range(100):
        players = _pair(f"void {i}")
        if not _lost_by_its_own_act(players, "listener"):
            continue
        # The joiner gives up before it hears that the host has lost.
        session = players.session
        session.send("listener", late=True)
        session.concede("dialler")
        session.send("dialler", late=True)
        session.arrive("listener")
        session.arrive("dialler")
        players.run()
        players.leave()
        what = (
            "The joiner concedes while the entry with which the host loses the match is on its way."
            " The concession is void."
        )
        return _vector(players, what, ["R21"])
    raise AssertionError("the host never loses by its own act")


def _lost_by_its_own_act(players: Players, loser: str) -> bool:
    """Play until *loser* has made the act by which it loses; False if it never does."""
    while True:
        players.run(lambda: players.asked() is not None)
        label = players.asked()
        if label is None:
            return False
        players.answer(label)
        state = players.session.honest(label).peer.state
        assert state is not None
        if state.outcome is not None:
            return label == loser and state.outcome.winner is not Seat(LABELS.index(loser))


def _both() -> Vector:
    players = _pair("both-concede")
    session = players.session
    players.run(_choosing(players, "dialler", 16))
    session.send("dialler")
    for label in LABELS:
        session.concede(label)
        session.send(label, late=True)
    for label in LABELS:
        session.arrive(label)
    players.run()
    players.leave()
    what = "Both concede before either has heard the other. The joiner's concession is void."
    return _vector(players, what, ["R21"])


def _early() -> Vector:
    players = _pair("early")
    session = players.session
    session.send("listener")
    session.accept("dialler", *players.kit("dialler"))
    session.concede("dialler")
    players.run()
    players.leave()
    what = (
        "The joiner concedes as soon as it has accepted. Its peer waits for the host's commit, as"
        " it must, answers it with its own, and concedes then."
    )
    return _vector(players, what, ["R21"])


def _late() -> Vector:
    players = _pair("out-of-time", "standard,sets=1,turn_seconds=5")
    session = players.session
    players.run(_choosing(players, "dialler", 16))
    session.send("dialler")
    session.wait(5)
    session.honest("dialler").choices.clear()
    players.run()
    players.leave()
    what = "The joiner's own clock runs out: its program concedes with reason time."
    return _vector(players, what, ["R21"])
