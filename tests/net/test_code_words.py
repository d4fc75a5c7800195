"""Join codes as people say and type them."""

from __future__ import annotations

import itertools

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.net.code_words import NUMBERS, WORDS, NoCode, new_code, read_code


def edits(one: str, two: str) -> int:
    """How many letters have to be changed, put in or left out to make *two* of *one*."""
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, start=1):
        row, above = [i], row
        for j, b in enumerate(two, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b)))
    return row[-1]


SOUNDS = {
    letter: sound
    for sound, letters in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), start=1)
    for letter in letters
}


def sounds(word: str) -> tuple[int, ...]:
    """The word's consonants by the place where they are spoken, vowels left out (as in Soundex)."""
    kept = [SOUNDS.get(letter, 0) for letter in word if letter not in "hw"]
    return tuple(sound for sound, _ in itertools.groupby(kept) if sound)


PAIRS = list(itertools.combinations(WORDS, 2))


def test_the_words_are_short_and_plain() -> None:
    assert len(WORDS) == len(set(WORDS)) == 256
    assert list(WORDS) == sorted(WORDS)
    for word in WORDS:
        assert word.isascii()
        assert word.isalpha()
        assert word.islower()
        assert 4 <= len(word) <= 7


def test_no_word_begins_another() -> None:
    assert [pair for pair in PAIRS if pair[1].startswith(pair[0])] == []


def test_any_two_words_differ_in_three_letters() -> None:
    assert [pair for pair in PAIRS if edits(*pair) < 3] == []


def test_no_two_words_sound_alike() -> None:
    alike = [(a, b) for a, b in PAIRS if a[0] == b[0] and sounds(a) == sounds(b)]
    assert alike == []


def test_new_codes_are_codes_of_22_bits_and_differ() -> None:
    assert len(NUMBERS) * len(WORDS) ** 2 > 2**22
    made = [new_code() for _ in range(200)]
    assert [read_code(code) for code in made] == made
    # Of 200 out of 6.5 million, five pairs of the same happen less than once in 10^14 runs.
    assert len(set(made)) > 195
    # Each place uses its whole range: 200 draws that miss half of it happen once in 2^200.
    for place, half in ((0, "50"), (1, WORDS[128]), (2, WORDS[128])):
        parts = [code.split("-")[place] for code in made]
        values = [int(p) > int(half) if place == 0 else p >= half for p in parts]
        assert set(values) == {True, False}


@pytest.mark.parametrize(
    "typed",
    [
        "17-copper-lantern",
        "  17 copper lantern\n",
        "17 COPPER  Lantern",
        "17copper-lantern",
        "017-copper--lantern",
        "17, copper, lantern.",
        "\uff11\uff17\u2013copper\u2013lantern",  # another keyboard's digits and dashes
    ],
)
def test_capitals_blanks_and_hyphens_do_not_count(typed: str) -> None:
    assert read_code(typed) == "17-copper-lantern"


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("17-coper-lantern", "copper"),
        ("17-copper-lantren", "lantern"),
        ("17-copper-laptops", "laptop"),
        ("17-zigzak-lantern", "zigzag"),
    ],
)
def test_the_word_that_was_meant_is_named(typed: str, near: str) -> None:
    with pytest.raises(NoCode) as caught:
        read_code(typed)
    assert caught.value.next == f"Was it '{near}'? Type the whole code again."
    assert caught.value.what.endswith("is no word of a join code.")
    assert caught.value.exit_code is Exit.USAGE


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ("", "No join code was typed."),
        (" - - ", "No join code was typed."),
        ("17", "That is no join code."),
        ("copper-lantern", "That is no join code."),
        ("copper-17-lantern", "That is no join code."),
        ("17-copper-lantern-acorn", "That is no join code."),
        ("17-17-copper-lantern", "That is no join code."),
        ("0-copper-lantern", "There is no join code with the number 0."),
        ("100-copper-lantern", "There is no join code with the number 100."),
        ("17-copper-\x1b[31m", "'m' is no word of a join code."),
        ("17-copper-lanternlantern", "'lanternlantern' is no word of a join code."),
        ("17-\u202ecopper-qqqq", "'qqqq' is no word of a join code."),
        ("1" * 65, "That is too long for a join code."),
    ],
)
def test_what_is_no_code_is_refused(typed: str, what: str) -> None:
    with pytest.raises(NoCode) as caught:
        read_code(typed)
    assert caught.value.what == what
    assert all(ch.isprintable() for ch in caught.value.what + caught.value.why + caught.value.next)
