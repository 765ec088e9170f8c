"""Python's reader: what a file defines, imports, binds and calls."""

from __future__ import annotations

import pytest

from marrow.codemap.parse import map_of
from marrow.model.code import TOP, FileMap

SOURCE = b'''
"""A module."""
import os.path
import json as j
from .store import Store as Kept, opened
from ..other import *

LIMIT: int = 5

@decorated(1)
class Shop(Base, typing.Generic[T], metaclass=Meta):
    """Sells things.

    And more.
    """

    rate: float = 0.2
    name = "x"

    def __init__(self, store: "Kept | None", size=3):
        self.store = store
        self.rows: list[Row] = []

    @property
    def first(self) -> Optional["Row"]:
        # the first
        return self.rows[0]

    async def sell(self, thing):
        def priced(one):
            return one.price()
        for row in self.rows:
            row.save(priced(thing))
        with opened() as file:
            file.write(await self.store.reading().one())
        return Shop(self.store)

if LIMIT:
    def helper(): ...
'''


def mapped(source: bytes = SOURCE) -> FileMap:
    return map_of("shop/model.py", source)


def symbols(found: FileMap) -> dict[str, str]:
    return {s.qualified: s.kind for s in found.symbols}


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    assert symbols(mapped()) == {
        "LIMIT": "constant",
        "Shop": "class",
        "Shop.rate": "field",
        "Shop.name": "field",
        "Shop.__init__": "constructor",
        "Shop.first": "method",
        "Shop.sell": "method",
        "Shop.sell.priced": "function",
        "helper": "function",
    }


def test_a_symbol_says_its_head_its_doc_its_decorators_its_bases_and_its_lines() -> None:
    shop = next(s for s in mapped().symbols if s.name == "Shop")
    assert shop.signature == "class Shop(Base, typing.Generic[T], metaclass=Meta)"
    assert shop.doc == "Sells things."
    assert shop.decorators == ("decorated(1)",)
    assert shop.bases == ("Base", "typing.Generic[T]")
    assert (shop.start, shop.end) == (10, 36)
    first = next(s for s in mapped().symbols if s.name == "first")
    assert (first.returns, first.decorators, first.start) == ("Optional[Row]", ("property",), 24)


def test_imports_say_what_a_name_stands_for() -> None:
    found = {(i.local, i.module, i.name) for i in mapped().imports}
    assert found == {
        ("os", "os", ""),
        ("j", "json", ""),
        ("Kept", ".store", "Store"),
        ("opened", ".store", "opened"),
        ("*", "..other", "*"),
    }


def test_calls_are_chains_in_their_function() -> None:
    found = mapped()
    calls = {(found.symbols[c.scope].qualified if c.scope != TOP else "", c.chain) for c in found.calls}
    assert calls == {
        ("Shop", "decorated"),
        ("Shop.first", "property"),
        ("Shop.sell.priced", "one.price"),
        ("Shop.sell", "row.save"),
        ("Shop.sell", "priced"),
        ("Shop.sell", "opened"),
        ("Shop.sell", "file.write"),
        ("Shop.sell", "self.store.reading().one"),
        ("Shop.sell", "self.store.reading"),
        ("Shop.sell", "Shop"),
    }


def test_a_call_is_where_its_name_is() -> None:
    call = next(c for c in mapped().calls if c.chain == "self.store.reading().one")
    line = SOURCE.splitlines()[call.line - 1]
    assert line[call.column :].startswith(b"one(")


def test_bindings_say_types_values_elements_and_what_is_entered() -> None:
    found = mapped()
    bound = {(found.symbols[b.scope].name if b.scope != TOP else "", b.name): b.type or b.value for b in found.bindings}
    assert bound["__init__", "store"] == "Kept"
    assert bound["Shop", "store"] == "store"
    assert bound["Shop", "rows"] == "list[Row]"
    assert bound["sell", "row"] == "self.rows[]"
    assert bound["sell", "file"] == "opened().__enter__()"
    assert bound["sell", "return"] == "Shop()"
    field = next(b for b in found.bindings if b.name == "store" and b.type == "")
    assert field.within is not None
    assert found.symbols[field.within].name == "__init__"


def hash_of(source: bytes, name: str = "f") -> str:
    return next(s.hash for s in map_of("a.py", source).symbols if s.name == name)


@pytest.mark.parametrize(
    "other",
    [
        b"def f(a, b):\n    return g(a, b)\n",
        b"def f( a,b ):  # why\n\n  # more\n  return g(\n    a,\n    b,\n  )\n",
        b'def f(a, b):\n    """Doc."""\n    return g(a, b)\n',
        b"def f(a, b):return g(a, b)",
        b"def f(a, b): return g(a, b) # why",
    ],
)
def test_formatting_comments_and_docs_leave_the_hash_alone(other: bytes) -> None:
    assert hash_of(b"def f(a, b):\n    return g(a, b)\n") == hash_of(other)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"def f(a):\n    return 1\n", b"def f(a):\n    return 2\n"),
        (b"def f(a):\n    g('a b')\n", b"def f(a):\n    g('a  b')\n"),
        (b"def f(a):\n    if a:\n        g()\n        h()\n", b"def f(a):\n    if a:\n        g()\n    h()\n"),
        (
            b"def f(a):\n if a:\n  if b:\n   if c:\n    g()\n    h()\n",
            b"def f(a):\n if a:\n  if b:\n   if c:\n    g()\n  h()\n",
        ),
        (b"def f(a):\n    g('a', \"b'\")\n", b"def f(a):\n    g('a', 'b\"')\n"),
        (b"def f(a):\n    g('a', 'b')\n", b"def f(a):\n    g('b', 'a')\n"),
        (b"def f(a):\n    return a + 1\n", b"def f(a):\n    return a - 1\n"),
        (b"def f(a=1):\n    pass\n", b"def f(a=2):\n    pass\n"),
    ],
)
def test_a_change_of_meaning_changes_the_hash(before: bytes, after: bytes) -> None:
    assert hash_of(before) != hash_of(after)


@pytest.mark.parametrize("strings", [b"'a', ''", b"'a', \"it's\"", b"'a', 'b\\\\n'", b"'a', f'{b}'"])
def test_the_kind_of_quote_of_a_plain_string_leaves_the_hash_alone(strings: bytes) -> None:
    other = strings.replace(b"'a'", b'"a"')
    assert hash_of(b"def f():\n    g(%s)\n" % strings) == hash_of(b"def f():\n    g(%s)\n" % other)


def test_a_changed_method_does_not_change_its_class() -> None:
    before, after = (b"class f:\n    x = 1\n    def m(self):\n        return %d\n" % n for n in (1, 2))
    assert hash_of(before) == hash_of(after)
    assert hash_of(before, "m") != hash_of(after, "m")


def test_the_same_bytes_give_the_same_map() -> None:
    assert mapped() == mapped()


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\x00\xff\xfe def (",
        b"(" * 10_000,
        b"x = " + b"f(" * 3_000 + b")" * 3_000,
        b"x = [" + b"1," * 200_000 + b"]",
        b"class A(\n  def f(self: \n",
        "def größe(ä): return ä.öffnen()".encode(),
    ],
)
def test_hostile_text_is_read_without_an_exception(source: bytes) -> None:
    assert map_of("a.py", source).language == "python"


def test_text_that_does_not_parse_is_counted_and_read_around() -> None:
    found = map_of("a.py", b"def good():\n    pass\n\ndef bad(:\n\nclass Fine:\n    pass\n")
    assert found.errors
    assert "good" in symbols(found)
