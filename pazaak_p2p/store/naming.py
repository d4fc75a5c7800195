"""Which known player somebody means, and what a player may be called."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.fairness.fingerprint import fingerprint, fits, is_fingerprint
from pazaak_p2p.store.names import alike, readings, same_letters, shown_name
from pazaak_p2p.store.peers_file import MOST_NAME, Book, KnownPeer
from pazaak_p2p.store.trust_errors import AmbiguousPlayer, NicknameRefused, UnknownPlayer

_SHOWN: Final = 5


def find(book: Book, who: str) -> KnownPeer:
    """The player that *who* means: nickname, name, or the beginning of a fingerprint; a former
    name, if it is nothing else.

    Raises :class:`UnknownPlayer` or :class:`AmbiguousPlayer`.
    """
    peers = list(book.values())
    # A whole fingerprint is nothing else, whatever somebody has chosen for a name.
    found = [peer for peer in peers if is_fingerprint(who) and fits(who, peer.key)]
    if not found:
        found = [
            peer
            for peer in peers
            if fits(who, peer.key) or same_letters(who, peer.name) or same_letters(who, peer.label)
        ]
    if not found:
        found = [peer for peer in peers if any(same_letters(who, n) for n in peer.earlier_names)]
    if not found:
        raise UnknownPlayer(f"You know no player {shown_name(who)!r}.")
    if len(found) > 1:
        listed = [f"{shown_name(peer.label)} {fingerprint(peer.key)}" for peer in found[:_SHOWN]]
        more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise AmbiguousPlayer(
            f"{shown_name(who)!r} can mean {len(found)} players that you know.",
            why=f"They are {', '.join(listed)}{more}.",
            next="Type the beginning of the fingerprint that you mean, or all of it.",
        )
    return found[0]


def check_nickname(book: Book, peer: KnownPeer, nickname: str) -> None:
    """See that *nickname* suits *peer* and nobody else. Raises :class:`NicknameRefused`."""
    if not readings(nickname) or len(nickname) > MOST_NAME or not nickname.isprintable():
        raise NicknameRefused(
            why=f"A nickname has 1 to {MOST_NAME} printable characters, and not only blanks.",
            next="Type another, or '' to take the nickname away.",
        )
    if is_fingerprint(nickname):
        raise NicknameRefused(
            why="It would be taken for a fingerprint.", next="Type another nickname."
        )
    for other in book.values():
        if other.key != peer.key and any(alike(nickname, name) for name in other.names):
            raise NicknameRefused(
                f"{nickname!r} is too much like the name of another player you know.",
                why=f"That is {shown_name(other.label)} {fingerprint(other.key)}.",
                next="Type another nickname, or rename or forget that player first.",
            )
