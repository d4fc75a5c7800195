"""``resumed.json``: matches that go on in a second session; and what is refused on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgpack

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.fairness import SeedSecrets, digest
from pazaak_p2p.rules import DECKS, Seat, parse_rules
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.reading import read_saved
from pazaak_p2p.wire.terms import concession_frame
from tests.vectors_tools.match_refusals import Case
from tests.vectors_tools.matches import Players
from tests.vectors_tools.primitives import example
from tests.vectors_tools.replay import one_sided
from tests.vectors_tools.session import LABELS, SOFTWARE, Session, Who

Vector = dict[str, Any]

NAME: Final = "resumed 0"
RULES: Final = parse_rules("standard,sets=1")
SEATED: Final = dict(zip(Seat, (DECKS["balanced"], DECKS["hard"]), strict=True))


def resumed() -> list[Vector]:
    """Every session, each from the records that its sides begin with."""
    return [
        {"name": name, "what": what, **session.show(moves=False)}
        for name, what, session in _sessions()
    ]


def played(stand_at: tuple[int, int], conceder: Seat | None = None) -> tuple[bytes, bytes]:
    """The records of one match of two players, who stand at these totals.

    *conceder* gives up at its second choice.
    """
    players = Players((NAME, NAME), ("Ann", "Ben"), (SEATED[Seat.HOST], SEATED[Seat.JOIN]))
    players.patient = set(LABELS)
    for label, total in zip(LABELS, stand_at, strict=True):
        players.bots[label] = ThresholdBot(total)
    players.run()
    players.offer("listener", RULES)
    session = players.session
    if conceder is not None:
        label = LABELS[conceder]
        players.run(lambda: bool(session.honest(label).choices))
        players.answer(label)
        players.run(lambda: bool(session.honest(label).choices))
        session.concede(label)
    players.run()
    host, join = (bytes(session.honest(label).matches[0].record) for label in LABELS)
    return host, join


def kept(record: bytes, items: int) -> bytes:
    """*record* with so many entries and concessions, and without an end."""
    unpacker = msgpack.Unpacker(raw=False)
    unpacker.feed(record)
    ends = [unpacker.tell() for value in unpacker if value["t"] != "end"]
    return record[: ends[min(2 + items, len(ends) - 1)]]


def entries(record: bytes) -> list[m.Entry]:
    """The entries of *record*."""
    return [item for item in read_saved([record]).items if isinstance(item, m.Entry)]


class Second:
    """The second session of the two; *listens* is the seat that does."""

    def __init__(self, records: tuple[bytes, bytes], listens: Seat = Seat.HOST) -> None:
        self.records = records
        self.labels = dict(zip((listens, listens.other), LABELS, strict=True))
        self.secrets = {seat: SeedSecrets(NAME, seat) for seat in Seat}
        who = {
            self.labels[seat]: Who(
                ("Ann", "Ben")[seat], secrets.identity(), secrets.hello(1), SOFTWARE
            )
            for seat, secrets in self.secrets.items()
        }
        self.session = Session({label: who[label] for label in LABELS})
        self._bots = {label: ThresholdBot(17 + seat) for seat, label in self.labels.items()}

    def run(self) -> Second:
        """Go on until neither has anything to say."""
        moved = True
        while moved:
            moved = False
            for label in LABELS:
                side = self.session.honest(label)
                while side.choices:
                    choice = self._bots[label].choose(side.choices[0])
                    self.session.choose(label, choice)
                moved |= self.session.send(label)
        return self

    def resume(self, *seats: Seat) -> Second:
        for seat in seats:
            record, deck = self.records[seat], SEATED[seat]
            secret = self.secrets[seat].match_secret(0)
            self.session.resume(self.labels[seat], record, secret, deck)
        return self

    def leave(self) -> Session:
        """Both say goodbye."""
        for label in LABELS:
            self.session.bye(label, "done")
            self.session.send(label, late=True)
        for label in LABELS:
            self.session.arrive(label)
        return self.session

    def against(self, honest: Seat) -> Session:
        """The same with one honest side; of the other only the bytes count."""
        return one_sided(self.session, self.labels[honest])


def _sessions() -> Iterator[tuple[str, str, Session]]:
    host, join = played((17, 18))
    n = len(entries(host))
    half = n // 2
    for name, what, left, listens, first in (
        (
            "both where they were",
            "The line broke; neither lacks anything. Both ask at once.",
            (half, half),
            Seat.HOST,
            tuple(Seat),
        ),
        (
            "the joiner lacks the rest",
            "The host, now the dialler, asks; the joiner answers.",
            (half + 2, half - 1),
            Seat.JOIN,
            (Seat.HOST,),
        ),
        (
            "the host lacks its own words",
            "The host's machine lost what it had said last.",
            (half - 2, half + 1),
            Seat.HOST,
            (Seat.JOIN,),
        ),
        (
            "from the first entry on",
            "The host has no more than offer and accept.",
            (0, half),
            Seat.HOST,
            (Seat.HOST,),
        ),
        (
            "complete on one side",
            "The joiner lacks the last entry.",
            (n, n - 1),
            Seat.HOST,
            (Seat.JOIN,),
        ),
    ):
        second = Second((kept(host, left[0]), kept(join, left[1])), listens).run()
        second.resume(*first).run()
        second.resume(*(seat for seat in Seat if seat not in first)).run()
        yield name, what, second.leave()
    host, join = played((17, 18), Seat.JOIN)
    said = next(
        number
        for number, item in enumerate(read_saved([join]).items)
        if isinstance(item, m.Concede)
    )
    for name, what, left in (
        (
            "a concession was lost on the way",
            "The joiner has conceded; the host has not heard it.",
            (said, said + 1),
        ),
        (
            "a concession was lost by its author",
            "The host tells the joiner that it has conceded.",
            (said + 1, said),
        ),
    ):
        second = Second((kept(host, left[0]), kept(join, left[1]))).run()
        yield name, what, second.resume(*Seat).run().leave()


def _forked(forker: Seat) -> Second:
    """The record of *forker* tells of another act than the other one's."""
    before = played((17, 18))
    after = played((12, 18) if forker is Seat.HOST else (17, 12))
    pairs = zip(entries(before[0]), entries(after[0]), strict=False)
    at = next(n for n, (one, two) in enumerate(pairs) if one.body != two.body)
    records = [kept(before[0], at + 2), kept(before[1], at + 2)]
    records[forker] = kept(after[forker], at + 1)
    return Second((records[0], records[1])).run().resume(*Seat).run()


def forks() -> Iterator[tuple[str, str, Seat, Session]]:
    """A seat that has signed two entries for one place, and who is told so."""
    for forker in Seat:
        name = f"two-entries, told again by the {forker.name.lower()}"
        what = (
            "A match goes on. The heads do not fit, so both tell all they hold; the other side has"
            " signed another act for one place."
        )
        yield name, what, forker, _forked(forker).against(forker.other)


def in_resumed() -> Iterator[Case]:
    """What is refused when a match goes on, and what is not."""
    for seat in Seat:
        yield (
            f"forked, the {seat.name.lower()}'s record is an older one",
            "forked",
            "The other side shows another entry of ours than our record has at its place.",
            _forked(seat).against(seat),
        )
    host, join = played((17, 18))
    half = len(entries(host)) // 2
    records = kept(host, half), kept(join, half)
    match_id, heads = match(records[0])
    wish = m.Resume(match_id, half, heads[-1], [])
    key = Who("", SeedSecrets(NAME, Seat.JOIN).identity(), b"", "").signer()
    rest = entries(host)[half:]
    nowhere = example("a head that is nowhere")
    more = m.Resume(match_id, half + 1, match(kept(host, half + 1))[1][-1], [])

    def concession(head: bytes, of: bytes = match_id) -> m.Concede:
        reason = m.ConcedeReason.CONCESSION
        signature = key.sign(concession_frame(of, Seat.JOIN, head, reason))
        return m.Concede(Seat.JOIN, head, reason, signature)

    for name, code, what, said in (
        (
            "a head that is nowhere",
            "unexpected",
            "No entry differs, so the head that was announced is wrong.",
            [m.Resume(match_id, half, nowhere, []), *entries(records[0])],
        ),
        (
            "the rest makes another head",
            "unexpected",
            "The entry that we lack comes, but the head that was announced is not its hash.",
            [m.Resume(match_id, half + 1, nowhere, []), rest[0]],
        ),
        ("resume twice", "unexpected", "A resume in a match that is on.", [wish, wish]),
        (
            "an entry before the resume",
            "unexpected",
            "We have said how far we are, and the other side plays without saying it.",
            [rest[0]],
        ),
        (
            "conceded before the rest",
            "unexpected",
            "A concession while entries are still to come.",
            [more, concession(heads[-1])],
        ),
        (
            "a concession of another match",
            "bad-signature",
            "It is signed for another match id.",
            [m.Resume(match_id, half, heads[-1], [concession(heads[-1], nowhere)])],
        ),
        (
            "a concession at a head that is nowhere",
            "broken-chain",
            "What it names is in no transcript.",
            [m.Resume(match_id, half, heads[-1], [concession(nowhere)])],
        ),
        (
            "two concessions of one seat",
            "unexpected",
            "A seat concedes once.",
            [m.Resume(match_id, half, heads[-1], [concession(heads[-1])] * 2)],
        ),
        (
            "an offer that crosses a resume",
            None,
            "The resume goes before it: the offer is void.",
            [m.Offer(m.RulesMap.of(RULES), example("nonce")), wish],
        ),
        (
            "wishes for different matches cross",
            None,
            "Neither counts; each declines the other's.",
            [m.Resume(nowhere, 0, nowhere, []), m.Decline(m.DeclineReason.UNKNOWN, ""), wish],
        ),
        (
            "declined",
            None,
            "The other side has no such match.",
            [m.Decline(m.DeclineReason.UNKNOWN, "")],
        ),
    ):
        second = Second(records).run()
        session = second.against(Seat.HOST)
        secret = second.secrets[Seat.HOST].match_secret(0)
        session.resume("listener", records[0], secret, SEATED[Seat.HOST])
        session.send("listener")
        session.forge("dialler", b"".join(encode(message) for message in said))
        session.send("listener")
        yield f"resume: {name}", code, what, session


def match(record: bytes) -> tuple[bytes, list[bytes]]:
    """The match id of *record*, and its heads."""
    match_id = read_saved([record]).terms.match_id
    bodies = [entry.body for entry in entries(record)]
    return match_id, [match_id, *(digest("entry", match_id, body) for body in bodies)]
