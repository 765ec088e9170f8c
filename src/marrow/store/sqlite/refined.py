"""Up to where the vectors are those of the better tier, in SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..protocol import Projects
from .rows import first_entry, last_entry
from .vectors import REFINED


class RefinedReader(Protocol):
    """Statements are run by the reader that this is a part of."""

    _marks: dict[int, int] | None

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any: ...

    def _chosen_ids(self, namespace: str, projects: Projects) -> list[int]: ...

    def _renew_facts(self) -> None: ...

    def refined_marks(self) -> dict[int, int]:
        """Up to which entry the vectors of each project are the better ones."""
        self._renew_facts()
        if self._marks is None:
            self._marks = {int(name.removeprefix(REFINED)): int(value) for name, value in self._run("refined_marks")}
        return self._marks

    def refined(self, namespace: str, projects: Projects, besides: int = 0) -> float:
        marks = self.refined_marks()
        if not marks:
            return 0.0
        done = every = 0
        for project in self._chosen_ids(namespace, projects):
            first = first_entry(project)
            last = self._run("last_vector", (first, last_entry(project))).get
            every += 0 if last is None else last - first  # they are counted from 1
            done += max(0, marks.get(project, first) - first)
        every -= besides
        return min(1.0, done / every) if every > 0 else 0.0

    def unrefined(self, limit: int, namespace: str = "", projects: Projects = None) -> list[int]:
        marks = self.refined_marks()
        every = () if namespace else self._run("project_numbers").fetchall()
        for project in self._chosen_ids(namespace, projects) if namespace else (number for (number,) in every):
            first = marks.get(project, first_entry(project) - 1) + 1
            if found := [entry for (entry,) in self._run("vector_entries", (first, last_entry(project), limit))]:
                return found
        return []
