"""A recorded match by lines."""

from __future__ import annotations

from io import StringIO

from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_plain import step_by_lines
from pazaak_p2p.tui.replay_record import read_recording
from tests.tui.replay_pages import GOLD, recording, unfinished


def said(*typed: str, at: int = 0, glyphs: Glyphs = UNICODE, name: str = GOLD) -> list[str]:
    """What is written in answer to each line, from the beginning."""
    written = StringIO()
    replay = Replay(recording(name), glyphs, at=at)
    step_by_lines(replay, glyphs, StringIO("".join(f"{line}\n" for line in typed)), written)
    last = replay.recording.last + 1
    answers = written.getvalue().split(f" of {last}; ? for help] ")
    return [answer.rpartition("[")[0] for answer in answers[:-1]] + [answers[-1]]


def test_steps_are_numbered_and_what_is_passed_over_is_told() -> None:
    start, one, turn, three, bye = said("", "t", "4", "q")
    assert start == (
        "   1  Ann hosts, Ben joins.\n      The match begins: first to 2 sets (standard,sets=2).\n"
    )
    assert one == (
        "   2  The hand of Ann: [1±2] [±1T] [3&6] [2&4] (R4).\n"
        "      The hand of Ben: [D] [±6] [±4] [2&4] (R4).\n"
    )
    assert turn == (
        "   3  Who opens? Ann draws 7, Ben draws 6: Ann opens (R5).\n   4  Ann draws [4]: 4.\n"
    )
    assert three == "There is nothing more in that direction.\n"
    assert bye == ""


def test_going_back_describes_the_table() -> None:
    answers = said("b", "tb", at=21)
    assert answers[1] == (
        "  21  Ann ends the turn.\n"
        "      Set 1, first to 2. Sets won: Ben 0, Ann 0.\n"
        "      Ben: 7 3 4 +6(±6) = 20, stands; holds 3 cards.\n"
        "      Ann: -4 3 10 -1(±1T) 6 2&4 2 = 16.\n"
        "      Ben holds: D ±4 2&4\n"
        "      Ann holds: 1±2 3&6\n"
    )
    assert answers[2].startswith("  20  Ann draws [2]: 16.\n")
    assert answers[-1] == "\n"  # the input has ended


def test_from_a_seat_it_is_you() -> None:
    answers = said("v", "p", at=21)
    assert answers[1].startswith("Seen by Ann.\n  22  You draw [9]: 25, over 20.\n")
    assert "      You hold: 1±2 3&6\n" in answers[1]
    assert "Ben holds:" not in answers[1]
    assert f"Seen by Ann.\n{answers[2]}" == answers[1]


def test_sets_and_numbers_and_what_is_none() -> None:
    answers = said("set 2", "set 3", "99", "sb", "home", "end", "jump", "?")
    assert answers[1].endswith("  24  Ben draws [9]: 9.\n")
    assert answers[2] == "There is no set 3: they go from 1 to 2.\n"
    assert answers[3] == "There is no step 99: they go from 1 to 34.\n"
    assert answers[4].startswith("   4  Ann draws [4]: 4.\n")
    assert answers[5].startswith("   1  The match begins")
    assert "  34  Ann won the match, 2 to 0.\n" in answers[6]
    assert answers[7] == f"That is nothing to type here.\n{answers[8]}"
    assert len(answers[8].splitlines()) == 3


def test_ascii_is_ascii() -> None:
    assert "".join(said(*[""] * 40, "p", "?", glyphs=ASCII)).isascii()


def test_hidden_cards_are_said_to_be() -> None:
    written = StringIO()
    replay = Replay(read_recording([unfinished(GOLD, 14)]), UNICODE, at=11)
    step_by_lines(replay, UNICODE, StringIO("p\n"), written)
    assert "Ben holds: ? ±6 ? ?\n      Ann holds: ? ±1T ? 2&4\n" in written.getvalue()
