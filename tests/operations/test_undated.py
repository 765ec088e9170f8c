"""A record that says no day is told without one: the day on which it was read is another."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.organisation.incidents import BATCH
from marrow.memory.taking_in.committed import ingest_committed
from marrow.model.record import Record
from marrow.store.sqlite.reader import SqliteReader

DECISION = "# 1. Use cedar\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use cedar wood.\n"
INCIDENT = "# Shelf fell\n\n## Summary\n\nIt fell.\n\n## Root cause\n\nCedar screws.\n\n## Impact\n\nBooks.\n"
MEETING = "Ann: Hello.\nBob: I will send the cedar report tomorrow.\nAnn: Good.\nBob: Bye.\n"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "repository"
    for name, text in (("adr/0001-cedar.md", DECISION), ("incidents/INC-1.md", INCIDENT), ("talk.txt", MEETING)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as made:
        made.ingest_codebase(str(root), extensions=[".md"])
        made.ingest_meeting(str(root / "talk.txt"))
        yield made


def test_what_says_no_day_is_told_as_undated(memory: Memory) -> None:
    decided = memory.get_architectural_decisions()
    assert [one.date for one in decided.items] == [""]
    assert "undated" in decided.text()
    broken = memory.get_incident_history()
    assert [one.date for one in broken.items] == [""]
    assert "undated" in broken.text()
    said = memory.search_meeting_transcripts("report")
    assert [one["date"] for one in said.items] == [""]
    assert "undated" in said.text()
    assert all(one.date == "" for one in memory.ask("cedar report").items)
    assert {one["date"] for one in memory.list_documents(kinds=["decision", "incident", "meeting"]).items} == {""}


def _commit(root: Path, day: str = "2024-05-06") -> None:
    at = {"GIT_COMMITTER_DATE": f"{day}T12:00:00Z", "GIT_AUTHOR_DATE": f"{day}T12:00:00Z"}
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    for command in (("init", "--quiet"), ("add", "."), (*names, "commit", "--quiet", "-m", "Decide")):
        subprocess.run(["git", "-C", str(root), *command], check=True, env={**os.environ, **at})


def test_a_meeting_is_of_the_day_on_which_git_says_it_was_written_down(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    _commit(root)
    with open_memory(root, store=str(tmp_path / "other.db"), project="orchard", embedder="fake") as made:
        made.ingest_meeting(str(root / "talk.txt"))
        assert [one["date"] for one in made.search_meeting_transcripts("report").items] == ["2024-05-06"]
        assert [one["due"] for one in made.get_action_items().items] == ["2024-05-07"]


@pytest.mark.parametrize("operation", ["ingest_document", "ingest_architectural_decision"])
def test_a_single_file_is_of_the_day_on_which_git_says_it_was_written(
    memory: Memory, tmp_path: Path, operation: str
) -> None:
    root = tmp_path / "repository"
    _commit(root)
    (root / "adr" / "0002-new.md").write_text(DECISION.replace("1. Use cedar", "2. Use oak"))
    with open_memory(root, store=str(tmp_path / "other.db"), project="orchard", embedder="fake") as made:
        for name in ("0001-cedar.md", "0002-new.md"):
            made.perform(operation, {"path": str(root / "adr" / name)})
        assert [one.date for one in made.get_architectural_decisions().items] == ["2024-05-06", ""]


@pytest.mark.parametrize("operation", ["ingest_codebase", "ingest_committed", "ingest_document"])
def test_what_was_mended_later_is_of_the_day_on_which_it_was_written_first(
    memory: Memory, tmp_path: Path, operation: str
) -> None:
    root = tmp_path / "repository"
    _commit(root)
    (root / "adr" / "0001-cedar.md").write_text(DECISION.replace("cedar wood", "cedarwood"))
    (root / "incidents" / "INC-1.md").write_text(INCIDENT.replace("It fell", "It fell down"))
    _commit(root, "2026-02-03")
    with open_memory(root, store=str(tmp_path / "other.db"), project="orchard", embedder="fake") as made:
        if operation == "ingest_document":
            for name in ("adr/0001-cedar.md", "incidents/INC-1.md"):
                made.ingest_document(str(root / name))
        elif operation == "ingest_committed":
            ingest_committed(made.call.engine, made.call.asker, str(root))
        else:
            made.ingest_codebase(str(root))
        assert [one.date for one in made.get_architectural_decisions().items] == ["2024-05-06"]
        assert {one["date"] for one in made.list_documents(kinds=["decision"]).items} == {"2024-05-06"}
        assert [one.date for one in made.get_incident_history().items] == ["2024-05-06"]


def test_an_undated_decision_is_not_the_latest_and_changed_no_other(memory: Memory, tmp_path: Path) -> None:
    adr = tmp_path / "repository" / "adr"
    (adr / "0002-cedar.md").write_text(f"# 2. Use cedar no longer\n\nDate: 2024-03-02\n\n{DECISION[17:]}")
    (adr / "0001-cedar.md").write_text(
        DECISION.replace("We use cedar wood", "We now use oak wood instead of cedar wood")
    )
    memory.ingest_codebase(str(adr.parent), extensions=[".md"])
    found = memory.get_architectural_decisions().items
    assert [one.date for one in found] == ["2024-03-02", ""]
    assert [one.changed_by for one in found] == ["", ""]


def test_an_undated_incident_is_not_the_latest(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "repository" / "incidents"
    for name, day in (("INC-2", "2024-03-02"), ("INC-3", "2025-03-02")):
        (folder / f"{name}.md").write_text(f"# {name}\n\nDate: {day}\n\n{INCIDENT[14:]}")
    memory.ingest_codebase(str(folder.parent), extensions=[".md"])
    assert [one.date for one in memory.get_incident_history().items] == ["2025-03-02", "2024-03-02", ""]
    assert [one.date for one in memory.get_incident_history(limit=1).items] == ["2025-03-02"]


def test_of_many_incidents_no_more_are_read_than_are_told_of(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "repository" / "incidents"
    for number in range(2, 2 * BATCH + 2):
        day = date(2024, 1, 1) + timedelta(days=number)
        (folder / f"INC-{number}.md").write_text(f"# INC-{number}\n\nDate: {day}\n\n{INCIDENT[14:]}")
    memory.ingest_codebase(str(folder.parent), extensions=[".md"])
    read, given = list[int](), SqliteReader.records_of

    def noted(self: SqliteReader, entries: Sequence[int], seq: int) -> list[Record]:
        read.extend(entries)
        return given(self, entries, seq)

    monkeypatch.setattr(SqliteReader, "records_of", noted)
    found = memory.get_incident_history(limit=2)
    assert [one.title for one in found.items] == [f"INC-{2 * BATCH + 1}", f"INC-{2 * BATCH}"]
    assert found.total == 2 * BATCH + 1
    assert len(read) == BATCH
    assert memory.get_incident_history(limit=2 * BATCH + 1).items[-1].date == ""


def test_a_day_is_not_reckoned_from_when_the_file_was_read(memory: Memory) -> None:
    (item,) = memory.get_action_items().items
    assert (item["due"], item["date"]) == ("tomorrow", "")


def test_what_was_told_without_a_file_is_of_the_day_on_which_it_was_told(memory: Memory) -> None:
    memory.ingest_meeting(transcript="Ann: Hello.\nBob: I will order the door tomorrow.\nAnn: Yes.\nBob: Bye.\n")
    (item,) = (one for one in memory.get_action_items().items if "door" in one["text"])
    assert item["due"][:2] == "20"
    assert item["date"][:2] == "20"


def test_what_says_no_day_is_from_the_day_on_which_git_says_that_it_was_written(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / "adr").mkdir(parents=True)
    (root / "adr/0001-cedar.md").write_text(DECISION)
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    day = {"GIT_AUTHOR_DATE": "2024-03-05T10:00:00Z", "GIT_COMMITTER_DATE": "2024-03-05T10:00:00Z"}
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "Cedar"]):
        subprocess.run(["git", "-C", str(root), *command], check=True, env={**os.environ, **day})
    (root / "adr/0002-oak.md").write_text(DECISION.replace("cedar", "oak"))
    written = datetime(2024, 4, 7, 12, tzinfo=UTC).timestamp()
    os.utime(root / "adr/0002-oak.md", (written, written))
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root))
        found = {one.title: one.date for one in memory.get_architectural_decisions().items}
    assert found == {"Use cedar": "2024-03-05", "Use oak": "2024-04-07"}
