"""Views: define one, list them, and look at the memory through one for a single call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ..access.restricted import enforced, restrict, whole
from ..access.view import View, make_view, views_in
from ..model.change import SAME, Say, Step, Supersede
from ..model.node import GLOBAL_PROJECT, VIEW, Occurrence
from ..model.scope import ADMIN, READ
from ..model.standing import Standing
from .engine import Asker, Engine, submit

DOMAIN = "context"


class Defined(NamedTuple):
    """A view, and the node that keeps it. `what` is new, changed or unchanged; `is_enforced` when the caller is held
    to it."""

    view: View
    address: str
    at: int
    what: str = ""
    is_enforced: bool = False


def view_define(engine: Engine, asker: Asker, name: str, given: Mapping[str, object]) -> Defined:
    """Make a view, or put another filter in the place of the one that it has. It is kept like any memory, so the log
    says who changed it."""
    asker.principal.check(ADMIN, asker.namespace)
    view = make_view(name, given)
    everything = replace(engine, store=whole(engine.store))
    with everything.store.reading() as reader:
        known = views_in(reader, asker.namespace).get(view.name)
    if known is not None and known[0] == view:
        return Defined(view, known[1].node.address, known[1].last_at, SAME)
    now = engine.clock()
    said = Occurrence(now, user=asker.scope.user, source="view_define")
    step: Step = Say(VIEW, view.content(), said, Standing(domain=DOMAIN))
    if known is not None:
        step = Supersede(known[1].node.address, view.content(), said, "defined anew")
    receipt = submit(
        everything, asker, "view_define", [step], summary=f"define view {view.name}", project=GLOBAL_PROJECT
    )
    return Defined(view, receipt.outcomes[0].address, now, "new" if known is None else "changed")


def views(engine: Engine, asker: Asker) -> list[Defined]:
    """The views that there are. One who is held to a view may not see what it says without being an administrator."""
    held = enforced(engine.store)
    asker.principal.check(ADMIN if held else READ, asker.namespace, None if held else asker.scope.project)
    with whole(engine.store).reading() as reader:
        found = views_in(reader, asker.namespace)
    return [
        Defined(view, record.node.address, record.last_at, is_enforced=name == held)
        for name, (view, record) in found.items()
    ]


def narrowed(engine: Engine, asker: Asker, view: str) -> Engine:
    """The same memory through a view, besides the one that the caller is held to. What was found out about it is kept
    for the next call."""
    if not view or view == enforced(engine.store):
        return engine
    if enforced(engine.store):  # which views there are is not for everyone either
        asker.principal.check(ADMIN, asker.namespace)
    key = (asker.namespace, view)
    kept = engine.views.get(key)
    if kept is None or kept.inner is not engine.store:
        kept = engine.views[key] = restrict(engine.store, asker.namespace, view)
    return replace(engine, store=kept, replaced={})  # other decisions are seen in it
