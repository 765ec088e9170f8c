"""Connect: the links that make themselves. What was taken in names decisions, incidents, commits, files; what is named,
or names, is linked, whichever came first.

New nodes are read for what they name. For what is new and can be named, those that came before are asked whether they
name it: few by the words that it would be named with, many by reading all that may name something, once a process.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..codemap.entry import TEST
from ..ingest.mentions import COMMIT, DECISION, INCIDENT, PATH, REQUEST, Mention, mentions, symbols
from ..model.change import Relate
from ..model.code import CALLABLES, TYPES
from ..model.errors import Conflict, Invalid, MarrowError, NotFound
from ..model.event import SUBCONSCIOUS
from ..model.record import CURRENT, Filter
from ..store.code import MapReader
from ..store.protocol import Reader, Store
from ..store.terms import terms_of
from .code.find import by_name
from .code.opened import kept
from .engine import Asker, Engine, submit
from .named_nodes import EVERYWHERE, HASH_DIGITS, Lookup, Named, named_of, told_by_fields
from .said_relation import NAMES_FILES, Line, relation, stronger

OPERATION = "connect"
NAMERS = ("decision", "incident", "meeting", "design", "document", "conversation", "commit")
# What names more of one sort is a list of them, and says little about each.
LIST_FROM = 25
# For so many new nodes that can be named, the words of their names are looked up; for more, all namers are read.
FEW, CANDIDATES = 16, 50
SYMBOLS_MAX = 12
READ_AT_ONCE, REMEMBERED_MAX = 500, 200_000
CIRCLE_NODES_MAX = 10_000

Mentions = tuple[Mention, ...]
# What the texts of a store name, by entry: they do not change.
_remembered: WeakKeyDictionary[Store, dict[int, Mentions]] = WeakKeyDictionary()
_remembering = threading.Lock()


class _Namer(NamedTuple):
    node: Named
    mentions: Mentions


class _Keys(NamedTuple):
    """How the new nodes can be named."""

    numbers: frozenset[str]
    names: frozenset[str]
    hashes: frozenset[str]
    talks: frozenset[str]
    files: frozenset[str]

    def has(self, mention: Mention) -> bool:
        if mention.what == PATH:
            return mention.name.rpartition("/")[2].lower() in self.files
        if mention.what == COMMIT:
            return mention.name[:HASH_DIGITS] in self.hashes
        return mention.name in {DECISION: self.numbers, INCIDENT: self.names, REQUEST: self.talks}[mention.what]

    def __len__(self) -> int:
        return sum(len(part) for part in (self.numbers, self.names, self.hashes, self.talks, self.files))


def connect(engine: Engine, asker: Asker, addresses: Sequence[str]) -> int:
    """Link these nodes, which are new in the asker's project, with what they name and with what names them; how many
    links were made. Links that are there are not made again, and none that would close a circle."""
    if not addresses or engine.store.read_only:
        return 0
    with engine.store.reading() as reader:
        lookup = Lookup(reader, asker, engine.clock())
        new = _new(reader, asker, addresses)
        namers = _reading(engine, asker, reader, [one for one in new if one.kind in NAMERS])
        keys = _keys(new, _changed(reader, asker, new))
        namers += _earlier(engine, asker, reader, lookup, keys, {one.entry for one in new}) if len(keys) else []
        lines = _lines(lookup, namers, {one.address for one in new})
        lines = _unmade(reader, asker, lines)
    return _make(engine, asker, lines)


def _new(reader: Reader, asker: Asker, addresses: Sequence[str]) -> list[Named]:
    """The new nodes. Of code only where it was read is of interest, and its text is not."""
    places = (asker.scope.project,)
    read = {source.address: source for source in reader.sources_of(asker.namespace, addresses, places)}
    code = [source for source in read.values() if source.kind not in NAMERS]
    rest = [address for address in addresses if address not in read or read[address].kind in NAMERS]
    records = [r for r in reader.records(asker.namespace, rest, places, CURRENT) if r.standing.state == "active"]
    said = reader.occurrences([record.entry for record in records], CURRENT)
    found = [Named(source.address, source.kind, source.service, source.path) for source in code if source.is_document]
    return [*found, *(named_of(record, said.get(record.entry, ())) for record in records)]


def _changed(reader: Reader, asker: Asker, new: Sequence[Named]) -> set[str]:
    """Those that took the place of an older version of the same file: its links were handed on to them."""
    addresses = [one.address for one in new if one.kind in ("code", "document")]
    links = reader.links(asker.namespace, addresses, (asker.scope.project,), CURRENT) if addresses else ()
    return {link.source for link in links if link.rel == "supersedes"}


def _keys(new: Iterable[Named], changed: Collection[str]) -> _Keys:
    numbers, names, hashes, talks, files = set[str](), set[str](), set[str](), set[str](), set[str]()
    for one in new:
        numbers |= one.numbers
        names |= one.names
        hashes |= {one.hash[:HASH_DIGITS]} if one.hash else set()
        talks |= {one.talk} if one.talk else set()
        is_file = one.path and not one.path.startswith("#") and one.kind not in ("commit", "conversation")
        is_file = is_file and one.address not in changed
        files |= {one.path.rpartition("/")[2].lower()} if is_file else set()
    return _Keys(frozenset(numbers), frozenset(names), frozenset(hashes), frozenset(talks), frozenset(files))


def _reading(engine: Engine, asker: Asker, reader: Reader, new: Sequence[Named]) -> list[_Namer]:
    """What the new ones name, with the files of the symbols that they name where the code is mapped."""
    if not new:
        return []
    known = {one.entry: one for one in new}
    memory = _memory(engine.store)
    about_code = {entry for entry, one in known.items() if one.kind in NAMES_FILES}
    files = _files_of_symbols(engine, asker, _read_all(reader, list(known), memory, about_code))
    for entry, more in files.items():
        memory[entry] = (*memory[entry], *more)
    return [_Namer(one, memory[entry]) for entry, one in known.items()]


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


def _memory(store: Store) -> dict[int, Mentions]:
    with _remembering:
        memory = _remembered.setdefault(store, {})
        if len(memory) > REMEMBERED_MAX:
            memory.clear()
        return memory


def _earlier(
    engine: Engine, asker: Asker, reader: Reader, lookup: Lookup, keys: _Keys, new: Collection[int]
) -> list[_Namer]:
    """Those that came before and name one of the new, with only these mentions."""
    wanted = Filter(projects=(asker.scope.project,), kinds=NAMERS)
    every = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
    entries = [entry for entry in every if entry not in new]
    if not entries:
        return []
    if len(keys) <= FEW and len(entries) > CANDIDATES:
        entries = _by_words(reader, asker, keys, entries)
    memory = _memory(engine.store)
    _read_all(reader, [entry for entry in entries if entry not in memory], memory)
    named = {entry: tuple(m for m in memory.get(entry, ()) if keys.has(m)) for entry in entries}
    chosen = [entry for entry, some in named.items() if some]
    return [_Namer(named_of(record, said), named[record.entry]) for record, said in lookup.records(chosen)]


def _by_words(reader: Reader, asker: Asker, keys: _Keys, entries: Sequence[int]) -> list[int]:
    """The entries that have the words with which one of the new ones would be named."""
    asked: list[list[str]] = [[f"{digits}*"] for digits in keys.hashes]
    asked += [terms_of(" ".join(f"adr-{name:0>{wide}}" for wide in range(1, 5))) for name in keys.numbers]
    asked += [[*terms_of(name), *terms_of(f"incident {name[4:]}")] for name in keys.names]
    asked += [[name] for name in keys.talks]
    asked += [terms_of(name) for name in keys.files if name not in EVERYWHERE]
    found: dict[int, None] = {}
    for terms in asked:
        near = reader.match(asker.namespace, list(dict.fromkeys(terms)), (asker.scope.project,), entries, CANDIDATES)
        found.update(dict.fromkeys(entry for entry, _ in near))
    return list(found)


def _read_all(
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


def _lines(lookup: Lookup, namers: Iterable[_Namer], new: Collection[str]) -> list[Line]:
    """One link for each two that belong together, the strongest, where at least one of them is new."""
    found: dict[frozenset[str], Line] = {}
    for node, named in namers:
        counts: dict[str, int] = {}
        for mention in named:
            counts[mention.what] = counts.get(mention.what, 0) + 1
        for mention in named:
            if counts[mention.what] >= LIST_FROM and not mention.how:
                continue
            target = lookup.find(node, mention)
            if target is None or (node.address not in new and target.address not in new):
                continue
            line = relation(node.end, target.end, mention.how)
            if line is not None:
                pair = _pair(line)
                found[pair] = stronger(found[pair], line) if pair in found else line
    return list(found.values())


def _unmade(reader: Reader, asker: Asker, lines: Sequence[Line]) -> list[Line]:
    """Without those that are there, those whose ends are linked already by more than their being related, and those
    that would close a circle."""
    if not lines:
        return []
    ends = sorted({end for line in lines for end in (line.source, line.target)})
    there = reader.links(asker.namespace, ends, (asker.scope.project,), CURRENT)
    made = {(link.source, link.target, link.rel) for link in there}
    pairs = {frozenset((link.source, link.target)) for link in there}
    fresh = [line for line in lines if tuple(line) not in made and not (_is_loose(line) and _pair(line) in pairs)]
    onward = _onward(reader, asker, [line for line in fresh if not _is_loose(line)])
    kept_lines: list[Line] = []
    for line in fresh:
        if _is_loose(line) or not _leads_to(onward, line.rel, line.target, line.source):
            kept_lines.append(line)
            onward.setdefault((line.rel, line.source), set()).add(line.target)
    return kept_lines


def _is_loose(line: Line) -> bool:
    return line.rel == "relates_to"


def _pair(line: Line) -> frozenset[str]:
    return frozenset((line.source, line.target))


def _onward(reader: Reader, asker: Asker, lines: Sequence[Line]) -> dict[tuple[str, str], set[str]]:
    """(relation, source) with its targets, of every link that can be reached from the ends of these lines."""
    found: dict[tuple[str, str], set[str]] = {}
    seen, edge = set[str](), {line.target for line in lines}
    rels = {line.rel for line in lines}
    while edge and len(seen) < CIRCLE_NODES_MAX:
        seen |= edge
        reached = set[str]()
        for link in reader.links(asker.namespace, sorted(edge), None, CURRENT):
            if link.rel in rels and link.source in edge:
                found.setdefault((link.rel, link.source), set()).add(link.target)
                reached.add(link.target)
        edge = reached - seen
    return found


def _leads_to(onward: Mapping[tuple[str, str], set[str]], rel: str, start: str, goal: str) -> bool:
    seen, edge = {start}, {start}
    while edge:
        if goal in seen:
            return True
        edge = {target for source in edge for target in onward.get((rel, source), ())} - seen
        seen |= edge
    return False


def _make(engine: Engine, asker: Asker, lines: Sequence[Line]) -> int:
    """All in one event. Where somebody was faster and one of them cannot be made any more, each by itself."""
    if not lines:
        return 0
    steps = [Relate(line.source, line.target, line.rel) for line in lines]
    summary = f"connect by {len(steps)} link{'s' if len(steps) != 1 else ''}"
    try:
        submit(engine, asker, OPERATION, steps, summary=summary, layer=SUBCONSCIOUS)
    except (Invalid, Conflict, NotFound):
        done = 0
        for step in steps if len(steps) > 1 else ():
            with suppress(Invalid, Conflict, NotFound):
                submit(engine, asker, OPERATION, [step], summary="connect by 1 link", layer=SUBCONSCIOUS)
                done += 1
        return done
    return len(steps)


__all__ = ["connect"]
