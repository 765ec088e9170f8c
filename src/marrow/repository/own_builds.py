"""Files that somebody wrote in a folder named like those of what is built. `build/` may hold a README, settings, or the
chapters on building a thing: git tracks those, while what was built is ignored."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import PurePosixPath

from marrow.model.errors import Invalid, Unavailable

from .command import fields
from .files import BUILD_FOLDERS

# What lies in the other folders of the sort was copied or bundled, tracked or not.
OWN_FOLDERS = frozenset(("build", "env", "out", "target"))
BYTES_MAX = 64 * 1024


def may_be_own(path: str, size: int) -> bool:
    """Whether a file in a folder of what is built may be somebody's own: it is small, and in no folder of copies."""
    folders = BUILD_FOLDERS.intersection(PurePosixPath(path.lower()).parts[:-1])
    return bool(folders) and folders <= OWN_FOLDERS and size <= BYTES_MAX


class OwnBuilds:
    """Asked for one file, git is asked once for all of them."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._tracked: frozenset[str] | None = None

    def __call__(self, path: str, size: int) -> bool:
        """Whether a file in such a folder is somebody's own. Where git cannot say, none is."""
        if not may_be_own(path, size):
            return False
        if self._tracked is None:
            self._tracked = _tracked(self._root)
        return path in self._tracked


def _tracked(root: str) -> frozenset[str]:
    which = (f":(glob,icase)**/{folder}/**" for folder in sorted(OWN_FOLDERS))
    try:
        with closing(fields(root, "ls-files", "-z", "--cached", "--", *which)) as told:
            return frozenset(map(os.fsdecode, told))
    except (Invalid, Unavailable):
        return frozenset()
