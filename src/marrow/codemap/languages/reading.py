"""What the readers of several languages share. A language gives a query, a table that says how its expressions become
chains, and how its types are spelt; what is left to it is what makes it different.

Names of captures that are known here: `comment` and `string` for the outline, `call` for what stands before the
brackets of a call, `made` for the type of which one is made, `sent` for the name of a method in a node that is both
the access and the call, and `sending` for that node (Ruby, PHP). A node's parent is looked for from the root of the
tree: what is needed of it is captured instead, wherever there may be many.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...model.code import TOP, TYPES, Binding, Call, FileMap, Import, Symbol
from ..outline import Definition, Outline
from ..parse import captures, line_starts

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 24  # parts of a chain that are followed
STEPS_MIN, STEPS_SHARE = 20_000, 8  # of all chains of a file, and more for so many bytes: no text is followed for ever
PLAIN_MAX = 300  # bytes of an expression whose text is looked at as a whole
HEAD_MAX = 1200  # bytes of a head that are looked at
DOC_COMMENTS_MAX = 100  # comments, one after the other, that are taken for one
RETURNS_MAX = 3
ERRORS_MAX = 100

_MARKS = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//+!?|#+!?(?=\s|$)|--+)?\s?|\s*\*+/\s*$")
# Of a tag that names something, the name is what is said: `<see cref="Store"/>`.
_TAGS = re.compile(r"<(?:see|seealso|paramref|typeparamref) \w+=\"(?:[A-Z]:)?([^\"<>]*)\" ?/>|</?[A-Za-z][^<>]*>")
_WORD = re.compile(rb"[?.$]*([A-Za-z_]\w*)")
_MARKED = re.compile(r"[()\[\]{}.<>\s]")
_TYPE = re.compile(r"[\w.,|\[\]]+\Z")
_ARRAY = re.compile(r"\[,*\](?=$|[\],|])")
_NO_TYPE = frozenset(("void", "Unit", "Void", "Nothing", "never", "null", "mixed", "dynamic", "var", "Any", "object"))

# How to get from a node to a part of it: by field, by position among the named children (-1 is the last), or by hand.
Way = str | int | Callable[["Node"], "Node | None"]


class Step(NamedTuple):
    """What a sort of node adds to a chain, and where the chain goes on. `action` is `name` (a name: the end), `member`
    (`name` of what is at `at`), `call`, `element`, `suffixed` (one of these two, by its bracket), `sent`
    (`name` of what is at `at`, called), `made` (one of the type at `at` is made: the end), `typed` (a value of the type
    at `at`: the end), `through` (on to what is at `at`), or `word` (`name` itself: the end). What is `sent` counts as
    called only if it has `arguments`, where that field is given."""

    action: str
    at: Way = ""
    name: Way = ""
    arguments: str = ""


class Spelling(NamedTuple):
    """How a language writes. `plain` are expressions whose text is a chain already, `steps` are for all others;
    `respelt` goes over both. `type` turns a type as written into ours, "" where it names none. `by_arity`: what is made
    of a type with arguments keeps them, since without them it may be another."""

    steps: Mapping[str, Step]
    type: Callable[[str], str]
    plain: re.Pattern[bytes] = re.compile(rb"[A-Za-z_][\w.]*")
    respelt: Callable[[str], str] | None = None
    by_arity: bool = False


def angled(text: str) -> str:
    """A type with its arguments in angle brackets, in our spelling."""
    bare = "".join(text.split()).replace("?", "").replace("!", "").replace("<", "[").replace(">", "]")
    return bracketed(bare)


def bracketed(bare: str) -> str:
    """A type whose arguments are in square brackets already: arrays become lists."""
    while len(bare) < 300 and (found := _ARRAY.search(bare)):
        begin = _begin(bare, found.start())
        bare = f"{bare[:begin]}list[{bare[begin : found.start()]}]{bare[found.end() :]}"
    return bare if bare not in _NO_TYPE and _TYPE.match(bare) and len(bare) < 300 else ""


def _begin(text: str, end: int) -> int:
    """Where the type that ends at a place begins."""
    depth = 0
    for at in range(end - 1, -1, -1):
        depth += (text[at] == "]") - (text[at] == "[")
        if depth < 0 or (text[at] in ",|" and not depth):
            return at + 1
    return 0


def head_of(type_: str) -> str:
    """A type without its arguments."""
    return type_.partition("[")[0]


def part(node: Node, way: Way) -> Node | None:
    if isinstance(way, str):
        return node.child_by_field_name(way)
    if not isinstance(way, int):
        return way(node)
    try:
        return node.named_child(way if way >= 0 else node.named_child_count + way)
    except (IndexError, ValueError):  # there is none
        return None


def child_of(node: Node, kinds: Collection[str]) -> Node | None:
    """The first child of one of several sorts."""
    for child in node.named_children:
        if child.type in kinds:
            return child
    return None


def errors_in(root: Node) -> int:
    """How many places could not be parsed, counted near the top."""
    if not root.has_error:
        return 0
    return max(1, min(ERRORS_MAX, sum(child.is_error or child.is_missing for child in root.children)))


class Reading:
    """One file while it is read: definitions first, then `place`, then those that depend on where they stand (fields,
    variables), then `settle`, then bindings and calls."""

    def __init__(
        self,
        language: str,
        query: str,
        spelling: Spelling,
        root: Node,
        source: bytes,
        owners: frozenset[str] = TYPES,
    ) -> None:
        self.language, self.spelling, self.root, self.source = language, spelling, root, source
        self.found = captures(language, query)(root)
        self.comments = self._spans("comment")
        self.strings = self._spans("string")
        self._comment_ends = [end for _, end in self.comments]
        self.definitions: list[Definition] = []
        self.outline = Outline(b"", ())
        self.symbols: tuple[Symbol, ...] = ()
        self.owners = owners
        self.bindings: list[Binding] = []
        self.calls: list[Call] = []
        self.imports: list[Import] = []
        self._bound: set[tuple[int, str]] = set()
        self._returns: dict[int, int] = {}
        self._types: dict[bytes, str] = {}
        self._lines: list[int] = []
        self._steps, self._steps_max = 0, STEPS_MIN + len(source) // STEPS_SHARE

    def nodes(self, *names: str) -> Iterable[Node]:
        for name in names:
            yield from self.found.get(name, ())

    def _spans(self, name: str) -> list[tuple[int, int]]:
        return sorted((node.start_byte, node.end_byte) for node in self.found.get(name, ()))

    def text(self, node: Node | None) -> str:
        if node is None:
            return ""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def type(self, node: Node | None) -> str:
        """The type that a node spells, in our spelling."""
        if node is None:
            return ""
        raw = self.source[node.start_byte : node.end_byte]
        known = self._types.get(raw)
        if known is None:
            known = self._types[raw] = self.spelling.type(raw.decode("utf-8", "replace")) if len(raw) < 300 else ""
        return known

    # Definitions

    def define(
        self,
        kind: str,
        node: Node,
        name: str,
        body: Node | None = None,
        *,
        decorators: Collection[Node] = (),
        bases: Iterable[str] = (),
        returns: str = "",
        receiver: str = "",
    ) -> None:
        """A symbol. Its head ends where its body begins; decorators stand at its beginning."""
        if not name:
            return
        first = node.start_byte
        begin = first
        texts = []
        for decorator in decorators:
            texts.append(" ".join(self.text(decorator).split()).lstrip("@").strip()[:200])
            begin = max(begin, decorator.end_byte)
        end = body.start_byte if body is not None else node.end_byte
        head = self.source[begin : min(end, begin + HEAD_MAX)].decode("utf-8", "replace")
        if texts:
            head = head.lstrip(" \t\r\n])")
        if body is None:
            head = head.partition("{")[0]
        head = head.rstrip(" \t\r\n;{").removesuffix("=>").removesuffix("=").rstrip()
        self.definitions.append(
            Definition(
                kind,
                name,
                first,
                node.end_byte,
                node.start_point.row + 1,
                node.end_point.row + 1,
                head,
                self.doc(first),
                tuple(texts),
                tuple(bases),
                returns,
                receiver,
            )
        )

    def doc(self, first: int) -> str:
        """The first line of the comment right before a place."""
        at = bisect_right(self._comment_ends, first) - 1
        top = -1
        for here in range(at, max(-1, at - DOC_COMMENTS_MAX), -1):
            begin, end = self.comments[here]
            between = self.source[end:first] if first - end < 400 else b"x"
            if between.strip() or between.count(b"\n") > 1:
                break
            if self.source[self.source.rfind(b"\n", 0, begin) + 1 : begin].strip():
                break  # it stands behind something else
            top, first = here, begin
        if top < 0:
            return ""
        for here in range(top, at + 1):
            begin, end = self.comments[here]
            for line in self.source[begin : min(end, begin + 2000)].decode("utf-8", "replace").splitlines():
                said = _TAGS.sub(r"\1", _MARKS.sub("", line)).strip()
                if said and not said.startswith(("!", "@")):
                    return said
        return ""

    def place(self) -> None:
        """Now it can be said what stands in what."""
        self.outline = Outline(self.source, self.definitions)

    def scope(self, byte: int) -> int:
        return self.outline.scope_at(byte)

    def kind_at(self, byte: int) -> str:
        """The kind of the scope around a place; "" for the file itself."""
        scope = self.outline.scope_at(byte)
        return "" if scope == TOP else self.outline.kind_of(scope)

    def settle(self, optional: bytes = b"") -> None:
        """All definitions are there."""
        self.outline = Outline(self.source, self.definitions, self.comments, self.strings, optional=optional)
        symbols = self.outline.symbols()
        kinds = [symbol.kind for symbol in symbols]
        for at, symbol in enumerate(symbols):  # a function in a type is a method of it
            if symbol.kind == "function" and symbol.parent != TOP and kinds[symbol.parent] in self.owners:
                kinds[at] = "method"
        self.symbols = tuple(s._replace(kind=k) if s.kind != k else s for s, k in zip(symbols, kinds, strict=True))

    def owner(self, scope: int) -> int:
        """The innermost type (or module) that a scope is in or is; `TOP` for none."""
        while scope != TOP and self.symbols[scope].kind not in self.owners:
            scope = self.symbols[scope].parent
        return scope

    # Bindings

    def bind(self, byte: int, name: str, type_: str = "", value: Node | str | None = None, ending: str = "") -> None:
        """What a name stands for in the scope around a place; with nothing to say it still hides what has its name
        further out."""
        if name:
            chain = "" if type_ else value if isinstance(value, str) else self.chain(value)
            self.bind_in(self.outline.scope_at(byte), name, type_, f"{chain}{ending}" if chain else "")

    def bind_in(self, scope: int, name: str, type_: str, chain: str, within: int | None = None) -> None:
        if not type_ and not chain:
            if scope == TOP or (scope, name) in self._bound or self.outline.kind_of(scope) in TYPES:
                return  # there is nothing that it could hide
            chain = "?"
        self._bound.add((scope, name))
        self.bindings.append(Binding(scope, name, type_, chain, within))

    def is_bound(self, scope: int, name: str) -> bool:
        return (scope, name) in self._bound

    def give_back(self, scope: int, node: Node | None) -> None:
        """What a function without a declared result gives back."""
        if node is None or scope == TOP or self._returns.get(scope, 0) >= RETURNS_MAX:
            return
        chain = self.chain(node)
        if chain and chain[0] not in "<?":
            self._returns[scope] = self._returns.get(scope, 0) + 1
            self.bindings.append(Binding(scope, "return", "", chain))

    # Chains and calls

    def chain(self, node: Node | None, *, called: bool = True) -> str:
        """An expression as a chain; "" for one that cannot be said as one. Without `called`, the last call of it is
        left out: what is called, rather than what it gives."""
        source, (steps, _, plain, respelt, by_arity) = self.source, self.spelling
        parts: list[str] = []
        tail = ""
        for _ in range(DEPTH_MAX if self._steps < self._steps_max else 0):
            self._steps += 1
            step = steps.get(node.type) if node is not None else None
            if node is None or step is None:
                return ""
            action = step.action
            if action in ("name", "member"):
                first, last = node.start_byte, node.end_byte
                text = plain.fullmatch(source, first, last) if last - first < PLAIN_MAX else None
                if text is not None or action == "name":
                    word = text[0].decode() if text is not None else self._word(node)
                    parts.append(word + tail)
                    break
            if action == "word":
                parts.append(f"{step.name}{tail}")
                break
            if action in ("made", "typed"):
                type_ = self.type(part(node, step.at))
                if not type_:
                    return ""
                is_bare = action == "made" and not (by_arity and "[" in type_)
                parts.append((f"{head_of(type_)}{{}}" if is_bare else f"<{type_}>") + tail)
                break
            if action in ("member", "sent"):
                brackets = "()" if action == "sent" and (called or parts) else ""
                if brackets and step.arguments and node.child_by_field_name(step.arguments) is None:
                    brackets = ""
                parts.append(f"{self._word(part(node, step.name))}{brackets}{tail}")
                node, tail = part(node, step.at), ""
                if node is None:
                    break
                continue
            if action == "call":
                tail = "()" + tail
            elif action == "element":
                tail = "[]" + tail
            elif action == "suffixed":
                tail = ("[]" if self._is_indexed(node) else "()") + tail
            node = part(node, step.at)
        else:
            return ""
        parts.reverse()
        chain = ".".join(parts)
        return respelt(chain) if respelt is not None else chain

    def _is_indexed(self, node: Node) -> bool:
        """Whether what follows the first child of a node begins with a square bracket."""
        last = part(node, -1)
        return last is not None and self.source[last.start_byte : last.start_byte + 1] == b"["

    def _word(self, node: Node | None) -> str:
        """The name that a member has, without arguments of types."""
        if node is None:
            return "?"
        first, last = node.start_byte, node.end_byte
        plain = _WORD.fullmatch(self.source, first, last)
        if plain is not None:
            return plain[1].decode()
        word = self.source[first:last].decode("utf-8", "replace").partition("<")[0].strip().lstrip("?.$")
        return word if word and not _MARKED.search(word) else "?"

    def read_calls(self) -> None:
        plain, respelt, source = self.spelling.plain, self.spelling.respelt, self.source
        for node in self.found.get("call", ()):
            first, last = node.start_byte, node.end_byte
            text = plain.fullmatch(source, first, last) if last - first < PLAIN_MAX else None
            if text is not None:
                chain = text[0].decode()
                chain = respelt(chain) if respelt is not None else chain
            else:
                chain = self.chain(node) or self._unknown(node)
            if chain:
                self.call_at(first, last, chain)
        for node in self.found.get("made", ()):
            type_ = head_of(self.type(node))
            if type_:
                self.call_at(node.start_byte, node.end_byte, f"{type_}{{}}")

    def _unknown(self, node: Node) -> str:
        """A member of something that cannot be said."""
        step = self.spelling.steps.get(node.type)
        if step is None or step.action not in ("member", "sent"):
            return ""
        word = self._word(part(node, step.name))
        return f"?.{word}" if word != "?" else ""

    def read_sent(self) -> None:
        """Calls by the name of their method, which stands in the node of the call (`sent`, in `sending`)."""
        plain, respelt, source = self.spelling.plain, self.spelling.respelt, self.source
        for node, whole in zip(self.found.get("sent", ()), self.found.get("sending", ()), strict=True):
            begin, first, last = whole.start_byte, node.start_byte, node.end_byte
            text = plain.fullmatch(source, begin, last) if last - begin < PLAIN_MAX else None
            if text is not None:
                chain = text[0].decode()
                chain = respelt(chain) if respelt is not None else chain
            else:
                chain = self.chain(whole, called=False) or self._unknown(whole)
            if chain and chain[-1] != "?":
                self.call_at(first, last, chain)

    def add_call(self, node: Node, chain: str) -> None:
        self.call_at(node.start_byte, node.end_byte, chain)

    def call_at(self, first: int, last: int, chain: str) -> None:
        """A call; the place is that of the last name between two bytes."""
        if not chain or chain[-1] in ")]":
            return
        name = chain[chain.rfind(".") + 1 :]
        name = name[:-2] if name[-1:] == "}" else name
        at = last - len(name)
        word = name.encode()
        if self.source[at:last] != word:
            at = self.source.rfind(word, first, last)
            at = at if at >= 0 else first
        lines = self._lines = self._lines or line_starts(self.source)
        row = bisect_right(lines, at)
        self.calls.append(Call(self.outline.scope_at(first), row, at - lines[row - 1], chain))

    # The end

    def name_root(self, package: str, mark: str) -> None:
        """Where a chain or type begins with the first name of the file's own package, that name stands for it."""
        root = package.partition(mark)[0]
        begins = f"{root}."
        if any(call.chain.startswith(begins) for call in self.calls) or any(
            binding.type.startswith(begins) for binding in self.bindings
        ):
            self.imports.append(Import(root, root))

    def map(self, package: str = "", errors: int | None = None) -> FileMap:
        self.calls.sort(key=lambda call: (call.line, call.column))
        return FileMap(
            self.language,
            package,
            self.symbols,
            tuple(self.imports),
            tuple(self.bindings),
            tuple(self.calls),
            errors_in(self.root) if errors is None else errors,
        )
