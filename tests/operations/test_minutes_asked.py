"""Minutes that lie in a repository and were read as a meeting as well are one source of an answer, and one document."""

from __future__ import annotations

from pathlib import Path

from marrow.app import open_memory

MINUTES = "# Weekly 2026-03-03\n\nAttendees: Ada, Bob\n\n- Ada will send the ostrich report by Friday.\n"


def test_minutes_that_are_a_document_and_a_meeting_are_told_once(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / "weekly.md").write_text(MINUTES)
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root))
        assert [one.kind for one in memory.ask("ostrich report").items] == ["document"]
        memory.ingest_meeting(str(root / "weekly.md"))
        assert [one.kind for one in memory.ask("ostrich report").items] == ["meeting"]


def test_minutes_that_changed_since_they_were_read_as_a_meeting_are_not_left_out(tmp_path: Path) -> None:
    minutes = tmp_path / "repository" / "docs" / "sync.md"
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


def test_minutes_are_listed_once_while_both_readings_are_of_the_same_text(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    text = MINUTES.replace("- Ada", "## Action items\n\n- Ada")
    (root / "weekly.md").write_text(text)
    (root / "guide.md").write_text("# Guide\n\nHow ostriches are kept.\n")
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root), service_name="farm")
        memory.ingest_meeting(str(root / "weekly.md"))
        both = memory.list_documents()
        assert sorted(one["kind"] for one in both.items) == ["document", "meeting"]
        assert (both.total, both.kinds) == (2, {"document": 1, "meeting": 1})
        assert [one["text"] for one in memory.get_action_items().items] == ["send the ostrich report"]
        assert {one["path"] for one in memory.list_documents(kinds=["document"]).items} == {"guide.md", "weekly.md"}
        assert {one["path"] for one in memory.list_documents(service="farm").items} == {"guide.md", "weekly.md"}
        (root / "weekly.md").write_text(text.replace("ostrich", "emu"))
        memory.ingest_codebase(str(root), service_name="farm")
        assert memory.list_documents().total == 3


def test_minutes_that_were_read_with_their_repository_follow_their_file_though_they_are_read_again(
    tmp_path: Path,
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / "minutes.md").write_text(MINUTES)
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root), service_name="farm")
        assert memory.ingest_meeting(str(root / "minutes.md")).outcome == "unchanged"
        assert [(one.kind, one.date) for one in memory.ask("ostrich report").items] == [("meeting", "2026-03-03")]
        (root / "minutes.md").write_text(MINUTES.replace("ostrich", "emu"))
        memory.ingest_codebase(str(root), service_name="farm")
        assert [(one["kind"], one["path"]) for one in memory.list_documents().items] == [("meeting", "minutes.md")]
        assert [one["text"] for one in memory.get_action_items().items] == ["send the emu report"]
        assert not any("ostrich" in one.content for one in memory.ask("ostrich report").items)
