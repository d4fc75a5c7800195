"""Every seeded match, played over real sockets, gives the record and text that stand beside it."""

from __future__ import annotations

from pathlib import Path

import msgpack
import pytest

from pazaak_p2p.arena.expected import compare
from pazaak_p2p.arena.run_seed import run_seed
from pazaak_p2p.arena.seeds import RECORD_FILE, TEXT_FILE, list_seeds, load_seed
from tests.verifier import verify

SEEDS = Path(__file__).parents[2] / "seeds"
FOLDERS = list_seeds(SEEDS)

# What each match is there to show, as its text tells it.
SHOWS = {
    "auto-stand-off": "  Ben  plays D                 20 = 10 (+10)\n  Ben  ends the turn",
    "below-zero": "  Ann  plays -5                -1 = 4 (-5)",
    "both-lay-tiebreakers": "  Ann  lays down ±1T\n  Ben  lays down ±1T\n  Nobody wins the set",
    "both-tiebreakers-tie": "Nobody wins the set, 20:20 (equal totals)",
    "cap-with-a-winner": "Ben wins the match, 0:1 (cap).",
    "concession": "  Ben leaves the match (concession).\n\nAnn wins the match, 1:1 (concession).",
    "every-gold-card": "  Ann  plays 3&6                7 = -4 -3 10 (-1) -6 (0) 2 9 (0)",
    "flips-both-ways": "  Ann  plays 2&4                1 = 7 (-4) -2 (0)",
    "limited-copies-cap-draw": "Nobody wins the match, 1:1 (cap).",
    "minus-card-saves": "  Ann  draws 8                 23 = 5 10 8\n  Ann  plays -3, stands  ",
    "nine-beats-19": "Ann wins the set, 18:19 (nine cards)",
    "nine-stands": "Ben wins the set, 19:20 (higher total)",
    "ninth-card-busts": "Ann wins the set, 3:26 (the other busts)",
    "one-or-two": "  Ben  plays 1±2 as -2 ",
    "opener-host": "Set 4, Ann opens",
    "opener-loser": "Ann wins the set, 6:21 (the other busts). Sets 1:0\n\nSet 3, Ben opens",
    "opener-random": "By lot Ben opens.",
    "opener-winner": "Ann wins the set, 19:18 (higher total). Sets 1:1\n\nSet 4, Ann opens",
    "opening-drawn-again": "Both draw again.",
    "plain-match": "Ann wins the match, 3:1 (normal).",
    "random-bots": "Ann wins the match, 3:0 (normal).",
    "still-over-20-busts": "  Ben  plays -1                21",
    "tie-and-tiebreaker": "Ann wins the set, 20:20 (equal totals, tiebreaker)",
    "tiebreaker-at-tie": "  Ann  lays down ±1T\n  Ben  lays nothing\n  Ann wins the set, 20:20",
    "tiebreaker-last": "Nobody wins the set, 18:18 (equal totals)",
}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_seeded_match_over_sockets_gives_its_record_to_the_byte(folder: Path) -> None:
    match = load_seed(folder)
    run = await run_seed(match)

    compare(match, run)
    assert run.records[0] == (folder / RECORD_FILE).read_bytes()
    assert run.text == (folder / TEXT_FILE).read_text(encoding="utf-8")
    assert SHOWS[folder.name] in run.text

    # The second verifier, which knows nothing of the package, says the same of both records.
    for seat, record in enumerate(run.records):
        verdict = verify(record)
        report = run.reports[seat]
        assert verdict.clean, str(verdict)
        assert verdict.complete
        assert verdict.head == report.head
        assert verdict.match_id == report.match_id
        assert verdict.termination == report.outcome.termination.value
        assert verdict.winner == report.outcome.winner
        assert verdict.sets == report.won
        assert verdict.opened == (True, True)
    # Both seats keep the same messages; only the header says whose record it is.
    host, join = (msgpack.Unpacker() for _ in range(2))
    for unpacker, record in ((host, run.records[0]), (join, run.records[1])):
        unpacker.feed(record)
    host_header, *host_rest = host
    join_header, *join_rest = join
    assert host_header == {**join_header, "seat": 0}
    assert sorted(map(repr, host_rest)) == sorted(map(repr, join_rest))


def test_there_are_at_least_twelve_and_together_they_cover_every_rule() -> None:
    matches = [load_seed(folder) for folder in FOLDERS]
    assert len(matches) >= 12
    assert {match.name for match in matches} == set(SHOWS)
    covered = {rule for match in matches for rule in match.covers}
    assert {f"R{number}" for number in range(1, 22)} <= covered
    assert {f"C{number}" for number in (1, 2, 3, 4, 5, 6, 7)} <= covered


def test_every_gold_card_is_played() -> None:
    text = (SEEDS / "every-gold-card" / TEXT_FILE).read_text(encoding="utf-8")
    for card in ("±1T", "1±2", "2&4", "3&6", "D"):
        assert f"plays {card}" in text
