"""Where a background job works: a memory's engine, who asks, and the settings that hold there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ..memory.engine import Asker, Engine
from ..memory.witness import Rules
from ..settings import Settings


class Place(NamedTuple):
    engine: Engine
    asker: Asker
    settings: Settings


# The place for a folder, and for the store, project and namespace that were named there; each of these may be empty.
PlaceAt = Callable[[str, str, str, str], Place]
NAMED = ("cwd", "store", "project", "namespace")


def in_project(asker: Asker, project: str) -> Asker:
    """The same for another project, whose other names are not known here."""
    if project == asker.scope.project:
        return asker
    return replace(asker, scope=replace(asker.scope, project=project), aliases=(), root="")


def rules(settings: Settings) -> Rules:
    """What the settings say about capture."""
    return Rules(
        settings.get("capture.min_salience", float),
        settings.get("retention.context_days", int),
        settings.get("capture.scope", str) == "turn",
    )
