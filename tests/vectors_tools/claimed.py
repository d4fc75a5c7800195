"""More of ``records.json``: matches that were claimed, since the other side did not come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from pazaak_p2p.arena.seeds import load_seed
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.rules import Seat
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.messages import RulesMap
from pazaak_p2p.wire.terms import claim_frame
from tests.vectors_tools.match_refusals import Case
from tests.vectors_tools.matches import SEEDS
from tests.vectors_tools.records import Record, Vector, load, vector
from tests.vectors_tools.resumed import NAME as RESUMED
from tests.vectors_tools.resumed import RULES, SEATED, Second, entries, kept, match, played
from tests.vectors_tools.session import Who

NAME: Final = "minus-card-saves"


def claimed() -> Iterator[Vector]:
    """Of a match that was broken off where something is due from the joiner."""
    whole = load(NAME)
    dues = [Seat(by) for by in _due(whole)]
    at = next(n for n in range(4, len(dues)) if dues[n] is Seat.JOIN and dues[n + 1] is Seat.HOST)
    said = whole.messages[: 2 + at]
    more = whole.messages[: 3 + at]
    claim, later = _claim(whole, 0, at), _claim(whole, 1, at + 1)
    end = replace(whole.end, termination="abandoned", winner=0, opened=(False, False), code="claim")
    forged = claim[:-1] + bytes([claim[-1] ^ 1])
    for name, what, messages_, count, end_, claimer, refused, contradicted in (
        (
            "a claim",
            "The joiner did not come back; the host has won, by its word.",
            [*said, claim],
            at,
            end,
            0,
            None,
            False,
        ),
        ("a claim and no end map", "The same.", [*said, claim], at, None, 0, None, False),
        (
            "a claim and another end",
            "The end map tells of no claim.",
            [*said, claim],
            at,
            replace(end, winner=None, code="closed"),
            0,
            None,
            True,
        ),
        (
            "an end by a claim that is missing",
            "Only the end map tells of a claim.",
            said,
            at,
            end,
            None,
            None,
            True,
        ),
        (
            "a claim that was crossed",
            "The joiner had said what was due, but stayed away with it.",
            [*more, claim],
            at + 1,
            end,
            0,
            None,
            False,
        ),
        (
            "two claims",
            "Each misses the other. That of the later head counts.",
            [*more, claim, later],
            at + 1,
            replace(end, winner=1),
            1,
            None,
            False,
        ),
        (
            "a claim taken back",
            "The host has played on after it, and the claim is void.",
            [*said, claim, *whole.messages[2 + at : 4 + at]],
            at + 2,
            None,
            None,
            None,
            False,
        ),
        (
            "a claim of one's own turn",
            "Nothing is due from the other seat there.",
            [*said, _claim(whole, 1, at)],
            at,
            None,
            None,
            "unexpected",
            False,
        ),
        (
            "a claim before the commits",
            "There is no match yet that could be won.",
            [*whole.messages[:2], _claim(whole, 1, 0)],
            0,
            None,
            None,
            "unexpected",
            False,
        ),
        (
            "a claim twice",
            "One claim of each seat is all that can be.",
            [*said, claim, claim],
            at,
            None,
            0,
            "unexpected",
            False,
        ),
        (
            "a claim that names no head",
            "What it names is not in this transcript.",
            [*said, _claim(whole, 0, at + 1)],
            at,
            None,
            None,
            "broken-chain",
            False,
        ),
        (
            "a forged claim",
            "Its maker has not signed it.",
            [*said, forged],
            at,
            None,
            None,
            "bad-signature",
            False,
        ),
    ):
        yield vector(
            name,
            what,
            whole.pack(messages_, end=False) + (b"" if end_ is None else encode(end_)),
            whole,
            count,
            claim=claimer,
            refused=refused,
            contradicted=contradicted,
        )
    over = whole.messages[:-1]
    yield vector(
        "a claim of what is decided",
        "Only the loser's open is missing, on which nothing rests. The claim is void.",
        whole.pack([*over, _claim(whole, 0, len(over) - 2)], end=False),
        whole,
        len(over) - 2,
        result=("normal", 0),
        opened=(True, False),
    )


def _due(record: Record) -> list[int]:
    """Whose entry came after 0, 1, 2 .. entries."""
    return [read_body(entry.body).by for entry in record.entries()]


def _claim(record: Record, seat: int, n: int) -> bytes:
    head = bytes.fromhex(record.head(n))
    signed = claim_frame(record.match_id, Seat(seat), head)
    return encode(messages.Claim(seat, head, _key(NAME, seat).sign(signed)))


def _key(name: str, seat: int) -> Ed25519PrivateKey:
    seeded = load_seed(SEEDS / name)
    text = (seeded.host, seeded.join)[seat].seed
    return Ed25519PrivateKey.from_private_bytes(SeedSecrets(text, Seat(seat)).identity())


def claims_told() -> Iterator[Case]:
    """The host, away for a while, wants to go on; the joiner has claimed the match."""
    host, join = played((17, 18))
    said = entries(host)
    authors = [read_body(entry.body).by for entry in said]
    at = next(n for n in range(4, len(said)) if authors[n] == 0 and authors[n + 1] == 1)
    before, after = kept(host, at), kept(host, at + 1)
    match_id, heads = match(after)
    key = Who("", SeedSecrets(RESUMED, Seat.JOIN).identity(), b"", "").signer()

    def claim(n: int, by: Seat = Seat.JOIN) -> messages.Claim:
        signed = claim_frame(match_id, by, heads[n])
        return messages.Claim(by, heads[n], key.sign(signed))

    wish = messages.Resume(match_id, at, heads[at], [])
    bye = messages.Bye(messages.ByeReason.DONE, "")
    forged = messages.Claim(Seat.JOIN, heads[at], bytes(64))
    offer = messages.Offer(RulesMap.of(RULES), bytes(32))
    whole = kept(host, len(said) - 1)
    for name, code, what, record, away, told in (
        (
            "heard",
            None,
            "The host was away for long enough; the joiner has won.",
            before,
            270.0,
            [claim(at), wish, bye],
        ),
        (
            "crossed",
            None,
            "The host had said what was due, but stayed away with it.",
            after,
            400.0,
            [claim(at), wish, bye],
        ),
        (
            "of what is decided",
            None,
            "The host has won and opened: the claim is void.",
            whole,
            400.0,
            [claim(at), wish, bye],
        ),
        (
            "early",
            "early-claim",
            "By its clock the host was away for 269 seconds.",
            before,
            269.0,
            [claim(at), wish],
        ),
        ("forged", "bad-signature", "Its maker has not signed it.", before, 400.0, [forged, wish]),
        (
            "at a head that is nowhere",
            "broken-chain",
            "It names what is in no transcript.",
            before,
            400.0,
            [claim(at + 1), wish],
        ),
        (
            "of its own turn",
            "unexpected",
            "Nothing is due from the host there.",
            after,
            400.0,
            [claim(at + 1), messages.Resume(match_id, at + 1, heads[at + 1], [])],
        ),
        (
            "before the commits",
            "unexpected",
            "There is no match yet that could be won.",
            before,
            400.0,
            [claim(0), wish],
        ),
        (
            "in our name",
            "reflected",
            "The joiner claims in the host's name.",
            before,
            400.0,
            [claim(at, Seat.HOST), wish],
        ),
        (
            "twice",
            "unexpected",
            "One claim goes before a resume.",
            before,
            400.0,
            [claim(at), claim(at), wish],
        ),
        (
            "after the resume",
            "unexpected",
            "It must be heard before anything is said.",
            before,
            400.0,
            [wish, claim(at)],
        ),
        (
            "without a resume",
            "unexpected",
            "It does not say what match it is of.",
            before,
            400.0,
            [claim(at), offer],
        ),
    ):
        second = Second((record, join)).run()
        session = second.against(Seat.HOST)
        secret = second.secrets[Seat.HOST].match_secret(0)
        session.resume("listener", record, secret, SEATED[Seat.HOST], away)
        session.send("listener")
        session.forge("dialler", b"".join(encode(message) for message in told))
        session.send("listener")
        yield f"a claim {name}", code, what, session
