"""Whether a Dask scheduler listens at an address, before Dask itself is let near it.

Dask believes whatever number it reads first, and may ask the system for that much memory; and from
one that is silent it takes long to give up. But its schedulers speak first: a message about
themselves, whose length comes before it (``distributed/comm/tcp.py``). So that is looked at here.
"""

from __future__ import annotations

import struct
from typing import Final

import trio

from pazaak_p2p.arena.errors import NoCluster
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import dial_plain
from pazaak_p2p.net.errors import AddressError, CannotConnect
from pazaak_p2p.text import printable

_HEAD: Final = struct.Struct("<QQ")
"""The bytes that follow it, and in how many pieces they are; then comes the length of each."""
_LENGTH: Final = 8
_MOST_BYTES: Final = 100_000
"""That a scheduler may say of itself: a few hundred, in truth."""
_MOST_SHOWN: Final = 30


def knock(address: Address, shown: str, seconds: float) -> None:
    """Raises :class:`NoCluster` if no Dask scheduler speaks at *address*, which is *shown* so.

    It has *seconds* to do it, once there is a connection.
    """
    why = trio.run(_heard, address, seconds)
    if why is not None:
        raise NoCluster(f"There is no Dask cluster at {shown}.", why=why)


async def _heard(address: Address, seconds: float) -> str | None:
    """What is wrong with whoever listens at *address*, if anything is."""
    try:
        stream = await dial_plain(address)
    except (CannotConnect, AddressError) as error:
        # What is typical for a host of pazaak is not for a scheduler; what the system said, is.
        return f"{error.what} {error.why}" if type(error) is CannotConnect else error.what
    head = b""
    try:
        with trio.fail_after(seconds):
            while len(head) < _HEAD.size and (more := await stream.receive_some(1000)):
                head += more
    except trio.TooSlowError:
        return (
            f"What listens there has said nothing of use within {seconds:g} seconds. It hangs, or"
            " speaks another protocol, in which the other side begins (HTTP, or Dask with TLS)."
        )
    except trio.BrokenResourceError:
        pass  # as one that closes
    finally:
        await trio.aclose_forcefully(stream)
    if len(head) < _HEAD.size:
        return "What listens there closes the connection before it has said who it is."
    size, pieces = _HEAD.unpack_from(head)
    if size > _MOST_BYTES or not 0 < pieces <= size // _LENGTH:
        said = printable(head[:_MOST_SHOWN].decode(errors="replace"))
        return f"What listens there does not speak as Dask does. It says: {said}"
    return None
