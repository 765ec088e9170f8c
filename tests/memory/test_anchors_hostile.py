"""Anchors among what means no good: secrets, expressions that never end, twins, and programs that git would run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .desk_code import Desk, desk

__all__ = ["desk"]

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
OTHER = "ghp_" + "b1B2c3D4e5" * 3 + "f6G7h8"
BODY = """    total = 0
    for row in rows:
        total += row.price * row.count
    return round(total, 2)
"""


@pytest.mark.parametrize("path", [".env", "link.txt", "folder/config", ".git/config"])
def test_nothing_is_noted_of_files_with_secrets_and_of_gits_own(desk: Desk, path: str) -> None:
    desk.write(".env", "CUSTOMER=4711-blue-heron\nHOST=db\n")
    (desk.root / "link.txt").symlink_to(desk.root / ".env")
    (desk.root / "folder").symlink_to(desk.root / ".git")
    address = desk.save("How it is set up.", anchors=[f"{path}:1-2"])
    assert set(desk.details(address)["lines", path]) == {"start", "end"}
    desk.write(".env", "CUSTOMER=4712-red-heron\nHOST=db\n")
    assert "heron" not in desk.memory.verify().text()


def test_what_a_secret_became_is_not_told(desk: Desk) -> None:
    desk.write("src/keys.py", f'# for staging: {TOKEN}\nPASSWORD = "{TOKEN}"\n\n\ndef key():\n    return "{TOKEN}"\n')
    for anchor in ("src/keys.py:1", "src/keys.py:2", {"type": "symbol", "symbol": "key", "path": "src/keys.py"}):
        desk.save(f"About {anchor}.", anchors=[anchor])
    assert desk.memory.verify().counts == {"holds": 3}  # though their text is not kept as it stands
    desk.write("src/keys.py", (desk.root / "src/keys.py").read_text().replace(TOKEN, OTHER))
    told = desk.memory.verify().text()
    assert "3 anchored memories: 2 changed, 1 gone." in told or "3 changed" in told
    assert OTHER[-20:] not in told


def test_an_expression_that_takes_for_ever_is_given_up(desk: Desk) -> None:
    desk.write("src/long.py", f"x = '{'a' * 60}!'\n")
    anchor = {"type": "pattern", "pattern": "(a+)+$", "path": "src/long.py", "regex": True}
    address = desk.save("It ends with a letter.", anchors=[anchor])
    assert desk.memory.verify(address).counts == {"unknown": 1}


def test_an_expression_with_several_repetitions_is_found_where_it_is(desk: Desk) -> None:
    anchor = {"type": "pattern", "pattern": r"^TIME\w+ *= *\d+", "path": "src/app.py", "regex": True}
    address = desk.save("There is a timeout.", anchors=[anchor])
    assert desk.details(address)["pattern", r"^TIME\w+ *= *\d+"]["text"] == "TIMEOUT = 30"
    assert desk.memory.verify(address).counts == {"holds": 1}


@pytest.mark.parametrize("pattern", ["(", "a{99999999999999}", "x" * 501])
def test_one_expression_that_nobody_can_read_does_not_keep_the_others_from_being_looked_at(
    desk: Desk, pattern: str
) -> None:
    desk.save("Unreadable.", anchors=[{"type": "pattern", "pattern": pattern, "path": "src/app.py", "regex": True}])
    timeout = desk.save("The timeout is 30 seconds.", anchors=["src/app.py:3"])
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    assert desk.memory.verify().counts == {"changed": 1, "unknown": 1}
    assert desk.drift(timeout) == "changed"


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_twin_that_stood_beside_it_is_not_what_became_of_it(desk: Desk, is_committed: bool) -> None:
    desk.write("src/sums.py", f"def first(rows):\n{BODY}\n\ndef second(rows):\n{BODY}")
    desk.write("src/more.py", f"def first(rows):\n{BODY}")
    desk.commit()
    address = desk.save("It sums up.", anchors=[{"type": "symbol", "symbol": "first", "path": "src/sums.py"}])
    desk.write("src/sums.py", f"def second(rows):\n{BODY}")
    if is_committed:
        desk.commit()
    assert desk.memory.verify(address).counts == {"gone": 1}
    desk.write("src/sums.py", f"def second(rows):\n{BODY}\n\ndef third(rows):\n{BODY}")
    assert desk.memory.verify(address).items[0].findings[0]["said"] == "first is called third now"


def test_lines_that_lost_the_comment_above_them_do_not_take_in_other_code(desk: Desk) -> None:
    before = f"X = 1\n\n\n# keep in step\ndef first(rows):\n{BODY}"
    desk.write("src/sums.py", before)
    address = desk.save("It sums up.", anchors=["src/sums.py:4-9"])
    desk.write("src/sums.py", f"X = 1\n\n\n# keep in step\nY = 2\ndef first(rows):\n{BODY}")
    assert desk.memory.verify(address).counts == {"moved": 1}
    desk.write("src/sums.py", before)
    assert desk.memory.verify(address).counts in ({"moved": 1}, {"holds": 1})
    assert desk.memory.verify(address).counts == {"holds": 1}


@pytest.mark.parametrize("what", ["filter.x.clean", "diff.x.textconv"])
def test_blame_of_a_line_runs_no_program_of_the_repository(desk: Desk, tmp_path: Path, what: str) -> None:
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f'#!/bin/sh\ntouch {sprung}\ncat "$@"\n')
    trap.chmod(0o755)
    desk.git("config", what, str(trap))
    desk.write(".gitattributes", "*.py filter=x diff=x\n")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 31")
    os.utime(desk.root / "src" / "app.py", (1, 1))
    assert "not committed yet" in desk.memory.blame("src/app.py:3").text()
    assert not sprung.exists()
    desk.git("blame", "src/app.py")
    assert sprung.exists()


def test_blame_of_a_line_tells_no_secret(desk: Desk) -> None:
    desk.write("src/keys.py", f'PASSWORD = "{TOKEN}"\n')
    desk.write(".env", "CUSTOMER=4711-blue-heron\n")
    desk.commit(f"use {TOKEN}")
    assert TOKEN not in desk.memory.blame("src/keys.py:1").text()
    assert "heron" not in desk.memory.blame(".env:1").text()
