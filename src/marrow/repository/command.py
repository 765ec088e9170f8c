"""Runs the git command line for reading: one process, streamed, and told to touch and to start nothing.

A repository's own configuration can name programs (pagers, monitors, signature checkers, diff drivers) and servers.
None of them may run because Marrow looked. Whose repositories are trusted (`safe.directory`) stays the user's choice.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from typing import IO

from marrow.model.errors import Invalid, MarrowError, Unavailable

from .identity import locate

FIELD_BYTES_MAX = 1024 * 1024
_CHUNK_BYTES = 64 * 1024
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


def succeeds(root: str | os.PathLike[str], *arguments: str) -> bool:
    with tempfile.TemporaryFile() as complaints:
        process = _start(root, arguments, complaints)
        process.communicate()
        return process.returncode == 0


def _start(root: str | os.PathLike[str], arguments: tuple[str, ...], complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    # Variables such as GIT_DIR speak for another repository than the one asked about: in a hook they are always set.
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(_KEPT)}
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        return subprocess.Popen(
            ["git", "--no-pager", "-C", os.fspath(root), *settings, *arguments],
            stdin=subprocess.DEVNULL,
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
    complaints.seek(0)
    said = complaints.read(4096).decode("utf-8", "replace").strip().partition("\n")[0]
    return Unavailable(
        f"git cannot read {os.fspath(root)}: {said or 'it did not say why'}.", hint="Run `git log` there."
    )
