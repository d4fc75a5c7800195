"""Names and talk that try to take over the terminal of whoever reads them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.errors import PeerLeft
from pazaak_p2p.net.player import Away, Concede, Link, Request, Say
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.seating import HostSeating, Kit
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import DECKS, Action, Rules, View
from pazaak_p2p.store import NoRecord
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.events import Event
from tests.e2e.persons import check, pazaak
from tests.terminal import Terminal

NAME = "\x1b[2J\u202eKreia\u200b\n"
TALK = (
    "\x1b]0;owned\x07\x1b[?1049l\x1b[31m \x9b2J\x9b?1000l\x85\r\n\n\n",
    "\u202eover\u202c \u2066isolated\u2069 zero\u200bwidth שלום عولم مرحبا",
    "👩\u200d🚀 👨\u200d👩\u200d👧 👍\U0001f3fd 🇩🇪",
    "o" + "\u0301" * 499,
    "無" * 500,
)
# As bytes: what may only come from the program itself, or not at all.
NEVER = ("owned\x07", "\x9b", "\x85", "\u202e", "\u200b", "\u2066", "\u200d", "\x1b[31m")


class Talker:
    """A player who never moves, and says what it is told to."""

    instant = False
    hold = 0.0

    def __init__(self) -> None:
        self.says, self.requests = trio.open_memory_channel[Request](0)

    async def ask(self, view: View) -> Action | Concede:
        await trio.sleep_forever()
        raise AssertionError

    def notice(self, event: Event | Away) -> None:
        """Nothing: it only talks."""

    def linked(self, link: Link) -> None:
        """Nothing: it only talks."""

    def refused(self, why: str) -> None:
        raise AssertionError(why)


def host(stream: LeanStream, player: Talker) -> Pump:
    secrets = SeedSecrets("hostile words", 0)
    peer = Peer(
        key=Ed25519PrivateKey.from_private_bytes(secrets.identity()),
        role=Role.LISTENER,
        name=NAME,
        nonce=secrets.hello(0),
        software="tests",
        now=trio.current_time(),
    )
    kit = Kit(DECKS["wanderer"], secrets.nonce(0), secrets.match_secret(0), began=0)
    return Pump(stream, peer, "host", HostSeating(Rules(), lambda: kit), player, NoRecord())


async def play(pump: Pump) -> None:
    """Until the reader leaves."""
    with pytest.raises(PeerLeft):
        await pump.run()


async def waits_for(terminal: Terminal, text: str) -> None:
    await trio.to_thread.run_sync(terminal.wait_for, text)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 16)])
async def test_the_table_stands_whatever_is_said(tmp_path: Path, columns: int, rows: int) -> None:
    (door,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with door:
        await talk_at(door, tmp_path, columns, rows)


async def talk_at(door: trio.SocketListener, tmp_path: Path, columns: int, rows: int) -> None:
    address = f"127.0.0.1:{door.socket.getsockname()[1]}"
    options = ["--insecure-plain", "--seed", "words"]
    player = Talker()
    with pazaak(tmp_path, "join", address, *options, columns=columns, rows=rows) as terminal:
        stream = LeanStream.take(await door.accept())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, host(stream, player))
            await waits_for(terminal, "Your turn.")
            await waits_for(terminal, "draws checked")
            before = terminal.lines()[: 9 if rows == 24 else 5]
            for number, text in enumerate(TALK):
                await player.says.send(Say(text))
                await player.says.send(Say(f"mark {number}"))
                await waits_for(terminal, f"mark {number}")
                assert terminal.lines()[: len(before)] == before
                assert terminal.full_screen
                assert "draws checked" in terminal.lines()[-1]
            terminal.send("qq")
            end = await trio.to_thread.run_sync(terminal.finish)
        check(end, Exit.INTERRUPTED)
    for sign in NEVER:
        assert sign.encode() not in terminal.raw, sign
