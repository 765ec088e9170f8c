"""Runs the git command line for reading: one process, streamed, and told to touch and to start nothing.

A repository's own configuration can name programs (pagers, monitors, signature checkers, diff drivers) and servers.
None of them may run because Marrow looked. Whose repositories are trusted (`safe.directory`) stays the user's choice.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

from marrow.model.errors import Invalid, MarrowError, Unavailable

from .gitconfig import FILE_BYTES_MAX, read_bounded
from .identity import Place, locate

if TYPE_CHECKING:
    import subprocess

FIELD_BYTES_MAX = 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_CONFIG_SECONDS = 10.0
_NONE_FOUND = 1
_NOTHING = "MARROW_GIT_NOTHING"  # a variable that is empty
_SETTINGS = (
    "core.fsmonitor=false",
    "core.pager=cat",
    f"core.hooksPath={os.devnull}",
    "core.alternateRefsCommand=",
    "diff.external=",
    "diff.relative=false",
    "log.showRoot=true",
    "log.showSignature=false",
    "i18n.logOutputEncoding=UTF-8",
    "protocol.allow=never",
)
_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
    _NOTHING: "",
}
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")


def fields(root: str | os.PathLike[str], *arguments: str) -> Generator[bytes]:
    """What git writes, split at NUL, as it comes. A longer field than a megabyte is cut. Closing it ends git."""
    with tempfile.TemporaryFile() as complaints:
        process = _start(root, arguments, complaints)
        assert process.stdout is not None
        try:
            yield from _split(process.stdout)
            if process.wait():
                raise _failure(root, complaints)
        finally:
            process.kill()
            process.stdout.close()
            process.wait()


def content(root: str | os.PathLike[str], *arguments: str, bytes_max: int) -> tuple[bytes, bool]:
    """What git writes, up to so many bytes, and whether that is all of it."""
    with tempfile.TemporaryFile() as complaints:
        process = _start(root, arguments, complaints)
        assert process.stdout is not None
        try:
            found = process.stdout.read(bytes_max + 1)
            if len(found) <= bytes_max and process.wait():
                raise _failure(root, complaints)
            return found[:bytes_max], len(found) <= bytes_max
        finally:
            process.kill()
            process.stdout.close()
            process.wait()


class Answered(NamedTuple):
    """What git wrote and how it ended. `is_cut`: it wrote more than was asked for; `is_late`: it was stopped."""

    told: bytes
    code: int
    complaint: str = ""
    is_cut: bool = False
    is_late: bool = False


def answered(root: str | os.PathLike[str], *arguments: str, bytes_max: int, seconds: float) -> Answered:
    """The same for what may find nothing, fail for its own reasons, or take too long: the caller judges."""
    with tempfile.TemporaryFile() as complaints:
        process = _start(root, arguments, complaints)
        assert process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            told = process.stdout.read(bytes_max + 1)
            if len(told) <= bytes_max:
                process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.stdout.close()
            code = process.wait()
        return Answered(told[:bytes_max], code, _said(complaints), len(told) > bytes_max, late.is_set())


def at_home(root: str | os.PathLike[str]) -> tuple[str, ...]:
    """What is put before a command that looks at the working tree: that it is here, whatever the repository's own
    configuration says, and that none of the programs runs which that has files filtered by. What the user has
    configured for all repositories stays."""
    place = locate(root, environ={})
    if place is None or place.root is None:
        return ()
    return (f"--work-tree={place.root}", *(word for name in _own_filters(place) for word in _without_filter(name)))


def _own_filters(place: Place) -> list[str]:
    """The names of the filters that the repository's own configuration has. Git alone knows what its files and their
    includes amount to: it is asked as soon as they could name one."""
    assert place.root is not None
    files = (os.path.join(place.common_dir, "config"), os.path.join(place.git_dir, "config.worktree"))
    texts = [(read_bounded(file, FILE_BYTES_MAX + 1) or "").lower() for file in files]
    if not any("filter" in text or "include" in text or len(text) > FILE_BYTES_MAX for text in texts):
        return []
    options = ("--includes", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
    found = answered(place.root, "config", *options, bytes_max=FIELD_BYTES_MAX, seconds=_CONFIG_SECONDS)
    if found.is_cut or found.is_late or found.code not in (0, _NONE_FOUND):
        raise Unavailable(
            f"The git configuration of {place.root} cannot be read: {found.complaint or 'it is too large'}.",
            hint="Run `git config --list` there.",
        )
    words = found.told.decode("utf-8", "surrogateescape").split("\0")
    keys = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope in ("local", "worktree")]
    return sorted({key.partition(".")[2].rpartition(".")[0] for key in keys})


def _without_filter(name: str) -> Iterator[str]:
    for what in ("clean", "process", "required"):
        # A name may have an equals sign: `-c` would end it there, and leave the filter as it is.
        if "=" in name:
            yield f"--config-env=filter.{name}.{what}={_NOTHING}"
        else:
            yield from ("-c", f"filter.{name}.{what}=")


def succeeds(root: str | os.PathLike[str], *arguments: str) -> bool:
    with tempfile.TemporaryFile() as complaints:
        process = _start(root, arguments, complaints)
        process.communicate()
        return process.returncode == 0


@contextmanager
def conversation(root: str | os.PathLike[str], *arguments: str, asked: bytes) -> Iterator[IO[bytes]]:
    """What git answers to what it is told on its standard input."""
    with tempfile.TemporaryFile() as complaints, tempfile.TemporaryFile() as given:
        given.write(asked)
        given.seek(0)
        process = _start(root, arguments, complaints, given)
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.kill()
            process.stdout.close()
            process.wait()


def _start(
    root: str | os.PathLike[str], arguments: tuple[str, ...], complaints: IO[bytes], given: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    import subprocess

    # Variables such as GIT_DIR speak for another repository than the one asked about: in a hook they are always set.
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(_KEPT)}
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        return subprocess.Popen(
            ["git", "--no-pager", "-C", os.fspath(root), *settings, *arguments],
            stdin=given if given is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**variables, **_VARIABLES},
        )
    except OSError as error:
        raise Unavailable(
            f"git cannot be started: {error.strerror}.", hint="Install git, or put it on the PATH."
        ) from None


def _split(stream: IO[bytes]) -> Iterator[bytes]:
    pending = b""
    while chunk := os.read(stream.fileno(), _CHUNK_BYTES):
        first, *others = chunk.split(b"\0")
        pending = (pending + first)[:FIELD_BYTES_MAX]
        for other in others:
            yield pending
            pending = other


def _failure(root: str | os.PathLike[str], complaints: IO[bytes]) -> MarrowError:
    if locate(root, environ={}) is None:
        return Invalid(f"{os.fspath(root)} is in no git repository.", hint="Give a folder that is.", field="root")
    said = _said(complaints) or "it did not say why"
    return Unavailable(f"git cannot read {os.fspath(root)}: {said}.", hint="Run `git status` there.")


def _said(complaints: IO[bytes]) -> str:
    """The first line of what git wrote beside its answer."""
    complaints.seek(0)
    return complaints.read(4096).decode("utf-8", "replace").strip().partition("\n")[0]
