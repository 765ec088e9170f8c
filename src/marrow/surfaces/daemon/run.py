"""`marrow daemon run`: take the lock, and only then load what a daemon is made of.

Many are started at once, by hooks that all found none. All but one of them end here, having cost little.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from ...capture import where
from ...version import __version__
from .lock import Lock, is_newer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .server import ServeMcp

LOG_FILE = "daemon.log"
# For how long a newer daemon waits for the one that it replaces.
HANDOVER_SECONDS = 10.0
# The daemon goes by files. Settings in the environment of whoever happened to start it must not hold for everyone else.
KEPT = ("MARROW_HOME", "MARROW_CONFIG", "MARROW_INTERNAL_", "MARROW_TEST_")


def run(load_mcp: Callable[[], ServeMcp]) -> int:
    """0 when it served, or when another one does."""
    for name in [name for name in os.environ if name.startswith("MARROW_") and not name.startswith(KEPT)]:
        del os.environ[name]
    os.umask(0o077)
    home = where.home()
    for folder in (where.run(home), where.log(home)):
        where.make(folder)
    with Lock(where.lock(home)) as lock:
        if not lock.take(HANDOVER_SECONDS, _is_going):
            return 0
        about = {"pid": os.getpid(), "version": __version__, "started": int(time.time())}
        lock.say(about)
        from .serving import serve

        serve(home, os.path.join(where.log(home), LOG_FILE), load_mcp, lambda: lock.say({**about, "stopping": True}))
    return 0


def _is_going(holder: dict[str, object]) -> bool:
    """An older daemon was told to make room by whoever started us; one of our version is here to stay."""
    return is_newer(__version__, str(holder.get("version", ""))) or bool(holder.get("stopping"))
