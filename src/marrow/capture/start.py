"""Starting the daemon, detached, from a process that ends at once.

Nothing is forked. The daemon gets a session of its own, nothing of its starter's input, output and open files, and no
setting that belongs to one project or one client. Many starters at once are the rule (every hook of every agent), so
each attempt leaves a stamp: within a few seconds nobody else tries, and after several attempts that led to nothing
nobody tries for minutes. The daemon clears the stamps when it listens.
"""

from __future__ import annotations

import os
import sys
import time

from marrow.capture import line, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

APART_SECONDS = 5
STORM_SECONDS = 600
STORM_STARTS = 5
_STAMP = "starting."
_POLL = 0.02
# What one project says of itself, or one client of what it may see, must not become the daemon's for all of them. Each
# client names its own.
_OF_A_PROJECT = ("MARROW_PROJECT", "MARROW_PROJECT_ROOT", "MARROW_STORE", "MARROW_NAMESPACE", "MARROW_VIEW")
_OF_AN_INTERPRETER = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
_SPAWNS = hasattr(os, "posix_spawn")
if not _SPAWNS:
    import subprocess


def ensure_started(
    wait_s: float = 0.0, *, home: str = "", environ: Mapping[str, str] = os.environ, force: bool = False
) -> bool:
    """Starts the daemon where none listens; whether one listens now, after waiting for it `wait_s` at most.

    `force` starts it also where someone just tried. Raises OSError where it cannot be started at all.
    """
    place = home or where.home(environ)
    deadline = time.monotonic() + wait_s
    if line.is_there(home=place, environ=environ):
        return True
    # Asked once more: one that began to listen meanwhile took the stamps away, and a second beside it would be waiting
    # for its place when it is told to stop.
    if (force or may_start(place)) and not line.is_there(home=place, environ=environ):
        spawn(command(), environment(environ, place), os.path.join(where.log(place), "daemon.out"))
    while time.monotonic() < deadline:
        if line.is_there(home=place, environ=environ):
            return True
        time.sleep(min(_POLL, max(0.0, deadline - time.monotonic())))
    return False


def may_start(home: str, seconds: float | None = None) -> bool:
    """Whether it is this process that starts the daemon now. Says yes once in a few seconds, to one of many.

    A stamp is a file that only one process can make, named by its span of seconds; so it needs no lock.
    """
    folder = where.run(home)
    where.make(folder)
    now = time.time() if seconds is None else seconds
    span = int(now // APART_SECONDS)
    stamps = _stamps(folder)
    recent = [one for one in stamps if span - STORM_SECONDS // APART_SECONDS < one <= span]
    for one in stamps:
        if one not in recent:
            _remove(folder, one)
    if span in recent or span - 1 in recent or len(recent) >= STORM_STARTS:
        return False
    try:
        os.close(os.open(os.path.join(folder, f"{_STAMP}{span}"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def listens(home: str) -> None:
    """The daemon says that it listens: the attempts to start it are forgotten."""
    folder = where.run(home)
    for one in _stamps(folder):
        _remove(folder, one)


def command() -> list[str]:
    """The daemon's command line: this interpreter, this package, nothing from the current folder."""
    return [sys.executable, "-P", "-m", "marrow", "daemon", "run"]


def environment(environ: Mapping[str, str], home: str) -> dict[str, str]:
    """The daemon's environment: ours, without what belongs to one project or one client."""
    left_out = (*_OF_A_PROJECT, *_OF_AN_INTERPRETER)
    own = {name: value for name, value in environ.items() if name not in left_out}
    own["MARROW_HOME"] = home
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if os.path.basename(package) not in ("site-packages", "dist-packages"):
        own["PYTHONPATH"] = package  # it runs from its sources
    return own


def spawn(arguments: list[str], environ: Mapping[str, str], output: str) -> None:
    """Starts a process that outlives this one, its output at the end of a file."""
    where.make(os.path.dirname(output))
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if not _SPAWNS:
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "DETACHED_PROCESS", 0)
        with open(output, "ab") as out:
            subprocess.Popen(
                arguments,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                creationflags=flags,
                start_new_session=True,
            )
        return
    os.close(os.open(output, append, 0o600))  # what is wrong with it would be told of the program below
    _keep_open_files()
    files: list[tuple[int, int, str, int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, output, append, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    try:
        os.posix_spawn(arguments[0], arguments, environ, file_actions=files, setsid=True)
    except NotImplementedError:  # an old system; the daemon makes its session itself
        os.posix_spawn(arguments[0], arguments, environ, file_actions=files)


def _keep_open_files() -> None:
    """What this process holds open stays here. A host that waits for the end of a pipe must not wait for the daemon."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd") if name.isdigit()]
    except OSError:
        numbers = list(range(3, 64))
    for number in numbers:
        if number > 2:
            try:
                os.set_inheritable(number, False)
            except OSError:  # it was the one that listed them
                continue


def _stamps(folder: str) -> list[int]:
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    spans = (name.removeprefix(_STAMP) for name in names if name.startswith(_STAMP))
    return [int(span) for span in spans if span.isascii() and span.isdigit()]


def _remove(folder: str, span: int) -> None:
    try:
        os.unlink(os.path.join(folder, f"{_STAMP}{span}"))
    except FileNotFoundError:
        return
