"""The files and symbols that go by the words of a subject: where in the code it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
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
_TOLD = CALLABLES | TYPES | {"module", "heading", "table", "constant"}
# Words that say what is done, not to what: alone they are no reason to name a place, and beside others they
# count little.
_GENERIC_SHARE = 0.25
_GENERIC = frozenset(
    term
    for word in (
        "add allow avoid build change check code correct create delete drop enable disable ensure extend file find fix "
        "function give handle help implement improve introduce keep look make mean method move new need put raise read "
        "refactor remove rename replace rewrite rework run see set should show start stop support turn update use want "
        "way work write wrong"
    ).split()
    for term in terms_of(word)
)
# What has less than this of what the best has goes by the words only by the way.
_LEAST_OF_BEST = 0.35
# And so does a file that has less than this of what the words in the best one's path say: of "crisis module", module.
_SAID_OF_BEST = 0.45


class NamedFile(NamedTuple):
    """A file whose path has some of the words: `words` are those as they were said, `score` what they weigh."""

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
    wanted, spelled = _telling(subject), _spelled(subject)
    try:
        root = project_root(asker)
        paths = [path for path, _ in zip(listed(root), range(FILES_LOOKED_AT), strict=False)]
    except MarrowError:
        return []
    held: dict[str, list[str]] = {}
    for path in paths:
        if not is_generated(path) and not is_binary_name(path):
            for term in wanted.keys() & terms_of(path.replace("_", " ")):
                held.setdefault(term, []).append(path)
    scores: dict[str, float] = {}
    said: dict[str, float] = {}  # the same with each word once
    words: dict[str, list[str]] = {}
    for term, some in held.items():
        worth = rarity(len(paths), len(some)) * wanted[term]
        for path in some:
            own = term in terms_of(path.rpartition("/")[2].replace("_", " "))
            scores[path] = scores.get(path, 0.0) + worth * (2 if own else 1)
            said[path] = said.get(path, 0.0) + worth
            words.setdefault(path, []).append(term)
    ranked = sorted(scores, key=lambda path: (-scores[path], len(path), path))
    most, said_most = (scores[ranked[0]], said[ranked[0]]) if ranked else (1.0, 1.0)
    best = (
        path
        for path in ranked
        if scores[path] >= _LEAST_OF_BEST * most
        and said[path] >= _SAID_OF_BEST * said_most
        and not _is_generic(words[path], wanted)
    )
    return [
        NamedFile(path, tuple(sorted(spelled.get(word, word) for word in words[path])), round(scores[path] / most, 3))
        for path in islice(best, limit)
    ]


def _spelled(subject: str) -> dict[str, str]:
    """The words of a subject by their terms."""
    return {term: word for word in reversed(_WORD.findall(subject.lower())) for term in terms_of(word)}


def _telling(subject: str) -> dict[str, float]:
    """The words of a subject with what each counts. Where all of them are generic, they are what it is about."""
    terms = query_terms(subject)
    if all(term in _GENERIC for term in terms):
        return dict.fromkeys(terms, 1.0)
    return {term: _GENERIC_SHARE if term in _GENERIC else 1.0 for term in terms}


def without_generic(subject: str) -> str:
    """A subject without the words that only say what is done; as it is where it has no others."""
    words = [word for word in subject.split() if not _GENERIC.issuperset(terms_of(word) or "-")]
    return " ".join(words) or subject


def _is_generic(words: Iterable[str], wanted: Mapping[str, float]) -> bool:
    return all(wanted[word] < 1.0 for word in words)


def named_symbols(engine: Engine, asker: Asker, subject: str, limit: int) -> list[NamedSymbol]:
    """The symbols of the code map that go by these words; none where there is no map."""
    try:
        mapped = kept(engine, asker)
        if mapped is None:
            return []
        files = [file.path for file in named_files(asker, subject, FILES_READ)]
        with mapped.reading() as reader:
            best = _best(_candidates(reader, subject, files), _telling(subject), limit)
            counted = [(one, reader.incoming_count(one.id)) for one in best]
    except MarrowError:
        return []
    return [NamedSymbol(one.path, one.start, one.kind, one.qualified, callers) for one, callers in counted]


def _best(candidates: Iterable[Known], wanted: Mapping[str, float], limit: int) -> list[Known]:
    """Those whose names have most of the words, and the rarer ones; their own names count more than those of what they
    stand in."""
    every = list({one.id: one for one in candidates if one.kind in _TOLD}.values())
    words = [wanted.keys() & terms_of(one.qualified.replace("_", " ")) for one in every]
    holders = Counter(word for some in words for word in some)
    worth = {word: rarity(len(every), count) * wanted[word] for word, count in holders.items()}
    scored = []
    for one, shared in zip(every, words, strict=True):
        if shared and not _is_generic(shared, wanted):
            own = shared & set(terms_of(one.name.replace("_", " ")))
            score = sum(worth[word] for word in shared) + 2 * sum(worth[word] for word in own)
            scored.append((-score, bool(one.flags & TEST), len(one.qualified), one.path, one.start, one))
    scored.sort(key=lambda row: row[:-1])
    least = _LEAST_OF_BEST * scored[0][0] if scored else 0.0
    return [one for score, *_, one in scored[:limit] if score <= least]


def _candidates(reader: MapReader, subject: str, files: Sequence[str]) -> Iterator[Known]:
    """By the words as they stand, by two that follow each other as one name, by how names begin, and in the files that
    go by the words."""
    words = [word for word in _WORD.findall(subject) if word.lower() not in STOP_WORDS][:WORDS_MAX]
    pairs = list(pairwise(words))
    names = [*words, *(f"{a}_{b}".lower() for a, b in pairs), *(f"{a}{b.capitalize()}" for a, b in pairs)]
    names += [f"{a.capitalize()}{b.capitalize()}" for a, b in pairs] + [word.capitalize() for word in words]
    names += [*(word.upper() for word in words), *(f"{a}_{b}".upper() for a, b in pairs)]
    for name in dict.fromkeys(names):
        yield from reader.symbols_named(name, LOOKED_AT)
    # A name may begin with another form of a word: of "discounts", discount_for.
    stems = [term for word in words for term in terms_of(word)]
    forms = [*words, *stems]
    for word in dict.fromkeys((*forms, *(word.capitalize() for word in forms), *(word.upper() for word in forms))):
        if len(word) >= PREFIX_MIN:
            yield from reader.symbols_beginning(word, LOOKED_AT)
    for path in files:
        if (row := reader.file_at(path)) is not None:
            yield from reader.symbols_of(row.id)
