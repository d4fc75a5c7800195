"""``pazaak bot show``: the account that a bot gives of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pazaak_p2p.bots import LEVELS
from tests.cli.ran import Ran


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_tells_how_it_decides_in_plain_sentences(name: str, tmp_path: Path) -> None:
    ran = Ran(tmp_path, "bot", "show", name)
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out.split()) > 30
    assert not set("`*~") & set(ran.out)
    told = json.loads(Ran(tmp_path, "bot", "show", name, "--json").out)
    assert told == {"bot": name, "account": ran.out.removesuffix("\n")}


def test_items_of_a_list_have_lines_of_their_own(tmp_path: Path) -> None:
    lines = Ran(tmp_path, "bot", "show", "careful").out.splitlines()
    assert [line[:2] for line in lines[2:6]] == ["1.", "2.", "3.", "4."]
    assert lines[1] == lines[6] == ""
    assert lines[4] == (
        "3. Otherwise it stands at 16 or more, and below that plays a card only to make exactly 20."
    )
