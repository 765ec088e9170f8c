"""Paths as people write them, in reports and lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.app import open_memory
from marrow.memory.attribution import Origin
from marrow.operations.problems import plain_path


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("file:/tmp/a.md", "/tmp/a.md"),
        ("meeting:/tmp/weekly.vtt", "/tmp/weekly.vtt"),
        ("conversation:file:chat.txt", "chat.txt"),
        ("docs/file: how.md", "docs/file: how.md"),
        ("file: how.md", "file: how.md"),
        ("log:a.log@0", "log:a.log@0"),
    ],
)
def test_the_word_for_the_reader_is_left_out(path: str, told: str) -> None:
    assert plain_path(path) == told


def test_what_is_listed_is_found_under_the_path_that_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    outside = tmp_path / "weekly.md"
    outside.write_text("# Weekly\n\nThe oven stays.\n", encoding="utf-8")
    with open_memory(tmp_path / "project", store="memory:", embedder="none") as memory:
        memory.ingest_document(path=str(outside))
        listed = memory.list_documents()
        assert "file:" not in listed.text()
        assert memory.get_full_document(path=plain_path(listed.items[0]["path"])).title == "Weekly"


def test_the_title_of_a_talk_ends_in_one_mark() -> None:
    origin = Origin(title="#kiln: The oven is off.", at=1_700_000_000_000_000, fields={"session": "C1/1"})
    assert origin.name == "#kiln: The oven is off, 2023-11-14"
