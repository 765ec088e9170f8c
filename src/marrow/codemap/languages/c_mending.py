"""C and C++ that no grammar can read, because the preprocessor comes first: marks for the compiler that look like names
(`class API Foo`, `int x GUARDED_BY(lock);`), macros that open a namespace, and conditions inside of an expression.

The mended text has the same length and lines, and only its tree is used: names are read from the text as it was.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from .conditions import PARSED_AGAIN_MAX, SECONDS_MAX, Parse, cost_of, tried, without_conditions

if TYPE_CHECKING:
    from tree_sitter import Node

ROUNDS = 2

_MACRO = rb"[A-Z][A-Z0-9_]{3,}+(?:\((?:[^()\n]|\([^()\n]*\))*+\))?"
# Behind `class`, the grammar takes what is no name for the name, often without any error.
_CLASS_MARKS = re.compile(
    rb"(\b(?:class|struct|union)\s)\s*+[A-Z][A-Z0-9_]{2,}+(?:\([^()\n]*\))?"
    rb"(?=\s+[A-Za-z_][\w:]*+\s*(?:final\s*)?"
    rb"(?:\{|:\s*(?:public|private|protected|virtual|[A-Za-z_][\w:]*+[^\S\n]*[<{,])))"
    rb"|(\bclass\s)\s*+[A-Z][A-Z0-9_]{2,}+(?:\([^()\n]*\))?(?=\s+[A-Za-z_]\w*+\s*;)"
    rb"|(\bstruct\s)\s*+[A-Z][A-Z0-9_]*_(?:API|DLL|EXPORT|PUBLIC)(?=\s+[A-Za-z_]\w*+\s*;)"
)
_MARKS = re.compile(
    rb"(\b(?:class|struct|union|enum)(?=\s))\s++[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=\s+[A-Za-z_]\w*\s*(?:final\s*)?[:{;])"
    rb"|(\))[ \t\n]++[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?(?=\s*[;{])"
    rb"|(\w(?<!return)(?<!else)(?<!case))[ \t\n]++[A-Z][A-Z0-9_]{3,}\([^()\n]*\)(?=\s*[;=])"
)
# Macros before a declaration, at the beginning of a line (none of a macro) or behind what may stand before one.
_LEADING = re.compile(
    rb"(?m)((?<!\\\n)^[ \t]*+|\b(?:static|inline|constexpr|friend|virtual|extern|explicit)[ \t]+|>[ \t]+)"
    rb"((?:" + _MACRO + rb"[ \t\n]++){1,4})"
    rb"(?=(?:static|inline|explicit|constexpr|virtual|auto|void|bool|int|char|unsigned|const|struct|class|enum|template"
    rb"|typename|friend|using|extern)\b"
    rb"|[A-Za-z_][\w:]*+(?:<[^<>;{}()\n]*>)?[ \t\n*&]+[A-Za-z_~][\w:~]*+\s*[(=;,\[{]"
    rb"|[A-Za-z_]\w*+(?:<[^<>\n]*>)?::~?[A-Za-z_]\w*+\s*\("
    rb"|~?[A-Za-z_]\w*+\()"
)
# What is asked of the arguments of a template: `template <typename T, ENABLE_IF(is_small<T>())>`.
_DEMANDS = re.compile(
    rb"(\w|\.\.\.)(?:\s*,\s*[A-Z][A-Z0-9_]{3,}+"
    rb"\((?:[^(){};]|\((?:[^(){};]|\((?:[^(){};]|\([^(){};]*\))*+\))*+\))*+\))(?=\s*>)"
)
# `enum : small {`, and what stands between `if` and its condition.
_BETWEEN = re.compile(rb"(\benum)\s*+:[\w\s:]+(?=\{)|(\bif)\s++[A-Z][A-Z0-9_]{3,}+(?=\s*\()")
_EMPTY_DEFAULTS = re.compile(rb"(\w)\s*+=\s*\{\}(?=\s*[,)])")  # of a parameter
_ALONE = re.compile(rb"[ \t]*" + _MACRO + rb"[ \t]*(?://[^\n]*)?\Z")
_ENDS_SOMETHING = re.compile(rb"(?:[;{}:>]|\*/|^[ \t]*#.*|^)[ \t]*(?://.*)?\Z")
_BEGINS_SOMETHING = re.compile(rb"[ \t]*(?:[A-Za-z_~#\[]|/[/*]|$)")
_OPENING = re.compile(rb"(?m)^([ \t]*)([A-Z][A-Z0-9_]{0,40}?)_(BEGIN_NAMESPACE|NAMESPACE_BEGIN)\b")
_CLOSING = re.compile(rb"(?m)^([ \t]*)([A-Z][A-Z0-9_]{0,40}?)_(END_NAMESPACE|NAMESPACE_END)\b")


def mended(root: Node, source: bytes, path: str, language: str, parse: Parse) -> tuple[Node, bytes]:
    """The tree of a file without what only the preprocessor understands, and the text that it is of."""
    best, text, until = root, source, time.monotonic() + SECONDS_MAX
    plain = _CLASS_MARKS.sub(_blanked, source)
    if language == "cpp":
        plain = _with_namespaces(plain, path)
    if plain != source:
        best, text = parse(plain), plain
    if not best.has_error:
        return best, text
    cost, left = cost_of(best, language), PARSED_AGAIN_MAX
    for change in CHANGES * ROUNDS:
        if not cost or left < len(text) or time.monotonic() > until:
            break
        plain = change(best, text, language)
        if plain == text:
            continue
        left -= len(plain)
        other = tried(parse, plain)
        if other is not None and (found := cost_of(other, language)) < cost:
            best, text, cost = other, plain, found
    return best, text


def _spaces(text: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", text)


def _blanked(found: re.Match[bytes]) -> bytes:
    """What stands before a macro, and as much white space as the macro takes, with its lines."""
    kept: bytes = next(one for one in found.groups() if one is not None)
    return kept + _spaces(found[0][len(kept) :])


def _without_marks(root: Node, text: bytes, language: str) -> bytes:
    return _MARKS.sub(_blanked, text)


def _without_leading(root: Node, text: bytes, language: str) -> bytes:
    return _LEADING.sub(_blanked, text)


def _without_lines(root: Node, text: bytes, language: str) -> bytes:
    """Without the macros that stand alone on a line between two declarations."""
    lines = text.split(b"\n")
    before = b""
    for at, line in enumerate(lines):
        if _ALONE.match(line) and _ENDS_SOMETHING.search(before) and not before.endswith(b"\\"):
            after = next((one for one in lines[at + 1 : at + 4] if one.strip()), b"")
            is_last = after.lstrip().startswith(b"}") and not before.rstrip().endswith(b"{")
            if is_last or _BEGINS_SOMETHING.match(after):
                line = lines[at] = _spaces(line)
        before = line if line.strip() else before
    return b"\n".join(lines)


def _without_demands(root: Node, text: bytes, language: str) -> bytes:
    return _DEMANDS.sub(_blanked, text)


def _without_defaults(root: Node, text: bytes, language: str) -> bytes:
    return _EMPTY_DEFAULTS.sub(_blanked, _BETWEEN.sub(_blanked, text))


def _with_namespaces(text: bytes, path: str) -> bytes:
    """`KEPT_BEGIN_NAMESPACE` opens the namespace `kept`, where the file speaks of one or lies in a folder of that name
    (what Qt says so opens none)."""
    found = _OPENING.search(text)
    name = _namespace(found[2], text, path) if found is not None else b""
    if not name:
        return text

    def opened(one: re.Match[bytes]) -> bytes:
        return (one[1] + b"namespace " + name + b"{").ljust(len(one[0]))

    return _CLOSING.sub(lambda one: (one[1] + b"}").ljust(len(one[0])), _OPENING.sub(opened, text))


def _namespace(prefix: bytes, text: bytes, path: str) -> bytes:
    name = prefix.lower()
    while name:
        if re.search(rb"\bnamespace\s+" + name + rb"\s*(?:::\s*\w+\s*)?\{(?![^\n]*\\\n)(?!\s*inline\b)", text):
            return b""  # it is opened as such: the macro only opens one inside of it
        if re.search(rb"\b" + name + rb"::", text) or name.decode() in path.split("/")[:-1]:
            return name
        name = name.rpartition(b"_")[0]
    return b""


CHANGES = (
    _without_marks,
    _without_leading,
    _without_lines,
    _without_demands,
    _without_defaults,
    without_conditions,
)
