"""Who chooses when no person does."""

from pazaak_p2p.bots.base import Bot
from pazaak_p2p.bots.careful import CarefulBot
from pazaak_p2p.bots.catalogue import BOTS, LEVELS, BotSpec, find_bot
from pazaak_p2p.bots.classic import ClassicBot
from pazaak_p2p.bots.errors import ScriptError, UnknownBot
from pazaak_p2p.bots.expert import ExpertBot
from pazaak_p2p.bots.master import MasterBot
from pazaak_p2p.bots.novice import NoviceBot
from pazaak_p2p.bots.random_bot import RandomBot
from pazaak_p2p.bots.script import Script, ScriptBot, load_script, parse_script
from pazaak_p2p.bots.threshold import ThresholdBot

__all__ = [
    "BOTS",
    "LEVELS",
    "Bot",
    "BotSpec",
    "CarefulBot",
    "ClassicBot",
    "ExpertBot",
    "MasterBot",
    "NoviceBot",
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
