"""MemPalace: through the tools that its MCP server offers, with their defaults: 5 results within a distance of 1.5.

A project is a wing; the service, or else the domain, is a room. A drawer has one source file, which a search can
ask for. What supersedes replaces the content of the old drawer. Dates cannot be given: a drawer is filed now.
"""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ["MEMPALACE_PALACE_PATH"] = sys.argv[1]

from lines import Timed, serve, wanted
from mempalace.mcp_server import tool_add_drawer, tool_search, tool_update_drawer


class MemPalace:
    def __init__(self) -> None:
        self.theirs: dict[str, str] = {}
        self.ours: dict[str, str] = {}

    def remember(self, memory: dict[str, Any], replaces: dict[str, Any] | None) -> None:
        wing, room = memory["project"], memory.get("service") or memory.get("domain") or "general"
        if replaces is not None:
            done = tool_update_drawer(self.theirs[replaces["id"]], content=memory["text"], wing=wing, room=room)
        else:
            file = next(iter(memory.get("files", ())), None)
            done = tool_add_drawer(wing, room, memory["text"], source_file=file)
        if not done.get("success"):
            raise SystemExit(f"MemPalace failed: {done}")
        if done.get("reason") != "already_exists":
            for theirs in (done["drawer_id"], *done.get("chunk_ids", ())):
                self.ours[theirs] = memory["id"]
        self.theirs[memory["id"]] = done["drawer_id"]

    def recall(self, case: dict[str, Any], timed: Timed) -> list[str]:
        scope = wanted(case)
        file = next(iter(case.get("files", ())), None)
        asked = {"wing": scope.get("project"), "room": scope.get("service"), "source_file": file}
        found = timed(lambda: tool_search(case["question"], **asked))
        if "error" in found:
            raise SystemExit(f"MemPalace failed: {found}")
        return [self.ours[one["drawer_id"]] for one in found["results"]]


if __name__ == "__main__":
    serve(MemPalace())
