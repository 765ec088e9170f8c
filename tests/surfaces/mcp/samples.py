"""A valid call of every operation. An operation without one fails a test: add it here.

In the arguments ADDRESS and OTHER stand for two nodes saved for this call alone, BEFORE for the address that the last
of the calls in `before` gave, FOLDER for a small git repository, and HOST for the address of a code host.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marrow.model.scope import LOCAL_NAMESPACE
from marrow.model.session import Session
from marrow.store import open_store

ADDRESS, OTHER, BEFORE, FOLDER, PROJECT = "<address>", "<other>", "<before>", "<folder>", "demo"
HOST = "<host>"
SESSION = "0198-a-session"


@dataclass(frozen=True)
class Sample:
    arguments: Mapping[str, Any]
    before: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def sample(**arguments: Any) -> Sample:
    return Sample(arguments)


# Something that belongs to a service.
IN_SERVICE = (("ingest_document", {"text": "The API retries twice.", "title": "Retries", "service": "api"}),)


SAMPLES: dict[str, Sample] = {
    "memory_recall": sample(message="why did we choose SQLite for the store?", files=["src/app.py"], limit=3),
    "memory_search": sample(query="SQLite", tags=["db"], limit=5, explain=True),
    "memory_get": sample(address=ADDRESS, history=True),
    "memory_save": sample(
        content="The build runs on two cores.", domain="architecture", tags=["ci"], priority=0.7, anchors=["src/app.py"]
    ),
    "memory_update": sample(address=ADDRESS, content="What holds now.", reason="it moved"),
    "memory_relate": sample(source=ADDRESS, target=OTHER, rel="caused_by"),
    "memory_help": sample(context="all"),
    "memory_context": sample(focus="the store", budget_tokens=1500),
    "memory_compress": sample(summary="Servers listen on ports, and tests are slow.", addresses=[ADDRESS, OTHER]),
    "memory_session_compress": Sample(
        {"summary": "Two things were said.", "thread": "a-session"},
        (("memory_save", {"batch": ["Said first in it.", "Said second in it."], "thread": "a-session"}),),
    ),
    "memory_reroot": sample(),
    "memory_diff": sample(since="1 day ago"),
    "memory_soul": sample(format="text"),
    "memory_provenance": sample(address=ADDRESS),
    "memory_graph": sample(address=ADDRESS, depth=2),
    "memory_prune_candidates": sample(threshold=0.5, limit=3),
    "memory_blame": sample(target=ADDRESS),
    "memory_rebase": sample(address=ADDRESS, dry_run=True),
    "memory_verify": sample(path="src"),
    "memory_spatial": sample(file="src/app.py", start_line=1, end_line=5),
    "memory_scan": sample(),
    "memory_coverage": sample(path="src"),
    "memory_explore": sample(topic="the build", deep=True),
    "memory_plan": sample(task="move the build to another machine"),
    "memory_read": sample(file="src/app.py", offset=1, limit=5),
    "memory_grep": sample(pattern=r"def \w+", intent="the port", glob="*.py"),
    "memory_glob": sample(pattern="*.py"),
    "memory_write": sample(path="written.txt", content="a line\n", claim="written.txt holds one line."),
    "memory_edit": Sample(
        {"path": "edited.txt", "old_string": "one", "new_string": "two"},
        (("memory_write", {"path": "edited.txt", "content": "one line\n"}),),
    ),
    "code_symbols": sample(name="port", limit=5),
    "code_callers": sample(symbol="src/app.py::port"),
    "code_callees": sample(symbol="port"),
    "code_call_graph": sample(path="src/app.py", format="mermaid", depth=1),
    "memory_map": sample(depth=2),
    "code_function_map": sample(path="src/app.py"),
    "code_changes": sample(since="1 hour"),
    "code_impact": sample(symbol="port", distance=2),
    "get_recent_commits": sample(limit=3),
    "get_changed_files": sample(since_hours=48),
    "get_current_diff": sample(budget_tokens=500),
    "get_current_branch": sample(),
    "search_commits": sample(query="why it was changed", limit=3),
    "get_file_history": sample(file_path="src/app.py", limit=3),
    "ingest_codebase": sample(repo_path=FOLDER, service_name="own"),
    "ingest_document": sample(text="The API retries twice.", title="Retries", service="api"),
    "ingest_architectural_decision": sample(text="# ADR 4: Use SQLite\n\n## Status\n\nAccepted\n", service="api"),
    "ingest_incident": sample(title="The API was down", description="For two hours.", service="api", severity="SEV2"),
    "ingest_conversation": sample(
        text="Ann: Which store?\nBob: SQLite, it needs no server.\nAnn: Good.", title="Store"
    ),
    "ingest_log": sample(text="2026-01-02T03:04:05Z ERROR cannot reach 10.0.0.1\n", service="api"),
    "ingest_history": sample(repo_path=FOLDER, limit=5),
    "watch": sample(repository=FOLDER, service_name="followed", hooks=False),
    "ingest_repository": sample(host="github", repository="acme/shop", base_url=HOST, include=["files", "issues"]),
    "ingest_meeting": sample(
        transcript="[00:00:05] Ann: I'll send the notes by Friday.\n[00:00:09] Bob: We decided to keep SQLite.",
        title="Store sync",
        date="2026-03-02",
        attendees=["Ann", "Bob"],
    ),
    "ingest_design": Sample(
        {"path": "drawing.svg", "feature": "the store", "url": "https://example.com/drawing"},
        (("memory_write", {"path": "drawing.svg", "content": "<svg><text x='4' y='20'>The store</text></svg>"}),),
    ),
    "search_meeting_transcripts": sample(query="SQLite", limit=3),
    "get_action_items": sample(open=True, owner="Ann", limit=5),
    "view_define": sample(name="team", filter={"classification": ["public", "internal"], "not": {"tags": ["draft"]}}),
    "views": sample(),
    "delete_service_data": Sample(
        {"service": "billing"}, (("memory_save", {"content": "Invoices are numbered.", "service": "billing"}),)
    ),
    "prune": sample(older_than="90 days", kinds=["log"], dry_run=True),
    "snapshot_create": sample(name="sampled", tags=["ci"], note="for the test"),
    "snapshot_list": sample(tags=["ci"]),
    "snapshot_diff": sample(a="1", b=""),
    "snapshot_restore": Sample(
        {"name": "to-restore", "dry_run": False, "confirm": True}, (("snapshot_create", {"name": "to-restore"}),)
    ),
    "lineage": sample(address=ADDRESS),
    "memory_export": sample(path=f"{FOLDER}/export.bundle", format="bundle"),
    "memory_import": Sample(
        {"source": f"{FOLDER}/import.jsonl"},
        (("memory_export", {"path": f"{FOLDER}/import.jsonl", "format": "jsonl"}),),
    ),
    "audit": sample(address=ADDRESS, limit=3),
    "audit_verify": sample(),
    "doctor": sample(),
    "backup": sample(path=f"{FOLDER}/backup.db"),
    "restore": Sample(
        {"path": f"{FOLDER}/to-restore.db", "dry_run": False, "confirm": True},
        (("backup", {"path": f"{FOLDER}/to-restore.db"}),),
    ),
    "reindex": sample(what="all"),
    "erase": sample(address=ADDRESS, dry_run=False, confirm=True),
    "usage": sample(since="7 days ago"),
    "memory_reinforce": sample(address=ADDRESS),
    "memory_used": sample(said="It is as the memory says.", files=["src/app.py"], addresses=[ADDRESS]),
    "memory_forget": sample(address=ADDRESS, reason="it was wrong"),
    "memory_status": sample(),
    "memory_roots": sample(limit=3),
    "memory_active": sample(domain="decisions", limit=2),
    "memory_log": sample(topic="SQLite", limit=5),
    "memory_explain": sample(address=ADDRESS, message="which sample is this?"),
    "memory_gap": sample(topic="How long backups are kept", context="The auditor asks."),
    "memory_ask": sample(question="Who rotates the keys?", context="They are old.", target_agent="ops"),
    "memory_answer": Sample(
        {"address": BEFORE, "content": "Ten, and then they are dropped."},
        (("memory_gap", {"topic": "How many snapshots are kept"}),),
    ),
    "memory_checkpoint": sample(label="the move", done="the tables", remaining="the rows"),
    "memory_handoff": sample(action="write", text="The move is half done: the rows are next."),
    "set_task_context": sample(task="the move", details={"branch": "main"}),
    "get_task_context": Sample({}, (("set_task_context", {"task": "the other move"}),)),
    "memory_arc": sample(action="create", name="the great move", goal="Everything is in one store."),
    "memory_survey": sample(ratings={"recall_precision": 4}, notes="It found what mattered."),
    "memory_chains": Sample({"limit": 5}, (("memory_save", {"content": "In a chain.", "chain": "a-chain"}),)),
    "memory_cat": Sample({"chain": "b-chain"}, (("memory_save", {"content": "One of b.", "chain": "b-chain"}),)),
    "memory_promote": Sample(
        {"chain": "c-chain"},
        (("memory_save", {"content": "One of c.", "chain": "c-chain", "preliminary": True}),),
    ),
    "memory_stash": Sample(
        {"chain": "d-chain", "reason": "later"}, (("memory_save", {"content": "One of d.", "chain": "d-chain"}),)
    ),
    "memory_stash_pop": Sample(
        {"chain": "e-chain"},
        (
            ("memory_save", {"content": "One of e.", "chain": "e-chain"}),
            ("memory_stash", {"chain": "e-chain"}),
        ),
    ),
    "memory_session_status": sample(),
    "derivations": sample(name="summary"),
    "recompute": sample(dry_run=True),
    "sessions": sample(since="3 days ago", limit=5),
    "session_show": sample(session=SESSION),
    "pause": sample(until="2 hours"),
    "resume": Sample({}, (("pause", {}),)),
    "compress_pending": sample(limit=10),
    "report": sample(range="3 days", format="markdown"),
    "eval": sample(name="health"),
    "ask": sample(question="why did we choose SQLite for the store?", budget_tokens=800),
    "search_by_service": Sample({"service": "api", "query": "retries", "limit": 2}, IN_SERVICE),
    "get_architectural_decisions": sample(topic="SQLite", status="all", limit=3),
    "get_incident_history": sample(since="30 days ago", limit=2),
    "get_full_document": sample(path=ADDRESS, limit=5),
    "list_documents": sample(kinds=["document"], limit=5),
    "get_service_overview": Sample({"service": "api"}, IN_SERVICE),
    "list_services": sample(),
    "knowledge_stats": sample(),
    "memory_init": sample(),
    "memory_projects": sample(),
    "memory_switch": sample(project=PROJECT),
}


def capture_session(store: str) -> None:
    """A session, as hooks report them: no operation makes one."""
    opened = open_store(store)
    with opened.writing() as writer:
        writer.keep_session(LOCAL_NAMESPACE, Session(SESSION, "claude-code", PROJECT, turns=1, title="A session"))
    opened.close()


def filled(value: Any, places: Mapping[str, str]) -> Any:
    """The same value with real addresses in the places of the names."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace(name, place)
        return value
    if isinstance(value, Mapping):
        return {name: filled(part, places) for name, part in value.items()}
    return [filled(part, places) for part in value] if isinstance(value, list) else value
