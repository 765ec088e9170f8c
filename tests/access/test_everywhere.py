"""Every operation that reads, called through a view in which something is hidden: no answer shows any of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Forbidden, MarrowError, NotFound
from marrow.model.record import CURRENT
from marrow.model.session import Injection, Session
from marrow.model.source import Source
from marrow.operations.catalogue import TABLE

from ..surfaces.mcp.samples import ADDRESS, OTHER, SAMPLES

SPACE, PROJECT = "local", "orchard"
# A word in everything about what is hidden: its text, tags, aliases, place, thread, service, user.
MARK = "xyzzy"
SEEN = "The gate opens at seven because the baker comes then"
HIDDEN = f"The gate {MARK} opens at seven for the smuggler because the baker sleeps"


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MARROW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def opened(tmp_path: Path, **settings: Any) -> Memory:
    root = tmp_path / "repository"
    root.mkdir(exist_ok=True)
    return open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake", **settings)


@pytest.fixture
def addresses(tmp_path: Path) -> dict[str, str]:
    """What the memory holds: something that is seen, and what is hidden, bound to it in every way."""
    src = tmp_path / "repository" / "src"
    src.mkdir(parents=True)
    (src / "gate.py").write_text("def gate():\n    return 7\n")
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "The gate opens at seven"]):
        subprocess.run(["git", *command], cwd=src.parent, check=True)
    with opened(tmp_path) as memory:

        def save(content: str, **about: Any) -> str:
            memory.save(content, **about)
            with memory.store.reading() as reader:
                event = next(reader.events(SPACE, latest=True, limit=1))
            return str(event.touched[0].address)

        seen = save(SEEN, tags=["bakery"], anchors=["src/gate.py"], thread="s1", service="billing")
        save("Bread is sold until noon", thread="s1")
        hidden = save(
            HIDDEN,
            tags=[f"{MARK}tag", "bakery"],
            aliases=[f"{MARK}name"],
            anchors=["src/gate.py"],
            thread="s1",
            service=f"{MARK}service",
            metadata={"path": f"docs/{MARK}.md", "owner": MARK},
            links=[{"rel": "contradicts", "target": seen}],
            classification="secret",
            pinned=True,
        )
        kinds = (
            "decision incident question gap checkpoint handoff arc task learning summary document meeting design log"
        )
        for kind in f"{kinds} conversation commit observation preference survey".split():
            metadata = {"path": f"docs/{MARK}-{kind}.md", "commit": "abcdef1234567890", "title": MARK, "tool": "Edit"}
            save(
                f"{MARK} {kind}: the gate of the baker",
                kind=kind,
                classification="secret",
                thread="s1",
                service=f"{MARK}service",
                metadata={**metadata, "owner": MARK, "number": 7, "status": "accepted"},
                anchors=["src/gate.py"],
            )
        memory.relate(seen, hidden)
        memory.snapshot_create("before")
        memory.update(hidden, content=HIDDEN + " now")
        memory.view_define("team", {"not": {"classification": ["secret"]}})
        _beside(memory, seen, hidden)
    return {"seen": seen, "hidden": hidden}


def _beside(memory: Memory, seen: str, hidden: str) -> None:
    now = memory.engine.clock()
    told = [Injection("s1", "1", now, "prompt", address, 3, "src/gate.py") for address in (seen, hidden)]
    rows = [Source(PROJECT, f"{MARK}service", f"docs/{MARK}.md", "document", hidden, title=MARK)]
    with memory.store.writing() as writer:
        writer.keep_session(SPACE, Session("s1", "codex", PROJECT, started_at=now, last_at=now, title=f"{MARK} title"))
        writer.note_injections(SPACE, PROJECT, told)
        writer.keep_sources(SPACE, rows)


@pytest.fixture
def held(tmp_path: Path, addresses: dict[str, str]) -> Iterator[Memory]:
    with opened(tmp_path, view="team") as memory:
        yield memory


WORDS = "the gate of the baker at seven"
# More than the samples' arguments: whatever could lead to what is hidden. {seen} and {hidden} are addresses.
ASKED: dict[str, list[dict[str, Any]]] = {
    "memory_recall": [{"message": WORDS, "files": ["src/gate.py"], "limit": 20}, {"message": f"{MARK}name"}],
    "memory_search": [
        {"query": WORDS, "limit": 50, "explain": True, "include_superseded": True},
        {"query": f"{MARK}*", "include_superseded": True},
        {"tags": ["bakery"], "include_superseded": True},
        {"service": f"{MARK}service"},
        {"path": "docs"},
        {"query": WORDS, "as_of": "before", "limit": 50},
        {"query": WORDS, "classification": "secret"},
        {"metadata": {"owner": MARK}},
    ],
    "memory_get": [
        {"address": "{hidden}"},
        {"address": "{hidden}", "as_of": "before"},
        {"address": "{seen}", "history": True},
    ],
    "memory_graph": [{"address": "{seen}", "depth": 5, "include_superseded": True}, {"address": "{hidden}"}],
    "memory_provenance": [{"address": "{seen}"}, {"address": "{hidden}"}],
    "lineage": [
        {"address": "{seen}"},
        {"address": "{hidden}"},
        {"file": f"docs/{MARK}.md"},
        {"file": "src/gate.py"},
        {"commit": "abcdef12"},
    ],
    "memory_explain": [{"address": "{seen}", "message": WORDS}, {"address": "{hidden}", "message": WORDS}],
    "memory_log": [{"topic": WORDS}, {}],
    "memory_active": [{"limit": 200}, {}],
    "memory_soul": [{"budget_tokens": 4000}],
    "memory_diff": [{"since": "before"}, {"since": "1 day ago"}],
    "snapshot_diff": [{"a": "0"}, {"a": "before"}],
    "memory_survey": [{}],
    "memory_arc": [{}],
    "memory_chains": [{}],
    "memory_cat": [{"chain": "{seen}"}, {"chain": "{hidden}"}],
    "memory_used": [{"said": WORDS, "addresses": ["{seen}", "{hidden}"]}, {"addresses": ["{seen}"]}],
    "memory_blame": [{"target": "{seen}"}, {"target": "{hidden}"}],
    "memory_spatial": [{"file": "src/gate.py"}],
    "memory_scan": [{}],
    "memory_coverage": [{}],
    "memory_explore": [{"topic": WORDS, "deep": True}],
    "memory_plan": [{"task": WORDS}],
    "memory_read": [{"path": "src/gate.py"}],
    "memory_grep": [{"pattern": "gate"}],
    "memory_glob": [{"pattern": "**/*.py"}],
    "audit": [{}, {"limit": 200}, {"address": "{seen}"}, {"address": "{hidden}"}, {"service": f"{MARK}service"}],
    "memory_context": [{"focus": WORDS, "budget_tokens": 4000}],
    "get_task_context": [{}],
    "memory_get_task_context": [{}],
    "session_show": [{"session": "s1"}],
    "memory_prune_candidates": [{"threshold": 0.0, "limit": 200}],
    "list_documents": [{}, {"service": f"{MARK}service"}],
    "search_by_service": [{"service": f"{MARK}service", "query": WORDS}, {"service": "billing", "query": WORDS}],
    "get_service_overview": [{"service": "billing"}, {"service": f"{MARK}service"}],
    "get_full_document": [{"path": f"docs/{MARK}.md"}, {"path": "{hidden}"}],
    "search_meeting_transcripts": [{"query": WORDS}],
    "ask": [{"question": f"why does {WORDS} open"}],
    "get_file_history": [{"file_path": "src/gate.py"}],
    "search_commits": [{"query": WORDS}],
    "memory_switch": [{"project": PROJECT}],
    "code_callers": [{"symbol": "gate"}],
    "code_callees": [{"symbol": "gate"}],
    "code_call_graph": [{"symbol": "gate"}],
    "code_function_map": [{"path": "src/gate.py"}],
    "code_impact": [{"symbol": "gate"}],
    "code_symbols": [{"query": "gate"}],
}
# What says nothing of any memory, or asks for more than a folder can give here.
NOT_ASKED = frozenset("memory_help".split())


def reading_operations() -> list[str]:
    return [name for name, operation in TABLE.items() if not operation.changes and name not in NOT_ASKED]


def questions(name: str, addresses: dict[str, str]) -> list[dict[str, Any]]:
    """What an operation is asked: by hand, or as its sample has it."""
    calls = ASKED.get(name) or [dict(SAMPLES[name].arguments)]
    named = {"{seen}": addresses["seen"], "{hidden}": addresses["hidden"], ADDRESS: addresses["seen"]}
    named[OTHER] = addresses["hidden"]
    return [{key: _filled(value, named) for key, value in call.items()} for call in calls]


def _filled(value: Any, named: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_filled(part, named) for part in value]
    return named.get(value, value) if isinstance(value, str) else value


def answered(memory: Memory, name: str, given: dict[str, Any]) -> tuple[bool, str]:
    """Whether it was answered, and all that was told."""
    try:
        answer = memory.perform(name, {**given, "budget_tokens": 20_000})
    except MarrowError as problem:
        return False, f"{problem.message} {problem.hint}"
    return True, answer.text + json.dumps(answer.plain())


@pytest.mark.parametrize("name", reading_operations())
def test_no_operation_that_reads_shows_what_is_hidden(name: str, held: Memory, addresses: dict[str, str]) -> None:
    hidden = addresses["hidden"]
    for given in questions(name, addresses):
        _, text = answered(held, name, given)
        for echo in _texts(given):  # what the question itself named may come back
            text = text.replace(echo, "").replace(echo[:16], "") if MARK in echo or echo == hidden else text
        assert MARK not in text, (name, given)
        assert hidden[:12] not in text, (name, given)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [str(value)]


# What only one who sees everything may ask, and what needs more than is here.
UNANSWERED = frozenset("views audit_verify get_full_document session_show".split())


@pytest.mark.parametrize("name", sorted(set(reading_operations()) - UNANSWERED))
def test_every_operation_that_reads_is_answered(name: str, held: Memory, addresses: dict[str, str]) -> None:
    """Or the test above says nothing about it."""
    assert any(answered(held, name, given)[0] for given in questions(name, addresses)), name


def test_the_same_questions_would_show_it_without_the_view(tmp_path: Path, addresses: dict[str, str]) -> None:
    """Or the test above could not fail."""
    shown = set()
    with opened(tmp_path) as memory:
        for name in reading_operations():
            asked = [given for given in questions(name, addresses) if MARK not in json.dumps(given)]
            if any(MARK in answered(memory, name, given)[1] for given in asked):
                shown.add(name)
    assert {"memory_recall", "memory_search", "memory_graph", "memory_log", "memory_active", "memory_soul"} <= shown
    assert {"memory_diff", "snapshot_diff", "memory_spatial", "sessions", "memory_context"} <= shown
    assert len(shown) > 15, sorted(shown)


def test_scores_are_those_of_a_memory_that_never_had_it(tmp_path: Path, held: Memory) -> None:
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake", clock=held.engine.clock) as small:
        small.save(SEEN, tags=["bakery"], anchors=["src/gate.py"], thread="s1", service="billing")
        small.save("Bread is sold until noon", thread="s1")
        ours = [(hit.content, hit.score) for hit in held.search(WORDS, explain=True).items]
        theirs = [(hit.content, hit.score) for hit in small.search(WORDS, explain=True).items]
    assert [content for content, _ in ours] == [content for content, _ in theirs]
    assert [round(score, 3) for _, score in ours] == [round(score, 3) for _, score in theirs]


def test_exports_hold_what_is_seen_alone(tmp_path: Path, held: Memory) -> None:
    for name in ("a.jsonl", "b.md"):
        held.export(str(tmp_path / name))
        assert MARK not in (tmp_path / name).read_text()
        assert "baker" in (tmp_path / name).read_text()


def test_status_and_projects_count_what_is_seen(held: Memory) -> None:
    assert held.status().active == 2
    (mine,) = (one for one in held.projects().items if one["name"] == PROJECT)
    assert (mine["active"], mine["total"]) == (2, 2)


def test_a_hook_is_told_nothing_that_is_hidden(held: Memory) -> None:
    for event in ("session_start", "prompt", "pre_tool"):
        hook = {"event": event, "session": "s1", "prompt": WORDS, "cwd": str(held.identity.root), "tool": "Read"}
        assert MARK not in held.tell(
            {**hook, "path": "src/gate.py", "does": "read", "input": {"file_path": "src/gate.py"}}
        )


def test_nobody_held_to_a_view_reads_or_defines_views(held: Memory, tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        held.views()
    with pytest.raises(Forbidden):
        held.view_define("team", {"not": {"tags": ["x"]}})
    with pytest.raises(Forbidden):
        held.search(WORDS, view="other")
    with pytest.raises(Forbidden):
        held.backup(str(tmp_path / "copy.db"))
    assert [hit.content for hit in held.search(WORDS, view="team").items] == [
        hit.content for hit in held.search(WORDS).items
    ]


def test_an_address_that_is_hidden_is_not_found_by_any_prefix(held: Memory, addresses: dict[str, str]) -> None:
    for length in (6, 12, 64):
        with pytest.raises(NotFound):
            held.get(addresses["hidden"][:length])
    with held.store.reading() as reader:
        assert reader.records(SPACE, [addresses["hidden"]], None, CURRENT) == []
