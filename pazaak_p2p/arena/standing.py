"""What a ledger comes to: players, pairings and side decks, the best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pazaak_p2p.arena.ledger import Ledger, Tally
from pazaak_p2p.arena.rating import Duel, Ratings, rate, rate_duel
from pazaak_p2p.arena.sprt import Verdict


class Row(msgspec.Struct, frozen=True):
    """A player, or a side deck, in the table."""

    name: str
    score: float
    """Points per game, 0 to 1."""
    wins: int
    draws: int
    losses: int
    elo: float | None
    """Above the average, in a gauntlet above its first; None where there is no estimate (see
    ``rating.py``)."""
    elo_error: float | None
    """Half the width of the 95 % interval."""
    los: float | None
    """The likelihood that it is stronger than the next one in the table, in a gauntlet than its
    first."""
    beyond: int = 0
    """1 or -1 for one who won, or lost, everything against the rated ones."""
    crash: int = 0
    cheat: int = 0
    time: int = 0
    illegal: int = 0
    garbage: int = 0


class Meeting(msgspec.Struct, frozen=True):
    """A pairing, for its first player."""

    players: tuple[str, str]
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    """How many pairs of games gave 0, 1/2, 1, 3/2 and 2 points."""
    duel: Duel | None
    llr: float | None
    verdict: Verdict | None


def stand(ledger: Ledger) -> list[Row]:
    """The table of the players; in a gauntlet its first, and then the others."""
    if ledger.plan.gauntlet:
        return _gauntlet(ledger)
    results = dict(zip(ledger.pairings, ledger.pairs, strict=True))
    ratings = rate(len(ledger.players), results)
    return _rows([entrant.name for entrant in ledger.plan.entrants], ledger.players, ratings)


def _gauntlet(ledger: Ledger) -> list[Row]:
    """Each by its games against the first, which is all that there is to go by."""
    first, *others = (entrant.name for entrant in ledger.plan.entrants)
    rows = []
    for name, tally, pairs in zip(others, ledger.players[1:], ledger.pairs, strict=True):
        duel = rate_duel(pairs[::-1])
        if duel is None:
            rows.append(_row(name, tally, None, None, None))
        else:
            beyond = 0 if duel.elo is not None else 1 if duel.score else -1
            rows.append(_row(name, tally, duel.elo, duel.error, duel.los, beyond))
    rows.sort(key=lambda row: (row.beyond, row.elo or 0.0), reverse=True)
    return [_row(first, ledger.players[0], 0.0, None, None), *rows]


def scores_against(ledger: Ledger) -> dict[tuple[str, str], float]:
    """Points per game, 0 to 1, of one against another who have met, by their names."""
    scores = {}
    for meeting in meetings(ledger):
        if meeting.duel is not None:
            one, two = meeting.players
            scores[one, two], scores[two, one] = meeting.duel.score, 1 - meeting.duel.score
    return scores


def stand_decks(ledger: Ledger) -> list[Row]:
    """The table of the side decks, by the games of each bot with one against itself with another.

    Others would tell of the bots as much as of the decks. Empty if there are none.
    """
    names: list[str] = []
    tallies: list[Tally] = []
    results: dict[tuple[int, int], list[int]] = {}
    for (a, b), duel, pairs in zip(ledger.pairings, ledger.duels, ledger.pairs, strict=True):
        one, two = (ledger.plan.entrants[player] for player in (a, b))
        if one.bot != two.bot or one.deck_name == two.deck_name:
            continue
        for deck in (one.deck_name, two.deck_name):
            if deck not in names:
                names.append(deck)
                tallies.append(Tally())
        first, second = names.index(one.deck_name), names.index(two.deck_name)
        for at, wins, losses in (
            (first, duel.wins, duel.losses),
            (second, duel.losses, duel.wins),
        ):
            tallies[at].wins += wins
            tallies[at].draws += duel.draws
            tallies[at].losses += losses
        key, counts = (first, second), pairs
        if first > second:
            key, counts = (second, first), pairs[::-1]
        results[key] = [x + y for x, y in zip(results.get(key, [0] * 5), counts, strict=True)]
    return _rows(names, tallies, rate(len(names), results)) if names else []


def meetings(ledger: Ledger) -> list[Meeting]:
    """The pairings, in their order."""
    names = [entrant.name for entrant in ledger.plan.entrants]
    test = ledger.plan.sprt
    return [
        Meeting(
            (names[a], names[b]),
            duel.wins,
            duel.draws,
            duel.losses,
            tuple(pairs),
            rate_duel(pairs),
            None if test is None else test.llr(pairs),
            None if test is None else verdict,
        )
        for (a, b), duel, pairs, verdict in zip(
            ledger.pairings, ledger.duels, ledger.pairs, ledger.verdicts, strict=True
        )
    ]


def turned(meeting: Meeting) -> Meeting:
    """*meeting* for its second player. What a test says is of the first, and is left out."""
    (one, two), pairs = meeting.players, meeting.pairs[::-1]
    duel = rate_duel(pairs)
    return Meeting((two, one), meeting.losses, meeting.draws, meeting.wins, pairs, duel, None, None)


def whole_gauntlet(ledger: Ledger) -> Meeting:
    """All that the first of a gauntlet has played, as if against one."""
    tally = ledger.players[0]
    pairs = tuple(map(sum, zip(*ledger.pairs, strict=True)))
    names = ledger.plan.entrants[0].name, "all"
    duel = rate_duel(pairs)
    return Meeting(names, tally.wins, tally.draws, tally.losses, pairs, duel, None, None)


def _rows(names: Sequence[str], tallies: Sequence[Tally], ratings: Ratings) -> list[Row]:
    def rank(player: int) -> tuple[float, float, float]:
        rating = ratings.players[player]
        return (rating.beyond, rating.elo or 0.0, tallies[player].score)

    order = sorted(range(len(names)), key=rank, reverse=True)
    rows = []
    for at, player in enumerate(order):
        rating = ratings.players[player]
        below = order[at + 1] if at + 1 < len(order) else None
        los = None if below is None else ratings.superiority(player, below)
        rows.append(
            _row(names[player], tallies[player], rating.elo, rating.error, los, rating.beyond)
        )
    return rows


def _row(
    name: str,
    tally: Tally,
    elo: float | None,
    error: float | None,
    los: float | None,
    beyond: int = 0,
) -> Row:
    faults: Mapping[str, int] = tally.faults
    return Row(
        name, tally.score, tally.wins, tally.draws, tally.losses, elo, error, los, beyond, **faults
    )
