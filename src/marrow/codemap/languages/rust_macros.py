"""What stands in the calls of macros. The grammar leaves it as it is written, so calls in it are found by their look,
and what holds whole items (`cfg_net! { … }`) is read again as if the macro were not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..languages import table
from ..parse import captures, tree_of
from .rust_chains import Place, plain_chain

if TYPE_CHECKING:
    from tree_sitter import Node

TOKENS_MAX = 20_000
# Macros that everyone has: calling them says nothing about the project.
STANDARD = frozenset(
    "assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env "
    "eprint eprintln file format format_args include include_bytes include_str line matches module_path option_env "
    "panic print println stringify thread_local todo try unimplemented unreachable vec write writeln macro_rules "
    "concat_idents is_x86_feature_detected addr_of addr_of_mut ready pin".split()
)
ITEMS = """
(source_file (macro_invocation (token_tree) @tokens))
(source_file (expression_statement (macro_invocation (token_tree) @tokens)))
(declaration_list (macro_invocation (token_tree) @tokens))
"""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"|//[^\n]*|\'(?:[^\'\\]|\\.)\'', re.DOTALL)
_CALL = re.compile(rb"(?<![\w$!])([A-Za-z_]\w*(?:(?:::|\.)\w+)*)(?:::<[^<>()]*>)?(?=\()")
# A single colon stands between a field and its value, or a key and its.
_BEFORE = re.compile(rb"(?:[.$]|::)\s*\Z|\bfn\s+\Z")
_WORDS = frozenset(
    (b"if", b"match", b"while", b"for", b"in", b"return", b"fn", b"move", b"let", b"else", b"loop", b"as")
)
_ITEM = re.compile(
    rb"\{(?:\s++|//[^\n]*+\n|#!?\[[^\n]*\])*+"
    rb"(?:pub\b|fn\b|struct\b|enum\b|impl\b|mod\b|use\b|trait\b|const\b|static\b|type\b|unsafe\b|async\b|extern\b|union\b)"
)
_STRANGE = re.compile(rb"\$|\bstatic ref\b")


def written(tokens: Node, source: bytes, place: Place) -> Iterator[tuple[int, int, str]]:
    """The calls in what a macro is given, as (line, column, chain)."""
    first = tokens.start_byte
    text = source[first : min(tokens.end_byte, first + TOKENS_MAX)]
    if b"(" not in text[1:]:
        return
    plain = _STRING.sub(lambda found: b" " * len(found[0]), text)
    point = tokens.start_point
    for found in _CALL.finditer(plain):
        chain_text = found[1]
        begin, end = found.span(1)
        before = plain[max(0, begin - 4) : begin]
        if chain_text in _WORDS or _BEFORE.search(before) is not None:
            if chain_text in _WORDS or not before.rstrip().endswith(b"."):
                continue
            chain = f"?.{chain_text.decode('utf-8', 'replace').replace('::', '.')}"
        else:
            chain = plain_chain(chain_text, place)
        name = len(re.split(rb"::|\.", chain_text)[-1])
        rows = text.count(b"\n", 0, end)  # those in strings too
        column = end - name - (text.rfind(b"\n", 0, end) + 1) if rows else point.column + end - name
        yield point.row + 1 + rows, column, chain


def opened(root: Node, source: bytes) -> Node | None:
    """The tree of a file without the macros that its items stand in; None where there are none, or where what they
    hold is not plain Rust."""
    if b"! {" not in source and b"!{" not in source:
        return None
    blanked = bytearray(source)
    known = table.language("rust")
    some = False
    for node in captures("rust", ITEMS)(root).get("tokens", ()):
        first, last = node.start_byte, node.end_byte
        text = source[first:last]
        if not _ITEM.match(text) or _STRANGE.search(text):
            continue
        name = source.rfind(b"\n", 0, first) + 1
        blanked[name : first + 1] = b" " * (first + 1 - name)
        blanked[last - 1 : last] = b" "
        some = True
    if not some:
        return None
    tree = tree_of(known, bytes(blanked))
    return None if tree.root_node.has_error and not root.has_error else tree.root_node
