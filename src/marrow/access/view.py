"""Views: named filters that say what may be seen. A view is kept as a node of kind `view` in the global scope, so that
it is versioned and audited like everything else.

A view says what it asks for and, under `not`, what it never shows:

    {"classification": ["public", "internal"], "approved": true, "not": {"tags": ["draft"], "service": ["payroll"]}}

Several values of a field are alternatives; several fields must all hold; of `not` none may. Service and metadata belong
to where a node was said: a node is seen if it was said in one place that the view permits, and only those places show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model.draft import check_kind
from ..model.errors import Invalid, NotFound
from ..model.nearest import nearest
from ..model.node import GLOBAL_PROJECT, VIEW, Occurrence
from ..model.record import CURRENT, Filter, Record, as_text, has_fields
from ..model.standing import CLASSIFICATIONS
from ..model.text import name as short_name
from ..store.protocol import Reader

FIELDS = ("approved", "classification", "kinds", "domain", "tags", "service", "metadata")
NOT = "not"
VALUES_MAX = 200
_SPELLINGS = {
    "classifications": "classification",
    "kind": "kinds",
    "domains": "domain",
    "tag": "tags",
    "services": "service",
}
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What is asked of a node, or held against it. What is empty asks nothing."""

    approved: bool | None = None
    classification: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    service: tuple[str, ...] = ()
    metadata: Pairs = ()

    def of_standing(self, record: Record) -> list[bool]:
        """For each condition that concerns the node and how it stands: whether it holds."""
        standing = record.standing
        found = [] if self.approved is None else [standing.approved is self.approved]
        asked = (
            (self.classification, standing.classification),
            (self.kinds, record.node.kind),
            (self.domain, standing.domain),
        )
        found += [has in values for values, has in asked if values]
        if self.tags:
            found.append(not folded(self.tags).isdisjoint(folded(standing.tags)))
        return found

    def shape(self) -> dict[str, object]:
        """As JSON has it, without what asks nothing."""
        found: dict[str, object] = {} if self.approved is None else {"approved": self.approved}
        for field in ("classification", "kinds", "domain", "tags", "service"):
            if values := getattr(self, field):
                found[field] = list(values)
        return found | ({"metadata": dict(self.metadata)} if self.metadata else {})


@dataclass(frozen=True, slots=True)
class View:
    """A named filter: `asked` must hold, and nothing of `refused` may."""

    name: str
    asked: Conditions = Conditions()
    refused: Conditions = Conditions()

    @property
    def is_about_saying(self) -> bool:
        """Whether it depends on where a node was said, and not on the node alone."""
        return any((self.asked.service, self.asked.metadata, self.refused.service, self.refused.metadata))

    def permits(self, record: Record, occurrences: Sequence[Occurrence]) -> bool:
        """What a view means. Views themselves are never seen through one."""
        if record.node.kind == VIEW or not all(self.asked.of_standing(record)):
            return False
        if any(self.refused.of_standing(record)):
            return False
        return not self.is_about_saying or any(self.permits_saying(said) for said in occurrences)

    def permits_saying(self, said: Occurrence) -> bool:
        """Whether this place where something was said may be seen."""
        if not self.is_about_saying:
            return True
        if self.asked.service and said.service not in self.asked.service:
            return False
        if self.refused.service and said.service in self.refused.service:
            return False
        if not (self.asked.metadata or self.refused.metadata):
            return True
        fields = said.fields
        return has_fields(fields, self.asked.metadata) and not any(
            has_fields(fields, [p]) for p in self.refused.metadata
        )

    def shape(self) -> dict[str, object]:
        """The filter as JSON has it."""
        refused = self.refused.shape()
        return self.asked.shape() | ({NOT: refused} if refused else {})

    def content(self) -> str:
        """The text of the node that keeps it."""
        return json.dumps({"view": self.name, "filter": self.shape()}, sort_keys=True, ensure_ascii=False)


def folded(tags: Iterable[str]) -> set[str]:
    return {tag.lower() for tag in tags}


def make_view(name: str, given: object) -> View:
    """A view from what a caller gave, or an error that says which field is wrong."""
    chosen = short_name(name, field="name", length_max=80)
    if not isinstance(given, Mapping):
        raise Invalid("The filter of a view is an object.", hint='{"approved": true}', field="filter")
    refused = given.get(NOT, {})
    if not isinstance(refused, Mapping):
        raise Invalid("`not` is an object of the same fields.", hint='{"not": {"tags": ["draft"]}}', field="filter")
    view = View(chosen, _conditions({k: v for k, v in given.items() if k != NOT}), _conditions(refused))
    if not view.shape():
        raise Invalid("This view restricts nothing.", hint=f"Ask for one of {', '.join(FIELDS)}.", field="filter")
    return view


def _conditions(given: Mapping[object, object]) -> Conditions:
    found: dict[str, object] = {}
    for key, value in given.items():
        field = _SPELLINGS.get(str(key), str(key))
        if field not in FIELDS or field in found:
            near = nearest(str(key), FIELDS)
            hint = f"Did you mean {near}? " if near and field not in found else ""
            problem = "is given twice" if field in found else "is no field of a view"
            raise Invalid(
                f"{str(key)[:60]!r} {problem}.", hint=f"{hint}One of {', '.join(FIELDS)}; and not.", field="filter"
            )
        found[field] = _value(field, value)
    return Conditions(**found)  # type: ignore[arg-type]


def _value(field: str, value: object) -> object:
    if field == "approved":
        if isinstance(value, bool):
            return value
        raise Invalid("approved is true or false.", hint="true: approved; false: rejected.", field="filter")
    if field == "metadata":
        if isinstance(value, Mapping) and value and all(isinstance(key, str) for key in value):
            return tuple(sorted((str(key), as_text(part)) for key, part in value.items()))
        raise Invalid("metadata is an object of keys and values.", hint='{"team": "core"}', field="filter")
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not 0 < len(values) <= VALUES_MAX:
        raise Invalid(f"{field} is a text or a list of up to {VALUES_MAX}.", field="filter")
    texts = {short_name(one, field="filter", length_max=500) for one in values}
    if field == "kinds":
        texts = {check_kind(one) for one in texts}
    if field == "classification" and not texts.issubset(CLASSIFICATIONS):
        wrong = sorted(texts - set(CLASSIFICATIONS))[0]
        raise Invalid(f"{wrong!r} is no classification.", hint=f"One of {', '.join(CLASSIFICATIONS)}.", field="filter")
    return tuple(sorted(texts))


def read_view(content: str) -> View | None:
    """The view that a node keeps; None for a text that is none."""
    try:
        shape = json.loads(content)
        return make_view(shape["view"], shape["filter"])
    except (ValueError, TypeError, KeyError, RecursionError, Invalid):
        return None


def views_in(reader: Reader, namespace: str) -> dict[str, tuple[View, Record]]:
    """The views that hold, by name, each with the node that keeps it."""
    wanted = Filter(projects=(GLOBAL_PROJECT,), kinds=(VIEW,))
    found: dict[str, tuple[View, Record]] = {}
    for record in reader.records_of(reader.select(namespace, wanted, CURRENT, 0), CURRENT):
        view = read_view(record.node.content)
        if view is not None:
            found.setdefault(view.name, (view, record))
    return dict(sorted(found.items()))


def view_named(reader: Reader, namespace: str, name: str) -> View:
    """The view of this name, or an error that lists those that are there."""
    known = views_in(reader, namespace)
    if name in known:
        return known[name][0]
    listed = ", ".join(known) or "none yet; `marrow view define` makes one"
    raise NotFound(f"There is no view {name[:80]!r}.", hint=f"Views: {listed}.", field="view")
