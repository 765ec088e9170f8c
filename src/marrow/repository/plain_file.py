"""Reading what a checkout holds by a name. It may be anything: a pipe, a device, a folder, or a link to one of them."""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


def read_plain(path: str | os.PathLike[str], most: int, *, follow: bool = True) -> bytes:
    """At most so many bytes of a regular file. Never waits: anything else is an OSError. `follow`: also by a link."""
    handle = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        with open(handle, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(handle)


def without_waiting(path: str, flags: int) -> int:
    """An opener for what was a regular file a moment ago: a pipe that took its place is empty, and not waited for."""
    return os.open(path, flags | _FLAGS)
