"""The transcript: entries, floor, lots, and what every statement must be (sections 6 to 11)."""

from contextlib import suppress

from . import lots, shapes, state_bytes
from .cards import NUMBER, TIEBREAKER, deck_is_legal, values
from .frames import (
    card_commitment,
    claim_frame,
    concede_frame,
    entry_frame,
    entry_hash,
    lot,
    share_commitment,
    signature_holds,
)
from .game import TERMINATIONS, Game, Phase, Rules, needs_gold
from .shapes import Map, array, binary, integer
from .verdict import Cheat, Refusal

COMMITS = 2  # the entries with which both have committed; no head before them can be conceded
ACTS = {Phase.ACT: ("play", "end", "stand"), Phase.TIE: ("lay", "pass")}


class Transcript:
    """What has been said in one match and where it stands.

    After a `Refusal` or `Cheat` the object is as before, unless it is `torn`: then some of the
    statements of the refused entry have been applied, and it is of no more use.
    """

    def __init__(self, match: bytes, keys: tuple[bytes, bytes], rules: Rules) -> None:
        self.match = match
        self.keys = keys
        self.game = Game(rules)
        self.author = 0
        self.torn = False
        self.bodies: list[bytes] = []
        self.chain = [match]
        self.authors: list[int] = []
        self.conceded: dict[int, tuple[str, int]] = {}  # the reason, and the entries at its head
        self.claims: dict[int, int] = {}  # the entries at the head that it names
        self.dues: list[tuple[str, int] | None] = [("commit", 0)]  # by the number of entries
        self.k = 0
        self.shares: list[bytes | None] = [None, None]
        self.next: list[bytes] = [b"", b""]
        self.cards: list[list[bytes]] = [[], []]
        self.opened = [False, False]

    @property
    def head(self) -> bytes:
        """The hash of the last entry, or the match id."""
        return self.chain[-1]

    def due(self) -> tuple[str, int] | None:
        """The kind of statement that is due and the seat that has the floor (section 6.3)."""
        game = self.game
        if game.phase == Phase.OVER:
            first = 1 if game.winner == 1 else 0
            for seat in (first, 1 - first):
                if not self.opened[seat]:
                    return "open", seat
            return None
        for seat in (0, 1):
            if not self.cards[seat]:
                return "commit", seat
        for seat in (0, 1):
            if self.shares[1 - seat] is not None:
                return "reveal", seat
        if game.phase in ACTS:
            return "act", game.mover
        if game.phase == Phase.DRAW:
            return "reveal", 1 - game.mover
        return "reveal", self.author

    def complete(self) -> bool:
        """Whether nothing is due any more."""
        return self.game.phase == Phase.OVER and self.due() is None

    def entry(self, data: bytes, signature: bytes) -> None:
        """Check an entry in the order of section 11 and append it."""
        body = shapes.body(data)
        by = integer(body["by"], 0, 1)
        try:
            if self.complete():
                self._after_the_end(by, body, data, signature)
            self._chain(by, body, data, signature)
            self._statements(by, body)
        except Cheat as cheat:
            cheat.seat = by
            raise
        self.append(by, data)

    def _after_the_end(self, by: int, body: Map, data: bytes, signature: bytes) -> None:
        """Only another entry for an old place can come, when the match was told again (6.4)."""
        if integer(body["n"], 0, 2**32 - 1) < len(self.bodies):
            with suppress(Refusal):
                self._chain(by, body, data, signature)
        raise Refusal("unexpected", "an entry after the transcript is complete")

    def append(self, by: int, data: bytes) -> None:
        """Make this body, whose statements have been said, the last entry."""
        self.bodies.append(data)
        self.chain.append(entry_hash(self.match, data))
        self.authors.append(by)
        self.dues.append(self.due())
        self.torn = False

    def _chain(self, by: int, body: Map, data: bytes, signature: bytes) -> None:
        """What is checked of an entry before its statements."""
        if not signature_holds(self.keys[by], signature, entry_frame(self.match, data)):
            raise Refusal("bad-signature", f"an entry in the name of seat {by}")
        count = len(self.bodies)
        n = integer(body["n"], 0, 2**32 - 1)
        if by in self.conceded and n >= self.conceded[by][1] and not _only_opens(body):
            raise Cheat("acted-after-conceding")
        if n < count and self.authors[n] == by and self.bodies[n] != data:
            raise Cheat("two-entries", number=n)
        if body["prev"] != self.head:
            if n == count == 0:
                raise Cheat("other-match")
            if n == count and self.authors[-1] == by:
                raise Cheat("wrong-previous")
            raise Refusal("broken-chain", f"entry {n} of seat {by} after {count} entries")
        if n != count:
            raise Cheat("wrong-sequence", f"{n} instead of {count}")

    def _statements(self, by: int, body: Map) -> None:
        say = [shapes.submap(item) for item in array(body["say"], 1, 8)]
        self.torn = True
        # Such an entry rests on a concession, and whether there was one the chain does not tell.
        rests = say[0]["t"] == "open" and not self._ended_by_itself()
        if rests:
            self.settle()
            if self.due() != ("open", by):
                raise Refusal("broken-chain", f"an open of seat {by} that is not due")
            if body["state"] != state_bytes.state_digest(self.game):
                raise Refusal("broken-chain", f"seat {by} accepts another concession")
        for statement in say:
            self.say(by, statement)
        if body["state"] != state_bytes.state_digest(self.game):
            raise Cheat("wrong-digest")

    def concede(self, by: int, head: bytes, reason: str, signature: bytes) -> None:
        """Take up a concession; it counts from the first `open`, or at the end (section 10)."""
        if self.complete():
            # Told when the match was told again (6.4): it means nothing, but it can convict.
            with suppress(Refusal):
                self._concession(by, head, reason, signature)
            raise Refusal("unexpected", "a concession after the transcript is complete")
        self.conceded[by] = (reason, self._concession(by, head, reason, signature))

    def _concession(self, by: int, head: bytes, reason: str, signature: bytes) -> int:
        """Check a concession; the number of entries at its head."""
        if by in self.conceded:
            raise Refusal("unexpected", "a second concession of the same seat")
        if not signature_holds(
            self.keys[by], signature, concede_frame(self.match, by, head, reason)
        ):
            raise Refusal("bad-signature", f"a concession in the name of seat {by}")
        if head not in self.chain:
            raise Refusal("broken-chain", f"a concession of seat {by} with an unknown head")
        place = self.chain.index(head)
        if place < COMMITS:
            raise Refusal("unexpected", "a concession with a head before both have committed")
        for author, data in zip(self.authors[place:], self.bodies[place:], strict=True):
            if author == by and not _only_opens(shapes.body(data)):
                raise Cheat("acted-after-conceding", "a concession with an early head", by)
        return place

    def claim(self, by: int, head: bytes, signature: bytes) -> None:
        """Take up a claim; whether it counts shows at the end (section 10)."""
        if self.complete() or by in self.claims:
            raise Refusal("unexpected", f"a claim of seat {by}")
        if not signature_holds(self.keys[by], signature, claim_frame(self.match, by, head)):
            raise Refusal("bad-signature", f"a claim in the name of seat {by}")
        if head not in self.chain:
            raise Refusal("broken-chain", f"a claim of seat {by} with an unknown head")
        place = self.chain.index(head)
        due = self.dues[place]
        if place < COMMITS or due is None or due[1] == by:
            raise Refusal("unexpected", f"a claim of seat {by} where nothing is due from the other")
        self.claims[by] = place

    def claimer(self) -> int | None:
        """The seat whose claim ends the match; ask only after concessions are settled."""
        if self.game.phase == Phase.OVER:
            due = self.due()
            loser_owes = due is not None and self.game.winner == 1 - due[1]
            if not self._ended_by_itself() or due is None or loser_owes:
                return None
        latest = None
        for by, place in self.claims.items():
            spoke = by in self.authors[place:]
            if not spoke and (latest is None or place > self.claims[latest]):
                latest = by
        return latest

    def settle(self) -> None:
        """Let a concession end the match, if the match has not ended by itself."""
        if self.conceded and self.game.phase != Phase.OVER:
            seat = min(self.conceded)  # of two that cross, the joiner's is void
            self.game.concede(seat, self.conceded[seat][0])

    def _ended_by_itself(self) -> bool:
        """Whether the match is over by its last set, and not by a concession."""
        return TERMINATIONS[self.game.termination] in ("normal", "cap")

    def say(self, by: int, statement: Map) -> None:
        """Check one statement in the order of section 11 and apply it."""
        due = self.due()
        self.author = by
        kind = str(statement["t"])
        if kind in ("play", "end", "stand", "lay", "pass"):
            self._act(by, kind, statement, due)
            return
        if due is None or due[1] != by:
            raise Cheat("without-floor", kind)
        if due[0] != kind:
            raise Cheat("wrong-statement", f"{kind} instead of {due[0]}")
        if kind == "commit":
            self._commit(by, statement)
        elif kind == "reveal":
            self._reveal(by, statement)
        else:
            self._open(by, statement)

    def _act(self, by: int, kind: str, statement: Map, due: tuple[str, int] | None) -> None:
        game = self.game
        side = game.sides[by]
        if due != ("act", by):
            if side.stands:
                raise Cheat("at-twenty" if side.total == 20 else "after-standing", kind)
            raise Cheat("out-of-turn", kind)
        if kind not in ACTS[game.phase]:
            raise Cheat("wrong-statement", kind)
        if kind == "end":
            game.end()
        elif kind == "stand":
            game.stand()
        elif kind == "pass":
            game.keep()
        elif kind == "lay":
            at = self._card(by, statement, "+-1T")
            game.lay(at, TIEBREAKER)
        else:
            if game.played:
                raise Cheat("two-cards")
            card = shapes.card(statement["card"])
            at = self._card(by, statement, card)
            number = NUMBER[card]
            if needs_gold(number, game.rules):
                raise Cheat("card-not-allowed", card)
            value = integer(statement["value"], -10, 10)
            if value not in values(number, side.table[-1][1]):
                raise Cheat("impossible-value", f"{card} as {value}")
            game.play(at, number, value)

    def _card(self, by: int, statement: Map, card: str) -> int:
        """The position of a hand card that is really this card and still unplayed."""
        at = integer(statement["at"], 0, 9)
        shown = {position: number for position, number in self.game.sides[by].hand}
        if at not in shown:
            raise Cheat("card-not-dealt", f"position {at}")
        if shown[at]:
            raise Cheat("card-played-twice", f"position {at}")
        salt = binary(statement["salt"], 32)
        if card_commitment(self.match, by, at, salt, card) != self.cards[by][at]:
            raise Cheat("card-does-not-open", f"{card} at {at}")
        return at

    def _promise(self, by: int, commitments: list[bytes]) -> None:
        other = [*self.cards[1 - by], self.next[1 - by]]
        if not set(other).isdisjoint(commitments):
            raise Cheat("copied-commitment")

    def _commit(self, by: int, statement: Map) -> None:
        cards = [binary(item, 32) for item in array(statement["cards"], 10, 10)]
        following = binary(statement["next"], 32)
        self._promise(by, [*cards, following])
        self.cards[by] = cards
        self.next[by] = following

    def _reveal(self, by: int, statement: Map) -> None:
        share = binary(statement["share"], 32)
        if share == self.shares[1 - by]:
            raise Cheat("copied-share")
        if share_commitment(self.match, by, self.k, share) != self.next[by]:
            raise Cheat("wrong-share")
        following = binary(statement["next"], 32)
        self._promise(by, [following])
        self.next[by] = following
        self.shares[by] = share
        host, join = self.shares
        if host is not None and join is not None:
            self._decide(lot(self.match, self.k, host, join))
            self.shares = [None, None]
            self.k += 1

    def _decide(self, decision: bytes) -> None:
        """Let a lot decide what the phase asks for (section 7)."""
        game = self.game
        if game.phase == Phase.DEAL:
            game.deal([lots.hand(decision, seat) for seat in (0, 1)])
        elif game.phase == Phase.OPENING:
            seat = lots.opening(decision)
            if seat is not None:
                game.open_set(seat)
        elif game.phase == Phase.OPENER:
            game.open_set(lots.opener(decision))
        else:
            game.draw(lots.draw(decision, game.deck))

    def _open(self, by: int, statement: Map) -> None:
        deck = [shapes.card(item) for item in array(statement["deck"], 10, 10)]
        salts = [binary(item, 32) for item in array(statement["salts"], 10, 10)]
        found = [
            card_commitment(self.match, by, position, salt, card)
            for position, (salt, card) in enumerate(zip(salts, deck, strict=True))
        ]
        if found != self.cards[by]:
            raise Cheat("deck-does-not-open")
        rules = self.game.rules
        if not deck_is_legal(deck, rules.copies == "limited", rules.gold):
            raise Cheat("illegal-deck")
        self.opened[by] = True


def _only_opens(body: Map) -> bool:
    """Whether an entry says nothing but `open`."""
    return all(shapes.submap(item)["t"] == "open" for item in array(body["say"], 1, 8))
