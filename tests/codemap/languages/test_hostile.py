"""Hostile text, in every language of the map: it is read, and nothing is raised.

Larger texts of these shapes take some grammars for ever; they are not parsed here and now (`codemap/tame.py`), but by a
worker that can be killed.
"""

from __future__ import annotations

import importlib

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.languages import table
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import KINDS, TOP, FileMap

SECONDS = 60  # far more than any takes; a reader that is not linear takes minutes


def files() -> list[str]:
    """A file name for each language whose reader is there."""
    found = []
    for module, languages in table._MODULES.items():
        try:
            importlib.import_module(f"{table.__package__}.{module}")
        except ModuleNotFoundError:
            continue
        found += [f"file{endings[0]}" for endings in languages.values()]
    return found


SHAPES = {
    "empty": b"",
    "one byte": b"{",
    "carriage returns": b"class A\r{ void f()\r{ g(); }\r}\r" * 50 + b"\n" * 1000,
    "round brackets": b"(" * 10_000,
    "matched brackets": b"x = " + b"(" * 10_000 + b"1" + b")" * 10_000,
    "square and curly brackets": b"a[{" * 5_000,
    "angle brackets": b"List<" * 2_000 + b"int" + b">" * 2_000,
    "nested calls": b"f(" * 2_000 + b")" * 2_000 + b"\n",
    "a long chain": b"a" + b".b()" * 2_000 + b"\n",
    "a chain of members": b"x = a" + b".b" * 2_000 + b"\n",
    "one long line": b"let x = 1; " * 2_000,
    "a long name": b"def " + b"a" * 900_000 + b"(): pass\n",
    "a long string": b'x = "' + b"a" * 900_000,
    "comments": b"// a\n# b\n-- c\n" * 500 + b"class A {}\n/* " + b"* " * 5_000,
    "marks": b"\\" * 500 + b"'\"" * 500 + b"$a$ " * 500,
    "headings": b"".join(b"#" * (1 + n % 6) + b" a\n" for n in range(500)),
    "invalid UTF-8": b"class \xff\xfe { void f\xc3\x28() { g\x80(); } }\nfunction \xe2\x28\xa1() {}\n" * 50,
    "NULs": b"class A\x00 { \x00 void f() { \x00g(); } }\n" * 50 + b"\x00" * 5000,
    "random": bytes((n * 7919 + n // 251) % 256 for n in range(5_000)),
    "classes in classes": b"class A { " * 500 + b"}" * 500,
    "many functions": b"".join(b"function f%d() { return g%d(); }\n" % (n, n) for n in range(500)),
    "statements": b"create table " * 1_000 + b"create function f() begin " * 500 + b"end; " * 500,
}


def is_whole(found: FileMap) -> None:
    """Everything that a map says refers to something that is in it."""
    size = len(found.symbols)
    for at, symbol in enumerate(found.symbols):
        assert symbol.kind in KINDS
        assert TOP <= symbol.parent < at
        assert 1 <= symbol.start <= symbol.end
        assert symbol.name
        assert len(symbol.name) <= 200
    scopes = [one.scope for one in found.bindings] + [one.scope for one in found.calls]
    for scope in scopes + [one.scope for one in found.imports]:
        assert TOP <= scope < size
    for call in found.calls:
        assert call.chain
        assert call.line >= 1
        assert call.column >= 0


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", files())
def test_hostile_text_gives_a_whole_map(name: str, shape: str) -> None:
    is_whole(map_of(name, SHAPES[shape]))


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("name", files())
def test_the_same_text_always_gives_the_same_map(name: str) -> None:
    source = SHAPES["many functions"] + SHAPES["invalid UTF-8"]
    assert map_of(name, source) == map_of(name, source)


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("shape", ["a long chain", "classes in classes", "many functions", "invalid UTF-8", "random"])
@pytest.mark.parametrize("name", files())
def test_what_hostile_text_calls_can_be_looked_for(name: str, shape: str) -> None:
    found = map_of(name, SHAPES[shape])
    for edge in Resolver(InMemory({name: found})).edges(name):
        assert 0 <= edge.symbol < len(found.symbols)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.go", b"package a\nfunc f() {\n\txs := append()\n\txs.Do()\n}\n"),
        ("a.go", b"package a\nfunc f() {\n\tx := new()\n\tx.Do()\n}\n"),
        ("a.py", b"def f():\n    for i, x in enumerate():\n        x.run()\n"),
        ("a.rs", b"fn f() {\n    let=builder.build();\n}\n"),
        ("a.ts", b"const f = {\n  less,\n  sass: ,\n}\n"),
    ],
)
def test_a_file_that_is_being_typed_stays_in_the_map(path: str, source: bytes) -> None:
    assert "f" in {symbol.name for symbol in map_of(path, source).symbols}
