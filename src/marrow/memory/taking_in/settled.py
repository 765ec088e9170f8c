"""What follows each batch that was taken in: the cheap derivations, and the links that make themselves. Where nothing
is new, as nearly always, neither is even imported."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import Asker, Engine
from .take_in import Settle


def _derived(engine: Engine, asker: Asker, new: Sequence[str], _: Sequence[str]) -> None:
    from ..derivations import derive_now

    if new:
        derive_now(engine, asker, new)


def _connected(engine: Engine, asker: Asker, new: Sequence[str], left: Sequence[str]) -> None:
    """What left no longer stands in the place of others; what is new may, and what goes by the name of what left."""
    from ..connecting import connect, connect_logs, namesakes, release

    if left:
        release(engine, asker, left)
    if meant := [*new, *(namesakes(engine, asker, left) if left else ())]:
        connect(engine, asker, meant)
    connect_logs(engine, asker, new)


SETTLE: tuple[Settle, ...] = (_derived, _connected)
