"""What was taken in from where, in SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from ...model.source import Source
from ..protocol import Projects
from .rows import as_json, first_entry, last_entry


class SourceReader(Protocol):
    """The protocol `Sources`. Statements are run by the reader that this is a part of."""

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any: ...

    def _chosen_ids(self, namespace: str, projects: Projects) -> list[int]: ...

    def sources(
        self,
        namespace: str,
        projects: Projects,
        *,
        service: str | None = None,
        path: str | None = None,
        but_service: str | None = None,
    ) -> list[Source]:
        if not self._has_sources():
            return []
        asked = {"namespace": namespace, "service": service, "path": path}
        if projects is None or service is None or but_service is not None:
            rows = self._run("sources", {**asked, "projects": _names(projects), "but": but_service})
            return list(map(_source_of, rows))
        found: list[Source] = []
        for project in sorted(set(projects)):
            found += map(_source_of, self._run("sources_of_service", {**asked, "project": project}))
        return found

    def sources_with(self, namespace: str, part: str, projects: Projects) -> list[Source]:
        bindings = {"namespace": namespace, "projects": _names(projects), "pattern": f"%{_plain(part)}%"}
        return list(map(_source_of, self._run("sources_with", bindings))) if self._has_sources() else []

    def sources_of(self, namespace: str, addresses: Sequence[str], projects: Projects) -> list[Source]:
        bindings = {"namespace": namespace, "addresses": as_json(addresses), "projects": _names(projects)}
        return list(map(_source_of, self._run("sources_of_addresses", bindings))) if self._has_sources() else []

    def services(self, namespace: str, projects: Projects) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        if not self._has_sources():
            return found
        for project in self._chosen_ids(namespace, projects):
            found.update(dict(self._run("services", (first_entry(project), last_entry(project)))))
        return found

    def _source_sizes(self) -> dict[str, int]:
        """Empty where an older program made the store, and it may only be read."""
        return dict(self._run("source_sizes")) if self._has_sources() else {}

    def _has_sources(self) -> bool:
        return bool(self._run("has_sources").get)


class SourceWriter(SourceReader, Protocol):
    def _run_each(self, name: str, bindings: Iterable[Sequence[Any]]) -> Any: ...

    def _namespace(self, name: str) -> int: ...

    def keep_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        space = self._namespace(namespace)
        rows = [
            (
                *(space, s.project, s.service, s.path, s.kind, bytes.fromhex(s.address)),
                *(s.digest, s.size, s.mtime_ns, s.at, s.title),
            )
            for s in sources
        ]
        self._run_each("keep_source", rows)

    def drop_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        space = self._namespace(namespace)
        self._run_each("drop_source", [(space, s.project, s.service, s.path) for s in sources])


# As `Source._make`, without a frame of Python for each of thousands of rows.
_source_of: Callable[[tuple[Any, ...]], Source] = partial(tuple.__new__, Source)


def _plain(text: str) -> str:
    """For `LIKE`, without the signs that stand for others there."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _names(projects: Projects) -> str | None:
    return None if projects is None else as_json(projects)
