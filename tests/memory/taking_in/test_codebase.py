"""A codebase: read once, again only where it changed, and brought back in line after anything that took it out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.taking_in.codebase import ingest_codebase as take_codebase
from marrow.model.errors import Conflict, Invalid, NotFound

FILES = {
    "pyproject.toml": '[project]\nname = "kiln"\n',
    "README.md": "# Kiln\n\nKiln bakes reports.\n",
    "docs/adr/0001-use-sqlite.md": "# 1. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nSQLite, no server.\n",
    "src/kiln/bake.py": '"""Bakes a report."""\n\n\ndef bake() -> None:\n    """Heat it."""\n',
    "services/oven/package.json": '{"name": "@acme/oven"}\n',
    "services/oven/index.js": "// The oven heats.\nexport function heat() {}\n",
    ".gitignore": "*.tmp\n!keep.tmp\n",
    "scratch.tmp": "ignored",
    "keep.tmp.md": "# Kept\n\nNot ignored.\n",
    ".env": "TOKEN=abc",
    "LICENSE": "MIT License\n",
    "empty.py": "",
}


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        os.utime(target, (1_700_000_000, 1_700_000_000))


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "kiln"
    folder.mkdir()
    write(folder, FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "All")
    return folder


@pytest.fixture
def memory(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory(root, store=str(tmp_path / "marrow.db"), embedder="none") as opened:
        yield opened


def documents(memory: Memory) -> dict[str, str]:
    with memory.store.reading() as reader:
        found = reader.sources(memory.scope.namespace, (memory.project,))
        return {source.path: source.address for source in found if source.is_document}


def active(memory: Memory) -> set[str]:
    return {item.content for item in memory.perform("memory_active", {"budget_tokens": 20_000}).result.items}


def counts(result: Any) -> tuple[int, int, int, int]:
    return (result.added, result.changed, result.gone, result.unchanged)


def test_what_git_would_track_is_taken_in_and_secrets_and_ignored_files_are_not(memory: Memory) -> None:
    done = memory.ingest_codebase()
    assert done.service == "kiln"
    paths = set(documents(memory))
    assert {"README.md", "docs/adr/0001-use-sqlite.md", "src/kiln/bake.py", "keep.tmp.md"} <= paths
    assert paths.isdisjoint({"scratch.tmp", ".env", "LICENSE", "empty.py"})


def test_again_nothing_is_read_and_a_touched_file_changes_nothing(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    again = memory.ingest_codebase()
    assert counts(again)[:3] == (0, 0, 0)
    os.utime(root / "README.md", (1_700_000_500, 1_700_000_500))
    assert counts(memory.ingest_codebase())[:3] == (0, 0, 0)


def test_a_file_that_had_just_been_written_is_looked_at_once_more_and_then_left(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    clock, call = memory.engine.clock, memory.call
    readme = root / "README.md"
    readme.write_text("# Kiln\n\nKiln bakes pots.\n", encoding="utf-8")
    written = clock() // 1_000_000 * 1_000_000 - 1_000_000
    os.utime(readme, ns=(written * 1_000, written * 1_000))
    soon, later = (replace(call.engine, clock=lambda at=written + more: at) for more in (1_500_000, 10_000_000))
    assert take_codebase(soon, call.asker, str(root)).read == 1
    again = take_codebase(later, call.asker, str(root))
    assert (again.read, again.taken.changed, again.taken.unchanged) == (1, 0, again.files)
    assert take_codebase(later, call.asker, str(root)).read == 0


def test_a_file_whose_time_has_fractions_of_seconds_is_left_when_a_tick_is_over(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    call, readme = memory.call, root / "README.md"
    readme.write_text("# Kiln\n\nKiln bakes pots.\n", encoding="utf-8")
    written = call.engine.clock() // 1_000_000 * 1_000_000 + 3
    os.utime(readme, ns=(written * 1_000, written * 1_000))
    soon = replace(call.engine, clock=lambda: written + 60_000)
    assert take_codebase(soon, call.asker, str(root)).read == 1
    assert take_codebase(soon, call.asker, str(root)).read == 0


def test_a_file_that_is_written_again_while_a_long_ingest_goes_on_is_noticed(root: Path, memory: Memory) -> None:
    """What counts is when it was looked at, not when what it said was written down."""
    call, readme = memory.call, root / "README.md"
    readme.write_text("# Kiln\n\nKiln bakes pots.\n", encoding="utf-8")
    written = call.engine.clock() // 1_000_000 * 1_000_000
    os.utime(readme, ns=(written * 1_000, written * 1_000))
    ticks = count(written + 500_000, 3_000_000)
    take_codebase(replace(call.engine, clock=lambda: next(ticks)), call.asker, str(root))
    readme.write_text("# Kiln\n\nKiln bakes pies.\n", encoding="utf-8")
    os.utime(readme, ns=(written * 1_000, written * 1_000))
    assert take_codebase(call.engine, call.asker, str(root)).taken.changed == 1


def test_other_bytes_behind_the_same_size_and_time_are_noticed_in_what_was_just_written(
    root: Path, memory: Memory
) -> None:
    readme, call = root / "README.md", memory.call
    readme.write_text("# Kiln\n\nKiln bakes pots.\n", encoding="utf-8")
    written = call.engine.clock() * 1_000
    os.utime(readme, ns=(written, written))
    take_codebase(call.engine, call.asker, str(root))
    readme.write_text("# Kiln\n\nKiln bakes pies.\n", encoding="utf-8")
    os.utime(readme, ns=(written, written))
    assert take_codebase(call.engine, call.asker, str(root)).taken.changed == 1
    assert "Kiln bakes pies." in "".join(active(memory))


def test_changed_deleted_and_renamed_files_are_followed(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    before = documents(memory)
    (root / "README.md").write_text("# Kiln\n\nKiln bakes charts.\n", encoding="utf-8")
    (root / "src/kiln/bake.py").rename(root / "src/kiln/oven.py")
    (root / "keep.tmp.md").unlink()
    done = memory.ingest_codebase()
    assert (done.changed, done.moved, done.gone) == (1, 1, 1)
    after = documents(memory)
    assert after["src/kiln/oven.py"] == before["src/kiln/bake.py"]
    assert not any("reports" in content and "Kiln bakes" in content for content in active(memory))


def test_a_subfolder_is_read_by_itself_and_the_rest_stays(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    before = documents(memory)
    done = memory.ingest_codebase(repo_path=str(root / "src"))
    assert (done.service, done.gone) == ("kiln", 0)
    assert documents(memory) == before


def test_a_subfolder_with_a_manifest_of_its_own_is_a_service(root: Path, memory: Memory) -> None:
    done = memory.ingest_codebase(repo_path=str(root / "services/oven"))
    assert done.service == "oven"
    assert set(documents(memory)) <= {"services/oven/package.json", "services/oven/index.js"}
    assert memory.ingest_codebase().service == "kiln"
    assert memory.ingest_codebase(repo_path=str(root / "services/oven")).gone == 0


def test_another_repository_cannot_take_over_a_service(memory: Memory, tmp_path: Path) -> None:
    memory.ingest_codebase()
    other = tmp_path / "other"
    write(other, {"a.md": "# Another\n\nRepository.\n"})
    with pytest.raises(Conflict, match="kiln"):
        memory.ingest_codebase(repo_path=str(other), service_name="kiln")
    assert memory.ingest_codebase(repo_path=str(other)).service == "other"


def test_after_a_service_is_deleted_it_can_be_taken_in_again(memory: Memory) -> None:
    first = memory.ingest_codebase()
    memory.delete_service_data(service="kiln", dry_run=False, confirm=True)
    assert active(memory) == set()
    assert memory.list_services().items == ()
    assert memory.ingest_codebase().added == first.added
    assert len(active(memory)) == first.added


def test_the_same_files_under_two_services_leave_with_the_last_of_them(memory: Memory) -> None:
    memory.ingest_codebase()
    memory.ingest_codebase(service_name="other")
    assert {one["service"] for one in memory.list_services().items} == {"kiln", "other"}
    memory.delete_service_data(service="kiln", dry_run=False, confirm=True)
    assert [one["service"] for one in memory.list_services().items] == ["other"]
    assert active(memory)
    memory.delete_service_data(service="other", dry_run=False, confirm=True)
    assert active(memory) == set()


def test_after_a_restore_reading_brings_the_memory_back_to_what_is_there(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    memory.snapshot_create("before")
    changed = "# 1. Use PostgreSQL\n\n## Status\n\nAccepted\n\n## Decision\n\nPostgreSQL.\n"
    (root / "docs/adr/0001-use-sqlite.md").write_text(changed, encoding="utf-8")
    (root / "docs/adr/0002-new.md").write_text(changed.replace("1. Use", "2. Tune"), encoding="utf-8")
    (root / "keep.tmp.md").unlink()
    memory.ingest_codebase()
    after = active(memory)
    memory.snapshot_restore("before", dry_run=False, confirm=True)
    assert any("SQLite, no server" in content for content in active(memory))
    assert "keep.tmp.md" in documents(memory)
    assert "docs/adr/0002-new.md" not in documents(memory)
    memory.ingest_codebase()
    assert active(memory) == after
    assert counts(memory.ingest_codebase())[:3] == (0, 0, 0)


def test_files_that_are_there_are_not_pruned_however_old_they_are(memory: Memory) -> None:
    memory.ingest_codebase()
    before = active(memory)
    assert memory.prune(older_than="90 days", dry_run=False, confirm=True).deleted == 0
    assert active(memory) == before


@pytest.mark.parametrize(("given", "error"), [({"repo_path": "/no/such"}, NotFound), ({"since": "nope"}, NotFound)])
def test_what_cannot_be_meant_is_refused(memory: Memory, given: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        memory.ingest_codebase(**given)
    with pytest.raises(Invalid):
        memory.ingest_codebase(extensions=[" . "])


def test_only_the_asked_endings_are_read_and_others_stay(memory: Memory) -> None:
    memory.ingest_codebase()
    before = documents(memory)
    assert memory.ingest_codebase(extensions=["py"]).gone == 0
    assert documents(memory) == before


def test_files_named_like_our_own_rows_are_left_out_and_told(root: Path, memory: Memory) -> None:
    write(root, {"#watched": "/somewhere/else", "#codebase": "another", "todo:list.md": "# Todo\n\nPay.\n"})
    done = memory.ingest_codebase()
    assert {one["path"] for one in done.problems} >= {"#watched", "#codebase", "todo:list.md"}
    assert documents(memory).keys().isdisjoint({"#watched", "#codebase", "todo:list.md"})
    assert memory.ingest_codebase().service == "kiln"


def test_only_licences_are_taken_for_licences(root: Path, memory: Memory) -> None:
    names = [
        "src/license.py",
        "license_manager.go",
        "docs/notice-period-policy.md",
        "COPYING",
        "LICENSE-MIT",
        "GPL.txt",
    ]
    write(root, {name: f"// {name}\nwhat it says\n" for name in names})
    memory.ingest_codebase()
    assert documents(memory).keys() & set(names) == set(names[:3])


def test_what_a_commit_took_away_is_gone_when_only_the_latest_is_read(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    (root / "keep.tmp.md").rename(root / "moved.md")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Move it")
    memory.ingest_codebase(since="HEAD~1")
    assert {"moved.md", "keep.tmp.md"} & documents(memory).keys() == {"moved.md"}


def test_what_stands_behind_a_secret_of_several_lines_is_cited_by_its_own_lines(root: Path, memory: Memory) -> None:
    key = ["-----BEGIN RSA PRIVATE KEY-----", *[f"MIIEpAIBAAKCAQEA{n:02}qWeRtYuIoPaSdFgHjKlZxCvBnM" for n in range(20)]]
    filler = [f"Sentence {n} is about pots, pans and lids of all sizes." for n in range(200)]
    hidden = ["<private>", "Nobody may know.", "</private>"]
    lines = [*hidden, *key, "-----END RSA PRIVATE KEY-----", *filler, "The zebra valve opens at noon.", *filler]
    (root / "docs" / "runbook.md").write_text("\n".join(lines), encoding="utf-8")
    memory.perform("ingest_codebase", {})
    found = memory.perform("ask", {"question": "When does the zebra valve open?"}).result.items[0]
    first, last = (int(found.lines.split("-")[place]) for place in (0, -1))
    assert first <= lines.index("The zebra valve opens at noon.") + 1 <= last
    assert not any("MIIE" in text or "Nobody" in text for text in active(memory))


@pytest.mark.parametrize("seconds", [-5_000_000_000, 9_999_999_999, 99_999_999_999])
def test_a_file_from_an_impossible_time_stops_nothing(root: Path, memory: Memory, seconds: int) -> None:
    try:
        os.utime(root / "README.md", (seconds, seconds))
    except OSError:
        pytest.skip("this file system has no such times")
    memory.ingest_codebase()
    assert "README.md" in documents(memory)


def test_a_link_that_is_put_in_the_place_of_a_file_is_not_followed(
    root: Path, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("# Private\n\nNobody's business.\n", encoding="utf-8")
    from marrow.memory.taking_in import codebase

    (root / "swapped.md").write_text("x", encoding="utf-8")
    stamp = codebase.stamp

    def swap(folder: str, path: str) -> Any:
        found = stamp(folder, path)
        if path == "swapped.md" and found is not None:
            (root / "swapped.md").unlink()
            (root / "swapped.md").symlink_to(outside)
        return found

    monkeypatch.setattr(codebase, "stamp", swap)
    memory.ingest_codebase()
    assert not any("Nobody's business" in content for content in active(memory))


def test_words_that_are_not_committed_are_dated_by_their_file(root: Path, memory: Memory) -> None:
    (root / "README.md").write_text("# Kiln\n\nWritten just now.\n", encoding="utf-8")
    os.utime(root / "README.md", (1_780_000_000, 1_780_000_000))
    memory.ingest_codebase()
    found = memory.search("Written just now", kinds=["document"]).items[0]
    assert found.at.startswith("2026-05-28")


def test_files_whose_names_hold_a_secret_stay_as_they_are(root: Path, memory: Memory) -> None:
    token = "ghp_" + "Zq7" * 12
    write(root, {f"notes/{token}.md": "# One\n\nOne note.\n", f"notes/{token[::-1]}.md": "# Two\n\nAnother note.\n"})
    first = memory.ingest_codebase()
    assert token not in repr(documents(memory))
    for _ in range(2):
        again = memory.ingest_codebase()
        assert counts(again) == (0, 0, 0, first.files)


def test_an_expired_document_does_not_stand_in_the_way(root: Path, tmp_path: Path) -> None:
    now = [1_780_000_000_000_000]
    with open_memory(root, store="memory:", embedder="none", clock=lambda: now[0]) as memory:
        memory.ingest_codebase()
        address = memory.search("Kiln bakes reports", kinds=["document"]).items[0].address
        memory.update(address, ttl_days=1)
        now[0] += 3 * 86_400_000_000
        (root / "README.md").write_text("# Kiln\n\nKiln bakes charts.\n", encoding="utf-8")
        memory.ingest_codebase()
        assert any("bakes charts" in content for content in active(memory))


def test_asked_as_of_a_snapshot_the_answers_are_those_of_then_and_the_audit_shows_each_step(
    root: Path, memory: Memory
) -> None:
    memory.ingest_codebase()
    memory.snapshot_create("before the move", tags=["refactoring"])
    adr = root / "docs/adr/0001-use-sqlite.md"
    adr.write_text(adr.read_text(encoding="utf-8").replace("SQLite, no server", "PostgreSQL, with a server"), "utf-8")
    memory.ingest_codebase()

    def answer(**about: str) -> str:
        return next(one.content for one in memory.ask("Why did we decide to use a server?", **about).items)

    assert "PostgreSQL, with a server" in answer()
    assert "SQLite, no server" in answer(as_of="before the move")
    memory.snapshot_restore("before the move", dry_run=False, confirm=True)
    assert "SQLite, no server" in answer()
    memory.ingest_codebase()
    assert "PostgreSQL, with a server" in answer()
    steps = [event["operation"] for event in memory.audit(limit=50).items]
    for operation in ("ingest_codebase", "snapshot_create", "snapshot_restore"):
        assert operation in steps
    assert memory.audit_verify().ok
    told = memory.lineage(memory.search("PostgreSQL server", kinds=["decision"]).items[0].address)
    assert {one["operation"] for one in told.events} >= {"ingest_codebase", "snapshot_restore"}


def test_what_is_erased_while_an_ingest_runs_does_not_come_back_with_its_rows(root: Path, memory: Memory) -> None:
    memory.ingest_codebase()
    call, at = memory.call, memory.engine.clock()
    for name in ("README.md", "keep.tmp.md"):
        (root / name).write_text(f"# Anna is ill\n\nIn {name}.\n", encoding="utf-8")
        os.utime(root / name, ns=((at - 1_000_000) * 1_000,) * 2)
    take_codebase(call.engine, call.asker, str(root))
    (root / "src/kiln/bake.py").write_text("def bake() -> int:\n    return 2\n", encoding="utf-8")
    erased: list[str] = []

    def progress(*_: object) -> None:
        if not erased:
            erased.append(documents(memory)["README.md"])
            memory.erase(address=erased[0], dry_run=False, confirm=True)

    later = replace(call.engine, clock=lambda: at + 10_000_000)
    take_codebase(later, call.asker, str(root), progress=progress)
    assert erased
    assert "README.md" not in documents(memory)
    assert "keep.tmp.md" in documents(memory)
