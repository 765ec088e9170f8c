"""What follows each batch that was taken in: the cheap derivations, and the links that make themselves."""

from __future__ import annotations

from ..connecting import connect
from ..derivations import derive_now
from .take_in import Settle

SETTLE: tuple[Settle, ...] = (derive_now, connect)
