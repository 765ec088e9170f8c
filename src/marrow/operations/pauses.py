"""Whether hooks are paused where a call stands: for those who ask how things are."""

from __future__ import annotations

from ..capture import paused, where
from ..model.moments import iso
from .table import Call


def home_of(call: Call) -> str:
    """Marrow's own folder."""
    return call.settings.get("home", str) if call.settings is not None else where.home()


def paused_until(call: Call) -> str:
    """Until when this project is paused, in words; empty where it is not."""
    now = call.engine.clock()
    found = paused.pauses_of(home_of(call), call.asker.scope.project, call.root, now)
    if not found:
        return ""
    # The longest of them counts: what is paused twice goes on when both are over.
    ends = [one.until for one in found]
    return "until it is resumed" if 0 in ends else f"until {iso(max(ends))}"
