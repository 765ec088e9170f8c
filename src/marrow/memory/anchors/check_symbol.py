"""Whether a symbol is still what it was: under its name, under another, or in another file."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Any

from ...codemap.fingerprint import likeness, ordered_likeness, size_of, symbol_print
from ...model.code import Symbol
from ...model.link import Anchor
from .check_file import new_place
from .checkout import Checkout
from .difference import difference
from .earlier import stood_beside
from .evidence import BY_NAME, PATH, PRINT, SEARCHED, TEXT, TEXT_MAX, find_symbol, made, symbol_anchor
from .finding import CHANGED, GONE, HOLDS, MOVED, UNKNOWN, Finding

# So many tokens of a body are known again under another name; with fewer the name must be like the old one.
TELLING = 10
NAMED_ALIKE = 0.6
BODY_ALIKE = 0.8
MOVED_ALIKE = 0.4

Place = tuple[str, int]


def check_symbol(checkout: Checkout, anchor: Anchor) -> Finding:
    about, name = anchor.fields, anchor.target
    path = str(about.get(PATH) or about.get("file") or "")
    if PRINT not in about:
        return _first_look(checkout, anchor, path)
    if checkout.has(path):
        if not checkout.can_read(path):
            return Finding(anchor, UNKNOWN, f"{path} is too large or too wild to be looked into")
        named = _named(checkout, path, name)
        if named:
            return _same_name(checkout, anchor, about, named)
        if checkout.is_broken(path) and _is_said(checkout, path, name):
            return Finding(anchor, UNKNOWN, f"{path} cannot be parsed as it is now")
    return (
        _in_renamed_file(checkout, anchor, about, path)
        or _renamed(checkout, anchor, about, path)
        or _elsewhere(checkout, anchor, about, path)
        or _renamed_and_changed(checkout, anchor, about, path)
        or Finding(anchor, GONE, f"{name} is no longer in {path}" if checkout.has(path) else f"{path} is gone")
    )


def _named(checkout: Checkout, path: str, name: str) -> list[Place]:
    return [(path, at) for at, symbol in enumerate(checkout.symbols(path)) if symbol.qualified == name]


def _is_said(checkout: Checkout, path: str, name: str) -> bool:
    """Whether a file has the word at all: where it has not, what cannot be parsed of it does not define it."""
    last = re.escape(name.rpartition(".")[2].encode())
    return re.search(rb"(?<!\w)%b(?!\w)" % last, checkout.source(path) or b"") is not None


def _first_look(checkout: Checkout, anchor: Anchor, path: str) -> Finding:
    place = find_symbol(checkout, anchor.target, path)
    now = symbol_anchor(checkout, *place, anchor.fields) if place else None
    if now is None:
        return Finding(anchor, UNKNOWN, f"{anchor.target} was never seen here, or there are several")
    return Finding(anchor, HOLDS, "", now)


def _same_name(checkout: Checkout, anchor: Anchor, about: dict[str, Any], named: list[Place]) -> Finding:
    """Where there are several of the name (overloads), one of them is enough."""
    if about.get(BY_NAME) or any(_print(checkout, place) == about[PRINT] for place in named):
        return Finding(anchor, HOLDS)
    best = max(named, key=lambda place: likeness(*_texts(checkout, about, place)))
    return Finding(anchor, CHANGED, _what(checkout, anchor, about, best))


def _in_renamed_file(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str) -> Finding | None:
    now = "" if checkout.has(path) else new_place(checkout, path, "")
    named = _named(checkout, now, anchor.target) if now else []
    if not named:
        return _renamed(checkout, anchor, about, now) if now else None
    same = next((place for place in named if about.get(BY_NAME) or _print(checkout, place) == about[PRINT]), None)
    if same is not None:
        return _moved(checkout, anchor, about, same, f"{path} is {now} now")
    said = f"{path} is {now} now; {_what(checkout, anchor, about, named[0])}"
    return Finding(anchor, CHANGED, said, made("symbol", anchor.target, about, path=now))


def _renamed(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str) -> Finding | None:
    """The same body under another name in the file."""
    symbols = checkout.symbols(path) if checkout.has(path) else ()
    is_telling = size_of(str(about[PRINT])) >= TELLING
    last = anchor.target.rpartition(".")[2]
    found = [
        (path, at)
        for at, symbol in enumerate(symbols)
        if symbol.kind == about.get("kind")
        and _print(checkout, (path, at)) == about[PRINT]
        and (is_telling or SequenceMatcher(None, symbol.name, last).ratio() >= NAMED_ALIKE)
        and _came_after(checkout, anchor, about, (path, at))
    ]
    if not found:
        return None
    place = min(found, key=lambda one: abs(symbols[one[1]].start - int(about.get("start", 1))))
    return _moved(checkout, anchor, about, place, f"{anchor.target} is called {symbols[place[1]].qualified} now")


def _elsewhere(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str) -> Finding | None:
    """The same name in another file: the same body first, one that is like it as changed."""
    last = anchor.target.rpartition(".")[2]
    changed: Place | None = None
    head = _head(about, last)
    likely = checkout.holding(head, SEARCHED) if head else []
    for other in dict.fromkeys((*checkout.defining(last), *likely, *checkout.holding(last, SEARCHED))):
        if other == path:
            continue
        for at, symbol in enumerate(checkout.symbols(other)):
            if symbol.name != last or not _is_of_kind(symbol, about):
                continue
            place = (other, at)
            is_same = _print(checkout, place) == about[PRINT]
            is_like = is_same or (changed is None and likeness(*_texts(checkout, about, place)) >= MOVED_ALIKE)
            if not is_like or not _came_after(checkout, anchor, about, place):
                continue
            if is_same:
                return _moved(checkout, anchor, about, place, f"{anchor.target} is in {other} now")
            changed = place
    if changed is None:
        return None
    if about.get(BY_NAME):
        return _moved(checkout, anchor, about, changed, f"{anchor.target} is in {changed[0]} now")
    said = f"it is in {changed[0]} now; {_what(checkout, anchor, about, changed)}"
    return Finding(anchor, CHANGED, said, made("symbol", anchor.target, about, path=changed[0]))


def _renamed_and_changed(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str) -> Finding | None:
    """A symbol of the file that is much like it, under another name."""
    best, score = None, BODY_ALIKE
    for at, symbol in enumerate(checkout.symbols(path) if checkout.has(path) else ()):
        if symbol.kind == about.get("kind") and size_of(str(about[PRINT])) >= TELLING:
            was, body = _texts(checkout, about, (path, at))
            if likeness(was, body) > BODY_ALIKE and (like := ordered_likeness(was, body)) > score:
                best, score = (path, at), like
    if best is None or not _came_after(checkout, anchor, about, best):
        return None
    name = checkout.symbols(path)[best[1]].qualified
    return Finding(anchor, CHANGED, f"it seems to be {name} now; {_what(checkout, anchor, about, best)}")


def _came_after(checkout: Checkout, anchor: Anchor, about: dict[str, Any], place: Place) -> bool:
    """Whether this is not only like it, but came in its place: what stood beside it before is another."""
    was_in = str(about.get(PATH) or about.get("file") or "")
    called = checkout.symbols(place[0])[place[1]].qualified
    return not stood_beside(checkout, was_in, anchor.target, place[0], called)


def _moved(checkout: Checkout, anchor: Anchor, about: dict[str, Any], place: Place, said: str) -> Finding:
    now = symbol_anchor(checkout, *place, about)
    return Finding(anchor, MOVED, said, now) if now else Finding(anchor, HOLDS)


def _what(checkout: Checkout, anchor: Anchor, about: dict[str, Any], place: Place) -> str:
    path = place[0]
    symbol, was = checkout.symbols(path)[place[1]], str(about.get(TEXT, ""))
    what = difference(path, was, checkout.told(path, symbol.start, symbol.end), is_cut=len(was) >= TEXT_MAX)
    return f"{symbol.qualified} ({path}:{symbol.start}): {what or 'its body reads otherwise'}"


def _texts(checkout: Checkout, about: dict[str, Any], place: Place) -> tuple[bytes, bytes]:
    """What was there and what is there now; of a long one only the beginning was kept."""
    was, now = str(about.get(TEXT, "")), _body(checkout, place)
    return was.encode(), now[: len(was.encode())] if len(was) >= TEXT_MAX else now


def _head(about: dict[str, Any], name: str) -> str:
    """How its definition begins, up to its name: few files have that, where many have the name."""
    for line in str(about.get(TEXT, "")).splitlines():
        before, found, _ = line.partition(name)
        if found:
            return f"{before.strip()} {name}" if before.strip() and before.endswith(" ") else ""
    return ""


def _is_of_kind(symbol: Symbol, about: dict[str, Any]) -> bool:
    """A function that became a method is still what it was."""
    callables = ("function", "method", "constructor")
    return symbol.kind == about.get("kind") or (symbol.kind in callables and about.get("kind") in callables)


def _print(checkout: Checkout, place: Place) -> str:
    path, index = place
    return symbol_print(checkout.tokens(path), checkout.symbols(path), index)


def _body(checkout: Checkout, place: Place) -> bytes:
    symbol = checkout.symbols(place[0])[place[1]]
    return b"\n".join(checkout.lines(place[0])[symbol.start - 1 : symbol.end])
