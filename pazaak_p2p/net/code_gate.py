"""How join codes are judged at a host's door: one after the other, and slower after each wrong one.

A code has few bits, so what keeps it is that guesses are few (specification, section 5.4). One who
dials has one guess; the gate sees to it that dialling often, or many times at once, gives no more
than a handful. Only a confirmation is a guess: who goes before that has learned nothing, costs
nothing, and holds nobody up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from pazaak_p2p.net.errors import Busy, CodeLater
from pazaak_p2p.wire import Peer

MOST_WRONG: Final = 5
"""Wrong guesses after which a code is withdrawn, if there can be another."""
FIRST_DELAY: Final = 1.0
"""Seconds after a wrong guess until the next is looked at; doubled by each further one."""
LONGEST_DELAY: Final = 30.0
MARGIN: Final = 1.0
"""Seconds before the end of a greeting by which its code must be judged, so that it can end."""


class CodeGate:
    """Judges what is tried against ``code``, the join code that is in force.

    *renew* gives the next code when one is withdrawn. It may be the same again, if the user has
    given it: then only the pauses keep it, which do not become shorter by that. *taken* tells
    whether the seat is taken: nothing is judged then.
    """

    def __init__(self, code: str, renew: Callable[[], str], taken: Callable[[], bool]) -> None:
        self.code = code
        self._renew = renew
        self._taken = taken
        self._line = trio.Lock()  # first come, first served
        self._wrong = 0
        self._delay = FIRST_DELAY
        self._not_before = 0.0

    async def judge(self, code: str, peer: Peer) -> None:
        """Have *peer*, which was made with *code*, judge what was tried on it, in its turn.

        Raises :class:`CodeLater` if its turn comes too late for its greeting, or if its code has
        been withdrawn meanwhile; ``Busy`` if the seat is taken.
        """
        deadline = peer.next_deadline()
        if deadline is None:  # it has gone already
            return
        latest = deadline - MARGIN
        with trio.CancelScope(deadline=latest) as waiting:
            await self._line.acquire()
        if waiting.cancelled_caught:
            raise CodeLater
        try:
            if code != self.code or max(self._not_before, trio.current_time()) > latest:
                raise CodeLater
            await trio.sleep_until(self._not_before)
            if self._taken():
                raise Busy
            self._look(peer)
        finally:
            self._line.release()

    def _look(self, peer: Peer) -> None:
        if not peer.code_waits:  # it has gone meanwhile, and will not be told
            return
        now = trio.current_time()
        if peer.try_code(now):
            self._wrong, self._delay = 0, FIRST_DELAY
            return
        self._wrong += 1
        self._not_before = now + self._delay
        self._delay = min(2 * self._delay, LONGEST_DELAY)
        if self._wrong == MOST_WRONG:
            self._wrong = 0
            self.code = self._renew()
