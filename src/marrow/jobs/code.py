"""The code map in the background: edits that hooks report update it at once, and a project without one gets one while
nobody asks for anything."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence

from ..capture.tools import EDIT, SHELL, WRITE
from ..memory.code.frames import environment
from ..memory.code.kept_map import KeptMap
from ..memory.code.observed import observed_in
from ..memory.observed.call import Call, call_of
from ..memory.observed.changes import changes_by_shell, changes_of
from ..memory.pin_named import pin_named
from ..model.errors import MarrowError
from ..model.trace import Trace
from .place import Place

START = "session-start"
# A trace is in most texts that hold one of these.
_TRACES = ("Traceback (most recent call last)", "\n    at ", "\n\tat ", "goroutine ", "stack backtrace:")
WAITING_MAX = 5_000

log = logging.getLogger("marrow.background")


class CodeKeeper:
    """Told of traces as they come in; does its part in a turn of the chores."""

    def __init__(self) -> None:
        self._edited: dict[str, tuple[Place, set[str]]] = {}
        self._texts: list[tuple[Place, str]] = []
        self._unmapped: dict[str, Place] = {}
        self._mapper: subprocess.Popen[bytes] | None = None
        self._mapping = ""
        self._mapped: set[str] = set()
        self._noting = threading.Lock()

    def noticed(self, place: Place, traces: Sequence[Trace]) -> None:
        """Take note of what matters for the map of a place."""
        root = place.asker.root
        if not root or place.engine.maps is None:
            return
        for trace in place.engine.considerately(traces):
            if trace.event == START:
                with self._noting:
                    self._unmapped[root] = place
            elif trace.does in (EDIT, WRITE, SHELL):
                self._note(place, root, trace)

    def _note(self, place: Place, root: str, trace: Trace) -> None:
        call = call_of(trace.fields)
        if call is None:
            return
        paths = edited_paths(call, root)
        with self._noting:
            if paths:
                known = self._edited.setdefault(root, (place, set()))[1]
                known.update(sorted(paths)[:WAITING_MAX])
            if trace.does == SHELL and any(mark in call.text for mark in _TRACES):
                self._texts.append((place, call.text))

    def update(self) -> int:
        """Map the files that were edited, and take in what stack traces show; how many that were."""
        with self._noting:
            edited, self._edited = self._edited, {}
            texts, self._texts = self._texts, []
        done = 0
        for root, (place, paths) in edited.items():
            done += self._attempt(place, root, _updating(paths))
        for place, text in texts:
            done += self._attempt(place, place.asker.root, _observing(text))
        return done

    def _attempt(self, place: Place, root: str, what: Callable[[KeptMap, int], object]) -> int:
        assert place.engine.maps is not None
        try:
            kept = place.engine.maps(root)
            if not kept.has_map():
                return 0
            what(kept, place.engine.clock())
        except MarrowError as problem:  # the next question brings it up to date
            log.warning("the code map waits: %s", problem)
            return 0
        return 1

    def map_one(self) -> bool:
        """Begin to map a project that has no map, in a process of its own, one at a time; whether one is being made."""
        if self._mapper is not None:
            if self._mapper.poll() is None:
                return True
            self._end()
            self._mapped.add(self._mapping)
        with self._noting:
            waiting, self._unmapped = self._unmapped, {}
        for root, place in list(waiting.items()):
            del waiting[root]
            assert place.engine.maps is not None
            kept = place.engine.maps(root)
            if os.path.isdir(root) and not (kept.has_map() and kept.is_whole()):
                self._mapper, self._mapping = _started(kept), root
                break
        with self._noting:
            self._unmapped = {**waiting, **self._unmapped}
        return self._mapper is not None

    def pin_named(self, place: Place) -> int:
        """Pin what was saved while a project that is mapped now had no map; how many memories that were."""
        if place.asker.root not in self._mapped:
            return 0
        self._mapped.discard(place.asker.root)
        try:
            return pin_named(place.engine, place.asker)
        except MarrowError as problem:  # done when the next session begins
            log.warning("what names code waits to be pinned: %s", problem)
            return 0

    def stop(self) -> None:
        self._end()

    def _end(self) -> None:
        process, self._mapper = self._mapper, None
        if process is not None:
            process.kill()
            if process.stdin is not None:
                process.stdin.close()
            process.wait()


def _updating(paths: Iterable[str]) -> Callable[[KeptMap, int], object]:
    return lambda kept, now: kept.update(now, only=sorted(paths))


def _observing(text: str) -> Callable[[KeptMap, int], object]:
    return lambda kept, now: observed_in(kept, text, now)


def edited_paths(call: Call, root: str) -> set[str]:
    """The files inside of a project that a call changed, from its root."""
    changed = changes_by_shell(call.command) if call.does == SHELL else changes_of(call)
    given = {change.path for change in changed if change.path}
    if call.does != SHELL and call.path:
        given.add(call.path)
    real = os.path.realpath(root)
    found = set()
    for path in given:
        whole = os.path.realpath(os.path.join(call.cwd or root, path))
        if whole.startswith(os.path.join(real, "")):
            found.add(os.path.relpath(whole, real).replace(os.sep, "/"))
    return found


def _started(kept: KeptMap) -> subprocess.Popen[bytes] | None:
    patterns = (str(len(kept.ignore_extra)), *kept.ignore_extra, *kept.redact_extra)
    about = (str(kept.file.path), kept.root, *patterns)
    command = [sys.executable, "-P", "-m", "marrow.memory.code.mapper", *about]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
    except OSError as problem:
        log.warning("no code map is made now: %s", problem)
        return None
