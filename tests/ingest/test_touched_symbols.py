"""The symbols that a commit touched are found by its lines, in the text before it and in the text after it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from marrow.ingest import touched_symbols as module
from marrow.ingest.history import commit_items, digest_of
from marrow.ingest.touched_symbols import FILES_MAX, SYMBOLS_MAX, TouchedSymbols
from marrow.repository.history import commits

from .conftest import Commit

STORE = '''"""A store."""

LIMIT = 10


class Store:
    """It holds things."""

    name: str = "plain"

    def open(self):
        return self.name

    def close(self):
        def flush():
            return 1

        return flush()


def helper():
    return LIMIT
'''


def latest(root: Path, number: int = 0) -> str:
    return [one.hash for one in commits(root)][number]


def symbols(root: Path, number: int = 0, seconds: float = 60.0) -> list[str]:
    """Of one of the latest commits, those with most lines first."""
    commit = latest(root, number)
    found = dict(TouchedSymbols(root, seconds).of([commit]))
    return [one.name for one in found[commit]]


@pytest.fixture
def change(root: Path, commit: Commit) -> Callable[..., None]:
    """Commits `store.py` with one text in the place of another."""
    (root / "store.py").write_text(STORE, encoding="utf-8")
    commit("Add the store", "2026-01-01T00:00:00Z")

    def change(*pairs: tuple[str, str]) -> None:
        text = (root / "store.py").read_text(encoding="utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new, 1)
        (root / "store.py").write_text(text, encoding="utf-8")
        commit("Change the store", "2026-01-02T00:00:00Z")

    return change


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("return self.name", "return self.name.lower()", ["Store.open"]),
        ("            return 1\n", "            return 2\n", ["Store.close.flush"]),
        ("It holds things.", "It holds a thing.", ["Store"]),
        ('name: str = "plain"', 'name: str = "gaudy"', ["Store"]),  # a field stands for its type
        ("LIMIT = 10", "LIMIT = 20", ["LIMIT"]),
        ('"""A store."""', '"""The store."""', []),  # it stands in nothing
        ("    def close(self):\n", "    def close(self):\n\n", []),  # nor does a line without a word
        ("def helper():\n    return LIMIT\n", "", ["helper"]),  # it is only in the text before
        ("def helper():", "def aid():", ["aid", "helper"]),
        ("    def open(self):\n        return self.name\n\n", "", ["Store.open"]),
        ("    return LIMIT\n", "    return LIMIT\n\n\ndef last():\n    return 0\n", ["last"]),
    ],
)
def test_the_innermost_symbol_of_each_line_is_touched(
    root: Path, change: Callable[..., None], old: str, new: str, touched: list[str]
) -> None:
    change((old, new))
    assert symbols(root) == touched


def test_those_with_most_lines_come_first(root: Path, change: Callable[..., None]) -> None:
    change(
        ("LIMIT = 10", "LIMIT = 20"),
        ("return self.name", "name = self.name\n        name = name.lower()\n        return name"),
    )
    assert symbols(root) == ["Store.open", "LIMIT"]


def test_all_that_a_new_file_has_is_touched_and_so_it_is_when_the_file_goes(
    root: Path, change: Callable[..., None], commit: Commit
) -> None:
    everything = {"Store", "Store.open", "Store.close", "Store.close.flush", "LIMIT", "helper"}
    assert set(symbols(root)) == everything
    (root / "store.py").unlink()
    commit("Drop the store", "2026-01-02T00:00:00Z")
    assert set(symbols(root)) == everything


def test_a_function_that_comes_before_another_leaves_that_one_untouched(root: Path, commit: Commit) -> None:
    """Git may show the new one from the last brace of the one above it on."""
    one = "func {0}() int {{\n\tx := 1\n\treturn x\n}}\n\n"
    (root / "a.go").write_text("package a\n\n" + one.format("First") + one.format("Last"), encoding="utf-8")
    commit("Two", "2026-01-01T00:00:00Z")
    text = "package a\n\n" + "".join(map(one.format, ("First", "Middle", "Last")))
    (root / "a.go").write_text(text, encoding="utf-8")
    commit("Three", "2026-01-02T00:00:00Z")
    assert symbols(root) == ["Middle"]


def test_symbols_of_several_languages_are_told_with_their_files(root: Path, commit: Commit) -> None:
    (root / "src").mkdir()
    (root / "src" / "a.ts").write_text("export class Cart {\n  total() { return 1 }\n}\n", encoding="utf-8")
    (root / "b.rs").write_text("impl Cart {\n    fn total(&self) -> u8 { 1 }\n}\n", encoding="utf-8")
    commit("Both")
    found = dict(TouchedSymbols(root, 60).of([latest(root)]))[latest(root)]
    assert {(one.path, one.name) for one in found} >= {("src/a.ts", "Cart.total"), ("b.rs", "Cart.total")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("readme.md", "# Title\n\nText.\n"),
        ("notes.txt", "def a(): pass\n"),
        ("api_pb2.py", "def a():\n    return 1\n"),
        ("made.py", "# Code generated by a tool. DO NOT EDIT.\ndef a():\n    return 1\n"),
        ("long.py", f"def a():\n    return '{'x' * 30_000}'\n"),
        ("deep.py", "def a():\n    return " + "[" * 500 + "]" * 500 + "\n"),
        ("large.py", "def a():\n    return 1\n" * 20_000),
        ("broken.py", "\xff\xfe def ((("),
        ("empty.py", ""),
    ],
)
def test_prose_generated_wild_and_broken_files_have_none(root: Path, commit: Commit, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="latin-1")
    (root / "fine.py").write_text("def fine():\n    return 1\n", encoding="utf-8")
    commit("Add them")
    assert symbols(root) == ["fine"]


def test_there_is_a_limit_to_the_symbols_and_to_the_files_of_a_commit(root: Path, commit: Commit) -> None:
    for number in range(FILES_MAX):
        text = "".join(f"def f{number}_{other}():\n    return 1\n\n" for other in range(5))
        (root / f"m{number}.py").write_text(text, encoding="utf-8")
    commit("Many symbols", "2026-01-01T00:00:00Z")
    assert len(symbols(root)) == SYMBOLS_MAX
    for number in range(FILES_MAX + 1):
        (root / f"m{number}.py").write_text("def other():\n    return 1\n", encoding="utf-8")
    commit("Many files", "2026-01-02T00:00:00Z")
    assert symbols(root) == []


def test_a_merge_has_none_and_what_it_brought_is_told_of_its_commits(root: Path, commit: Commit) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    commit("Begin", "2026-01-01T00:00:00Z")
    subprocess.run([*git, "switch", "-q", "-c", "side"], check=True)
    (root / "side.py").write_text("def side():\n    return 1\n", encoding="utf-8")
    commit("Side", "2026-01-02T00:00:00Z")
    subprocess.run([*git, "switch", "-q", "main"], check=True)
    subprocess.run([*git, "merge", "-q", "--no-ff", "-m", "Merge it", "side"], check=True)
    assert (symbols(root, 0), symbols(root, 1)) == ([], ["side"])


def test_without_time_nothing_is_told(root: Path, change: Callable[..., None]) -> None:
    assert dict(TouchedSymbols(root, 0.0).of([latest(root)])) == {}


def test_when_the_time_is_over_the_first_ones_are_told_and_no_other(root: Path, change: Callable[..., None]) -> None:
    for number in range(11, 15):
        change((f"LIMIT = {number - 1}", f"LIMIT = {number}"))
    hashes = [one.hash for one in commits(root)]
    seconds = count()
    told = list(TouchedSymbols(root, 12.0, clock=lambda: float(next(seconds))).of(hashes))
    assert 1 <= len(told) < len(hashes)
    assert [commit for commit, _ in told] == hashes[: len(told)]
    assert all([one.name for one in found] == ["LIMIT"] for _, found in told)


def test_a_commit_that_takes_all_the_time_does_not_stand_in_the_way_for_ever(root: Path, commit: Commit) -> None:
    for number in range(FILES_MAX):
        (root / f"m{number:02d}.py").write_text(f"def f{number}():\n    return 1\n", encoding="utf-8")
    commit("Many files")
    seconds = count()
    ((told, found),) = TouchedSymbols(root, 6.0, clock=lambda: float(next(seconds))).of([latest(root)])
    assert told == latest(root)
    assert 0 < len(found) < FILES_MAX


def test_what_does_not_fit_among_the_known_texts_is_read_again(
    root: Path, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KNOWN_BYTES_MAX", 1)
    for number in range(11, 15):
        change((f"LIMIT = {number - 1}", f"LIMIT = {number}"), ("return self.name", "return self.name + ''"))
    hashes = [one.hash for one in commits(root)][:4]
    told = dict(TouchedSymbols(root, 60).of(hashes))
    assert [[one.name for one in told[commit]] for commit in hashes] == [["LIMIT", "Store.open"]] * 4


def test_a_commit_item_has_its_symbols_pinned_and_named(root: Path, change: Callable[..., None]) -> None:
    change(("return self.name", "return self.name.lower()"))
    item, _ = commit_items(root, finder=TouchedSymbols(root, 60))
    anchors = [(one.type, one.target, one.fields) for one in item.draft.anchors]
    assert anchors[1:] == [("file", "store.py", {}), ("symbol", "Store.open", {"path": "store.py"})]
    assert item.draft.metadata["symbols"] == ["store.py::Store.open"]
    assert item.digest == digest_of(latest(root), with_symbols=True)


def test_the_digest_of_a_commit_item_says_whether_symbols_were_looked_for(
    root: Path, change: Callable[..., None], commit: Commit
) -> None:
    commit("Say something")
    for finder, looked in ((TouchedSymbols(root, 60), True), (TouchedSymbols(root, 0.0), False), (None, False)):
        said = next(item for item in commit_items(root, finder=finder) if item.draft.content == "Say something")
        assert said.digest == digest_of(latest(root), with_symbols=looked)
        assert "symbols" not in said.draft.metadata
    foreign = next(iter(commit_items(root, finder=TouchedSymbols(root, 60), anchored=False)))
    assert [one.type for one in foreign.draft.anchors] == ["commit"]
