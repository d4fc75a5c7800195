"""Verdicts on records in words for people, and as objects for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.rules import Outcome, Seat, Termination, describe
from pazaak_p2p.text import printable
from pazaak_p2p.wire.cheats import WillNotOpen, WillNotReveal
from pazaak_p2p.wire.judge import Together, Verdict
from pazaak_p2p.wire.terms import Kind
from pazaak_p2p.wire.verdict import RecordProblem

WORST_FIRST: Final = (
    Exit.PEER_BROKE_PROTOCOL,
    Exit.USAGE,
    Exit.MISFIT,
    Exit.PEER_LOST,
    Exit.DONE,
)
"""Which exit code counts of several: a proven cheat before a file that is no sound record, then a
record of a newer version, then a match that was broken off."""

_WHO: Final = ("the host", "the joiner")
_TO_DO: Final = {
    Kind.COMMIT: "commit to its side deck",
    Kind.REVEAL: "reveal its share of the next draw",
    Kind.ACT: "act",
    Kind.OPEN: "open its side deck",
}
_IN_A_WORD: Final = {
    Exit.PEER_BROKE_PROTOCOL: "cheat",
    Exit.USAGE: "unsound",
    Exit.MISFIT: "newer",
    Exit.PEER_LOST: "broken-off",
    Exit.DONE: "sound",
}

_HEADLINES: Final = {
    Exit.PEER_BROKE_PROTOCOL: "a cheat is proven",
    Exit.USAGE: "NOT SOUND",
    Exit.PEER_LOST: "broken off",
    Exit.DONE: "sound",
}


def exit_code(verdict: Verdict) -> Exit:
    """What the process ends with if this is all there is to judge."""
    if verdict.cheat is not None:
        return Exit.PEER_BROKE_PROTOCOL
    if verdict.problem is not None:
        return verdict.problem.exit_code
    if verdict.contradiction:
        return Exit.USAGE
    return Exit.DONE if verdict.decided and not verdict.torn else Exit.PEER_LOST


# --- for scripts


def record_event(file: str, verdict: Verdict) -> dict[str, Any]:
    """The object of one file; all but the first four are null or zero if there is no match."""
    code = exit_code(verdict)
    in_a_word = _IN_A_WORD[code]
    if code is Exit.USAGE and not verdict.match_id:
        in_a_word = "no-record"
    claimed = verdict.claimed
    return {
        "event": "record",
        "file": file,
        "verdict": in_a_word,
        "exit": int(code),
        **_match(verdict),
        "keeper": _seat(verdict.keeper),
        "claimed": None
        if claimed is None or verdict.end is None
        else {
            "termination": claimed.termination.value,
            "winner": _seat(claimed.winner),
            "code": verdict.end.code,
        },
        "contradiction": verdict.contradiction or None,
        "torn": verdict.torn,
        "problem": _problem(verdict.problem),
    }


def pair_event(files: Sequence[str], together: Together) -> dict[str, Any]:
    """The object of several files of one match."""
    code = exit_code(together.verdict)
    return {
        "event": "pair",
        "files": list(files),
        "verdict": _IN_A_WORD[code],
        "exit": int(code),
        "agreed": together.agreed,
        **_match(together.verdict),
    }


def _match(verdict: Verdict) -> dict[str, Any]:
    cheat, missing, proven = verdict.cheat, verdict.missing, verdict.proven
    return {
        "match_id": verdict.match_id.hex() or None,
        "players": None
        if verdict.players is None
        else {
            str(seat): {
                "name": player.name,
                "key": player.key.hex(),
                "fingerprint": fingerprint(player.key),
            }
            for seat, player in zip(Seat, verdict.players, strict=True)
        },
        "rules": None if verdict.rules is None else describe(verdict.rules),
        "termination": None if proven is None else proven.termination.value,
        "winner": None if proven is None else _seat(proven.winner),
        "sets": list(verdict.sets),
        "entries": verdict.entries,
        "lots": verdict.lots,
        "cards": verdict.cards,
        "moves": verdict.moves,
        "transcript": verdict.head.hex() or None,
        "opened": list(verdict.opened),
        "complete": verdict.complete,
        "cheat": None
        if cheat is None
        else {
            "code": cheat.code,
            "seat": _seat(cheat.seat),
            "entry": cheat.entry,
            "what": cheat.what,
            "detail": cheat.detail,
        },
        "claim": _seat(verdict.claim),
        "missing": None
        if missing is None
        else {
            "seat": _seat(missing.seat),
            "kind": missing.kind.name.lower(),
        },
    }


def _problem(problem: RecordProblem | None) -> dict[str, str] | None:
    if problem is None:
        return None
    parts = {"what": problem.what, "why": problem.why, "next": problem.next}
    return {"code": problem.refusal or problem.code, **parts}


def _seat(seat: Seat | None) -> str | None:
    return None if seat is None else str(seat)


# --- for people


def headline(verdict: Verdict) -> str:
    """The verdict on a record that has a match, in a few words."""
    return _HEADLINES[exit_code(verdict)]


def tell_record(verdict: Verdict) -> str:
    """One paragraph on one record that has a match, unwrapped."""
    said = _story(verdict)
    if verdict.problem is not None:
        said.insert(0, "Only what stands before the fault counts:")
    if verdict.torn:
        said.append("The file ends within a message, which is left out.")
    said += _words(verdict)
    return " ".join([*said, _proof(verdict)])


def tell_together(files: Sequence[str], verdicts: Sequence[Verdict], together: Together) -> str:
    """One paragraph on several records of one match, unwrapped."""
    whole = together.verdict
    said = ["These are records of one match."]
    shorter = [
        f"{printable(file, 1000)} shows only {_entries(verdict.entries)}"
        for file, verdict in zip(files, verdicts, strict=True)
        if verdict.entries < whole.entries
    ]
    if whole.cheat is not None:
        said.append(f"They begin with the same {_entries(together.agreed)}.")
    elif shorter:
        said.append(f"Together they show {_entries(whole.entries)}; {', '.join(shorter)}.")
    else:
        said.append(f"All show the same {_entries(whole.entries)}.")
    names = "Only the word of the keepers: the names."
    return " ".join([*said, *_story(whole), names, _proof(whole)])


def _story(verdict: Verdict) -> list[str]:
    """Who played, what came of it, what was checked, and where it breaks off."""
    assert verdict.players is not None
    assert verdict.rules is not None
    host, join = (_quoted(player.name) for player in verdict.players)
    said = [f"{host} (host) against {join} (joiner), by the rules {describe(verdict.rules)}."]
    said += _ending(verdict)
    if verdict.lots:
        # Cards that nobody has shown are not counted, so all that is counted was checked.
        lots, cards = _count(verdict.lots, "draw"), _count(verdict.cards, "hand card")
        moves = _count(verdict.moves, "move")
        said.append(f"Every one of {lots}, {cards} and {moves} was checked.")
    if verdict.proven is not None and verdict.cheat is None:
        said.append(_audit(verdict))
    due = verdict.missing
    if verdict.claim is not None:
        claimer, away = _WHO[verdict.claim], _WHO[verdict.claim.other]
        said.append(
            f"{claimer.capitalize()} claimed the match, since {away} did not come back. That it"
            f" was away is only the word of {claimer}, who has signed it."
        )
    if due is not None and not verdict.decided:
        said.append(
            f"It breaks off where {_WHO[due.seat]} was to {_TO_DO[due.kind]}; why, no record can"
            " prove."
        )
    return said


def _ending(verdict: Verdict) -> list[str]:
    proven, cheat, (host, join) = verdict.proven, verdict.cheat, verdict.sets
    score = f"Sets: host {host}, joiner {join}."
    if proven is None:
        return ["The match is not over.", score]
    said: list[str] = []
    if cheat is not None:
        what = f"{cheat.what} {cheat.detail}".strip()
        cheater, other = _WHO[cheat.seat], _WHO[cheat.seat.other]
        said.append(f"{cheater.capitalize()} CHEATED ({cheat.code}) in entry {cheat.entry}: {what}")
        said.append(f"What {cheater} signed proves it, whoever kept the record.")
        if proven.termination is Termination.CHEAT:
            return [*said, f"So the match counts as won by {other}.", score]
        said.append(f"The match had been lost by {cheater} before that:")
    winner = proven.winner
    if winner is None:
        return [*said, "It is a draw, after all the sets that the rules allow.", score]
    won, lost = f"{_WHO[winner]} won", _WHO[winner.other]
    match proven.termination:
        case Termination.CONCESSION:
            said.append(f"{lost.capitalize()} conceded, so {won}. {score}")
        case Termination.TIME:
            said.append(f"{lost.capitalize()} ran out of time and conceded, so {won}. {score}")
        case Termination.CAP:
            said.append(f"{won.capitalize()} more of all the sets that the rules allow. {score}")
        case _:
            sets = _count(verdict.sets[winner], "set")
            said.append(f"{won.capitalize()}, {sets} to {verdict.sets[winner.other]}.")
    return said


def _audit(verdict: Verdict) -> str:
    if verdict.complete:
        return "Both opened their side decks, which are what they had committed to: audited."
    if verdict.opened == (False, False):
        return "Nobody opened a side deck: not audited."
    seat = Seat(verdict.opened.index(True))
    return (
        f"Only {_WHO[seat]} opened its side deck: half audited; of {_WHO[seat.other]} no more than"
        " the cards that were played is proven."
    )


def _words(verdict: Verdict) -> list[str]:
    """What is not proven, and what is not even possible."""
    assert verdict.keeper is not None
    keeper = _WHO[verdict.keeper]
    if verdict.contradiction:
        return [
            f"What its keeper, {keeper}, says at its end cannot be: {verdict.contradiction}"
            " Only what is signed counts."
        ]
    claim = "" if verdict.claimed is None else f"; {_claim(verdict, verdict.claimed)}"
    return [f"Only the word of its keeper, {keeper}: the names{claim}."]


def _claim(verdict: Verdict, claimed: Outcome) -> str:
    assert verdict.end is not None
    code, winner = verdict.end.code, claimed.winner
    if winner is None:
        why = f" ({code})" if code else ""
        return f"that the match was abandoned there{why}"
    did = {
        WillNotReveal.code: "kept back what was due",
        WillNotOpen.code: "would not open its side deck",
    }.get(code, "ran out of time")
    if verdict.claim is not None:
        return f"that {_WHO[verdict.claim]} won by its claim"
    if claimed.termination is Termination.ABANDONED:
        owed = " owing its side deck" if verdict.proven is not None else ""
        did = f"left{owed} ({code})" if code else f"left{owed}"
    return f"that {_WHO[winner.other]} {did}, so that {_WHO[winner]} won"


def _proof(verdict: Verdict) -> str:
    assert verdict.players is not None
    host, join = (fingerprint(player.key) for player in verdict.players)
    return f"The keys: {host} (host), {join} (joiner)."


def _quoted(name: str) -> str:
    """*name* in quotes that it cannot close itself: it may be meant to be taken for our words."""
    return '"{}"'.format(printable(name).replace('"', "'"))


def _entries(n: int) -> str:
    return "1 entry" if n == 1 else f"{n} entries"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
