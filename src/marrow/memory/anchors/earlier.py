"""How things stood before a symbol went away: a twin that stood beside it then is not what became of it."""

from __future__ import annotations

from collections.abc import Iterator

from ...codemap.parse import map_of
from ...codemap.tame import is_tame
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


def _before(checkout: Checkout, path: str) -> Iterator[str]:
    """What is checked out, and what was before the last commit that touched the file."""
    yield "HEAD"
    last = checkout.last_commit(path)
    if last:
        yield f"{last}^"


def _names(checkout: Checkout, commit: str, path: str) -> frozenset[str]:
    try:
        source, is_whole = content(checkout.root, "cat-file", "blob", f"{commit}:./{path}", bytes_max=BYTES_MAX)
        found = map_of(path, source).symbols if is_whole and is_tame(source) else ()
    except (ImportError, MarrowError):
        return frozenset()
    return frozenset(symbol.qualified for symbol in found)
