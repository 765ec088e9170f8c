"""Whether what a row was read from is still there: it is then as old as its source, and no old data."""

from __future__ import annotations

import os
import re

from ...ingest.history import hash_in
from ...model.source import Source
from .codebase import BY_ANOTHER
from .file_of import file_of

# Behind the name of a file outside of the project: which folder it lies in cannot be told from it.
_ELSEWHERE = re.compile(r"@[0-9a-f]{8}\Z")


def is_still_there(source: Source, root: str) -> bool:
    """`root` is the project's own folder, where it is known. What cannot be told is held to be there: to keep too much
    can be mended. The files of a repository leave when it is read again, and commits when git no longer has them."""
    if hash_in(source.path) or not BY_ANOTHER.match(source.path):
        return True
    name = file_of(source)
    if not name or _ELSEWHERE.search(name) or (not root and not os.path.isabs(name)):
        return bool(name)
    return os.path.exists(os.path.join(root, name))
