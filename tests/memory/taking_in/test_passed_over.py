"""A repository's files that are passed over by their names are told, with what reads them; once, until others are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.taking_in.committed import ingest_committed

FILES = {
    "pyproject.toml": '[project]\nname = "kiln"\n',
    "notes/weekly.vtt": "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nAda: We bake.\n",
    "logs/oven.log": "2023-01-01T10:00:00Z ERROR oven: the door is open\n",
    "data/prices.csv": "pot,3\n",
    "data/more.csv": "cup,2\n",
    "art/pot.png": "no picture",
    "lib/oven.so": "no library",
    "tests/oven.expected": "hot\n",
    "LICENSE.md": "MIT",
    "key.pem": "secret",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "kiln"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
        os.utime(folder / path, (1_700_000_000.5, 1_700_000_000.5))  # what was written just now is looked at again
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture
def memory(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory(root, store=str(tmp_path / "marrow.db"), embedder="none") as opened:
        yield opened


def test_what_is_passed_over_by_its_name_is_told_with_the_reader_for_it(memory: Memory) -> None:
    told = memory.ingest_codebase().text()
    for line in (
        "notes/weekly.vtt: it is a recording or its transcript; ingest_meeting reads it",
        "logs/oven.log: it is a log; ingest_log reads it",
        "art/pot.png: it is a picture; ingest_design reads it",
        "lib/oven.so: it is binary",
        "tests/oven.expected: it is test data, or what programs leave behind",
        "2 files such as data/more.csv: their endings are none of those that are read; ingest_document reads them",
    ):
        assert f"  {line}\n" in f"{told}\n"
    assert "LICENSE" not in told
    assert "key.pem" not in told
    assert memory.knowledge_stats().not_read == 7


def test_it_is_told_once_and_again_when_others_are_passed_over(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    assert memory.ingest_codebase().troubled == 0
    assert memory.ingest_codebase(extensions=[".py"]).troubled == 0
    assert memory.ingest_codebase().troubled == 0
    (root / "data/third.csv").write_text("jug,5\n", encoding="utf-8")
    assert "3 files such as data/more.csv" in memory.ingest_codebase().text()


def test_a_submodule_is_told_to_be_a_repository_of_its_own(root: Path, memory: Memory, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True, cwd=root)

    wheel = tmp_path / "wheel"
    git("init", "-q", str(wheel))
    (wheel / "spin.py").write_text("def spin(): ...\n", encoding="utf-8")
    git("-C", str(wheel), "add", ".")
    git("-C", str(wheel), "commit", "-q", "-m", "Spin")
    for name in ("parts/wheel", "parts/wheel.js"):
        git("submodule", "add", "-q", str(wheel), name)
    git("submodule", "deinit", "-q", "-f", "parts/wheel.js")  # as after a clone that fetched none
    found = memory.ingest_codebase()
    told = [one["path"] for one in found.problems if "submodule" in one["reason"]]
    assert told == ["2 files such as parts/wheel"]
    assert "they are submodules, repositories of their own; ingest_codebase reads them" in found.text()
    assert memory.ingest_codebase().troubled == 0
    assert "skipped: 2 submodules" in memory.map().text()
    assert memory.map("parts").text().endswith("skipped: 2 submodules")
    git("submodule", "add", "-q", str(wheel), "third")
    assert "skipped: 3 submodules" in memory.map().text()


@pytest.mark.parametrize("service", ["kiln", "", "oven"])
def test_what_another_reader_has_read_is_not_passed_over(root: Path, memory: Memory, service: str) -> None:
    (root / "talk.eml").write_text("From: a@example.org\nSubject: Glaze\n\nWe bake at 200.\n", encoding="utf-8")
    memory.ingest_meeting(str(root / "notes/weekly.vtt"), service=service)
    memory.ingest_log(str(root / "logs/oven.log"), service=service)
    memory.ingest_conversation(str(root / "talk.eml"), service=service)
    memory.ingest_document(str(root / "data/prices.csv"), service=service)
    told = memory.ingest_codebase().text()
    assert "weekly.vtt" not in told
    assert "talk.eml" not in told
    assert "oven.log" not in told
    assert "  data/more.csv: " in told
    assert memory.knowledge_stats().not_read == 4


def test_it_is_no_news_after_a_commit_was_read_or_a_folder_alone(root: Path, memory: Memory) -> None:
    (root / "docs").mkdir()
    (root / "docs/pots.md").write_text("# Pots\n\nThey are round.\n", encoding="utf-8")
    memory.ingest_codebase()
    subprocess.run(["git", "-C", str(root), "add", "docs"], check=True)
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "-C", str(root), *identity, "commit", "-qm", "Pots"], check=True)
    ingest_committed(memory.call.engine, memory.call.asker, str(root))
    assert memory.knowledge_stats().not_read == 7
    assert memory.ingest_codebase(str(root / "docs")).troubled == 0
    assert memory.knowledge_stats().not_read == 7
    assert memory.ingest_codebase().troubled == 0


def test_a_file_of_a_part_is_counted_once_with_the_whole(root: Path, memory: Memory) -> None:
    (root / "data/pyproject.toml").write_text('[project]\nname = "prices"\n', encoding="utf-8")
    memory.ingest_codebase(str(root / "data"))
    assert memory.knowledge_stats().not_read == 2
    memory.ingest_codebase()
    assert memory.knowledge_stats().not_read == 7


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
def test_a_file_whose_name_is_no_text_is_told_with_its_bytes(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    for name in (b"notes/caf\xe9.md", b"caf\xe9.pem"):
        Path(os.fsdecode(os.path.join(os.fsencode(root), name))).write_text("# Coffee\n", encoding="utf-8")
    told = memory.ingest_codebase().text()
    assert "  notes/caf\\xe9.md: its name is no UTF-8, and cannot be kept" in told
    assert ".pem" not in told
    assert memory.knowledge_stats().not_read == 8
    assert memory.ingest_codebase().troubled == 0
    Path(os.fsdecode(os.path.join(os.fsencode(root), b"notes/caf\xe9.md"))).unlink()
    memory.ingest_codebase()
    assert memory.knowledge_stats().not_read == 7


BUILT = {
    "build/README.md": "# How the oven is built\n\nWith bricks.\n",
    "docs/build/walls.md": "# Walls\n\nThey are thick.\n",
    "build/oven.go": "// Code generated by clay. DO NOT EDIT.\npackage oven\n",
    "build/large.md": "# Large\n\n" + "Bricks and clay. " * 5_000,
    "vendor/clay/README.md": "# Clay\n\nOf others.\n",
    "docs/dist/README.md": "# Dist\n\nA bundle.\n",
    "out/node_modules/clay/README.md": "# Clay\n\nOf others.\n",
}


def write_built(root: Path) -> None:
    for path, text in BUILT.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def test_what_git_tracks_in_a_folder_called_build_is_somebodys_own(memory: Memory, root: Path) -> None:
    write_built(root)
    subprocess.run(["git", "-C", str(root), "add", "-f", "."], check=True, capture_output=True)
    (root / "build" / "new.md").write_text("# New\n\nWho knows.\n", encoding="utf-8")
    memory.ingest_codebase()
    paths = {one["path"] for one in memory.list_documents(limit=100).items}
    assert paths & {*BUILT, "build/new.md"} == {"build/README.md", "docs/build/walls.md"}


def test_what_was_left_out_of_build_is_read_once_it_is_committed(memory: Memory, root: Path) -> None:
    write_built(root)
    git = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "add", "pyproject.toml"], check=True, capture_output=True)
    subprocess.run([*git, "commit", "-qm", "Begin"], check=True, capture_output=True)
    memory.ingest_codebase()
    assert not {one["path"] for one in memory.list_documents(limit=100).items} & {*BUILT}
    subprocess.run([*git, "add", "-f", "."], check=True, capture_output=True)
    subprocess.run([*git, "commit", "-qm", "Walls"], check=True, capture_output=True)
    ingest_committed(memory.call.engine, memory.call.asker, str(root))
    paths = {one["path"] for one in memory.list_documents(limit=100).items}
    assert paths & {*BUILT} == {"build/README.md", "docs/build/walls.md"}
