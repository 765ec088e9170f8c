"""The files of a project as anchors see them: read once, inside the root alone, and never a large one."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cached_property

from ...codemap.languages.table import language, language_of
from ...codemap.parse import map_of
from ...codemap.tame import is_tame
from ...codemap.tokens import Tokens, tokens_of
from ...model.code import FileMap, Symbol
from ...model.errors import Invalid, MarrowError, Unavailable
from ...model.redact_lines import AROUND, redact_piece
from ...repository.command import content, fields, succeeds
from ...repository.file_sorts import is_inside_git, is_secret
from ...repository.files import tracked
from ...repository.head import head_of
from ...repository.identity import Place, locate
from ...repository.kept import Kept
from ...repository.plain_file import read_plain

BYTES_MAX = 1024 * 1024
SCANNED_MAX, SCANNED_BYTES = 2_000, 256 * 1024
_COMMIT = re.compile(r"[0-9a-fA-F]{4,64}\Z")
_HASH = re.compile(r"[0-9a-f]{40,64}")

_listed: Kept[tuple[str, int], tuple[str, ...]] = Kept(8)
# What became of a file in the history of a commit does not change.
_became: Kept[tuple[str, str, str, str], str] = Kept(2_000)


class Checkout:
    """A project's folder. What was read stays as it was read: one Checkout serves one save or one verification."""

    def __init__(
        self, root: str, defining: Callable[[str], list[str]] | None = None, redact_extra: Sequence[str] = ()
    ) -> None:
        """`defining` gives the files that define a symbol of a name, as far as that is known without looking.
        `redact_extra` are the project's own patterns of secrets."""
        self.root = root
        self._defining = defining
        self._redact_extra = tuple(redact_extra)
        self._sources: dict[str, bytes | None] = {}
        self._lines: dict[str, list[bytes]] = {}
        self._tokens: dict[str, Tokens] = {}
        self._symbols: dict[str, tuple[Symbol, ...]] = {}
        self._renamed: dict[str, str] = {}
        self._holding: dict[tuple[str, int], list[str]] = {}
        self._folders: dict[str, str | None] = {}
        self._broken: set[str] = set()

    @cached_property
    def _real_root(self) -> str:
        return os.path.realpath(self.root)

    @cached_property
    def repository(self) -> Place | None:
        place = locate(self.root, environ={})
        return place if place is not None and place.root is not None else None

    def has(self, path: str) -> bool:
        """Whether there is a regular file of this name inside the root."""
        return self._size(path) is not None

    def size(self, path: str) -> int:
        return self._size(path) or 0

    def source(self, path: str) -> bytes | None:
        """What stands in a file; None for one that is not there, leads out of the project, is there to hold secrets, or
        is too large."""
        if path not in self._sources:
            size, found = self._size(path), None
            if size is not None and size <= BYTES_MAX and not self.is_secret(path):
                with suppress(OSError):
                    found = read_plain(os.path.join(self.root, path), BYTES_MAX + 1)
            self._sources[path] = found
        return self._sources[path]

    def is_secret(self, path: str) -> bool:
        """Whether a file is there to hold secrets: by its name, or by that of what it leads to."""
        return is_secret(path) or is_secret(self._real(path) or "")

    def lines(self, path: str) -> list[bytes]:
        if path not in self._lines:
            self._lines[path] = (self.source(path) or b"").splitlines()
        return self._lines[path]

    def told(self, path: str, first: int, last: int) -> str:
        """Some lines as they may be kept and shown: without secrets."""
        low, every = max(0, first - 1 - AROUND), self.lines(path)
        near = [line.decode("utf-8", "replace") for line in every[low : last + AROUND]]
        return "\n".join(redact_piece(near, first - 1 - low, min(last - low, len(near)), self._redact_extra))

    def tokens(self, path: str) -> Tokens:
        if path not in self._tokens:
            self._tokens[path] = tokens_of(path, self.source(path) or b"")
        return self._tokens[path]

    def tokens_at(self, path: str, first: int, last: int) -> Tokens:
        """The tokens of some lines: quicker than all of them, where those are not known yet."""
        known = self._tokens.get(path)
        return known if known is not None else tokens_of(path, self.source(path) or b"", first, last)

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """The symbols of a file; none where its language is not read here."""
        if path not in self._symbols:
            source = self.source(path) or b""
            try:
                found = map_of(path, source) if is_tame(source) else FileMap("")
            except (ImportError, MarrowError):
                found = FileMap("")
            self._symbols[path] = found.symbols
            if found.errors:
                self._broken.add(path)
        return self._symbols[path]

    def is_broken(self, path: str) -> bool:
        """Whether a file cannot be parsed as it is now: somebody is in the middle of changing it."""
        self.symbols(path)
        return path in self._broken

    def can_read(self, path: str) -> bool:
        """Whether what stands in a file can be taken apart here: a large or a wild one cannot."""
        source, name = self.source(path), language_of(path)
        if source is None or not is_tame(source):
            return False
        try:
            return not name or language(name) is not None
        except ImportError:
            return False

    def defining(self, name: str) -> list[str]:
        """The files in which a symbol of this name (`close`, `Store.close`) is defined, as the code map has it; none
        without a map."""
        return [] if self._defining is None else [path for path in self._defining(name) if self.has(path)]

    def tracked_files(self) -> tuple[str, ...]:
        """What git tracks, as of its index. Kept between calls: a save asks for it."""
        place = self.repository
        if place is None:
            return self.files()
        try:
            at = os.stat(os.path.join(place.git_dir, "index")).st_mtime_ns
        except OSError:
            return ()
        known = _listed.get((self.root, at))
        return known if known is not None else _listed.keep((self.root, at), tuple(self._ask("ls-files", "-z")))

    def files(self) -> tuple[str, ...]:
        """Every file that belongs to the project, new ones too."""
        return self._files

    @cached_property
    def _files(self) -> tuple[str, ...]:
        if self.repository is not None:
            found = tuple(self._ask("ls-files", "-z", "--cached", "--others", "--exclude-standard"))
            if found:
                return tuple(path for path in dict.fromkeys(found) if self.has(path))
        try:
            return tuple(os.path.relpath(path, self.root).replace("\\", "/") for path in tracked(self.root))
        except MarrowError:
            return ()

    def named(self, name: str) -> list[str]:
        """The tracked files of this base name."""
        return [path for path in self.tracked_files() if path == name or path.endswith(f"/{name}")]

    def renamed(self, path: str) -> str:
        """What git knows a file that is gone to be called now; "" when it knows nothing."""
        if path not in self._renamed:
            self._renamed[path] = self._find_renamed(path)
        return self._renamed[path]

    def was_known(self, path: str) -> bool:
        """Whether git ever had a file of this name."""
        key = (self.root, self._head, "known", path)
        known = _became.get(key)
        if known is None:
            found = next(self._ask("log", "-1", "--format=%H%x00", "HEAD", "--", path), "") if self._head else ""
            known = _became.keep(key, found or "-")
        return known != "-"

    def last_commit(self, path: str) -> str:
        """The last commit that touched a file, be it that it took it away; "" when there is none."""
        found = next(self._ask("log", "-1", "--format=%H%x00", "HEAD", "--", path), "") if self._head else ""
        return found if _HASH.fullmatch(found) else ""

    def holding(self, text: str, limit: int) -> list[str]:
        """The files in which a word or a piece of a line stands, those of the project alone."""
        key = (text, limit)
        if key not in self._holding:
            self._holding[key] = list(self._find_holding(text, limit))
        return self._holding[key]

    def commit(self, name: str) -> tuple[str, bool]:
        """The whole name of a commit ("" when there is none), and whether what is checked out goes back to it."""
        if self.repository is None or _COMMIT.match(name) is None:
            return "", False
        with suppress(MarrowError):
            told, _ = content(self.root, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}", bytes_max=200)
            whole = told.decode("ascii", "replace").strip()
            if _HASH.fullmatch(whole):
                return whole, succeeds(self.root, "merge-base", "--is-ancestor", whole, "HEAD")
        return "", False

    def _size(self, path: str) -> int | None:
        whole = os.path.join(self.root, path)
        try:
            found = os.lstat(whole)
            if stat.S_ISLNK(found.st_mode):
                found = os.stat(whole)
            return found.st_size if stat.S_ISREG(found.st_mode) and self._real(path) is not None else None
        except (OSError, ValueError):
            pass
        return None

    def _real(self, path: str) -> str | None:
        """What a path leads to with its links resolved, from the root; None outside of it and in what is git's own."""
        whole = os.path.join(self.root, path)
        real = self._inside(os.path.realpath(whole)) if os.path.islink(whole) else self._beside(path)
        return None if real is None or is_inside_git(real) else real

    def _beside(self, path: str) -> str | None:
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            self._folders[folder] = self._inside(os.path.realpath(os.path.join(self.root, folder)))
        above = self._folders[folder]
        return None if above is None else f"{above}/{name}".removeprefix("./")

    def _inside(self, real: str) -> str | None:
        is_inside = os.path.join(real, "").startswith(os.path.join(self._real_root, ""))
        return os.path.relpath(real, self._real_root).replace(os.sep, "/") if is_inside else None

    @cached_property
    def _head(self) -> str:
        return head_of(self.repository).commit if self.repository is not None else ""

    def _ask(self, *arguments: str) -> Iterator[str]:
        """What git says, in parts; nothing where it cannot say it."""
        if self.repository is None:
            return
        try:
            with closing(fields(self.root, "--literal-pathspecs", *arguments)) as told:
                for part in told:
                    with suppress(UnicodeDecodeError):  # a name that no memory can have
                        if text := part.decode().strip("\n"):
                            yield text
        except (Invalid, Unavailable):
            return

    def _find_renamed(self, path: str) -> str:
        """Staged since the last commit, or in the commit that took the file away, and on from there."""
        seen, here = {path}, path
        while True:
            after = self._staged().get(here, "") or self._in_history(here)
            if not after or after in seen:
                return here if here != path and self.has(here) else ""
            if self.has(after):
                return after
            seen.add(after)
            here = after

    def _staged(self) -> dict[str, str]:
        return self._staged_renames

    @cached_property
    def _staged_renames(self) -> dict[str, str]:
        return _renames(list(self._ask("diff", "--cached", "-z", "-M", "--name-status", "--diff-filter=R", *_QUIET)))

    def _in_history(self, path: str) -> str:
        key = (self.root, self._head, "renamed", path)
        known = _became.get(key)
        if known is None:
            known = _became.keep(key, (self._look_back(path) if self._head else "") or "-")
        return known.removeprefix("-")

    def _look_back(self, path: str) -> str:
        gone = next(self._ask("log", "-1", "--diff-filter=D", "--format=%H%x00", "HEAD", "--", path), "")
        if not _HASH.fullmatch(gone):
            return ""
        told = self._ask("show", "-z", "-M", "--format=", "--name-status", "--diff-filter=R", *_QUIET, gone, "--")
        return _renames(list(told)).get(path, "")

    def _find_holding(self, text: str, limit: int) -> Sequence[str]:
        if self.repository is not None:
            options = ("-z", "-l", "-I", "-F", "--untracked", "--no-color", "--no-textconv")
            found = []
            for path in self._ask("grep", *options, "-e", text, "--"):
                if self.has(path):
                    found.append(path)
                if len(found) >= limit:
                    break
            return found
        wanted, found = text.encode(), []
        for path in self.files()[:SCANNED_MAX]:
            if self.size(path) <= SCANNED_BYTES and wanted in (self.source(path) or b""):
                found.append(path)
            if len(found) >= limit:
                break
        return found


_QUIET = ("--no-ext-diff", "--no-textconv", "--no-color", f"-O{os.devnull}")


def _renames(told: Sequence[str]) -> dict[str, str]:
    """From `R100 old new`, each a part of its own."""
    found, at = {}, 0
    while at + 2 < len(told):
        if re.fullmatch(r"R\d*", told[at]):
            found[told[at + 1]] = told[at + 2]
            at += 3
        else:
            at += 1
    return found


__all__ = ["BYTES_MAX", "Checkout"]
