"""Calls of Ruby that declare: what defines a method, mixes something in, hands on or imports; and what is in a block.

Whatever such a call means, it is read by its name alone: a class may have given it another meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...model.code import Import
from .reading import Reading, part

if TYPE_CHECKING:
    from tree_sitter import Node

MIXED_IN = frozenset(("include", "extend", "prepend"))
ATTRIBUTES = frozenset(
    "attr_reader attr_writer attr_accessor mattr_reader mattr_writer mattr_accessor cattr_reader cattr_writer "
    "cattr_accessor class_attribute".split()
)
NAMED = frozenset(("define_method", "alias_method", "define_singleton_method"))
HANDED_ON = frozenset(("def_delegators", "def_delegator", "delegate"))
KEPT = frozenset(("let", "let!", "subject", "subject!"))
HOOKS = frozenset(("included", "extended", "prepended", "inherited", "append_features"))
BLOCKS = frozenset(("block", "do_block", "lambda"))
# Blocks that stand for the body of the class around them.
BODIES = frozenset("included prepended class_eval class_exec instance_eval instance_exec on_load class_methods".split())
PARENTS_MAX = 8


def macros(reading: Reading) -> tuple[dict[int, list[str]], set[int]]:
    """Calls that define, import or mix in. Gives what is mixed in, by where its class begins, and where names stand
    that are no calls."""
    mixed_in: dict[int, list[str]] = {}
    taken: set[int] = set()
    found = reading.found
    macros = zip(found.get("macro", ()), found.get("macro_call", ()), found.get("given", ()), strict=True)
    for node, call, arguments in macros:
        word = reading.text(node)
        if word in MIXED_IN:
            owner = class_around(call, reading)
            if owner is not None:
                mixed_in.setdefault(owner.start_byte, []).extend(_mixed(reading, arguments))
        elif word in ATTRIBUTES:
            for one in arguments.named_children:
                _define(reading, "property", one, one)
        elif word in NAMED:
            _define(reading, "function", call, part(arguments, 0))
        elif word in HANDED_ON:
            for one in _handed_on(reading, word, arguments.named_children):
                _define(reading, "function", one, one)
        elif word not in KEPT:
            _required(reading, node, word, arguments)
    for node in reading.nodes("alias"):
        renamed = node.child_by_field_name("name")
        taken.update(child.start_byte for child in node.named_children)
        if renamed is not None and renamed.type in ("identifier", "constant", "simple_symbol"):
            reading.define("function", node, reading.text(renamed).lstrip(":"))
    return mixed_in, taken


def _mixed(reading: Reading, arguments: Node) -> list[str]:
    chains = [reading.chain(one) for one in arguments.named_children if one.type != "self"]
    return [chain for chain in chains if chain and "(" not in chain]


def _define(reading: Reading, kind: str, node: Node, named: Node | None) -> None:
    if named is not None and named.type in ("simple_symbol", "string"):
        name = reading.text(named).strip(":\"'")
        if re.fullmatch(r"\w+[?!=]?", name):
            reading.define(kind, node, name)


def _handed_on(reading: Reading, word: str, given: list[Node]) -> list[Node]:
    """The names that another object answers to."""
    if word == "def_delegators":
        return given[1:]
    if word == "def_delegator":
        return given[-1:]
    pairs = [reading.text(part(one, 0)) for one in given if one.type == "pair"]
    return [one for one in given if one.type != "pair"] if "to" in pairs and "prefix" not in pairs else []


def kept_by_examples(reading: Reading) -> Iterator[tuple[str, Node]]:
    """`let(:name) { … }`: names with what gives their values."""
    found = reading.found
    for node, call, arguments in zip(
        found.get("macro", ()), found.get("macro_call", ()), found.get("given", ()), strict=True
    ):
        block = call.child_by_field_name("block") if reading.text(node) in KEPT else None
        body = block.child_by_field_name("body") if block is not None else None
        name = part(arguments, 0)
        if body is not None and name is not None and name.type == "simple_symbol":
            yield reading.text(name).lstrip(":"), body


def class_around(node: Node, reading: Reading | None = None) -> Node | None:
    """The class that something stands directly in the body of, or in a block or singleton class there; where the text
    is given, only in a block that stands for its body."""
    here = node.parent
    for _ in range(PARENTS_MAX):
        if here is None or here.type in ("method", "singleton_method", "program"):
            return None
        if here.type in ("class", "module"):
            return here
        if reading is not None and here.type in BLOCKS:
            call = here.parent
            if call is None or reading.text(call.child_by_field_name("method")) not in BODIES:
                return None
        here = here.parent
    return None


def in_block(node: Node) -> bool:
    """Whether something stands in a block that stands in no class."""
    here = node.parent
    for _ in range(PARENTS_MAX):
        if here is None or here.type in ("class", "module", "method", "singleton_method", "program"):
            return False
        if here.type in BLOCKS:
            return True
        here = here.parent
    return False


def types_within(reading: Reading) -> set[tuple[int, str]]:
    """Where classes begin, with the names of those that stand in them."""
    found = set()
    for node in reading.nodes("type"):
        around = class_around(node)
        if around is not None:
            found.add((around.start_byte, reading.text(node.child_by_field_name("name"))))
    return found


def class_methods(reading: Reading, mixed_in: dict[int, list[str]], inner: set[tuple[int, str]]) -> None:
    """What a module gives to the classes that mix it in: in `ClassMethods`, by convention, or by `base.extend`."""
    for begin, name in inner:
        if name == "ClassMethods":
            mixed_in.setdefault(begin, []).append(name)
    for node, arguments in zip(reading.nodes("hook"), reading.nodes("hooked"), strict=True):
        here = node.parent
        for _ in range(PARENTS_MAX):
            if here is None or here.type in ("singleton_method", "method", "program"):
                break
            here = here.parent
        if here is None or reading.text(here.child_by_field_name("name")) not in HOOKS:
            continue
        owner = class_around(here)
        if owner is not None:
            known = mixed_in.setdefault(owner.start_byte, [])
            known += [chain for chain in _mixed(reading, arguments) if chain not in known]


def _required(reading: Reading, node: Node, word: str, arguments: Node) -> None:
    last = part(arguments, -1)
    if last is None or last.type != "string":
        return
    text = reading.text(last).strip("\"'")
    if "#{" in text:
        return
    module = f"./{text}" if word == "require_relative" and not text.startswith(".") else text
    line = node.start_point.row + 1
    if word == "autoload":
        name = reading.text(part(arguments, 0)).lstrip(":")
        reading.imports.append(Import(name, module, name, line, True))
    else:
        reading.imports.append(Import("*", module, "*", line, True))
