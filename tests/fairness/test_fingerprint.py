"""Fingerprints of keys, for people to compare."""

from __future__ import annotations

import hashlib

import pytest

from pazaak_p2p.fairness.fingerprint import fingerprint, fits, full_fingerprint, is_fingerprint

KEY = bytes(range(32))
SPOKEN = "3203-5284-7083-5029-6529-7373"
FULL = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_the_fingerprint_is_24_digits_of_the_hash() -> None:
    assert fingerprint(KEY) == SPOKEN
    assert full_fingerprint(KEY) == FULL == hashlib.sha256(KEY).hexdigest()
    number = int(FULL, 16) % 10**24
    assert SPOKEN.replace("-", "") == str(number)


def test_leading_zeros_are_kept() -> None:
    keys = (number.to_bytes(32, "big") for number in range(10_000))
    shortest = next(key for key in keys if fingerprint(key).startswith("00"))
    assert len(fingerprint(shortest)) == 29
    assert is_fingerprint(fingerprint(shortest))


@pytest.mark.parametrize(
    "text",
    [
        SPOKEN,
        SPOKEN.replace("-", " "),
        SPOKEN.replace("-", ""),
        f" {SPOKEN}\n",
        FULL,
        FULL.upper(),
        " ".join(FULL[at : at + 8] for at in range(0, 64, 8)),
    ],
)
def test_a_whole_fingerprint_as_people_type_it(text: str) -> None:
    assert is_fingerprint(text)
    assert fits(text, KEY)
    assert not fits(text, bytes(32))


@pytest.mark.parametrize("text", [SPOKEN[:4], SPOKEN[:9], "3203 52", FULL[:4], FULL[:63]])
def test_the_beginning_of_one(text: str) -> None:
    assert not is_fingerprint(text)
    assert fits(text, KEY)


@pytest.mark.parametrize(
    "text", ["", "-", "4", "483", "630", SPOKEN[1:], SPOKEN + "0", FULL + "0", "٤203", "3203x"]
)
def test_what_is_none(text: str) -> None:
    assert not is_fingerprint(text)
    assert not fits(text, KEY)
