"""How things stood before something went away: a twin that stood beside it then is not what became of it."""

from __future__ import annotations

from collections.abc import Iterator

from ...codemap.fingerprint import find_lines
from ...codemap.parse import map_of
from ...codemap.tame import is_tame
from ...codemap.tokens import tokens_of
from ...model.errors import MarrowError
from ...repository.command import content
from .checkout import BYTES_MAX, Checkout


def stood_beside(checkout: Checkout, path: str, name: str, other: str, called: str) -> bool:
    """Whether the last version that git has with the symbol `name` in `path` had `called` in `other` as well. Where git
    has no such version, nothing stood beside it."""
    if checkout.repository is None:
        return False
    for commit in _before(checkout, path):
        if name in _names(checkout, commit, path):
            return called in _names(checkout, commit, other)
    return False


def lines_stood_beside(checkout: Checkout, path: str, print_: str, other: str, called: str) -> bool:
    """The same of lines, by their fingerprints."""
    if checkout.repository is None:
        return False
    for commit in _before(checkout, path):
        tokens = tokens_of(path, _source(checkout, commit, path))
        if find_lines(tokens, print_):
            there = tokens if other == path else tokens_of(other, _source(checkout, commit, other))
            return bool(find_lines(there, called))
    return False


def _before(checkout: Checkout, path: str) -> Iterator[str]:
    """What is checked out, and what was before the last commit that touched the file."""
    yield "HEAD"
    last = checkout.last_commit(path)
    if last:
        yield f"{last}^"


def _names(checkout: Checkout, commit: str, path: str) -> frozenset[str]:
    source = _source(checkout, commit, path)
    try:
        found = map_of(path, source).symbols
    except (ImportError, MarrowError):
        return frozenset()
    return frozenset(symbol.qualified for symbol in found)


def _source(checkout: Checkout, commit: str, path: str) -> bytes:
    """A file as it was; nothing where it was not there, or is too large or too wild to be looked into."""
    try:
        source, is_whole = content(checkout.root, "cat-file", "blob", f"{commit}:./{path}", bytes_max=BYTES_MAX)
    except MarrowError:
        return b""
    return source if is_whole and is_tame(source) else b""
