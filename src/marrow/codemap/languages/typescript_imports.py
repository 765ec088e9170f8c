"""What a JavaScript or TypeScript file takes from others and hands on: import, export … from, require, import()."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...model.code import Import
from .typescript_chains import parts_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

NAMES_MAX = 2000
_EVERYTHING = "*"
_DEFAULT = "default"
# A statement without comments is read by its text, which is several times quicker than by its nodes.
_NAMED = re.compile(r"\s*(?:type\s+)?([\w$]+|\"[^\"]*\"|'[^']*')(?:\s+as\s+([\w$]+|\"[^\"]*\"|'[^']*'))?\s*\Z")
_STATEMENT = re.compile(
    r"""import\s*(?:type\s+(?!from\b|,))?(?:defer\s+)?(?P<own>[\w$]+)?\s*,?\s*(?:\*\s*as\s+(?P<all>[\w$]+)|\{(?P<names>[^{}]*)\})?"""
    r"""\s*from\s*(?:"(?P<a>[^"\n]*)"|'(?P<b>[^'\n]*)')"""
)
_BARE = re.compile(r"""import\s*(?:"(?P<a>[^"\n]*)"|'(?P<b>[^'\n]*)')""")
_EXPORT = re.compile(
    r"""export\s*(?:type\s*)?(?:\*(?:\s*as\s+(?P<all>[\w$]+|"[^"]*"))?|\{(?P<names>[^{}]*)\})"""
    r"""(?:\s*from\s*(?:"(?P<a>[^"\n]*)"|'(?P<b>[^'\n]*)'))?"""
)
_REQUIRED = re.compile(r"""import\s+(?:type\s+)?(?P<own>[\w$]+)\s*=\s*require\s*\(\s*["'](?P<a>[^"'\n]*)["']\s*\)""")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def imports_of(found: dict[str, list[Any]], source: bytes) -> tuple[list[Import], list[tuple[str, str]]]:
    """The imports of a file, and the names under which it hands on what it has itself (`export {a as b}`)."""
    made: list[Import] = []
    aliases: list[tuple[str, str]] = []
    for node in found.get("import", ()):
        text = text_of(node, source)
        if "/" in text and ("/*" in text or "//" in text):
            text = _without_comments(text)
        _import(text, node.start_point.row + 1, made)
    for node in found.get("export", ()):
        head = source[node.start_byte + 6 : node.start_byte + 30].lstrip()
        if not head.startswith((b"{", b"*", b"type")) or node.child_by_field_name("declaration") is not None:
            continue
        text = text_of(node, source)
        if "/*" in text or "//" in text:
            text = _without_comments(text)
        _export(text, node.start_point.row + 1, made, aliases)
    return made, aliases


def _without_comments(text: str) -> str:
    """Comments may hold braces; addresses in the module's name hold `//`."""
    body, sign, module = text.rpartition("from")
    return _COMMENT.sub(" ", body) + sign + module if sign else text


def _import(text: str, line: int, made: list[Import]) -> None:
    found = _STATEMENT.match(text)
    if found is None:
        if bare := _BARE.match(text):
            made.append(Import("", bare["a"] or bare["b"] or "", "", line))
        elif required := _REQUIRED.match(text):
            made.append(Import(required["own"], required["a"], _DEFAULT, line))
            made.append(Import(required["own"], required["a"], "", line))
        return
    module = found["a"] or found["b"] or ""
    if found["own"]:
        made.append(Import(found["own"], module, _DEFAULT, line))
    if found["all"]:
        made.append(Import(found["all"], module, "", line))
    for name, local in _names(found["names"] or ""):
        made.append(Import(local, module, name, line))


def _export(text: str, line: int, made: list[Import], aliases: list[tuple[str, str]]) -> None:
    found = _EXPORT.match(text)
    if found is None:
        return
    module = found["a"] or found["b"]
    if module is None:
        aliases += [(local, name) for name, local in _names(found["names"] or "")]
    elif found["names"] is not None:
        made += [Import(local, module, name, line, exported=True) for name, local in _names(found["names"])]
    elif found["all"]:
        made.append(Import(found["all"].strip("\"'"), module, "", line, exported=True))
    else:
        made.append(Import(_EVERYTHING, module, _EVERYTHING, line, exported=True))


def _names(text: str) -> list[tuple[str, str]]:
    """`a, type b as c` as (a, a), (b, c)."""
    made = []
    for one in text.split(",")[:NAMES_MAX]:
        if found := _NAMED.match(one):
            name = found[1].strip("\"'")
            made.append((name, found[2].strip("\"'") if found[2] else name))
    return made


def required_by(value: Node, source: bytes) -> tuple[str, str] | None:
    """The module that an expression loads, and the name that it takes of it: `require("x")`, `await import("x")`,
    `require("x").y`."""
    name = ""
    at: Node | None = value
    for _ in range(5):
        if at is None:
            return None
        if at.type == "member_expression" and not name:
            named = at.child_by_field_name("property")
            name, at = text_of(named, source) if named is not None else "", at.child_by_field_name("object")
        elif at.type in ("await_expression", "parenthesized_expression", "as_expression", "non_null_expression"):
            at = at.named_child(0) if at.named_child_count else None
        elif at.type == "call_expression":
            module = loaded(at, source)
            return (module, name) if module else None
        else:
            return None
    return None


def loaded(call: Node, source: bytes) -> str:
    """The module of `require("x")` or `import("x")`; "" for another call."""
    called, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if called is None or arguments is None or text_of(called, source) not in ("require", "import"):
        return ""
    first = arguments.named_child(0) if arguments.named_child_count else None
    if first is None or first.type != "string":
        return ""
    return text_of(first, source)[1:-1]


def taken(pattern: Node, source: bytes, module: str, name: str, line: int, scope: int) -> list[Import]:
    """`const x = require("m")` and `const {a, b: c} = require("m")`."""
    made = []
    for local, way in parts_of(pattern, source):
        if way is None or "[" in way:
            continue
        wanted = ".".join(part for part in (name, way[1:]) if part)
        if not wanted:  # what the module gives as a whole: `module.exports = …`, else the module
            made.append(Import(local, module, _DEFAULT, line, scope=scope))
        if "." not in wanted:
            made.append(Import(local, module, wanted, line, scope=scope))
    return made
