"""``HOST[:PORT]`` as people type it."""

from __future__ import annotations

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address, parse_address, show_endpoint
from pazaak_p2p.net.errors import AddressError


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.168.1.5", "192.168.1.5", 7777),
        ("192.168.1.5:7778", "192.168.1.5", 7778),
        ("ann.example.org", "ann.example.org", 7777),
        ("ann.example.org:1", "ann.example.org", 1),
        ("localhost:65535", "localhost", 65535),
        ("::1", "::1", 7777),
        ("[::1]", "::1", 7777),
        ("[::1]:7778", "::1", 7778),
        ("fd00::5", "fd00::5", 7777),
        ("::1:7777", "::1:7777", 7777),
        ("fe80::1%eth0", "fe80::1%eth0", 7777),
        ("[fe80::1%eth0]:7778", "fe80::1%eth0", 7778),
        ("::ffff:192.168.1.5", "::ffff:192.168.1.5", 7777),
    ],
)
def test_an_address_is_understood(text: str, host: str, port: int) -> None:
    assert parse_address(text) == Address(host, port)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("a b", "blanks"),
        ("a\tb", "blanks"),
        ("\x1b[31mhost", "blanks"),
        ("http://ann.example.org", "link"),
        ("ann/7777", "link or a path"),
        ("[::1", "brackets"),
        ("[::1]7777", "brackets"),
        ("[ann.example.org]:7777", "only IPv6"),
        (":7777", "host is missing"),
        ("ann:", "port"),
        ("ann:0", "port"),
        ("ann:65536", "port"),
        ("ann:77777777777777", "port"),
        ("ann:x", "port"),
        ("ann:-1", "port"),
        ("ann:７７", "port"),
        ("ann:1:2", "too many colons"),
        ("fd00::5:77777", "too many colons"),
    ],
)
def test_what_is_no_address_is_refused_with_its_reason(text: str, says: str) -> None:
    with pytest.raises(AddressError, match=says) as caught:
        parse_address(text)
    assert caught.value.exit_code == Exit.USAGE
    assert caught.value.what.isprintable()


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (Address("192.168.1.5"), "192.168.1.5"),
        (Address("192.168.1.5", 7778), "192.168.1.5:7778"),
        (Address("fd00::5"), "fd00::5"),
        (Address("fd00::5", 7778), "[fd00::5]:7778"),
        (Address("fe80::1%eth0", 7778), "[fe80::1%eth0]:7778"),
    ],
)
def test_an_address_is_written_as_it_is_read(address: Address, text: str) -> None:
    assert str(address) == text
    assert parse_address(text) == address


def test_a_socket_address_is_shown() -> None:
    assert show_endpoint(("192.168.1.5", 7778)) == "192.168.1.5:7778"
    assert show_endpoint(("fd00::5", 7778, 0, 0)) == "[fd00::5]:7778"
    assert show_endpoint("") == "this machine"
