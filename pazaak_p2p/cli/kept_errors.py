"""What keeps a match that was kept from going on."""

from __future__ import annotations

from pazaak_p2p.errors import Exit, PazaakError, UsageError


class OtherIdentity(PazaakError):
    """This match was begun with another key than yours is now."""

    code = "other-identity"
    exit_code = Exit.IDENTITY_REFUSED
    why = "Your identity file was lost or exchanged since, or PAZAAK_HOME names another folder."
    next = "Put the old identity file back, and type the same again."


class DamagedRecord(PazaakError):
    """The record of this match is damaged."""

    code = "damaged"
    exit_code = Exit.USAGE
    next = "The other player's record may be whole: pazaak verify compares the two."


class NothingSaid(PazaakError):
    """There was no match yet."""

    code = "nothing-said"
    exit_code = Exit.USAGE
    why = "The program was ended in the moment in which the match began; nothing was said in it."
    next = "Give it up, and begin a new one."


class OtherSeat(UsageError):
    """This match is not for who plays here now."""

    code = "other-seat"


class GivenUp(UsageError):
    """That match was given up here."""

    code = "given-up"
    why = "It is not over, but what only you knew of it is gone, so nobody can go on with it."
