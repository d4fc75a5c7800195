"""Waiting for opponents on a port."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import weakref
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import trio

from pazaak_p2p.net.errors import CannotListen, PortInUse
from pazaak_p2p.text import printable

# Family, and the address with its port still 0.
_Target: TypeAlias = tuple[socket.AddressFamily, tuple[Any, ...]]

_BACKLOG: Final = 64
_TRIES: Final = 20
_LOOKUP_SECONDS: Final = 10.0
_OPEN: Final[weakref.WeakSet[socket.socket]] = weakref.WeakSet()
"""Those that listen. A Python bot may fork, and what it leaves behind is to hold no port."""


def _close_all() -> None:
    for sock in list(_OPEN):
        sock.close()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_close_all)


async def listen(port: int, bind: str | None = None) -> list[trio.SocketListener]:
    """Sockets that listen on *port* of *bind*, an address or a name, or of all addresses.

    All are those of both IPv4 and IPv6. *port* 0 takes any free one, the same for all sockets.
    Raises :class:`PortInUse` and :class:`CannotListen`.
    """
    targets = await _targets(bind)
    try:
        everywhere = bind is None
        if port == 0:
            return _listen_any(targets, everywhere)
        return _listen(targets, port, everywhere)
    except OSError as error:
        raise _listen_error(error, targets, port, bind) from error


async def _targets(bind: str | None) -> list[_Target]:
    if bind is None:
        return [(socket.AF_INET, ("0.0.0.0", 0)), (socket.AF_INET6, ("::", 0, 0, 0))]
    shown = printable(bind, 80)
    found = None
    with trio.move_on_after(_LOOKUP_SECONDS):
        try:
            found = await trio.socket.getaddrinfo(bind, 0, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise CannotListen(
                f"There is no address {shown!r} to listen on.",
                why="It is neither an IP address nor a name that this machine can look up.",
                next="Leave --bind out to listen on all addresses of this machine.",
            ) from error
    if not found:
        raise CannotListen(
            f"The name {shown!r} could not be looked up.",
            why=f"The name service did not answer within {_LOOKUP_SECONDS:.0f} seconds.",
            next="Name an IP address of this machine, or leave --bind out to listen on all.",
        )
    return list(dict.fromkeys((family, tuple(where)) for family, _, _, _, where in found))


def _listen(
    targets: Sequence[_Target],
    port: int,
    everywhere: bool,
) -> list[trio.SocketListener]:
    listeners: list[trio.SocketListener] = []
    with contextlib.ExitStack() as undo:
        for family, (host, _, *more) in targets:
            try:
                sock = _open(family, (host, port, *more))
            except OSError as error:
                # A machine without IPv6 (or IPv4) still hosts on what it has.
                if everywhere and error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
                    continue
                raise
            undo.callback(sock.close)
            _OPEN.add(sock)
            listeners.append(trio.SocketListener(trio.socket.from_stdlib_socket(sock)))
        if not listeners:
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
        undo.pop_all()
    return listeners


def _open(family: socket.AddressFamily, address: tuple[Any, ...]) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "nt":
            # There SO_REUSEADDR would let a second program share the port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # type: ignore[attr-defined]
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except BaseException:
        sock.close()
        raise
    return sock


def _listen_any(targets: Sequence[_Target], everywhere: bool) -> list[trio.SocketListener]:
    """A port free in all families: the system picks for the first, the rest must follow."""
    for attempt in range(_TRIES):
        with _open(targets[0][0], targets[0][1]) as probe:
            port = int(probe.getsockname()[1])
        try:
            return _listen(targets, port, everywhere)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or attempt == _TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _listen_error(
    error: OSError,
    targets: Sequence[_Target],
    port: int,
    bind: str | None,
) -> CannotListen:
    shown = "this machine" if bind is None else printable(bind, 80)
    match error.errno:
        case errno.EADDRINUSE:
            return PortInUse(port, _free_port(targets, port, bind is None))
        case errno.EACCES if port < 1024:
            return CannotListen(
                f"Port {port} may not be used.",
                why="Ports below 1024 are reserved for the system.",
                next=f"Type: pazaak host --port {_free_port(targets, 7777, bind is None)}",
            )
        case errno.EADDRNOTAVAIL:
            return CannotListen(
                f"{shown} is not an address of this machine.",
                why="One can only listen on an address that the machine itself has.",
                next="Leave --bind out to listen on all addresses of this machine.",
            )
        case errno.EINVAL if "%" not in shown:
            return CannotListen(
                f"{shown} needs to say on which network interface it is.",
                why="A link-local IPv6 address is the same on every interface.",
                next="Put the interface behind it, as in fe80::1%eth0.",
            )
        case _:
            return CannotListen(
                f"Port {port} of {shown} cannot be listened on.",
                why=f"The system says: {error.strerror or error}.",
            )


def _free_port(
    targets: Sequence[_Target],
    near: int,
    everywhere: bool,
) -> int:
    """A port that can be listened on, the first above *near* if one of the next twenty is free."""
    for port in range(max(near, 1024), min(near + _TRIES, 65535) + 1):
        try:
            opened = _listen(targets, port, everywhere)
        except OSError:
            continue
        for listener in opened:
            listener.socket.close()
        return port
    with _open(targets[0][0], targets[0][1]) as probe:
        return int(probe.getsockname()[1])
