"""Places in the code: what is known there, what the code says of itself, what nothing is known about, who said it."""

from __future__ import annotations

import os

import pytest

from marrow.memory.anchors.checkout import Checkout
from marrow.model.errors import Invalid, NotFound

from .desk_code import APP, Desk, desk

__all__ = ["desk"]


def contents(result: object) -> list[str]:
    return [item.content for item in result.items]  # type: ignore[attr-defined]


def test_spatial_tells_what_is_near_first_and_the_file_last(desk: Desk) -> None:
    desk.save("About the file.", anchors=["src/app.py"])
    desk.save("About the rows.", anchors=[{"type": "symbol", "symbol": "Store.rows", "path": "src/app.py"}])
    desk.save("About the date.", anchors=["src/app.py:6-10"])
    desk.save("About another file.", anchors=["src/other.py"])
    found = desk.memory.spatial("src/app.py", 6, 8)
    assert contents(found) == ["About the date.", "About the file."]
    assert [item.where for item in found.items] == ["lines 6-10", "the file"]
    assert found.symbols == ("parse_date:6",)
    assert contents(desk.memory.spatial("src/app.py:22")) == ["About the rows.", "About the file."]
    assert len(desk.memory.spatial("src/app.py").items) == 3


def test_spatial_says_when_nothing_is_known_and_refuses_other_places(desk: Desk) -> None:
    assert (
        desk.memory.spatial("src/none.py").text() == "Nothing is known about src/none.py here: there is no such file."
    )
    for file in ("../x.py", "/etc/passwd", ""):
        with pytest.raises(Invalid):
            desk.memory.spatial(file)


def test_scan_takes_in_what_the_code_says_and_leaves_out_what_says_nothing(desk: Desk) -> None:
    desk.write(
        "src/legal.py",
        '# Copyright 2026 Somebody. All rights reserved.\n\n"""What the invoices are made of."""\nX = 1\n',
    )
    desk.write("tests/test_app.py", '"""Tests of how requests are answered."""\n')
    result = desk.memory.scan()
    found = sorted(contents(desk.memory.active()))
    assert found == [
        "`Store.rows` (src/app.py): Every row that was written before the last flush.",
        "`Store` (src/app.py): Keeps rows in one file, safe from power loss.",
        "`parse_date` (src/app.py): Read a date as people write it, day first.",
        "src/app.py: How requests are answered, and in which order.",
        "src/legal.py: What the invoices are made of.",
    ]
    assert (result.added, result.claims) == (5, 5)
    items = {item.content.split(":")[0]: item for item in desk.memory.active().items}
    assert items["`Store` (src/app.py)"].domain == "architecture"
    assert items["`parse_date` (src/app.py)"].domain == "patterns"
    address = desk.memory.get(items["`Store.rows` (src/app.py)"].address).address
    assert desk.anchors(address) == ["file src/app.py", "symbol Store.rows"]
    assert desk.record(address).standing.confidence == 0.7


def test_scan_done_again_adds_nothing_and_follows_the_code(desk: Desk) -> None:
    desk.memory.scan()
    again = desk.memory.scan()
    assert (again.added, again.superseded, again.retracted, again.unchanged) == (0, 0, 0, 4)
    desk.edit("src/app.py", "day first.", "month first.")
    desk.edit("src/app.py", '    """Every row that was written before the last flush."""\n', "")
    changed = desk.memory.scan("src")
    assert (changed.added, changed.superseded, changed.retracted, changed.unchanged) == (0, 1, 1, 2)
    found = contents(desk.memory.active())
    assert "`parse_date` (src/app.py): Read a date as people write it, month first." in found
    assert not any("Every row" in one for one in found)
    assert desk.memory.verify().counts == {"holds": 3}


def test_scan_leaves_forgotten_what_was_forgotten(desk: Desk) -> None:
    desk.memory.scan()
    address = next(item.address for item in desk.memory.active().items if "parse_date" in item.content)
    desk.memory.forget(address)
    assert desk.memory.scan().skipped == 1
    assert desk.memory.scan(force=True).added == 1
    with pytest.raises(NotFound):
        desk.memory.scan("no/such/folder")


def test_coverage_names_the_worst_first(desk: Desk) -> None:
    desk.write("src/known.py", "def known_well(a):\n    b = a\n    return b\n")
    desk.write("src/big.py", "\n".join(f"def work_{n}(a):\n    b = a + {n}\n    return b\n" for n in range(9)))
    desk.save("`known_well` in src/known.py gives back what it was given.")
    desk.save("parse_date takes the day first.")
    found = desk.memory.coverage()
    assert [item.path for item in found.items] == ["src/big.py", "src/app.py"]
    assert found.items[0].share == 0.0
    assert "Store.rows:20" in found.items[1].gaps
    assert not any("parse_date" in gap for gap in found.items[1].gaps)
    assert desk.memory.coverage("src/known.py").items == ()
    assert desk.memory.coverage("src/known.py").share == 1.0


def test_coverage_leaves_out_tests_that_stand_beside_what_they_test(desk: Desk) -> None:
    tests = "#[cfg(test)]\nmod tests {\n    fn long() {\n        go();\n        go();\n    }\n}\n"
    desk.write("src/machine.rs", f"pub fn go() {{\n    ();\n}}\n\n{tests}")
    for _ in range(2):
        (item,) = desk.memory.coverage("src/machine.rs").items
        assert item.gaps == ("go:1",)
        desk.memory.perform("memory_map", {})


def test_coverage_is_the_same_with_and_without_a_map(desk: Desk) -> None:
    desk.write("src/big.py", "\n".join(f"def work_{n}(a):\n    b = a + {n}\n    return b\n" for n in range(9)))
    desk.save("`parse_date` in src/app.py takes the day first.")
    without = desk.memory.coverage()
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]
    assert desk.memory.coverage() == without
    desk.write("src/big.py", "def only(a):\n    b = a\n    return b\n")
    assert desk.memory.coverage().symbols == without.symbols - 8


def test_blame_of_a_line_names_its_commit_and_what_was_said(desk: Desk) -> None:
    commit = desk.git("rev-parse", "HEAD")
    address = desk.save("The day comes first.", anchors=[{"type": "symbol", "symbol": "parse_date"}])
    found = desk.memory.blame("src/app.py:8")
    assert found.symbol == "parse_date"
    assert found.items[0]["what"].startswith(f"commit {commit[:12]}")
    assert found.items[0]["who"] == "Ada"
    assert [item["address"] for item in found.items[1:]] == [address[:12]]


def test_in_a_shallow_clone_what_is_older_than_its_commits_is_not_said_to_be_by_the_oldest(desk: Desk) -> None:
    oldest = desk.commit("A later one.")
    (desk.root / ".git" / "shallow").write_text(f"{oldest}\n")
    (written,) = desk.memory.blame("src/app.py:8").items
    assert written["who"] == "unknown"
    assert written["what"] == f"not later than commit {oldest[:12]}, the oldest in this shallow clone"
    with pytest.raises(Invalid, match="clone is shallow"):
        desk.memory.code_changes(since="HEAD~1")


def test_blame_of_a_file_a_chain_and_a_memory(desk: Desk) -> None:
    first = desk.save("First said.", chain="plan", anchors=["src/app.py"])
    second = desk.save("Then said.", chain="plan")
    assert [item["address"] for item in desk.memory.blame("plan").items] == [first[:12], second[:12]]
    assert [item["address"] for item in desk.memory.blame("src/app.py").items] == [first[:12]]
    new = desk.memory.update(first, "Now said.", reason="it moved").address
    told = desk.memory.blame(new).items
    assert [item["what"] for item in told].count("said") == 2
    assert any(item["content"] == "superseded it moved" for item in told)
    with pytest.raises(NotFound):
        desk.memory.blame("no such chain")


def test_rebase_marks_what_hangs_on_a_memory(desk: Desk) -> None:
    ground = desk.save("Dates are read by parse_date.", anchors=[{"type": "symbol", "symbol": "parse_date"}])
    linked = desk.save("Reports depend on it.", links=[{"rel": "depends_on", "target": ground}])
    beside = desk.save("The day is first there.", anchors=[{"type": "symbol", "symbol": "parse_date"}])
    elsewhere = desk.save("The store keeps rows.", anchors=[{"type": "symbol", "symbol": "Store"}])
    desk.save("Nothing to do with it.")
    looked = desk.memory.rebase(ground, dry_run=True)
    assert {item.address for item in looked.items} == {linked[:12], beside[:12], elsewhere[:12]}
    assert desk.record(linked).standing.tags == ()
    desk.write("src/app.py", APP.replace('split("-")', 'split("/")'))
    found = desk.memory.rebase(ground)
    assert "split" in found.changed
    assert found.items[0].address == beside[:12]
    assert "split" in found.items[0].code
    assert desk.record(linked).standing.tags == ("potentially_stale",)
    assert desk.record(elsewhere).standing.tags == (), "the same file alone is no reason for a mark"
    assert desk.drift(ground) == "changed"


LONG_DOCS = '''def one(x):
    """Reads a date the way people write it, with the day
    first and the month second. More is said here.

    And more."""
    return x


class Two:
    """
    Keeps rows in one file, safe
    from power loss
    """

    def rows(self):
        return 1
'''
JAVA_DOCS = """class Checks {
  /**
   * Ensures that an object reference passed to the calling
   * method is not null.
   *
   * @param x what is looked at
   */
  public static int check(Object x) { return 1; }
}
"""


def test_scan_takes_the_whole_first_sentence(desk: Desk) -> None:
    desk.write("lib/long.py", LONG_DOCS)
    desk.write("lib/Checks.java", JAVA_DOCS)
    desk.memory.scan("lib")
    said = {item.content for item in desk.memory.search(tags=["scan"]).items}
    assert said == {
        "`one` (lib/long.py): Reads a date the way people write it, with the day first and the month second.",
        "`Two` (lib/long.py): Keeps rows in one file, safe from power loss",
        "`Checks.check` (lib/Checks.java): Ensures that an object reference passed to the calling method is not null.",
    }


def test_a_scanned_claim_does_not_drift_when_only_the_body_changed(desk: Desk) -> None:
    desk.memory.scan("src")
    desk.edit("src/app.py", "return self.all[:limit]", "return list(self.all[: limit + 1])")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 31")
    assert set(desk.memory.verify().counts) == {"holds"}
    desk.edit("src/app.py", "def rows(", "def all_rows_of_it(")
    assert desk.memory.verify().counts["holds"] < desk.memory.verify().looked_at


def test_spatial_tells_what_people_said_before_what_was_scanned(desk: Desk) -> None:
    desk.memory.scan("src")
    address = desk.save("src/app.py is slow at noon.", priority=0.1)
    assert desk.memory.spatial("src/app.py").items[0].address == address[:12]
    assert desk.memory.spatial("src/app.py:7").items[0].address == address[:12]


def test_coverage_counts_short_functions_where_there_are_no_others(desk: Desk) -> None:
    desk.write("src/app.py", None)
    desk.write("press.py", "LITRES = 11\n\n\ndef pressed(crates: int) -> int:\n    return crates * LITRES\n")
    desk.write("day.py", "from press import pressed\n\n\ndef day() -> int:\n    return pressed(20)\n")
    desk.save("`pressed` in press.py counts litres.")
    found = desk.memory.coverage()
    assert (found.symbols, found.known) == (2, 1)
    told = found.text()
    assert "1 of 2 functions and types" in told
    assert "2 of 2 lines unknown  day.py" in told


def test_coverage_shows_what_it_sorts_by(desk: Desk) -> None:
    desk.write("lib/long.py", "def long(x):\n" + "    x += 1\n" * 40)
    unknown = [item.unknown for item in desk.memory.coverage().items]
    assert unknown == sorted(unknown, reverse=True)
    assert unknown[0] == 41


def test_what_was_just_scanned_is_not_read_again_to_be_verified(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(desk.root / "src/app.py", (1_000_000_000, 1_000_000_000))
    desk.memory.scan("src")
    read: list[str] = []
    monkeypatch.setattr(Checkout, "source", lambda self, path: read.append(path))
    assert desk.memory.verify().counts == {"holds": 4}
    assert read == []


def test_a_symbol_is_located_by_another_form_of_its_word(desk: Desk) -> None:
    desk.write("src/prices.py", "def discount_for(customer):\n    return 5\n")
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]
    located = [clue.content for clue in desk.memory.explore("discounts").items if clue.step == "locate"]
    assert located == ["discount_for"]


def test_exploring_a_symbol_does_not_claim_what_is_known_about_another_of_its_file(desk: Desk) -> None:
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]
    desk.save("`parse_date` takes the day first, always.")
    told = desk.memory.perform("memory_explore", {"topic": "the rows of a Store"}).text
    assert "1 memory about its file" in told
    assert "about it)" not in told
