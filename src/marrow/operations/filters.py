"""Filters as callers give them, as the one value that every search takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..memory.engine import Asker
from ..memory.views import narrowed
from ..model.draft import check_domain, check_kind, check_tags
from ..model.errors import Invalid, NotFound
from ..model.moments import beginning, end
from ..model.nearest import nearest
from ..model.node import KINDS
from ..model.record import CURRENT, Filter, as_text
from ..model.scope import EVERY_PROJECT
from ..settings import PROJECT_FILE
from .table import Call


def places(call: Call, project: str, scope: str) -> tuple[str, ...] | None:
    """The projects to look at: the caller's own and the global scope, unless told otherwise."""
    if project == EVERY_PROJECT:
        return call.asker.everywhere()
    if not project:
        return call.asker.places(scope)
    found = named_project(call, project)
    chosen = {"project": (found,), "global": ("",), "all": (found, "")}[scope]
    return call.asker.principal.readable(chosen)


def named_project(call: Call, name: str) -> str:
    """The project that goes by this name or alias, or is the only one whose name ends so."""
    with call.engine.store.reading() as reader:
        found = reader.project_named(call.asker.namespace, name)
        readable = call.asker.everywhere()
        if found is not None and (readable is None or found in readable):
            return found
        every = (p.name for p in reader.projects(call.asker.namespace))
        known = [one for one in every if one and (readable is None or one in readable)]
    alike = [one for one in known if one.rpartition("/")[2] == name]
    if len(alike) == 1:
        return alike[0]
    hint = f"Known: {', '.join((alike or known)[:10])}." if known else "`marrow init` makes one."
    raise NotFound(f"There is no project {name!r}.", hint=hint, field="project")


def in_project(call: Call, project: str) -> Asker:
    """The same caller, standing in another project."""
    scope = replace(call.asker.scope, project=named_project(call, project))
    root = call.asker.root if scope == call.asker.scope else ""
    return replace(call.asker, scope=scope, aliases=(), root=root)


def through(call: Call, view: str) -> Call:
    """The same call, which sees only what this view permits."""
    return replace(call, engine=narrowed(call.engine, call.asker, view)) if view else call


def wanted(
    call: Call,
    *,
    project: str = "",
    scope: str = "all",
    kinds: Sequence[str] = (),
    domain: str = "",
    tags: Sequence[str] = (),
    match: str = "any",
    metadata: Mapping[str, Any] | None = None,
    since: str = "",
    until: str = "",
    **rest: Any,
) -> Filter:
    now = call.engine.clock()
    return Filter(
        projects=places(call, project, scope),
        kinds=asked_kinds(call, kinds),
        domains=(check_domain(domain, call.engine.domains),) if domain else (),
        tags=check_tags(list(tags)) if tags else (),
        tags_all=match == "all",
        metadata=tuple(sorted((key, as_text(value)) for key, value in (metadata or {}).items())),
        since=beginning(since, now) if since else None,
        until=end(until, now, field="until") if until else None,
        **rest,
    )


def asked_kinds(call: Call, kinds: Sequence[str]) -> tuple[str, ...]:
    """Those to look for. One of the asker's own that nothing is of, and that is nearly one of Marrow's, is mistyped."""
    for kind in kinds:
        if check_kind(kind) in KINDS or not (near := nearest(kind, KINDS)):
            continue
        with call.engine.store.reading() as reader:
            of_it = Filter(projects=call.asker.everywhere(), kinds=(kind,), include_superseded=True)
            if not reader.select(call.asker.namespace, of_it, CURRENT, call.engine.clock(), 1):
                raise Invalid(f"Nothing is of the kind {kind!r}.", hint=f"Did you mean {near}?", field="kinds")
    return tuple(kinds)


def is_named_as_another(name: str) -> str:
    """What is to be known where `name_of_another` has found one."""
    return f"{PROJECT_FILE} calls this project {name!r}, which is another one's name: it is kept apart"


def name_of_another(call: Call) -> str:
    """The name that the repository gives itself, where another project has it."""
    name = call.settings.maybe("project", str) if call.settings else None
    if call.settings is None or not name or not call.settings.source("project").endswith(PROJECT_FILE):
        return ""
    holder = call.engine.store.known_as(call.asker.namespace, [name])
    return name if holder not in (None, call.asker.scope.project) else ""
