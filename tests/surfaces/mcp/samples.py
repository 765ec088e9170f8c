"""A valid call of every operation. An operation without one fails a test: add it here.

In the arguments ADDRESS and OTHER stand for two nodes saved for this call alone, BEFORE for the address that the last
of the calls in `before` gave, and FOLDER for a small git repository.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ADDRESS, OTHER, BEFORE, FOLDER, PROJECT = "<address>", "<other>", "<before>", "<folder>", "demo"


@dataclass(frozen=True)
class Sample:
    arguments: Mapping[str, Any]
    before: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def sample(**arguments: Any) -> Sample:
    return Sample(arguments)


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
    "snapshot_create": sample(name="sampled", tags=["ci"], note="for the test"),
    "snapshot_list": sample(),
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
    "memory_reinforce": sample(address=ADDRESS),
    "memory_used": sample(said="It is as the memory says.", files=["src/app.py"], addresses=[ADDRESS]),
    "memory_forget": sample(address=ADDRESS, reason="it was wrong"),
    "memory_status": sample(),
    "memory_roots": sample(limit=3),
    "memory_active": sample(domain="decisions", limit=2),
    "memory_log": sample(topic="SQLite", limit=5),
    "memory_explain": sample(address=ADDRESS, message="which sample is this?"),
    "memory_init": sample(),
    "memory_projects": sample(),
    "memory_switch": sample(project=PROJECT),
}


def filled(value: Any, places: Mapping[str, str]) -> Any:
    """The same value with real addresses in the places of the names."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace(name, place)
        return value
    if isinstance(value, Mapping):
        return {name: filled(part, places) for name, part in value.items()}
    return [filled(part, places) for part in value] if isinstance(value, list) else value
