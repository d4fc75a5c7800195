"""``primitives.json``: every hash, lot, derivation and signature by itself."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p import fairness
from pazaak_p2p.fairness import MatchSecret, SeedSecrets, digest, frame, lots
from pazaak_p2p.rules import CARDS, Rules, Seat
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.messages import Accept, ConcedeReason, Hello, Offer, RulesMap
from pazaak_p2p.wire.terms import concession_frame, entry_frame

Vector = dict[str, Any]


def example(name: str) -> bytes:
    """32 bytes that look like nothing, the same every time."""
    return digest("vectors", name.encode())


MATCH_ID = example("match id")


def primitives() -> dict[str, list[Vector]]:
    """All of them, by kind."""
    return {
        "frame": _frames(),
        "share_commitment": _share_commitments(),
        "card_commitment": _card_commitments(),
        "lot": _lots(),
        "deal": _deals(),
        "opening": _openings(),
        "opener": _openers(),
        "draw": _draws(),
        "match_secret": _match_secrets(),
        "seed_secret": _seed_secrets(),
        "key": _keys(),
        "small_order_key": _small_order(),
        "session_id": _session_ids(),
        "match_id": _match_ids(),
        "entry": _entries(),
        "concede": _concessions(),
        "signature": _signatures(),
    }


def _frames() -> list[Vector]:
    cases: list[tuple[str, list[bytes]]] = [
        ("share", []),
        ("share", [b""]),
        ("share", [b"", b""]),
        ("lot", [b"a", b"bc"]),
        ("lot", [b"ab", b"c"]),
        ("session", [bytes(range(256)), bytes(300)]),
        ("state", [example("part")]),
    ]
    return [
        {
            "tag": tag,
            "parts": [part.hex() for part in parts],
            "frame": frame(tag, *parts).hex(),
            "hash": digest(tag, *parts).hex(),
        }
        for tag, parts in cases
    ]


def _share_commitments() -> list[Vector]:
    cases = [(0, 0), (1, 0), (0, 1), (1, 255), (0, 256), (1, 2**32 - 1)]
    share = example("share")
    return [
        {
            "match_id": MATCH_ID.hex(),
            "seat": seat,
            "k": k,
            "share": share.hex(),
            "commitment": fairness.share_commitment(MATCH_ID, seat, k, share).hex(),
        }
        for seat, k in cases
    ]


def _card_commitments() -> list[Vector]:
    salt = example("salt")
    return [
        {
            "match_id": MATCH_ID.hex(),
            "seat": card.number % 2,
            "position": card.number % 10,
            "salt": salt.hex(),
            "card": card.ascii,
            "commitment": fairness.card_commitment(
                MATCH_ID, card.number % 2, card.number % 10, salt, card.ascii.encode()
            ).hex(),
        }
        for card in CARDS
    ]


def _lots() -> list[Vector]:
    host, join = example("host's share"), example("join's share")
    return [
        {
            "match_id": MATCH_ID.hex(),
            "k": k,
            "host": host.hex(),
            "join": join.hex(),
            "lot": fairness.lot(MATCH_ID, k, host, join).hex(),
        }
        for k in (0, 1, 258, 2**32 - 1)
    ]


def _some_lots(what: str, count: int) -> list[bytes]:
    return [example(f"{what} {i}") for i in range(count)]


def _deals() -> list[Vector]:
    vectors = []
    for lot in _some_lots("deal", 6):
        host, join = fairness.deal(lot)
        vectors.append({"lot": lot.hex(), "host": list(host), "join": list(join)})
    return vectors


def _openings() -> list[Vector]:
    # Among them one of equal ranks, and one where the joiner's card lies behind the host's.
    vectors: list[Vector] = []
    for lot in _some_lots("opening", 60):
        host, join = fairness.opening(lot)
        if len(vectors) < 6 or (host == join and not any(v["again"] for v in vectors)):
            again = host == join
            vectors.append({"lot": lot.hex(), "host": host, "join": join, "again": again})
    return vectors


def _openers() -> list[Vector]:
    return [{"lot": lot.hex(), "seat": fairness.first_move(lot)} for lot in _some_lots("opener", 4)]


def _draws() -> list[Vector]:
    full = lots.FULL_DECK
    decks = [full, full[1:], full[:-1], full[::2], bytes([7]), bytes([1, 10]), full[5:27]]
    vectors: list[Vector] = []
    for i, deck in enumerate(decks):
        counts = [deck.count(rank) for rank in range(1, 11)]
        vectors += [
            {"lot": lot.hex(), "deck": counts, "rank": fairness.draw(lot, deck)}
            for lot in (*_some_lots(f"draw {i}", 2), bytes(32), b"\xff" * 32)
        ]
    return vectors


def _match_secrets() -> list[Vector]:
    vectors = []
    for seat in (0, 1):
        secret = example(f"match secret {seat}")
        derived = MatchSecret(secret, MATCH_ID, seat)
        vectors.append(
            {
                "secret": secret.hex(),
                "match_id": MATCH_ID.hex(),
                "seat": seat,
                "shares": [[k, derived.share(k).hex()] for k in (0, 1, 2, 300, 2**32 - 1)],
                "salts": [derived.salt(position).hex() for position in range(10)],
                "order": list(derived.order(10)),
            }
        )
    return vectors


def _seed_secrets() -> list[Vector]:
    vectors = []
    for text, seat in (("pazaak", 0), ("pazaak", 1), ("±1T, λ, 🂡", 0)):
        seed = SeedSecrets(text, seat)
        vectors.append(
            {
                "text": text,
                "seat": seat,
                "identity": seed.identity().hex(),
                "hello": [seed.hello(n).hex() for n in (0, 1)],
                "nonce": [seed.nonce(m).hex() for m in (0, 1)],
                "match": [seed.match_secret(m).hex() for m in (0, 1)],
                "bot": [seed.bot(m).hex() for m in (0, 1)],
            }
        )
    return vectors


def _private(name: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(example(name))


def _public(name: str) -> bytes:
    return _private(name).public_key().public_bytes_raw()


def _keys() -> list[Vector]:
    return [
        {"private": example(name).hex(), "public": _public(name).hex()}
        for name in ("host's key", "join's key")
    ]


_SMALL = (
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
)


def _small_order() -> list[Vector]:
    keys = [bytes.fromhex(text) for text in _SMALL]
    keys += [key[:-1] + bytes([key[-1] | 0x80]) for key in keys]
    keys += [_public("host's key"), bytes([2]) + bytes(31), b"\xff" * 31 + b"\x7f"]
    return [{"key": key.hex(), "refused": fairness.is_weak(key)} for key in keys]


def _session_ids() -> list[Vector]:
    hellos = [
        encode(
            Hello(
                [1],
                name.title(),
                _public(f"{name}'s key"),
                example(f"{name}'s nonce"),
                "v",
                [],
                None,
            )
        )
        for name in ("host", "join")
    ]
    session_id = digest("session", *hellos)
    signed = {role: frame("proof", session_id, role.encode()) for role in ("listener", "dialler")}
    return [
        {
            "listener_hello": hellos[0].hex(),
            "dialler_hello": hellos[1].hex(),
            "session_id": session_id.hex(),
            "listener_signs": signed["listener"].hex(),
            "listener_signature": _private("host's key").sign(signed["listener"]).hex(),
            "dialler_signs": signed["dialler"].hex(),
            "dialler_signature": _private("join's key").sign(signed["dialler"]).hex(),
        }
    ]


def _match_ids() -> list[Vector]:
    vectors = []
    for rules in (Rules(), Rules(gold=False, sets=1, max_sets=99, turn_seconds=60)):
        offer = encode(Offer(RulesMap.of(rules), example("offer nonce")))
        accept = encode(Accept(example("accept nonce")))
        host, join = _public("host's key"), _public("join's key")
        vectors.append(
            {
                "host_key": host.hex(),
                "join_key": join.hex(),
                "offer": offer.hex(),
                "accept": accept.hex(),
                "match_id": digest("match", host, join, offer, accept).hex(),
            }
        )
    return vectors


def _entries() -> list[Vector]:
    body = b"\x85 any bytes: what is hashed is exactly what was sent"
    signed = entry_frame(MATCH_ID, body)
    return [
        {
            "match_id": MATCH_ID.hex(),
            "body": body.hex(),
            "signs": signed.hex(),
            "private": example("host's key").hex(),
            "signature": _private("host's key").sign(signed).hex(),
            "hash": digest("entry", MATCH_ID, body).hex(),
        }
    ]


def _concessions() -> list[Vector]:
    vectors = []
    for seat in Seat:
        for reason in ConcedeReason:
            head = example("head")
            signed = concession_frame(MATCH_ID, seat, head, reason)
            name = f"{seat}'s key"
            vectors.append(
                {
                    "match_id": MATCH_ID.hex(),
                    "seat": int(seat),
                    "head": head.hex(),
                    "reason": reason.value,
                    "signs": signed.hex(),
                    "private": example(name).hex(),
                    "signature": _private(name).sign(signed).hex(),
                }
            )
    return vectors


# R has a part of small order: it verifies only for those who multiply by the cofactor.
_COFACTOR_ONLY = bytes.fromhex(
    "9a9510aa74ab72a2ed913b8212bf7994cefc2811fc6e525796d4a51c5f36887a"
    "14e451a9885525d2e04cfe64ec884c17310aeeaee07388385165c4790767960b"
)
_ORDER = 2**252 + 27742317777372353535851937790883648493


def _signatures() -> list[Vector]:
    """What must verify and what must not: strictly, and without the cofactor."""
    signed = frame("entry", MATCH_ID, b"body")
    good = _private("host's key").sign(signed)
    s = int.from_bytes(good[32:], "little")
    cases = [
        ("valid", "host's key", good, True),
        ("another key", "join's key", good, False),
        ("one bit of R", "host's key", bytes([good[0] ^ 1]) + good[1:], False),
        ("one bit of S", "host's key", good[:32] + bytes([good[32] ^ 1]) + good[33:], False),
        ("S + L", "host's key", good[:32] + (s + _ORDER).to_bytes(32, "little"), False),
        ("only with the cofactor", "host's key", _COFACTOR_ONLY, False),
        ("all zero", "host's key", bytes(64), False),
    ]
    return [
        {
            "name": name,
            "key": _public(key).hex(),
            "signed": signed.hex(),
            "signature": signature.hex(),
            "valid": valid,
        }
        for name, key, signature, valid in cases
    ]
