"""A signed match over loopback between two processes, against the bare cost of its parts; and TLS.

    python -m benchmarks.match_speed [--matches N] [--rounds N]

The same seeded matches are played three times by two processes over TCP. Plain: for real, with
bots, rules, records and all, as with --insecure-plain. Bare: with blocking sockets that exchange as
many bytes in the same order and, before each send, make as many signatures, verifications, SHA-256
and HMAC as the match made there. TLS: as plain, but encrypted, as users have it. The best round of
each counts. The limit for plain to bare is 2; what TLS costs, in a match and in a handshake, is
told.
"""

from __future__ import annotations

import argparse
import json
import math
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.bare import COUNTED, Step, Tap, Work, count_steps, receive
from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.certificate import Credentials, make_credentials, receive_line
from pazaak_p2p.net.dial import dial, dial_plain
from pazaak_p2p.net.player import BotPlayer
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.seating import HostSeating, JoinSeating, Kit
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, TlsStream
from pazaak_p2p.rules import DECKS, Rules
from pazaak_p2p.store import NoRecord, RecordWriter
from pazaak_p2p.wire import Peer, Role

LIMIT = 2.0
WARM_UP = 10
"""Matches before the clock starts: the interpreter makes code faster that it runs often."""
HOST, JOIN = 0, 1
RULES = Rules(max_sets=99)
DECK = DECKS["wanderer"]


def pump(stream: trio.abc.Stream, seat: int, match: int, record: RecordSink) -> Pump:
    """A threshold bot in *seat* of the seeded match number *match*."""
    secrets = SeedSecrets(f"match_speed {match}", seat)
    peer = Peer(
        key=Ed25519PrivateKey.from_private_bytes(secrets.identity()),
        role=(Role.LISTENER, Role.DIALLER)[seat],
        name=("host", "join")[seat],
        nonce=secrets.hello(0),
        software="match_speed",
        now=trio.current_time(),
        cert=stream.certificate if isinstance(stream, TlsStream) else None,
    )
    kit = Kit(DECK, secrets.nonce(0), secrets.match_secret(0), began=0)
    seating = HostSeating(RULES, lambda: kit) if seat == HOST else JoinSeating(None, kit)
    return Pump(stream, peer, ("host", "join")[seat], seating, BotPlayer(ThresholdBot), record)


# --- what a match is made of


async def dissect(match: int) -> list[Step]:
    """Play the seeded match number *match* within this process, counting."""
    ends = [LeanStream(end) for end in socket.socketpair()]

    async def play(host: Tap, join: Tap) -> None:
        async with trio.open_nursery() as nursery:
            for seat, end in enumerate((host, join)):
                nursery.start_soon(pump(end, seat, match, NoRecord()).run)

    return await count_steps(ends[0], ends[1], play)


# --- the real thing


def numbers(matches: int) -> Iterator[int]:
    """The matches to play: some to warm up, all of them once for the clock."""
    yield from (number % matches for number in range(WARM_UP))
    yield from range(matches)


async def real_host(
    listener: socket.socket, matches: int, folder: Path, credentials: Credentials | None
) -> float:
    """Host them all, encrypted if there are *credentials*; seconds for those that count."""
    door = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    began = 0.0
    with trio.fail_after(60 + matches):
        for played, number in enumerate(numbers(matches)):
            if played == WARM_UP:
                began = time.perf_counter()
            lean = LeanStream.take(await door.accept())
            stream = await receive_line(Carrier(lean), credentials)
            await pump(stream, HOST, number, RecordWriter(folder)).run()
    return time.perf_counter() - began


async def real_join(kind: str, port: int, matches: int, folder: Path) -> None:
    connect = dial if kind == "tls" else dial_plain
    with trio.fail_after(60 + matches):
        for number in numbers(matches):
            stream = await connect(Address("127.0.0.1", port))
            await pump(stream, JOIN, number, RecordWriter(folder)).run()


# --- bare


def bare_match(sock: socket.socket, who: int, steps: list[Step], key: Ed25519PrivateKey) -> None:
    """What *who* computes and exchanges in a match, and nothing else."""
    work = Work(key)
    for step in steps:
        if step["who"] == who:
            work.do(step)
            sock.sendall(bytes(step["size"]))
        else:
            receive(sock, step["size"])


def bare_host(listener: socket.socket, script: list[list[Step]]) -> float:
    key = Ed25519PrivateKey.generate()
    began = 0.0
    for played, number in enumerate(numbers(len(script))):
        if played == WARM_UP:
            began = time.perf_counter()
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with sock:
            bare_match(sock, HOST, script[number], key)
    return time.perf_counter() - began


def bare_join(port: int, script: list[list[Step]]) -> None:
    key = Ed25519PrivateKey.generate()
    for number in numbers(len(script)):
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            bare_match(sock, JOIN, script[number], key)


# --- a handshake


async def handshakes(rounds: int) -> float:
    """Seconds of a handshake, both sides in this process: the best of *rounds*."""
    credentials = make_credentials()
    best = math.inf
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        door = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        address = Address("127.0.0.1", listener.getsockname()[1])

        async def accept() -> None:
            lean = LeanStream.take(await door.accept())
            async with await receive_line(Carrier(lean), credentials):
                pass

        for _ in range(rounds):
            began = time.perf_counter()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(accept)
                stream = await dial(address)
            best = min(best, time.perf_counter() - began)
            await stream.aclose()
    return best


# --- all of them


def timed(kind: str, script_file: Path, folder: Path, matches: int) -> float:
    """Seconds for all matches, this process hosting and a child joining."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        arguments = [kind, str(port), str(script_file), str(folder), str(matches)]
        command = [sys.executable, "-m", "benchmarks.match_speed", "--child", *arguments]
        child = subprocess.Popen(command, cwd=Path(__file__).parents[1])
        if kind == "bare":
            seconds = bare_host(listener, json.loads(script_file.read_text()))
        else:
            listener.setblocking(False)
            credentials = make_credentials() if kind == "tls" else None
            seconds = trio.run(real_host, listener, matches, folder, credentials)
        if child.wait(60):
            raise SystemExit("the other process failed")
    return seconds


def child(kind: str, port: str, script_file: str, folder: str, matches: str) -> None:
    if kind == "bare":
        bare_join(int(port), json.loads(Path(script_file).read_text()))
    else:
        trio.run(real_join, kind, int(port), int(matches), Path(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        child(*options.child)
        return 0
    script = [trio.run(dissect, match) for match in range(options.matches)]
    total = {
        name: sum(step[name] for steps in script for step in steps) / options.matches
        for name in COUNTED.values()
    }
    sends = sum(len(steps) for steps in script) / options.matches
    best = {"plain": math.inf, "bare": math.inf, "tls": math.inf}
    with tempfile.TemporaryDirectory() as folder:
        script_file = Path(folder, "script.json")
        script_file.write_text(json.dumps(script))
        for number in range(options.rounds):
            # Records of the same matches have the same names: a folder for each round.
            for kind in best:
                records = Path(folder, f"{kind}{number}")
                records.mkdir()
                seconds = timed(kind, script_file, records, options.matches)
                best[kind] = min(best[kind], seconds / options.matches)
    ratio = best["plain"] / best["bare"]
    print(
        f"a match: {sends:.1f} sends, {total['sign']:.1f} signatures, {total['verify']:.1f}"
        f" verifications, {total['sha']:.0f} SHA-256, {total['mac']:.0f} HMAC (both sides)"
    )
    print(
        f"plain {best['plain'] * 1e3:.2f} ms, bare {best['bare'] * 1e3:.2f} ms a match;"
        f" {(best['plain'] - best['bare']) / sends * 1e6:.0f} us more a send"
    )
    shaking = trio.run(handshakes, options.matches)
    print(
        f"over TLS {best['tls'] * 1e3:.2f} ms a match, of which {shaking * 1e3:.2f} ms for the"
        f" handshake (both sides); ratio to plain {best['tls'] / best['plain']:.2f}"
    )
    print(
        f"ratio of plain to bare {ratio:.2f}, limit {LIMIT:.1f} (best of {options.rounds} rounds)"
    )
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
