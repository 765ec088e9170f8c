"""The daemon's chores, one turn at a time: drain, work off, close what was left open, embed, keep to time limits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..capture import inbox
from ..memory.recall import recall
from ..memory.refine import refine
from ..memory.renew import fill_vectors, renew_vectors, renew_words
from ..model.errors import MarrowError
from ..model.moments import MICROS_PER_DAY
from ..model.trace import FAILED
from .abandoned import close_abandoned
from .code import CodeKeeper
from .condense import condense_due
from .derive import Deriver, Turn
from .drain import NOT_NOW, Refused, drain
from .place import Place, PlaceAt
from .watching import Watcher
from .way import Way
from .work_off import work_off

MICROS_PER_HOUR = MICROS_PER_DAY // 24
FAILURES_LOOKED_AT, FAILURES_SHOWN = 1000, 5
# What had no place is tried again so soon, and later each time that it has none; and so long is a store left alone that
# could not be used, unless it is the user's own.
RELEASE_SECONDS, RELEASE_SECONDS_MAX = 10.0, 3600.0
PUT_OFF_SECONDS = 60.0
# So often is looked for entries without a vector.
FILL_SECONDS = 3600.0

log = logging.getLogger("marrow.background")


class Chores:
    """`places` gives a place for each store that is open; `default` that of the user's own store; `flush` writes down
    what was told and counted; `projects` gives a place for each project that is at hand; `way` is made for those who
    wait for an answer."""

    def __init__(
        self,
        home: str,
        place_at: PlaceAt,
        default: Callable[[], Place],
        places: Callable[[], list[Place]],
        flush: Callable[[], None],
        projects: Callable[[], list[Place]] = list,
        way: Way | None = None,
    ) -> None:
        self.way = way or Way()
        self._is_awaited = False
        self._flush = flush
        self._home = home
        self._refused: Refused = {}
        self._named, self._own, self._opened = place_at, default, places
        self._tidied_at = 0
        self._release_at, self._release_after = 0.0, RELEASE_SECONDS
        self._put_off: dict[int, float] = {}
        self._words_at: dict[int, float] = {}
        self._fill_at: dict[int, float] = {}
        self._counts: dict[str, int] = {"drained": 0, "worked_off": 0, "embedded": 0, "mapped": 0, "derived": 0}
        self._counts["followed"] = 0
        self._counting = threading.Lock()
        self._code = CodeKeeper()
        self._deriver = Deriver()
        self._watcher = Watcher(home)
        self._projects = projects

    def _place_at(self, path: str, store: str, project: str, namespace: str) -> Place:
        return self._considerate(self._named(path, store, project, namespace))

    def _default(self) -> Place:
        return self._considerate(self._own())

    def _considerate(self, place: Place) -> Place:
        return place._replace(engine=replace(place.engine, make_way=self._make_way))

    def _make_way(self) -> None:
        if not self._is_awaited:
            self.way.make()

    def warm(self) -> None:
        """Load what the first question needs, so that it does not wait for it."""
        place = self._default()
        place.engine.embedder.documents(["warm"])
        if place.engine.refiner is not None:
            place.engine.refiner.documents(["warm"])
        recall(place.engine.uncounted(), place.asker, "What is known about the deployment?")

    def turn(self, is_stopping: Callable[[], bool], is_quiet: Callable[[], bool] = lambda: True) -> bool:
        """One part of what there is to do; whether there is more at once. What is found already is found better only
        while it is quiet: embedding takes a whole core."""
        self._make_way()
        self._flush()
        drained = self._drained()
        self._add("drained", drained)
        self._add("mapped", self._code.update())
        worked = embedded = 0
        for place in self._every():
            if is_stopping():
                return False
            with self._apart(place):
                worked += self._add("worked_off", work_off(place, self._place_at, is_stopping=is_stopping))
                if not drained and not worked and is_quiet():
                    self._renew_words(place)
                    embedded += self._add("embedded", renew_vectors(place.engine) or self._fill(place))
                    embedded += self._add("embedded", refine(place.engine))
                    embedded += self._derived(self._deriver.own(place))
        if not drained and not worked:  # what is old and waits all the same is worked off first
            self._tidy()
            self._release()
            self._add("followed", self._watcher.look(self._every))
            if is_quiet():
                self._code.map_one()
                for place in self._projects():
                    self._code.pin_named(place)
                    embedded += self._derived(self._deriver.of_users(place))
        return bool(drained or worked or embedded)

    def _renew_words(self, place: Place) -> None:
        """A store whose words cannot be renewed is left alone for a while: to find out that it is broken reads all of
        it."""
        store, now = place.engine.store, time.monotonic()
        if self._words_at.get(id(store), 0.0) > now:
            return
        if not renew_words(place.engine) and store.has_old_words():
            self._words_at[id(store)] = time.monotonic() + PUT_OFF_SECONDS

    def _fill(self, place: Place) -> int:
        """Vectors for what has none: seldom, since counting goes through the whole store."""
        store, now = id(place.engine.store), time.monotonic()
        if self._fill_at.get(store, 0.0) > now:
            return 0
        self._fill_at[store] = now + FILL_SECONDS
        try:
            return fill_vectors(place.engine)
        except MarrowError as problem:  # whatever a service refuses with: nothing else waits for it
            log.warning("no vectors for what has none: %s", problem)
            return 0

    def turn_awaited(self, is_stopping: Callable[[], bool]) -> bool:
        """A turn that somebody waits for: it makes way for nobody, and begins with all that waits, since what ended
        last is what they are to be told of."""
        self._is_awaited = True
        try:
            while not is_stopping() and (found := self._drained()):
                self._add("drained", found)
            return self.turn(is_stopping, lambda: False)
        finally:
            self._is_awaited = False

    def all_now(self) -> int:
        """Everything that waits, without waiting for more of it."""
        done = 0
        while found := self._drained():
            done += self._add("drained", found)
        self._add("mapped", self._code.update())
        for place in self._every():
            with self._apart(place):
                while found := work_off(place, self._place_at, everything=True):
                    self._add("worked_off", found)
        return done

    @contextmanager
    def _apart(self, place: Place) -> Iterator[None]:
        """Where a store that is not the user's own cannot be used now, the others are served all the same."""
        try:
            yield
        except NOT_NOW as problem:
            if place.engine.store is self._own().engine.store:
                raise
            log.warning("put off: %s", problem)
            self._put_off[id(place.engine.store)] = time.monotonic() + PUT_OFF_SECONDS

    def _drained(self) -> int:
        return drain(self._home, self._place_at, self._default(), self._code.noticed, self._refused)

    def stop(self) -> None:
        """End what was started beside the turns."""
        self._code.stop()
        self._watcher.stop()

    def condense(self) -> int:
        """Let a language model tell better what sessions left, where one is configured and may be asked: it may take a
        minute, so it is no part of a turn."""
        ledger = self._default().engine.store
        places = self._every()
        told = sum(condense_due(place, ledger=ledger) for place in places)
        return told + sum(self._deriver.summarise(place, ledger=ledger) for place in places)

    def state(self) -> Mapping[str, Any]:
        """What waits, what was done, and the latest that failed, with what was wrong."""
        queue: dict[str, int] = {"raw": 0, "done": 0, "failed": 0}
        failed: list[dict[str, Any]] = []
        for place in self._every():
            with place.engine.store.reading() as reader:
                for state, count in reader.trace_counts(place.asker.namespace).items():
                    queue[state] += count
                if queue["failed"]:
                    found = reader.traces(place.asker.namespace, state=FAILED, limit=FAILURES_LOOKED_AT)
                    failed += [
                        {"event": t.event, "attempts": t.attempts, "error": t.error} for t in found[-FAILURES_SHOWN:]
                    ]
        with self._counting:
            return {"queue": queue, "failed": failed, "since_start": dict(self._counts)}

    def _every(self) -> list[Place]:
        """One place a store and namespace, the user's own among them."""
        every = (*(self._considerate(place) for place in self._opened()), self._default())
        found = {(id(place.engine.store), place.asker.namespace): place for place in every}
        now = time.monotonic()
        return [place for (store, _), place in found.items() if self._put_off.get(store, 0.0) <= now]

    def _release(self) -> None:
        """Try again what had no place."""
        now = time.monotonic()
        if now < self._release_at:
            return
        is_again = inbox.release(self._home) > 0
        self._release_after = min(2 * self._release_after, RELEASE_SECONDS_MAX) if is_again else RELEASE_SECONDS
        self._release_at = now + self._release_after

    def _derived(self, turn: Turn) -> int:
        self._add("derived", turn.ran)
        return int(turn.more)

    def _add(self, what: str, count: int) -> int:
        with self._counting:
            self._counts[what] += count
        return count

    def _tidy(self) -> None:
        """Once an hour: what was kept long enough goes, and sessions that nobody ended are closed."""
        for place in self._every():
            now = place.engine.clock()
            if 0 <= now - self._tidied_at < MICROS_PER_HOUR:  # a clock that went back is no reason to wait for it
                return
            trace_days = place.settings.get("retention.trace_days", int)
            context_days = place.settings.get("retention.context_days", int)
            with self._apart(place):
                close_abandoned(place, now)
                with place.engine.store.writing() as writer:
                    writer.prune_traces(now - trace_days * MICROS_PER_DAY)
                    writer.prune_sessions(now - context_days * MICROS_PER_DAY)
        self._tidied_at = self._default().engine.clock()
