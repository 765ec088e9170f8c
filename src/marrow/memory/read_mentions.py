"""What texts name, read once a process: for connecting what is new, and for seeing what an earlier text had linked."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..codemap.entry import TEST
from ..ingest.mentions import PATH, Mention, mentions, symbols
from ..model.code import CALLABLES, TYPES
from ..model.errors import MarrowError
from ..model.record import CURRENT, Record
from ..store.code import MapReader
from ..store.protocol import Reader, Store
from .code.find import by_name
from .code.opened import kept
from .engine import Asker, Engine
from .named_nodes import Named, can_mean, named_of, told_by_fields
from .said_relation import NAMES_FILES, Line, relation

NAMERS = ("decision", "incident", "meeting", "design", "document", "conversation", "commit")
# What names more of one sort is a list of them, and says little about each.
LIST_FROM = 25
SYMBOLS_MAX = 12
READ_AT_ONCE, REMEMBERED_MAX = 500, 200_000

Mentions = tuple[Mention, ...]
# What the texts of a store name, by entry: they do not change.
_remembered: WeakKeyDictionary[Store, dict[int, Mentions]] = WeakKeyDictionary()
_remembering = threading.Lock()


class Namer(NamedTuple):
    """A node with what it names."""

    node: Named
    mentions: Mentions


def reading(engine: Engine, asker: Asker, reader: Reader, new: Sequence[Named]) -> list[Namer]:
    """What the new ones name, with the files of the symbols that they name where the code is mapped."""
    if not new:
        return []
    known = {one.entry: one for one in new}
    memory = remembered(engine.store)
    about_code = {entry for entry, one in known.items() if one.kind in NAMES_FILES}
    files = _files_of_symbols(engine, asker, read_all(reader, list(known), memory, about_code))
    for entry, more in files.items():
        memory[entry] = (*memory[entry], *more)
    return [Namer(one, memory[entry]) for entry, one in known.items()]


def _files_of_symbols(engine: Engine, asker: Asker, texts: dict[int, str]) -> dict[int, Mentions]:
    """The files that define what these texts name as code, where there is a map, and one file alone has it."""
    named = {entry: symbols(text)[:SYMBOLS_MAX] for entry, text in texts.items()}
    if not any(named.values()):
        return {}
    found: dict[str, str] = {}
    with suppress(MarrowError):  # without a map, or with a damaged one, there are fewer links
        mapped = kept(engine, asker)
        if mapped is None:
            return {}
        with mapped.reading() as reader:
            found = {name: _defined_in(reader, name) for name in {n for some in named.values() for n in some}}
    return {
        entry: tuple(Mention(PATH, path) for name in some if (path := found.get(name, "")))
        for entry, some in named.items()
    }


def _defined_in(reader: MapReader, name: str) -> str:
    known = [one for one in by_name(reader, name) if one.kind in CALLABLES | TYPES and not one.flags & TEST]
    paths = {one.path for one in known}
    return paths.pop() if len(paths) == 1 else ""


def remembered(store: Store) -> dict[int, Mentions]:
    with _remembering:
        memory = _remembered.setdefault(store, {})
        if len(memory) > REMEMBERED_MAX:
            memory.clear()
        return memory


def read_all(
    reader: Reader, entries: Sequence[int], memory: dict[int, Mentions], wanted: Collection[int] = ()
) -> dict[int, str]:
    """Read what these name, in their texts and in what their readers noted beside; the texts of those wanted."""
    kept_texts: dict[int, str] = {}
    for start in range(0, len(entries), READ_AT_ONCE):
        some = entries[start : start + READ_AT_ONCE]
        said = reader.occurrences(some, CURRENT)
        for entry, _, content in reader.texts_of(some):
            last = said[entry][-1] if said.get(entry) else None
            fields = last.fields if last else {}
            memory[entry] = (*told_by_fields(fields), *mentions(content, str(fields.get("path") or "")))
            if entry in wanted:
                kept_texts[entry] = content
    return kept_texts


def telling(named: Mentions) -> Iterator[Mention]:
    """The mentions that say something: not those of a long list."""
    counts: dict[str, int] = {}
    for mention in named:
        counts[mention.what] = counts.get(mention.what, 0) + 1
    return (mention for mention in named if mention.how or counts[mention.what] < LIST_FROM)


class Known(NamedTuple):
    """A node with what it names. `is_held` says whether it is still read from somewhere."""

    record: Record
    node: Named
    mentions: Mentions = ()
    is_held: bool = False


def known_at(engine: Engine, asker: Asker, reader: Reader, addresses: Iterable[str]) -> dict[str, Known]:
    """These nodes of the asker's project, however they stand."""
    place = (asker.scope.project,)
    asked = sorted(set(addresses))
    records = reader.records(asker.namespace, asked, place, CURRENT)
    said = reader.occurrences([record.entry for record in records], CURRENT)
    paths: dict[str, set[str]] = {}
    for source in reader.sources_of(asker.namespace, asked, place):
        if source.is_document:
            paths.setdefault(source.address, set()).add(source.path)
    found: dict[str, Known] = {}
    for record in records:
        held = paths.get(record.node.address, set())
        node = named_of(record, said.get(record.entry, ()))._replace(paths=frozenset(held))
        found[record.node.address] = Known(record, node, (), bool(held))
    for namer in reading(engine, asker, reader, [one.node for one in found.values() if one.node.kind in NAMERS]):
        address = namer.node.address
        found[address] = found[address]._replace(mentions=namer.mentions)
    return found


def between(one: Known | Namer, other: Known | Namer) -> set[Line]:
    """Every link that the texts of these two may have made between them. That a name fits others too is not asked: it
    may not have then."""
    found: set[Line] = set()
    for namer, named in ((one, other), (other, one)):
        for mention in telling(namer.mentions):
            line = relation(namer.node.end, named.node.end, mention.how) if can_mean(mention, named.node) else None
            found |= {line} if line is not None else set()
    return found
