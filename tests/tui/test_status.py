"""The last line: clock, link and lots."""

from __future__ import annotations

import pytest

from pazaak_p2p.tui.lines import plain, width
from pazaak_p2p.tui.status import Clock, Status, status_line


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status(), ""),
        (Status(lots=1), " 1 draw checked"),
        (Status(0.0004, lots=37), " link under 1 ms · all 37 draws checked"),
        (Status(1.234, silent=14), " last heard 14 s ago"),
        (Status(0.02, clock=Clock(True, 65)), " your clock 1:05 · link 20 ms"),
        (Status(clock=Clock(False, 9)), " Kreia's clock 0:09"),
        (
            Status(lots=3, away=600),
            " Kreia is away · reconnecting, 10:00 left · all 3 draws checked",
        ),
        (
            Status(lots=37, away=590, claim=290),
            " Kreia is away · reconnecting, 9:50 left · w claims in 4:50",
        ),
        (Status(away=200, claim=0), " Kreia is away · reconnecting, 3:20 left · w claims now"),
    ],
)
def test_in_words(status: Status, text: str) -> None:
    assert plain(status_line(status, "Kreia", 80, " · ")) == text


def test_what_is_urgent_stays_where_there_is_little_room() -> None:
    line = status_line(Status(0.5, lots=37, clock=Clock(False, 65)), "Kreia", 40, " · ")
    assert plain(line) == " Kreia's clock 1:05 · link 500 ms"


@pytest.mark.parametrize(("seconds", "style"), [(11, "class:name"), (10, "class:warning")])
def test_R21_a_clock_that_runs_out_warns(seconds: int, style: str) -> None:
    (_, (found, _)) = status_line(Status(clock=Clock(True, seconds)), "Kreia", 80, " · ")
    assert found == style


def test_a_wide_name_is_cut() -> None:
    line = status_line(Status(clock=Clock(False, 65)), "達斯·瑞文" * 5, 40, " · ")
    assert width(line) <= 40
    assert plain(line).endswith("'s clock 1:05")
