"""Fingerprints: the same for another layout, another for another meaning."""

from __future__ import annotations

import pytest

from marrow.codemap.fingerprint import (
    find_lines,
    fingerprint,
    likeness,
    lines_print,
    most_like,
    sketch,
    sketched_likeness,
    symbol_print,
)
from marrow.codemap.parse import map_of
from marrow.codemap.tokens import tokens_of

SAME = [
    ("a.py", "x = (a, b)", "x = a, b"),
    ("a.py", "x = f(a,b)", "x = f(\n    a,\n    b,\n)  # why\n"),
    ("a.py", "def f(a):\n  if a:\n    return 'x'\n", 'def f(a):\n    """Doc."""\n    if (a):\n        return "x"\n'),
    ("a.py", "x = (a * b) + c", "x = a*b + c"),
    ("a.py", "for (a, b) in c: pass", "for a, b in c:\n    pass"),
    ("a.py", "from a import (b, c,)", "from a import b, c"),
    ("a.py", "with (open(a) as f): pass", "with open(a) as f:\n    pass"),
    ("a.py", "class A(): pass", "class A:\n    pass"),
    ("a.py", "x = 0XFF + 1E5", "x = 0xff + 1e5"),
    ("a.py", "x = 'it\\'s'", 'x = "it\'s"'),
    ("a.py", "x = U'a' + B'b'", "x = 'a' + b'b'"),
    ("a.py", "x = a \\\n    + b", "x = a + b"),
    ("a.py", "assert (x), y", "assert x, y"),
    ("a.ts", "type A = 'a' | 'b'", 'type A =\n  | "a"\n  | "b";\n'),
    ("a.ts", "const f = x => { return x }", "const f = (x) => {\n  return x;\n};\n"),
    ("a.ts", "interface I { a: string; b: number }", "interface I {\n  a: string,\n  b: number,\n}"),
    ("a.ts", "let o = {'a': 1, b: 'x'}", 'let o = {\n  a: 1,\n  b: "x",\n};\n'),
    ("a.tsx", "const a = <p  id='x'>hi  there</p>", 'const a = (\n  <p id="x">hi there</p>\n);'),
    ("a.tsx", "const a = <p><A/></p>", "const a = (\n  <p>\n    {/* why */}\n    <A />\n    { // and\n    }\n  </p>);"),
    ("a.jsx", "const a = <><A b={1}/>{x}</>", "const a = <>{/* a */ /* b */}<A /* c */ b={/* d */ 1} />{x /* e */}</>"),
    ("a.jsx", "const a = <p>one two</p>", "const a = <p>\n  one\n  {/* why */}\n  two\n</p>"),
    ("a.go", "package a\nfunc f() { x := 1; y() }", "package a\n\n// f\nfunc f() {\n\tx := 1\n\ty()\n}\n"),
    ("a.go", "package a\nvar x = []int{1, 2}", "package a\nvar x = []int{\n\t1,\n\t2,\n}\n"),
    ("a.rs", "fn f() { let g = |a| { a + 1 }; }", "fn f() {\n    let g = |a| a + 1;\n}\n"),
    (
        "a.rs",
        "fn f() { match x { 1 => { y }, _ => z } }",
        "fn f() {\n    match x {\n        1 => y,\n        _ => z,\n    }\n}",
    ),
    ("a.rs", "fn f() { match x { 1 => {}, _ => { } } }", "fn f() {\n match x {\n  1 => {}\n  _ => {}\n }\n}"),
    ("A.java", "class A { int a() { return (1); } }", "class A {\n  /** Doc. */\n  int a() {\n    return 1;\n  }\n}\n"),
    ("a.sql", "SELECT a FROM b", "select a\n  from b -- why\n"),
    ("a.rb", "puts 'a'", 'puts "a" # why'),
    ("a.sh", "if [ $a ]; then b; fi", "if [ $a ]\nthen\n  b\nfi\n"),
    ("a.json", '{"a": 1, "b": [1,2]}', '{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ]\n}\n'),
    ("a.toml", '[a]\nb = "x" # why\nc=[1,2]\n', "[a]\n\nb = 'x'\nc = [\n  1,\n  2,\n]\n"),
    ("a.yaml", "a:\n  - b\n", "a:\n\n    - b   # why\n".replace("   # why", "")),
    ("a.md", "# T\nLong text\nwrapped *here*.\n\n* a\n* b\n", "# T #\n\nLong text wrapped _here_.\n- a\n- b\n"),
    ("a.md", "| a | b |\n|--|--|\n|1|2|", "| a   | b   |\n| --- | :-- |\n| 1   | 2   |"),
    ("a.txt", "one  \n\ntwo\n", "one\ntwo"),
]
OTHER = [
    ("a.py", "x = (a + b) * c", "x = a + b * c"),
    ("a.py", "x = 1,", "x = 1"),
    ("a.py", "x[1,]", "x[1]"),
    ("a.py", "a\n(b)", "a(b)"),
    ("a.py", "x = b'a'", "x = 'a'"),
    ("a.py", "x = 'a b'", "x = 'a  b'"),
    ("a.py", "def f(): return", "def f(): return ()"),
    ("a.py", "if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
    ("a.py", "f(a=1)", "f(a=2)"),
    ("a.py", "a, b = c", "b, a = c"),
    ("a.ts", "for (; a; ) {}", "for (;; a) {}"),
    ("a.ts", "a(b)\n;(c)", "a(b)(c)"),
    ("a.ts", "let a = `x  ${b}`", "let a = `x ${b}`"),
    ("a.ts", "if (a) b()", "if (a) { b() }"),
    ("a.go", "//go:build linux\npackage a", "//go:build darwin\npackage a"),
    ("a.go", "package a\nvar x = a && b", "package a\nvar x = a || b"),
    ("a.rs", "fn f() -> i32 { x }", "fn f() -> i32 { x; }"),
    ("A.java", "class A { int a() { return 1; } }", "class A { int a() { return 2; } }"),
    ("a.rb", "puts 'a#{b}'", 'puts "a#{b}"'),
    ("a.json", '{"a": 1}', '{"a": "1"}'),
    ("a.toml", "a = 1\nb = 2\n", "a = 1 b = 2\n"),
    ("a.yaml", "a:\n  b: 1\n", "a:\nb: 1\n"),
    ("a.md", "```\na  b\n```", "```\na b\n```"),
    ("a.txt", "  one", "one"),
]


@pytest.mark.parametrize(("path", "one", "other"), SAME)
def test_another_layout_is_the_same(path: str, one: str, other: str) -> None:
    assert fingerprint(path, one.encode()) == fingerprint(path, other.encode()) != ""


@pytest.mark.parametrize(("path", "one", "other"), OTHER)
def test_another_meaning_is_another(path: str, one: str, other: str) -> None:
    assert fingerprint(path, one.encode()) != fingerprint(path, other.encode())


def test_lines_are_found_again_wherever_they_went() -> None:
    before = tokens_of("a.py", b"a = 1\nif a:\n    b = a + 2\n    c(b)\nd = 4\n")
    print_ = lines_print(before, 3, 4)
    after = tokens_of(
        "a.py",
        b"import x\n\ndef f():\n    while x:\n        b = (a + 2)  # why\n\n        c(\n            b,\n        )\n",
    )
    assert [tuple(span) for span in find_lines(after, print_)] == [(5, 9)]
    assert find_lines(tokens_of("a.py", b"b = a - 2\nc(b)\n"), print_) == []


def test_lines_with_nothing_but_comments_have_no_print() -> None:
    assert lines_print(tokens_of("a.py", b"# one\n# two\na = 1\n"), 1, 2) == ""


def symbol(source: str, name: str) -> str:
    found = map_of("a.py", source.encode()).symbols
    index = next(at for at, one in enumerate(found) if one.qualified == name)
    return symbol_print(tokens_of("a.py", source.encode()), found, index)


def test_a_symbol_is_known_under_another_name() -> None:
    assert symbol("def f(n):\n    return f(n - 1)\n", "f") == symbol("def g(n):\n    return g(n - 1)\n", "g")
    assert symbol("def f(n):\n    return f(n - 1)\n", "f") != symbol("def g(n):\n    return f(n - 1)\n", "g")


def test_a_class_is_not_its_methods() -> None:
    one = symbol("class A:\n    x = 1\n\n    def f(self):\n        return 1\n", "A")
    assert one == symbol("class A:\n    x = 1\n\n    def f(self):\n        return 2\n", "A")
    assert one != symbol("class A:\n    x = 2\n\n    def f(self):\n        return 1\n", "A")


def test_likeness_goes_from_nothing_to_all() -> None:
    assert likeness(b"a b c", b"a b c") == 1.0
    assert likeness(b"a b c", b"x y z") == 0.0
    assert 0.5 < likeness(b"timeout of thirty seconds", b"timeout of sixty seconds") < 1.0


def test_a_sketch_tells_a_small_edit_from_another_file() -> None:
    text = "\n".join(f"def handler_{n}(request, store):\n    return store.find(request.key_{n})" for n in range(60))
    edited = text.replace("key_7)", "other_key)")
    assert sketched_likeness(sketch(text.encode()), sketch(edited.encode())) > 0.7
    assert sketched_likeness(sketch(text.encode()), sketch(b"nothing of the kind stands here at all")) == 0.0


def test_the_most_like_lines_are_the_nearest_of_equal_ones() -> None:
    lines = [b"x = 1", b"retry = 3", b"y = 2", b"retry = 3", b"z = 3"]
    assert most_like(lines, [b"retry = 5"], 4)[0].first == 4
    assert most_like(lines, [b"retry = 5"], 1)[0].first == 2
    assert most_like([], [b"retry = 5"], 1)[1] == 0.0


@pytest.mark.parametrize(
    "source", [b"", b"\0\0", b"\xff\xfe x", b"(" * 10_000, b"x = " + b"a" * 1_000_000, b"def f(:\n  )("]
)
def test_hostile_sources_are_taken_apart_all_the_same(source: bytes) -> None:
    for path in ("a.py", "a.ts", "a.md", "a.json", "a.unknown"):
        assert len(tokens_of(path, source)) >= 0
        fingerprint(path, source)
