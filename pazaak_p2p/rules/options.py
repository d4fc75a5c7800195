"""The options of a match as one value, the presets, and their one-line text."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from pazaak_p2p.rules.errors import RulesOptionError
from pazaak_p2p.text import printable


class Copies(StrEnum):
    """How often a side deck may hold one kind of card (R3)."""

    UNLIMITED = "unlimited"
    LIMITED = "limited"


class Opener(StrEnum):
    """Who opens the sets after the first (R6)."""

    ALTERNATE = "alternate"
    LOSER = "loser"
    WINNER = "winner"
    RANDOM = "random"
    HOST = "host"


class Nine(StrEnum):
    """What nine cards on the table do (R16)."""

    WIN = "win"
    STAND = "stand"


class Tiebreaker(StrEnum):
    """When a ``±1T`` decides a tie (R17)."""

    PLAYED = "played"
    LAST = "last"
    AT_TIE = "at-tie"


_SETS: Final = (1, 9)
_MAX_SETS: Final = (1, 999)
_TURN_SECONDS: Final = (5, 3600)

Sets: TypeAlias = Annotated[int, msgspec.Meta(ge=_SETS[0], le=_SETS[1])]
MaxSets: TypeAlias = Annotated[int, msgspec.Meta(ge=_MAX_SETS[0], le=_MAX_SETS[1])] | None
TurnSeconds: TypeAlias = (
    Annotated[int, msgspec.Meta(ge=_TURN_SECONDS[0], le=_TURN_SECONDS[1])] | None
)


def _check_range(name: str, rule: str, value: int, bounds: tuple[int, int]) -> None:
    low, high = bounds
    if not low <= value <= high:
        raise RulesOptionError(
            f"The option {name} cannot be {value}.", why=f"{rule}: it goes from {low} to {high}."
        )


class Rules(msgspec.Struct, frozen=True):
    """What both peers agree on before a match: the options of RULES.md, standard where not given.

    A number outside its range raises :class:`RulesOptionError` when built directly, and a
    ``msgspec.ValidationError`` when converted from a message (specification, section 8).
    """

    copies: Copies = Copies.UNLIMITED
    gold: bool = True
    opener: Opener = Opener.ALTERNATE
    auto_stand: bool = True
    nine: Nine = Nine.WIN
    tiebreaker: Tiebreaker = Tiebreaker.PLAYED
    sets: Sets = 3
    max_sets: MaxSets = None
    turn_seconds: TurnSeconds = None

    def __post_init__(self) -> None:
        _check_range("sets", "R19", self.sets, _SETS)
        if self.max_sets is not None:
            _check_range("max_sets", "R20", self.max_sets, _MAX_SETS)
        if self.turn_seconds is not None:
            _check_range("turn_seconds", "R21", self.turn_seconds, _TURN_SECONDS)


PRESETS: Final = MappingProxyType(
    {
        "standard": Rules(),
        "kotor1": Rules(gold=False, opener=Opener.HOST, nine=Nine.STAND),
        "kotor2": Rules(copies=Copies.UNLIMITED),
        "tournament": Rules(copies=Copies.LIMITED, turn_seconds=60, max_sets=15),
    }
)
"""The named rule sets of RULES.md."""

_OPTIONS: Final = Rules.__struct_fields__


def parse_rules(text: str) -> Rules:
    """The rules written as *text*: a preset, options ``key=value``, or both, with commas between.

    ``"tournament,sets=5,max_sets=none,gold=off"``. Without a preset the options change the standard
    rules. Raises :class:`RulesOptionError`.
    """
    first, *rest = (part.strip() for part in text.split(","))
    if "=" in first:
        base, rest = PRESETS["standard"], [first, *rest]
    elif first in PRESETS:
        base = PRESETS[first]
    else:
        raise RulesOptionError(
            f"There is no rule set {printable(first, 40)!r}.",
            why=f"The presets are {', '.join(PRESETS)}; options are written key=value.",
        )
    changes: dict[str, Any] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or key not in _OPTIONS:
            raise RulesOptionError(
                f"There is no option {printable(part, 40)!r}.",
                why=f"After the preset come options key=value; the keys are {', '.join(_OPTIONS)}.",
            )
        if key in changes:
            raise RulesOptionError(f"The option {key} is given twice.", why="Which one counts?")
        changes[key] = _parse_value(key, value.strip())
    return msgspec.structs.replace(base, **changes)


def describe(rules: Rules) -> str:
    """The shortest text that :func:`parse_rules` reads back as *rules*: preset and differences."""
    texts = (
        ",".join([name, *(f"{key}={_format_value(getattr(rules, key))}" for key in differing)])
        for name, preset in PRESETS.items()
        for differing in [[k for k in _OPTIONS if getattr(rules, k) != getattr(preset, k)]]
    )
    # Of equals the first, so standard before its twin kotor2.
    return min(texts, key=lambda text: text.count(","))


_ENUMS: Final[dict[str, type[StrEnum]]] = {
    "copies": Copies,
    "opener": Opener,
    "nine": Nine,
    "tiebreaker": Tiebreaker,
}
_SWITCHES: Final = {"on": True, "off": False}


def _parse_value(key: str, text: str) -> object:
    if key in _ENUMS:
        choices = [member.value for member in _ENUMS[key]]
        if text in choices:
            return _ENUMS[key](text)
    elif key in ("gold", "auto_stand"):
        choices = list(_SWITCHES)
        if text in _SWITCHES:
            return _SWITCHES[text]
    else:
        choices = ["a whole number"] if key == "sets" else ["a whole number", "none"]
        if text == "none" and key != "sets":
            return None
        if text.isascii() and text.isdigit() and len(text) <= 6:
            return int(text)
    raise RulesOptionError(
        f"The option {key} cannot be {printable(text, 40)!r}.",
        why=f"It takes {' or '.join(choices)}.",
    )


def _format_value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
