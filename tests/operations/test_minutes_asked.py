"""Minutes that lie in a repository and were read as a meeting as well are one source of an answer."""

from __future__ import annotations

from pathlib import Path

from marrow.app import open_memory

MINUTES = "# Weekly 2026-03-03\n\nAttendees: Ada, Bob\n\n- Ada will send the ostrich report by Friday.\n"


def test_minutes_that_are_a_document_and_a_meeting_are_told_once(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / "minutes.md").write_text(MINUTES)
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root))
        assert [one.kind for one in memory.ask("ostrich report").items] == ["document"]
        memory.ingest_meeting(str(root / "minutes.md"))
        assert [one.kind for one in memory.ask("ostrich report").items] == ["meeting"]


def test_minutes_that_changed_since_they_were_read_as_a_meeting_are_not_left_out(tmp_path: Path) -> None:
    minutes = tmp_path / "repository" / "docs" / "minutes.md"
    minutes.parent.mkdir(parents=True)
    text = "# Sync\n\nDate: 2026-03-02\nAttendees: Ada, Bob\n\nThe oak budget is {} euro.\n"
    minutes.write_text(text.format(500))
    root = tmp_path / "repository"
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root))
        memory.ingest_meeting(str(minutes))
        assert [one.kind for one in memory.ask("What is the oak budget?").items] == ["meeting"]
        minutes.write_text(text.format(900))
        memory.ingest_codebase(str(root))
        assert any("900" in one.content for one in memory.ask("What is the oak budget?").items)
