"""mnemo's store: a folder of nodes, each a JSON file named by its address. Addresses differ from Marrow's, so what was
linked there is linked anew; what was superseded or compressed comes with what took its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...model.draft import Draft
from ...model.errors import Invalid
from ...model.link import Anchor, make_anchor
from ...model.moments import moment
from ...model.standing import COMPRESSED, SUPERSEDED
from ..item import Skipped
from ..talk.json_lines import moment_in
from .found import Found, OtherMemory, Reader, cleaned, domain_of, rel_of, tags_of, without_empty

FORMAT = "mnemo"
NODES_MAX = 200_000
NODE_BYTES_MAX = 4 * 1024 * 1024
FOLDER = ".mnemo"
_NODE = re.compile(r"[0-9a-f]{6,64}\.json\Z")
_TAKEN = ("leaf", "compress", "supersede")
_MARKS = (("[GAP]", "gap"), ("[ASK]", "question"))


def store_in(folder: Path) -> Path | None:
    """The store at or in a folder."""
    for place in (folder, folder / FOLDER):
        if (place / "nodes").is_dir() and ((place / "active.json").is_file() or _has_node(place / "nodes")):
            return place
    return None


def _has_node(nodes: Path) -> bool:
    return any(_NODE.match(path.name) for path in nodes.iterdir())


def read(store: Path, reader: Reader) -> OtherMemory:
    problems: list[Skipped] = []
    active = set(_list(store / "active.json", problems))
    nodes: dict[str, dict[str, Any]] = {}
    for path in sorted((store / "nodes").iterdir()):
        if not _NODE.match(path.name) or path.is_symlink():
            continue
        if len(nodes) >= NODES_MAX:
            problems.append(Skipped("nodes", f"only the first {NODES_MAX:,} were read"))
            break
        shape = _json(path, problems)
        if isinstance(shape, dict) and shape.get("type") in _TAKEN and cleaned(shape.get("content")):
            nodes[path.name.removesuffix(".json")] = shape
    chains = _chains(store, problems)
    replaced = {old for shape in nodes.values() if shape["type"] == "supersede" for old in _inputs(shape)}
    condensed = {old for shape in nodes.values() if shape["type"] == "compress" for old in _inputs(shape)}
    found = []
    for name, shape in nodes.items():
        state = "" if name in active or not active else SUPERSEDED if name in replaced else COMPRESSED
        if state == COMPRESSED and name not in condensed:
            continue  # it was taken out, and nothing took its place
        links = _links(shape, nodes)
        found.append(Found(f"node {name}", _draft(name, shape, chains.get(name, ""), reader), name, links, state))
    found.sort(key=lambda one: moment_in(nodes[one.key].get("created")))
    return OtherMemory(FORMAT, tuple(found), tuple(problems))


def _links(shape: Mapping[str, Any], nodes: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    rel = {"supersede": "supersedes", "compress": "derived_from"}.get(str(shape["type"]), "")
    found = [(rel, old) for old in _inputs(shape)] if rel else []
    given = _meta(shape).get("links")
    found += [
        (rel_of(str(link.get("rel", "relates_to"))), link["addr"])
        for link in (given if isinstance(given, list) else ())
        if isinstance(link, dict) and isinstance(link.get("addr"), str)
    ]
    return tuple((rel, key) for rel, key in dict.fromkeys(found) if key in nodes)


def _draft(name: str, shape: Mapping[str, Any], chain: str, reader: Reader) -> Draft:
    meta, content = _meta(shape), cleaned(shape["content"])
    kind = "summary" if shape["type"] == "compress" else next((k for m, k in _MARKS if content.startswith(m)), "claim")
    at = moment_in(shape.get("created")) or reader.now
    files = [anchor for anchor in _anchors(meta) if anchor is not None]
    return Draft(
        content,
        kind=kind,
        domain=domain_of(meta.get("domain")),
        confidence=_share(meta.get("confidence")),
        priority=_share(meta.get("priority")),
        tags=tags_of([*(meta["tags"] if isinstance(meta.get("tags"), list) else [])]),
        at=moment(min(at, reader.now) if reader.now else at),
        source=FORMAT,
        chain=chain[:200],
        anchors=tuple(files),
        metadata=without_empty({"address": name, "agent": meta.get("agent_id"), "reason": meta.get("reason")}),
    )


def _anchors(meta: Mapping[str, Any]) -> list[Anchor | None]:
    given = meta.get("anchors")
    found: list[Anchor | None] = []
    for anchor in given if isinstance(given, list) else ():
        path = (anchor.get("path") or anchor.get("file")) if isinstance(anchor, dict) else None
        if not isinstance(path, str):
            continue
        try:
            found.append(make_anchor({"type": "file", "path": path}))
        except Invalid:  # it leads out of the project
            continue
    return list(dict.fromkeys(found))[:20]


def _share(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return min(1.0, float(value)) if is_number and value >= 0 else None  # type: ignore[arg-type, operator]


def _chains(store: Path, problems: list[Skipped]) -> dict[str, str]:
    """The chain that each node is in, by its summary or its id."""
    path = store / "chains.json"
    shape = _json(path, problems) if path.is_file() else None
    found: dict[str, str] = {}
    for identity, chain in shape.items() if isinstance(shape, dict) else ():
        members = chain.get("members") if isinstance(chain, dict) else None
        name = " ".join(cleaned(chain.get("name") or chain.get("summary")).split())[:80] if members else ""
        for member in members if isinstance(members, list) else ():
            found.setdefault(str(member), name or str(identity))
    return found


def _inputs(shape: Mapping[str, Any]) -> list[str]:
    inputs = shape.get("inputs")
    return [one for one in inputs if isinstance(one, str)] if isinstance(inputs, list) else []


def _meta(shape: Mapping[str, Any]) -> dict[str, Any]:
    meta = shape.get("meta")
    return meta if isinstance(meta, dict) else {}


def _list(path: Path, problems: list[Skipped]) -> list[str]:
    shape = _json(path, problems) if path.is_file() else []
    return [one for one in shape if isinstance(one, str)] if isinstance(shape, list) else []


def _json(path: Path, problems: list[Skipped]) -> Any:
    try:
        with path.open("rb") as file:
            data = file.read(NODE_BYTES_MAX + 1)
        return json.loads(data[:NODE_BYTES_MAX])
    except (OSError, ValueError, RecursionError) as problem:
        problems.append(Skipped(path.name, f"cannot be read: {str(problem)[:100]}"))
        return None
