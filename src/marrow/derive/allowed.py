"""Which files of derivations may run: those whose exact bytes the user has allowed. A `.marrow.toml` comes from whoever
wrote the repository, so a file that it names is only run after `marrow derivations allow`, and again after each
change of the file. The digests are kept in the user's own folder, never in the repository.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..model.errors import Unavailable

FILE_BYTES_MAX = 256 * 1024
ALLOWED_FILE = "derivations.json"
FILES_MAX = 20


class NamedFile(NamedTuple):
    """A file that the settings name, as it is now. `text` is what would run; `problem` is why it cannot. `was_allowed`
    when its user allowed it as it was before; `whole` is where it lies."""

    path: str
    digest: str = ""
    text: str = ""
    is_allowed: bool = False
    problem: str = ""
    was_allowed: bool = False
    whole: str = ""


def named_files(root: str, named: Sequence[str], home: str) -> list[NamedFile]:
    """The files by name, from the project's root. Only what lies inside it counts, links followed."""
    known = _digests(home)
    return [_looked_at(root, name, known) for name in tuple(named)[:FILES_MAX]]


def _looked_at(root: str, name: str, known: dict[str, str]) -> NamedFile:
    if not root:
        return NamedFile(name, problem="There is no project here.")
    whole = os.path.realpath(os.path.join(root, name))
    if not whole.startswith(os.path.join(os.path.realpath(root), "")):
        return NamedFile(name, problem="It is not inside the project.")
    try:
        about = os.stat(whole)
        if not stat.S_ISREG(about.st_mode) or about.st_size > FILE_BYTES_MAX:
            return NamedFile(name, problem=f"It is no file of at most {FILE_BYTES_MAX:,} bytes.")
        data = Path(whole).read_bytes()
        text = data.decode()
    except OSError as problem:
        return NamedFile(name, problem=f"It cannot be read: {problem.strerror}.")
    except UnicodeDecodeError:
        return NamedFile(name, problem="It is not UTF-8.")
    digest = hashlib.sha256(data).hexdigest()
    return NamedFile(name, digest, text, digest in known, was_allowed=whole in known.values(), whole=whole)


def allow(home: str, files: Sequence[NamedFile]) -> list[str]:
    """Let these run, as they are now; the digests that are new."""
    known = _digests(home)
    new = {one.digest: one.whole for one in files if one.digest and not one.problem and one.digest not in known}
    if new:
        _write(home, known | new)
    return list(new)


def disallow(home: str, files: Sequence[NamedFile]) -> list[str]:
    """Let these no longer run; the digests that are gone."""
    known = _digests(home)
    gone = [one.digest for one in files if one.digest in known]
    if gone:
        _write(home, {digest: path for digest, path in known.items() if digest not in gone})
    return gone


def _digests(home: str) -> dict[str, str]:
    """A file that cannot be read allows nothing."""
    try:
        said = json.loads(Path(home, ALLOWED_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    allowed = said.get("allowed") if isinstance(said, dict) else None
    return {str(key): str(value) for key, value in allowed.items()} if isinstance(allowed, dict) else {}


def _write(home: str, allowed: dict[str, str]) -> None:
    target = Path(home, ALLOWED_FILE)
    partial = target.with_suffix(f".{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"allowed": allowed}, file, indent=1, sort_keys=True)
        partial.replace(target)
    except OSError as problem:
        raise Unavailable(
            f"{target} cannot be written: {problem.strerror}.", hint="Check that the folder is yours."
        ) from problem
