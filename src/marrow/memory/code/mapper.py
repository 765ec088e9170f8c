"""A process that maps a checkout in the background, with little priority. It ends when whoever started it does."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from ...store.code import MapFile
from .kept_map import KeptMap

NICE = 10


def main() -> None:
    place, root, count, *patterns = sys.argv[1:]
    ignore_extra, redact_extra = tuple(patterns[: int(count)]), tuple(patterns[int(count) :])
    if hasattr(os, "nice"):
        os.nice(NICE)
    threading.Thread(target=_watch, daemon=True).start()
    kept = KeptMap(os.path.realpath(root), MapFile(Path(place)), ignore_extra, redact_extra)
    kept.update(time.time_ns() // 1000)


def _watch() -> None:
    """Nothing is ever written to it: it ends with its other side."""
    os.read(0, 1)  # not through a buffer, whose lock would be held while the interpreter ends
    os._exit(1)


if __name__ == "__main__":
    main()
