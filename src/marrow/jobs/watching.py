"""Repositories that are kept current: now and then a look at their HEADs, and where one has moved, a process of its own
that takes in what was committed."""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..capture import paused, start, where
from ..capture.in_turn import in_turn
from ..memory.code.frames import environment
from ..memory.taking_in.codebase import Ingested
from ..memory.taking_in.committed import ingest_committed
from ..memory.taking_in.take_in import Progress
from ..memory.taking_in.watched import Watched, watched
from ..model.errors import MarrowError, StoreLocked
from ..repository.head import head_of
from ..repository.identity import Place as Repository
from ..repository.identity import locate
from .place import Place

# How often HEADs are looked at, and how often it is asked which ones.
LOOK_SECONDS, LIST_SECONDS = 3.0, 30.0
RETRY_SECONDS = 300.0
PATIENCE_SECONDS = 60.0
COMMAND = ("daemon", "take-in")
ATTENDED = "--attended"

log = logging.getLogger("marrow.background")


class Target(NamedTuple):
    """A repository to be followed, and the memory that it is followed for."""

    store: str
    namespace: str
    project: str
    service: str
    root: str


def target_of(place: Place, one: Watched) -> Target:
    return Target(file_of(place), place.asker.namespace, one.project, one.service, one.root)


def file_of(place: Place) -> str:
    """The path of a store that another process can open; empty for one in memory."""
    url = place.engine.store.url
    return "" if url == "memory:" else os.path.abspath(url.removeprefix("sqlite:"))


def words_of(target: Target) -> list[str]:
    """The words after `marrow` that bring it to its HEAD, in a process that is started for that."""
    named = (("--store", target.store), ("--namespace", target.namespace), ("--project", target.project))
    return [*COMMAND, target.root, *(word for pair in named for word in pair), "--service", target.service]


def hook_lines(target: Target, home: str) -> str:
    """What a hook of git runs: in the background, quietly, only for this folder, and nothing where Marrow is gone."""
    variables = start.environment({}, home)
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in sorted(variables.items()))
    program = shlex.quote(sys.executable)
    command = f"{settings} {program} -P -m marrow {shlex.join(words_of(target))}"
    return (
        "# Tells Marrow of new commits. `marrow watch --no-hooks` takes these lines out.\n"
        f'if [ "$(pwd -P)" = {shlex.quote(target.root)} ] && [ -x {program} ]; then\n'
        f"  ({command} </dev/null >/dev/null 2>&1 &)\n"
        "fi"
    )


def hook_mark(target: Target) -> str:
    """Tells the lines of one repository and memory from others in the same file."""
    return where.digest("\0".join(target), 12)


def take_in_now(place: Place, one: Watched, home: str, progress: Progress | None = None) -> Ingested:
    """Bring a repository to its HEAD while somebody waits. What was started for it in the background comes first."""
    with in_turn(home, target_of(place, one)[:-1], PATIENCE_SECONDS, queued=False) as is_ours:
        if is_ours:
            return ingest_committed(place.engine, place.asker, one.root, service=one.service, progress=progress)
    raise StoreLocked(f"{one.root} is being taken in by another process.", hint="Wait for it, and try again.")


def catch_up(place: Place, project: str, service: str, root: str, home: str) -> Ingested | None:
    """What a process does that was started for one repository, in its turn: nothing where it is no longer followed, or
    paused."""
    asker = place.asker
    if paused.is_paused(home, project, root):
        return None
    if project != asker.scope.project:  # it is followed for another project than its own, where it anchors nothing
        asker = replace(asker, scope=replace(asker.scope, project=project), aliases=(), root="")
    with place.engine.store.reading() as reader:
        known = watched(reader, asker.namespace, (project,), service)
    if root not in [one.root for one in known]:
        return None
    return ingest_committed(place.engine, asker, root, service=service)


def repository_of(root: str) -> Repository | None:
    """The repository whose root this is; None where there is none any more."""
    found = locate(root, environ={}) if os.path.isdir(root) else None
    return found if found is not None and root in (found.root, found.git_dir) else None


@dataclass
class _Seen:
    """What was seen of a repository: a mark that changes with its refs where only git can read them."""

    mark: tuple[int, ...]
    head: str


class Watcher:
    """Does its part in a turn of the chores. `clock` tells seconds."""

    def __init__(self, home: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._home = home
        self._clock = clock
        self._targets: dict[Target, tuple[Place, Watched]] = {}
        self._listed_at = self._looked_at = float("-inf")
        self._seen: dict[str, _Seen] = {}
        self._tried: dict[Target, tuple[str, float]] = {}
        self._running: tuple[Target, subprocess.Popen[bytes]] | None = None

    def look(self, places: Callable[[], Sequence[Place]]) -> int:
        """Begin to take in one repository whose HEAD has moved, unless one is being taken in; how many were begun."""
        if self._is_busy():
            return 0
        now = self._clock()
        if now - self._looked_at < LOOK_SECONDS:
            return 0
        self._looked_at = now
        if now - self._listed_at >= LIST_SECONDS:
            self._list(places(), now)
        for target, (place, known) in list(self._targets.items()):
            head = self._head(target.root)
            if not head or head == known.commit or self._was_tried(target, head, now):
                continue
            if paused.is_paused(self._home, target.project, target.root):
                continue
            current = self._current(place, target)
            if current is None or current.commit == head:
                self._note(target, place, current)
                continue
            self._tried[target] = (head, now)
            return self._start(target)
        return 0

    def stop(self) -> None:
        if self._running is not None:
            _end(self._running[1])
            self._running = None

    def _is_busy(self) -> bool:
        if self._running is None:
            return False
        target, process = self._running
        code = process.poll()
        if code is None:
            return True
        if code:
            log.warning("what was committed in %s could not be taken in (%s)", target.root, code)
        _end(process)
        self._running, self._listed_at = None, float("-inf")
        return False

    def _list(self, places: Sequence[Place], now: float) -> None:
        found = {}
        for place in places:
            if place.engine.store.read_only or not file_of(place):
                continue
            with place.engine.store.reading() as reader:
                for one in watched(reader, place.asker.namespace, None):
                    found[target_of(place, one)] = (place, one)
        self._targets, self._listed_at = found, now
        self._tried = {target: tried for target, tried in self._tried.items() if target in found}

    def _was_tried(self, target: Target, head: str, now: float) -> bool:
        tried, at = self._tried.get(target, ("", 0.0))
        return tried == head and now - at < RETRY_SECONDS

    def _current(self, place: Place, target: Target) -> Watched | None:
        """As the store has it now: a hook may have been quicker."""
        with place.engine.store.reading() as reader:
            found = watched(reader, target.namespace, (target.project,), target.service)
        return next((one for one in found if one.root == target.root), None)

    def _note(self, target: Target, place: Place, current: Watched | None) -> None:
        if current is None:
            del self._targets[target]
        else:
            self._targets[target] = (place, current)

    def _head(self, root: str) -> str:
        """Without starting a process; of a repository whose refs only git can read, only when they may have moved."""
        place = repository_of(root)
        if place is None:
            return ""
        tables = _changed_at(os.path.join(place.common_dir, "reftable", "tables.list"))
        mark = (tables, _changed_at(os.path.join(place.git_dir, "reftable", "tables.list")))
        seen = self._seen.get(root)
        if tables and seen is not None and seen.mark == mark:
            return seen.head
        try:
            head = head_of(place).commit
        except MarrowError as problem:
            log.debug("%s is passed over: %s", root, problem)
            return ""
        self._seen[root] = _Seen(mark, head)
        return head

    def _start(self, target: Target) -> int:
        command = [sys.executable, "-P", "-m", "marrow", *words_of(target), ATTENDED]
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=environment(), cwd=target.root
            )
        except OSError as problem:
            log.warning("%s is not taken in now: %s", target.root, problem)
            return 0
        self._running = (target, process)
        return 1


def _changed_at(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
