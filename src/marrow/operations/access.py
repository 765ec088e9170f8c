"""knowledge: views. A view is a named filter that says what may be seen; the setting `view` holds one to it."""

from __future__ import annotations

import json
from typing import Annotated, Any, NamedTuple

from ..memory.views import Defined
from ..memory.views import view_define as define
from ..memory.views import views as list_all
from ..model.address import shown
from ..model.moments import iso
from ..model.scope import ADMIN
from .table import Call, operation


class ViewResult(NamedTuple):
    """A view. `outcome` is new, changed or unchanged."""

    name: str
    filter: dict[str, Any]
    address: str
    outcome: str

    def text(self) -> str:
        rule = json.dumps(self.filter, ensure_ascii=False, sort_keys=True)
        use = f"MARROW_VIEW={self.name} holds a process to it; search takes view={self.name} for one call."
        return f"view {self.name} [{self.address}] {self.outcome}: {rule}\n{use}"


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
    done = define(call.engine, call.asker, name, filter)
    return ViewResult(done.view.name, done.view.shape(), shown(done.address), done.what)


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
    """The views and what they permit. To remove one, forget its address."""
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
