"""`marrow daemon take-in`: a process that takes in what was committed in one repository, and ends.

The daemon starts it, and so do the hooks that `marrow watch --hooks` puts into git: nobody waits for it, and it says
nothing that anybody reads. A rebase starts many at once: one works, one waits its turn, and the others end here, having
cost little.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

from ...capture import where
from ...capture.in_turn import in_turn
from ...model.errors import Invalid, MarrowError

NICE = 10
# A large repository takes minutes, once.
PATIENCE_SECONDS = 900.0
ATTENDED = "--attended"
_OPTIONS = ("--store", "--namespace", "--project", "--service")


def run(given: Sequence[str]) -> int:
    """0 also where there was nothing to do."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]  # a hook's speak for the commit that was just made
    if hasattr(os, "nice"):
        os.nice(NICE)
    if ATTENDED in given:
        threading.Thread(target=_end_with_input, daemon=True).start()
    elif hasattr(os, "setsid"):
        with suppress(PermissionError):  # it leads a session already
            os.setsid()
    try:
        return _take_in([word for word in given if word != ATTENDED])
    except MarrowError as problem:
        print(f"error: {problem.message}", file=sys.stderr)
        return problem.exit_code


def _take_in(given: Sequence[str]) -> int:
    root, *words = given or ("",)
    if not root or tuple(words[::2]) != _OPTIONS or len(words) != 2 * len(_OPTIONS):
        raise Invalid("marrow daemon take-in is started by Marrow alone.", hint="`marrow watch .` is for people.")
    with in_turn(where.home(), words[1::2], PATIENCE_SECONDS) as is_ours:
        if is_ours:
            from .taking_in import take_in

            take_in(root, *words[1::2])
    return 0


def _end_with_input() -> None:
    """Nothing is ever written to it: it ends with its other side. Read without Python's own buffer, whose lock would
    break the interpreter's end."""
    os.read(0, 1)
    os._exit(1)
