"""When files came into a repository: a decision is of the day on which it was written down, and not of the day on which
somebody mended a typo in it."""

from __future__ import annotations

import os
import time
from contextlib import closing

from marrow.model.errors import Invalid, Unavailable

from .changed import is_possible
from .command import fields
from .last_changed import SECONDS_MAX

# All folders together take no longer: where the history is long, each takes as long as the first.
ALL_SECONDS_MAX = 4 * SECONDS_MAX
_MARK = b"\x01"


class FirstAdded:
    """Asked for one file, git is asked about its folder: where one of them does not say its day, others do not."""

    def __init__(self, root: str, seconds: float = ALL_SECONDS_MAX) -> None:
        self._root, self._left = root, seconds
        self._folders: dict[str, dict[str, int]] = {}

    def __call__(self, path: str) -> int:
        """In seconds; 0 where git does not know it, or takes too long to say. A file that was moved came then."""
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            began = time.monotonic()
            most = min(self._left, SECONDS_MAX)
            self._folders[folder] = _added(self._root, folder, began + most) if most > 0 else {}
            self._left -= time.monotonic() - began
        return self._folders[folder].get(path, 0)


def _added(root: str, folder: str, until: float) -> dict[str, int]:
    """The time of the first commit that has each file below a folder, as far back as was looked until then. Git is
    silent as long as it finds nothing in that folder."""
    options = ("log", "--no-merges", "--no-renames", "--relative", "--diff-filter=A", "--name-only", "-z")
    which = f":(literal){folder}/" if folder else ":(glob)*"
    at, found = 0, dict[str, int]()
    with closing(fields(root, *options, "--format=tformat:%x01%ct", "HEAD", "--", which, until=until)) as told:
        try:
            for field in told:
                name = field.lstrip(b"\n")
                if name.startswith(_MARK):
                    at = int(name[1:].split(b"\n")[0] or 0)
                    if time.monotonic() > until:
                        break
                elif is_possible(at):  # earlier ones come later, and are what counts
                    found[os.fsdecode(name)] = at
        except (Invalid, Unavailable, ValueError):  # no repository, or none that says in time
            return found
    return found
