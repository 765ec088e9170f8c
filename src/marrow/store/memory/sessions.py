"""Sessions, traces and injections in memory: what `MemoryReader` and `MemoryWriter` can do besides nodes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ...model.event import Head
from ...model.merkle import EMPTY_ROOT
from ...model.session import Injection, Session, detail_text
from ...model.trace import STATES, Trace
from ..protocol import INJECTIONS_LIMIT, SESSIONS_LIMIT, TRACES_LIMIT, Projects
from .tables import Tables


class SessionReader(Protocol):
    """The protocol `Sessions`."""

    _t: Tables

    def traces(
        self,
        namespace: str,
        *,
        project: str | None = None,
        session: str = "",
        state: str = "",
        after: int = 0,
        limit: int = TRACES_LIMIT,
        latest: bool = False,
    ) -> list[Trace]:
        found = [
            trace
            for number, (space, trace) in self._t.traces.items()
            if space == namespace
            and number > after
            and project in (None, trace.project)
            and session in ("", trace.session)
            and state in ("", trace.state)
        ]
        found.sort(key=lambda trace: trace.number)
        return found[max(0, len(found) - limit) :] if latest else found[:limit]

    def trace_counts(self, namespace: str) -> Mapping[str, int]:
        states = [trace.state for space, trace in self._t.traces.values() if space == namespace]
        return {state: states.count(state) for state in STATES}

    def sessions(
        self,
        namespace: str,
        projects: Projects,
        *,
        open: bool | None = None,  # noqa: A002
        since: int | None = None,
        limit: int = SESSIONS_LIMIT,
    ) -> list[Session]:
        found = [
            session
            for (space, _), session in self._t.sessions.items()
            if space == namespace
            and (projects is None or session.project in projects)
            and open in (None, session.is_open)
            and (since is None or session.last_at >= since)
        ]
        return sorted(found, key=lambda session: (session.last_at, session.session), reverse=True)[:limit]

    def session(self, namespace: str, session: str) -> Session | None:
        return self._t.sessions.get((namespace, session))

    def injections(
        self,
        namespace: str,
        *,
        session: str = "",
        address: str = "",
        since: int | None = None,
        limit: int = INJECTIONS_LIMIT,
    ) -> list[Injection]:
        found = [
            (number, told)
            for number, (space, _, told) in self._t.injections.items()
            if space == namespace
            and session in ("", told.session)
            and address in ("", told.address)
            and (since is None or told.at >= since)
        ]
        return [told for _, told in sorted(found, key=lambda one: -one[0])[:limit]]

    def inbox_position(self, segment: str) -> int:
        return self._t.inbox.get(segment, 0)


class SessionWriter(SessionReader, Protocol):
    """The part of `Writer` that keeps them."""

    def _set(self, table: dict[Any, Any], key: Any, value: Any) -> None: ...

    def _drop(self, table: dict[Any, Any], key: Any) -> None: ...

    def _next(self, counter: str) -> int: ...

    def _know_namespace(self, namespace: str) -> None:
        """A namespace is there with the first thing that it keeps, before its first event."""
        if namespace not in self._t.heads:
            self._set(self._t.heads, namespace, Head(root=EMPTY_ROOT))

    def keep_traces(self, namespace: str, project: str, traces: Sequence[Trace]) -> int:
        self._know_namespace(namespace)
        new = 0
        for trace in traces:
            if (namespace, trace.id) not in self._t.trace_numbers:
                number = self._next("trace")
                self._set(self._t.traces, number, (namespace, replace(trace, number=number, project=project)))
                self._set(self._t.trace_numbers, (namespace, trace.id), number)
                new += 1
        return new

    def settle_traces(self, namespace: str, numbers: Sequence[int], state: str, error: str = "") -> None:
        self._know_namespace(namespace)
        for number in numbers:
            space, trace = self._t.traces.get(number, ("", None))
            if trace is not None and space == namespace:
                settled = replace(trace, state=state, error=error, attempts=trace.attempts + 1)
                self._set(self._t.traces, number, (namespace, settled))

    def keep_session(self, namespace: str, session: Session) -> None:
        self._know_namespace(namespace)
        kept = replace(session, detail=json.loads(detail_text(session.detail)))
        self._set(self._t.sessions, (namespace, session.session), kept)

    def note_injections(self, namespace: str, project: str, injections: Sequence[Injection]) -> None:
        self._know_namespace(namespace)
        for told in injections:
            self._set(self._t.injections, self._next("injection"), (namespace, project, told))

    def place_inbox(self, segment: str, offset: int) -> None:
        self._set(self._t.inbox, segment, offset)

    def drop_inbox(self, segment: str) -> None:
        self._drop(self._t.inbox, segment)

    def prune_traces(self, before_at: int) -> int:
        return self._drop_traces([n for n, (_, trace) in self._t.traces.items() if trace.at < before_at])

    def prune_sessions(self, before_at: int) -> int:
        for number in [n for n, (_, _, told) in self._t.injections.items() if told.at < before_at]:
            self._drop(self._t.injections, number)
        old = [key for key, session in self._t.sessions.items() if session.last_at < before_at]
        for key in old:
            self._drop(self._t.sessions, key)
        return len(old)

    def erase_sessions(self, namespace: str, session: str, projects: Projects) -> int:
        self._know_namespace(namespace)

        def is_meant(space: str, project: str, name: str) -> bool:
            return space == namespace and session in ("", name) and (projects is None or project in projects)

        traces = [n for n, (space, t) in self._t.traces.items() if is_meant(space, t.project, t.session)]
        rows: list[tuple[dict[Any, Any], Any]] = [
            (self._t.sessions, key) for key, s in self._t.sessions.items() if is_meant(key[0], s.project, s.session)
        ]
        rows += [
            (self._t.injections, number)
            for number, (space, project, told) in self._t.injections.items()
            if is_meant(space, project, told.session)
        ]
        for table, key in rows:
            self._drop(table, key)
        return self._drop_traces(traces) + len(rows)

    def _erase_traces_of(self, namespace: str, addresses: Collection[str]) -> None:
        """What erasing nodes takes with it: where they were told, and the raw form of the sessions in which they were
        said."""
        said_in = {
            said.thread
            for entry in self._t.entries.values()
            if entry.namespace == namespace and entry.address in addresses
            for _, said in entry.occurrences
            if said.thread
        }
        raw = [n for n, (space, t) in self._t.traces.items() if space == namespace and t.session in said_in]
        self._drop_traces(raw)
        for key, session in list(self._t.sessions.items()):
            if key[0] == namespace and session.session in said_in:
                self._set(self._t.sessions, key, replace(session, title="", detail={}))
        for number, (space, _, told) in list(self._t.injections.items()):
            if space == namespace and told.address in addresses:
                self._drop(self._t.injections, number)

    def _drop_traces(self, numbers: Collection[int]) -> int:
        for number in numbers:
            space, trace = self._t.traces[number]
            self._drop(self._t.traces, number)
            self._drop(self._t.trace_numbers, (space, trace.id))
        return len(numbers)
