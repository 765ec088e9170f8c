"""One file, read and parsed, in the form in which it is kept. What is wrong with a file is its state, and no error."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from ...codemap.entry import flags_in, is_test_path
from ...codemap.languages.table import language, language_of
from ...codemap.parse import map_of
from ...codemap.secrets import without_secrets
from ...codemap.skipped import BYTES_MAX, GENERATED, HUGE, named_as_generated, why_skipped
from ...model.code import TOP, FileMap
from ...model.errors import MarrowError
from ...repository.plain_file import without_waiting
from ...store.code.packing import pack_calls, pack_outline, symbol_id
from ...store.code.states import MAPPED, SKIPPED

HASH_BYTES = 16
CHAINS_KEPT = 32768
UNREADABLE, UNPARSED = "unreadable", "not parsed"
_OF_MANY_NAMES = frozenset(("", "*", "default"))
_AGAIN = re.compile(r"#\d+")


class Read(NamedTuple):
    """A file as it was read. `source` is empty for one that is not mapped, and then `reason` says why."""

    size: int
    mtime: int
    hash: bytes | None
    source: bytes
    reason: str


class Parsed(NamedTuple):
    """A file for a new map: plain values, so that a worker can send it. `symbols` are rows of the table,
    `names` the last names of all calls, where it is not resolved next."""

    id: int
    path: str
    language: str
    package: str
    size: int
    mtime: int
    hash: bytes | None
    state: str
    reason: str
    errors: int
    lines: int
    outline: bytes
    calls: bytes
    symbols: list[tuple[Any, ...]]
    names: list[str]


def read_file(root: str, path: str) -> Read:
    """Never through a link, never more than the limit."""
    whole = os.path.join(root, path)
    try:
        found = os.lstat(whole)
        if not stat.S_ISREG(found.st_mode):
            return Read(0, 0, None, b"", UNREADABLE)
        if found.st_size > BYTES_MAX:
            return Read(found.st_size, _bounded(found.st_mtime_ns), None, b"", HUGE)
        with open(whole, "rb", buffering=0, opener=without_waiting) as file:
            source = file.read(found.st_size + 1) or b""
            if len(source) > found.st_size:  # it is longer now
                source += file.read(BYTES_MAX + 1 - len(source)) or b""
    except OSError:
        return Read(0, 0, None, b"", UNREADABLE)
    digest = blake2b(source, digest_size=HASH_BYTES).digest()
    reason = GENERATED if named_as_generated(path) else why_skipped(source)
    return Read(found.st_size, _bounded(found.st_mtime_ns), digest, b"" if reason else source, reason)


def _bounded(mtime_ns: int) -> int:
    """As a row can hold it: a file may claim any time."""
    return max(-(2**63), min(mtime_ns, 2**63 - 1))


def parse(path: str, source: bytes, redact_extra: Sequence[str] = ()) -> tuple[FileMap, str]:
    """The map, and why there is none; whatever a grammar's reader does with hostile text is that file's failure. All
    that is kept of a file comes through here: a secret goes no further."""
    try:
        return without_secrets(map_of(path, source), redact_extra), ""
    except MarrowError as problem:
        return FileMap(language_of(path)), problem.message
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError, ImportError) as problem:
        return FileMap(language_of(path)), f"{UNPARSED}: {type(problem).__name__}"


def parsed(
    root: str,
    id_: int,
    path: str,
    keep: Callable[[str, FileMap], None] | None = None,
    redact_extra: Sequence[str] = (),
) -> Parsed:
    """A file for a new map. `keep` is given the map itself, where there is one and it is resolved next."""
    read = read_file(root, path)
    language = language_of(path)
    found, reason = (FileMap(language), read.reason) if read.reason else parse(path, read.source, redact_extra)
    state = SKIPPED if reason else MAPPED
    lines = line_count(read.source)
    outline, calls = (b"", b"") if reason else (pack_outline(found), pack_calls(found.calls))
    if keep is not None and not reason:
        keep(path, found)
    return Parsed(
        id_,
        path,
        language,
        found.package,
        read.size,
        read.mtime,
        read.hash,
        state,
        reason,
        found.errors,
        lines,
        outline,
        calls,
        symbol_rows(id_, path, found),
        [*called_names(found), *map(handed_on_key, handed_on(found))] if keep is None else [],
    )


def line_count(source: bytes) -> int:
    """As an editor counts them: the end of the last line begins no other."""
    return source.count(b"\n") + (not source.endswith(b"\n")) if source else 0


def called_names(found: FileMap) -> set[str]:
    """The last names of all calls of a file, and what those that are imported under another name are called there.
    What makes one of a type above (`super(…)`) does not name it: the names of those types stand for it."""
    chains = {chain for _, _, _, chain, kind in found.calls if kind == "call"}
    names = set(map(last_name, chains))
    supers = tuple(language(found.language).rules.supers) if chains else ()
    if supers and any(chain.startswith(supers) for chain in chains):
        names |= {last_name(base.partition("[")[0]) for symbol in found.symbols for base in symbol.bases}
    names.discard("")
    names |= {one.name for one in found.imports if one.name and one.name not in ("*", one.local) and one.local in names}
    return names


def handed_on(found: FileMap) -> dict[str, set[str]]:
    """What a file has from another and hands on under other names (`export { made as build } from './x'`), and those
    names. Of a default there are too many."""
    own = {local: name for local, _, name, _, _, scope in found.imports if scope == TOP and name not in _OF_MANY_NAMES}
    if not own:
        return {}
    pairs = [(name, local) for local, _, name, _, exported, _ in found.imports if exported and local in own]
    pairs += [(own[value], name) for scope, name, _, value, _ in found.bindings if value in own and scope == TOP]
    names: dict[str, set[str]] = {}
    for name, other in pairs:
        if other not in (name, "default"):
            names.setdefault(name, set()).add(other)
    return names


def handed_on_key(name: str) -> str:
    """Under which the files are kept, beside those of the calls by name, that hand it on under another one."""
    return f"{name} as"


def written(chain: str) -> str:
    """A chain as its text has it: without the numbers that keep names apart which are given again (`row#2.save`)."""
    return _AGAIN.sub("", chain)


@lru_cache(maxsize=CHAINS_KEPT)
def last_name(chain: str) -> str:
    """What a chain calls, by name; "" for one that does not say. The same are met again and again."""
    name = chain.rpartition(".")[2]
    if name.isidentifier():
        return name
    name = name.removesuffix("{}").removesuffix("!")
    return "" if name.startswith(("?", "<")) else name.partition("[")[0].partition("(")[0]


def symbol_rows(file: int, path: str, found: FileMap) -> list[tuple[Any, ...]]:
    """Rows of a file that is new: its symbols are numbered as they come."""
    start, flags_of = symbol_id(file, 0), flags_in(path, is_test_path(path))
    rows: list[tuple[Any, ...]] = []
    for at, symbol in enumerate(found.symbols):
        kind, name, qualified, parent, first, last = symbol[:6]
        above = None if parent == TOP else start + parent
        rows.append((start + at, name, within(qualified, name), kind, first, last, above, at, flags_of(symbol)))
    return rows


def within(qualified: str, name: str) -> str:
    return qualified[: -len(name) - 1] if len(qualified) > len(name) else ""
