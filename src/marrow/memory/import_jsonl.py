"""Import JSON lines: one object a line with `content` or `text`, Marrow's own or another memory's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import IO, Any

from ..model.draft import Draft
from ..model.errors import Invalid, MarrowError, TooLarge
from ..model.link import make_anchor
from ..model.moments import micros, moment
from .engine import Asker, Engine
from .files import existing_file, opened
from .imported import Imported, Placed, import_drafts

Progress = Callable[[int, "int | None"], None]
BYTES_MAX = 512 * 1024**2
LINE_BYTES_MAX = 16 * 1024**2
_SAID = ("at", "thread", "user", "service", "source", "chain", "metadata")
_STANDING = ("semantic", "preliminary", "approved", "drift")
_GIVEN = ("kind", "domain", "tags", "aliases", "priority", "confidence", "pinned", "classification")


def import_jsonl(
    engine: Engine, asker: Asker, source: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Imported:
    """Into the caller's project. An object without a time was said when the file was last changed."""
    path = existing_file(source, bytes_max=BYTES_MAX)
    changed_at = min(path.stat().st_mtime_ns // 1000, engine.clock())
    with opened(path) as file:
        drafts = [placed for number, line in _lines(file) for placed in _drafts(number, line, path.name, changed_at)]
    return import_drafts(engine, asker, drafts, source=source, format="jsonl", dry_run=dry_run, progress=progress)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(LINE_BYTES_MAX + 1):
        number += 1
        if len(line) > LINE_BYTES_MAX:
            raise TooLarge(f"Line {number} has more than {LINE_BYTES_MAX:,} bytes.", hint="Split it.", field="source")
        if line.strip():
            yield number, line


def _drafts(number: int, line: bytes, name: str, changed_at: int) -> list[Placed]:
    where = f"Line {number}"
    try:
        shape = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise Invalid(
            f"{where} is not JSON: {str(problem)[:120]}.", hint="One object a line.", field="source"
        ) from problem
    if not isinstance(shape, dict):
        raise Invalid(f"{where} is no JSON object.", hint="One object a line.", field="source")
    content = shape.get("content", shape.get("text"))
    if not isinstance(content, str):
        raise Invalid(f"{where} has no `content` or `text`.", hint="Nothing was imported.", field="source")
    said = shape.get("said") or [shape]
    if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
        raise Invalid(f"{where}: `said` is a list of objects.", hint="Nothing was imported.", field="source")
    try:
        own = _own(shape)
        return [Placed(where, _draft(content, shape, one, name, changed_at), **own) for one in said]
    except MarrowError as problem:
        raise type(problem)(f"{where}: {problem.message}", hint=problem.hint, field=problem.field) from problem


def _own(shape: Mapping[str, Any]) -> dict[str, Any]:
    """What a line of Marrow's own tells beyond a draft, as `Placed` takes it. Another program may mean something else
    by such names."""
    if "said" not in shape:
        return {}
    standing = {key: shape[key] for key in _STANDING if shape.get(key) is not None}
    try:
        if shape.get("expires"):
            standing["expires_at"] = micros(datetime.fromisoformat(shape["expires"]))
        links = tuple((str(link["rel"]), str(link["target"])) for link in shape.get("links", ()))
        inputs = tuple(shape.get("inputs", ()))
    except (TypeError, KeyError, ValueError, OverflowError) as problem:
        raise Invalid("links, inputs or expires are not as an export has them.", field="source") from problem
    return {"key": str(shape.get("address", "")), "links": links, "inputs": inputs, "standing": tuple(standing.items())}


def _draft(content: str, shape: Mapping[str, Any], said: Mapping[str, Any], name: str, changed_at: int) -> Draft:
    given = {key: shape[key] for key in _GIVEN if shape.get(key) is not None}
    when = {key: said[key] for key in _SAID if said.get(key) is not None}
    for key in ("thread", "user", "service", "source", "chain"):
        if key in when and not isinstance(when[key], str):
            when[key] = str(when[key])
    if not isinstance(when.get("metadata", {}), dict):
        raise Invalid("metadata is an object.", field="metadata")
    anchors = shape.get("anchors", [])
    if not isinstance(anchors, list):
        raise Invalid("anchors is a list.", field="anchors")
    pinned = tuple(make_anchor(anchor) for anchor in anchors)
    # Marrow's own lines tell where each was said; what another memory wrote came from this file.
    came_from = {} if "said" in shape else {"source": name}
    when = {"at": moment(changed_at), **came_from, **when}
    return Draft(content, **given, **when, anchors=pinned)
