"""Which repositories are kept current: a row for each service, with the folder that is followed. A worktree that is
named later takes the place of the first: two branches in turn would undo one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model.source import CURSOR, NO_ADDRESS, Source
from ...store.protocol import Projects, Reader
from ..engine import Asker, Engine
from .committed import COMMITTED

WATCHED = "#watched"


class Watched(NamedTuple):
    """`commit` is the one that was read last, empty before the first; `since` is when it was read."""

    project: str
    service: str
    root: str
    commit: str = ""
    since: int = 0


def watched(reader: Reader, namespace: str, projects: Projects, service: str | None = None) -> list[Watched]:
    """In order of project and service."""
    # A repository may have files of these names: what was read from them is nobody's wish.
    rows = [s for s in reader.sources(namespace, projects, service=service, path=WATCHED) if s.kind == CURSOR]
    ends = [s for s in reader.sources(namespace, projects, service=service, path=COMMITTED) if s.kind == CURSOR]
    read = {(s.project, s.service): s for s in ends}
    found = []
    for row in rows:
        last = read.get((row.project, row.service))
        # One that was begun and not ended counts as not read.
        is_whole = last is not None and not last.digest
        commit, since = (last.title, last.at) if last is not None and is_whole else ("", 0)
        found.append(Watched(row.project, row.service, row.title, commit, since))
    return found


def keep_watching(engine: Engine, asker: Asker, root: str, service: str) -> str:
    """Follow a repository from now on; the folder that was followed for its service before, if it was another."""
    with engine.store.reading() as reader:
        before = [one.root for one in watched(reader, asker.namespace, (asker.scope.project,), service)]
    row = Source(asker.scope.project, service, WATCHED, CURSOR, NO_ADDRESS, at=engine.clock(), title=root)
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [row])
    return next((one for one in before if one != root), "")


def stop_watching(engine: Engine, asker: Asker, services: Sequence[str]) -> None:
    """What was read stays."""
    rows = [Source(asker.scope.project, service, WATCHED, CURSOR, NO_ADDRESS) for service in services]
    with engine.store.writing() as writer:
        writer.drop_sources(asker.namespace, rows)
