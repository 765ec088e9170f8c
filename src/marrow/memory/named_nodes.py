"""The nodes that mentions mean: decisions by number, incidents by name, commits by how their hash begins, files by how
their path ends; all in one project, those of the same service first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..ingest.mentions import (
    AMENDED_BY,
    AMENDS,
    COMMIT,
    DECISION,
    INCIDENT,
    PATH,
    REQUEST,
    SUPERSEDED_BY,
    SUPERSEDES,
    Mention,
    decision_numbers,
    incident_names,
    mentions,
)
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter, Record
from ..model.source import Source
from ..model.standing import SUPERSEDED
from ..store.protocol import Reader
from .engine import Asker
from .said_relation import End

# Of names that nearly every folder has, one alone says nothing.
EVERYWHERE = frozenset(
    "readme.md readme.rst readme.txt index.md index.rst index.js index.ts index.tsx index.html __init__.py main.py "
    "main.go main.rs mod.rs lib.rs setup.py package.json pyproject.toml cargo.toml go.mod changelog.md contributing.md "
    "template.md config.py config.json settings.py conftest.py types.ts tsconfig.json".split()
)
_NOTED_HOW = (
    ("supersedes", SUPERSEDES), ("superseded_by", SUPERSEDED_BY), ("amends", AMENDS), ("amended_by", AMENDED_BY),
)  # fmt: skip
HASHES_LOOKED_UP, HASH_MATCHES = 100, 20
# So many parts of paths are looked for by themselves; for more, all that was ever read is looked through.
PARTS_LOOKED_UP, PART_LENGTH_MAX = 10, 255
HASH_DIGITS = 7
_HASH = re.compile(r"[0-9a-f]{40}")
_TALK = re.compile(r"#(?:pulls|issues|merge_requests)/(\d+)\Z")


class Named(NamedTuple):
    """A node as it can be named. `entry` is 0 where only its source was looked at."""

    address: str
    kind: str
    service: str = ""
    path: str = ""
    entry: int = 0
    status: str = ""
    numbers: frozenset[str] = frozenset()  # of a decision
    names: frozenset[str] = frozenset()  # of an incident
    hash: str = ""  # of a commit
    talk: str = ""  # the number of a pull request or an issue
    paths: frozenset[str] = frozenset()  # where it is read from now, if that was asked

    @property
    def end(self) -> End:
        return End(self.address, self.kind, self.status, self.service)


def named_of(record: Record, said: Sequence[Occurrence]) -> Named:
    """A record with the names that it goes by, from where it was said last."""
    last = said[-1] if said else None
    fields: Mapping[str, Any] = last.fields if last else {}
    kind, path, title = record.node.kind, str(fields.get("path") or ""), str(fields.get("title") or "")
    given = [*record.standing.aliases, title, path.rpartition("/")[2]]
    numbers: set[str] = set()
    names: set[str] = set()
    if kind == "decision":
        own = str(fields.get("number") or "")
        numbers = {str(int(own))} if own.isascii() and own.isdigit() else {str(n) for n in decision_numbers(own)}
        for text in given if not numbers else ():
            numbers.update(str(number) for number in decision_numbers(text))
    elif kind == "incident":
        own = " ".join(str(fields.get(name) or "") for name in ("id", "incident", "number"))
        names = set(incident_names(" ".join([own, *given, record.node.content.partition("\n")[0]])))
        names.update(f"INC-{int(word)}" for word in own.split() if word.isascii() and word.isdigit())
    digits = next((str(fields[name]) for name in ("commit", "hash", "sha") if fields.get(name)), "")
    return Named(
        record.node.address,
        kind,
        last.service if last else "",
        path,
        record.entry,
        str(fields.get("status") or ""),
        frozenset(numbers),
        frozenset(names),
        digits.lower() if kind == "commit" else "",
        str(fields.get("number") or "") if kind == "conversation" else "",
    )


def told_by_fields(fields: Mapping[str, Any]) -> list[Mention]:
    """What a reader noted beside the text: which decisions this one replaces or amends, what a commit refers to."""
    noted = fields.get("references")
    found = list(mentions(" ".join(map(str, noted)))) if isinstance(noted, list) else []
    if isinstance(number := fields.get("pull_request"), int):
        found.append(Mention(REQUEST, str(number)))
    for name, how in _NOTED_HOW:
        given = fields.get(name) or ()
        for one in given if isinstance(given, list | tuple) else (given,):
            text = str(one)
            numbers = (int(text),) if text.isascii() and text.isdigit() else decision_numbers(text)
            found += [Mention(DECISION, str(number), how) for number in numbers]
            found += [Mention(PATH, text, how)] if not numbers and "." in text else []
    return found


def can_mean(mention: Mention, named: Named) -> bool:
    """Whether a mention fits a node, though it may fit others too."""
    name, paths = mention.name, {named.path, *named.paths} - {""}
    if mention.what == DECISION:
        return name in named.numbers
    if mention.what == INCIDENT:
        return name in named.names
    if mention.what == COMMIT:
        hashes = {named.hash, *(map(_hash_in, paths) if named.kind == "commit" else ())}
        return any(digits.startswith(name) for digits in hashes)
    if mention.what == REQUEST:
        return name == named.talk or any((talk := _TALK.match(path)) and talk[1] == name for path in paths)
    if "/" not in name and name.lower() in EVERYWHERE:
        return False
    return any(path == name or path.endswith(f"/{name}") or _is_end_of(path, name) for path in paths)


class Lookup:
    """What mentions mean in one project. Each sort is looked for when it is first asked for."""

    def __init__(self, reader: Reader, asker: Asker, now: int) -> None:
        self._reader, self._asker, self._now = reader, asker, now
        self._project = (asker.scope.project,)
        self._by_kind: dict[str, list[Named]] = {}
        self._shelves: _Shelves | None = None
        self._parts: dict[str, _Shelves] = {}
        self._hashes: dict[str, list[Named]] = {}

    def find(self, namer: Named, mention: Mention) -> Named | None:
        """The node that is meant; None where there is none, more than one, or the namer itself."""
        found = self._meant(namer, mention.what, mention.name)
        return None if found is None or found.address == namer.address else found

    def _meant(self, namer: Named, what: str, name: str) -> Named | None:
        if what == PATH:
            return self.file(namer, name)
        if what == COMMIT:
            return self._commit(namer, name)
        if what == DECISION:
            return _one(namer, (one for one in self._of("decision") if name in one.numbers))
        if what == INCIDENT:
            return _one(namer, (one for one in self._of("incident") if name in one.names))
        return _one(namer, map(_from_source, self._near(f"/{name}").talks.get(name, ())))

    def records(self, entries: Sequence[int]) -> list[tuple[Record, Sequence[Occurrence]]]:
        records = self._reader.records_of(entries, CURRENT)
        said = self._reader.occurrences([record.entry for record in records], CURRENT)
        return [(record, said.get(record.entry, ())) for record in records]

    def namesakes(self, gone: Sequence[Named]) -> list[str]:
        """The decisions and incidents that go by a number or name of one that is gone: while both were there, nobody
        could know which was meant."""
        return [
            one.address
            for left in gone
            for one in self._of(left.kind)
            if one.service == left.service and (one.numbers & left.numbers or one.names & left.names)
        ]

    def file(self, namer: Named, name: str) -> Named | None:
        """The file that is meant: by its whole path or the end of it, in the same service or in one other."""
        base = name.rpartition("/")[2].lower()
        if "/" not in name and base in EVERYWHERE:
            return None
        known = self._near(base).files.get(base, ())
        for same in (True, False):
            there = [source for source in known if (source.service == namer.service) is same]
            exact = [source for source in there if source.path == name]
            found = exact or [s for s in there if s.path.endswith(f"/{name}") or _is_end_of(s.path, name)]
            beside = f"{namer.path.rpartition('/')[0]}/{name}".lstrip("/")
            if same and len(found) > 1 and "/" not in name:
                found = [source for source in found if source.path == beside]
            if len({source.address for source in found}) == 1:
                return self._whole(_from_source(found[0]))
            if found:
                return None
        return None

    def _whole(self, found: Named) -> Named:
        """A decision with its status: whether it takes another's place depends on it."""
        known = self._of(found.kind) if found.kind == "decision" else ()
        return next((one for one in known if one.address == found.address), found)

    def _of(self, kind: str) -> list[Named]:
        """Those that are active; and decisions that another took the place of, as their files have them now."""
        if kind not in self._by_kind:
            wanted = Filter(projects=self._project, kinds=(kind,), include_superseded=kind == "decision")
            entries = self._reader.select(self._asker.namespace, wanted, CURRENT, self._now)
            records = self.records(entries)
            held = self._held([r.node.address for r, _ in records if r.standing.state == SUPERSEDED])
            self._by_kind[kind] = [
                named_of(record, said)
                for record, said in records
                if record.standing.is_active(self._now)
                or (record.standing.state == SUPERSEDED and record.node.address in held)
            ]
        return self._by_kind[kind]

    def _held(self, addresses: Sequence[str]) -> set[str]:
        """Those of these nodes that are in a file as it is now."""
        sources = self._reader.sources_of(self._asker.namespace, addresses, self._project) if addresses else ()
        return {source.address for source in sources if source.is_document}

    def _commit(self, namer: Named, name: str) -> Named | None:
        digits = name[:HASH_DIGITS]
        read = self._near(digits).commits.get(digits, ())
        found = [_from_source(one) for one in read if _hash_in(one.path).startswith(name)]
        if not found:
            found = [one for one in self._by_words(digits) if one.hash.startswith(name)]
        return _one(namer, found)

    def _by_words(self, digits: str) -> list[Named]:
        """Commits without a source: their hash is among the words that they are found by."""
        if digits not in self._hashes:
            self._hashes[digits] = []
            if len(self._hashes) <= HASHES_LOOKED_UP:
                space = self._asker.namespace
                near = self._reader.match(space, [f"{digits}*"], self._project, None, HASH_MATCHES)
                several = [named_of(record, said) for record, said in self.records([entry for entry, _ in near])]
                self._hashes[digits] = [one for one in several if one.hash]
        return self._hashes[digits]

    def _near(self, part: str) -> _Shelves:
        """What was read from where; or, for the first that is asked, only what has this in its path."""
        if self._shelves is None and part not in self._parts:
            if len(self._parts) < PARTS_LOOKED_UP and part.isascii() and len(part) <= PART_LENGTH_MAX:
                near = self._reader.sources_with(self._asker.namespace, part, self._project)
                self._parts[part] = _shelved(near)
            else:
                self._shelves = _shelved(self._reader.sources(self._asker.namespace, self._project))
        return self._shelves or self._parts[part]


class _Shelves(NamedTuple):
    """Files by their names, talks by their numbers, commits by how they begin."""

    files: dict[str, list[Source]]
    talks: dict[str, list[Source]]
    commits: dict[str, list[Source]]

    def put(self, source: Source) -> None:
        if source.kind == "commit":
            self.commits.setdefault(_hash_in(source.path)[:HASH_DIGITS], []).append(source)
        elif talk := _TALK.match(source.path):
            self.talks.setdefault(talk[1], []).append(source)
        else:
            self.files.setdefault(source.path.rpartition("/")[2].lower(), []).append(source)


def _shelved(sources: Iterable[Source]) -> _Shelves:
    shelves = _Shelves({}, {}, {})
    for source in sources:
        if source.is_document:
            shelves.put(source)
    return shelves


def _from_source(source: Source) -> Named:
    return Named(source.address, source.kind, source.service, source.path)


def _hash_in(path: str) -> str:
    found = _HASH.search(path)
    return found[0] if found else ""


def _is_end_of(path: str, name: str) -> bool:
    """Whether a path is told with the folders above the root: `repository/src/app.py`."""
    return "/" in path and name.endswith(f"/{path}")


def _one(namer: Named, found: Iterable[Named]) -> Named | None:
    """The one that is meant: in the namer's service, else in the only other one that has it; beside it, where the same
    service has several."""
    every = list({one.address: one for one in found}.values())
    own = [one for one in every if one.service == namer.service]
    if len(own) > 1:
        folder = namer.path.rpartition("/")[0]
        own = [one for one in own if one.path.rpartition("/")[0] == folder]
        return own[0] if len(own) == 1 else None
    if own:
        return own[0]
    return every[0] if len(every) == 1 else None
