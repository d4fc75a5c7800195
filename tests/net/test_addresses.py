"""The lines that the other side types."""

from __future__ import annotations

import ifaddr
import pytest

from pazaak_p2p.net import addresses
from pazaak_p2p.net.addresses import machine_addresses, ways, ways_from

MACHINE = [
    ("127.0.0.1", "lo"),
    ("::1", "lo"),
    ("93.184.216.34", "ppp0"),
    ("192.168.1.5", "eth0"),
    ("fd00::5", "eth0"),
    ("fe80::1%eth0", "eth0"),
]
BOTH = ("0.0.0.0", "::")


def lines(*hosts: str, port: int = 7777, machine: list[tuple[str, str]] = MACHINE) -> list[str]:
    return [way.line for way in ways_from([(host, port) for host in hosts], machine)]


def test_every_address_has_its_line_and_the_likeliest_comes_first() -> None:
    assert lines(*BOTH) == [
        "pazaak join 192.168.1.5",
        "pazaak join 93.184.216.34",
        "pazaak join fd00::5",
        "pazaak join 127.0.0.1",
    ]


def test_a_line_to_a_host_that_does_not_encrypt_says_so() -> None:
    (loopback,) = ways([("127.0.0.1", 7777)], insecure_plain=True)
    assert loopback.line == "pazaak join 127.0.0.1 --insecure-plain"
    (loopback,) = ways([("127.0.0.1", 7777)])
    assert loopback.line == "pazaak join 127.0.0.1"


def test_another_port_is_part_of_the_line() -> None:
    assert lines(*BOTH, port=7778) == [
        "pazaak join 192.168.1.5:7778",
        "pazaak join 93.184.216.34:7778",
        'pazaak join "[fd00::5]:7778"',
        "pazaak join 127.0.0.1:7778",
    ]


def test_only_what_is_listened_on_is_shown() -> None:
    assert lines("192.168.1.5") == ["pazaak join 192.168.1.5"]
    assert lines("0.0.0.0")[0] == "pazaak join 192.168.1.5"
    assert lines("::") == ["pazaak join fd00::5", "pazaak join ::1"]
    assert lines("127.0.0.1") == ["pazaak join 127.0.0.1"]


def test_a_link_local_address_is_shown_where_there_is_nothing_better() -> None:
    machine = [("127.0.0.1", "lo"), ("fe80::1%eth0", "eth0")]
    (link_local, loopback) = ways_from([(host, 7777) for host in BOTH], machine)
    assert link_local.line == "pazaak join fe80::1%eth0"
    assert "other machine's own interface" in link_local.where
    assert loopback.where == "on this machine"


def test_a_machine_without_a_network_still_has_itself() -> None:
    assert lines(*BOTH, machine=[("127.0.0.1", "lo")]) == ["pazaak join 127.0.0.1"]


@pytest.mark.parametrize("host", ["127.0.0.1"])
def test_this_machine_has_its_loopback_address(host: str) -> None:
    assert host in dict(machine_addresses())


@pytest.mark.parametrize(("system", "zone"), [("posix", "eth0"), ("nt", "7")])
def test_a_zone_is_what_the_system_calls_the_interface(
    monkeypatch: pytest.MonkeyPatch, system: str, zone: str
) -> None:
    """Windows wants its number: its name is a long one in braces, and no zone."""
    ip = ifaddr.IP(("fe80::1", 0, 7), 64, "eth0")
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: [ifaddr.Adapter("eth0", "LAN", [ip], 7)])
    monkeypatch.setattr(addresses, "_WINDOWS", system == "nt")
    assert machine_addresses() == [(f"fe80::1%{zone}", "LAN")]
