"""Where a working tree stands: its branch and commit, read from git's own files. Git is asked where they do not say."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from marrow.model.errors import Invalid

from .command import content, succeeds
from .gitconfig import read_bounded
from .identity import Place, locate

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_PACKED_BYTES_MAX = 1024 * 1024
_LINE_BYTES_MAX = 64 * 1024
# What is going on while one of these is there, in the order in which it is told.
_UNDER_WAY = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class Head:
    """`ref` is the whole name of the branch, empty when none is checked out; `commit` is empty before the first one."""

    ref: str
    commit: str

    @property
    def branch(self) -> str:
        return self.ref.removeprefix("refs/heads/")

    @property
    def is_detached(self) -> bool:
        return not self.ref


def repository_at(root: str | os.PathLike[str]) -> Place:
    """The repository that a folder is in. Refused where it is in none."""
    place = locate(root or None, environ={}) if os.path.isdir(root or os.curdir) else None
    if place is None:
        raise Invalid(f"{os.fspath(root)} is in no git repository.", hint="Give a folder that is.", field="root")
    return place


def working_folder(place: Place) -> str:
    """Where git is started for it: the root, or of a bare repository the repository itself."""
    return place.root or place.git_dir


def head_of(place: Place) -> Head:
    text = (read_bounded(os.path.join(place.git_dir, "HEAD"), 4096) or "").strip()
    if _HASH.match(text):
        return Head("", text)
    ref = text.removeprefix("ref:").strip() if text.startswith("ref:") else ""
    if not ref.startswith("refs/") or ref == "refs/heads/.invalid":  # another format of refs: only git can read it
        return _asked(place)
    return Head(ref, commit_of(place, ref))


def commit_of(place: Place, ref: str) -> str:
    """The commit that a ref names; empty when it names none."""
    for folder in (place.git_dir, place.common_dir):
        text = (read_bounded(os.path.join(folder, ref), 4096) or "").strip()
        if _HASH.match(text):
            return text
        if text:  # one that points to another
            return _resolved(place, ref)
    packed = os.path.join(place.common_dir, "packed-refs")
    try:
        size = os.path.getsize(packed)
    except OSError:
        return ""
    if size > _PACKED_BYTES_MAX:
        return _resolved(place, ref)
    found = re.search(rf"^([0-9a-f]{{40,64}}) {re.escape(ref)}$", read_bounded(packed, size) or "", re.M)
    return found[1] if found else ""


def is_shallow(place: Place) -> bool:
    return os.path.exists(os.path.join(place.common_dir, "shallow"))


def oldest_here(place: Place) -> frozenset[str]:
    """The commits of a shallow repository whose parents are not here. To git each of them adds every file that it has:
    what it really changed, nobody here knows."""
    return frozenset((read_bounded(os.path.join(place.common_dir, "shallow")) or "").split())


def shallow_mark(place: Place) -> str:
    """Changes when a shallow repository is deepened: then there is more before a commit than there was."""
    try:
        found = os.stat(os.path.join(place.common_dir, "shallow"))
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"


def under_way(place: Place) -> str:
    """What was begun here and not ended: a rebase, a merge…; empty when nothing was."""
    return next((what for name, what in _UNDER_WAY if os.path.lexists(os.path.join(place.git_dir, name))), "")


def _asked(place: Place) -> Head:
    folder = working_folder(place)
    is_branch = succeeds(folder, "symbolic-ref", "--quiet", "HEAD")
    ref = _line(place, "symbolic-ref", "--quiet", "HEAD") if is_branch else ""
    return Head(ref, _resolved(place, "HEAD"))


def _resolved(place: Place, ref: str) -> str:
    arguments = ("rev-parse", "--quiet", "--verify", f"{ref}^{{commit}}")
    return _line(place, *arguments) if succeeds(working_folder(place), *arguments) else ""


def _line(place: Place, *arguments: str) -> str:
    told, _ = content(working_folder(place), *arguments, bytes_max=_LINE_BYTES_MAX)
    return told.decode("utf-8", "replace").partition("\n")[0].strip()
