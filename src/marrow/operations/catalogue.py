"""The whole table: importing this enters every group."""

from __future__ import annotations

from ..model.groups import GROUPS
from . import (
    access,
    asking,
    blame,
    code,
    code_changes,
    core,
    derivations,
    exchange,
    git,
    ingest,
    ingest_host,
    ingest_media,
    ingest_talk,
    knowledge,
    organisation,
    origins,
    places,
    removal,
    report,
    sessions,
    store,
    tree,
    usage,
    watching,
    work,
    working,
)
from .table import NAMES, TABLE, Operation

MODULES = (
    core,
    tree,
    origins,
    blame,
    work,
    sessions,
    report,
    code,
    code_changes,
    places,
    working,
    git,
    knowledge,
    ingest,
    organisation,
    asking,
    access,
    removal,
    derivations,
    ingest_media,
    ingest_talk,
    ingest_host,
    watching,
    store,
    exchange,
    usage,
)


def _sort() -> None:
    """The order of the table is that of the groups and of the text, whichever module was imported first."""
    order = {module.__name__: place for place, module in enumerate(MODULES)}
    entries = sorted(TABLE.values(), key=lambda e: (order[e.function.__module__], e.function.__code__.co_firstlineno))
    TABLE.clear()
    TABLE.update({entry.name: entry for entry in entries})


_sort()


def in_groups(groups: tuple[str, ...]) -> list[Operation]:
    """The operations of these groups, in the table's order; "all" means every group."""
    wanted = set(GROUPS) if "all" in groups else set(groups)
    return [operation for operation in TABLE.values() if operation.group in wanted]


__all__ = ["GROUPS", "NAMES", "TABLE", "in_groups"]
