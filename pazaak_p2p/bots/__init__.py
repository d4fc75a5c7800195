"""Who chooses when no person does."""

from pazaak_p2p.bots.base import Bot
from pazaak_p2p.bots.catalogue import BOTS, BotSpec, find_bot
from pazaak_p2p.bots.errors import ScriptError, UnknownBot
from pazaak_p2p.bots.random_bot import RandomBot
from pazaak_p2p.bots.script import Script, ScriptBot, load_script, parse_script
from pazaak_p2p.bots.threshold import ThresholdBot

__all__ = [
    "BOTS",
    "Bot",
    "BotSpec",
    "RandomBot",
    "Script",
    "ScriptBot",
    "ScriptError",
    "ThresholdBot",
    "UnknownBot",
    "find_bot",
    "load_script",
    "parse_script",
]
