"""Words about players: who somebody is to us, for a person to read."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.store.meeting import Case, Meeting
from pazaak_p2p.store.names import alike, shown_name
from pazaak_p2p.store.peers_file import KnownPeer

YES: Final = "yes"
COMMON_NAMES: Final = ("root", "user", "player", "admin", "pi")
"""What accounts are called that nobody has given a name."""
_SHOWN: Final = 3


def describe_peer(peer: KnownPeer) -> str:
    """What *peer* is called, by us and by itself."""
    said = f"calls itself {shown_name(peer.name)}"
    if peer.earlier_names:
        said += f", before that {', '.join(map(shown_name, reversed(peer.earlier_names)))}"
    if peer.nickname is not None:
        return f"{shown_name(peer.nickname)} ({said})"
    return f"{shown_name(peer.name)} ({said})" if peer.earlier_names else shown_name(peer.name)


def count_matches(peer: KnownPeer) -> str:
    """How many matches with *peer* were played to an end."""
    return "1 match" if peer.matches == 1 else f"{peer.matches} matches"


def describe_meeting(meeting: Meeting | None) -> str:
    """One sentence on who has come; *meeting* is as ``Introductions.judge`` gives it."""
    if meeting is None:
        return "The other side has your own key: you play against yourself."
    name, peer = shown_name(meeting.name), meeting.peer
    key = f"key {fingerprint(meeting.key)}"
    if meeting.case is Case.NAME_TAKEN:
        return f"{name} has another key than the one you knew by this name; you trust it: {key}."
    if peer is None:
        return f"{name} is new to you, {key}."
    if meeting.case is Case.RENAMED:
        name += f", until now {shown_name(peer.name)}"
    if peer.nickname is not None:
        name += f", whom you call {shown_name(peer.nickname)}"
    return f"You know {name}: {_history(peer)}, {key}."


def question(meeting: Meeting, own_name: str) -> list[str]:
    """The lines that ask whether the player of *meeting*, whose name is taken, is to be trusted.

    *own_name* is what this machine would call its own user.
    """
    lines = ["", "!! A NAME THAT YOU KNOW, WITH ANOTHER KEY !!", ""]
    for peer in meeting.holders[:_SHOWN]:
        # Names alone in their lines: they are of any width and in any script.
        lines.append(f"  You know this player ({_history(peer)}):")
        lines += [f"      {shown_name(name)}" for name in dict.fromkeys((peer.label, peer.name))]
        lines.append(f"      key {fingerprint(peer.key)}")
    if len(meeting.holders) > _SHOWN:
        lines.append(f"  And {len(meeting.holders) - _SHOWN} more.")
    if meeting.peer is None:
        lines.append("  Who comes now is somebody with a key that you do not know:")
    else:
        known = shown_name(meeting.peer.label)
        lines.append(f"  Who comes now is one whom you know as {known} ({_history(meeting.peer)}):")
    lines += [f"      {shown_name(meeting.name)}", f"      key {fingerprint(meeting.key)}", ""]
    if any(alike(meeting.name, common) for common in (own_name, *COMMON_NAMES)):
        lines.append("  Many computers give this name by themselves, so it may well be chance.")
    return [
        *lines,
        "  Perhaps they play from another machine, or lost their key. Perhaps it is",
        "  somebody else. Ask them, by voice or another way that you trust, to read out",
        "  what 'pazaak peers me' shows there.",
        "",
        f"Type {YES} to play with this key; anything else refuses it:",
    ]


def _history(peer: KnownPeer) -> str:
    seen = f"{peer.first_seen.astimezone():%Y-%m-%d}"
    if not peer.matches:
        return f"first met {seen}"
    return f"{count_matches(peer)} since {seen}"
