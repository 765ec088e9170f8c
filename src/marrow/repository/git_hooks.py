"""Lines of ours in a repository's hooks: put in on request, and taken out again without a trace.

The lines stand right after the first one, so that a hook that ends by itself still runs them. What is no shell script,
what git tracks, what is a link and what git would not run are left alone: they are somebody's, for a reason.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from marrow.model.errors import Unavailable

from .command import answered
from .head import working_folder
from .identity import Place

HOOKS = ("post-commit", "post-merge", "post-rewrite")
HOOK_BYTES_MAX = 1024 * 1024
GIT_SECONDS = 10.0
FIRST_LINE = b"#!/bin/sh\n"
_SHELL = re.compile(rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:ba|da|a|k|z)?sh(?:[ \t][^\r\n]*)?\n")
_NAME = "marrow watch"
_MADE = b" (with this file)"


class Hook(NamedTuple):
    """A hook as it is now: `has_ours`, or why it was left alone."""

    name: str
    path: str
    has_ours: bool
    problem: str = ""


def hooks_folder(place: Place) -> str:
    """Where git looks for hooks: `core.hooksPath`, or the folder that all worktrees share."""
    folder = working_folder(place)
    words = ("config", "--show-scope", "--type=path", "-z", "--get-all", "core.hooksPath")
    told = answered(folder, *words, bytes_max=64 * 1024, seconds=GIT_SECONDS)
    said = told.told.decode("utf-8", "surrogateescape").split("\0") if told.code == 0 else []
    # What stands on the command line is ours: we let git run no hooks.
    paths = [path for scope, path in zip(said[::2], said[1::2], strict=False) if scope != "command" and path]
    return os.path.normpath(os.path.join(folder, paths[-1])) if paths else os.path.join(place.common_dir, "hooks")


def hooks_at(place: Place, mark: str) -> list[Hook]:
    """How the hooks stand. `mark` tells our lines of one purpose from those of another."""
    folder = hooks_folder(place)
    return [Hook(name, path := os.path.join(folder, name), _has(path, mark)) for name in HOOKS]


def add_hooks(place: Place, mark: str, lines: str) -> list[Hook]:
    """Put these lines of shell into each hook, in the place of those with the same mark."""
    folder = hooks_folder(place)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        raise Unavailable(
            f"There is no folder for hooks at {folder}: {problem.strerror}.",
            hint="`git config core.hooksPath` says where git looks for them. The daemon needs none.",
        ) from None
    return [_add(place, os.path.join(folder, name), mark, lines) for name in HOOKS]


def remove_hooks(place: Place, mark: str) -> list[Hook]:
    """Take our lines out of every hook, also of those that git looked for elsewhere before; those that had some."""
    folders = dict.fromkeys((hooks_folder(place), os.path.join(place.common_dir, "hooks")))
    paths = [os.path.join(folder, name) for folder in folders for name in HOOKS]
    return [Hook(os.path.basename(path), path, False) for path in paths if _has(path, mark) and _remove(path, mark)]


def _add(place: Place, path: str, mark: str, lines: str) -> Hook:
    name = os.path.basename(path)
    before = _read(path)
    if before is None:
        if os.path.lexists(path):
            return Hook(name, path, False, "it cannot be read, or is a link")
        _write(path, FIRST_LINE + _block(mark, lines, made=True), 0o755)
        return Hook(name, path, True)
    own = _pattern(mark).search(before)
    if own is not None:
        after = before[: own.start()] + _block(mark, lines, made=own["made"] is not None) + before[own.end() :]
        if after != before:
            _write(path, after, stat.S_IMODE(os.stat(path).st_mode))
        return Hook(name, path, True)
    if problem := _why_not(place, path, before):
        return Hook(name, path, False, problem)
    first, rest = before.split(b"\n", 1)
    _write(path, first + b"\n" + _block(mark, lines) + rest, stat.S_IMODE(os.stat(path).st_mode))
    return Hook(name, path, True)


def _why_not(place: Place, path: str, before: bytes) -> str:
    """Why a hook that is there is left alone."""
    if not _SHELL.match(before):
        return "it is no shell script"
    if not os.access(path, os.X_OK):
        return "it may not be run, so git passes it over"
    root = working_folder(place)
    options = ("--literal-pathspecs", "ls-files", "--error-unmatch", "--", path)
    if place.root and answered(root, *options, bytes_max=4096, seconds=GIT_SECONDS).code == 0:
        return "git tracks it, so it is everyone's"
    return ""


def _block(mark: str, lines: str, *, made: bool = False) -> bytes:
    begin = f"# >>> {_NAME} {mark} >>>".encode() + (_MADE if made else b"")
    return begin + b"\n" + os.fsencode(lines.strip("\n")) + b"\n" + f"# <<< {_NAME} {mark} <<<\n".encode()


def _pattern(mark: str) -> re.Pattern[bytes]:
    said = re.escape(f"{_NAME} {mark}".encode())
    return re.compile(rb"^# >>> %s >>>(?P<made>%s)?\n.*?^# <<< %s <<<\n" % (said, re.escape(_MADE), said), re.M | re.S)


def _has(path: str, mark: str) -> bool:
    return _pattern(mark).search(_read(path) or b"") is not None


def _remove(path: str, mark: str) -> bool:
    before = _read(path) or b""
    own = _pattern(mark).search(before)
    if own is None:
        return False
    after = before[: own.start()] + before[own.end() :]
    if own["made"] is not None and after == FIRST_LINE:
        os.unlink(path)
    else:
        _write(path, after, stat.S_IMODE(os.stat(path).st_mode))
    return True


def _read(path: str) -> bytes | None:
    """A plain file; None for anything else."""
    try:
        about = os.lstat(path)
        if not stat.S_ISREG(about.st_mode) or about.st_size > HOOK_BYTES_MAX:
            return None
        return Path(path).read_bytes()
    except OSError:
        return None


def _write(path: str, data: bytes, mode: int) -> None:
    """Whole or not at all: git may start it at any moment."""
    partial = f"{path}.{os.urandom(4).hex()}.partial"
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        os.chmod(partial, mode)
        os.replace(partial, path)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(partial)
        raise Unavailable(
            f"The hook {path} cannot be written: {problem.strerror}.", hint="The daemon needs no hooks."
        ) from None
