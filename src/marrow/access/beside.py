"""What lies beside the nodes, as a view shows it: sessions, what was told, sources, and what was derived.

A session's title and the raw reports of a host are no nodes: nobody can say of them what a view permits, so they are
not shown. What names a node is shown where the node is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ..model.derivation import Derived, DerivedCount
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter
from ..model.session import Injection, Session
from ..model.source import CURSOR, Source
from ..model.trace import DONE, FAILED, RAW, Trace
from ..store.protocol import DERIVED_LIMIT, INJECTIONS_LIMIT, SESSIONS_LIMIT, TRACES_LIMIT, Projects, Reader
from .allowed import Allowed

GROWTH, BATCH = 4, 500


class BesideReader(Protocol):
    """The protocols `Sessions`, `Sources` and `Derivations`, as a part of the reader that knows what is seen."""

    _inner: Reader
    _namespace: str
    _allowed: Allowed

    def _is_mine(self, namespace: str) -> bool: ...

    def _seen(self, addresses: Collection[str]) -> set[str]: ...

    def _is_seen(self, entry: int) -> bool: ...

    def select(
        self, namespace: str, wanted: Filter, seq: int, now: int, limit: int | None = None, offset: int = 0
    ) -> list[int]: ...

    def occurrences(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Occurrence]]: ...

    # Sessions

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
        return []

    def trace_counts(self, namespace: str) -> Mapping[str, int]:
        return dict.fromkeys((RAW, DONE, FAILED), 0)

    def sessions(
        self,
        namespace: str,
        projects: Projects,
        *,
        open: bool | None = None,  # noqa: A002
        since: int | None = None,
        limit: int = SESSIONS_LIMIT,
    ) -> list[Session]:
        if not self._is_mine(namespace):
            return []
        found = self._inner.sessions(namespace, projects, open=open, since=since, limit=limit)
        return [_without_words(one) for one in found]

    def session(self, namespace: str, session: str) -> Session | None:
        found = self._inner.session(namespace, session) if self._is_mine(namespace) else None
        return None if found is None else _without_words(found)

    def injections(
        self,
        namespace: str,
        *,
        session: str = "",
        address: str = "",
        since: int | None = None,
        limit: int = INJECTIONS_LIMIT,
    ) -> list[Injection]:
        if not self._is_mine(namespace):
            return []
        asked = limit
        while True:
            found = self._inner.injections(namespace, session=session, address=address, since=since, limit=asked)
            seen = self._seen([told.address for told in found])
            kept = [told for told in found if told.address in seen]
            if len(kept) >= limit or len(found) < asked:
                return kept[:limit]
            asked *= GROWTH

    def inbox_position(self, segment: str) -> int:
        return self._inner.inbox_position(segment)

    # Sources

    def sources(
        self,
        namespace: str,
        projects: Projects,
        *,
        service: str | None = None,
        path: str | None = None,
        but_service: str | None = None,
    ) -> list[Source]:
        if not self._is_mine(namespace):
            return []
        return self._read_from(
            self._inner.sources(namespace, projects, service=service, path=path, but_service=but_service)
        )

    def sources_with(self, namespace: str, part: str, projects: Projects) -> list[Source]:
        if not self._is_mine(namespace):
            return []
        return self._read_from(self._inner.sources_with(namespace, part, projects))

    def sources_of(self, namespace: str, addresses: Sequence[str], projects: Projects) -> list[Source]:
        if not self._is_mine(namespace):
            return []
        return self._read_from(self._inner.sources_of(namespace, addresses, projects))

    def _read_from(self, sources: Sequence[Source]) -> list[Source]:
        """Documents that are seen; and how far a reading got, of services that are seen."""
        seen = self._seen([one.address for one in sources if one.is_document])
        services = self._services_seen() if any(one.kind == CURSOR for one in sources) else frozenset[str]()
        view = self._allowed.view
        return [
            one
            for one in sources
            if (one.address in seen if one.is_document else one.kind == CURSOR and one.service in services)
            and not (one.service and one.service in view.refused.service)
            and (not view.asked.service or one.service in view.asked.service)
        ]

    def _hidden(self, sources: Sequence[Source]) -> list[Source]:
        shown = set(self._shown_rows(sources))
        return [one for one in sources if one.is_document and one not in shown]

    def _shown_rows(self, sources: Sequence[Source]) -> list[Source]:
        """The rows that are shown, and whose node is seen in the project of the row: elsewhere is not enough."""
        places: dict[str, list[str]] = {}
        for one in sources:
            places.setdefault(one.project, []).append(one.address)
        unseen: set[tuple[str, str]] = set()
        for project, addresses in places.items():
            for at in range(0, len(addresses), BATCH):
                there = self._inner.records(self._namespace, addresses[at : at + BATCH], (project,), CURRENT)
                unseen.update((project, one.node.address) for one in there if not self._is_seen(one.entry))
        return [one for one in self._read_from(sources) if (one.project, one.address) not in unseen]

    def _services_seen(self) -> frozenset[str]:
        key = "services seen"
        if key not in self._allowed.counted:
            self._allowed.counted[key] = frozenset(self.services(self._namespace, None))
        found: frozenset[str] = self._allowed.counted[key]
        return found

    def services(self, namespace: str, projects: Projects) -> Mapping[str, int]:
        if not self._is_mine(namespace):
            return {}
        key = ("services", projects)
        if key not in self._allowed.counted:
            counted: Counter[str] = Counter()
            entries = self.select(namespace, Filter(projects=projects), CURRENT, 0)
            for at in range(0, len(entries), BATCH):
                for said in self.occurrences(entries[at : at + BATCH], CURRENT).values():
                    counted.update({one.service for one in said if one.service})
            self._allowed.counted[key] = dict(counted)
        found: Mapping[str, int] = self._allowed.counted[key]
        return dict(found)

    # Derivations

    def derived(
        self, namespace: str, inputs: Sequence[str], projects: Projects = None, *, names: Sequence[str] = ()
    ) -> list[Derived]:
        if not self._is_mine(namespace):
            return []
        return self._derived_from(namespace, self._inner.derived(namespace, inputs, projects, names=names))

    def _derived_from(self, namespace: str, rows: Sequence[Derived]) -> list[Derived]:
        seen = self._seen([row.input for row in rows])
        return [row for row in rows if row.input in seen or self._is_file_seen(namespace, row.input)]

    def _is_file_seen(self, namespace: str, digest: str) -> bool:
        """Whether what was read from this file is seen. Of a file that nothing was read from yet, nobody can say."""
        key = ("file", digest)
        if key not in self._allowed.counted:
            asked = Filter(metadata=(("digest", digest),), include_superseded=True)
            self._allowed.counted[key] = bool(self.select(namespace, asked, CURRENT, 0, 1))
        return bool(self._allowed.counted[key])

    def derived_rows(
        self,
        namespace: str,
        projects: Projects = None,
        *,
        names: Sequence[str] = (),
        state: str = "",
        after: tuple[str, str] = ("", ""),
        limit: int = DERIVED_LIMIT,
    ) -> list[Derived]:
        found: list[Derived] = []
        while self._is_mine(namespace) and len(found) < limit:
            some = self._inner.derived_rows(
                namespace, projects, names=names, state=state, after=after, limit=DERIVED_LIMIT
            )
            found += self._derived_from(namespace, some)
            if len(some) < DERIVED_LIMIT:
                break
            after = (some[-1].input, some[-1].name)
        return found[:limit]

    def derived_counts(self, namespace: str, projects: Projects = None) -> list[DerivedCount]:
        rows: Counter[tuple[str, str, str]] = Counter()
        tokens: Counter[tuple[str, str, str]] = Counter()
        costs: dict[tuple[str, str, str], float] = {}
        after = ("", "")
        while found := self.derived_rows(namespace, projects, after=after):
            for row in found:
                key = (row.name, row.version, row.state)
                rows[key] += 1
                tokens[key] += row.tokens
                costs[key] = costs.get(key, 0.0) + row.cost_usd
            after = (found[-1].input, found[-1].name)
        return [DerivedCount(*key, rows[key], tokens[key], costs[key]) for key in sorted(rows)]

    def underived(
        self,
        namespace: str,
        name: str,
        version: str,
        kinds: Sequence[str] = (),
        projects: Projects = None,
        *,
        after: int = 0,
        limit: int = DERIVED_LIMIT,
    ) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        while self._is_mine(namespace) and len(found) < limit:
            some = self._inner.underived(namespace, name, version, kinds, projects, after=after, limit=DERIVED_LIMIT)
            seen = self._seen([address for _, address in some])
            found += [one for one in some if one[1] in seen]
            if len(some) < DERIVED_LIMIT:
                break
            after = some[-1][0]
        return found[:limit]


def _without_words(session: Session) -> Session:
    return replace(session, title="", detail={})
