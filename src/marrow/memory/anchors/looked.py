"""What held when it was last looked at: an anchor whose file is as it was then need not be looked at again. Kept beside
the code map; lost without harm."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from ...model.link import Anchor
from ...version import __version__
from ..engine import Engine
from .evidence import PATH, has_evidence
from .finding import HOLDS, Finding

# A file that was written so lately may be written again without its time telling.
TOO_FRESH_NS = 2_000_000_000


class Looked:
    """The anchors that held, each with the size and time that its file had."""

    def __init__(self, root: str, kept_in: Path | None) -> None:
        self._root, self._kept_in = root, kept_in
        self._before = _read(kept_in)
        self._held: dict[str, str] = {}
        self._stamps: dict[str, str] = {}

    def holds(self, anchor: Anchor) -> bool:
        """Whether it held when its file was as it is now."""
        key, stamp = _key(anchor), self._stamp(anchor)
        if not stamp or self._before.get(key) != stamp:
            return False
        self._held[key] = stamp
        return True

    def about_to_read(self, path: str) -> None:
        """How a file is before it is read: what is found in it is noted for that."""
        self._stamps[path] = self._stamp_of(path)

    def note(self, found: Finding) -> None:
        stamp = self._stamp(found.anchor)
        if stamp and found.verdict == HOLDS and found.now is None:
            self._held[_key(found.anchor)] = stamp

    def keep(self, *, is_all: bool) -> None:
        """Write it down; unless all was looked at, what was known before stays."""
        held = self._held if is_all else {**self._before, **self._held}
        if self._kept_in is None or held == self._before:
            return
        with suppress(OSError):
            self._kept_in.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial = self._kept_in.with_name(f"{self._kept_in.name}.{os.getpid()}.partial")
            partial.write_text(json.dumps({"version": __version__, "held": held}))
            partial.replace(self._kept_in)

    def _stamp(self, anchor: Anchor) -> str:
        """Of the one file that the verdict hangs on, as it was when it was first asked for: before it was read."""
        path = anchor.target if anchor.type in ("file", "lines") else str(anchor.fields.get(PATH) or "")
        if anchor.type not in ("file", "lines", "symbol") or not path or not has_evidence(anchor):
            return ""
        if path not in self._stamps:
            self._stamps[path] = self._stamp_of(path)
        return self._stamps[path]

    def _stamp_of(self, path: str) -> str:
        try:
            found = os.stat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return ""
        is_fresh = time.time_ns() - found.st_mtime_ns < TOO_FRESH_NS
        return "" if is_fresh else f"{found.st_size}.{found.st_mtime_ns}.{found.st_ino}"


def looked_of(engine: Engine, root: str) -> Looked:
    path = engine.maps(root).file.path.with_suffix(".looked") if engine.maps is not None else None
    return Looked(root, path)


def _key(anchor: Anchor) -> str:
    told = "\0".join((anchor.type, anchor.target, anchor.detail))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _read(path: Path | None) -> Mapping[str, str]:
    try:
        told = json.loads(path.read_text()) if path is not None else {}
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(told, dict) or told.get("version") != __version__ or not isinstance(told.get("held"), dict):
        return {}
    return {str(key): str(stamp) for key, stamp in told["held"].items()}
