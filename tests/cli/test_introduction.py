"""Who the other side is: judged before a match, kept when it begins.

The question itself is asked at real terminals, in ``tests/e2e/test_players.py``.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import trio

from pazaak_p2p.cli.introduction import Introductions, NoIntroductions, introductions
from pazaak_p2p.cli.options import Entrant, standard_name
from pazaak_p2p.cli.players import question
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.errors import Exit, UsageError
from pazaak_p2p.fairness.fingerprint import fingerprint, full_fingerprint
from pazaak_p2p.net.errors import TermsRefused
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.seating import HostSeating, JoinSeating
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import Seat, parse_rules
from pazaak_p2p.store import NoRecord, config_folder
from pazaak_p2p.store.identity import identity_file, load_identity
from pazaak_p2p.store.meeting import Case, NameTaken
from pazaak_p2p.store.peers import PeerBook
from pazaak_p2p.store.safe_files import writing
from pazaak_p2p.store.trust_errors import FileDamaged
from pazaak_p2p.wire import Role
from pazaak_p2p.wire.events import Greeted, Started

OWN, ANN, BOB = (bytes(31) + bytes([number]) for number in (1, 2, 3))


@pytest.fixture
def book(tmp_path: Path) -> PeerBook:
    return PeerBook(tmp_path, patience=0)


def greeted(key: bytes, name: str) -> Greeted:
    return Greeted(name, key, "test")


def taken(book: PeerBook, known: Introductions) -> NameTaken:
    book.meet(ANN, "Ann")
    with pytest.raises(NameTaken) as caught:
        known.judge(greeted(BOB, "Ann"))
    return caught.value


def test_to_judge_writes_nothing(book: PeerBook) -> None:
    known = Introductions(book, OWN)
    meeting = known.judge(greeted(ANN, "Ann"))
    assert meeting is not None
    assert meeting.case is Case.NEW
    assert not book.path.exists()


def test_nobody_is_introduced_to_themselves(book: PeerBook) -> None:
    known = Introductions(book, OWN)
    book.meet(ANN, "Ann")
    assert known.judge(greeted(OWN, "Ann")) is None


def test_a_known_name_with_another_key_is_refused_with_what_lets_it_in(book: PeerBook) -> None:
    known = Introductions(book, OWN)
    error = taken(book, known)
    assert error.exit_code == Exit.IDENTITY_REFUSED
    assert error.next.endswith(f"add: --trust {fingerprint(BOB)}")
    option = error.next.split("--trust ")[1]
    meeting = Introductions(book, OWN, [option]).judge(greeted(BOB, "Ann"))
    assert meeting is not None
    assert meeting.case is Case.NAME_TAKEN


@pytest.mark.parametrize(
    "trust",
    [
        [fingerprint(BOB)],
        [fingerprint(BOB).replace("-", " ")],
        [full_fingerprint(BOB)],
        [fingerprint(OWN), full_fingerprint(BOB).upper()],
    ],
)
def test_trust_given_beforehand(book: PeerBook, trust: list[str]) -> None:
    book.meet(ANN, "Ann")
    assert Introductions(book, OWN, trust).judge(greeted(BOB, "Ann")) is not None


def test_trust_is_for_one_key_alone(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    with pytest.raises(NameTaken):
        Introductions(book, OWN, [fingerprint(OWN)]).judge(greeted(BOB, "Ann"))


@pytest.mark.parametrize("text", ["", "Ann", "any", fingerprint(BOB)[:24], "1" * 25])
def test_trust_needs_a_whole_fingerprint(book: PeerBook, text: str) -> None:
    with pytest.raises(UsageError, match="is no fingerprint"):
        Introductions(book, OWN, [text])


def test_a_list_that_cannot_be_used_is_noticed_before_anybody_comes(book: PeerBook) -> None:
    book.path.write_text("oops")
    book.path.chmod(0o600)
    with pytest.raises(FileDamaged):
        Introductions(book, OWN)


def entrant(*, bot: str | None = None, seed: str | None = None) -> Entrant:
    return Entrant(seat=1, name="Me", deck="starter", bot=bot, seed=seed, known=True)


@pytest.mark.parametrize(("bot", "seed"), [("random", None), (None, "x"), ("random", "x")])
def test_a_bot_and_a_seeded_seat_know_nobody(bot: str | None, seed: str | None) -> None:
    nobody = introductions(entrant(bot=bot, seed=seed), [])
    assert isinstance(nobody, NoIntroductions)
    watch = nobody.watch()
    for key in (ANN, BOB):
        assert nobody.introduce(greeted(key, "Ann")) == ""
        watch(greeted(key, "Ann"))
        watch(Started(bytes(32), Seat.HOST, parse_rules("standard")))
    assert not (config_folder() / "peers.toml").exists()
    assert identity_file(config_folder()).exists() == (seed is None)
    with pytest.raises(UsageError, match="nobody to trust here"):
        introductions(entrant(bot=bot, seed=seed), [fingerprint(BOB)])


def test_a_person_knows_whom_it_has_played_with() -> None:
    known = introductions(entrant(), [])
    assert isinstance(known, Introductions)
    watch = known.watch()
    watch(greeted(ANN, "Ann"))
    assert not (config_folder() / "peers.toml").exists()
    watch(Started(bytes(32), Seat.HOST, parse_rules("standard")))
    assert [peer.name for peer in PeerBook(config_folder()).peers()] == ["Ann"]


def test_an_entrant_has_the_same_key_each_time_unless_it_is_seeded() -> None:
    keys = {entrant(seed=seed).public_key: seed for seed in (None, None, "x", "x", "y")}
    assert list(keys.values()) == [None, "x", "y"]
    assert entrant().public_key == load_identity(config_folder()).public_key().public_bytes_raw()
    assert Entrant(seat=1, name="Me", deck="starter", bot=None, seed=None).public_key not in keys


def test_the_name_of_the_command_line_comes_before_the_settings_and_these_before_the_account() -> (
    None
):
    def called(name: str | None = None) -> str:
        return Entrant(seat=0, name=name, deck="starter", bot=None, seed=None).name

    assert called() == standard_name()
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text('name = "Ann"\n', encoding="utf-8")
    assert called() == "Ann"
    assert called("Bob") == "Bob"
    (config_folder() / "config.toml").write_text('name = " "\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"name in config\.toml: that cannot be a name"):
        called()


# --- words


def test_who_has_come_is_told_in_a_line(book: PeerBook) -> None:
    known = Introductions(book, OWN, [fingerprint(BOB)])

    def told(key: bytes, name: str) -> str:
        return known.introduce(greeted(key, name))

    mark = f"key {fingerprint(ANN)}."
    assert told(OWN, "x") == "The other side has your own key: you play against yourself."
    assert told(ANN, "Ann\x1b") == f"Ann\\x1b is new to you, {mark}"
    book.meet(ANN, "Ann")
    since = f"since {book.find('Ann').first_seen.astimezone():%Y-%m-%d}"
    met = since.replace("since", "first met")
    assert told(ANN, "Ann") == f"You know Ann: {met}, {mark}"
    book.played(ANN)
    assert told(ANN, "Ann") == f"You know Ann: 1 match {since}, {mark}"
    assert told(ANN, "Zoe") == f"You know Zoe, until now Ann: 1 match {since}, {mark}"
    book.rename("Ann", "Sis")
    assert told(ANN, "Ann") == f"You know Ann, whom you call Sis: 1 match {since}, {mark}"
    assert told(BOB, "sis") == (
        "sis has another key than the one you knew by this name; you trust it:"
        f" key {fingerprint(BOB)}."
    )


def test_the_question_is_loud_and_shows_both_keys(book: PeerBook) -> None:
    error = taken(book, Introductions(book, OWN))
    since = f"{book.find('Ann').first_seen.astimezone():%Y-%m-%d}"
    lines = [
        "",
        "!! A NAME THAT YOU KNOW, WITH ANOTHER KEY !!",
        "",
        f"  You know this player (first met {since}):",
        "      Ann",
        f"      key {fingerprint(ANN)}",
        "  Who comes now is somebody with a key that you do not know:",
        "      Ann",
        f"      key {fingerprint(BOB)}",
        "",
        "  Perhaps they play from another machine, or lost their key. Perhaps it is",
        "  somebody else. Ask them, by voice or another way that you trust, to read out",
        "  what 'pazaak peers me' shows there.",
        "",
        "Type yes to play with this key; anything else refuses it:",
    ]
    assert question(error.meeting, "me") == lines
    assert all(len(line) < 80 for line in lines)
    common = "  Many computers give this name by themselves, so it may well be chance."
    assert question(error.meeting, "ANN") == [*lines[:10], common, *lines[10:]]


@pytest.mark.parametrize("name", ["root", "Root", "user", "player", "admin", "pi", "r00t"])
def test_the_question_says_that_a_name_is_a_common_one(book: PeerBook, name: str) -> None:
    book.meet(ANN, name)
    lines = question(book.look(BOB, name), "me")
    assert [line for line in lines if "Many computers" in line] != []


def test_the_question_about_one_who_is_known_and_takes_the_name_of_many(book: PeerBook) -> None:
    for number in range(4, 9):
        book.meet(bytes(31) + bytes([number]), "Ann", trusted=True)
    book.meet(BOB, "Bob")
    book.rename("Bob", "Bobby")
    since = f"{book.find('Bob').first_seen.astimezone():%Y-%m-%d}"
    lines = question(book.look(BOB, "Ann"), "me")
    assert lines.count("      Ann") == 4
    assert lines[12:16] == [
        "  And 2 more.",
        f"  Who comes now is one whom you know as Bobby (first met {since}):",
        "      Ann",
        f"      key {fingerprint(BOB)}",
    ]


# --- a real match


class Table:
    """A host and a wary joiner at the two ends of a stream; each match has two new pumps."""

    def __init__(self, book: PeerBook, host_seed: str, trust: list[str]) -> None:
        self.host = Entrant(seat=0, name="Ann", deck="starter", bot="random", seed=host_seed)
        self.join = Entrant(seat=1, name="Me", deck="starter", bot="random", seed="me")
        self.key = self.host.public_key
        self.introductions = Introductions(book, OWN, trust)

    def welcome(self, event: Greeted) -> None:
        self.introductions.judge(event)

    async def play(self) -> list[BaseException]:
        errors: list[BaseException] = []

        async def run(pump: Pump) -> None:
            try:
                await pump.run()
            except Exception as error:
                errors.append(error)

        ends = [LeanStream(end) for end in socket.socketpair()]
        now = trio.current_time()
        rules = parse_rules("standard,max_sets=9")
        host_seating = HostSeating(rules, lambda: self.host.kit(0))
        seats = [BotSeat(self.host), BotSeat(self.join)]
        for seat in seats:
            seat.sit(0)
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(
                    run,
                    Pump(
                        ends[0],
                        self.host.peer(Role.LISTENER, 0, now),
                        "Ann",
                        host_seating,
                        seats[0],
                        NoRecord(),
                    ),
                )
                nursery.start_soon(
                    run,
                    Pump(
                        ends[1],
                        self.join.peer(Role.DIALLER, 0, now),
                        "Me",
                        JoinSeating(None, self.join.kit(0), self.welcome),
                        seats[1],
                        NoRecord(),
                        [self.introductions.watch()],
                    ),
                )
        return errors


async def test_whom_we_play_with_is_kept_and_counted(book: PeerBook) -> None:
    for matches in (1, 2):
        table = Table(book, "ann", [])
        assert await table.play() == []
        (peer,) = book.peers()
        assert (peer.key, peer.name, peer.matches) == (table.key, "Ann", matches)
    assert table.introductions.trouble is None


async def test_an_impostor_gets_no_match_and_leaves_no_trace(book: PeerBook) -> None:
    await Table(book, "ann", []).play()
    before = book.path.read_bytes()
    impostor = Table(book, "somebody else", [])
    errors = await impostor.play()
    assert sorted(type(error).__name__ for error in errors) == ["NameTaken", "TermsRefused"]
    (refused,) = (error for error in errors if isinstance(error, TermsRefused))
    assert refused.what == "The other player's program did not let you in."
    assert "pazaak peers me" in refused.next
    assert book.path.read_bytes() == before

    trusted = Table(book, "somebody else", [fingerprint(impostor.key)])
    assert await trusted.play() == []
    assert {peer.key: peer.matches for peer in book.peers()} == {
        Table(book, "ann", []).key: 1,
        impostor.key: 1,
    }
    assert await Table(book, "somebody else", []).play() == []


async def test_a_list_that_cannot_be_written_breaks_no_match(book: PeerBook) -> None:
    table = Table(book, "ann", [])
    with writing(book.path.parent):
        assert await table.play() == []
    assert table.introductions.trouble is not None
    assert "Another pazaak" in table.introductions.trouble.what
    assert book.peers() == []
