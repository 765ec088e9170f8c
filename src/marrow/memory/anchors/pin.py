"""Pinning what is saved to the code: evidence for the anchors that were given, and anchors for what the text names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from ...model.code import TYPES
from ...model.errors import MarrowError
from ...model.link import Anchor
from ..engine import Engine
from .checkout import Checkout
from .evidence import (
    companions,
    file_anchor,
    has_evidence,
    in_file,
    lines_anchor,
    plain_name,
    symbol_anchor,
    told_dependencies,
    with_evidence,
)
from .known import checkout_of, is_mapped
from .mentions import NOTHING, Mentions, Place
from .values import with_values

AUTOMATIC_MAX = 4
# Larger files are not looked into because a text names them.
LOOKED_INTO_BYTES = 256 * 1024
AUTO = {"auto": True}
PACKAGE_PARTS_MAX = 8
_PATH_PARTS = re.compile(r"[/.]")


def pin_all(
    engine: Engine, root: str, wanted: Iterable[tuple[Sequence[Anchor], Mentions, str]]
) -> list[tuple[Anchor, ...]]:
    """The anchors that each memory gets: those that were given, and those of what it names."""
    texts = list(wanted)
    has_places = [bool(given or named.places) for given, named, _ in texts]
    has_map = not all(has_places) and is_mapped(engine, root)
    # Names alone, and nothing that knows where they are: most texts are no further looked at.
    if not has_map and not any(has_places):
        return [()] * len(texts)
    checkout = checkout_of(engine, root)
    return [
        pinned(checkout, given, named, content) if has_map or has_place else ()
        for has_place, (given, named, content) in zip(has_places, texts, strict=True)
    ]


def pinned(
    checkout: Checkout, given: Sequence[Anchor], named: Mentions = NOTHING, content: str = ""
) -> tuple[Anchor, ...]:
    """The anchors that a memory gets. Whatever goes wrong with the files, what was given stays."""
    found = [_seen(checkout, anchor) for anchor in given]
    found += _automatic(checkout, found, named, content)
    if content:
        found = _with_values(checkout, found, content)
    for anchor in tuple(found):
        found += [one for one in companions(anchor) if not _is_there(found, one)]
    return tuple(dict.fromkeys(found))


def told(anchors: Iterable[Anchor]) -> tuple[str, ...]:
    """What a memory is anchored to, in words: `make_str (click/utils.py:46)`. Files that come with others are not
    said, nor is what points at nothing."""
    return tuple(_place_of(one) for one in anchors if has_evidence(one))


def pointing_nowhere(root: str, anchors: Iterable[Anchor]) -> tuple[str, ...]:
    """Those that were given by hand and have nothing to point at."""
    return tuple(
        _place_of(one)
        for one in anchors
        if not has_evidence(one)
        and not {"auto", "with"} & one.fields.keys()
        and not (one.type == "file" and os.path.isfile(os.path.join(root, one.target)))  # an empty one
    )


def _place_of(anchor: Anchor) -> str:
    about = anchor.fields
    path, start, end = about.get("path") or about.get("file"), about.get("start"), about.get("end")
    if anchor.type == "symbol":
        return f"{anchor.target} ({path}{f':{start}' if start else ''})" if path else anchor.target
    if anchor.type == "lines":
        return f"{anchor.target}:{start}" + (f"-{end}" if end and end != start else "")
    return anchor.target if anchor.type == "file" else f"{anchor.type} {anchor.target}"


def _seen(checkout: Checkout, anchor: Anchor) -> Anchor:
    if has_evidence(anchor):
        return anchor
    try:
        return with_evidence(checkout, anchor) or anchor
    except (MarrowError, OSError, ValueError, RecursionError):
        return anchor


def _automatic(checkout: Checkout, given: Sequence[Anchor], named: Mentions, content: str) -> list[Anchor]:
    try:
        return list(_named(checkout, given, named, content))
    except (MarrowError, OSError, ValueError, RecursionError):
        return []


def _with_values(checkout: Checkout, found: list[Anchor], content: str) -> list[Anchor]:
    try:
        return with_values(checkout, found, content)
    except (MarrowError, OSError, ValueError, RecursionError):
        return found


def _named(checkout: Checkout, given: Sequence[Anchor], named: Mentions, content: str) -> Iterable[Anchor]:
    """Symbols and dependencies before whole files: they say more."""
    places = {place: path for place in named.places if (path := _path_of(checkout, place))}
    files = [path for path in dict.fromkeys(places.values()) if checkout.size(path) <= LOOKED_INTO_BYTES]
    left = AUTOMATIC_MAX
    taken: set[tuple[str, str]] = {(anchor.type, anchor.target) for anchor in given}
    within = [*_symbols(checkout, files, named), *_dependencies(checkout, files, content)]
    for anchor in (*_lines(checkout, places), *within, *_files(checkout, places)):
        is_new = (anchor.type, anchor.target) not in taken or anchor.type == "lines"
        if left and is_new and not _is_there((*given,), anchor):
            left -= 1
            taken.add((anchor.type, anchor.target))
            yield anchor


def _path_of(checkout: Checkout, place: Place) -> str:
    """The file that is meant: by its path, or the only one of its name."""
    if ".." in place.path.split("/"):
        return ""
    if checkout.has(place.path):
        return place.path
    found = checkout.named(place.path)
    return found[0] if len(found) == 1 and checkout.has(found[0]) else ""


def _lines(checkout: Checkout, places: dict[Place, str]) -> Iterable[Anchor]:
    for place, path in places.items():
        if place.start and checkout.size(path) <= LOOKED_INTO_BYTES:
            anchor = lines_anchor(checkout, path, place.start, place.end, AUTO)
            if anchor is not None:
                yield anchor


def _symbols(checkout: Checkout, files: Sequence[str], named: Mentions) -> Iterable[Anchor]:
    """Names that are written as code may be anywhere in the project, if only in one place; words that only look like
    names must stand in a file that the text names."""
    for name in (*named.names, *named.words):
        wanted = plain_name(name)
        found = [place for path in files for place in in_file(checkout, path, wanted)]
        if not found and name in named.names:
            found = _anywhere(checkout, wanted) or _owner(checkout, files, wanted)
        if len({path for path, _ in found}) == 1:
            anchor = symbol_anchor(checkout, *found[0], AUTO)
            if anchor is not None:
                yield anchor


def _dependencies(checkout: Checkout, files: Sequence[str], content: str) -> Iterable[Anchor]:
    for path in files if content else ():
        yield from told_dependencies(checkout, path, content)


def _anywhere(checkout: Checkout, wanted: str) -> list[tuple[str, int]]:
    """What has the name; else what has it without what stands before it, where that says in which folder or file it is:
    `hugofs.NewFs`, `ignore.WalkBuilder.new`, `org.shop.Invoice.total`."""
    parts = wanted.split(".")
    for first in range(min(len(parts), PACKAGE_PARTS_MAX)):
        rest = ".".join(parts[first:])
        found = _defined(checkout, rest, is_whole=bool(first) and "." not in rest)
        if first:
            found = [(path, at) for path, at in found if parts[first - 1] in _named_in(path)]
        if found:
            return found
    return []


def _named_in(path: str) -> list[str]:
    """The names of the folders and of the file. Not its ending: `c.Open()` is of a variable, in a project of C too."""
    return _PATH_PARTS.split(os.path.splitext(path)[0])


def _defined(checkout: Checkout, wanted: str, *, is_whole: bool) -> list[tuple[str, int]]:
    found = [
        place
        for path in checkout.defining(wanted)[:AUTOMATIC_MAX]
        if checkout.size(path) <= LOOKED_INTO_BYTES
        for place in in_file(checkout, path, wanted)
    ]
    exact = [place for place in found if checkout.symbols(place[0])[place[1]].qualified == wanted]
    return exact or ([] if is_whole else found)


def _owner(checkout: Checkout, files: Sequence[str], wanted: str) -> list[tuple[str, int]]:
    """The type that a field belongs to, where the field is no symbol of its own."""
    owner, _, field = wanted.rpartition(".")
    if not owner:
        return []
    found = [place for path in files for place in in_file(checkout, path, owner)] or _anywhere(checkout, owner)
    return [
        (path, at) for path, at in found if checkout.symbols(path)[at].kind in TYPES and _has(checkout, path, field)
    ]


def _has(checkout: Checkout, path: str, word: str) -> bool:
    return re.search(rb"\b%b\b" % re.escape(word.encode()), checkout.source(path) or b"") is not None


def _files(checkout: Checkout, places: dict[Place, str]) -> Iterable[Anchor]:
    for path in dict.fromkeys(places.values()):
        anchor = file_anchor(checkout, path, AUTO)
        if anchor is not None:
            yield anchor


def _is_there(anchors: Sequence[Anchor], one: Anchor) -> bool:
    """Whether an anchor says no more than others do: a file, where something in it is anchored."""
    if one.type == "file":
        return any(anchor.type in ("file", "lines") and anchor.target == one.target for anchor in anchors)
    return one in anchors
