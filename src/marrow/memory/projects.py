"""Projects: make one known, list them."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.change import NameProject
from ..model.event import SYSTEM
from ..model.record import Project
from ..model.scope import READ, one_project
from ..model.text import name as short_name
from .engine import Asker, Engine, submit


def init_project(engine: Engine, asker: Asker, name: str, own: Sequence[str] = ()) -> Project:
    """Make a project known by a name, and the one at hand by its other names too. `own` are those by which a repository
    is known that calls itself so."""
    chosen = one_project(short_name(name, field="name", length_max=500), "name")
    aliases = asker.aliases if chosen == asker.scope.project else tuple(own)
    receipt = submit(
        engine,
        asker,
        "memory_init",
        [NameProject(chosen, aliases)],
        summary="init",
        project=chosen,
        layer=SYSTEM,
    )
    return next(p for p in projects(engine, asker) if p.name == receipt.outcomes[0].project)


def projects(engine: Engine, asker: Asker) -> tuple[Project, ...]:
    """Every project that the caller may read."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    readable = asker.everywhere()
    with engine.store.reading() as reader:
        return tuple(p for p in reader.projects(asker.namespace) if readable is None or p.name in readable)
