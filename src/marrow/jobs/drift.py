"""Drift: when a session edits a file or another commit is checked out, the memories that are pinned there are looked at
again. Only those; where nothing is pinned it costs a question to an index."""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ..capture.tools import EDIT, SHELL, WRITE
from ..memory.observed.changes import changes_by_shell
from ..memory.observed.command import only_looks, take_apart
from ..memory.pin_named import pin_named
from ..memory.verify import Verification, verify, verify_paths
from ..model.errors import MarrowError
from ..model.trace import Trace
from ..repository.command import fields
from ..repository.elsewhere import is_beside_main
from ..repository.head import head_of
from ..repository.identity import locate
from .place import Place

PATHS_MAX = 5_000
WORDS_MAX = 200
# What checks out, makes or takes in other commits.
_MOVES_HEAD = re.compile(
    r"\bgit\b[^|;&]*?\b(?:commit|checkout|switch|pull|merge|rebase|reset|revert|cherry-pick|am|stash|restore)\b"
)
_WORD = re.compile(r"[^\s'\"`;|&<>()]+")
_DONE = ("post-tool", "tool-failed")

log = logging.getLogger("marrow.background")

# Which commit was checked out when the memories of a project were last looked at, by store, project and folder.
_heads: dict[tuple[str, str, str], str] = {}
_noting = threading.Lock()


def follow(place: Place, traces: Sequence[Trace]) -> int:
    """Look at what these traces may have touched; how many memories were looked at. Never fails: it is only a look."""
    if not place.asker.root:
        return 0
    try:
        return _follow(place, traces)
    except (MarrowError, OSError) as problem:
        log.warning("the code could not be compared with what is known of it: %s", problem)
        return 0


def _follow(place: Place, traces: Sequence[Trace]) -> int:
    root, paths, head_may_differ = place.asker.root, dict[str, None](), False
    for trace in place.engine.considerately(traces):
        if trace.event == "session-start":
            head_may_differ = True
        elif trace.event in _DONE:
            touched, moves = touched_by(trace, root)
            paths.update(dict.fromkeys(touched))
            head_may_differ = head_may_differ or moves
    if head_may_differ:
        pin_named(place.engine, place.asker)
    if is_beside_main(root):  # what became of the code there is looked at when it is told
        return 0
    looked = verify_paths(place.engine, place.asker, list(paths)[:PATHS_MAX]).looked_at if paths else 0
    return looked + (_after_checkout(place) if head_may_differ else 0)


def touched_by(trace: Trace, root: str) -> tuple[list[str], bool]:
    """The files that a tool wrote, from the root, and whether another commit may be checked out now."""
    body = trace.fields
    given = body.get("input")
    about: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    cwd = str(body.get("cwd") or root)
    if trace.does in (EDIT, WRITE):
        named = [about.get("file_path"), *(about["files"] if isinstance(about.get("files"), list) else [])]
        return _inside(named, cwd, root), False
    command = about.get("command")
    if trace.does != SHELL or not isinstance(command, str):
        return [], False
    commands = take_apart(command).commands
    if all(only_looks(one) for one in commands):
        return [], False
    words = [word for one in commands if not only_looks(one) for word in _WORD.findall(one)]
    named = [change.path for change in changes_by_shell(command)]
    named += [word for word in words[:WORDS_MAX] if "/" in word or "." in word]
    return _inside(named, cwd, root), _MOVES_HEAD.search(command) is not None


def _inside(named: Sequence[object], cwd: str, root: str) -> list[str]:
    """Paths from the root, of those that lie in it."""
    found = []
    for name in named:
        if isinstance(name, str) and name and "\0" not in name:
            whole = os.path.normpath(os.path.join(cwd, name.replace("\\", "/")))
            for start, path in ((root, whole), (os.path.realpath(root), os.path.realpath(whole))):
                if path.startswith(os.path.join(start, "")):
                    found.append(os.path.relpath(path, start).replace(os.sep, "/"))
    return list(dict.fromkeys(found))


def _after_checkout(place: Place) -> int:
    """Since the commit that was last looked at: the files that differ; everything where none was."""
    asker, root = place.asker, place.asker.root
    repository = locate(root, environ={})
    if repository is None or repository.root is None:
        return 0
    now = head_of(repository).commit
    before = _last_looked_at(place)
    if before == now:
        return 0
    paths = _between(root, before, now) if before and now else None
    looked: Verification = verify(place.engine, asker) if paths is None else verify_paths(place.engine, asker, paths)
    _note(place, now)
    return looked.looked_at


def _last_looked_at(place: Place) -> str | None:
    """As this process knows it, else as an earlier one left it beside the code map."""
    with _noting:
        known = _heads.get(_key(place))
    if known is not None:
        return known
    found = _left_behind(place).get(place.asker.scope.project)
    return found if isinstance(found, str) else None


def _note(place: Place, head: str) -> None:
    """Lost without harm: then everything is looked at once more."""
    with _noting:
        _heads[_key(place)] = head
    path = _beside_map(place)
    if path is None:
        return
    told = {**_left_behind(place), place.asker.scope.project: head}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(told))
        partial.replace(path)


def _left_behind(place: Place) -> dict[str, Any]:
    path = _beside_map(place)
    try:
        told = json.loads(path.read_text()) if path is not None else {}
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _beside_map(place: Place) -> Path | None:
    if place.engine.maps is None:
        return None
    return place.engine.maps(place.asker.root).file.path.with_suffix(".verified")


def _key(place: Place) -> tuple[str, str, str]:
    return place.engine.store.url, place.asker.scope.project, place.asker.root


def _between(root: str, before: str, now: str) -> list[str] | None:
    """The files that two commits differ in; None where that cannot be said, or they are too many."""
    found: list[str] = []
    try:
        with closing(
            fields(root, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", before, now, "--")
        ) as told:
            for path in told:
                if path:
                    found.append(os.fsdecode(path))
                if len(found) > PATHS_MAX:
                    return None
    except MarrowError:  # the commit is no longer there
        return None
    return found
