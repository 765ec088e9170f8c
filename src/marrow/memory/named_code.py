"""The files and symbols that go by the words of a subject: where in the code it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..codemap.entry import TEST
from ..model.code import CALLABLES, TYPES
from ..model.errors import MarrowError
from ..repository.file_sorts import is_binary_name, is_generated
from ..store.bm25 import rarity
from ..store.code import Known, MapReader
from ..store.terms import STOP_WORDS, query_terms, terms_of
from .code.opened import kept
from .engine import Asker, Engine
from .project_files import listed, project_root

FILES_LOOKED_AT = 50_000
FILES_READ, LOOKED_AT, WORDS_MAX, PREFIX_MIN = 20, 200, 12, 4
_WORD = re.compile(r"\w+")
_TOLD = CALLABLES | TYPES | {"module", "heading", "table"}


class NamedFile(NamedTuple):
    """A file whose path has some of the words: `words` are those, `score` what they weigh."""

    path: str
    words: tuple[str, ...]
    score: float


class NamedSymbol(NamedTuple):
    """A symbol whose name has some of the words, and from how many places it is called."""

    path: str
    line: int
    kind: str
    name: str
    callers: int = 0


def named_files(asker: Asker, subject: str, limit: int) -> list[NamedFile]:
    """The files whose names say it, the best first. Words that few paths have count most; those in the file's own name
    count twice."""
    wanted = set(query_terms(subject))
    try:
        root = project_root(asker)
        paths = [path for path, _ in zip(listed(root), range(FILES_LOOKED_AT), strict=False)]
    except MarrowError:
        return []
    held: dict[str, list[str]] = {}
    for path in paths:
        if not is_generated(path) and not is_binary_name(path):
            for term in wanted.intersection(terms_of(path.replace("_", " "))):
                held.setdefault(term, []).append(path)
    scores: dict[str, float] = {}
    words: dict[str, list[str]] = {}
    for term, some in held.items():
        worth = rarity(len(paths), len(some))
        for path in some:
            own = term in terms_of(path.rpartition("/")[2].replace("_", " "))
            scores[path] = scores.get(path, 0.0) + worth * (2 if own else 1)
            words.setdefault(path, []).append(term)
    best = sorted(scores, key=lambda path: (-scores[path], len(path), path))[:limit]
    most = scores[best[0]] if best else 1.0
    return [NamedFile(path, tuple(sorted(words[path])), round(scores[path] / most, 3)) for path in best]


def named_symbols(engine: Engine, asker: Asker, subject: str, limit: int) -> list[NamedSymbol]:
    """The symbols of the code map that go by these words; none where there is no map."""
    try:
        mapped = kept(engine, asker)
        if mapped is None:
            return []
        files = [file.path for file in named_files(asker, subject, FILES_READ)]
        with mapped.reading() as reader:
            best = _best(_candidates(reader, subject, files), set(query_terms(subject)), limit)
            counted = [(one, reader.incoming_count(one.id)) for one in best]
    except MarrowError:
        return []
    return [NamedSymbol(one.path, one.start, one.kind, one.qualified, callers) for one, callers in counted]


def _best(candidates: Iterable[Known], wanted: set[str], limit: int) -> list[Known]:
    """Those whose names have most of the words; their own names count more than those of what they stand in."""
    scored = []
    for one in {one.id: one for one in candidates if one.kind in _TOLD}.values():
        shared = len(wanted.intersection(terms_of(one.qualified.replace("_", " "))))
        own = len(wanted.intersection(terms_of(one.name.replace("_", " "))))
        if shared:
            scored.append((-2 * own - shared, bool(one.flags & TEST), len(one.qualified), one.path, one.start, one))
    return [one for *_, one in sorted(scored, key=lambda row: row[:-1])[:limit]]


def _candidates(reader: MapReader, subject: str, files: Sequence[str]) -> Iterator[Known]:
    """By the words as they stand, by two that follow each other as one name, by how names begin, and in the files that
    go by the words."""
    words = [word for word in _WORD.findall(subject) if word.lower() not in STOP_WORDS][:WORDS_MAX]
    pairs = list(pairwise(words))
    names = [*words, *(f"{a}_{b}".lower() for a, b in pairs), *(f"{a}{b.capitalize()}" for a, b in pairs)]
    names += [f"{a.capitalize()}{b.capitalize()}" for a, b in pairs] + [word.capitalize() for word in words]
    for name in dict.fromkeys(names):
        yield from reader.symbols_named(name, LOOKED_AT)
    for word in dict.fromkeys((*words, *(word.capitalize() for word in words))):
        if len(word) >= PREFIX_MIN:
            yield from reader.symbols_beginning(word, LOOKED_AT)
    for path in files:
        if (row := reader.file_at(path)) is not None:
            yield from reader.symbols_of(row.id)
