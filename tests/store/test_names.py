"""When two names are the same to a person."""

from __future__ import annotations

import pytest

from pazaak_p2p.store.names import alike, same_letters, shown_name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "ann"),
        ("Ann", "ANN"),
        ("Ann", " Ann\t"),
        ("Ann Lee", "Ann  Lee"),
        ("Ann Lee", "Ann\u00a0Lee"),
        ("Ann", "Ａｎｎ"),
        ("Ann", "A\u200bnn"),
        ("Ann", "\u202eAnn\u202c"),
        ("Ann", "Ann\ufe0f"),
        ("Ann", "Ann\u3164"),
        ("Ann", "A\x00nn"),
        ("Zoë", "Zoe\u0308"),
        ("Straße", "STRASSE"),
        ("ﬁn", "fin"),
        ("Ωμέγα", "ωμέγα"),
    ],
)
def test_the_same_letters(one: str, other: str) -> None:
    assert same_letters(one, other)
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "Аnn"),  # the second begins with a Cyrillic letter
        ("Bob", "Воb"),
        ("Bob", "B0b"),
        ("paul", "раul"),
        ("Ian", "lan"),
        ("Ali1", "Alil"),
        ("ALPHA", "ΑLΡΗΑ"),  # with Greek letters
        ("Zoë", "Zо\u0451"),
    ],
)
def test_the_same_looks(one: str, other: str) -> None:
    assert alike(one, other)
    assert not same_letters(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "Anna"), ("Zoe", "Zoë"), ("Ann Lee", "AnnLee"), ("Анна", "Anna"), ("a", "b")],
)
def test_different_names(one: str, other: str) -> None:
    assert not alike(one, other)


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u3164", "\u2800 \u00ad", "\x00\n"])
def test_a_blank_name_is_like_no_other_and_never_shown_blank(name: str) -> None:
    assert not alike(name, name)
    assert not same_letters(name, name)
    assert shown_name(name) == "(no name)"


def test_a_name_is_shown_harmless() -> None:
    assert shown_name("A\x1b[31mnn\u202e") == "A\\x1b[31mnn\\u202e"
