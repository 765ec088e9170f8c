"""The folder that git was run in, where a line of shell went to another first: what it did belongs there."""

from __future__ import annotations

import posixpath
import re

from .command import take_apart
from .paths import is_absolute, slashes

_GOES = re.compile(r"(?:cd|pushd)\s+(?:--\s+)?(\"[^\"]+\"|'[^']+'|\S+)\s*\Z")
_GIT_IN = re.compile(r"git\s+(?:-c\s+\S+\s+)*-C\s+(\"[^\"]+\"|'[^']+'|\S+)")
# What goes elsewhere in brackets is back after them.
_IN_BRACKETS = re.compile(r"\(\s*(?:cd|pushd)\b[^()]*\)")
# What only the shell knows.
_UNKNOWN = re.compile(r"[$`*~]|\A-")


def elsewhere(line: str, git: str, cwd: str) -> str:
    """The folder that the command `git` of a line was run in, where that lies neither in the one at hand nor around it;
    else empty. One around it is most likely the root of the same repository."""
    here, at = slashes(cwd).rstrip("/"), ran_in(line, git, cwd)
    if not here or not at or f"{at}/".startswith(f"{here}/") or f"{here}/".startswith(f"{at.rstrip('/')}/"):
        return ""
    beside = posixpath.relpath(at, here)
    return at if beside.startswith("../..") else beside


def ran_in(line: str, git: str, cwd: str) -> str:
    """The folder that the command `git` of a line was run in; empty where only the shell knows."""
    here = at = slashes(cwd).rstrip("/")
    line = _IN_BRACKETS.sub(lambda found: found[0] if "git" in found[0] else "true", line)
    for one in take_apart(line).commands:
        if one == "popd":
            at = here
        goes = _GOES.match(one) or (_GIT_IN.match(one) if one == git else None)
        if goes:
            to = slashes(goes[1].strip("'\""))
            if _UNKNOWN.search(to):
                return ""
            at = posixpath.normpath(to if is_absolute(to) else f"{at}/{to}")
        if one == git:
            break
    return at
