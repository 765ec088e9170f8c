"""Whether lines still say what they said: where they were, elsewhere in the file, or in another."""

from __future__ import annotations

import re
from typing import Any

from ...codemap.fingerprint import Span, at_line, find_lines, likeness, lines_print, most_like, size_of
from ...codemap.languages.table import language_of
from ...model.link import Anchor
from .check_file import new_place
from .checkout import Checkout
from .difference import difference
from .earlier import lines_stood_beside
from .evidence import KNOWN, PRINT, SEARCHED, TEXT, TEXT_MAX, around_of, lines_anchor, made, written_sum
from .finding import CHANGED, GONE, HOLDS, MOVED, UNKNOWN, Finding

# So many tokens say for themselves what they are; fewer may stand anywhere, and are known by what is around them.
TELLING = 12
STILL_HERE, TRACE_OF_IT = 0.6, 0.4
FEW_LINES = 3
_WORD = re.compile(r"\w{3,}")
_NAME = re.compile(r"\w+")


def check_lines(checkout: Checkout, anchor: Anchor) -> Finding:
    about, path = anchor.fields, anchor.target
    if PRINT not in about and KNOWN not in about:
        return _first_look(checkout, anchor, about)
    if not checkout.has(path):
        now = new_place(checkout, path, "")
        if now:
            found = _in_file(checkout, anchor, about, now)
            return found or _changed(checkout, anchor, about, now, f"{path} is {now} now; ")
        return _elsewhere(checkout, anchor, about) or Finding(anchor, GONE, f"{path} is no longer there")
    if checkout.source(path) is None:
        return Finding(anchor, UNKNOWN, f"{path} is too large, or too secret, to be looked into")
    found = _in_file(checkout, anchor, about, path)
    if found is not None:
        return found
    region, like = _region(checkout, about, path)
    if like >= STILL_HERE and _is_twin(checkout, anchor, about, path, region):
        like = 0.0
    if like < STILL_HERE and (moved := _elsewhere(checkout, anchor, about)) is not None:
        return moved
    if not _is_it(checkout, about, path, region, like):
        return Finding(anchor, GONE, f"{path}:{_hint(about)} is no longer there: {_first_line(about)}")
    return _changed(checkout, anchor, about, path, "", region)


def _first_look(checkout: Checkout, anchor: Anchor, about: dict[str, Any]) -> Finding:
    start, end = about.get("start"), about.get("end")
    if isinstance(start, int) and isinstance(end, int) and checkout.has(anchor.target):
        now = lines_anchor(checkout, anchor.target, start, end, about)
        if now is not None:
            return Finding(anchor, HOLDS, "", now)
    if not checkout.has(anchor.target) and checkout.was_known(anchor.target):
        now_at = checkout.renamed(anchor.target)
        return Finding(anchor, GONE, f"{anchor.target} is {now_at or 'no longer there'}")
    return Finding(anchor, UNKNOWN, f"{anchor.target}:{_hint(about)} was never seen here")


def _in_file(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str) -> Finding | None:
    """The same tokens in this file; None when they are not there, or could be any."""
    is_plain = language_of(path) != "" and not checkout.tokens(path).exact
    by_text = not about.get(PRINT) or is_plain != bool(about.get("plain"))
    span = _same_text(checkout, about, path) if by_text else _same_tokens(checkout, about, path)
    if span is None:
        return None
    start = int(about.get("start", 1))
    first = int(about.get("at", start))
    shift = span.first - first
    if path == anchor.target and not shift:
        return Finding(anchor, HOLDS)
    moved = lines_anchor(checkout, path, max(1, start + shift), max(span.last, start + shift), about)
    if moved is not None and not by_text and moved.fields.get(PRINT) != about[PRINT]:
        # The comment above them stayed behind, and other code stands there now.
        moved = lines_anchor(checkout, path, span.first, span.last, about)
    if moved is None:
        return None
    if path != anchor.target:
        moved_to = f"{path}:{start + shift}"
        return Finding(anchor, MOVED, f"{anchor.target}:{start} is at {moved_to} now", moved)
    return Finding(anchor, MOVED, f"{path}:{_hint(about)} is at line {start + shift} now", moved)


def _same_tokens(checkout: Checkout, about: dict[str, Any], path: str) -> Span | None:
    tokens = checkout.tokens(path)
    spans = find_lines(tokens, str(about[PRINT]))
    hint = int(about.get("at", about.get("start", 1)))
    is_telling = size_of(str(about[PRINT])) >= TELLING
    best, best_score = None, (0, 0)
    for span in spans:
        within = tokens.within(span.first, span.last)
        before, after = around_of(tokens, within[0], within[-1])
        around = at_line(checkout.symbols(path), span.first)
        named = around.qualified if around else ""
        knows = (before == about.get("before", "")) + (after == about.get("after", ""))
        knows += bool(named) and named == about.get("within")
        score = (knows + is_telling, -abs(span.first - hint))
        if score[0] and (best is None or score > best_score):
            best, best_score = span, score
    return best


def _same_text(checkout: Checkout, about: dict[str, Any], path: str) -> Span | None:
    """Comments have no tokens: they are compared as they are written, without the space around them."""
    wanted = [line.strip() for line in str(about.get(TEXT, "")).encode().splitlines()]
    lines = [line.strip() for line in checkout.lines(path)]
    hint, size, sum_ = int(about.get("start", 1)), len(wanted), about.get("sum")
    if sum_:
        size = int(about.get("end", hint)) - hint + 1
        starts = [at for at in range(len(lines) - size + 1) if written_sum(lines[at : at + size]) == sum_]
    else:
        starts = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == wanted]
    if not starts:
        return None
    nearest = min(starts, key=lambda at: abs(at + 1 - hint))
    return Span(nearest + 1, nearest + size)


def _region(checkout: Checkout, about: dict[str, Any], path: str) -> tuple[Span, float]:
    """The lines that are most like those that were there; where they were first."""
    lines, was = checkout.lines(path), str(about.get(TEXT, "")).encode()
    start, end = int(about.get("start", 1)), int(about.get("end", 1))
    here = b"\n".join(lines[start - 1 : end])
    like = likeness(was, here)
    if like >= STILL_HERE and size_of(str(about.get(PRINT) or "0.")) >= TELLING // 2:
        return Span(start, end), like
    found, score = most_like(lines, was.splitlines(), start)
    return (found, score) if score > like else (Span(start, end), like)


def _is_it(checkout: Checkout, about: dict[str, Any], path: str, region: Span, like: float) -> bool:
    """Whether these lines are what became of those that were there. The less they are like them, the more must speak
    for it: the same place, the same neighbours, the same name at the beginning."""
    if not TRACE_OF_IT <= like < STILL_HERE:
        return like >= STILL_HERE
    tokens = checkout.tokens(path)
    within = tokens.within(region.first, region.last)
    before, after = around_of(tokens, within[0], within[-1]) if within else ("", "")
    now = b"\n".join(checkout.lines(path)[region.first - 1 : region.last]).decode("utf-8", "replace")
    names = [next(iter(_NAME.findall(text)), "") for text in (str(about.get(TEXT, "")), now)]
    is_named_so = names[0] == names[1] != "" and region.last - region.first < FEW_LINES
    return before == about.get("before") or after == about.get("after") or is_named_so


def _changed(
    checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str, said: str, region: Span | None = None
) -> Finding:
    region, like = (region, 1.0) if region is not None else _region(checkout, about, path)
    if not _is_it(checkout, about, path, region, like):
        return Finding(anchor, GONE, f"{said}{path} no longer has it: {_first_line(about)}")
    was, now = str(about.get(TEXT, "")), checkout.told(path, region.first, region.last)
    what = difference(path, was, now, is_cut=len(was) >= TEXT_MAX) or "it reads otherwise"
    place = made("lines", path, about, start=region.first, end=region.last, at=region.first)
    is_same = path == anchor.target and region.first == about.get("start")
    return Finding(anchor, CHANGED, f"{said}{path}:{region.first}: {what}", None if is_same else place)


def _elsewhere(checkout: Checkout, anchor: Anchor, about: dict[str, Any]) -> Finding | None:
    """The same tokens in another file of the project. Few tokens may stand anywhere: they are looked for only where
    their file is gone, and known by what stands on both sides of them."""
    few = size_of(str(about.get(PRINT) or "0.")) < TELLING
    if few and (checkout.has(anchor.target) or not about.get(PRINT)):
        return None
    lines = [line.strip() for line in str(about.get(TEXT, "")).splitlines()]
    words = sorted({word for line in lines for word in _WORD.findall(line)}, key=len, reverse=True)
    for word in words[:2]:
        for path in checkout.holding(word, SEARCHED):
            if path == anchor.target or (few and not _is_between_the_same(checkout, about, path)):
                continue
            found = _in_file(checkout, anchor, about, path)
            if found is not None and not _is_copy(checkout, anchor, about, path):
                return found
    return None


def _is_copy(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str) -> bool:
    """Whether the same lines stood in another file already while they were here too."""
    print_ = str(about.get(PRINT) or "")
    return bool(print_) and lines_stood_beside(checkout, anchor.target, print_, path, print_)


def _is_twin(checkout: Checkout, anchor: Anchor, about: dict[str, Any], path: str, region: Span) -> bool:
    """Whether lines that are like those that are gone stood beside them before, and so are not what became of them."""
    was, now = str(about.get(PRINT) or ""), lines_print(checkout.tokens(path), region.first, region.last)
    if min(size_of(was or "0."), size_of(now or "0.")) < TELLING:
        return False
    return lines_stood_beside(checkout, anchor.target, was, path, now)


def _is_between_the_same(checkout: Checkout, about: dict[str, Any], path: str) -> bool:
    sides = (about.get("before", ""), about.get("after", ""))
    tokens = checkout.tokens(path)
    for span in find_lines(tokens, str(about[PRINT])) if any(sides) else ():
        within = tokens.within(span.first, span.last)
        if around_of(tokens, within[0], within[-1]) == sides:
            return True
    return False


def _hint(about: dict[str, Any]) -> str:
    start, end = about.get("start", "?"), about.get("end", "?")
    return str(start) if start == end else f"{start}-{end}"


def _first_line(about: dict[str, Any]) -> str:
    return next((line.strip() for line in str(about.get(TEXT, "")).splitlines() if line.strip()), "")[:90]
