"""What a bot from outside can do wrong. Each costs it the match, or a restart."""

from __future__ import annotations

from pazaak_p2p.errors import Exit, PazaakError, UsageError


class CannotStart(UsageError):
    """The bot cannot be started."""

    code = "bot-start"
    why = "The system did not say why."
    next = "Try it by itself first, then with: pazaak bot check"


class NoSuchClass(UsageError):
    """The Python bot cannot be loaded."""

    code = "bot-class"
    next = "A Python bot is a class with a method choose(view), named as FILE.py:CLASS."


class NotAtOnce(UsageError):
    """A bot that is a program of its own cannot play here."""

    code = "bot-outside"
    why = "It takes its time, and here every choice is taken at once."
    next = "Take a bot of 'pazaak bot list' that is built in, or a Python class."


class BotFault(PazaakError):
    """The bot did something wrong."""

    code = "bot-fault"
    exit_code = Exit.USAGE
    why = "It does not keep to protocol/bot-interface.md."
    next = "Mend the bot. 'pazaak bot check' tries it against the whole interface."


class BotCrashed(BotFault):
    """The bot ended."""

    code = "bot-crash"


class BotTooSlow(BotFault):
    """The bot did not answer in time."""

    code = "bot-time"
    next = (
        "Make it faster, or give it more time: cmd,seconds=30:COMMAND, or"
        " py,seconds=30:FILE.py:CLASS."
    )


class BotIllegal(BotFault):
    """The bot chose an action that it may not take."""

    code = "bot-illegal"


class BotGarbage(BotFault):
    """The bot said something that is no answer."""

    code = "bot-garbage"


class BotGaveUp(BotFault):
    """The bot says that it cannot go on."""

    code = "bot-gave-up"
