"""``pazaak play --tutorial`` in lines, hints in them, and what is told on first use."""

from __future__ import annotations

from pathlib import Path

import pytest

from pazaak_p2p.cli.first_use import first_words
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.tutorial import DECK, SEED, TUTOR_DECK
from pazaak_p2p.rules import DECKS, format_deck, parse_deck
from pazaak_p2p.store import match_folder
from tests.cli.ran import Ran, refused
from tests.e2e.processes import Pazaak
from tests.tui.tutorial_search import Lots, keys_of


def test_the_tutorial_in_lines_by_real_peers(tmp_path: Path) -> None:
    """Who does as is proposed meets all there is; nothing of it is kept."""
    keys = keys_of(Lots(SEED), (parse_deck(DECK), parse_deck(TUTOR_DECK)))
    lines = ["h", *keys]
    with Pazaak("play", "--tutorial", "--name", "Ann", home=tmp_path) as play:
        code = play.finish("\n".join(lines).encode() + b"\n")
    said = play.stdout
    assert (code, play.stderr) == (0, "")
    lessons = [line for line in said.splitlines() if line.startswith(" ▸ ")]
    assert len(lessons) == len(set(lessons)) > 15
    assert said.index("marks the best.") < said.index("Tutor draws [7]: 7.")
    assert said.count("%") == 11  # ±3, 1±2, 2&4 and ±1T are nine ways, and e and s
    for text in (
        "Press 2, then 1 and +: 1±2 makes 20, which stands by itself (R11).",
        "Press 4, then +: ±1T makes 20, a tie that it wins (R17).",
        "Press 1, then -: back to 19.",
        "Tutor plays D, which doubles the card just drawn (R14): 11 becomes 20.",
        "Set 3 is tied: 19 each",
        "nine cards at 17 win at once (R16).",
        "You win the match, 3 to 0.",
        "Both side decks have been opened and checked: a fair match.",
        "What did not come up:",
    ):
        assert text in said
    assert not (tmp_path / "matches").exists()
    assert "You are Ann" not in said


@pytest.mark.parametrize(
    "option",
    [
        ["--deck", "balanced"],
        ["--against", "master"],
        ["--against-deck", "hard"],
        ["--rules", "kotor1"],
        ["--bot", "random"],
        ["--seed", "x"],
        ["--json"],
    ],
)
def test_what_does_not_go_with_the_tutorial(tmp_path: Path, option: list[str]) -> None:
    ran = Ran(tmp_path, "play", "--tutorial", *option)
    if option == ["--json"]:
        assert f"--tutorial does not go with {option[0]}." in ran.out
    else:
        refused(ran, f"--tutorial does not go with {option[0]}.")


def entrant(deck: str) -> Entrant:
    return Entrant(seat=0, name="Ann", deck=deck, bot=None, seed="x")


def test_on_first_use_a_person_is_told_who_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path))
    told = "You are Ann, with the deck balanced: --name and --deck change that."
    assert first_words(entrant("balanced")) == told
    own = format_deck(DECKS["balanced"][::-1])
    assert "with a deck of your own: " in first_words(entrant(own))
    match_folder().mkdir(parents=True)
    assert first_words(entrant("balanced")) == told
    (match_folder() / "a.pzk").touch()
    assert first_words(entrant("balanced")) == ""


def test_the_bare_command_shows_where_to_start(tmp_path: Path) -> None:
    ran = Ran(tmp_path)
    assert ran.code == 0
    last = "\n".join(ran.out.splitlines()[-23:])  # what a terminal of 24 lines still shows
    for line in ("pazaak play ", "pazaak host ", "pazaak join ", "pazaak play --tutorial "):
        assert line in last
