"""Sessions, traces and injections in SQLite: what `SqliteReader` and `SqliteWriter` can do besides nodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import apsw

from ...model.session import Injection, Session, detail_text
from ...model.trace import DONE, FAILED, RAW, Trace
from ..protocol import INJECTIONS_LIMIT, SESSIONS_LIMIT, TRACES_LIMIT, Projects
from .rows import as_json
from .statements import SWEEP_DUE


class SessionReader(Protocol):
    """The protocol `Sessions`. Statements are run by the reader that this is a part of."""

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any: ...

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
        bindings = {
            "namespace": namespace,
            "project": project,
            "session": session,
            "state": state,
            "after": after,
            "limit": limit,
        }
        of_state = {RAW: "traces_raw", FAILED: "traces_failed"}.get(state, "traces")
        # A session is short and a queue mostly is; whatever was done before is long.
        name = "traces_of_session" if session and state != RAW else of_state
        if latest:
            name = "traces_latest_of_session" if session else "traces_latest"
        found = [Trace(*row) for row in self._run(name, bindings)]
        return found[::-1] if latest else found

    def trace_counts(self, namespace: str) -> Mapping[str, int]:
        every, raw, failed = self._run("trace_counts", (namespace,)).fetchone() or (0, 0, 0)
        return {RAW: raw, DONE: every - raw - failed, FAILED: failed}

    def sessions(
        self,
        namespace: str,
        projects: Projects,
        *,
        open: bool | None = None,  # noqa: A002
        since: int | None = None,
        limit: int = SESSIONS_LIMIT,
    ) -> list[Session]:
        bindings = {"namespace": namespace, "open": open, "since": since, "limit": limit}
        if projects is not None and len(projects) == 1:
            rows = self._run("sessions_of_project", bindings | {"project": projects[0]})
        else:
            chosen = None if projects is None else as_json(projects)
            rows = self._run("sessions", bindings | {"projects": chosen})
        return [_session_of(row) for row in rows]

    def session(self, namespace: str, session: str) -> Session | None:
        row = self._run("session", (namespace, session)).fetchone()
        return _session_of(row) if row else None

    def injections(
        self,
        namespace: str,
        *,
        session: str = "",
        address: str = "",
        since: int | None = None,
        limit: int = INJECTIONS_LIMIT,
    ) -> list[Injection]:
        bindings: dict[str, Any] = {"namespace": namespace, "since": since, "limit": limit}
        raw = bytes.fromhex(address) if address else None
        if session:
            rows = self._run("injections_of_session", bindings | {"session": session, "address": raw})
        elif address:
            rows = self._run("injections_of_address", bindings | {"address": raw})
        else:
            rows = self._run("injections", bindings)
        return [Injection(*row) for row in rows]

    def inbox_position(self, segment: str) -> int:
        return int(self._run("inbox_position", (segment,)).get or 0)

    def _session_sizes(self) -> dict[str, int]:
        """Of a backup in the first format, which is read as it is, there is nothing to count."""
        return dict(self._run("session_sizes")) if self._run("has_sessions").get else {}


class SessionWriter(SessionReader, Protocol):
    """The part of `Writer` that keeps them."""

    _connection: apsw.Connection

    def _run_each(self, name: str, bindings: Iterable[Sequence[Any]]) -> Any: ...

    def _namespace(self, name: str) -> int: ...

    def keep_traces(self, namespace: str, project: str, traces: Sequence[Trace]) -> int:
        space, first = self._namespace(namespace), self._run("next_trace").get
        before = self._connection.total_changes()
        self._run_each("add_trace", [_trace_row(space, first + n, project, trace) for n, trace in enumerate(traces)])
        return self._connection.total_changes() - before

    def settle_traces(self, namespace: str, numbers: Sequence[int], state: str, error: str = "") -> None:
        space = self._namespace(namespace)
        self._run_each("settle_trace", [(state, error, space, number) for number in numbers])

    def keep_session(self, namespace: str, session: Session) -> None:
        s = session
        row = (s.session, s.host, s.project, s.cwd, s.started_at, s.last_at, s.ended_at, s.turns, s.title)
        self._run("keep_session", (self._namespace(namespace), *row, detail_text(s.detail)))

    def note_injections(self, namespace: str, project: str, injections: Sequence[Injection]) -> None:
        space = self._namespace(namespace)
        rows = [
            (space, project, i.session, i.turn, i.at, i.event, bytes.fromhex(i.address), i.tokens, i.file)
            for i in injections
        ]
        self._run_each("add_injection", rows)

    def place_inbox(self, segment: str, offset: int) -> None:
        self._run("place_inbox", (segment, offset))

    def drop_inbox(self, segment: str) -> None:
        self._run("drop_inbox", (segment,))

    def prune_traces(self, before_at: int) -> int:
        self._run("keep_next_trace")
        return self._taken_away("prune_traces", (before_at,))

    def prune_sessions(self, before_at: int) -> int:
        self._run("prune_injections", (before_at,))
        return self._taken_away("prune_sessions", (before_at,))

    def erase_sessions(self, namespace: str, session: str, projects: Projects) -> int:
        chosen = None if projects is None else as_json(projects)
        bindings = {"namespace": self._namespace(namespace), "session": session, "projects": chosen}
        self._run("keep_next_trace")
        gone = sum(self._taken_away(name, bindings) for name in ("erase_traces", "erase_sessions", "erase_injections"))
        if gone:
            self._run("put_fact", (SWEEP_DUE, "1"))
        return gone

    def _erase_traces_of(self, space: int, address: bytes, entries: Iterable[int]) -> None:
        """What erasing a node takes with it: where it was told, and the raw form of the sessions in which it was said.
        Comes before its occurrences go."""
        self._run("keep_next_trace")
        self._run("erase_injections_of", (space, address))
        for entry in entries:
            self._run("erase_entry_traces", {"namespace": space, "entry": entry})
            self._run("blank_entry_sessions", {"namespace": space, "entry": entry})

    def _taken_away(self, name: str, bindings: Sequence[Any] | Mapping[str, Any]) -> int:
        """How many rows a statement took away."""
        self._run(name, bindings)
        return self._connection.changes()


def _trace_row(space: int, number: int, project: str, t: Trace) -> tuple[Any, ...]:
    asked = (t.id, t.at, t.host, t.session, t.event, t.turn, t.tool, t.does)
    return (space, number, project, *asked, t.body, t.state, t.attempts, t.error)


def _session_of(row: Sequence[Any]) -> Session:
    return replace(Session(*row[:-1]), detail=json.loads(row[-1]))
