"""The map of the checkout at hand, for a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model.errors import Unavailable
from ...model.scope import READ
from ..engine import Asker, Engine
from .build import Progress

if TYPE_CHECKING:
    from .kept_map import KeptMap


def kept(engine: Engine, asker: Asker) -> KeptMap | None:
    """As it is; None where there is none yet, or no checkout at hand. Never makes one."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if engine.maps is None or not asker.root:
        return None
    found = engine.maps(asker.root)
    return found if found.has_map() else None


def opened(engine: Engine, asker: Asker, progress: Progress | None = None, *, whole: bool = True) -> KeptMap:
    """Up to date; made first where there is none. Without `whole`, calls may still wait to be resolved."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if engine.maps is None or not asker.root:
        raise Unavailable(
            "Where this project's code lies is not known here.",
            hint="Call it from a folder of the project, without naming another project.",
        )
    found = engine.maps(asker.root)
    found.update(engine.clock(), progress, whole=whole)
    return found
