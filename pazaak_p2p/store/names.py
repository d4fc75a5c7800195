"""When are two names the same to a person who reads them?

Names are labels that everybody chooses freely, so a stranger can choose one that *looks* like the
name of somebody we know. Two readings of a name are compared, and one that agrees is enough:

- its letters: compatibility forms, case, blanks and everything that is invisible put aside;
- its looks: the letters of other scripts, and the digits, that look like Latin letters put in
  their place first. (The commonest of Unicode's confusables, not all: what this misses is asked
  about as any new player is, with its fingerprint.)

Accents stay: they can be seen.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from pazaak_p2p.text import printable

# Not of a category that shows it, and yet nothing to see: fillers, joiners, the empty Braille cell.
_INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

_LOOKALIKES: Final = str.maketrans(
    # Cyrillic, Greek, digits and strokes; small and capital letters apart, as they look different.
    "АВЕЅІЈКМНОРСТУХ" + "аеѕіјорсухһӏԁԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "αινορυ" + "01I|",
    "ABESlJKMHOPCTYX" + "aesijopcyxhldqw" + "ABEZHlKMNOPTYX" + "aivopu" + "olll",
)


def readings(name: str) -> frozenset[str]:
    """What *name* is compared by; empty for a name with nothing to see in it."""
    seen = _seen(name)
    texts = (seen, seen.translate(_LOOKALIKES))
    return frozenset(reading for text in texts if (reading := _letters(text)))


def alike(one: str, other: str) -> bool:
    """May a person take these two names for the same? A blank name is like no other."""
    return not readings(one).isdisjoint(readings(other))


def same_letters(one: str, other: str) -> bool:
    """Are these the same name, typed differently? Stricter than :func:`alike`."""
    return _letters(_seen(one)) == _letters(_seen(other)) != ""


def shown_name(name: str) -> str:
    """*name* (raw, as somebody gave it) for a screen; never blank."""
    return printable(name, 64) if _letters(_seen(name)) else "(no name)"


def _seen(name: str) -> str:
    return "".join(
        ch
        for ch in unicodedata.normalize("NFKD", name)
        if ch not in _INVISIBLE and unicodedata.category(ch) not in _UNSEEN
    )


def _letters(text: str) -> str:
    # Folding can undo the normal form, so it is made again (Unicode, D146).
    return " ".join(unicodedata.normalize("NFKD", text.casefold()).split())
