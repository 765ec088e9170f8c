"""Paths as a person types them: from where they stand, or whole. Operations take them from the project's root."""

from __future__ import annotations

import os
import re
from typing import Any

from ...operations.table import Operation

# What names a file of the project. The others do so only now and then: a file must be there that is called so.
PATHS = frozenset(("path", "file", "file_path", "files", "anchors"))
PERHAPS_PATHS = frozenset(("target", "symbol", "address"))
# In these groups a path is one of the disk, as where to write a copy of the store.
DISK_GROUPS = frozenset(("store",))
# What makes a file: it is made where the person stands, if the folder is there.
MAKES = "memory_write"
_PLACE = re.compile(r"(?P<path>.+?)(?P<rest>::.+|:\d+(?:-\d+)?)?\Z", re.S)
_ADDRESS = re.compile(r"[0-9a-f]{6,64}\Z")


def from_root(operation: Operation, values: dict[str, Any], root: str) -> dict[str, Any]:
    """The values with every path that is there from the current folder, or whole, as one from the root."""
    if not root or operation.group in DISK_GROUPS:
        return values
    own_names = {name: a.name for a in operation.arguments for name in (a.name, *a.spellings)}
    is_link = "source" in own_names and "target" in own_names  # both are addresses there
    made = dict(values)
    for name, value in values.items():
        own = own_names.get(name, name)
        if own in PATHS or (own in PERHAPS_PATHS and not is_link):
            made[name] = _each(value, root, own, operation.name == MAKES)
    return made


def _each(value: Any, root: str, name: str, is_made: bool) -> Any:
    if isinstance(value, list):
        return [_each(item, root, name, is_made) for item in value]
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return value
    return _placed(value, root, name, is_made)


def _placed(given: str, root: str, name: str, is_made: bool) -> str:
    if os.path.lexists(given):
        path, rest = given, ""
    else:
        found = _PLACE.match(given)
        path, rest = (found["path"], found["rest"] or "") if found else (given, "")
    if name in PERHAPS_PATHS and (_ADDRESS.match(path) or not os.path.isfile(path)):
        return given
    return (_named(path, root) or path) + rest if _is_meant(path, root, is_made) else given


def _is_meant(path: str, root: str, is_made: bool) -> bool:
    """Whether it is to be read from the current folder."""
    if os.path.isabs(path) or path.startswith(("./", "../")) or os.path.lexists(path):
        return True
    if not is_made or os.path.lexists(os.path.join(root, path)):
        return False
    return os.path.isdir(os.path.dirname(path) or ".")


def _named(path: str, root: str) -> str:
    """From the root; nothing where it lies outside, which the operation refuses in its own words."""
    whole = os.path.normpath(os.path.join(os.getcwd(), path))
    for start, end in ((root, whole), (os.path.realpath(root), os.path.realpath(whole))):
        name = os.path.relpath(end, start)
        if name != os.pardir and not name.startswith(os.pardir + os.sep):
            return name.replace(os.sep, "/")
    return ""
