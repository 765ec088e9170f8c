"""What derivations gave, in SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import apsw

from ...model.derivation import DONE, Derived, DerivedCount
from ..protocol import DERIVED_LIMIT, Projects
from .rows import as_json


class DerivedReader(Protocol):
    """The protocol `Derivations`. Statements are run by the reader that this is a part of."""

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any: ...

    def _chosen_ids(self, namespace: str, projects: Projects) -> list[int]: ...

    def derived(
        self, namespace: str, inputs: Sequence[str], projects: Projects = None, *, names: Sequence[str] = ()
    ) -> list[Derived]:
        if not inputs or not self._has_derived():
            return []
        bindings = {"inputs": as_json(inputs), "names": as_json(names) if names else None}
        return [Derived(*row) for row in self._run("derived_of_inputs", bindings | self._seen(namespace, projects))]

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
        if not self._has_derived():
            return []
        bindings = self._seen(namespace, projects) | {
            "names": as_json(names) if names else None,
            "state": state,
            "input": after[0],
            "name": after[1],
            "limit": limit,
        }
        statement = "derived_rows" if state in ("", DONE) else "derived_undone"
        return [Derived(*row) for row in self._run(statement, bindings)]

    def derived_counts(self, namespace: str, projects: Projects = None) -> list[DerivedCount]:
        if not self._has_derived():
            return []
        return [DerivedCount(*row) for row in self._run("derived_counts", self._seen(namespace, projects))]

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
        if not self._has_derived():
            return []
        bindings = {
            "namespace": namespace,
            "ids": None if projects is None else as_json(self._chosen_ids(namespace, projects)),
            "name": name,
            "version": version,
            "kinds": as_json(kinds) if kinds else None,
            "after": after,
            "limit": limit,
        }
        return [(number, address) for number, address in self._run("underived", bindings)]

    def _seen(self, namespace: str, projects: Projects) -> dict[str, Any]:
        """From where the rows are looked at: the projects by name, for files, and by number, for nodes."""
        if projects is None:
            return {"namespace": namespace, "projects": None, "ids": None}
        ids = self._chosen_ids(namespace, projects)
        return {"namespace": namespace, "projects": as_json(projects), "ids": as_json(ids)}

    def _derived_sizes(self) -> dict[str, int]:
        """Empty where an older program made the store, and it may only be read."""
        return dict(self._run("derived_sizes")) if self._has_derived() else {}

    def _has_derived(self) -> bool:
        return bool(self._run("has_derived").get)


class DerivedWriter(DerivedReader, Protocol):
    """The part of `Writer` that keeps them."""

    _connection: apsw.Connection

    def _run_each(self, name: str, bindings: Iterable[Sequence[Any]]) -> Any: ...

    def _namespace(self, name: str) -> int: ...

    def keep_derived(self, namespace: str, rows: Sequence[Derived]) -> None:
        space = self._namespace(namespace)
        self._run_each("keep_derived", [_row_of(space, row) for row in rows])

    def mark_due(self, namespace: str, inputs: Sequence[str], names: Sequence[str]) -> int:
        space = self._namespace(namespace)
        return self._changed_by("mark_due", [(space, bytes.fromhex(i), name) for i in inputs for name in names])

    def drop_derived(self, namespace: str, inputs: Sequence[str], names: Sequence[str] = ()) -> int:
        space = self._namespace(namespace)
        if names:
            gone = [(space, bytes.fromhex(i), name) for i in inputs for name in names]
            return self._changed_by("drop_derived", gone)
        return self._changed_by("drop_derived_of", [(space, bytes.fromhex(i)) for i in inputs])

    def _erase_derived_of(self, space: int, address: bytes, entries: Iterable[int]) -> None:
        """What erasing a node takes with it: what was derived from it, and from the file that it was read from. Comes
        before its occurrences go, which name the file."""
        self._run("drop_derived_of", (space, address))
        for entry in entries:
            self._run("erase_entry_derived", {"namespace": space, "entry": entry})

    def _changed_by(self, name: str, bindings: Sequence[Sequence[Any]]) -> int:
        """How many rows a statement changed."""
        self._run_each(name, ())  # What waits is written first, and not counted.
        before = self._connection.total_changes()
        self._run_each(name, bindings)
        return self._connection.total_changes() - before


def _row_of(space: int, d: Derived) -> tuple[Any, ...]:
    made = (bytes.fromhex(d.digest), bytes.fromhex(d.basis), d.provider, d.model, d.tokens, float(d.cost_usd))
    asked = (float(d.ms), d.at, d.actor, d.attempts, d.path, d.project)
    return (space, bytes.fromhex(d.input), d.name, d.version, d.state, *made, *asked, d.error, d.value)
