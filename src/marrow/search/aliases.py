"""Other names: when a memory says that a thing goes by two names, asking by one finds what was said under the other.

A memory's aliases are names of what it is about. What it is called in the text itself is read from how it begins, or
from the words that explain the alias: "Granny is the mainframe", "the vehicle allocator (Deckmaster)", "the gate, which
everybody calls Turnstile".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ..store.terms import STOP_WORDS, terms_of

NAME_WORDS_MAX = 3
# How much of a text is read for names, and how many aliases of one memory.
READ, ALIASES_READ = 2_000, 16
_WORD = re.compile(r"[\w.+#/-]*\w")
_ARTICLES = frozenset("the our a an this that these those its their my your all every each".split())
# A name ends before these: what follows is said about it.
_SAYS = STOP_WORDS | frozenset(
    "needs need runs run uses use keeps keep takes take gets get has have must should will would can cannot lives "
    "stores returns sends reads writes talks calls serves holds handles means became becomes moved went now also only "
    "never always still no not goes comes looks works makes made does did was were ships shipped crashed failed leaks "
    "leaked broke breaks lost loses stands sits owns owned belongs drops dropped fails wrote".split()
)

Names = frozenset[str]


def names_of(content: str, aliases: Sequence[str]) -> list[Names]:
    """Every name of what a memory is about, each as the terms that it is made of."""
    return list(_names(content[:READ], tuple(aliases[:ALIASES_READ])))


@lru_cache(maxsize=1024)
def _names(content: str, aliases: tuple[str, ...]) -> tuple[Names, ...]:
    found = [frozenset(terms_of(alias)) for alias in aliases]
    lower = content.lower()
    said = [alias for alias in aliases if alias.lower() in lower]
    found += [frozenset(terms_of(name)) for alias in said for name in _explained(content, alias)]
    if not said:
        found += [frozenset(terms_of(name)) for name in (_leading_name(content), _proper_name(content))]
    return tuple(name for name in dict.fromkeys(found) if name)


def other_names(asked: Sequence[str], groups: Iterable[Sequence[Names]]) -> Mapping[str, tuple[Names, ...]]:
    """For each asked term that is part of a name: the other names of that thing."""
    terms = frozenset(asked)
    found: dict[str, tuple[Names, ...]] = {}
    for names in groups:
        for said in names:
            if said <= terms:
                others = tuple(name for name in names if name != said and not name <= terms)
                for term in said:
                    found[term] = (*found.get(term, ()), *others)
    return {term: tuple(dict.fromkeys(others)) for term, others in found.items() if others}


def _explained(content: str, alias: str) -> list[str]:
    """The name that the text gives for an alias, or gives the alias for."""
    if alias.lower() not in content.lower():
        return []
    escaped = re.escape(alias)
    after = re.search(
        rf"\b{escaped}\b,? (?:is|are|means|stands for)(?: what [^.,;]{{1,40}}? calls?| short for)? ", content, re.I
    )
    if after:
        return [_leading_name(content[after.end() :])]
    before = re.search(
        r"([^.,;()]{3,60}?)(?: \((?:aka |a\.k\.a\. |called |known as )?|"
        r"(?: (?:is|are) what|(?: now)?,? (?:which|that)) (?:\w+ ){1,3}calls? (?:the )?|"
        rf",? (?:also )?(?:aka|called|known as|nicknamed) (?:the )?){escaped}\b",
        content,
        re.I,
    )
    if before:
        words = _WORD.findall(before[1])
        name: list[str] = []
        for word in reversed(words):
            if word.lower() in _SAYS or word.lower() in _ARTICLES or len(name) == NAME_WORDS_MAX:
                break
            name.insert(0, word)
        return [" ".join(name)]
    return []


def _proper_name(text: str) -> str:
    """The first word, where it is a name by itself: "Kubernetes schedules…", not "The scheduler…"."""
    first = _WORD.match(text)
    is_name = first is not None and first[0][0].isupper() and first[0].lower() not in _SAYS | _ARTICLES
    return first[0] if first and is_name else ""


def _leading_name(text: str) -> str:
    """The first words up to where something is said about them."""
    name: list[str] = []
    for word in _WORD.findall(text[:200]):
        lower = word.lower()
        if not name and lower in _ARTICLES:
            continue
        if lower in _SAYS or len(name) == NAME_WORDS_MAX:
            break
        name.append(word)
    return " ".join(name)
