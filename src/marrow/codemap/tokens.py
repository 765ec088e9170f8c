"""A source as the tokens that carry its meaning. Comments, doc comments, layout, the kind of quotes, trailing commas,
parentheses that change nothing and semicolons that may be left out are not among them.

Every token knows how it hangs in the tree, as seen from the token before it: how many levels up and how many down. So
`(a + b) * c` and `a + b * c` differ without their parentheses, and so do two depths of a block; and a piece of code is
the same wherever in a file it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .languages.table import language, language_of
from .languages.typescript_comments import is_jsx_comment
from .parse import tree_of
from .plain_tokens import Token, plain_tokens
from .tame import is_tame

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

EVERY_ROW = 1 << 31
# Where a semicolon only ends what the next line ends as well.
FREE_SEMICOLONS = frozenset("javascript typescript tsx go python kotlin swift scala ruby bash".split())
# Where both kinds of quotes mean the same: always, or as long as nothing in the text is special.
SAME_QUOTES = frozenset("python javascript typescript tsx".split())
PLAIN_QUOTES = frozenset("ruby php bash".split())
# Brackets that may be left out, by what they stand in.
LOOSE_BRACKETS = frozenset("tuple tuple_pattern import_from_statement with_clause".split())
MEMBER_LISTS = frozenset("interface_body object_type".split())
WHOLE = frozenset(
    "char_literal character_literal rune_literal regex regex_literal heredoc_body template_literal".split()
)
IN_PARTS = frozenset("concatenated_string string_array string_type".split())
CLOSING = frozenset((")", "]", "}", ">", "|"))
DIRECTIVES = (b"//go:", b"//export ", b"// +build")

_QUOTED = re.compile(rb"(?s)([A-Za-z]*)(\"\"\"|'''|\"|')(.*)\2\Z")
_SPECIAL = re.compile(rb"[\\$`!]|#\{")
_NAME = re.compile(rb"[A-Za-z_$][\w$]*\Z")
_LINE_END = re.compile(rb"\n")
_JSX_WORD = re.compile(rb"\S+")
_ESCAPED = re.compile(rb"(?s)\\(.)")


@dataclass
class Tokens:
    """`bare` are the texts, `keys` the same with their place in the tree, `first` and `last` the lines, from 1.
    `comments` are where those stand, in bytes. `exact` is False where no grammar was at hand."""

    bare: list[bytes] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    exact: bool = True

    def __len__(self) -> int:
        return len(self.bare)

    def add(self, text: bytes, ups: int, downs: int, first: int, last: int) -> None:
        self.bare.append(text)
        self.keys.append(b"%d.%d %b" % (ups, downs, text) if ups or downs else text)
        self.first.append(first)
        self.last.append(last)

    def within(self, first: int, last: int) -> range:
        """The positions of the tokens that begin on these lines."""
        return range(bisect_left(self.first, first), bisect_right(self.first, last))


def tokens_of(path: str, source: bytes, first: int = 1, last: int = EVERY_ROW) -> Tokens:
    """The tokens of a file, or of some of its lines. A file without a grammar, or too wild for one, is taken apart by
    its kind of text."""
    name = language_of(path)
    if name and name != "markdown" and is_tame(source):
        try:
            tree = tree_of(language(name), source)
        except ImportError:  # its grammar is not installed here
            pass
        else:
            return _Walk(name, source, first, last).through(tree)
    return _plain(plain_tokens(path, source), first, last)


def _plain(found: Iterator[Token], first: int, last: int) -> Tokens:
    made = Tokens(exact=False)
    for text, line, end in found:
        if first <= line <= last:
            made.add(text, 0, 0, line, end)
    return made


class _Walk:
    """One walk over the leaves of a tree. `depth` counts the nodes around a leaf, without those that change nothing;
    `lowest` is how far up the walk went since the last leaf. Places are bytes: tree-sitter's rows are slow to ask."""

    def __init__(self, name: str, source: bytes, first: int, last: int) -> None:
        self._name, self._source = name, source
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(source))]
        lines = len(self._starts)
        self._from = self._starts[first - 1] if first <= lines else len(source)
        self._until = self._starts[last] if last < lines else len(source) + 1
        self._made = Tokens()
        self._above: list[tuple[str, bool]] = []
        self._depth = self._lowest = self._before = 0
        self._free = name in FREE_SEMICOLONS

    def through(self, tree: Tree) -> Tokens:
        cursor = tree.walk()
        enters, above = self._enters, self._above
        while True:
            node = cursor.node
            assert node is not None
            kind = node.type
            if enters(node, kind) and cursor.goto_first_child():
                opaque = kind not in _MAY_BE_TRANSPARENT or not self._is_transparent(node, kind)
                above.append((kind, opaque))
                self._depth += opaque
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return self._made
                self._depth -= above.pop()[1]
                if self._depth < self._lowest:
                    self._lowest = self._depth

    def _enters(self, node: Node, kind: str) -> bool:
        """Whether there is more inside; what has nothing inside is noted or left out."""
        start, end = node.start_byte, node.end_byte
        if end <= self._from or start >= self._until:
            return False
        sort = _SORTS.get(kind) or _sort(kind)
        if sort == COMMENT:
            self._comment(node)
            return False
        if sort == STRING and node.is_named:
            if self._name == "python" and self._is_in_parts(node, kind):
                return True
            self._leaf(start, end, self._string(node, kind))
            return False
        if node.child_count:
            return sort != QUIET or not self._says_nothing(node, kind)
        if kind == "jsx_text":
            self._words(start, end)
            return False
        if sort != MARK or node.is_named or not self._is_left_out(node, kind):
            self._leaf(start, end, self._text(kind, self._source[start:end]))
        return False

    def _leaf(self, start: int, end: int, text: bytes) -> None:
        if not text or text.isspace():
            return
        if self._from <= start < self._until:
            ups, downs = self._before - self._lowest, self._depth - self._lowest
            line = bisect_right(self._starts, start)
            self._made.add(text, ups, downs, line, bisect_right(self._starts, end - 1) if b"\n" in text else line)
        self._before = self._lowest = self._depth

    def _words(self, start: int, end: int) -> None:
        """Text between tags, each word by itself: a comment in its middle takes nothing apart."""
        for word in _JSX_WORD.finditer(self._source, start, end):
            self._leaf(word.start(), word.end(), word[0])

    def _comment(self, node: Node) -> None:
        text = self._source[node.start_byte : node.end_byte]
        if text.startswith(DIRECTIVES):
            self._leaf(node.start_byte, node.end_byte, b" ".join(text.split()))
        else:
            self._made.comments.append((node.start_byte, node.end_byte))

    def _says_nothing(self, node: Node, kind: str) -> bool:
        """A string that stands alone is a comment, and so is one in braces between tags; a class without bases may have
        brackets."""
        if kind == "jsx_expression":
            is_remark = is_jsx_comment(node, self._parent())
            for comment in node.named_children if is_remark else ():
                self._comment(comment)
            return is_remark
        if self._name != "python":
            return False
        if kind == "expression_statement" and node.child_count == 1:
            child = node.child(0)
            if child is not None and child.type in ("string", "concatenated_string"):
                self._comment(node)
                return True
        return kind == "argument_list" and node.child_count == 2 and self._parent() == "class_definition"

    def _is_transparent(self, node: Node, kind: str) -> bool:
        if kind.startswith("parenthesized_"):
            return True
        if kind in ("type", "type_parameter"):  # a type with a comma at its end is read as something else
            return self._name == "python"
        if kind == "tuple_expression" and self._name == "swift":
            return node.child_count == 3 and node.named_child_count == 1
        if kind in ("formal_parameters", "required_parameter"):
            return self._is_bare_parameter(node)
        if kind in ("union_type", "intersection_type"):
            first = node.child(0)
            return first is not None and not first.is_named
        if self._name == "rust" and kind == "block" and self._parent() in ("match_arm", "closure_expression"):
            only = node.named_child(0) if node.named_child_count == 1 else None
            return only is not None and _is_expression(only.type)
        return False

    def _is_bare_parameter(self, node: Node) -> bool:
        """`(x) => x` for `x => x`."""
        kinds = [kind for kind, _ in self._above[-2:]] + [node.type]
        if "arrow_function" not in kinds[-3:-1]:
            return False
        if node.type == "required_parameter":
            return bool(self._above) and not self._above[-1][1]
        inside = self._source[node.start_byte + 1 : node.end_byte - 1].strip().rstrip(b",")
        return _NAME.match(inside) is not None

    def _is_left_out(self, node: Node, kind: str) -> bool:
        """Punctuation that may as well not be there."""
        parent = self._parent()
        if kind in ("(", ")"):
            around = node.parent
            if around is None or around.child_count == 2:
                return False
            return parent in LOOSE_BRACKETS or not self._above[-1][1]
        if kind == ",":
            return parent in MEMBER_LISTS or (_ends_there(node) and not (parent == "subscript" and _is_only(node)))
        if kind == ";":
            in_for = any(above.startswith("for_") for above, _ in self._above[-2:])
            return parent in MEMBER_LISTS or (self._free and not in_for)
        if kind in ("|", "&", "{", "}"):
            return not self._above[-1][1] if self._above else False
        return not kind.strip()

    def _text(self, kind: str, text: bytes) -> bytes:
        if b"\n" in text or b" " in text or b"\t" in text:
            text = b" ".join(text.split())
        return text.lower() if text[:1].isdigit() or kind.startswith("keyword_") else text

    def _is_in_parts(self, node: Node, kind: str) -> bool:
        """An f-string holds code, which is laid out like other code."""
        start = self._source[node.start_byte : node.start_byte + 4].lower()
        is_formatted = kind == "string" and b"f" in start[: max(start.find(b"'"), start.find(b'"'))]
        return is_formatted and any(child.type == "interpolation" for child in node.children)

    def _string(self, node: Node, kind: str) -> bytes:
        text = self._source[node.start_byte : node.end_byte].replace(b"\r\n", b"\n")
        if kind in ("string_start", "string_end"):
            return text.rstrip(b"\"'").lower() + b"'" if kind == "string_start" else b""
        if kind == "string_content":
            return b"'%b" % _with_bare_quotes(text)
        found = _QUOTED.match(text)
        if found is None:
            return text
        prefix, quote, inside = found[1].lower().replace(b"u", b""), found[2], found[3]
        if self._name in SAME_QUOTES:
            if b"r" not in prefix:
                inside = _with_bare_quotes(inside)
            if self._parent() in ("pair", "property_signature") and self._name != "python" and _NAME.match(inside):
                return inside
            return b"%b'%b'" % (prefix, inside)
        if self._name in PLAIN_QUOTES and len(quote) == 1 and _SPECIAL.search(inside) is None:
            return b"%b'%b'" % (prefix, inside)
        return text

    def _parent(self) -> str:
        return self._above[-1][0] if self._above else ""


def _with_bare_quotes(text: bytes) -> bytes:
    """Quotes need a backslash or not, by which kind stands around the text."""
    return _ESCAPED.sub(lambda found: found[1] if found[1] in b"\"'" else found[0], text) if b"\\" in text else text


COMMENT, STRING, QUIET, MARK, PLAIN = range(1, 6)


def _sort(kind: str) -> int:
    """What a kind of node is to the walk, looked at once."""
    if kind.startswith("parenthesized_"):
        _MAY_BE_TRANSPARENT.add(kind)
    if "comment" in kind or kind in ("marginalia", "line_continuation"):
        sort = COMMENT
    elif ("string" in kind or kind in WHOLE) and kind not in IN_PARTS:
        sort = STRING
    elif kind in ("expression_statement", "argument_list", "jsx_expression"):
        sort = QUIET
    else:
        sort = MARK if kind in _MARKS or not kind.strip() else PLAIN
    _SORTS[kind] = sort
    return sort


_SORTS: dict[str, int] = {}
_MARKS = frozenset("( ) , ; | & { }".split())
_MAY_BE_TRANSPARENT = set(
    "type type_parameter tuple_expression formal_parameters required_parameter union_type intersection_type "
    "block".split()
)


def _ends_there(comma: Node) -> bool:
    after = comma.next_sibling
    while after is not None and "comment" in after.type:
        after = after.next_sibling
    return after is None or after.type in CLOSING


def _is_only(comma: Node) -> bool:
    """`x[1,]` is not `x[1]`."""
    around = comma.parent
    return around is not None and sum(child.type == "," for child in around.children) == 1


def _is_expression(kind: str) -> bool:
    return not kind.endswith(("_statement", "_declaration", "_item", "comment"))
