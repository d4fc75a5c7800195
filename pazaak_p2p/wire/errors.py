"""What can go wrong on the wire: our misuse, the other side's misuse, the other side's cheating.

``LocalError`` is a bug of the program that drives the machine. ``Refusal`` is what the other side
did that no peer may do but that proves nothing (specification, section 11, first table). ``Cheat``
(in ``cheats.py``) is a broken match, with the seat and the entry that prove it.
"""

from __future__ import annotations

from typing import ClassVar

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.rules import Seat


class WireError(PazaakError):
    """The protocol was not followed."""


class LocalError(WireError):
    """The program used its own protocol machine wrongly."""

    code = "local"


class OwnFault(WireError):
    """This program was about to say what breaks the protocol, and did not say it."""

    code = "own-fault"
    next = (
        "The match is kept, and nobody has lost it. Check this machine's memory and disk, and go on"
        " with it: pazaak resume"
    )


class WrongSecrets(WireError):
    """What only this player knows of the match is not what its record was made from."""

    code = "wrong-secrets"


class RemoteError(WireError):
    """The other side did not follow the protocol."""

    code = "remote"
    exit_code = Exit.PEER_BROKE_PROTOCOL


class Refusal(RemoteError):
    """The other side sent something that no pazaak peer sends."""

    why = "Its program is faulty, altered, or not pazaak at all."
    next = "Check the address, and that both sides run a current pazaak."


class Garbage(Refusal):
    """The other side does not speak pazaak."""

    code = "garbage"


class Oversized(Refusal):
    """The other side sent a message that is too large."""

    code = "oversized"


class TooDeep(Refusal):
    """The other side sent a message that is nested too deeply."""

    code = "too-deep"


class Malformed(Refusal):
    """The other side sent a message of a wrong shape."""

    code = "malformed"


class Unexpected(Refusal):
    """The other side sent a message at a moment when it cannot come."""

    code = "unexpected"


class Reflected(Refusal):
    """The other side sent our own words back to us."""

    code = "reflected"
    why = "This program is connected to itself, or something between is replaying what it says."


class NoCommonVersion(Refusal):
    """The two programs speak different versions of the pazaak protocol."""

    code = "version"
    exit_code = Exit.MISFIT
    why = "One of them is older than the other."
    next = "Update your copy of pazaak, or have the other player update theirs."

    def __init__(self, ours: tuple[int, ...], theirs: tuple[int, ...]) -> None:
        spoken = [", ".join(str(v) for v in sorted(vs)) for vs in (ours, theirs)]
        super().__init__(f"{type(self).__doc__} Ours: {spoken[0]}. The other side's: {spoken[1]}.")


class IdentityRefused(Refusal):
    """The other side could not prove that its key is its own."""

    code = "identity"
    exit_code = Exit.IDENTITY_REFUSED
    why = (
        "Its signature does not fit the key it showed: something between may be altering messages."
    )
    next = "Ask the other player to compare keys with you by another way, and try again."


class CertificateRefused(Refusal):
    """The other side's greeting was made for another connection than this one."""

    code = "certificate"
    exit_code = Exit.IDENTITY_REFUSED
    why = (
        "The certificate that it names is not the one seen on this line: somebody between may be"
        " reading along."
    )
    next = "Do not play over this network. Try another, or compare keys by another way first."


class CodeRequired(Refusal):
    """The other side has no join code."""

    code = "code-required"
    exit_code = Exit.IDENTITY_REFUSED
    why = "This host asks for one, and its program came without."
    next = "Have the other player type the line that the host prints, with --code at its end."


class CodeUnasked(Refusal):
    """The other side does not go by a join code."""

    code = "code-unasked"
    exit_code = Exit.IDENTITY_REFUSED
    why = "You have a code, and the host asks for none; or it is another machine."
    next = "Check the address, and ask the other player whether they host with --code."


class Occupied(RemoteError):
    """Somebody has come with a join code, while only the other player of our match is let in."""

    code = "busy"
    why = "They are told that we are busy."


class WrongCode(Refusal):
    """The join code is wrong."""

    code = "wrong-code"
    exit_code = Exit.IDENTITY_REFUSED
    why = "It was mistyped, or somebody is guessing, or stands between the two of you."
    next = "Ask the other player to compare the code, and try again."


class BadElement(Refusal):
    """The other side's part of the join code is none that can be."""

    code = "bad-element"


class Flood(Refusal):
    """The other side sent more pings or chat than anyone needs."""

    code = "flood"


class Silent(Refusal):
    """The other side has fallen silent."""

    code: ClassVar[str] = "silent"
    exit_code = Exit.PEER_LOST
    why = "The line is broken, its machine sleeps, or its program hangs."
    next = "Check the network on both sides and connect again."


class Unproven(Refusal):
    """An entry of the match cannot be taken.

    It is in the name of *seat*, after *entry* entries, but does not show that this seat did
    anything wrong: somebody between, or whoever kept the log, can have done it.
    """

    why = "Something between may lose or alter messages, or the other program is faulty."
    next = "Keep the record, and play again over a line that you trust."

    def __init__(self, seat: Seat, entry: int) -> None:
        self.seat = seat
        self.entry = entry
        super().__init__(f"{type(self).__doc__} (in the {seat.name.lower()}'s name, entry {entry})")


class Forked(Refusal):
    """The two records of this match differ from each other.

    The other side shows an entry of ours that is not in our record, at the place of another.
    """

    code = "forked"
    why = "Our record may have been restored from an older copy, after which the match went on."
    next = "Keep both records; 'pazaak verify' compares them."


class EarlyClaim(Refusal):
    """The other side claimed the match although you were hardly away."""

    code = "early-claim"
    why = (
        "By this machine's clock it has not waited as long as it must (specification, section 10)."
    )
    next = "The match is kept here: pazaak resume. Keep the record, which shows how it stands."


class BadSignature(Unproven):
    """An entry or a concession is not signed by its author's key."""

    code = "bad-signature"


class BrokenChain(Unproven):
    """An entry or a concession does not continue the match as we have it."""

    code = "broken-chain"
