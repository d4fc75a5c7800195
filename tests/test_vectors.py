"""The vectors in ``protocol/vectors/``, held against the package and the second verifier."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pazaak_p2p import fairness
from pazaak_p2p.fairness import MatchSecret, SeedSecrets, digest, frame
from pazaak_p2p.net.code_words import WORDS, NoCode, read_code
from pazaak_p2p.rules import CARDS, Phase, Seat, apply, new_match
from pazaak_p2p.wire import Role, cheats, claims, errors, messages
from pazaak_p2p.wire.codec import MAX_MESSAGE, Reader, encode, read_body
from pazaak_p2p.wire.pake import CodeExchange
from pazaak_p2p.wire.terms import agree
from pazaak_p2p.wire.transcript import Transcript
from tests import spake
from tests.vectors_tools.make_schema import SCHEMA_FILE
from tests.vectors_tools.make_vectors import VECTORS, files
from tests.vectors_tools.matches import FROM_SEEDS, SEEDS
from tests.vectors_tools.replay import replay
from tests.vectors_tools.shown import read_input, read_rules, show_state, shown, state_vector
from tests.verifier import verify

Vector = dict[str, Any]


def load(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def named(vectors: list[Vector]) -> list[Any]:
    """Parameters with the vectors' own names."""
    names = [vector["name"] for vector in vectors]
    assert len(set(names)) == len(names)
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


PRIMITIVES = load("primitives")
MESSAGES = load("messages")
MATCH_FILES = sorted((VECTORS / "matches").glob("*.json"))
MATCHES = [load(f"matches/{path.stem}") for path in MATCH_FILES]
CHEATS = load("cheats")["vectors"]
REFUSALS = load("refusals")["vectors"]
RECORDS = load("records")["vectors"]
RESUMED = load("resumed")["vectors"]


def unhex(text: str) -> bytes:
    return bytes.fromhex(text)


def each(kind: str) -> Iterator[Vector]:
    assert PRIMITIVES[kind]
    yield from PRIMITIVES[kind]


# --- the files


def test_the_files_are_what_the_generator_gives() -> None:
    wanted = files()
    assert {SCHEMA_FILE, *VECTORS.rglob("*.json")} == set(wanted)
    stale = [path.name for path, text in wanted.items() if path.read_text("utf-8") != text]
    assert stale == [], "run: python -m tests.vectors_tools"


# --- primitives


def test_frames_and_hashes() -> None:
    for v in each("frame"):
        parts = [unhex(part) for part in v["parts"]]
        assert frame(v["tag"], *parts) == unhex(v["frame"])
        assert digest(v["tag"], *parts) == unhex(v["hash"])


def test_commitments() -> None:
    for v in each("share_commitment"):
        made = fairness.share_commitment(unhex(v["match_id"]), v["seat"], v["k"], unhex(v["share"]))
        assert made == unhex(v["commitment"])
    seen = set()
    for v in each("card_commitment"):
        made = fairness.card_commitment(
            unhex(v["match_id"]), v["seat"], v["position"], unhex(v["salt"]), v["card"].encode()
        )
        assert made == unhex(v["commitment"])
        seen.add(v["card"])
    assert seen == {card.ascii for card in CARDS}


def test_lots_and_what_they_decide() -> None:
    for v in each("lot"):
        made = fairness.lot(unhex(v["match_id"]), v["k"], unhex(v["host"]), unhex(v["join"]))
        assert made == unhex(v["lot"])
    for v in each("deal"):
        assert fairness.deal(unhex(v["lot"])) == (tuple(v["host"]), tuple(v["join"]))
    for v in each("opening"):
        assert fairness.opening(unhex(v["lot"])) == (v["host"], v["join"])
        assert v["again"] == (v["host"] == v["join"])
    assert any(v["again"] for v in each("opening"))
    for v in each("opener"):
        assert fairness.first_move(unhex(v["lot"])) == v["seat"]
    for v in each("draw"):
        deck = bytes(rank for rank, n in enumerate(v["deck"], start=1) for _ in range(n))
        assert fairness.draw(unhex(v["lot"]), deck) == v["rank"]


def test_derived_secrets() -> None:
    for v in each("match_secret"):
        secret = MatchSecret(unhex(v["secret"]), unhex(v["match_id"]), v["seat"])
        assert [[k, secret.share(k).hex()] for k, _ in v["shares"]] == v["shares"]
        assert [secret.salt(position).hex() for position in range(10)] == v["salts"]
        assert list(secret.order(10)) == v["order"]
    for v in each("seed_secret"):
        seed = SeedSecrets(v["text"], v["seat"])
        assert seed.identity().hex() == v["identity"]
        assert [seed.hello(n).hex() for n in (0, 1)] == v["hello"]
        assert [seed.nonce(m).hex() for m in (0, 1)] == v["nonce"]
        assert [seed.match_secret(m).hex() for m in (0, 1)] == v["match"]
        assert [seed.bot(m).hex() for m in (0, 1)] == v["bot"]


def private(text: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(unhex(text))


def test_keys_and_signatures() -> None:
    for v in each("key"):
        assert private(v["private"]).public_key().public_bytes_raw() == unhex(v["public"])
    for v in each("small_order_key"):
        assert fairness.is_weak(unhex(v["key"])) is v["refused"]
    for v in each("signature"):
        key = Ed25519PublicKey.from_public_bytes(unhex(v["key"]))
        try:
            key.verify(unhex(v["signature"]), unhex(v["signed"]))
        except InvalidSignature:
            assert not v["valid"], v["name"]
        else:
            assert v["valid"], v["name"]
    for v in each("entry"):
        match_id, body = unhex(v["match_id"]), unhex(v["body"])
        assert frame("entry", match_id, body) == unhex(v["signs"])
        assert digest("entry", match_id, body) == unhex(v["hash"])
        assert private(v["private"]).sign(unhex(v["signs"])) == unhex(v["signature"])
    for v in each("concede"):
        parts = unhex(v["match_id"]), bytes([v["seat"]]), unhex(v["head"]), v["reason"].encode()
        assert frame("concede", *parts) == unhex(v["signs"])
        assert private(v["private"]).sign(unhex(v["signs"])) == unhex(v["signature"])


def test_session_and_match_ids() -> None:
    for v in each("session_id"):
        hellos = unhex(v["listener_hello"]), unhex(v["dialler_hello"])
        session_id = digest("session", *hellos)
        assert session_id == unhex(v["session_id"])
        for role, hello in zip(("listener", "dialler"), hellos, strict=True):
            assert frame("proof", session_id, role.encode()) == unhex(v[f"{role}_signs"])
            ((said, _),) = read_stream(hello)
            assert isinstance(said, messages.Hello)
            key = Ed25519PublicKey.from_public_bytes(said.key)
            key.verify(unhex(v[f"{role}_signature"]), unhex(v[f"{role}_signs"]))
    for v in each("match_id"):
        parts = (unhex(v[name]) for name in ("host_key", "join_key", "offer", "accept"))
        assert digest("match", *parts) == unhex(v["match_id"])


# --- join codes

CODES = load("codes")


def test_words_and_typed_codes() -> None:
    assert CODES["words"] == list(WORDS)
    for v in CODES["typed"]:
        if v["code"] is None:
            with pytest.raises(NoCode):
                read_code(v["typed"])
        else:
            assert read_code(v["typed"]) == v["code"]


def test_code_exchanges_by_the_package_and_by_the_specification_alone() -> None:
    for v in CODES["exchanges"]:
        session_id, code = unhex(v["session_id"]), v["code"]
        assert spake.password(code) == int(v["w"], 16)
        for role in Role:
            secret = unhex(v[f"{role.value}_secret"])
            theirs = unhex(v[f"{role.other.value}_m"])
            ours = CodeExchange(role, code, secret, session_id)
            plain = spake.Side(role.value, code, secret, session_id)
            assert ours.element == plain.element == unhex(v[f"{role.value}_m"])
            ours.take_element(theirs)
            key = plain.key(theirs)
            assert key == unhex(v["k"])
            mac = unhex(v[f"{role.value}_mac"])
            assert ours.confirm() == plain.mac(key, role.value) == mac
            ours.take_confirm(plain.mac(key, role.other.value))
            ours.judge()
            assert ours.agreed


@pytest.mark.parametrize("vector", named(CODES["elements"]))
def test_element_of_a_code(vector: Vector) -> None:
    (first, *_) = CODES["exchanges"]
    secret, session_id = unhex(first["listener_secret"]), unhex(first["session_id"])
    side = CodeExchange(Role.LISTENER, first["code"], secret, session_id)
    if vector["code"] is None:
        side.take_element(unhex(vector["m"]))
        return
    with pytest.raises(errors.Refusal) as caught:
        side.take_element(unhex(vector["m"]))
    assert caught.value.code == vector["code"]


@pytest.mark.parametrize("piece", [1 << 20, 7, 1])
@pytest.mark.parametrize("vector", named(CODES["sessions"]))
def test_greeting_with_a_code(vector: Vector, piece: int) -> None:
    check_session(vector, piece)
    said = [step["says"] for step in vector["steps"] if step["step"] == "send"]
    assert said == [
        ["hello"],
        ["hello", "pake"],
        ["pake"],
        ["confirm"],
        ["confirm", "proof"],
        ["proof"],
    ]


# --- states


@pytest.mark.parametrize("vector", named(load("states")["vectors"]))
def test_state_bytes_and_digest(vector: Vector) -> None:
    assert digest("state", unhex(vector["bytes"])) == unhex(vector["digest"])
    if vector["inputs"] is None:
        return
    state = new_match(read_rules(vector["rules"]))
    for input_ in vector["inputs"]:
        state = apply(state, read_input(input_))
    assert show_state(state) == vector["state"]
    assert state_vector(state) == {"bytes": vector["bytes"], "digest": vector["digest"]}


def test_states_of_every_phase_are_there() -> None:
    phases = {vector["state"]["phase"] for vector in load("states")["vectors"]}
    assert phases == {phase.name.lower() for phase in Phase}


# --- messages, bodies, record objects


def read_stream(data: bytes) -> list[tuple[messages.Message, bytes]]:
    reader = Reader()
    found = []
    for start in range(0, len(data), MAX_MESSAGE):
        reader.feed(data[start : start + MAX_MESSAGE])
        found += list(reader)
    return found


def unpieced(data: str | list[Any]) -> bytes:
    if isinstance(data, str):
        return unhex(data)
    return b"".join(
        unhex(piece) if isinstance(piece, str) else unhex(piece["hex"]) * piece["times"]
        for piece in data
    )


def schema_of(name: str) -> Any:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})


def test_valid_messages() -> None:
    schema = schema_of("message")
    for vector in MESSAGES["messages"]["valid"]:
        data = unhex(vector["bytes"])
        ((message, exact),) = read_stream(data)
        assert shown(message) == vector["value"], vector["name"]
        assert exact == data == encode(message)
        schema.validate(vector["value"])
        for other in vector["also"].values():
            assert read_stream(unhex(other)) == [(message, unhex(other))]


def test_valid_messages_one_after_the_other_byte_by_byte() -> None:
    whole = [unhex(vector["bytes"]) for vector in MESSAGES["messages"]["valid"]]
    reader = Reader()
    found = []
    for byte in b"".join(whole):
        reader.feed(bytes([byte]))
        found += [exact for _, exact in reader]
    assert found == whole


@pytest.mark.parametrize("vector", named(MESSAGES["messages"]["invalid"]))
def test_invalid_message_is_refused(vector: Vector) -> None:
    with pytest.raises(errors.Refusal) as caught:
        read_stream(unpieced(vector["bytes"]))
    assert caught.value.code == vector["code"]


def test_valid_bodies() -> None:
    schema = schema_of("body")
    kinds = set()
    for vector in MESSAGES["bodies"]["valid"]:
        body = read_body(unhex(vector["bytes"]))
        assert shown(body) == vector["value"], vector["name"]
        assert encode(body) == unhex(vector["bytes"])
        schema.validate(vector["value"])
        assert all(read_body(unhex(other)) == body for other in vector["also"].values())
        kinds |= {statement["t"] for statement in vector["value"]["say"]}
    assert kinds == {"commit", "reveal", "play", "end", "stand", "lay", "pass", "open"}


@pytest.mark.parametrize("vector", named(MESSAGES["bodies"]["invalid"]))
def test_invalid_body_is_refused(vector: Vector) -> None:
    with pytest.raises(errors.Refusal) as caught:
        read_body(unpieced(vector["bytes"]))
    assert caught.value.code == vector["code"] == "malformed"


def test_record_objects() -> None:
    for vector in MESSAGES["record_objects"]["valid"]:
        header = vector["value"]["t"] == "record"
        type_: Any = messages.Header if header else messages.RecordEnd
        decoded = msgspec.msgpack.decode(unhex(vector["bytes"]), type=type_)
        assert shown(decoded) == vector["value"]
        assert encode(decoded) == unhex(vector["bytes"])
        schema_of("record_header" if header else "record_end").validate(vector["value"])


# --- sessions


def check_session(vector: Vector, piece: int) -> None:
    session = replay(vector, piece)
    assert session.steps == vector["steps"]
    with_moves = [match for match in vector["matches"] if "moves" in match]
    played = session.show_matches()
    if not with_moves:
        played = [{k: v for k, v in match.items() if k != "moves"} for match in played]
    assert played == vector["matches"]


@pytest.mark.parametrize("piece", [1 << 20, 7, 1])
@pytest.mark.parametrize("vector", named(MATCHES))
def test_match_byte_for_byte_from_both_sides(vector: Vector, piece: int) -> None:
    check_session(vector, piece)
    for match in vector["matches"]:
        for seat, record in match["records"].items():
            result = match["results"][seat]
            verdict = verify(unhex(record))
            assert verdict.clean, str(verdict)
            assert verdict.complete
            assert verdict.head.hex() == result["head"]
            assert verdict.termination == result["termination"]
            assert verdict.winner == result["winner"]
            assert list(verdict.sets) == result["sets"]
            assert judge(unhex(record)) is None


@pytest.mark.parametrize("piece", [1 << 20, 7, 1])
@pytest.mark.parametrize("vector", named(RESUMED))
def test_resumed_match_byte_for_byte_from_both_sides(vector: Vector, piece: int) -> None:
    check_session(vector, piece)
    (match,) = vector["matches"]
    host, join = (match["results"][str(seat)] for seat in ("host", "join"))
    assert host == join
    for record in match["records"].values():
        verdict = verify(unhex(record))
        assert verdict.clean, str(verdict)
        assert verdict.complete
        assert (verdict.head.hex(), verdict.winner) == (host["head"], host["winner"])
        assert list(verdict.sets) == host["sets"]


@pytest.mark.parametrize("name", FROM_SEEDS)
def test_seeded_match_is_the_vector(name: str) -> None:
    (match,) = load(f"matches/{name}")["matches"]
    record: Path = SEEDS / name / "expected.pzk"
    assert unhex(match["records"]["host"]) == record.read_bytes()


@pytest.mark.parametrize("vector", named(REFUSALS))
def test_refusal(vector: Vector) -> None:
    check_session(vector, 1 << 20)
    refused = [step for step in vector["steps"] if step["step"] == "refuse"]
    assert [step["code"] for step in refused] == ([vector["code"]] if vector["code"] else [])
    # What is refused here convicts nobody, in a record either.
    for match in vector["matches"]:
        for record in match["records"].values():
            verdict = verify(unhex(record))
            assert verdict.cheat is None
            assert not verdict.problem, str(verdict)


@pytest.mark.parametrize("vector", named(CHEATS))
def test_cheat_is_convicted_live_and_from_the_record(vector: Vector) -> None:
    check_session(vector, 1 << 20)
    named_ = vector["code"], vector["seat"], vector["entry"]
    (match,) = vector["matches"]
    ((seat, record),) = match["records"].items()
    verdict = verify(unhex(record))
    assert verdict.cheat == named_
    assert not verdict.problem, str(verdict)
    assert verdict.termination == match["results"][seat]["termination"]
    assert verdict.winner == match["results"][seat]["winner"]
    cheat = judge(unhex(record))
    assert isinstance(cheat, cheats.Cheat)
    assert (cheat.code, cheat.seat, cheat.entry) == named_


def test_every_code_has_a_vector() -> None:
    of_cheats = {cheat.code for cheat in cheats.Cheat.__subclasses__()}
    by_silence = {"will-not-reveal", "will-not-open"}
    assert {vector["code"] for vector in CHEATS} == of_cheats - by_silence
    of_refusals = {
        cls.code
        for cls in (*errors.Refusal.__subclasses__(), *errors.Unproven.__subclasses__())
        if cls is not errors.Unproven
    }
    told = {
        vector["code"]
        for vectors in (REFUSALS, MESSAGES["messages"]["invalid"], MESSAGES["bodies"]["invalid"])
        for vector in vectors
    }
    assert told == of_refusals | by_silence | {None}


# --- records


def judge(record: bytes) -> errors.RemoteError | None:
    """What the package's own transcript refuses in a record, if anything."""
    unpacker = msgspec.msgpack.Decoder(messages.Header)
    offer_at = record.index(b"\x83\xa1t\xa5offer")
    header = unpacker.decode(record[:offer_at])
    end_at = record.rfind(b"\x86\xa1t\xa3end")
    stream = read_stream(record[offer_at : None if end_at < 0 else end_at])
    (offer, offer_bytes), (_, accept_bytes), *rest = stream
    assert isinstance(offer, messages.Offer)
    keys = header.host.key, header.join.key
    transcript = Transcript(agree(offer.rules.rules(), keys, offer_bytes, accept_bytes))
    claimed: set[int] = set()
    try:
        for message, _ in rest:
            if isinstance(message, messages.Entry):
                transcript.read(message)
            elif isinstance(message, messages.Concede):
                transcript.hear_concession(Seat(message.by), message)
            elif isinstance(message, messages.Claim) and message.by not in claimed:
                claims.check(transcript, message)
                claimed.add(message.by)
            else:
                return errors.Unexpected()
    except errors.RemoteError as error:
        return error
    return None


@pytest.mark.parametrize("vector", named(RECORDS))
def test_record(vector: Vector) -> None:
    verdict = verify(unhex(vector["record"]))
    assert verdict.match_id.hex() == vector["match_id"]
    assert verdict.entries == vector["entries"]
    assert verdict.head.hex() == vector["head"]
    termination = None if verdict.termination == "unfinished" else verdict.termination
    assert termination == vector["termination"]
    assert verdict.winner == vector["winner"]
    assert list(verdict.opened) == vector["opened"]
    assert verdict.complete is vector["complete"]
    assert verdict.cheat is None
    assert verdict.claim == vector["claim"]
    if vector["refused"]:
        assert verdict.problem.startswith(f"{vector['refused']}:")
    else:
        torn = vector["name"] == "torn"
        assert bool(verdict.problem) is (vector["end_contradicted"] or torn)
    refused = judge(unhex(vector["record"]))
    assert (None if refused is None else refused.code) == vector["refused"]
