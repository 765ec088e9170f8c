"""Whose memory it is, and who may do what with it. Values only: the write door and every query evaluate them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import Forbidden, Invalid

READ, WRITE, ADMIN = "read", "write", "admin"
RIGHTS = (READ, WRITE, ADMIN)
LOCAL_NAMESPACE = "local"
EVERY_PROJECT = "all"


# Characters that turn the direction of writing: a name with one looks like another.
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def one_project(name: str, field: str) -> str:
    """The name of one project: one that is called as all of them are could not be asked for."""
    if name == EVERY_PROJECT:
        raise Invalid(f"{name!r} means every project.", hint="Choose another name.", field=field)
    if _TURNING.search(name):
        raise Invalid(
            f"The project name {name!a} turns the direction of writing.", hint="Leave that character out.", field=field
        )
    return name


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a call stands: a tenant, a project in it ("" is the global scope), and perhaps a service and a user."""

    namespace: str = LOCAL_NAMESPACE
    project: str = ""
    service: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is asking. `projects` None means every project of the namespace; `held_to` is the view that the setting
    `view` holds them to, "" for none."""

    name: str
    namespace: str = LOCAL_NAMESPACE
    rights: frozenset[str] = frozenset(RIGHTS)
    projects: frozenset[str] | None = None
    held_to: str = ""

    def may(self, right: str, namespace: str, project: str | None = None) -> bool:
        """`project` None asks for every project at once."""
        if namespace != self.namespace or right not in self.rights:
            return False
        return self.projects is None or (project is not None and project in self.projects)

    def check(self, right: str, namespace: str, project: str | None = None) -> None:
        if not self.may(right, namespace, project):
            where = "here" if project is None else f"in project {project!r}"
            if self.held_to:
                hint = f"The setting `view` holds you to {self.held_to!r}: do it without that setting."
                raise Forbidden(f"The view {self.held_to!r} does not allow this {where}.", hint=hint)
            hint = "Ask somebody who has that right."
            what = "administer" if right == ADMIN else right
            raise Forbidden(f"{self.name} may not {what} {where}.", hint=hint)

    def readable(self, projects: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The part of `projects` (None: all) that may be read: the scope predicate that every query carries."""
        if READ not in self.rights:
            return ()
        if self.projects is None:
            return projects
        return tuple(sorted(self.projects if projects is None else self.projects.intersection(projects)))
