"""The corpus of edits: for each the right verdict, through the real verification on a real repository."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.verify import Verified, verify
from marrow.model.record import CURRENT

from .drift_corpus import CASES
from .drift_corpus.case import CHANGED, GONE, Case

DRIFTS = {CHANGED: "changed", GONE: "gone"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("MARROW_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as opened:
        yield opened


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *names, *arguments], check=True, capture_output=True)


def write(folder: Path, path: str, text: str | None) -> None:
    file = folder / path
    if text is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "as it is")


def edit(folder: Path, case: Case) -> None:
    for path, old, new in case.edits:
        write(folder, path, (folder / path).read_text().replace(old, new))
    for path, text in case.after.items():
        write(folder, path, text)
    for old, new in case.renames:
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        git(folder, "mv", old, new)
    if case.commits:
        commit(folder)


def look(memory: Memory, address: str) -> Verified:
    return verify(memory.engine, memory.call.asker, address).items[0]


def drift(memory: Memory, address: str) -> str:
    with memory.store.reading() as reader:
        return reader.records(memory.scope.namespace, [address], (memory.project,), CURRENT)[0].standing.drift


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_edit_gets_the_right_verdict(case: Case, root: Path, memory: Memory) -> None:
    for path, text in case.files.items():
        write(root, path, text)
    commit(root)
    address = memory.save("The way it is done here.", anchors=[case.anchor]).items[0].address
    whole = memory.get(address).address
    assert look(memory, whole).verdict == "holds"
    edit(root, case)
    found = look(memory, whole)
    said = "; ".join(f"{one.verdict} {one.said}" for one in found.findings)
    assert found.verdict == case.verdict, said
    assert case.says in said
    assert drift(memory, whole) == DRIFTS.get(case.verdict, "")
    if case.now:
        now = found.findings[0].now
        assert now is not None
        assert case.now in f"{now.target} {now.fields.get('path', '')}"
    if case.verdict == "moved":
        assert look(memory, whole).verdict == "holds", "what was pinned anew holds"
    elif case.verdict in DRIFTS:
        for path in {*case.after, *(new for _, new in case.renames)} - set(case.files):
            write(root, path, None)
        for path, text in case.files.items():
            write(root, path, text)
        assert look(memory, whole).verdict in ("holds", "moved"), "as it was, it holds again"
        assert drift(memory, whole) == ""


def test_the_corpus_is_large_enough_and_has_every_verdict() -> None:
    counts = Counter(case.verdict for case in CASES)
    assert len(CASES) >= 48
    assert min(counts[verdict] for verdict in ("holds", "moved", "changed", "gone")) >= 8
    assert len({case.name for case in CASES}) == len(CASES)
