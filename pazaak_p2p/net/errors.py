"""What can go wrong between two machines."""

from __future__ import annotations

from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.wire.errors import RemoteError


def resuming(match_id: bytes) -> str:
    """What to type to go on with the match of this id."""
    return f"pazaak resume {match_id[:4].hex()}"


def way_back(match_id: bytes) -> str:
    """What to do next, for whoever leaves or loses a match that is kept."""
    return f"Go on with the match: {resuming(match_id)}"


class AddressError(UsageError):
    """That is no address to connect to."""

    code = "address"
    why = "An address is a host name or an IP address, with :PORT behind it if it is not 7777."
    next = "Write it like: 192.168.1.5  or  example.org:7778  or  [fd00::5]:7778"


class CannotConnect(PazaakError):
    """No connection could be made."""

    code = "no-connection"
    exit_code = Exit.NO_CONNECTION
    why = "The network did not say why."
    next = "Check the address with the other player and try again."


class UnknownHost(CannotConnect):
    """There is no machine of that name."""

    code = "unknown-host"
    why = "The name is mistyped, or this network's name service does not know it."
    next = "Ask the other player for the numbers that 'pazaak host' printed, and type those."


class Refused(CannotConnect):
    """The other machine answered, but nobody is hosting there."""

    code = "refused"
    why = (
        "Usual causes: no 'pazaak host' runs there, it uses another port, or a firewall turns"
        " connections away."
    )
    next = "Have the other player run 'pazaak host' and type the line that it prints."


class TimedOut(CannotConnect):
    """The other machine did not answer."""

    code = "timed-out"
    why = (
        "Usual causes: the machine is off, on another network, or a firewall drops the connection."
    )
    next = "Check that both machines are on the same network, and the address, and try again."


class Unreachable(CannotConnect):
    """There is no way to that address from here."""

    code = "unreachable"
    why = "This machine is not on a network that leads there."
    next = "Check this machine's network connection, and the address."


class NotPazaak(CannotConnect):
    """What answered is no pazaak host."""

    code = "not-pazaak"
    why = "What it says is not pazaak."
    next = "Check the address and the port: 'pazaak host' prints the line to type."


class HungUp(CannotConnect):
    """The other machine took the connection, and closed it before it had greeted."""

    code = "hung-up"
    why = "The host is busy, takes no more connections for a while, or it is no pazaak host."
    next = "Check the address and the port with the other player, and try again in a moment."


class Busy(CannotConnect):
    """The host is playing with somebody else."""

    code = "busy"
    why = "A host plays with one opponent at a time."
    next = "Try again when that match is over."


class CodeLater(Busy):
    """The host does not look at a join code at this moment."""

    code = "code-later"
    why = "Wrong codes have come just before, and after each of them it waits longer."
    next = "Ask the other player for the code that it shows now, and try again in half a minute."


class CodeRefused(PazaakError):
    """The other side says that the join code is wrong."""

    code = "wrong-code"
    exit_code = Exit.IDENTITY_REFUSED
    why = (
        "It was mistyped, or the host shows another one by now. If neither is so, somebody stands"
        " between the two of you: then even the right one counts as wrong."
    )
    next = "Ask the other player for the code that the host shows now, and type it again."


class CannotListen(PazaakError):
    """This machine does not let pazaak wait for an opponent."""

    code = "cannot-listen"
    exit_code = Exit.NO_CONNECTION
    why = "The system did not say why."
    next = "Try another port: pazaak host --port 7778"


class PortInUse(CannotListen):
    """The port is in use.

    ``port`` is the one asked for, ``free`` one that was free a moment ago.
    """

    code = "port-in-use"

    def __init__(self, port: int, free: int) -> None:
        super().__init__(
            f"Port {port} is already in use on this machine.",
            why="Another program is listening there, perhaps another 'pazaak host'.",
            next=f"Type: pazaak host --port {free}",
        )
        self.port = port
        self.free = free


class PeerLost(PazaakError):
    """The connection to the other player was lost."""

    code = "lost"
    exit_code = Exit.PEER_LOST
    why = "Its program or machine stopped, or the network between was cut."
    next = "Connect again for a new match."


class PeerLeft(PeerLost):
    """The other player left."""

    code = "left"
    why = "Their program said so before it closed the connection."


class OpponentAway(PeerLost):
    """The other player did not come back."""

    code = "away"
    why = "The line to them broke, or they left for now, and it was time to stop waiting."

    def __init__(self, match_id: bytes, *, claimable: bool = False) -> None:
        again = resuming(match_id)
        claim = f" Or claim it, since it was for them to move: {again} --claim" if claimable else ""
        super().__init__(
            next=f"The match is kept. Go on with it together, at any time: {again}{claim}"
        )


class Accused(PazaakError):
    """The other side says that this program broke the protocol."""

    code = "accused"
    exit_code = Exit.PEER_BROKE_PROTOCOL
    why = "One of the two programs is faulty or altered; the record shows which."
    next = "Keep the record, and check that both sides run a current pazaak."


class Convicted(Accused):
    """The other side says that this program cheated."""


class Intercepted(Accused):
    """The other player's program cannot tell that it talks to yours."""

    code = "identity"
    exit_code = Exit.IDENTITY_REFUSED
    why = "What reached it was made for another connection: somebody between may be reading along."
    next = "Do not play over this network. Try another, or compare keys by another way first."


class TlsRefused(RemoteError):
    """The other side's encryption is not that of pazaak."""

    code = "tls"
    why = "Its program is too old, altered, or not pazaak at all."
    next = "Check the address, and that both sides run a current pazaak."


class OnlyOneEncrypts(TlsRefused):
    """The other side speaks pazaak without encryption."""

    exit_code = Exit.MISFIT
    why = "It runs with --insecure-plain, or something between takes the encryption away."
    next = "Have it started again without --insecure-plain."


class VersionRefused(PazaakError):
    """The two programs speak different versions of the pazaak protocol."""

    code = "version"
    exit_code = Exit.MISFIT
    why = "One of them is older than the other."
    next = "Update your copy of pazaak, or have the other player update theirs."


class TermsRefused(PazaakError):
    """The two sides do not agree on what to play."""

    code = "declined"
    exit_code = Exit.MISFIT
    why = "One side's rules or side deck do not suit the other."
    next = "Agree on the rules with the other player, and start both sides with the same --rules."


class RulesDiffer(TermsRefused):
    """The host plays by other rules than the ones asked for."""

    code = "rules-differ"


class DeckRefused(TermsRefused):
    """This side deck cannot be played by the host's rules."""

    code = "deck-refused"


class WrongOpponent(Busy):
    """Whoever is there is not the one with whom the match was begun."""

    code = "wrong-opponent"
    exit_code = Exit.IDENTITY_REFUSED
    why = "It has another key: the address belongs to somebody else now, or they lost their key."
    next = "Ask the other player for their address, and try again."


class NotOpen(TermsRefused):
    """The other side does not have this match open any more."""

    code = "not-open"
    exit_code = Exit.PEER_LOST
    why = "There it was played to its end, or given up, or is kept by another program or machine."
    next = "Ask the other player. Your record of the match shows how it stood."


class Undecided(PazaakError):
    """The user has not yet said whether the other player is to be let in."""

    code = "undecided"
    exit_code = Exit.IDENTITY_REFUSED
    why = "They were told to join again later, as nobody can be kept waiting for long."


class Left(PazaakError):
    """You left the match."""

    code = "interrupted"
    exit_code = Exit.INTERRUPTED
    why = "The program was interrupted, or you chose to leave."
    next = "Start again for a new match."
