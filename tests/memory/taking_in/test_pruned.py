"""What is old and what is not: files that are there stay, and what was taken out comes back with its source."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.taking_in.committed import ingest_committed

OLD = 1_700_000_000
INCIDENT = """# INC-7 The oven went out

Date: 2023-02-01
Severity: SEV2

## Impact

Nothing was baked.

## Root cause

The gas was off.
"""
MEETING = """WEBVTT

00:00:01.000 --> 00:00:04.000
Ada: We bake at 200 degrees.
"""
LOG = "2023-01-01T10:00:00Z ERROR oven: the door is open\n2023-01-01T10:00:01Z INFO oven: closed\n"
ADR = "# 1. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nSQLite, no server.\n"
FILES = {
    "pyproject.toml": '[project]\nname = "kiln"\n',
    "docs/incidents/INC-7-oven.md": INCIDENT,
    "docs/adr/0001-use-sqlite.md": ADR,
    "notes/2023-01-02-weekly.vtt": MEETING,
    "logs/oven.log": LOG,
}


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    dated = {"GIT_AUTHOR_DATE": f"@{OLD} +0000", "GIT_COMMITTER_DATE": f"@{OLD} +0000"}
    command = ["git", "-C", str(root), *identity, *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **dated})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "kiln"
    for path, text in FILES.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        os.utime(target, (OLD, OLD))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Bake at 200 degrees\n\nBecause glaze melts there.")
    return folder


@pytest.fixture
def memory(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory(root, store=str(tmp_path / "marrow.db"), embedder="none") as opened:
        opened.ingest_codebase()
        opened.ingest_meeting(str(root / "notes/2023-01-02-weekly.vtt"))
        opened.ingest_log(str(root / "logs/oven.log"))
        opened.ingest_history()
        yield opened


def kinds(memory: Memory) -> set[str]:
    return set(memory.knowledge_stats().by_type)


ALL = {"code", "commit", "decision", "incident", "log", "meeting"}


def test_nothing_is_pruned_whose_file_is_still_there(memory: Memory) -> None:
    assert kinds(memory) == ALL
    assert memory.prune("6 months").deleted == 0


def test_what_a_file_said_that_is_gone_is_pruned_and_so_is_what_came_without_one(root: Path, memory: Memory) -> None:
    memory.ingest_meeting(transcript="Ada: We closed the oven.", title="Closing", date="2023-03-01")
    (root / "logs/oven.log").unlink()
    assert set(memory.prune("6 months").kinds) == {"log", "meeting"}
    memory.prune("6 months", dry_run=False, confirm=True)
    assert [item["title"] for item in memory.list_documents(kinds=["meeting"]).items] == ["weekly"]
    assert not memory.list_documents(kinds=["log"]).items


@pytest.mark.parametrize("kind", sorted(ALL))
def test_what_was_pruned_comes_back_when_it_is_taken_in_again(root: Path, memory: Memory, kind: str) -> None:
    done = memory.prune("6 months", kinds=[kind], dry_run=False, confirm=True)
    assert done.deleted
    assert kinds(memory) == ALL - {kind}
    memory.ingest_codebase()
    memory.ingest_meeting(str(root / "notes/2023-01-02-weekly.vtt"))
    memory.ingest_log(str(root / "logs/oven.log"))
    memory.ingest_history()
    assert kinds(memory) == ALL


@pytest.mark.parametrize("restores", [False, True])
def test_commits_that_were_pruned_do_not_come_back_unasked(root: Path, memory: Memory, restores: bool) -> None:
    memory.prune("6 months", kinds=["commit"], dry_run=False, confirm=True)
    if restores:
        memory.snapshot_create("pruned")
        memory.save("We glaze twice.")
        memory.snapshot_restore("pruned", dry_run=False, confirm=True)
    (root / "README.md").write_text("# Kiln\n", encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Say what it is\n\nNobody knew.")
    call = memory.call
    ingest_committed(call.engine, call.asker, str(root))
    assert memory.knowledge_stats().by_type["commit"] == 1


@pytest.mark.parametrize("reason", ["", "prune", "its source changed", "restored to 3"])
def test_what_was_forgotten_by_itself_stays_forgotten_when_its_file_is_read_again(
    root: Path, memory: Memory, reason: str
) -> None:
    address = memory.list_documents(kinds=["incident"]).items[0]["address"]
    memory.forget(address, reason=reason)
    commit = next(held for _, path, held in rows(memory) if path.startswith("commit:"))
    memory.forget(commit, reason=reason)
    memory.ingest_history()
    assert "commit" not in kinds(memory)
    os.utime(root / "docs/incidents/INC-7-oven.md", (OLD + 5, OLD + 5))
    memory.ingest_codebase()
    assert "incident" not in kinds(memory)


def test_a_deleted_service_leaves_no_superseded_record_behind_and_comes_back_whole(root: Path, memory: Memory) -> None:
    newer = ADR.replace("1. Use SQLite", "2. Use PostgreSQL").replace("Accepted", "Accepted\n\nSupersedes ADR-0001")
    (root / "docs/adr/0002-use-postgresql.md").write_text(newer, encoding="utf-8")
    memory.ingest_codebase()
    before = [(one.title, one.status) for one in memory.get_architectural_decisions(status="all").items]
    assert ("Use SQLite", "superseded") in before
    memory.delete_service_data("kiln", dry_run=False, confirm=True)
    assert not memory.get_architectural_decisions(status="all").items
    assert not [one for one in memory.ask("why SQLite").items if one.kind == "decision"]
    memory.ingest_codebase()
    assert [(one.title, one.status) for one in memory.get_architectural_decisions(status="all").items] == before


def test_what_a_person_replaced_stays_replaced_when_its_service_is_deleted_and_read_again(
    root: Path, memory: Memory
) -> None:
    (decision,) = memory.get_architectural_decisions().items
    memory.update(decision.address, "We use PostgreSQL now: two writers were too many.")
    memory.delete_service_data("kiln", dry_run=False, confirm=True)
    memory.ingest_codebase()
    assert "Use SQLite" not in [one.title for one in memory.get_architectural_decisions().items]


TALK = "Ada: We bake at 200 degrees because of the glaze.\nBob: Agreed, it melts there.\n"


def put(root: Path, path: str, text: str, at: int = OLD) -> str:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    os.utime(target, (at, at))
    return str(target)


def test_a_conversation_whose_file_is_there_is_not_pruned_until_that_is_gone(root: Path, memory: Memory) -> None:
    memory.ingest_conversation(put(root, "talk/standup.txt", TALK))
    memory.ingest_conversation(
        put(root.parent, "away/3f2504e0-4f89-11d3-9a0c-0305e82c3301.txt", TALK.replace("2", "3"))
    )
    assert memory.prune("6 months").deleted == 0
    (root / "talk/standup.txt").unlink()
    assert memory.prune("6 months").kinds == {"conversation": 1}


def test_a_transcript_or_an_export_that_is_there_is_no_old_data(root: Path, memory: Memory) -> None:
    session = "0a1b2c3d-0000-4000-8000-00000000000a"
    line = {"type": "user", "uuid": "1", "sessionId": session, "timestamp": "2023-01-01T10:00:00Z"}
    said = json.dumps({**line, "message": {"role": "user", "content": "Why is the oven off?"}})
    transcript = Path(put(root, f"talk/{session}.jsonl", said + "\n"))
    put(root, "talk/export/users.json", '[{"id": "U1", "name": "ada"}]')
    put(root, "talk/export/channels.json", '[{"id": "C1", "name": "kiln"}]')
    put(root, "talk/export/kiln/2023-01-01.json", '[{"ts": "1672567200.1", "user": "U1", "text": "The oven is off."}]')
    memory.ingest_conversation(str(transcript))
    memory.ingest_conversation(str(root / "talk/export"))
    assert len(memory.list_documents(kinds=["conversation"]).items) == 2
    assert memory.prune("6 months").deleted == 0
    transcript.unlink()
    assert memory.prune("6 months").kinds == {"conversation": 1}


def test_a_file_in_another_worktree_or_on_another_branch_is_still_there(
    root: Path, memory: Memory, tmp_path: Path
) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    memory.ingest_meeting(put(root, "notes/only-here.vtt", MEETING.replace("200", "300")), date="2023-01-01")
    with open_memory(tmp_path / "second", store=str(tmp_path / "marrow.db"), embedder="none") as other:
        assert other.call.asker.scope.project == memory.call.asker.scope.project
        assert other.prune("6 months").deleted == 0
    git(root, "checkout", "-q", "-b", "feature")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Keep the notes")
    git(root, "checkout", "-q", "main")
    assert memory.prune("6 months").deleted == 0
    git(root, "merge", "-q", "feature")
    git(root, "rm", "-q", "notes/only-here.vtt")
    git(root, "commit", "-qm", "Drop the notes, which an old branch still has")
    assert memory.prune("6 months").kinds == {"meeting": 1}


@pytest.mark.parametrize("name", ["oven.vtt", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8.vtt"])
def test_a_meeting_of_no_time_or_with_a_secret_in_its_name_is_still_there(
    root: Path, memory: Memory, name: str
) -> None:
    memory.ingest_meeting(put(root, f"notes/{name}", MEETING.replace("200", "300"), at=0), date="2023-01-01")
    assert memory.prune("6 months").deleted == 0


def test_a_log_with_a_hash_sign_in_its_name_is_still_there(root: Path, memory: Memory) -> None:
    for name in ("oven#1.log", "x#y@z.log"):
        memory.ingest_log(put(root, f"logs/{name}", LOG.replace("door", f"door of {name[0]}")))
    assert memory.prune("6 months").deleted == 0


def rows(memory: Memory) -> set[tuple[str, str, str]]:
    asker = memory.call.asker
    with memory.call.engine.store.reading() as reader:
        found = reader.sources(asker.namespace, (asker.scope.project,))
    return {(one.service, one.path, one.address) for one in found if one.is_document}


def test_what_a_restore_brings_back_is_known_under_the_path_that_it_was_read_from(root: Path, memory: Memory) -> None:
    memory.ingest_conversation(put(root, "talk/standup.txt", TALK))
    memory.ingest_document(put(root.parent, "away/pots.md", "# Pots\n\nThey are round.\n"))
    before = rows(memory)
    named = [*ALL, "conversation", "document"]
    done = memory.prune("6 months", kinds=named, dry_run=False, confirm=True)
    assert not [path for _, path, _ in rows(memory) if not path.startswith("commit:")]
    memory.snapshot_restore(str(done.undo), dry_run=False, confirm=True)
    assert rows(memory) == before


def test_a_meeting_that_came_back_and_is_read_again_is_one_meeting(root: Path, memory: Memory) -> None:
    done = memory.prune("6 months", kinds=["meeting"], dry_run=False, confirm=True)
    memory.snapshot_restore(str(done.undo), dry_run=False, confirm=True)
    memory.ingest_meeting(put(root, "notes/2023-01-02-weekly.vtt", MEETING.replace("200", "300")))
    assert memory.knowledge_stats().by_type["meeting"] == 1


def test_a_document_and_the_meeting_in_it_both_come_back_with_their_service(root: Path, memory: Memory) -> None:
    minutes = "# Weekly\n\nAttendees: Ada, Bob\n\n## Decisions\n\n- Bake at 200 degrees.\n"
    file = put(root, "notes/weekly.md", minutes)
    memory.ingest_codebase()
    memory.ingest_meeting(file, date="2023-01-01", service="kiln")
    before = rows(memory), memory.knowledge_stats().by_type
    done = memory.delete_service_data("kiln", dry_run=False, confirm=True)
    memory.snapshot_restore(str(done.undo), dry_run=False, confirm=True)
    memory.ingest_codebase()
    assert (rows(memory), memory.knowledge_stats().by_type) == before
