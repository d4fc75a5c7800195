"""The judge: what a record proves to somebody who was not there (G6).

Everything between two players is signed, chained and bound to their match, so a record needs no
trust in whoever kept it: the judge runs the very transcript that both peers run, from the first
byte. What a keeper can do is leave out, repeat, cut and move; so nothing that he can bring about
convicts the other seat, and what he says at the end is reported as his word (``verdict.py``).

Concessions stand outside the chain. Their place in the file means nothing (specification, section
12): one that names an entry which comes later waits for it, and one that comes only after the
``open`` that accepts it is looked for ahead.

A claim stands outside the chain as well, but after the entry that it names. Whether it counts shows
at the end.

Two records of one match prove more than each by itself: what one keeper left out the other has,
and whoever told the two sides different things has signed both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import itemgetter
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from pazaak_p2p.rules import Action, Phase, Seat
from pazaak_p2p.wire import claims, messages
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.errors import BrokenChain, Malformed, Refusal, Unexpected
from pazaak_p2p.wire.events import Moved
from pazaak_p2p.wire.messages import Body, Claim, Concede, Entry, RecordEnd
from pazaak_p2p.wire.reading import MAX_RECORD, Item, Reading
from pazaak_p2p.wire.terms import Terms
from pazaak_p2p.wire.transcript import Transcript
from pazaak_p2p.wire.verdict import (
    DifferentMatches,
    RecordProblem,
    TooLarge,
    Unsound,
    Verdict,
    Word,
    after_cheat,
    check_end,
    convict,
)

__all__ = ["MAX_RECORD", "Together", "Verdict", "Watch", "judge", "judge_pair", "judge_together"]

Watch: TypeAlias = Callable[[Body | None, list[Moved]], object]
"""Told of every entry that is taken in, and of what it made happen in the game; without an entry,
of a concession that takes effect at the end."""


def judge(record: bytes | Iterable[bytes], watch: Watch | None = None) -> Verdict:
    """What *record*, the bytes of a record file, proves. Never raises, whatever they are.

    Pieces are taken only as long as they are of use: no more than ``MAX_RECORD`` bytes, and none
    after the first thing that no record holds.
    """
    reading = Reading([record] if isinstance(record, bytes) else record)
    problem: RecordProblem | None = None
    hearing: _Hearing | None = None
    end: RecordEnd | None = None
    try:
        hearing = _Hearing(reading.begin(), watch)
        end = hearing.hear_all(_Items(reading))
    except RecordProblem as error:
        problem = error
    except Refusal as error:
        problem = Unsound(error, 0 if hearing is None else hearing.transcript.length)
    if hearing is None or isinstance(problem, TooLarge):
        return Verdict(problem=problem)
    header = reading.header
    assert header is not None
    verdict = replace(
        hearing.verdict(),
        players=(header.host, header.join),
        keeper=Seat(header.seat),
        began=header.began,
        end=end,
        torn=reading.torn,
        problem=problem,
    )
    if problem is not None:
        return replace(verdict, missing=None)
    if end is not None:
        word = Word(Seat(header.seat), end)
        return replace(verdict, contradiction=word.refuted_by(verdict))
    return verdict


class Together(Struct, frozen=True):
    """What several records of one match prove together."""

    agreed: int
    """How many entries all of them begin with alike."""
    verdict: Verdict
    """Of the longest history that they make; without a keeper's word."""


def judge_pair(a: bytes, b: bytes) -> Together:
    """What two records of one match prove together; see :func:`judge_together`."""
    return judge_together([a, b])


def judge_together(records: Sequence[bytes]) -> Together:
    """What *records* of one match prove together.

    Everything that any of them holds and that fits is taken: the entries of the one that goes
    further, a concession that is missing in another. Two different entries that a seat signed for
    one place, or an act of a seat whose concession is in another record, convict that seat. Raises
    :class:`DifferentMatches` if they are not of one match.
    """
    pieces = [_Pieces(record) for record in records]
    if len({piece.match_id for piece in pieces}) != 1 or not pieces[0].match_id:
        raise DifferentMatches
    # Of two concessions of one seat, as of two entries of one place, the first that is heard
    # stands; so each record has its turn to be heard first, and by itself.
    verdicts = [
        _hear_together([piece, *(other for other in pieces if other is not piece)])
        for piece in pieces
    ]
    verdicts += [_without_word(judge(record)) for record in records]
    best = max(verdicts, key=lambda v: (v.cheat is not None, v.entries, v.proven is not None))
    agreed = 0
    for bodies in zip(*(piece.bodies for piece in pieces), strict=False):
        if len(set(bodies)) > 1:
            break
        agreed += 1
    header = pieces[0].reading.header
    assert header is not None
    return Together(agreed, replace(best, players=(header.host, header.join)))


def _without_word(verdict: Verdict) -> Verdict:
    return replace(verdict, keeper=None, end=None, contradiction="", torn=False, problem=None)


class _Pieces:
    """All that can be read of a record; what is wrong with it, its own verdict tells."""

    def __init__(self, record: bytes) -> None:
        self.reading = Reading([record])
        self.terms: Terms | None = None
        self.concessions: list[Concede] = []
        self.claims: list[Claim] = []
        self.entries: list[tuple[int, Entry]] = []
        """Each with its number."""
        with suppress(RecordProblem, Refusal):
            self.terms = self.reading.begin()
            for item in self.reading:
                if isinstance(item, Concede):
                    self.concessions.append(item)
                elif isinstance(item, Claim):
                    self.claims.append(item)
                elif isinstance(item, Entry):
                    with suppress(Malformed):
                        self.entries.append((read_body(item.body).n, item))

    @property
    def match_id(self) -> bytes:
        return b"" if self.terms is None else self.terms.match_id

    @property
    def bodies(self) -> list[bytes]:
        return [entry.body for _, entry in self.entries]


def _hear_together(pieces: Sequence[_Pieces]) -> Verdict:
    """The verdict on all of *pieces*, the first being heard first."""
    terms = pieces[0].terms
    assert terms is not None
    hearing = _Hearing(terms)
    hearing.expect([said for piece in pieces for said in piece.concessions])
    entries = dict.fromkeys(entry for piece in pieces for entry in piece.entries)
    for _, entry in sorted(entries, key=itemgetter(0)):
        if hearing.cheat is None:
            hearing.hear_if_it_fits(entry)
    hearing.hear_the_rest(said for piece in pieces for said in piece.claims)
    return hearing.verdict()


class _Items:
    """The items of a record, with a look ahead for concessions."""

    def __init__(self, source: Iterable[Item]) -> None:
        self._source = iter(source)
        self._ahead: deque[Item] = deque()
        self._failure: Refusal | RecordProblem | None = None

    def __iter__(self) -> Iterator[Item]:
        while True:
            if self._ahead:
                yield self._ahead.popleft()
            elif self._failure is not None:
                raise self._failure
            else:
                try:
                    yield next(self._source)
                except StopIteration:
                    return

    def take_concessions(self) -> list[Concede]:
        """All that are still to come, which then come no more."""
        try:
            self._ahead.extend(self._source)
        except (Refusal, RecordProblem) as error:
            self._failure = error
        found = [item for item in self._ahead if isinstance(item, Concede)]
        self._ahead = deque(item for item in self._ahead if not isinstance(item, Concede))
        return found


class _Hearing:
    """A transcript as it is heard from records, and what was counted in it."""

    def __init__(self, terms: Terms, watch: Watch | None = None) -> None:
        self.transcript = Transcript(terms)
        self.cheat: Cheat | None = None
        self._watch = watch
        self._moves = 0
        self._lots = 0
        self._conceded: set[int] = set()
        self._early: list[Concede] = []
        self._claims: dict[int, Claim] = {}

    # --- one record, in its order

    def hear_all(self, items: _Items) -> RecordEnd | None:
        """Hear a record to its end; the end map. Raises a ``Refusal`` at what cannot be there.

        After a cheat nothing but the end map may come.
        """
        end: RecordEnd | None = None
        for item in items:
            if isinstance(item, RecordEnd):
                check_end(item)
                end = item
            elif self.cheat is not None:
                raise Unexpected
            elif self.transcript.complete and isinstance(item, Entry):
                self._after_the_end(item)
            else:
                with self._convicting():
                    self._hear(item, items)
        if self.cheat is None:
            for said in self._early:  # what it names has not come
                self.transcript.hear_concession(Seat(said.by), said)
        return end

    def _after_the_end(self, entry: Entry) -> None:
        """All has been said. Only another word for an old place can come, when the match is told
        again (specification, section 6.4): a cheat.
        """
        if read_body(entry.body).n < self.transcript.length:
            with suppress(Refusal), self._convicting():
                self._entry(entry)
        if self.cheat is None:
            raise Unexpected

    def _hear(self, item: Entry | Concede | Claim, items: _Items) -> None:
        if isinstance(item, Claim):
            self._claim(item)
            return
        if isinstance(item, Concede):
            self._concession(item)
            return
        if self._accepts_unheard(item):
            for said in items.take_concessions():
                self._concession(said)
        self._entry(item)
        for said in self._named():
            self._hear_concession(said)

    def _concession(self, said: Concede) -> None:
        if said.by in self._conceded or any(said.by == early.by for early in self._early):
            raise Unexpected
        if said.head in self.transcript.heads:
            self._hear_concession(said)
        else:
            # What it names may come later, but whose it is shows now.
            with suppress(BrokenChain):
                self.transcript.hear_concession(Seat(said.by), said)
            self._early.append(said)

    def _claim(self, said: Claim) -> None:
        if said.by in self._claims or self.transcript.complete:
            raise Unexpected
        claims.check(self.transcript, said)
        self._claims[said.by] = said

    def _accepts_unheard(self, entry: Entry) -> bool:
        """Does *entry* accept a concession that we have not heard?"""
        transcript = self.transcript
        if transcript.state.phase is Phase.OVER:
            return False
        body = read_body(entry.body)
        first = type(body.say[0])
        return first is messages.Open and transcript.conceded is not Seat(body.by).other

    # --- several records, in the order of their entries' numbers

    def expect(self, concessions: Iterable[Concede]) -> None:
        """Keep these until an entry rests on one, or until the end."""
        self._early += concessions

    def hear_if_it_fits(self, entry: Entry) -> None:
        """Take *entry*, unless it is refused, which here says nothing against anybody."""
        with suppress(Refusal), self._convicting():
            if self._accepts_unheard(entry):
                self._hear_expected(Seat(read_body(entry.body).by).other, most=1)
            if self.cheat is None:
                self._entry(entry)

    def hear_the_rest(self, said: Iterable[Claim]) -> None:
        """Take the concessions on which no entry rests, and the claims that were *said*."""
        for seat in Seat:
            self._hear_expected(seat, most=len(self._early))
        for claim in said:
            with suppress(Refusal):
                self._claim(claim)

    def _hear_expected(self, seat: Seat, most: int) -> None:
        """Hear so many concessions of *seat* that name what has been heard."""
        heads = self.transcript.heads
        for said in [said for said in self._early if said.by == seat and said.head in heads]:
            if self.cheat is not None or most == 0:
                return
            self._early.remove(said)
            with suppress(Refusal), self._convicting():
                self.transcript.hear_concession(seat, said)
                most -= 1

    # --- both

    @contextmanager
    def _convicting(self) -> Iterator[None]:
        try:
            yield
        except Cheat as cheat:
            self.cheat = cheat

    def _entry(self, entry: Entry) -> None:
        transcript = self.transcript
        moves = transcript.read(entry)
        if self._watch is not None:
            self._watch(read_body(entry.body), moves)
        self._moves += sum(isinstance(moved.input, Action) for moved in moves)
        self._lots = transcript.lots

    def _named(self) -> list[Concede]:
        """The concessions that have waited for the last entry."""
        head = self.transcript.head
        named = [said for said in self._early if said.head == head]
        self._early = [said for said in self._early if said.head != head]
        return named

    def _hear_concession(self, said: Concede) -> None:
        self.transcript.hear_concession(Seat(said.by), said)
        self._conceded.add(said.by)

    # --- the end

    def verdict(self) -> Verdict:
        """What has been heard, without any keeper's word."""
        transcript = self.transcript
        if self.cheat is None and (steps := transcript.settle_concession()) and self._watch:
            self._watch(None, steps)
        state, opened = transcript.state, transcript.opened
        conviction, proven = None, state.outcome
        if self.cheat is not None:
            conviction = convict(self.cheat)
            proven = after_cheat(proven, opened, self.cheat.seat)
        shown = [
            len(hand) if opened[seat] else sum(card.played for card in hand)
            for seat, hand in enumerate(state.hands)
        ]
        return Verdict(
            match_id=transcript.terms.match_id,
            rules=transcript.terms.rules,
            entries=transcript.length,
            head=transcript.head,
            lots=self._lots,
            cards=sum(shown),
            moves=self._moves,
            sets=state.won,
            proven=proven,
            opened=opened,
            cheat=conviction,
            claim=None
            if conviction is not None
            else claims.standing(transcript, self._claims.values()),
            missing=None if conviction is not None else transcript.due,
        )
