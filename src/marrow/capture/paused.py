"""What is paused: a file of lines `project<TAB>until<TAB>root`.

`until` is in microseconds, 0 for until resumed. The project `*` is all of them. A hook does not know which project a
folder belongs to, for that takes a look into git; so a line also names the project's root, and a hook below it obeys.
The daemon, which knows the project, asks by its name.
"""

from __future__ import annotations

import os
import time

from marrow.capture import where

ALL = "*"
_BYTES_MAX = 256 * 1024


class Pause:
    """One line of the file."""

    __slots__ = ("project", "root", "until")

    def __init__(self, project: str, until: int = 0, root: str = "") -> None:
        self.project = project
        self.until = until
        self.root = root


def read(home: str, now: int | None = None) -> list[Pause]:
    """What is paused now. Lines that nobody can read are left out."""
    moment = time.time_ns() // 1000 if now is None else now
    try:
        file = os.open(where.paused(home), os.O_RDONLY)
    except OSError:
        return []
    try:
        text = os.read(file, _BYTES_MAX).decode("utf-8", "replace")
    finally:
        os.close(file)
    pauses = []
    for line in text.split("\n"):
        project, _, rest = line.partition("\t")
        until, _, root = rest.partition("\t")
        if project and until.isascii() and until.isdigit() and (int(until) == 0 or int(until) > moment):
            pauses.append(Pause(project, int(until), root))
    return pauses


def is_paused(home: str, project: str = "", cwd: str = "", now: int | None = None) -> bool:
    """Whether everything is paused, or this project, or the project that this folder is in."""
    return bool(pauses_of(home, project, cwd, now))


def pauses_of(home: str, project: str = "", cwd: str = "", now: int | None = None) -> list[Pause]:
    """The pauses that hold there."""
    pauses = read(home, now)
    if not pauses:
        return []
    here = os.path.join(os.path.realpath(cwd), "") if cwd else ""
    return [
        pause
        for pause in pauses
        if pause.project in (ALL, project)
        or (pause.root and here and here.startswith(os.path.join(os.path.realpath(pause.root), "")))
    ]


def pause(home: str, project: str = ALL, until: int = 0, root: str = "") -> None:
    """Pauses a project, or all; what was said of it before no longer counts."""
    others = [one for one in read(home) if one.project != project]
    _write(home, [*others, Pause(project, until, root)])


def resume(home: str, project: str = ALL) -> bool:
    """Ends the pause of a project; of all with `*`. Whether there was one."""
    pauses = read(home)
    left = [] if project == ALL else [one for one in pauses if one.project != project]
    if len(left) == len(pauses):
        return False
    _write(home, left)
    return True


def _write(home: str, pauses: list[Pause]) -> None:
    where.make(home)
    path = where.paused(home)
    if not pauses:
        os.unlink(path)
        return
    temporary = f"{path}.{os.urandom(6).hex()}.tmp"
    text = "".join(f"{one.project}\t{one.until}\t{one.root}\n" for one in pauses)
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, text.encode("utf-8", "replace"))
    finally:
        os.close(file)
    os.replace(temporary, path)
