"""Sessions that nobody told anything at their start, because the daemon was not there in time: a mark for each, until
the first prompt."""

from __future__ import annotations

import os
import time

from marrow.capture import where

_MARK = "untold."
_KEPT_SECONDS = 24 * 3600


def leave(home: str, session: str) -> None:
    """Mark a session. Marks of sessions that never had a prompt go after a day."""
    folder = where.run(home)
    if not session:
        return
    try:
        where.make(folder)
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.startswith(_MARK) and time.time() - os.stat(path).st_mtime > _KEPT_SECONDS:
                os.unlink(path)
        os.close(os.open(_path(home, session), os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError:
        return


def take(home: str, session: str) -> bool:
    """Whether a session was marked; it is no more."""
    try:
        os.unlink(_path(home, session))
    except OSError:
        return False
    return True


def _path(home: str, session: str) -> str:
    return os.path.join(where.run(home), _MARK + where.digest(session, 16))
