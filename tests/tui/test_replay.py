"""A recorded match step by step, without a terminal: what is seen, and where keys lead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio

from pazaak_p2p.rules import Draw, End, Play, Rules, Seat, Stand, parse_rules
from pazaak_p2p.tui.control import LEFT, RIGHT
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE, Decision, Position
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.hand import draw_hand
from pazaak_p2p.tui.lines import Line, plain
from pazaak_p2p.tui.log import DOWN, END, HOME, PAGE_DOWN, PAGE_UP, UP
from pazaak_p2p.tui.pace import SET_PAUSE
from pazaak_p2p.tui.person import Person
from pazaak_p2p.tui.replay import PACES, Replay
from pazaak_p2p.tui.replay_page import draw_replay
from pazaak_p2p.tui.replay_record import Opened, Recording, Side, read_recording
from pazaak_p2p.tui.replay_view import Telling
from pazaak_p2p.tui.status import Status
from pazaak_p2p.tui.style import STANDARD
from pazaak_p2p.tui.table import draw_tables
from pazaak_p2p.wire.events import Event, Greeted, Moved, Started
from pazaak_p2p.wire.judge import judge
from pazaak_p2p.wire.verdict import CutShort, EmptyRecord, NoRecord
from tests.tui import replay_pages
from tests.tui.drawn import text_of
from tests.tui.replay_pages import GOLD, recording, unfinished
from tests.tui.table_pages import described
from tests.tui.test_page import SIZES, fits
from tests.wire.pair import Pair, at_random, last_legal
from tests.wire.records import BOTH, RECORD, conceded, with_header

SIDES = {Seat.HOST: Side.HOST, Seat.JOIN: Side.JOIN}


class Watched:
    """A face that keeps what it is given."""

    rests = False
    glyphs = UNICODE

    def __init__(self) -> None:
        self.told: list[Line] = []
        self.position = Position()
        _, self.decisions = trio.open_memory_channel[Decision](0)

    def say(self, lines: Sequence[Line]) -> None:
        self.told += lines

    def show(self, position: Position) -> None:
        self.position = position

    def recall(self, lines: Sequence[Line]) -> None: ...

    def keep(self, lines: Sequence[Line]) -> None: ...

    def inform(self, status: Status) -> None: ...

    def hold(self, on: bool) -> None: ...

    def rest(self, *, again: bool = False) -> None: ...

    def interrupt(self) -> None: ...

    async def run(self) -> None: ...


def played(seed: str, rules: str) -> Pair:
    pair = Pair(seed, choose=(at_random(f"{seed} a"), at_random(f"{seed} b")))
    pair.play(parse_rules(rules))
    return pair


@pytest.mark.parametrize(
    ("seed", "rules"),
    [("one", "standard"), ("two", "opener=random,sets=2"), ("three", "tiebreaker=at-tie,sets=1")],
)
@pytest.mark.parametrize("seat", BOTH)
async def test_a_seat_sees_again_what_its_table_showed(seed: str, rules: str, seat: Seat) -> None:
    pair = played(seed, rules)
    side = pair.sides[seat]
    shown = read_recording([bytes(side.record)])
    telling = Telling(shown, SIDES[seat], UNICODE)
    moves = [at for at in range(1, shown.last) if not isinstance(shown.steps[at].what, Opened)]
    face = Watched()
    person = Person(face)

    def take(event: Event) -> list[Line]:
        face.told.clear()
        person.notice(event)
        return list(face.told)

    for event in side.events:
        if isinstance(event, Greeted):
            take(event)
        elif isinstance(event, Started):
            assert tuple(take(event)) == telling.lines(0)[1:]
            assert telling.position(0) == face.position
        elif isinstance(event, Moved):
            at, lines = moves.pop(0), take(event)
            again, live = telling.position(at), face.position
            assert (again.view, again.result) == (live.view, live.result)
            assert again.view is not None
            assert live.view is not None
            assert draw_tables(again.view, again.opponent, UNICODE, result=again.result) == (
                draw_tables(live.view, live.opponent, UNICODE, result=live.result)
            )
            assert draw_hand(again.view, UNICODE) == draw_hand(live.view, UNICODE)
            if lines:
                assert telling.lines(at) == tuple(lines)
            else:  # at the table the next card shows it
                assert type(event.input) is End
    assert moves == []


@pytest.mark.parametrize("seat", BOTH)
async def test_both_records_of_a_match_are_seen_alike(seat: Seat) -> None:
    host, join = (read_recording([bytes(s.record)]) for s in played("one", "standard").sides)
    assert (host.keeper, join.keeper) == BOTH
    assert (host.decks, host.sets, host.turns) == (join.decks, join.sets, join.turns)
    for at in range(host.last + 1):
        assert host.seen(at, SIDES[seat]) == join.seen(at, SIDES[seat])
        assert host.seen(at, Side.ABOVE).state == join.seen(at, Side.ABOVE).state
        assert host.seen(at, Side.ABOVE).seat is Seat.HOST


# --- the pages


@pytest.mark.parametrize("name", replay_pages.PAGES)
def test_page(name: str) -> None:
    page = replay_pages.page_of(name)
    assert described(page) == replay_pages.path(name).read_text(encoding="utf-8")
    _, _, _, _, columns, rows, _ = replay_pages.PAGES[name]
    fits(page, columns, rows)
    for row in page:
        for style, _, _ in row:
            for word in style.split():
                assert word.removeprefix("class:") in STANDARD


def test_every_picture_file_is_drawn() -> None:
    files = {path.stem for path in replay_pages.FOLDER.glob("*.txt")}
    assert files == set(replay_pages.PAGES)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("name", [GOLD, f"{GOLD}/14", "opener-random", "tiebreaker-at-tie"])
def test_forwards_and_back_are_the_same_pages_and_all_fit(name: str, glyphs: Glyphs) -> None:
    replay = Replay(recording(name), glyphs)
    for _ in Side:
        pages = []
        for _ in range(replay.recording.last):
            pages.append(draw_replay(replay, 80, 24, glyphs))
            replay.press(RIGHT)
        assert replay.at == replay.recording.last
        for size in SIZES:
            fits(draw_replay(replay, *size, glyphs), *size)
        while pages:
            replay.press(LEFT)
            page = draw_replay(replay, 80, 24, glyphs)
            assert page == pages.pop()
            assert glyphs is UNICODE or text_of(page).isascii()
            size = SIZES[replay.at % len(SIZES)]
            fits(draw_replay(replay, *size, glyphs), *size)
        assert replay.at == 0
        replay.press("v")
    assert replay.side is Side.ABOVE


@pytest.mark.parametrize(("columns", "rows"), [(40, 16), (80, 24), (130, 40)])
def test_every_key_of_the_menu_is_shown_and_can_be_clicked(columns: int, rows: int) -> None:
    replay = Replay(recording(GOLD), UNICODE)
    for at in range(replay.recording.last + 1):
        replay.at = at
        page = draw_replay(replay, columns, rows, UNICODE)
        clicked = {key for row in page for _, _, key in row if key is not None}
        entries = replay.scene(columns).entries
        assert {key for entry in entries for key in entry.keys} == clicked
        assert all(entry.meaning in text_of(page) for entry in entries)
        assert f"{at + 1} of {replay.recording.last + 1}" in text_of(page)


# --- keys


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_smallest_terminal_has_all_of_the_help(glyphs: Glyphs) -> None:
    replay = Replay(recording(GOLD), glyphs)
    replay.press("?")
    large, small = (
        text_of(draw_replay(replay, columns, rows, glyphs)).split()
        for columns, rows in [(80, 24), (40, 16)]
    )
    assert small == large
    *_, last = draw_replay(replay, 40, 16, glyphs)
    assert [key for _, _, key in last] == [ESCAPE]  # a click goes back too
    replay.press(ESCAPE)
    assert not replay.help


def pressed(replay: Replay, *keys: str) -> int:
    for key in keys:
        assert not replay.press(key), key
    return replay.at


def test_steps_turns_and_sets_in_both_directions() -> None:
    shown = recording("plain-match")
    replay = Replay(shown, UNICODE)
    assert (shown.sets, shown.last) == ([3, 12, 22, 34], 50)
    assert shown.turns[:4] == [3, 5, 7, 10]
    assert pressed(replay, RIGHT) == 1
    assert pressed(replay, DOWN) == 3
    assert pressed(replay, DOWN) == 5
    assert pressed(replay, RIGHT) == 6
    assert pressed(replay, UP) == 5
    assert pressed(replay, UP, UP) == 0
    assert pressed(replay, LEFT, UP, PAGE_UP) == 0
    assert pressed(replay, PAGE_DOWN) == 3
    assert pressed(replay, PAGE_DOWN, PAGE_DOWN) == 22
    assert pressed(replay, LEFT, PAGE_UP) == 12
    assert pressed(replay, PAGE_DOWN, PAGE_DOWN, PAGE_DOWN) == 50
    assert pressed(replay, RIGHT, DOWN, PAGE_DOWN) == 50
    assert pressed(replay, HOME) == 0
    assert pressed(replay, END) == 50
    for start in shown.sets:
        assert type(shown.steps[start].what) is Draw


def test_numbers_jump() -> None:
    replay = Replay(recording("plain-match"), UNICODE)
    assert pressed(replay, "3") == 22
    assert pressed(replay, "g", "1", "0", ENTER) == 9
    assert pressed(replay, "s", "2", ENTER) == 12
    assert pressed(replay, "g", "4", "5", BACKSPACE, ENTER) == 3
    assert pressed(replay, "g", "9", ESCAPE) == 3
    assert pressed(replay, "g", "9", BACKSPACE, BACKSPACE) == 3
    assert pressed(replay, "g", ENTER) == 3
    assert pressed(replay, "g", "9", RIGHT) == 4  # another key is what it always is
    assert pressed(replay, "5") == 4
    assert replay.refused == "There is no set 5: they go from 1 to 4."
    assert pressed(replay, "g", "0", ENTER) == 4
    assert replay.refused == "There is no step 0: they go from 1 to 51."
    assert pressed(replay, "g", *"9" * 500, ENTER) == 4
    assert replay.refused == "There is no step 9999999: they go from 1 to 51."
    assert pressed(replay, "x") == 4
    assert replay.refused == "That key does nothing here; ? tells which do."
    assert pressed(replay, "1") == 3
    assert replay.refused == ""


def test_a_match_of_more_than_nine_sets_asks_for_the_rest_of_the_number() -> None:
    seed = next(str(n) for n in range(50) if len(many(str(n)).sets) > 10)
    replay = Replay(many(seed), UNICODE)
    assert pressed(replay, "1") == 0
    assert "Go to set (1 to" in text_of(draw_replay(replay, 80, 24, UNICODE))
    assert pressed(replay, "0", ENTER) == replay.recording.sets[9]


def many(seed: str) -> Recording:
    """Two who stand at once, until one has nine sets."""
    pair = Pair(seed, choose=(last_legal, last_legal))
    pair.play(Rules(sets=9))
    return read_recording([bytes(pair.host.record)])


def test_it_plays_by_itself_and_waits_longer_where_a_set_ends() -> None:
    shown = recording(GOLD)
    replay = Replay(shown, UNICODE, pace=0.7)
    replay.tick()
    assert (replay.at, replay.wait) == (0, None)  # what comes too late does nothing
    assert pressed(replay, " ") == 0
    seen = 0.0
    while (wait := replay.wait) is not None:
        ends = shown.result(replay.at) is not None
        assert wait == 0.7 * (SET_PAUSE if ends else 1)
        seen += wait
        replay.tick()
    assert (replay.at, replay.playing) == (shown.last, False)
    assert seen == pytest.approx(0.7 * (shown.last + 2 * (SET_PAUSE - 1)))
    assert (pressed(replay, " "), replay.playing) == (0, True)  # and once more
    assert (pressed(replay, "v", "+", "-"), replay.playing) == (0, True)
    for key in (RIGHT, "?", "g"):
        replay.playing, replay.help = True, False
        assert (replay.press(key), replay.playing) == (False, False)


def test_the_pace_has_ends() -> None:
    replay = Replay(recording(GOLD), UNICODE, pace=0)
    assert replay.pace == PACES[0]
    assert pressed(replay, "+") == 0
    assert replay.pace == PACES[0]
    pressed(replay, *"-" * 30)
    assert replay.pace == PACES[-1]
    pressed(replay, "+")
    assert replay.pace == PACES[-2]


def test_what_leaves_and_what_does_not() -> None:
    replay = Replay(recording(GOLD), UNICODE)
    assert (replay.press("?"), replay.help) == (False, True)
    assert (replay.press("q"), replay.help) == (False, False)  # any key goes back to the table
    assert not replay.press(ESCAPE)
    assert replay.press("q")
    assert replay.press("\x03")
    assert replay.press("\x04")
    replay.press("?")
    assert replay.press("\x03")


# --- records that are not whole, and others


@pytest.mark.parametrize("name", replay_pages.cheats())
def test_a_cheat_is_shown_up_to_where_it_goes_wrong(name: str) -> None:
    shown = recording(f"!{name}")
    cheat = shown.verdict.cheat
    assert cheat is not None
    for side in Side:
        telling = Telling(shown, side, UNICODE)
        heading, *_ = telling.lines(shown.last)
        expected = f"{telling.names[cheat.seat]} CHEATED ({cheat.code}) in entry {cheat.entry}."
        assert plain(heading).strip() == expected
        assert plain(telling.position(shown.last).banner).strip() == expected
    entries = [step.entry for step in shown.steps if step.entry is not None]
    assert entries == sorted(entries)
    assert all(entry < shown.verdict.entries for entry in entries)


def test_what_records_prove_is_said_as_verify_judges() -> None:
    assert replay_pages.verdicts() == replay_pages.VERDICTS.read_text("utf-8")
    for name, record in replay_pages.records().items():
        shown = read_recording([record])
        style = Telling(shown, Side.ABOVE, UNICODE).lines(shown.last)[0][0][0]
        verdict = judge(record)
        bad = verdict.problem is not None or verdict.contradiction != ""
        expected = "lost" if bad else "won" if verdict.decided else "tied"
        assert style == f"class:{expected}", name


@pytest.mark.parametrize("side", Side)
def test_the_verdict_is_whole_in_the_smallest_window(side: Side) -> None:
    """Of every kind of record: complete, broken off, claimed, forged."""
    for name, record in replay_pages.records().items():
        shown = read_recording([record])
        page = draw_replay(Replay(shown, UNICODE, side=side, at=shown.last), 40, 16, UNICODE)
        verdict = " ".join(map(plain, Telling(shown, side, UNICODE).lines(shown.last)))
        assert " ".join(verdict.split()) in " ".join(text_of(page).split()), name


def test_of_a_match_that_is_not_over_only_what_was_played_is_known() -> None:
    whole, part = recording(GOLD), read_recording([unfinished(GOLD, 14)])
    assert part.decks == (None, None)
    played = {
        (seat, step.what.at)
        for step in part.steps
        if isinstance(step.what, Play) and (seat := step.seat) is not None
    }
    assert len(played) == 3
    for at in range(part.last):
        now, then = part.state(at), whole.state(at)
        assert (now.tables, now.totals, now.mover) == (then.tables, then.totals, then.mover)
        for seat in Seat:
            for card, known in zip(now.hands[seat], then.hands[seat], strict=True):
                assert card.card == (known.card if (seat, card.position) in played else None)
    telling = Telling(part, Side.ABOVE, UNICODE)
    assert telling.message(0).endswith("cards that were not played stay hidden.")
    assert "Its last message is cut off." in telling.message(part.last)


@pytest.mark.parametrize("seats", [(Seat.HOST,), (Seat.JOIN,), BOTH])
def test_R21_a_concession_is_a_step(seats: tuple[Seat, ...]) -> None:
    for record in conceded(seats)[1]:
        shown = read_recording([record])
        telling = Telling(shown, Side.ABOVE, UNICODE)
        told = [telling.deed(at) for at in range(shown.last + 1)]
        conceding = "Host" if Seat.HOST in seats else "Join"
        assert told.count(f"{conceding} concedes the match") == 1
        assert f"{conceding} conceded" in plain(telling.lines(shown.last)[0])


def test_players_of_one_name_are_told_apart() -> None:
    key = recording("plain-match").verdict.players
    assert key is not None
    same = {"name": "  Ann ", "key": key[0].key}, {"name": "ANN", "key": key[1].key}
    record = with_header(replay_pages.seed_record("plain-match"), host=same[0], join=same[1])
    telling = Telling(read_recording([record]), Side.ABOVE, UNICODE)
    assert telling.names == ("Ann (host)", "ANN (joiner)")


def test_a_hostile_name_is_shown_harmless() -> None:
    key = recording("plain-match").verdict.players
    assert key is not None
    bad = {"name": "\x1b[2J\u202eYou\x07", "key": key[0].key}
    record = with_header(replay_pages.seed_record("plain-match"), host=bad)
    replay = Replay(read_recording([record]), UNICODE)
    for at in range(replay.recording.last + 1):
        replay.at = at
        text = text_of(draw_replay(replay, 80, 24, UNICODE))
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\x07" not in text


@pytest.mark.parametrize(
    ("record", "error"), [(b"", EmptyRecord), (b"Dear Ann,", NoRecord), (RECORD[:200], CutShort)]
)
def test_what_has_no_match_is_refused(record: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_recording([record])


def test_a_record_that_breaks_off_anywhere_can_be_stepped_through() -> None:
    record = replay_pages.seed_record(GOLD)
    glimpsed = set()
    for size in range(len(RECORD[:200]), len(record), 97):
        try:
            shown = read_recording([record[:size]])
        except CutShort:
            continue
        replay = Replay(shown, UNICODE, at=shown.last)
        glimpsed.add(shown.last)
        for key in (UP, PAGE_UP, "v", "1", END, "v", LEFT):
            replay.press(key)
            fits(draw_replay(replay, 80, 24, UNICODE), 80, 24)
    assert min(glimpsed) == 1
    assert max(glimpsed) >= 31


def test_finished_sets_are_kept_once_and_not_with_every_step() -> None:
    shown = recording("plain-match")
    assert all(step.state.results == () for step in shown.steps)
    assert [len(shown.state(at).results) for at in (0, 11, 12, 50)] == [0, 1, 1, 4]
    assert [at for at in range(51) if shown.result(at) is not None] == [11, 21, 33, 47]
    assert type(shown.steps[11].what) in (Stand, End, Draw, Play)
