"""Small stores of other memories, made as their programs make them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

CLAUDE_MEM = """
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT DEFAULT 'claude', user_prompt TEXT,
  started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, status TEXT DEFAULT 'active', custom_title TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT,
  text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
  files_modified TEXT, prompt_number INTEGER, merged_into_project TEXT, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT,
  files_edited TEXT, notes TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT, created_at_epoch INTEGER NOT NULL);
"""
# 2025-06-01T12:00:00Z
THEN, THEN_MS = "2025-06-01T12:00:00Z", 1_748_779_200_000


def insert(connection: sqlite3.Connection, table: str, **row: Any) -> None:
    names, marks = ", ".join(row), ", ".join("?" for _ in row)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def claude_mem(path: Path, *, projects: tuple[str, ...] = ("orchard",), wal: bool = False) -> sqlite3.Connection | None:
    """A database of claude-mem's; one with a log is left open, as it is while its program runs."""
    connection = sqlite3.connect(path)
    if wal:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.executescript(CLAUDE_MEM)
    when = {"created_at": THEN, "created_at_epoch": THEN_MS}
    for project in projects:
        session = {"content_session_id": f"talk-{project}", "memory_session_id": f"mem-{project}", "project": project}
        insert(connection, "sdk_sessions", **session, started_at=THEN, started_at_epoch=THEN_MS, custom_title="Plums")
        about = {"memory_session_id": f"mem-{project}", "project": project, **when}
        insert(
            connection, "observations", **about, type="decision", title=f"Plums over pears in {project}",
            subtitle="They sell", narrative="Plums sell better at the gate.",
            facts='["Plums sold 40 kg", "Pears 3 kg"]',
            concepts='["trade-off", "shop"]', files_read="[]", files_modified='["shop/gate.py"]',
        )  # fmt: skip
        insert(connection, "observations", **about, type="bugfix", title=f"Gate of {project} jammed", text="Oil it.")
        insert(connection, "observations", **about, type="discovery", title="", text="")
        insert(connection, "session_summaries", **about, request=f"Sell plums in {project}", learned="Price matters",
               completed="Sign painted", next_steps="More plums")  # fmt: skip
        for number, text in enumerate((f"Paint the sign of {project}", "Now hang it"), 1):
            talk = {"content_session_id": f"talk-{project}", "prompt_number": number, "prompt_text": text}
            insert(connection, "user_prompts", **talk, **when)
    connection.commit()
    if wal:
        return connection
    connection.close()
    return None


def mem_lite(path: Path, folder: str = "/srv/orchard") -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE sessions (id TEXT PRIMARY KEY, project_dir TEXT NOT NULL, started_at TEXT NOT NULL,
              ended_at TEXT, status TEXT NOT NULL DEFAULT 'active', summary TEXT);
            CREATE TABLE observations (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, tool_name TEXT NOT NULL,
              title TEXT NOT NULL, summary TEXT NOT NULL, detail TEXT, files_touched TEXT NOT NULL DEFAULT '[]',
              created_at TEXT NOT NULL);
            CREATE TABLE learnings (id TEXT PRIMARY KEY, category TEXT NOT NULL, content TEXT NOT NULL,
              confidence REAL NOT NULL DEFAULT 0.5, source_session_id TEXT, is_active INTEGER NOT NULL DEFAULT 1,
              created_at TEXT NOT NULL, updated_at TEXT NOT NULL, times_seen INTEGER NOT NULL DEFAULT 1,
              source_sessions TEXT NOT NULL DEFAULT '[]');
            """
        )
        for name, where in (("s1", folder), ("s2", "/srv/other")):
            at = "2025-06-01 12:00:00"
            insert(connection, "sessions", id=name, project_dir=where, started_at=at, summary=f"Summary of {name}")
            insert(connection, "observations", id=f"o-{name}", session_id=name, tool_name="Edit", title=f"Title {name}",
                   summary="What was done", detail="In detail", files_touched='["a.py"]', created_at=at)  # fmt: skip
            insert(connection, "learnings", id=f"l-{name}", category="gotcha", content=f"Gate sticks {name}",
                   confidence=0.7, source_session_id=name, created_at=at, updated_at=at)  # fmt: skip
        insert(connection, "learnings", id="l-off", category="pattern", content="No longer", source_session_id="s1",
               is_active=0, created_at=at, updated_at=at)  # fmt: skip
        connection.commit()


def mnemo_node(
    folder: Path, type_: str, content: str, inputs: tuple[str, ...] = (), created: float = 0, **meta: Any
) -> str:
    address = hashlib.sha256(f"{type_}\n{content}\n{','.join(sorted(inputs))}".encode()).hexdigest()[:12]
    shape = {
        "type": type_,
        "content": content,
        "inputs": list(inputs),
        "created": created,
        "meta": meta,
        "addr": address,
    }
    (folder / "nodes").mkdir(parents=True, exist_ok=True)
    (folder / "nodes" / f"{address}.json").write_text(json.dumps(shape), encoding="utf-8")
    return address


def mnemo(folder: Path) -> dict[str, str]:
    """Two claims of which one replaced another, a summary of two more, and a link."""
    at = THEN_MS / 1000
    old = mnemo_node(folder, "leaf", "The gate is red", created=at, domain="decisions")
    new = mnemo_node(folder, "supersede", "The gate is green", (old,), at + 10, domain="decisions", supersedes=old)
    parts = [
        mnemo_node(folder, "leaf", f"Plum tree {n} blooms in April", created=at + n, domain="history") for n in (1, 2)
    ]
    whole = mnemo_node(folder, "compress", "Plum trees bloom in April", tuple(parts), at + 20, domain="history")
    dry = mnemo_node(
        folder, "leaf", "Plums need water", created=at + 5, domain="architecture", confidence=0.9, priority=0.7,
        links=[{"addr": whole, "rel": "depends_on"}],
        anchors=[{"type": "file", "path": "water.py"}, {"type": "file", "path": "/etc/x"}],
    )  # fmt: skip
    mnemo_node(folder, "root", "everything", (new, whole, dry), at + 30)
    gone = mnemo_node(folder, "leaf", "Taken out by hand", created=at)
    (folder / "active.json").write_text(json.dumps(sorted([new, whole, dry])), encoding="utf-8")
    (folder / "chains.json").write_text(
        json.dumps({"ch_1": {"members": [dry], "summary": "watering"}}), encoding="utf-8"
    )
    return {"old": old, "new": new, "whole": whole, "dry": dry, "gone": gone, "part": parts[0]}


NOTES = {
    "Gate.md": """---
title: The gate
type: note
tags: [garden, iron]
permalink: garden/gate
created: 2025-06-01T12:00:00Z
modified: 2025-06-02
---

# The gate

It stands at the road, see [[Plum sale]].

## Observations
- [decision] We paint it green #colour (asked Ann)
- [tech] Hinges of brass #iron
- [ ] not a fact
- [link](https://x.org)

## Relations
- part_of [[Garden]]
- "in the way of" [[plum-sale]]
- nowhere [[Not written yet]]
""",
    "trade/Plum sale.md": """---
title: Plum sale
type: note
permalink: trade/plum-sale
---

- [fact] The plum sale is in August
""",
    "Garden.md": "---\ntitle: Garden\ntype: note\npermalink: garden\n---\n\nA garden with plums and a gate.\n",
}


def basic_memory(folder: Path) -> None:
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
