"""Questions about a codebase, as people type them: the name of a file says what it is about."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory

CODE = "\n".join(
    [
        '"""Drops the oldest entries of a cache first, or by size."""\n\n\ndef {name}(entries):',
        *(f"    value_{at} = entries.pop({at})  # one of many" for at in range(60)),
        "    return entries\n",
    ]
)
PATHS = {"src/eviction/oldest_first.py": "one", "src/eviction/by_size.py": "two", "src/other/warm.py": "three"}
COMMIT = "The oldest entry of the cache is dropped first"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "kiln"
    for path, name in PATHS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(CODE.format(name=name), encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", COMMIT]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    with open_memory(root, store=str(tmp_path / "marrow.db")) as opened:
        opened.ingest_codebase()
        opened.ingest_history()
        yield opened


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("which entries of the cache are dropped, oldest first?", "src/eviction/oldest_first.py"),
        ("which entries of the cache are dropped by size?", "src/eviction/by_size.py"),
        ("which entries of the cache are dropped to warm it?", "src/other/warm.py"),
    ],
)
def test_of_files_that_say_the_same_the_one_whose_name_says_what_was_asked_is_first(
    memory: Memory, question: str, path: str
) -> None:
    found = [item.source for item in memory.search(question).items if item.kind == "code"]
    assert found[0].startswith(path)


def test_the_name_of_a_folder_says_less_than_that_of_the_file_and_more_than_nothing(memory: Memory) -> None:
    found = memory.search("eviction of cache entries", explain=True).items
    filed = {item.source.partition(":")[0]: item.why.get("filed", 0.0) for item in found}
    assert filed["src/eviction/by_size.py"] == filed["src/eviction/oldest_first.py"] > 0
    assert filed.get("src/other/warm.py", 0.0) == 0
    named = memory.search("oldest first", explain=True).items
    assert max(item.why.get("filed", 0.0) for item in named) > filed["src/eviction/by_size.py"]


def test_asked_where_something_is_done_code_stands_before_the_commit_that_did_it(memory: Memory) -> None:
    where = [item.kind for item in memory.ask("Where is the oldest entry of the cache dropped first?").items]
    assert where.index("code") < where.index("commit")
    change = [item.kind for item in memory.ask("Which change made the cache drop the oldest first?").items]
    assert change[0] == "commit"
