"""What shows a symbol shows the latest commits that touched it, after what was said of it."""

from __future__ import annotations

import pytest

from marrow.memory.taking_in.bookmark import keep_bookmark
from marrow.memory.taking_in.symbols_left import LEFT, SYMBOLS
from marrow.model.errors import NotFound

from .desk_code import Desk, desk
from .test_commit_symbols import SYMBOL, said

__all__ = ["desk", "said"]


def test_the_impact_of_a_change_tells_what_was_said_and_then_the_latest_commits(desk: Desk, said: str) -> None:
    text = desk.memory.perform("code_impact", {"symbol": "Store.close"}).text
    lines = [line.strip() for line in text.partition("remembered about it:")[2].splitlines() if line.strip()]
    assert lines[0].startswith(f"[{said[:12]}]")
    assert ["Close the store without waiting" in line for line in lines].index(True) == 1
    assert len(lines) == 6


def test_blame_of_a_symbol_of_a_file_lists_what_was_said_and_each_commit(desk: Desk, said: str) -> None:
    found = desk.memory.blame(SYMBOL)
    assert (found.target, found.kind) == (SYMBOL, "symbol")
    assert {item["address"] for item in found.items} >= {said[:12]}
    assert len(found.items) == 28
    assert desk.memory.blame("src/other.py::Store.close").items == ()


def test_blame_names_the_author_of_each_commit(desk: Desk, said: str) -> None:
    author = desk.git("log", "-1", "--format=%an").strip()
    who = {item["who"] for item in desk.memory.blame(SYMBOL).items if item["address"] != said[:12]}
    assert who == {author}


def test_blame_of_a_line_tells_the_latest_commits_that_touched_its_symbol(desk: Desk, said: str) -> None:
    found = desk.memory.blame("src/app.py:18")
    assert found.symbol == "Store.close"
    assert "Close the store without waiting" in found.items[0]["what"]  # it wrote the line
    assert found.items[1]["address"] == said[:12]
    assert [item["content"] for item in found.items[2:]] == [
        f"Tune the pear machine to {number}" for number in range(25, 20, -1)
    ]


def test_a_commit_that_is_looked_at_by_its_address_holds_whatever_became_of_what_it_touched(
    desk: Desk, said: str
) -> None:
    commit = next(item["address"] for item in desk.memory.blame(SYMBOL).items if "commit" in item["what"])
    assert desk.memory.verify(commit).counts == {"holds": 1}
    desk.write("src/app.py", None)
    assert desk.memory.verify(commit).counts == {"holds": 1}
    assert desk.record(desk.memory.get(commit).address).standing.drift == ""


def test_blame_of_a_symbol_whose_commits_are_still_to_be_found_says_so(desk: Desk) -> None:
    desk.write("src/later.py", "def later():\n    return 1\n")
    desk.memory.perform("code_symbols", {"path": "src/later.py"})
    keep_bookmark(desk.memory.call.engine, desk.memory.call.asker, "", SYMBOLS, {LEFT: 7})
    text = desk.memory.perform("memory_blame", {"target": "later"}).text
    assert text.startswith("Nobody said anything about later.")
    assert "which symbols 7 commits touched is still to be found" in text
    with pytest.raises(NotFound, match=r"no chain, file or symbol 'nope\.py'") as caught:
        desk.memory.blame("nope.py")
    assert "7 commits" in caught.value.hint
