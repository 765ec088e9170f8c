"""Connect: the links that make themselves. What was taken in names decisions, incidents, commits, files; what is named,
or names, is linked, whichever came first.

New nodes are read for what they name. For what is new and can be named, those that came before are asked whether they
name it: few by the words that it would be named with, many by reading all that may name something, once a process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..ingest.mentions import COMMIT, DECISION, INCIDENT, PATH, REQUEST, Mention
from ..model.change import Relate
from ..model.link import HISTORY_RELS, Link
from ..model.record import CURRENT, Filter
from ..store.protocol import Reader
from ..store.terms import terms_of
from .connecting_logs import connect_logs
from .engine import Asker, Engine
from .named_nodes import EVERYWHERE, HASH_DIGITS, Lookup, Named, named_of
from .read_mentions import NAMERS, Namer, between, known_at, read_all, reading, remembered, telling
from .releasing import carry_out, release
from .said_relation import Line, relation, stronger
from .taking_in.resettle import CHANGED

# For so many new nodes that can be named, the words of their names are looked up; for more, all namers are read.
FEW, CANDIDATES = 16, 50
CIRCLE_NODES_MAX = 10_000
NUMBERED = ("decision", "incident")


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
    links were made. Links that are there are not made again, and none that would close a circle. Links that a new
    version has from the one before it, which that one's text made and its own does not, are ended."""
    if not addresses or engine.store.read_only:
        return 0
    with engine.store.reading() as reader:
        lookup = Lookup(reader, asker, engine.clock())
        new = _new(reader, asker, addresses)
        namers = reading(engine, asker, reader, [one for one in new if one.kind in NAMERS])
        place = (asker.scope.project,)
        there = reader.links(asker.namespace, [one.address for one in new], place, CURRENT) if new else []
        files = {one.address for one in new if one.kind in ("code", "document")}
        # The links of an older version of the same file were handed on to these.
        keys = _keys(new, {link.source for link in there if link.rel == "supersedes" and link.source in files})
        namers += _earlier(engine, asker, reader, lookup, keys, {one.entry for one in new}) if len(keys) else []
        ended = _ended(engine, asker, reader, {one.address for one in new if one.kind in NAMERS}, there)
        lines = _unmade(reader, asker, _lines(lookup, namers, {one.address for one in new}), set(ended))
    ends = [[Relate(*line, closed=True)] for line in ended]
    made = [[Relate(*line)] for line in _in_order(lines)]
    done = carry_out(engine, asker, [*ends, *made], f"connect by {len(made)} link{'s' if len(made) != 1 else ''}")
    return sum(done[len(ends) :])


def namesakes(engine: Engine, asker: Asker, left: Sequence[str]) -> list[str]:
    """Those that go by the number of a decision, or the name of an incident, that left: a file that was renamed and
    changed at once is a new one beside the old until that is gone."""
    with engine.store.reading() as reader:
        places = (asker.scope.project,)
        records = [r for r in reader.records(asker.namespace, left, places, CURRENT) if r.node.kind in NUMBERED]
        if not records:
            return []
        said = reader.occurrences([record.entry for record in records], CURRENT)
        gone = [named_of(record, said.get(record.entry, ())) for record in records]
        return Lookup(reader, asker, engine.clock()).namesakes(gone)


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


def _ended(engine: Engine, asker: Asker, reader: Reader, new: Collection[str], there: Iterable[Link]) -> list[Line]:
    """The links that new versions were handed by those before them, that the earlier text made and the new one does
    not. What neither text makes is somebody's own, and stays."""
    there = list(there)
    versions = [(link.target, link.source) for link in there if link.rel == "supersedes" and link.source in new]
    if not versions:
        return []
    place = (asker.scope.project,)
    now = {Line(link.source, link.target, link.rel) for link in there if link.rel not in HISTORY_RELS}
    before = reader.links(asker.namespace, [old for old, _ in versions], place, CURRENT)
    handed: list[tuple[str, str, str, Line, Line]] = []
    for old, one in versions:
        for link in before:
            if old not in (link.source, link.target):
                continue
            was = Line(link.source, link.target, link.rel)
            line = was._replace(source=one) if was.source == old else was._replace(target=one)
            if line in now:
                handed.append((old, one, was.target if was.source == old else was.source, was, line))
    known = known_at(engine, asker, reader, {end for some in handed for end in some[:3]}) if handed else {}
    found: dict[Line, None] = {}
    for old, one, other, was, line in handed:
        if not {old, one, other} <= known.keys() or known[old].record.standing.reason != CHANGED:
            continue
        if was in between(known[old], known[other]) and line not in between(known[one], known[other]):
            found[line] = None
    return list(found)


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


def _earlier(
    engine: Engine, asker: Asker, reader: Reader, lookup: Lookup, keys: _Keys, new: Collection[int]
) -> list[Namer]:
    """Those that came before and name one of the new, with only these mentions."""
    wanted = Filter(projects=(asker.scope.project,), kinds=NAMERS)
    every = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
    entries = [entry for entry in every if entry not in new]
    if not entries:
        return []
    if len(keys) <= FEW and len(entries) > CANDIDATES:
        entries = _by_words(reader, asker, keys, entries)
    memory = remembered(engine.store)
    read_all(reader, [entry for entry in entries if entry not in memory], memory)
    named = {entry: tuple(m for m in memory.get(entry, ()) if keys.has(m)) for entry in entries}
    chosen = [entry for entry, some in named.items() if some]
    return [Namer(named_of(record, said), named[record.entry]) for record, said in lookup.records(chosen)]


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


def _lines(lookup: Lookup, namers: Iterable[Namer], new: Collection[str]) -> list[Line]:
    """One link for each two that belong together, the strongest, where at least one of them is new."""
    found: dict[frozenset[str], Line] = {}
    for node, named in namers:
        for mention in telling(named):
            target = lookup.find(node, mention)
            if target is None or (node.address not in new and target.address not in new):
                continue
            line = relation(node.end, target.end, mention.how)
            if line is not None:
                pair = _pair(line)
                found[pair] = stronger(found[pair], line) if pair in found else line
    return list(found.values())


def _unmade(reader: Reader, asker: Asker, lines: Sequence[Line], ended: Collection[Line]) -> list[Line]:
    """Without those that are there, those whose ends are linked already by more than their being related, and those
    that would close a circle."""
    if not lines:
        return []
    ends = sorted({end for line in lines for end in (line.source, line.target)})
    there = [
        link
        for link in reader.links(asker.namespace, ends, (asker.scope.project,), CURRENT)
        if (link.source, link.target, link.rel) not in ended
    ]
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


def _in_order(lines: Sequence[Line]) -> list[Line]:
    """What is superseded itself supersedes first: afterwards it could not. There are no circles among them."""
    found = [line for line in lines if line.rel != "supersedes"]
    rest = [line for line in lines if line.rel == "supersedes"]
    while rest:
        sources = {line.source for line in rest}
        ready = [line for line in rest if line.target not in sources]
        found += ready or rest
        rest = [line for line in rest if line.target in sources] if ready else []
    return found


__all__ = ["connect", "connect_logs", "release"]
