"""mcp-memory-service: SQLite with sqlite-vec and MiniLM (its defaults), 10 results in the default, semantic mode.

It has no projects: scope is by tags, so the project, the service and the files are tags, and a question asks for all
of those it names. What supersedes is stored as a new version of the old, which then is hidden.
The new version is dated now, because it takes no date. Kinds that it does not know become observations.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from datetime import datetime
from typing import Any

from lines import Timed, serve, wanted

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # Some builds of Python cannot load sqlite-vec. This is the same module, built so that it can.
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

from mcp_memory_service.models.memory import Memory
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
from mcp_memory_service.utils.hashing import generate_content_hash


class McpMemoryService:
    def __init__(self, folder: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.storage = SqliteVecMemoryStorage(f"{folder}.db")
        self.loop.run_until_complete(self.storage.initialize())
        embedder = type(self.storage.embedding_model).__name__
        if embedder != "ONNXEmbeddingModel":
            raise SystemExit(f"mcp-memory-service runs on {embedder} and not on MiniLM.")
        self.theirs: dict[str, str] = {}
        self.ours: dict[str, str] = {}

    def remember(self, memory: dict[str, Any], replaces: dict[str, Any] | None) -> None:
        tags = [*scope_tags(memory, memory.get("files", ())), *memory.get("tags", ())]
        kind = memory.get("kind") or "note"
        if replaces is not None and replaces["id"] in self.theirs:
            versioned = self.storage.update_memory_versioned(
                self.theirs[replaces["id"]], memory["text"], new_tags=tags, new_memory_type=kind
            )
            done, said, theirs = self.loop.run_until_complete(versioned)
        else:
            theirs = generate_content_hash(memory["text"])
            at = datetime.fromisoformat(memory["at"].replace("Z", "+00:00")).timestamp()
            made = Memory(
                content=memory["text"], content_hash=theirs, tags=tags, memory_type=kind, created_at=at, updated_at=at
            )
            done, said = self.loop.run_until_complete(self.storage.store(made))
        if not done:
            # A text that is already there is refused, and so is one that says nearly the same: its own behaviour.
            print(f"{memory['id']} was not stored: {said}", file=sys.stderr)
            return
        self.theirs[memory["id"]] = theirs
        self.ours[theirs] = memory["id"]

    def recall(self, case: dict[str, Any], timed: Timed) -> list[str]:
        tags = scope_tags(wanted(case), case.get("files", ()))
        asked: dict[str, Any] = {"query": case["question"]}
        if tags:
            asked |= {"tags": tags, "tag_match": "all"}
        found = timed(lambda: self.loop.run_until_complete(self.storage.search_memories(**asked)))
        if "error" in found:
            raise SystemExit(f"mcp-memory-service failed: {found['error']}")
        return [self.ours[one["content_hash"]] for one in found["memories"]]


def scope_tags(named: dict[str, Any], files: Any) -> list[str]:
    scope = [f"{name}:{named[name]}" for name in ("project", "service", "domain") if named.get(name)]
    return [*scope, *(f"file:{file}" for file in files)]


if __name__ == "__main__":
    serve(McpMemoryService(sys.argv[1]))
