"""The compiled settings of a folder, read without TOML and without the settings module.

`run/settings/*.flat` holds what `compile_settings` wrote for one project file and one set of variables. Its first line
says of which files it was made; where one of them changed, came or went, it is old, and `compile_settings` makes it
anew. A file that cannot be compiled leaves a mark instead of values: then nothing is captured, because nobody knows
what was to be left out.
"""

from __future__ import annotations

import os

from marrow.capture import where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT_FILE, USER_FILE = ".marrow.toml", "config.toml"
INVALID = "!"
# Variables that are no settings, and settings that are the daemon's or nobody's business here.
OTHER_VARIABLES = ("MARROW_TEST_", "MARROW_BENCH_", "MARROW_INTERNAL_")
APART = frozenset(("MARROW_HOME", "MARROW_PROJECT", "MARROW_STORE", "MARROW_TOKEN", "MARROW_EMBEDDER_KEY"))
_ESCAPES = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t", "e": "="}


class Place:
    """What the settings of a folder come from: the user's file, the project's, and the variables."""

    __slots__ = ("config", "environ", "flat", "home", "project_file", "root")

    def __init__(self, cwd: str, home: str, environ: Mapping[str, str]) -> None:
        given = {
            name: text
            for name, text in environ.items()
            if text and name.startswith("MARROW_") and name not in APART and not name.startswith(OTHER_VARIABLES)
        }
        user_home = where.user_home(environ)
        self.home = home
        self.environ = {**given, "HOME": user_home, "MARROW_HOME": home}
        self.config = given.get("MARROW_CONFIG", "") or os.path.join(home, USER_FILE)
        self.root = given.get("MARROW_PROJECT_ROOT", "") or cwd
        self.project_file = find_project_file(self.root, user_home)
        key = self.project_file + "".join(f"\n{name}={given[name]}" for name in sorted(given))
        self.flat = where.compiled(home, key)

    def stamp(self) -> str:
        """The state of everything that the compiled form depends on; the settings module itself for its defaults."""
        module = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "settings.py")
        return "\t".join(["#1", *(_state(path) for path in (self.config, self.project_file, module))]) + "\n"


def read(place: Place) -> dict[str, str] | None:
    """The values by name, as text; None where they have to be compiled first."""
    try:
        file = os.open(place.flat, os.O_RDONLY)
    except OSError:
        return None
    try:
        text = os.read(file, 1 << 20).decode("utf-8", "replace")
    finally:
        os.close(file)
    stamp = place.stamp()
    return values(text[len(stamp) :]) if text.startswith(stamp) else None


def values(flat: str) -> dict[str, str]:
    """The lines of `compile_settings.flat` by name, still escaped."""
    return dict(line.split("=", 1) for line in flat.split("\n") if "=" in line and not line.startswith(INVALID))


def find_project_file(start: str, user_home: str) -> str:
    """The nearest `.marrow.toml`, as `settings.find_project_file` finds it; a test compares them."""
    directory, home, found = os.path.realpath(start), os.path.realpath(user_home), ""
    while True:
        path = os.path.join(directory, PROJECT_FILE)
        if not found and directory != home and os.path.lexists(path):
            found = path
        if os.path.lexists(os.path.join(directory, ".git")):
            return found
        parent = os.path.dirname(directory)
        if parent == directory:
            break
        directory = parent
    if not found or os.path.join(home, "").startswith(os.path.join(os.path.dirname(found), "")):
        return ""
    return found if not hasattr(os, "getuid") or os.lstat(found).st_uid == os.getuid() else ""


def is_on(flat: Mapping[str, str], name: str) -> bool:
    return flat.get(name, "") == "true"


def number(flat: Mapping[str, str], name: str, default: int) -> int:
    text = flat.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else default


def items(flat: Mapping[str, str], name: str) -> list[str]:
    text = flat.get(name, "")
    return [unescaped(item) for item in text.split("\t")] if text else []


def unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    marks, at = [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            marks.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
        else:
            marks.append(text[at])
            at += 1
    return "".join(marks)


def _state(path: str) -> str:
    if not path:
        return "-"
    try:
        found = os.stat(path)
    except OSError:
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"
