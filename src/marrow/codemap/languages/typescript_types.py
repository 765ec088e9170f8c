"""TypeScript's types in the map's own spelling: `Foo<Bar>[] | null` is `list[Foo[Bar]]`.

Read from their text, because the same few types are written again and again and a text can be remembered. A type that
is said by a value (`typeof foo`, `ReturnType<typeof foo>`, `this`) is `=` with the chain of that value.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TEXT_MAX, _DEPTH_MAX, _PARTS_MAX = 600, 12, 8

_PLAIN = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\Z")
# The commonest that are not plain, read without taking them apart: `Foo[]`, `Foo | null`, `'a' | 'b'`.
_EASY = re.compile(r"([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(\[\])?(?: \| (?:null|undefined))*\Z")
_LITERALS = re.compile(r"""\|?\s*(?:'[^'\n]*'|"[^"\n]*")(?:\s*\|\s*(?:'[^'\n]*'|"[^"\n]*"|null|undefined))*\Z""")
_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[^\W\d][\w$]*(?:\s*\.\s*[^\W\d][\w$]*)*|\$[\w$]*(?:\.[\w$]+)*)|(?P<string>"[^"\n]*"|'[^'\n]*'|`[^`]*`)"""
    r"""|(?P<number>-?\d[\w.]*)|(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<sign>=>|\.\.\.|[^\s]))""",
    re.DOTALL,
)
# What says nothing about which members there are.
_NOTHING = frozenset("null undefined void never any unknown object asserts".split())
_LISTS = frozenset(
    "Array ReadonlyArray Set ReadonlySet Iterable IterableIterator Iterator AsyncIterable AsyncIterableIterator"
    " AsyncIterator Generator AsyncGenerator ArrayLike WeakSet NodeListOf NodeArray".split()
)
_DICTS = frozenset(("Record",))
# These are about their first argument.
_VIEWS = frozenset(
    "Readonly Partial Required NonNullable Awaited Pick Omit Extract Exclude DeepPartial DeepReadonly Mutable Writable"
    " ThisType NoInfer MaybePromise Promise PromiseLike Maybe Nullable".split()
)
_PREFIXES = frozenset("readonly unique abstract infer".split())
_WORDS = _PREFIXES | frozenset("this typeof keyof new import asserts is".split())


@lru_cache(maxsize=16384)
def annotated(written: bytes) -> str:
    """What an annotation says, colon and all."""
    text = written.decode("utf-8", "replace")
    return type_of(text[1:].strip() if text[:1] == ":" else text.strip())


def type_of(text: str) -> str:
    """A type as it is written, in the map's spelling; "" for one that says nothing about its members."""
    if _PLAIN.match(text):
        return "" if text in _NOTHING else "=this" if text == "this" else text
    if (easy := _EASY.match(text)) and easy[1] not in _NOTHING and easy[1] not in _WORDS:
        return f"list[{easy[1]}]" if easy[2] else easy[1]
    if text[:1] in "|'\"" and _LITERALS.match(text):
        return "string"
    return _read(text) if len(text) <= _TEXT_MAX else ""


@lru_cache(maxsize=8192)
def _read(text: str) -> str:
    tokens = []
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind != "comment":
            tokens.append((kind, found[kind]))
    reader = _Reader(tokens)
    spelt = reader.union(0)
    return spelt if reader.at >= len(tokens) else ""


class _Reader:
    """One type, token by token. What is not understood is skipped to where it ends, and gives ""."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self.at = 0

    def union(self, depth: int) -> str:
        """Alternatives and intersections alike: a member may come from any of them."""
        parts: list[str] = []
        while True:
            self._take("|", "&")
            if (part := self._postfix(depth)) and part not in parts:
                parts.append(part)
            if not self._take("|", "&"):
                break
        if self._peek() == "extends":  # a conditional type is one of its ends
            self._skip_conditional(depth)
            return ""
        return "|".join(_types(parts)[:_PARTS_MAX]) if len(parts) > 1 else "".join(parts)

    def _skip_conditional(self, depth: int) -> None:
        if depth > _DEPTH_MAX:
            self.at = len(self._tokens)
            return
        self.at += 1
        self.union(depth + 1)
        if self._take("?"):
            self.union(depth + 1)
            if self._take(":"):
                self.union(depth + 1)

    def _peek(self) -> str:
        return self._tokens[self.at][1] if self.at < len(self._tokens) else ""

    def _take(self, *signs: str) -> bool:
        if self.at < len(self._tokens) and self._tokens[self.at][1] in signs:
            self.at += 1
            return True
        return False

    def _postfix(self, depth: int) -> str:
        spelt = self._one(depth)
        while self._take("["):
            if self._take("]"):
                spelt = f"list[{spelt}]" if spelt and spelt[0] != "=" else "list"
            else:  # Foo["bar"]: what a member is
                kind, key = self._tokens[self.at] if self.at < len(self._tokens) else ("", "")
                self._skip_to("]")
                spelt = f"{spelt}.{key[1:-1]}" if spelt and kind == "string" and _PLAIN.match(key[1:-1]) else ""
        return spelt

    def _one(self, depth: int) -> str:
        if self.at >= len(self._tokens) or depth > _DEPTH_MAX:
            self.at = len(self._tokens)
            return ""
        kind, token = self._tokens[self.at]
        self.at += 1
        if kind == "name":
            return self._named(token, depth)
        if kind == "string":
            return "string"
        if kind == "number":
            return "number"
        if token == "(":
            return self._bracketed(depth)
        if token == "[":
            return self._tuple(depth)
        if token == "{":
            self._skip_to("}")
            return ""
        if token == "<":  # a generic function's type
            self._skip_to(">")
            return self._one(depth + 1)
        return ""

    def _named(self, name: str, depth: int) -> str:
        if name in _PREFIXES:
            return self._postfix(depth + 1)
        if name in ("keyof", "new"):
            self._postfix(depth + 1)
            return "string" if name == "keyof" else ""
        if name == "typeof":
            kind, of = self._tokens[self.at] if self.at < len(self._tokens) else ("", "")
            self._postfix(depth + 1)
            return "=" + "".join(of.split()) if kind == "name" and of != "import" else ""
        if name == "import" and self._take("("):
            self._skip_to(")")
            if not self._take("."):
                return ""
            return self._postfix(depth + 1)
        if self._take("is"):  # x is Foo: a question
            self.union(depth + 1)
            return "boolean"
        if name == "asserts" and self.at < len(self._tokens):
            self.union(depth + 1)
            return ""
        name = name if _PLAIN.match(name) else "".join(name.split())
        if not self._take("<"):
            return "" if name in _NOTHING else "=this" if name == "this" else name
        arguments = self._arguments(">", depth)
        return _generic(name, arguments)

    def _arguments(self, end: str, depth: int) -> list[str]:
        found: list[str] = []
        while self.at < len(self._tokens) and not self._take(end):
            before = self.at
            found.append(self.union(depth + 1))
            self._take(",")
            if self.at == before:  # something else stands here
                self.at += 1
        return found

    def _bracketed(self, depth: int) -> str:
        """`(A | B)`, or the parameters of a function's type, which gives ""."""
        start = self.at
        self._skip_to(")")
        end = self.at
        if self._take("=>"):
            self.union(depth + 1)
            return ""
        self.at = start
        spelt = self.union(depth + 1)
        self.at = end
        return spelt

    def _tuple(self, depth: int) -> str:
        parts: list[str] = []
        while self.at < len(self._tokens) and not self._take("]"):
            before = self.at
            self._take("...")
            if self.at + 1 < len(self._tokens) and self._tokens[self.at + 1][1] in (":", "?"):
                self.at += 2 if self._tokens[self.at + 1][1] == ":" else 3  # a label
            parts.append(self.union(depth + 1))
            self._take("?")
            self._take(",")
            if self.at == before:
                self.at += 1
        return f"tuple[{_listed(parts)}]" if parts else "tuple"

    def _skip_to(self, end: str) -> None:
        """Past the bracket that closes the one just read."""
        open_ = 1
        begin = {"]": "[", ")": "(", "}": "{", ">": "<"}[end]
        while self.at < len(self._tokens):
            token = self._tokens[self.at][1]
            self.at += 1
            open_ += (token == begin) - (token == end)
            if not open_:
                return


def _types(parts: list[str]) -> list[str]:
    return [part for part in parts if part[0] != "="]


def _listed(arguments: list[str]) -> str:
    return ",".join("object" if not argument or argument[0] == "=" else argument for argument in arguments)


def _generic(name: str, arguments: list[str]) -> str:
    first = arguments[0] if arguments else ""
    if name in _VIEWS:
        return first
    if name == "ReturnType":
        return f"{first}()" if first.startswith("=") else ""
    if name == "InstanceType":
        return first.removeprefix("=")
    if name in _LISTS:
        return f"list[{_listed([first])}]" if first else "list"
    if name in _DICTS:
        return f"dict[{_listed(arguments)}]"
    return f"{name}[{_listed(arguments)}]" if any(arguments) else name
