"""Places in the code as operations: what a reader is told, and what a caller without rights is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.model.errors import Forbidden, Invalid
from marrow.model.scope import READ
from marrow.operations.run import perform

from ..memory.desk_code import Desk, desk
from .conftest import with_rights

__all__ = ["desk"]


def said(desk: Desk, name: str, **arguments: object) -> str:
    return desk.memory.perform(name, arguments).text


def test_verify_says_what_to_do_only_when_there_is_something_to_do(desk: Desk) -> None:
    assert "anchored to the code" in said(desk, "memory_verify")
    desk.save("TIMEOUT in src/app.py is short.")
    assert said(desk, "memory_verify") == "1 anchored memory: 1 holds."
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    told = said(desk, "memory_verify", path="src")
    assert "1 changed" in told
    assert "src/app.py:3" in told
    assert "memory_verify with accept" in told


def test_a_recalled_memory_says_what_changed_in_the_code(desk: Desk) -> None:
    desk.save("Requests are given up after TIMEOUT seconds, see src/app.py.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    said(desk, "memory_verify")
    assert "30 -> 60" in said(desk, "memory_recall", message="after how many seconds are requests given up?")


def test_spatial_reads_well(desk: Desk) -> None:
    address = desk.save("The day comes first.", anchors=[{"type": "symbol", "symbol": "parse_date"}])
    told = said(desk, "memory_spatial", file="src/app.py:7")
    assert told.startswith(f"[{address[:12]}] parse_date: context/claim")
    assert told.endswith("symbols: parse_date:6")


def test_scan_coverage_blame_and_rebase_read_well(desk: Desk) -> None:
    assert said(desk, "memory_scan") == "4 claims in 1 file: 4 new, 0 changed, 0 gone, 0 as before."
    assert "nothing is known about come first" in said(desk, "memory_coverage")
    assert said(desk, "memory_coverage", path="src/app.py").count("src/app.py") == 1
    assert "commit" in said(desk, "memory_blame", target="src/app.py:3")
    address = desk.save("Alone.")
    assert "Nothing hangs on it" in said(desk, "memory_rebase", address=address, dry_run=True)


def test_who_may_only_read_writes_nothing(desk: Desk) -> None:
    reading = with_rights(desk.memory.call, READ)
    for name, arguments in (("memory_verify", {}), ("memory_scan", {}), ("memory_rebase", {"address": "abcdef"})):
        with pytest.raises(Forbidden):
            perform(reading, name, arguments)
    assert perform(reading, "memory_coverage", {}).result.symbols > 0


def test_another_project_has_no_folder_here(desk: Desk) -> None:
    elsewhere = replace(desk.memory.call, asker=replace(desk.memory.call.asker, root=""))
    for name in ("memory_verify", "memory_scan", "memory_coverage"):
        with pytest.raises(Invalid, match="folder"):
            perform(elsewhere, name, {})
