"""How a session ends: our goodbye, theirs, and closing so that the last words arrive."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import trio

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.net.errors import (
    Accused,
    Busy,
    CodeLater,
    CodeRefused,
    Convicted,
    Intercepted,
    Left,
    NotOpen,
    OnlyOneEncrypts,
    PeerLeft,
    TermsRefused,
    Undecided,
    VersionRefused,
)
from pazaak_p2p.net.tls import TlsStream
from pazaak_p2p.text import printable
from pazaak_p2p.wire import Peer
from pazaak_p2p.wire.errors import (
    CertificateRefused,
    IdentityRefused,
    RemoteError,
    WrongCode,
)
from pazaak_p2p.wire.messages import ByeReason

CHUNK: Final = 65_536
"""Bytes to take from a stream at once."""
UNDECIDED: Final = "undecided"
"""The text of a ``declined`` whose user has not answered yet."""
CODE_LATER: Final = "code"
"""The text of a ``busy`` that is about the join code alone (specification, section 5.4)."""
PARTING_SECONDS: Final = 1.0
"""How long a goodbye may take when something went wrong or the user wants to leave."""
FAREWELL_SECONDS: Final = 5.0
"""How long we wait for the other side to close after a match that went well."""
_FAREWELL_BYTES: Final = 262_144


async def heard_out(stream: trio.abc.Stream, peer: Peer) -> bool:
    """Wait for the goodbye of the other side, if only that shows that it has our last entry.

    Does it have it?
    """
    with trio.move_on_after(FAREWELL_SECONDS), suppress(trio.BrokenResourceError, RemoteError):
        while not peer.confirmed and (data := await stream.receive_some(CHUNK)):
            peer.receive(bytes(data), trio.current_time())
            while peer.next_event() is not None:
                pass
    return peer.confirmed


async def linger(stream: trio.abc.Stream) -> None:
    """Say that nothing more comes, and wait until the other side has said so too.

    To close while bytes of the other side lie unread would make the system throw away what it has
    not yet sent of ours. The caller sets the deadline. Raises ``trio.BrokenResourceError``.
    """
    if isinstance(stream, TlsStream):
        stream = await stream.close_notify()
    if isinstance(stream, trio.abc.HalfCloseableStream):
        await stream.send_eof()
    taken = 0
    while taken < _FAREWELL_BYTES and (data := await stream.receive_some(CHUNK)):
        taken += len(data)


def farewell_text(error: BaseException | None) -> str:
    """What to say beside the reason when *error* is why we leave."""
    match error:
        case RemoteError():
            return error.code
        case CodeLater():
            return CODE_LATER
        case Undecided():
            return UNDECIDED
        case _:
            return ""


def goodbye(error: BaseException | None) -> ByeReason:
    """The reason to give when *error* (None: nothing) is why we leave."""
    match error:
        case None:
            return ByeReason.DONE
        case Busy():
            return ByeReason.BUSY
        case TermsRefused():
            return ByeReason.DECLINED
        case RemoteError():
            return ByeReason.PROTOCOL
        case PazaakError(exit_code=Exit.IDENTITY_REFUSED):
            return ByeReason.DECLINED
        case Exception() if not isinstance(error, Left | BrokenPipeError):
            return ByeReason.FAULT
        case _:
            return ByeReason.INTERRUPTED


def declined(reason: str, text: str) -> TermsRefused:
    """The other side declined our offer with these words."""
    if reason == "unknown":
        return NotOpen()
    said = printable(text, 300)
    why = {
        "rules": "It asked for other rules.",
        "deck": "Its side deck does not suit these rules.",
        "user": "Its player does not want to play by them.",
    }.get(reason, TermsRefused.why)
    if reason == "deck":
        return TermsRefused(
            "The other player's side deck cannot be played by these rules.",
            why=f"It says: {said}" if said else why,
            next="The other player needs another deck: join again with another --deck.",
        )
    return TermsRefused(
        "The other player declined the rules of this match.",
        why=f"{why} It says: {said}" if said else why,
    )


def said_bye(reason: str, text: str) -> PazaakError:
    """The other side left, with these words, before its work was done."""
    said = printable(text, 300)
    match reason:
        case "busy":
            return CodeLater() if text == CODE_LATER else Busy()
        case "version":
            return VersionRefused(why=f"It says: {said}" if said else None)
        case "declined" if text == UNDECIDED:
            return TermsRefused(
                "The other player has not yet said whether you are let in.",
                why="Their program knows your name with another key, and is still asking them.",
                next="Read out to them what 'pazaak peers me' shows here, and join again when they"
                " have said yes.",
            )
        case "declined":
            # Before any offer was answered: what does not suit in an offer is declined in words.
            return TermsRefused(
                "The other player's program did not let you in.",
                why="It may know somebody else by your name, or you by another key.",
                next="Ask them. 'pazaak peers me' shows the fingerprint of your key, to read out to"
                " them, and --name gives you another name.",
            )
        case "protocol" if text == OnlyOneEncrypts.code:
            return OnlyOneEncrypts(
                "The host takes encrypted connections only.",
                why="You joined with --insecure-plain, and it was started without.",
                next="Join without --insecure-plain.",
            )
        case "protocol" if text in (CertificateRefused.code, IdentityRefused.code):
            return Intercepted()
        case "protocol" if text == WrongCode.code:
            return CodeRefused()
        case "cheat" | "protocol":
            accused = Convicted if reason == "cheat" else Accused
            return accused(f"{accused.__doc__} It says: {said or reason}.")
        case "timeout":
            return PeerLeft(why="Its program says that it waited too long.")
        case "fault":
            return PeerLeft(why="Its program says that it has a fault.")
        case "interrupted":
            return PeerLeft("The other player left.", why="They interrupted their program.")
        case "later":
            return PeerLeft(
                "The other player left for now.", why="They mean to go on with the match later."
            )
        case _:
            return PeerLeft()
