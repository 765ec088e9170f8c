"""`marrow hook HOST EVENT`: what the hosts start at every event. `main` runs it; the other names are its own."""

from __future__ import annotations

from marrow.surfaces.hook.turn import main

__all__ = ["main"]
