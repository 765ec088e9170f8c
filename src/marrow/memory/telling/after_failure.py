"""What fixed it last time: the same failure, by its signature, and what resolved it then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...model.record import CURRENT, Filter, Record
from ...store.protocol import Reader
from ..engine import Asker
from ..observed.observe import failure_of

TOLD_MAX, LOOKED_AT = 2, 8


def after_failure(
    reader: Reader, asker: Asker, now: int, hook: Mapping[str, Any], before: Collection[str]
) -> list[Record]:
    """The latest fixes of this failure that the session was not told about."""
    signature = failure_of(hook)
    if not signature:
        return []
    wanted = Filter(projects=(asker.scope.project,), kinds=("observation",), metadata=(("fixed", signature),))
    entries = reader.select(asker.namespace, wanted, CURRENT, now, LOOKED_AT)
    found = [record for record in reader.records_of(entries, CURRENT) if record.node.address not in before]
    return sorted(found, key=lambda record: -record.last_at)[:TOLD_MAX]
