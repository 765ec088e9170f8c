"""What a submodule differs in: the commits that it went between, and changes of its own that are not committed there.

It is a repository of its own, so git is asked in each by itself, and in the same careful way as everywhere: the outer
`git status` would start another one in it, with all that the submodule's own configuration names. One that cannot be
looked at stops nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from marrow.model.errors import MarrowError
from marrow.model.text import counted

from .command import answered, at_home
from .head import head_of
from .identity import Place, locate
from .working_tree import Touched

SHOWN = 10
# Looked into for changes of their own: so many, for so long.
SUBMODULES_MAX, SECONDS = 100, 5.0
_BYTES_MAX = 256 * 1024
# Of how a submodule is to be looked at, what leaves out changes of its own.
_NOT_LOOKED_AT = ("dirty", "all")
_GITLINK = b"160000 "


def said_of(root: str, one: Touched, own: str = "") -> str:
    """What became of a submodule that is told as touched, in words; `own` are changes of its own."""
    folder = os.path.join(root, one.on_disk)
    now = _commit_at(folder)
    was = one.recorded
    if one.what == "deleted":
        told = f"was at {was[:SHOWN]}" if was else "was never committed"
    elif not os.path.isdir(folder):
        told = f"was at {was[:SHOWN]}, and is no submodule now" if was else "is none now"
    elif not was:
        told = _at(now) if one.what == "added" else f"was a file, {_at(now)}"
    elif now and now != was:
        told = f"from {was[:SHOWN]} to {now[:SHOWN]}{_apart(folder, was, now)}"
    else:  # staged, and taken back where it is checked out
        told = _at(now)
    return f"{told}; {own}" if own else told


def changed_within(place: Place) -> dict[str, str]:
    """The submodules with changes of their own that are not committed there, and how many files those are in."""
    root = place.root
    if root is None or not os.path.isfile(os.path.join(root, ".gitmodules")):
        return {}
    until = time.monotonic() + SECONDS
    try:
        found: dict[str, str] = {}
        for path, is_seen_whole in _named(root, until):
            if time.monotonic() > until:
                break
            if told := _own_changes(root, path, until, is_seen_whole=is_seen_whole):
                found[path] = told
        return {path: told for path, told in found.items() if path in _gitlinks(root, list(found))}
    except MarrowError:
        return {}


def _named(root: str, until: float) -> list[tuple[str, bool]]:
    """Where the submodules are, as `.gitmodules` has them, without those that are not to be looked into; and whether
    files that are new in them count."""
    asked = ("config", "-z", "--file", os.path.join(root, ".gitmodules"), "--no-includes", "--get-regexp")
    found = answered(root, *asked, r"^submodule\..*\.(path|ignore)$", bytes_max=_BYTES_MAX, seconds=_left(until))
    paths: dict[str, str] = {}
    ignored: dict[str, str] = {}
    for part in found.told.split(b"\0")[:-1]:
        key, _, value = part.decode("utf-8", "replace").partition("\n")
        name, _, what = key.rpartition(".")
        (paths if what == "path" else ignored)[name] = value.rstrip("/")
    wanted = [(path, ignored.get(name, "") != "untracked") for name, path in paths.items() if path]
    left_out = {path for name, path in paths.items() if ignored.get(name, "") in _NOT_LOOKED_AT}
    return [one for one in wanted if one[0] not in left_out and _is_within(root, one[0])][:SUBMODULES_MAX]


def _is_within(root: str, path: str) -> bool:
    """A folder of the repository's own, and no link out of it."""
    whole = os.path.join(os.path.realpath(root), path)
    return os.path.realpath(whole) == whole and whole != os.path.realpath(root) and os.path.isdir(whole)


def _own_changes(root: str, path: str, until: float, *, is_seen_whole: bool) -> str:
    folder = os.path.join(root, path)
    place = locate(folder, environ={})
    if place is None or place.root is None or os.path.realpath(place.root) != os.path.realpath(folder):
        return ""  # nothing is checked out there
    new = "normal" if is_seen_whole else "no"
    options = ("--porcelain=v2", "-z", f"--untracked-files={new}", "--ignore-submodules=dirty", "--no-renames")
    try:
        told = answered(folder, *at_home(folder), "status", *options, bytes_max=_BYTES_MAX, seconds=_left(until))
    except MarrowError:
        return ""
    if told.code != 0 and not told.is_cut:
        return ""
    sorts = [line[:1] for line in told.told.split(b"\0")]
    more = "more than " if told.is_cut else ""
    changed, added = sum(sort in (b"1", b"u") for sort in sorts), sum(sort == b"?" for sort in sorts)
    counts = [counted(changed, "file") + " changed"] if changed else []
    counts += [f"{added} new"] if added else []
    return f"changes of its own: {more}{', '.join(counts)}" if counts else ""


def _gitlinks(root: str, paths: Sequence[str]) -> set[str]:
    """Those of these paths that git has as submodules, and not only `.gitmodules`. What was found in time is told."""
    if not paths:
        return set()
    asked = ("--literal-pathspecs", "ls-files", "--stage", "-z", "--", *paths)
    found = answered(root, *asked, bytes_max=_BYTES_MAX, seconds=SECONDS)
    return set(_paths_of(found.told.split(b"\0")))


def _paths_of(lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        about, _, path = line.partition(b"\t")
        if about.startswith(_GITLINK):
            yield path.decode("utf-8", "replace")


def _commit_at(folder: str) -> str:
    """What is checked out in a submodule; "" where nothing is, or it cannot be read."""
    try:
        place = locate(folder, environ={}) if os.path.isdir(folder) else None
        if place is None or place.root is None or os.path.realpath(place.root) != os.path.realpath(folder):
            return ""
        return head_of(place).commit
    except MarrowError:
        return ""


def _at(commit: str) -> str:
    return f"at {commit[:SHOWN]}" if commit else "with no commit checked out"


def _apart(folder: str, was: str, now: str) -> str:
    """How far two commits are apart; nothing where one of them is not there."""
    asked = ("rev-list", "--count", "--left-right", f"{was}...{now}", "--")
    try:
        found = answered(folder, *asked, bytes_max=200, seconds=SECONDS)
    except MarrowError:
        return ""
    back, _, on = found.told.decode("ascii", "replace").strip().partition("\t")
    if found.code != 0 or not (back.isdigit() and on.isdigit()):
        return ""
    told = [f"{counted(int(back), 'commit')} back"] if int(back) else []
    told += [f"{counted(int(on), 'commit')} on"] if int(on) else []
    return f" ({', '.join(told)})" if told else ""


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())
