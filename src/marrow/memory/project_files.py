"""The files of the project at hand, for verbs that read, look through and write them. Nothing outside of the project's
root is touched: links are resolved first. Git's own files and those that hold secrets are left alone."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from ..model.errors import Forbidden, Invalid, MarrowError, NotFound, TooLarge, Unavailable
from ..repository.changed import is_writable
from ..repository.command import at_home, fields
from ..repository.file_sorts import is_binary, is_inside_git, is_secret
from ..repository.files import tracked
from ..repository.identity import locate
from .engine import Asker

READ_BYTES_MAX = 4 * 1024 * 1024
PATH_LENGTH_MAX = 4_096
# So many patterns may one with braces stand for.
EACH_MAX = 500
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A place inside the project: `path` from its root with forward slashes, `real` with every link resolved."""

    path: str
    real: str

    @property
    def exists(self) -> bool:
        return os.path.lexists(self.real)


def project_root(asker: Asker) -> str:
    """The project's folder with links resolved."""
    if not asker.root:
        raise Unavailable(
            "Where this project's files lie is not known here.",
            hint="Call it from a folder of the project, without naming another project.",
        )
    place = locate(asker.root, environ={})
    if place is not None and place.root is None:
        raise Unavailable("A bare repository has no files to work with.", hint="Use a working tree of it.")
    return os.path.realpath(asker.root)


def project_file(root: str, given: str, *, field: str = "path") -> ProjectFile:
    """The file that a caller names: from the root, or as it lies on the disk. It need not be there."""
    found = _inside(root, given, field)
    # What it is called, and what it leads to: a link must not be another name for a file of secrets.
    led_to = os.path.relpath(found.real, root).replace(os.sep, "/")
    for name in (found.path, led_to):
        if is_inside_git(name):
            raise Forbidden(f"{name} is git's own.", hint="Use git to look at it or change it.", field=field)
        if is_secret(name):
            raise Forbidden(
                f"{name} is there to hold secrets: it is neither read nor written here.",
                hint="Open it yourself if you must.",
                field=field,
            )
    return found


def project_folder(root: str, given: str, *, field: str = "path") -> str:
    """A folder inside the project as a path from its root; empty for the root itself."""
    if not given.strip() or given.strip() in (".", "./"):
        return ""
    found = _inside(root, given, field)
    if not os.path.isdir(found.real):
        raise NotFound(f"There is no folder {found.path!r} in the project.", hint="Give it from the root.", field=field)
    return os.path.relpath(found.real, root).replace(os.sep, "/").removeprefix(".")


def path_in_repository(root: str, given: str, *, field: str = "file_path") -> str:
    """A path from the root, of a file that may be gone long since: only its form is looked at."""
    _check_form(given, field)
    whole = os.path.normpath(os.path.join(root, given.replace("\\", "/")))
    start = os.path.join(os.path.normpath(root), "")
    if not whole.startswith(start):
        raise Invalid(f"{given[:80]!r} leads out of the project.", hint="Give it from the root.", field=field)
    return whole[len(start) :].replace(os.sep, "/")


def _inside(root: str, given: str, field: str) -> ProjectFile:
    _check_form(given, field)
    whole = os.path.normpath(os.path.join(root, os.path.expanduser(given)))
    real = os.path.realpath(whole)
    # A root that is itself reached by a link may be named either way.
    named = os.path.relpath(whole, root)
    if named == os.pardir or named.startswith(os.pardir + os.sep):
        named = os.path.relpath(real, root)
    if not os.path.join(real, "").startswith(os.path.join(root, "")):
        raise Invalid(
            f"{given[:80]!r} leads out of the project.", hint=f"Give a path inside {root}, from its root.", field=field
        )
    return ProjectFile(named.replace(os.sep, "/"), real)


def _check_form(given: str, field: str) -> None:
    if not given.strip() or "\0" in given or len(given) > PATH_LENGTH_MAX:
        raise Invalid("A path is the name of a file.", hint="Give it from the project's root.", field=field)


def read_bytes(file: ProjectFile, *, field: str = "path", bytes_max: int = READ_BYTES_MAX) -> bytes:
    """What stands in a file. Refused: folders, pipes and devices, binary files, and those that are too large."""
    try:
        descriptor = os.open(file.real, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as opened:
            found = os.fstat(opened.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise Invalid(f"{file.path} is no regular file.", hint="memory_glob lists files.", field=field)
            if found.st_size > bytes_max:
                raise TooLarge(
                    f"{file.path} has {found.st_size:,} bytes; at most {bytes_max:,} are read.",
                    hint="memory_grep looks through files line by line, if they are not too large for it too.",
                    field=field,
                )
            content = opened.read(bytes_max)
    except (FileNotFoundError, NotADirectoryError):
        message = f"There is no file {file.path!r} in the project."
        raise NotFound(message, hint="memory_glob lists them.", field=field) from None
    except IsADirectoryError:
        raise Invalid(f"{file.path} is a folder.", hint="memory_glob lists what is in it.", field=field) from None
    except OSError as problem:
        raise Unavailable(
            f"{file.path} cannot be read: {problem.strerror or problem}.", hint="Check its permissions."
        ) from problem
    if is_binary(content):
        raise Invalid(f"{file.path} is binary: it has no lines to read.", hint="Only text is read here.", field=field)
    return content


def listed(root: str, folder: str = "") -> Iterator[str]:
    """The paths of the project's files below a folder: what git tracks and what is new, without what is ignored and
    without secrets. Outside of git, what a careful walk finds."""
    start = os.path.join(root, folder)
    seen = ""
    arguments = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    try:
        with closing(fields(start, *at_home(root), *arguments)) as told:
            for name in told:
                path = f"{folder}/{os.fsdecode(name)}" if folder else os.fsdecode(name)
                if path != seen and is_writable(path) and not is_secret(path) and not is_inside_git(path):
                    seen = path
                    yield path
        return
    except (Invalid, Unavailable):  # no repository, or no git
        if seen:
            raise
    try:
        for found in tracked(start):
            path = os.path.relpath(found, root).replace(os.sep, "/")
            if is_writable(path) and not is_secret(path):
                yield path
    except MarrowError:
        return


def matches_glob(path: str, pattern: str) -> bool:
    """As ignore files have it: `*` stays within a folder, `**` crosses them, and a pattern without a slash is for names
    anywhere. `{ts,tsx}` is one or the other, as in a shell."""
    return any(_matches(path, one) for one in _each(pattern.removeprefix("./").lstrip("/")))


@lru_cache(maxsize=64)
def _each(pattern: str) -> tuple[str, ...]:
    """A pattern without braces for each of what they list."""
    found: list[str] = []
    waiting = [pattern]
    while waiting and len(found) + len(waiting) <= EACH_MAX:
        one = waiting.pop()
        braces = _BRACES.search(one)
        if braces is None:
            found.append(one)
        else:
            waiting += [f"{one[: braces.start()]}{part}{one[braces.end() :]}" for part in braces[1].split(",")]
    return tuple(dict.fromkeys((*found, *waiting)))


def _matches(path: str, pattern: str) -> bool:
    if "/" not in pattern:
        return fnmatchcase(path.rpartition("/")[2], pattern)
    return _steps_match(path.split("/"), pattern.split("/"))


def _steps_match(steps: list[str], wanted: list[str]) -> bool:
    """Without going back and forth: a table of which prefix of the pattern fits which prefix of the path."""
    fits = [True] + [False] * len(steps)
    for part in wanted:
        if part == "**":
            first = next((place for place, ok in enumerate(fits) if ok), len(fits))
            fits = [place >= first for place in range(len(fits))]
            continue
        fits = [False] + [fits[place] and fnmatchcase(step, part) for place, step in enumerate(steps)]
    return fits[-1]
