"""Observed: what is seen at run time confirms the map's calls, adds to them, or speaks against them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...codemap.frames import Frame, stacks
from ...model.code import CALLABLES
from ...store.code import FileRow, Known, MapReader
from ...store.code.reader import Seen
from .callees import calls_in, inside
from .kept_map import KeptMap

PATHS_TRIED_MAX = 50


class Observed(NamedTuple):
    """How many calls were confirmed, are new to the map, or went elsewhere than it says."""

    confirmed: int = 0
    added: int = 0
    against: int = 0


def observed_in(kept: KeptMap, text: str, now: int) -> Observed:
    """What the stack traces in a text show."""
    pairs = [(a, b) for stack in stacks(text) for a, b in pairwise(stack)]
    return observed(kept, pairs, now)


def observed(kept: KeptMap, pairs: Iterable[tuple[Frame, Frame]], now: int) -> Observed:
    """Each pair is a caller at the line where it calls, and what it called. Frames outside of the project are passed
    over; so is a call that passed through one."""
    done: Counter[str] = Counter()
    with kept.reading() as reader:
        files: dict[str, FileRow | None] = {}
        found: list[Seen] = []
        for first, second in pairs:
            caller = _symbol(reader, kept.root, first, files)
            target = _symbol(reader, kept.root, second, files)
            if caller is not None and target is not None:
                found += _judged(reader, caller, first.line, target, now, done)
    if found:
        with kept.file.writing() as writer:
            writer.see(found)
    return Observed(done["confirmed"], done["added"], done["against"])


def _judged(reader: MapReader, caller: Known, line: int, target: Known, now: int, done: Counter[str]) -> Sequence[Seen]:
    file = caller.id >> 20
    parents, numbers = reader.parents(file)
    found_here, _ = calls_in(reader, file, inside(parents, caller.at), numbers)
    here = [one for one in found_here if one.line == line and one.target is not None]
    ids = {one.target.id for one in here if one.target is not None}
    makes = target.kind == "constructor" and target.parent in ids
    if target.id in ids or makes:
        done["confirmed"] += 1
        confirmed = target.parent if makes and target.parent is not None else target.id
        return [Seen(caller.id, confirmed, line, 1, 0, now)]
    done["added"] += 1
    found = [Seen(caller.id, target.id, line, 1, 0, now)]
    for one in here:  # on that line the map says that another of the same name is called
        if one.target is not None and one.target.name == target.name:
            done["against"] += 1
            found.append(Seen(caller.id, one.target.id, line, 0, 1, now))
    return found


def _symbol(reader: MapReader, root: str, frame: Frame, files: dict[str, FileRow | None]) -> Known | None:
    """The function around a frame's line; where the name does not fit, the text has changed since."""
    if frame.file not in files:
        files[frame.file] = _file(reader, root, frame.file)
    row = files[frame.file]
    if row is None:
        return None
    around = [one for one in reader.symbols_of(row.id) if one.kind in CALLABLES and one.start <= frame.line <= one.stop]
    if not around:
        return None
    found = min(around, key=lambda one: (one.stop - one.start, -one.at))
    if frame.function and not _fits(frame.function, found):
        named = [one for one in around if _fits(frame.function, one)]
        return named[-1] if named else None
    return found


def _fits(function: str, symbol: Known) -> bool:
    plain = function.strip("<>")
    if plain in ("lambda", "anonymous", "genexpr", "listcomp", "dictcomp", "setcomp", "init", "clinit"):
        return plain != "init" or symbol.kind == "constructor"
    return symbol.name == plain.rpartition(".")[2]


def _file(reader: MapReader, root: str, given: str) -> FileRow | None:
    """By its whole path, from the root, or by the end of it where only one file ends so."""
    path = given.replace("\\", "/").removeprefix("./")
    if path.startswith(f"{root}/"):
        return reader.file_at(path[len(root) + 1 :])
    parts = path.split("/")
    for start in range(min(len(parts), PATHS_TRIED_MAX)):
        found = reader.file_at("/".join(parts[start:]))
        if found is not None:
            return found
    if len(parts) > 1:
        return None
    named = [row for row in reader.files_named(path) if row.language]
    return named[0] if len(named) == 1 else None
