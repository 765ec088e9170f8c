"""What derivations gave, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ...model.derivation import DONE, DUE, Derived, DerivedCount
from ...model.standing import ACTIVE
from ..protocol import DERIVED_LIMIT, Projects
from .tables import Tables


class DerivedReader(Protocol):
    """The protocol `Derivations`."""

    _t: Tables

    def derived(
        self, namespace: str, inputs: Sequence[str], projects: Projects = None, *, names: Sequence[str] = ()
    ) -> list[Derived]:
        asked = set(inputs)
        return [row for row in self._seen(namespace, projects, names) if row.input in asked]

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
        rows = self._seen(namespace, projects, names)
        return [row for row in rows if state in ("", row.state) and (row.input, row.name) > after][:limit]

    def derived_counts(self, namespace: str, projects: Projects = None) -> list[DerivedCount]:
        groups: defaultdict[tuple[str, str, str], list[Derived]] = defaultdict(list)
        for row in self._seen(namespace, projects, ()):
            groups[row.name, row.version, row.state].append(row)
        return [
            DerivedCount(*key, len(rows), sum(row.tokens for row in rows), sum(row.cost_usd for row in rows))
            for key, rows in sorted(groups.items())
        ]

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
        first: dict[str, int] = {}
        active: set[str] = set()
        for entry in self._t.entries.values():
            if entry.namespace != namespace:
                continue
            first[entry.address] = min(first.get(entry.address, entry.id), entry.id)
            if (projects is None or entry.project in projects) and entry.intervals[-1].standing.state == ACTIVE:
                active.add(entry.address)
        found = []
        for address in active:
            row = self._t.derived.get((namespace, address, name))
            is_made = row is not None and row.version == version and row.state != DUE
            if first[address] > after and not is_made and self._is_of(namespace, address, kinds):
                found.append((first[address], address))
        return sorted(found)[:limit]

    def _is_of(self, namespace: str, address: str, kinds: Sequence[str]) -> bool:
        return not kinds or self._t.nodes[namespace, address].kind in kinds

    def _seen(self, namespace: str, projects: Projects, names: Sequence[str]) -> list[Derived]:
        placed = None
        if projects is not None:
            placed = {
                address for space, project, address in self._t.placed if space == namespace and project in projects
            }
        found = [
            row
            for (space, _, name), row in self._t.derived.items()
            if space == namespace
            and (not names or name in names)
            and (placed is None or projects is None or row.project in projects or row.input in placed)
        ]
        return sorted(found, key=lambda row: (row.input, row.name))


class DerivedWriter(DerivedReader, Protocol):
    """The part of `Writer` that keeps them."""

    def _set(self, table: dict[Any, Any], key: Any, value: Any) -> None: ...

    def _drop(self, table: dict[Any, Any], key: Any) -> None: ...

    def _know_namespace(self, namespace: str) -> None: ...

    def keep_derived(self, namespace: str, rows: Sequence[Derived]) -> None:
        self._know_namespace(namespace)
        for row in rows:
            self._set(self._t.derived, (namespace, row.input, row.name), row)

    def mark_due(self, namespace: str, inputs: Sequence[str], names: Sequence[str]) -> int:
        self._know_namespace(namespace)
        changed = 0
        for key in [(namespace, given, name) for given in inputs for name in names]:
            row = self._t.derived.get(key)
            if row is not None and row.state == DONE:
                self._set(self._t.derived, key, replace(row, state=DUE))
                changed += 1
        return changed

    def drop_derived(self, namespace: str, inputs: Sequence[str], names: Sequence[str] = ()) -> int:
        self._know_namespace(namespace)
        gone = [row for row in self._seen(namespace, None, names) if row.input in set(inputs)]
        for row in gone:
            self._drop(self._t.derived, (namespace, row.input, row.name))
        return len(gone)

    def _erase_derived_of(self, namespace: str, addresses: Collection[str]) -> None:
        """What erasing nodes takes with it: what was derived from them, and from the files that they were read from."""
        inputs = set(addresses)
        for entry in self._t.entries.values():
            if entry.namespace == namespace and entry.address in addresses:
                digests = (said.fields.get("digest") for _, said in entry.occurrences)
                inputs.update(digest for digest in digests if isinstance(digest, str))
        self.drop_derived(namespace, sorted(inputs))
