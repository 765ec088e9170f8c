"""Types of Rust in the map's spelling: references, lifetimes and `dyn` are gone, a row of things is a `list`, and what
may fail or be missing is an `Option` of what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

TEXT_MAX = 400
DEPTH_MAX = 12
LISTS = frozenset(("Vec", "slice"))
OPTIONS = frozenset("Option Result Poll LockResult".split())
# Traits that stand for a row of things, by the name of what they are a row of; and for a thing to come.
ROWS = frozenset("Iterator IntoIterator DoubleEndedIterator ExactSizeIterator Stream FusedIterator".split())
FUTURES = frozenset("Future IntoFuture".split())
# Traits that say nothing about what a value can do in the project.
MARKERS = frozenset(
    "Send Sync Sized Copy Clone Unpin Debug Default Eq PartialEq Ord PartialOrd Hash Display UnwindSafe "
    "RefUnwindSafe".split()
)
# Written with the type that they hold, and used like it.
HOLDERS = frozenset(("AsRef", "Into", "Borrow", "Deref", "AsMut", "DerefMut", "BorrowMut", "From"))

_TOKEN = re.compile(r"'\w+|\w+|::|->|[<>()\[\]&*,;+=!?:]|\S")
_OWNER = re.compile(r"(?:&|'\w+|mut\b|dyn\b|\s)*([^\W\d]\w*(?:\s*::\s*\w+)*)")
_WORD = re.compile(r"\w+")
_PLAIN = re.compile(r"\w+\Z")
_SKIPPED = frozenset(("&", "*", "mut", "const", "dyn", "impl", "?", "unsafe", "extern", "for", "~"))


def type_text(text: str, known: Mapping[str, str]) -> str:
    """A type as it is written, with the parameters of what is around it as what they must be; "" for one that names
    nothing."""
    if len(text) > TEXT_MAX:
        return ""
    spelt = _spelt(text)
    if known and spelt:
        return _WORD.sub(lambda found: known.get(found[0], found[0]), spelt)
    return spelt


@lru_cache(maxsize=16384)
def _spelt(text: str) -> str:
    if _PLAIN.match(text):
        return "" if text == "_" else text
    return _Reader(text).whole()


class _Reader:
    """Reads a type from left to right."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def whole(self) -> str:
        return self.type(0)

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def type(self, depth: int) -> str:
        """A type with its further bounds: of several, the first that says something."""
        if depth > DEPTH_MAX:
            self.at = len(self.tokens)
            return ""
        found = self.one(depth)
        while self.peek() == "+":
            self.take()
            other = self.one(depth)
            if not found or found in MARKERS:
                found = other or found
        return found

    def one(self, depth: int) -> str:
        while self.peek() in _SKIPPED or self.peek().startswith("'"):
            if self.take() == "for" and self.peek() == "<":
                self.over("<", ">")
        token = self.peek()
        if token == "(":
            return self.several(depth)
        if token == "[":
            self.take()
            inner = self.type(depth + 1)
            while self.peek() not in ("]", ""):
                self.take()
            self.take()
            return f"list[{inner}]"
        if token == "<":
            return self.qualified(depth)
        if token == "fn" or not token:
            self.at = len(self.tokens) if not depth else self.at
            self.function()
            return ""
        return self.path(depth)

    def function(self) -> None:
        """Past a function's type, which says nothing about what it gives."""
        if self.peek() == "fn":
            self.take()
        if self.peek() == "(":
            self.over("(", ")")
        if self.peek() == "->":
            self.take()
            self.one(DEPTH_MAX)

    def over(self, open_: str, close: str) -> None:
        depth = 0
        while self.peek():
            token = self.take()
            depth += (token == open_) - (token == close)
            if depth <= 0:
                return

    def several(self, depth: int) -> str:
        self.take()
        parts = []
        while self.peek() not in (")", ""):
            before = self.at
            parts.append(self.type(depth + 1))
            if self.peek() == "," or self.at == before:
                self.take()
        self.take()
        if len(parts) == 1:
            return parts[0]
        return f"tuple[{','.join(part or '_' for part in parts)}]" if any(parts) else ""

    def qualified(self, depth: int) -> str:
        """`<T as Trait>::Item`."""
        self.take()
        owner = self.type(depth + 1)
        if self.peek() == "as":
            self.take()
            self.type(depth + 1)
        while self.peek() not in (">", ""):
            self.take()
        self.take()
        names = [owner]
        while self.peek() == "::":
            self.take()
            names.append(self.take())
        return ".".join(names) if owner else ""

    def path(self, depth: int) -> str:
        names: list[str] = []
        arguments: list[str] = []
        inner = ""
        while True:
            token = self.peek()
            if not (token and (token[0].isalnum() or token[0] == "_" or ord(token[0]) > 127)):
                break
            names.append(self.take())
            if self.peek() == "::" and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1] == "<":
                self.take()
            if self.peek() == "<":
                arguments, inner = self.arguments(depth)
            elif self.peek() == "(":  # Fn(A) -> B
                self.function()
                return ""
            if self.peek() != "::":
                break
            self.take()
        if not names:
            self.take()
            return ""
        return _named(names, arguments, inner)

    def arguments(self, depth: int) -> tuple[list[str], str]:
        """What stands in the angle brackets, and the type that an associated name is given there."""
        self.take()
        found: list[str] = []
        inner = ""
        while self.peek() not in (">", ""):
            before = self.at
            if self.peek().startswith("'"):
                self.take()
            elif self.at + 1 < len(self.tokens) and self.tokens[self.at + 1] == "=":
                name = self.take()
                self.take()
                spelt = self.type(depth + 1)
                inner = spelt if name in ("Item", "Output", "Target") else inner
            else:
                found.append(self.type(depth + 1) or "_")
            if self.peek() == "," or self.at == before:
                self.take()
        self.take()
        return found, inner


def _named(names: list[str], arguments: list[str], inner: str) -> str:
    last = names[-1]
    if last == "_":
        return ""
    if last in ROWS:
        return f"list[{inner}]" if inner else ".".join(names)
    if last in FUTURES:
        return inner
    if arguments:
        if last in LISTS:
            return f"list[{arguments[0]}]"
        if last in OPTIONS:
            return f"Option[{arguments[0]}]" if arguments[0] != "_" else ""
        if last in HOLDERS:
            return arguments[0] if arguments[0] != "_" else ""
    head = ".".join("mod" if name == "self" and not at else name for at, name in enumerate(names))
    return f"{head}[{','.join(arguments)}]" if arguments else head


def owner_text(text: str, known: Mapping[str, str]) -> str:
    """The name of the type that an `impl` is for, as it is written: a type of the project may be called like one of the
    language's own."""
    found = _OWNER.match(text)
    if found is None:
        return bare(type_text(text, known))
    name = "".join(found[1].split()).replace("::", ".")
    return bare(known.get(name, name))


def bare(type_: str) -> str:
    """A type without its arguments."""
    return type_.partition("[")[0]
