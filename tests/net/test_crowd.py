"""Who gives way where more have come than there is room for."""

from __future__ import annotations

import pytest
from msgspec import Struct

from pazaak_p2p.net.crowd import Home, home_of, least_likely


class One(Struct):
    """Somebody who has come."""

    name: str
    home: Home
    has_encrypted: bool = False
    tried_code: bool = False


def one(name: str, address: str, *, encrypted: bool = False, tried: bool = False) -> One:
    return One(name, home_of(f"{address}:4000"), encrypted or tried, tried)


def leaver(*crowd: One) -> str:
    return least_likely(crowd).name


FRIEND = one("friend", "198.51.100.7")


def test_the_oldest_goes_where_all_are_alike() -> None:
    assert leaver(FRIEND, one("b", "192.0.2.1"), one("c", "203.0.113.1")) == "friend"


def test_who_comes_often_goes_first_and_not_whom_nothing_else_tells_from_it() -> None:
    again = [one(f"again {n}", "192.0.2.1") for n in range(2)]
    assert leaver(FRIEND, *again) == "again 0"
    assert leaver(*again, FRIEND) == "again 0"


@pytest.mark.parametrize(
    "addresses",
    [
        ["192.0.2.1", "192.0.2.250"],
        ["[2001:db8::1]", "[2001:db8:0:0:1::1]"],
        ["[2001:db8:0:1::1]", "[2001:db8:0:ff::1]"],
        ["[::ffff:192.0.2.1]", "192.0.2.250"],
    ],
)
def test_who_has_many_addresses_near_each_other_comes_often_too(addresses: list[str]) -> None:
    near = [one(f"near {n}", address) for n, address in enumerate(addresses)]
    assert leaver(FRIEND, *near) == "near 0"


@pytest.mark.parametrize(
    "addresses",
    [
        ["192.0.2.1", "192.0.3.1"],
        ["[2001:db8:0::1]", "[2001:db8:1::1]"],
        ["a name", "another"],
    ],
)
def test_who_lives_far_apart_is_not_one(addresses: list[str]) -> None:
    assert leaver(FRIEND, *(one(name, name) for name in addresses)) == "friend"


def test_one_address_counts_more_than_a_neighbourhood() -> None:
    near = [one(f"near {n}", f"192.0.2.{n}") for n in range(9)]
    twice = [one(f"twice {n}", "203.0.113.1") for n in range(2)]
    assert leaver(FRIEND, *near, *twice) == "twice 0"


def test_who_has_encrypted_or_tried_a_code_stays_before_others_like_it() -> None:
    plain, encrypted = one("plain", "192.0.2.1"), one("encrypted", "192.0.2.1", encrypted=True)
    tried = one("tried", "192.0.2.1", tried=True)
    assert leaver(tried, encrypted, plain) == "plain"
    assert leaver(tried, encrypted) == "encrypted"


def test_who_tries_codes_on_many_lines_pushes_out_nobody_else() -> None:
    guesses = [one(f"guess {n}", "192.0.2.1", tried=True) for n in range(9)]
    assert leaver(FRIEND, *guesses) == "guess 0"
