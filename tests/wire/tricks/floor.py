"""Statements at the wrong moment, or of the wrong seat."""

from __future__ import annotations

from msgspec.structs import replace

from pazaak_p2p.rules import (
    Phase,
)
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.terms import Kind
from tests.wire.tricks.case import (
    AT_TIE,
    END,
    PASS,
    STAND,
    STANDARD,
    Case,
    after_all,
    at_the_opening,
    at_tie,
    cases,
    instead,
    owes,
    they_think,
)

CASES: list[Case] = [
    *cases(
        "without-floor",
        they_think,
        {
            "a share": instead(lambda c: c.reveal()),
            "commitments": instead(lambda c: c.commit()),
        },
    ),
    *cases(
        "without-floor",
        lambda c: c.floor,
        {
            "one share more": after_all(lambda c: c.reveal()),
            "the deck": after_all(lambda c: c.opening()),
            "commitments": after_all(lambda c: c.commit()),
        },
        points=(0, 1, 5),
    ),
    *cases(
        "out-of-turn",
        lambda c: c.they_think and not c.state.stood[c.seat],
        {
            "end": instead(lambda _: END),
            "stand": instead(lambda _: STAND),
            "a card": instead(lambda c: c.play(c.dealt[0])),
            "pass": instead(lambda _: PASS),
        },
        points=(0, 1),
    ),
    *cases(
        "out-of-turn",
        lambda c: c.floor and not c.owes(Kind.ACT) and not c.state.stood[c.seat],
        {
            "end before the card is known": instead(lambda _: END),
            "stand before the card is known": instead(lambda _: STAND),
            "lay": instead(lambda c: m.LayDown(0, c.secret.salt(0))),
        },
        points=(0, 1, 2, 6),
    ),
    *cases(
        "out-of-turn",
        lambda c: c.owes(Kind.OPEN) and not c.state.stood[c.seat],
        {"one more turn after the match": instead(lambda _: END)},
        rules=replace(STANDARD, auto_stand=False, sets=1),
        points=(0,),
    ),
    *cases(
        "after-standing",
        lambda c: c.they_think and c.state.stood[c.seat] and c.state.totals[c.seat] != 20,
        {
            "end": instead(lambda _: END),
            "stand": instead(lambda _: STAND),
            "a card": instead(lambda c: c.play(c.dealt[0])),
        },
        points=(0, 1),
    ),
    *cases(
        "at-twenty",
        lambda c: c.they_think and c.state.stood[c.seat] and c.state.totals[c.seat] == 20,
        {
            "end": instead(lambda _: END),
            "stand": instead(lambda _: STAND),
            "a card": instead(lambda c: c.play(c.dealt[0])),
        },
        points=(0, 1),
    ),
    *cases(
        "wrong-statement",
        owes(Kind.COMMIT),
        {
            "a share instead of commitments": instead(lambda c: c.reveal()),
        },
        points=(0,),
    ),
    *cases(
        "wrong-statement",
        owes(Kind.REVEAL),
        {
            "commitments instead of a share": instead(lambda c: c.commit()),
        },
        points=(0, 1, 2, 7),
    ),
    *cases(
        "wrong-statement",
        owes(Kind.ACT, Phase.ACT),
        {
            "a share instead of an act": instead(lambda c: c.reveal()),
            "pass instead of an act": instead(lambda _: PASS),
            "lay instead of an act": instead(
                lambda c: m.LayDown(c.unplayed[0], c.secret.salt(c.unplayed[0]))
            ),
        },
    ),
    # An entry that begins with the deck might accept a concession; this one does not begin with it.
    *cases(
        "wrong-statement",
        lambda c: c.midway and c.floor and c.state.phase is not Phase.OVER,
        {"the deck instead of anything": instead(lambda c: c.opening())},
        splits=(False,),
        points=(0, 1, 2, 7),
    ),
    *cases(
        "wrong-statement",
        at_tie,
        {
            "end at a tie": instead(lambda _: END),
            "stand at a tie": instead(lambda _: STAND),
            "a card at a tie": instead(lambda c: c.play(c.unplayed[0])),
            "a share at a tie": instead(lambda c: c.reveal()),
        },
        rules=AT_TIE,
        points=(0,),
        splits=(False,),
    ),
    *at_the_opening(
        "wrong-statement",
        {
            "a share instead of the deck": instead(lambda c: c.reveal()),
            "commitments instead of the deck": instead(lambda c: c.commit()),
        },
    ),
]
