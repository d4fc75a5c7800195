"""Both seats of a match within one program."""

from __future__ import annotations

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import PeerLost
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport


async def run_both(one: Pump, two: Pump) -> tuple[MatchReport, MatchReport]:
    """Run *one* and *two*, which are at the two ends of a stream, to their reports.

    Raises what broke the match off, as told by the side where it began.
    """
    failures: list[PazaakError] = []

    async def run(pump: Pump) -> None:
        try:
            await pump.run()
        except PazaakError as error:
            failures.append(error)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, one)
        nursery.start_soon(run, two)
    if failures:
        # Who is left alone by the other side knows the least of why.
        raise next((e for e in failures if not isinstance(e, PeerLost)), failures[0])
    assert one.match.report is not None
    assert two.match.report is not None
    return one.match.report, two.match.report
