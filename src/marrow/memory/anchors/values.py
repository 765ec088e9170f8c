"""Telling values: what a memory quotes of the place it is anchored to. A class or a file may change much and still be
what was meant; when the number that the memory speaks of is no longer there, what it says is in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...codemap.fingerprint import Span
from ...model.code import TYPES
from ...model.link import Anchor
from .checkout import Checkout
from .evidence import PATH, TEXT, made
from .mentions import READ_MAX, words_like_code

# The word of an anchor in which they stand.
SAYS = "says"
VALUES_MAX = 12
# Not those of dates, versions, lines of a file and issues.
_NUMBER = re.compile(
    r"(?<![\w.,:#-])(?:\d{1,3}(?:[,_]\d{3})+|\d{2,}(?:\.\d+)?|\d+\.\d+)"
    r"(?=[a-zA-Z%]{0,3}(?:[.,:;!?)]?(?:\s|\Z)))"
)
_WITH_UNIT = re.compile(
    r"(?<![\w.,:#-])(\d)\s?(?:%|(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|[KMG]i?B|times|retries|attempts)\b)"
)
_QUOTED = re.compile(r"`([^`\n]{2,60})`|\"([^\"\n]{2,60})\"")
_WIDE = TYPES | {"module", "namespace"}


def values_of(content: str) -> list[str]:
    """Numbers, quoted texts and names of a text, in the order in which they are looked for."""
    text = content[:READ_MAX]
    found = [number.replace(",", "").replace("_", "") for number in _NUMBER.findall(text)]
    found += _WITH_UNIT.findall(text)
    found += [(one or other).removesuffix("()") for one, other in _QUOTED.findall(text)]
    found += words_like_code(text)
    return list(dict.fromkeys(found))


def with_values(checkout: Checkout, anchors: Sequence[Anchor], content: str) -> list[Anchor]:
    """The anchors, those to a class or a file with the values that stand there. What a narrower anchor has is left to
    that: it may go elsewhere and take them along."""
    wide = [anchor for anchor in anchors if _is_wide(anchor)]
    values = values_of(content) if wide else []
    if not values:
        return [_noting(anchor, ()) if SAYS in anchor.fields else anchor for anchor in anchors]
    targets = [anchor.target for anchor in anchors if anchor.type == "symbol"]
    names = {*targets, *(part for target in targets for part in target.split("."))}
    narrow = [str(anchor.fields.get(TEXT, "")) for anchor in anchors if not _is_wide(anchor)]
    left = [one for one in values if one not in names and not any(_stands(one, text) for text in narrow)]
    left = [one for one in left if not any(one == anchor.target for anchor in anchors)]
    found = []
    for anchor in anchors:
        if not _is_wide(anchor):
            found.append(anchor)
            continue
        text = _text(checkout, anchor, left)
        there = [one for one in left if _stands(one, text)][:VALUES_MAX]
        found.append(_noting(anchor, there) if there or SAYS in anchor.fields else anchor)
        if anchor.type == "symbol":  # the file need not say it as well
            left = [one for one in left if one not in there]
    return found


def gone_values(checkout: Checkout, anchor: Anchor) -> tuple[str, ...]:
    """Those of the values of an anchor that no longer stand at its place."""
    noted = anchor.fields.get(SAYS)
    values = [str(one) for one in noted] if isinstance(noted, list) else []
    if not values:
        return ()
    text = _text(checkout, anchor, ())
    return tuple(one for one in values if not _stands(one, text))


def said_of(values: Iterable[str], anchor: Anchor) -> str:
    told = ", ".join(values)
    return f"{told} {'is' if ', ' not in told else 'are'} no longer in {anchor.target}"


def _is_wide(anchor: Anchor) -> bool:
    if anchor.type == "file":
        return "with" not in anchor.fields
    return anchor.type == "symbol" and anchor.fields.get("kind") in _WIDE


def _noting(anchor: Anchor, values: Sequence[str]) -> Anchor:
    return made(anchor.type, anchor.target, anchor.fields, **{SAYS: list(values) or None})


def _text(checkout: Checkout, anchor: Anchor, wanted: Sequence[str]) -> str:
    """The code at an anchor's place, without comments; "" where none of `wanted` can be in it."""
    path = anchor.target if anchor.type == "file" else str(anchor.fields.get(PATH) or "")
    source = checkout.source(path)
    if source is None:
        return ""
    raw = _plain(source.decode("utf-8", "replace"))
    if wanted and not any(_stands(one, raw) for one in wanted):
        return ""
    tokens, span = checkout.tokens(path), _span(checkout, anchor, path)
    at = range(len(tokens)) if span is None else tokens.within(span.first, span.last)
    return _plain(b" ".join(tokens.bare[index] for index in at).decode("utf-8", "replace"))


def _span(checkout: Checkout, anchor: Anchor, path: str) -> Span | None:
    if anchor.type == "file":
        return None
    named = [one for one in checkout.symbols(path) if one.qualified == anchor.target]
    return Span(min(one.start for one in named), max(one.end for one in named)) if named else Span(1, 0)


def _plain(text: str) -> str:
    return re.sub(r"(?<=\d)_(?=\d)", "", text)


def _stands(value: str, text: str) -> bool:
    """As a whole word, with any space between its parts."""
    if not text:
        return False
    parts = [re.escape(part) for part in re.findall(r"\w+|[^\w\s]", value)]
    return bool(parts) and re.search(r"(?<!\w)" + r"\s*".join(parts) + r"(?!\w)", text) is not None
