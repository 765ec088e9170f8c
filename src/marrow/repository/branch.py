"""The branch at hand, and how far it and what it follows have gone apart."""

from __future__ import annotations

import os
from dataclasses import dataclass

from marrow.model.errors import Unavailable

from .command import content
from .head import commit_of, head_of, is_shallow, repository_at, shallow_mark, under_way, working_folder
from .identity import Place
from .kept import Kept

# How far apart two commits are never changes, but it takes a walk through all that lies between them.
_apart: Kept[tuple[str, str, str, str], tuple[int, int]] = Kept(256)
_LINE_BYTES_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class Branch:
    """`name` is empty when no branch is checked out, `commit` before the first one. `upstream` is what the branch
    follows, as `origin/main`; `ahead` and `behind` are None where there is none or it is not here."""

    name: str
    commit: str
    upstream: str = ""
    ahead: int | None = None
    behind: int | None = None
    is_detached: bool = False
    is_shallow: bool = False
    is_bare: bool = False
    worktree: str = ""
    under_way: str = ""


def current_branch(root: str | os.PathLike[str]) -> Branch:
    place = repository_at(root)
    head = head_of(place)
    upstream = _upstream(place, head.ref) if head.ref else ""
    apart = _counted(place, head.commit, upstream) if head.commit and upstream else None
    return Branch(
        name=head.branch,
        commit=head.commit,
        upstream=upstream.removeprefix("refs/remotes/").removeprefix("refs/heads/"),
        ahead=apart[0] if apart else None,
        behind=apart[1] if apart else None,
        is_detached=head.is_detached,
        is_shallow=is_shallow(place),
        is_bare=place.root is None,
        worktree=os.path.basename(place.git_dir) if place.git_dir != place.common_dir and _is_worktree(place) else "",
        under_way=under_way(place),
    )


def _is_worktree(place: Place) -> bool:
    """One of several of a repository. A submodule too has its git directory elsewhere, but it is the only one."""
    return os.path.basename(os.path.dirname(place.git_dir)) == "worktrees"


def _upstream(place: Place, ref: str) -> str:
    """The whole name of the ref that a branch follows. It may be gone; git knows how the configuration maps it."""
    told, _ = content(
        working_folder(place), "for-each-ref", "--format=%(upstream)", "--count=1", ref, bytes_max=_LINE_BYTES_MAX
    )
    return told.decode("utf-8", "replace").strip()


def _counted(place: Place, commit: str, upstream: str) -> tuple[int, int] | None:
    other = commit_of(place, upstream)
    if not other:
        return None
    if other == commit:
        return 0, 0
    key = (place.common_dir, commit, other, shallow_mark(place))
    if (known := _apart.get(key)) is not None:
        return known
    try:
        told, _ = content(
            working_folder(place),
            "rev-list",
            "--count",
            "--left-right",
            f"{commit}...{other}",
            "--",
            bytes_max=_LINE_BYTES_MAX,
        )
    except Unavailable:  # a commit that a partial or damaged repository lacks
        return None
    ahead, _, behind = told.decode().strip().partition("\t")
    return _apart.keep(key, (int(ahead), int(behind)))
