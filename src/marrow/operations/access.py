"""knowledge: views. A view is a named filter that says what may be seen; the setting `view` holds one to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

from ..access.restricted import whole
from ..access.view import FIELDS
from ..memory.views import Defined
from ..memory.views import view_define as define
from ..memory.views import views as list_all
from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import iso
from ..model.nearest import nearest
from ..model.record import CURRENT, Filter
from ..model.scope import ADMIN
from .table import Call, operation


class ViewResult(NamedTuple):
    """A view. `outcome` is new, changed or unchanged."""

    name: str
    filter: dict[str, Any]
    address: str
    outcome: str
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        rule = json.dumps(self.filter, ensure_ascii=False, sort_keys=True)
        use = f"MARROW_VIEW={self.name} holds a process to it; search takes view={self.name} for one call."
        return "\n".join([f"view {self.name} [{self.address}] {self.outcome}: {rule}", *self.notes, use])


@operation("knowledge", right=ADMIN, changes=True, aliases=("create_view",))
def view_define(
    call: Call,
    name: str,
    filter: Annotated[  # noqa: A002 the name in the table
        dict[str, Any], "approved, classification, kinds, domain, tags, service, metadata; and not: {…} of the same"
    ],
) -> ViewResult:
    """Define a view: a named filter that restricts what one can find, everywhere, also in counts, links and scores.

    A list is any of its values. {"classification": ["public", "internal"], "not": {"tags": ["draft"]}}
    """
    if not filter:
        raise _no_filter(call, name)
    done = define(call.engine, call.asker, name, filter)
    kinds = (*done.view.asked.kinds, *done.view.refused.kinds)
    services = (*done.view.asked.service, *done.view.refused.service)
    notes = (*_unheard_of(call, kinds), *_without_anything(call, services))
    return ViewResult(done.view.name, done.view.shape(), shown(done.address), done.what, notes)


def _no_filter(call: Call, name: str) -> Invalid:
    """A view that restricts nothing is most likely one that is to be removed."""
    known = next((one for one in list_all(call.engine, call.asker) if one.view.name == name.strip()), None)
    remove = f"To remove the view, give {shown(known.address)} to memory_forget. " if known else ""
    fields = ", ".join(FIELDS)
    return Invalid("This view restricts nothing.", hint=f"{remove}A filter asks for one of {fields}.", field="filter")


def _unheard_of(call: Call, kinds: Iterable[str]) -> tuple[str, ...]:
    """Kinds are open, so that one that nothing has is no mistake; but it may be a slip of the pen."""
    asker = call.asker
    with whole(call.engine.store).reading() as reader:
        missing = [
            kind
            for kind in dict.fromkeys(kinds)
            if not reader.select(asker.namespace, Filter(kinds=(kind,)), CURRENT, call.engine.clock(), 1)
        ]
    return tuple(f"Nothing is of the kind {kind!r} yet." for kind in missing)


def _without_anything(call: Call, services: Iterable[str]) -> Iterator[str]:
    """A view may be made before the service is: what nothing belongs to is no mistake either."""
    with whole(call.engine.store).reading() as reader:
        known = reader.services(call.asker.namespace, None)
    for service in dict.fromkeys(services):
        if service not in known:
            near = nearest(service, known)
            yield f"Nothing belongs to the service {service!r} yet.{f' Did you mean {near}?' if near else ''}"


class ViewList(NamedTuple):
    """`enforced` names the view that the caller is held to."""

    items: tuple[dict[str, Any], ...]
    enforced: str = ""
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"{'*' if one['name'] == self.enforced else ' '} {one['name']} [{one['address']}] since {one['at']}: "
            f"{json.dumps(one['filter'], ensure_ascii=False, sort_keys=True)}"
            for one in self.items
        ]
        return "\n".join(lines) or "No view yet: view_define makes one."


@operation("knowledge", aliases=("list_views",))
def views(call: Call) -> ViewList:
    """The views and what they permit. To remove one, give its address to memory_forget."""
    found = list_all(call.engine, call.asker)
    held = next((one.view.name for one in found if one.is_enforced), "")
    return ViewList(tuple(map(_shape, found)), held)


def _shape(one: Defined) -> dict[str, Any]:
    return {
        "name": one.view.name,
        "filter": one.view.shape(),
        "address": shown(one.address),
        "at": iso(one.at),
    }
