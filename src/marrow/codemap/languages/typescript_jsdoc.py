"""What comments say about types in JavaScript: `@param {Foo} x`, `@returns {Foo}`, `@type {Foo}`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .typescript_types import type_of

_TAG = re.compile(r"@(param|arg|argument|returns?|type)\s+\{((?:[^{}]|\{[^{}]*\})*)\}(?:\s+\[?([\w$]+)(?![\w$.]))?")
_MARKS = re.compile(r"\A\s*(?:\.\.\.)?[?!]?\s*(.*?)\s*=?\s*\Z", re.DOTALL)


class Said(NamedTuple):
    parameters: dict[str, str]
    returns: str = ""
    type: str = ""


@lru_cache(maxsize=1024)
def said_in(comment: str) -> Said:
    """The types in a comment, in the map's spelling."""
    parameters: dict[str, str] = {}
    returns = type_ = ""
    for tag, written, name in _TAG.findall(comment.replace("\n *", "\n")):
        found = _MARKS.match(written)
        spelt = type_of(found[1].replace(".<", "<")) if found else ""
        if not spelt or spelt[0] == "=":
            continue
        if tag.startswith("return"):
            returns = spelt
        elif tag == "type":
            type_ = spelt
        elif name:
            parameters[name] = spelt
    return Said(parameters, returns, type_)
