"""What a place was called before it moved. A memory that says the old name is recalled with the new one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...model.link import Anchor
from .evidence import PATH, made
from .finding import MOVED, Finding

# The word of an anchor in which the old names stand.
WAS = "was"
NAMES_MAX = 6


def with_old_names(found: Finding) -> Finding:
    """What moved, with what it was called before."""
    if found.verdict != MOVED or found.now is None:
        return found
    now = _names(found.now)
    old = [*_old(found.anchor), *(one for one in _names(found.anchor) if one not in now)]
    kept = [one for one in dict.fromkeys(old) if one not in now][-NAMES_MAX:]
    return found._replace(now=made(found.now.type, found.now.target, found.now.fields, **{WAS: kept or None}))


def called_now(content: str, findings: Iterable[Finding]) -> str:
    """`make_str is to_str (click/utils.py) now`, for each old name that a text says; "" when it says none."""
    told: dict[str, None] = {}
    for found in findings:
        anchor = found.now or found.anchor
        for old in _old(anchor):
            if _says(content, old) and not any(_says(content, one) for one in _same_sort(anchor, old)):
                told[f"{old} is {_place(anchor, old)} now"] = None
    return "; ".join(told)


def _old(anchor: Anchor) -> list[str]:
    found = anchor.fields.get(WAS)
    return [str(one) for one in found] if isinstance(found, list) else []


def _names(anchor: Anchor) -> list[str]:
    path = str(anchor.fields.get(PATH) or "")
    return [anchor.target, path] if path and anchor.type == "symbol" else [anchor.target]


def _same_sort(anchor: Anchor, old: str) -> list[str]:
    """The names now that take the place of an old one: a path for a path, a symbol for a symbol."""
    names = _names(anchor)
    return names[-1:] if _is_path(anchor, old) else names[:1]


def _place(anchor: Anchor, old: str) -> str:
    if _is_path(anchor, old):
        return _names(anchor)[-1]
    path = str(anchor.fields.get(PATH) or "")
    return f"{anchor.target} ({path})" if path else anchor.target


def _is_path(anchor: Anchor, old: str) -> bool:
    return anchor.type in ("file", "lines") or "/" in old or old.rpartition(".")[2] == _ending(anchor)


def _ending(anchor: Anchor) -> str:
    return str(anchor.fields.get(PATH) or "").rpartition("/")[2].rpartition(".")[2]


def _says(content: str, name: str) -> bool:
    """The whole name, or its last part where that can only be this one."""
    last = name.rpartition("/")[2] if "/" in name else name.rpartition(".")[2] if name.count(".") == 1 else name
    if "/" not in name and "." in name and name.rpartition(".")[2].islower() and "_" not in last:
        last = name  # `Store.rows`: the word alone may be any
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", content) for one in {name, last})
