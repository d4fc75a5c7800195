"""Join codes as people say and type them: a number and two words, as in ``17-copper-lantern``.

No word of the list begins another, and any two differ in three letters at least, so that a slip of
the finger is noticed before anybody is connected to, and the word that was meant can be named.
"""

from __future__ import annotations

import difflib
import re
import secrets
import unicodedata
from typing import Final

from pazaak_p2p.errors import UsageError
from pazaak_p2p.text import printable

NUMBERS: Final = range(1, 100)
LONGEST: Final = 64
"""Characters of what is typed, at most; the longest code has 18."""

# Short, common, and spelled as they are said; none sounds like another.
_LIST: Final = """
acorn airport album almond amber anchor angle apron artist atlas attic autumn avocado badge
baker balcony bamboo banjo barrel beacon beetle bicycle biscuit blanket bonfire bronze
broom bubble burrow butter cabbage cabin cactus camel canvas canyon carpet castle cavern
cedar cement chalk cheese cherry chimney circle citrus clover cobalt cobweb coconut coffee
copper cottage cotton cradle cricket crystal cupcake curtain cushion daisy dancer denim
dentist desert diamond dolphin donkey dragon drawer drum dungeon echo eclipse elbow engine
fabric farmer feather fennel fiction fiddle finger fireman flag flute forest fossil fridge
galaxy garden garlic ghost giant giraffe glacier gondola granite gravel guitar hammock
harvest helium helmet hobby hornet husky hydrant iguana indigo insect island ivory jacket
jaguar jasmine jewel jigsaw journal jumper kayak koala ladder lagoon lantern laptop lawn
lemon lettuce library lily lizard lobster lunar magnet magpie mammoth marble meadow melody
mermaid metal mirror mitten mosaic motor muffin museum mustard napkin nectar nickel noodle
north novel nugget nutmeg oasis oatmeal ocean octopus olive onion opera orange orbit oxygen
palace pancake panda panther parrot parsley pelican pencil perfume pickle picnic pigeon
pillow pizza plaster potato pretzel pumpkin puppet pyramid quartz quilt radish rainbow
rhubarb ribbon saffron sailor salad saturn scarf scooter secret shelter shrimp signal siren
skate sketch snail soccer spear spider spinach splash spruce stable summit sunset surfer
swallow swamp taco tadpole teapot temple tennis thistle thunder toast topaz tractor treaty
tribe tripod trumpet tulip turban turkey turtle unicorn vacuum valley vanilla vault violin
viper visitor volcano waffle walnut whisker wolf wombat yoga zebra zigzag zodiac
"""
WORDS: Final = tuple(_LIST.split())


class NoCode(UsageError):
    """That is no join code."""

    code = "join-code"
    why = "A join code is a number and two words, as in 17-copper-lantern."
    next = "Ask the host for the code that it shows, and type all three parts of it."


def new_code() -> str:
    """A fresh code: one of 99 times 256 times 256, which is 22.6 bits."""
    words = [secrets.choice(WORDS) for _ in range(2)]
    return "-".join((str(secrets.choice(NUMBERS)), *words))


def read_code(typed: str) -> str:
    """The code that *typed* means, in the one form in which it is hashed.

    Capitals, blanks, hyphens and the like do not count. Raises :class:`NoCode`, which names a word
    that is none of ours, and the one that may have been meant.
    """
    if len(typed) > LONGEST:
        raise NoCode("That is too long for a join code.")
    plain = unicodedata.normalize("NFKC", typed).lower()
    parts = re.findall(r"[0-9]+|[^\W\d_]+", plain)
    for part in parts:
        if not part.isdigit():
            _check_word(part)
    match parts:
        case []:
            raise NoCode("No join code was typed.")
        case [number, first, second] if [p.isdigit() for p in parts] == [True, False, False]:
            if int(number) not in NUMBERS:
                raise NoCode(
                    f"There is no join code with the number {number}.",
                    why=f"The number at its beginning is {NUMBERS[0]} to {NUMBERS[-1]}.",
                )
            return f"{int(number)}-{first}-{second}"
        case _:
            raise NoCode


def _check_word(word: str) -> None:
    if word in WORDS:
        return
    near = difflib.get_close_matches(word, WORDS, n=1)
    raise NoCode(
        f"{printable(word)!r} is no word of a join code.",
        next=f"Was it '{near[0]}'? Type the whole code again." if near else None,
    )
