"""The shelf: what was read before, by service and path, and which nodes more than one path holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...access.restricted import hidden_paths
from ...model.source import CURSOR, Source
from ...store.protocol import Reader
from ..engine import Asker, Engine


@dataclass
class Shelf:
    """What the store knows to have been read, for the services that are asked about. It is brought up to date as a run
    goes on, so that one node held by two paths is not taken from both when one of them changes."""

    engine: Engine
    asker: Asker
    _sources: dict[str, dict[str, Source]] = field(default_factory=dict)
    _holders: Counter[str] = field(default_factory=Counter)
    _hidden: set[tuple[str, str]] = field(default_factory=set)

    def at(self, service: str, path: str) -> Source | None:
        return self._of(service).get(path) if path else None

    def is_hidden(self, service: str, path: str) -> bool:
        """Whether what was read there is hidden by a view, so that nothing can be put in its place."""
        self._of(service)
        return (service, path) in self._hidden

    def of(self, service: str) -> dict[str, Source]:
        """By path, all that was read for a service."""
        return dict(self._of(service))

    def still_so(self, reader: Reader, service: str, rows: Sequence[Source]) -> list[Source]:
        """These rows of a service, those of files only where nothing else came of them since they were read: what was
        erased, or read by somebody else, meanwhile stays as it is now."""
        held = sorted({row.address for row in rows if row.kind != CURSOR})
        there = reader.sources_of(self.asker.namespace, held, (self.asker.scope.project,)) if held else ()
        known = {source.path: source for source in there if source.service == service}
        found = []
        for row in rows:
            now = known.get(row.path)
            if row.kind == CURSOR:
                found.append(row)
            elif now is not None and (now.address, now.digest) == (row.address, row.digest):
                found.append(now._replace(size=row.size, mtime_ns=row.mtime_ns, at=row.at))
        return found

    def put(self, source: Source) -> None:
        self.take(source.service, source.path)
        self._of(source.service)[source.path] = source
        self._holders[source.address] += 1

    def take(self, service: str, path: str) -> Source | None:
        """No longer there; the source that was."""
        known = self._of(service).pop(path, None)
        if known is not None:
            self._holders[known.address] -= 1
        return known

    def is_held(self, address: str) -> bool:
        """Whether some path still holds this node. Of other services, the store is asked."""
        if self._holders[address] > 0:
            return True
        with self.engine.store.reading() as reader:
            found = reader.sources_of(self.asker.namespace, [address], (self.asker.scope.project,))
        return any(source.service not in self._sources for source in found)

    def forget(self) -> None:
        """What is known is asked for anew: somebody else has written meanwhile."""
        self._sources.clear()
        self._holders.clear()
        self._hidden.clear()

    def _of(self, service: str) -> dict[str, Source]:
        if service not in self._sources:
            with self.engine.store.reading() as reader:
                found = reader.sources(self.asker.namespace, (self.asker.scope.project,), service=service)
            hidden = hidden_paths(self.engine.store, self.asker.scope.project, service)
            self._hidden.update((service, path) for path in hidden)
            self._holders.update([source.address for source in found])
            self._sources[service] = {source.path: source for source in found}
        return self._sources[service]
