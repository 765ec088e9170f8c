"""Marrow as a system under test: through the public Python API, with the defaults that every user has. Only the clock
is the world's: each memory is saved at its time, and questions are asked at the world's `now`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import marrow


class Marrow:
    """`better` has the transformer's vectors, as a daemon makes them; without it those that a save writes."""

    def __init__(self, folder: Path, better: bool = True, **settings: object) -> None:
        self.name = "marrow" if better else "marrow, static tier"
        self.better = better
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.settings = settings
        self.opened: dict[str, marrow.Memory] = {}
        self.now = 0
        self.world = 0

    def at(self, project: str) -> marrow.Memory:
        if project not in self.opened:
            store = str(self.folder / f"world-{self.world}.db")
            self.opened[project] = marrow.open(
                store=store,
                project=project,
                clock=lambda: self.now,
                **self.settings,  # type: ignore[arg-type]
            )
        return self.opened[project]

    def remember(self, world: dict[str, Any]) -> None:
        self.close()
        self.world += 1
        self.ids: dict[tuple[str, str], str] = {}
        self.addresses: dict[str, str] = {}
        for memory in sorted(world["memories"], key=lambda memory: memory["at"]):
            self.now = _micros(memory["at"])
            self.save(memory)
        project_of = {memory["id"]: memory["project"] for memory in world["memories"]}
        for memory in world["memories"]:
            # A link to another project's memory cannot be made: what is there is not this project's to point at.
            for link in (one for one in memory.get("links", ()) if project_of[one["to"]] == memory["project"]):
                source, target = self.addresses[memory["id"]], self.addresses[link["to"]]
                self.at(memory["project"]).relate(source, target, link["type"])
        if self.better:
            next(iter(self.opened.values())).refine()  # what the daemon does in the background
        self.now = _micros(world["now"])

    def save(self, memory: dict[str, Any]) -> None:
        here = self.at(memory["project"])
        if memory.get("supersedes"):
            old = self.addresses[memory["supersedes"]]
            standing = {
                name: memory[name] for name in ("domain", "tags", "aliases", "priority", "confidence") if name in memory
            }
            address = here.update(old, memory["text"], **standing).address
        else:
            given = {name: memory[name] for name in GIVEN if memory.get(name)}
            address = here.save(memory["text"], anchors=memory.get("files"), **given).items[0].address
        self.addresses[memory["id"]] = address
        self.ids[memory["project"], address] = memory["id"]

    def recall(self, case: dict[str, Any]) -> list[str]:
        home = case["project"] or next(iter(self.opened))
        about = {"files": case.get("files"), "service": case.get("service") or ""}
        found = self.at(home).recall(case["question"], project="" if case["project"] else "all", **about)
        return [self.ids[item.project or home, item.address] for item in found.items]

    def close(self) -> None:
        for memory in self.opened.values():
            memory.close()
        self.opened = {}


GIVEN = ("kind", "domain", "service", "thread", "tags", "aliases", "priority", "confidence")


def _micros(moment: str) -> int:
    return int(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1_000_000)
