"""What was taken in from where, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Protocol

from ...model.record import FOREVER
from ...model.source import Source
from ...model.standing import ACTIVE
from ..protocol import Projects
from .tables import Tables

_FOLDED = str.maketrans(ascii_uppercase, ascii_lowercase)


class SourceReader(Protocol):
    """The protocol `Sources`."""

    _t: Tables

    def sources(
        self,
        namespace: str,
        projects: Projects,
        *,
        service: str | None = None,
        path: str | None = None,
        but_service: str | None = None,
    ) -> list[Source]:
        found = [
            source
            for (space, *_), source in self._t.sources.items()
            if space == namespace
            and (projects is None or source.project in projects)
            and service in (None, source.service)
            and path in (None, source.path)
            and source.service != but_service
        ]
        return sorted(found, key=_key)

    def sources_with(self, namespace: str, part: str, projects: Projects) -> list[Source]:
        return [source for source in self.sources(namespace, projects) if _folded(part) in _folded(source.path)]

    def sources_of(self, namespace: str, addresses: Sequence[str], projects: Projects) -> list[Source]:
        asked = set(addresses)
        return [source for source in self.sources(namespace, projects) if source.address in asked]

    def services(self, namespace: str, projects: Projects) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        for entry in self._t.entries.values():
            if entry.namespace != namespace or not (projects is None or entry.project in projects):
                continue
            last = entry.intervals[-1]
            if last.end == FOREVER and last.standing.state == ACTIVE:
                held = {source.service for source in self.sources_of(namespace, [entry.address], None)}
                is_anyones = not held or self._t.nodes[namespace, entry.address].kind == "incident"
                found.update(
                    {
                        said.service
                        for _, said in entry.occurrences
                        if said.service and (is_anyones or said.service in held or said.fields.get("path") is None)
                    }
                )
        return found


class SourceWriter(SourceReader, Protocol):
    def _set(self, table: dict[Any, Any], key: object, value: object) -> None: ...

    def _drop(self, table: dict[Any, Any], key: object) -> None: ...

    def keep_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        for source in sources:
            self._set(self._t.sources, (namespace, *_key(source)), source)

    def drop_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        for source in sources:
            self._drop(self._t.sources, (namespace, *_key(source)))

    def _erase_sources_of(self, namespace: str, addresses: Collection[str]) -> None:
        for key, source in list(self._t.sources.items()):
            if key[0] == namespace and source.address in addresses:
                self._drop(self._t.sources, key)


def _folded(path: str) -> str:
    """As SQLite's `LIKE` compares."""
    return path.translate(_FOLDED)


def _key(source: Source) -> tuple[str, str, str]:
    return (source.project, source.service, source.path)
