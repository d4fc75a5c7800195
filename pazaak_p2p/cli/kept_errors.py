"""What keeps a match that was kept from going on."""

from __future__ import annotations

from pathlib import Path

from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.store.trust_errors import shown


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
    next = "Put a good copy back if you have one; the other player's record may be whole."


class ForeignSecrets(PazaakError):
    """The secrets of this match do not fit its record."""

    code = "wrong-secrets"
    exit_code = Exit.USAGE
    why = (
        "From them this program would say something else than it has committed to, which is proof"
        " of cheating. The file was altered, or is another match's."
    )

    def __init__(self, secret: Path) -> None:
        super().__init__(
            f"{shown(secret)} does not fit the record beside it.",
            next="Put the right file back if you have it; nothing has been changed.",
        )


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
