"""Where a bundle goes: which of its projects are taken, and what each of them is called here."""

from __future__ import annotations

from dataclasses import replace

from ..model.change import Merge, NameProject
from ..model.errors import Invalid, NotFound
from ..model.node import GLOBAL_PROJECT
from ..model.scope import EVERY_PROJECT
from ..store.protocol import Reader
from .engine import Asker


def chosen(merge: Merge, from_project: str) -> Merge:
    """The part of a bundle that is of one of its projects. The chain speaks of all of them, and stays behind."""
    if not from_project or from_project == EVERY_PROJECT:
        return merge
    names = {p.name for p in merge.projects if from_project in (p.name, *p.aliases)}
    names |= {p.name for p in merge.projects if p.name.rpartition("/")[2] == from_project} if not names else set()
    if len(names) != 1:
        raise NotFound(f"The bundle holds no project {from_project!r}.", hint=_holds(merge), field="from_project")
    return Merge(
        tuple(copy for copy in merge.copies if copy.project in names),
        tuple(link for link in merge.links if link.project in names),
        tuple(project for project in merge.projects if project.name in names),
    )


def sent_to(merge: Merge, project: str) -> Merge:
    """All of its one project in this one. What the bundle says of every project stays in the global scope."""
    names = {copy.project for copy in merge.copies} | {p.name for p in merge.projects}
    names -= {GLOBAL_PROJECT} if len(names) > 1 else set()
    if len(names) > 1:
        raise Invalid(
            f"The bundle holds {len(names)} projects; only one can go into {project!r}.",
            hint=f"Choose it with from_project. {_holds(merge)}",
            field="project",
        )
    sent = _moved(merge, dict.fromkeys(names, project), frozenset())
    # Sending it there once says nothing about what that project is called.
    return replace(
        sent, projects=tuple(p if p.name not in names | {project} else NameProject(p.name) for p in sent.projects)
    )


def at_home(reader: Reader, asker: Asker, merge: Merge) -> Merge:
    """The same with each project under the name that it has here. One repository has another name where its memory
    began before it had an origin: under both names, a project would be torn in two, and one half not be found."""
    homes = {project.name: _home(reader, asker, project) for project in merge.projects}
    moved = {name: home for name, home in homes.items() if home is not None and home != name}
    return _moved(merge, moved, frozenset(p.name for p in reader.projects(asker.namespace))) if moved else merge


def _home(reader: Reader, asker: Asker, project: NameProject) -> str | None:
    """What a project is called here, if it is known here. A name that both know it by says more than that something was
    taken in under the other's name before they had one."""
    # The project at hand may have a name that no write has told the store of yet.
    if not set(asker.aliases).isdisjoint((project.name, *project.aliases)):
        return asker.scope.project
    others = (alias for alias in project.aliases if alias != project.name)
    found = [reader.project_named(asker.namespace, alias) for alias in (*others, project.name)]
    return next((one for one in found if one is not None), None)


def _moved(merge: Merge, moved: dict[str, str], known: frozenset[str]) -> Merge:
    """The same with these projects under another name. Their own one is an alias from now on, unless a project that is
    known here has it."""
    return replace(
        merge,
        copies=tuple(replace(copy, project=moved.get(copy.project, copy.project)) for copy in merge.copies),
        links=tuple(replace(link, project=moved.get(link.project, link.project)) for link in merge.links),
        projects=tuple(
            NameProject(moved[p.name], tuple(name for name in (*p.aliases, p.name) if name not in known))
            if p.name in moved
            else p
            for p in merge.projects
        ),
    )


def _holds(merge: Merge) -> str:
    return f"It holds {', '.join(p.name or 'the global scope' for p in merge.projects[:10])}."
