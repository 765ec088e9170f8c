"""Whether what rows were read from is still there: it is then as old as its source, and no old data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from ...ingest.history import hash_in
from ...model.errors import Invalid, Unavailable
from ...model.source import Source
from ...repository.elsewhere import on_other_branches, worktrees
from .codebase import BY_ANOTHER
from .file_of import file_of

# Names from which it cannot be told where a file lies: those of files outside of the project, with a mark behind them
# or known by the session that they are of; and those that held a secret.
_ELSEWHERE = re.compile(
    r"@[0-9a-f]{8}\Z|\A[^/]*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}[^/]*\Z|\[redacted:", re.I
)


# How the paths of conversations begin that are known by the names that their hosts gave them, and not by their files.
_OF_HOSTS = re.compile(r"(?:slack|claude-code|codex):")


def still_there(sources: Iterable[Source], root: str, read_from: Mapping[str, str] | None = None) -> set[str]:
    """The addresses of what is still there. `root` is the project's own folder, where it is known; `read_from` are the
    files of conversations that are known by other names. What cannot be told is held to be there: to keep too much can
    be mended. The files of a repository leave when it is read again, and commits when git no longer has them."""
    living: set[str] = set()
    asked: dict[str, list[str]] = {}
    for source in sources:
        if hash_in(source.path) or not BY_ANOTHER.match(source.path):
            living.add(source.address)
        elif name := file_of(source) or (read_from or {}).get(source.address, ""):
            if _ELSEWHERE.search(name) or (not root and not os.path.isabs(name)):
                living.add(source.address)
            else:
                asked.setdefault(name, []).append(source.address)
        elif _OF_HOSTS.match(source.path):  # read by an older program, which did not note the file
            living.add(source.address)
    for name in _found(list(asked), root):
        living.update(asked[name])
    return living


def _found(names: Sequence[str], root: str) -> set[str]:
    """Those of these files that lie somewhere: in the folder at hand, in another worktree, or on another branch."""
    folders = worktrees(root) if root and names else [root]
    there = {name for name in names if any(os.path.lexists(os.path.join(folder, name)) for folder in folders)}
    away = [name for name in names if name not in there and not os.path.isabs(name)]
    if not away:
        return there
    try:
        return there | on_other_branches(root, away)
    except (Invalid, Unavailable):  # git cannot say
        return there.union(away)
