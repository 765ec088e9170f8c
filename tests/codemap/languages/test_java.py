"""Java: what a file declares, binds and calls, and what its calls lead to."""

from __future__ import annotations

import re

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.languages.java_types import type_text
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import FileMap

SOURCE = b"""package com.shop;

import java.util.List;
import static com.shop.Tools.*;
import static com.shop.Tools.helped;
import com.other.Outer.Inner;

/**
 * Sells {@link Row things}.
 * And more.
 */
@Deprecated @SuppressWarnings("unchecked")
public class Shop<T extends Row> extends Base<T> implements Seller, Comparable<Shop<T>> {
    private final List<Row> rows = new ArrayList<>(), others[];
    static int count;

    public Shop(int size) { super(size); }

    /** The first. */
    @Override public T first(final T given, Row... rest) throws Missing {
        for (Row row : rows) { row.save(); }
        given.save();
        return null;
    }

    enum Colour implements Painted { RED(1) { void mix() {} }, BLUE; Colour(int... x) {} }
    record Pair(Row left, int right) { Pair { check(); } }
    @interface Marked { String value() default ""; }
    interface Seller { int MAX = 1; default void sell() {} }

    Runnable later() {
        return new Runnable() { public void run() { first(null); } };
    }
}
"""


def mapped(source: bytes = SOURCE) -> FileMap:
    return map_of("src/com/shop/Shop.java", source)


def resolved(files: dict[str, str], path: str) -> dict[str, tuple[str, str]]:
    """chain → (file:qualified, reason) of each call of a file that was resolved."""
    maps = {name: map_of(name, text.encode()) for name, text in files.items()}
    edges = Resolver(InMemory(maps)).edges(path)
    return {
        maps[path].calls[e.call].chain: (f"{e.path}:{maps[e.path].symbols[e.symbol].qualified}", e.reason)
        for e in edges
    }


def targets(files: dict[str, str], path: str) -> dict[str, str]:
    return {chain: target for chain, (target, _) in resolved(files, path).items()}


def test_every_declaration_is_a_symbol_of_its_kind() -> None:
    found = mapped()
    assert found.package == "com.shop"
    assert {s.qualified: s.kind for s in found.symbols} == {
        "Shop": "class",
        "Shop.rows": "field",
        "Shop.others": "field",
        "Shop.count": "field",
        "Shop.Shop": "constructor",
        "Shop.first": "method",
        "Shop.Colour": "enum",
        "Shop.Colour.RED": "constant",
        "Shop.Colour.RED.$Colour": "class",
        "Shop.Colour.RED.$Colour.mix": "method",
        "Shop.Colour.BLUE": "constant",
        "Shop.Colour.Colour": "constructor",
        "Shop.Pair": "record",
        "Shop.Pair.left": "field",
        "Shop.Pair.right": "field",
        "Shop.Pair.Pair": "constructor",
        "Shop.Marked": "interface",
        "Shop.Marked.value": "method",
        "Shop.Seller": "interface",
        "Shop.Seller.MAX": "field",
        "Shop.Seller.sell": "method",
        "Shop.later": "method",
        "Shop.later.$Runnable": "class",
        "Shop.later.$Runnable.run": "method",
    }


def test_heads_docs_annotations_bases_and_results_are_read() -> None:
    by_name = {s.qualified: s for s in mapped().symbols}
    shop, first = by_name["Shop"], by_name["Shop.first"]
    assert shop.decorators == ("Deprecated", 'SuppressWarnings("unchecked")')
    assert shop.signature.startswith("public class Shop<T extends Row> extends Base<T>")
    assert shop.doc == "Sells Row things."
    assert shop.bases == ("Base[T]", "Seller", "Comparable[Shop[T]]")
    assert shop.start == 12
    assert first.decorators == ("Override",)
    assert first.signature == "public T first(final T given, Row... rest) throws Missing"
    assert first.doc == "The first."
    assert first.returns == "Row"  # what T is bound by
    assert by_name["Shop.rows"].returns == "List[Row]"
    assert by_name["Shop.others"].returns == "list[List[Row]]"
    assert by_name["Shop.Colour.RED"].returns == "Colour"
    assert by_name["Shop.Colour"].bases == ("Painted",)
    assert by_name["Shop.later.$Runnable"].bases == ("Runnable",)


def test_imports_name_packages_classes_and_their_members() -> None:
    assert [(i.local, i.module, i.name, i.line) for i in mapped().imports] == [
        ("List", "java.util", "List", 3),
        ("*", "com.shop.Tools", "*", 4),
        ("helped", "com.shop.Tools", "helped", 5),
        ("Inner", "com.other.Outer", "Inner", 6),
    ]


def test_parameters_and_variables_are_bound_with_their_types() -> None:
    source = b"""class A { void f(final Foo a, Bar[] b, Baz... c, int d[]) {
        var e = a.make(); List<? extends Foo> g = null; for (var h : b) {}
        try (Foo i = open()) {} catch (X | Y j) {}
        if (a instanceof Sub k) {} run(l -> l.x()); rows.forEach(m -> m.save());
    } }"""
    assert {b.name: b.type or b.value for b in map_of("A.java", source).bindings} == {
        "a": "Foo",
        "b": "list[Bar]",
        "c": "list[Baz]",
        "d": "list[int]",
        "e": "a.make()",
        "g": "List[Foo]",
        "h": "b[]",
        "i": "Foo",
        "j": "X|Y",
        "k": "Sub",
        "l": "?",
        "m": "rows[]",
    }


def test_calls_have_chains_and_the_place_of_their_last_name() -> None:
    source = b"""class A extends B { A() { this(1); } A(int x) { super(x); }
void f() {
  a.b().c[0].d();
  A.this.e(); ((Foo) x).g(); "s".h(); Foo.class.i();
  new a.Foo<X>(1).j();
  list.map(Foo::k).map(Foo::new);
  A.<T>l();
}}"""
    found = map_of("A.java", source)
    lines = source.decode().splitlines()
    assert [(c.chain, re.findall(r"\w+", lines[c.line - 1][c.column :])[0]) for c in found.calls] == [
        ("A{}", "this"),
        ("B{}", "super"),
        ("a.b", "b"),
        ("a.b().c[].d", "d"),
        ("<A>.e", "e"),
        ("<Foo>.g", "g"),
        ("<String>.h", "h"),
        ("<Class>.i", "i"),
        ("<a.Foo[X]>.j", "j"),
        ("a.Foo{}", "Foo"),
        ("list.map", "map"),
        ("list.map().map", "map"),
        ("Foo.k", "k"),
        ("Foo{}", "Foo"),
        ("A.l", "l"),
    ]


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        (b"Foo", "Foo"),
        (b"void", ""),
        (b"var", ""),
        (b"java.util.Map<String, ? extends List<Foo[]>>", "java.util.Map[String,List[list[Foo]]]"),
        (b"Foo[][]", "list[list[Foo]]"),
        (b"@Nullable Foo @NonNull []", "list[Foo]"),
        (b"List<?>", "List[any]"),
        (b"A | B", "A|B"),
        (b"A & B", "A"),
        (b"<" * 5000, ""),
        (b"", ""),
    ],
)
def test_types_are_spelt_as_in_all_languages(written: bytes, ours: str) -> None:
    assert type_text(written) == ours


def test_names_are_found_in_the_package_by_import_and_by_star() -> None:
    files = {
        "a/A.java": "package a; import b.B; import c.*; import static d.D.go; import static e.E.*; import f.F.In;\n"
        "class A { void f() { new Same(); new B(); new C(); go(); went(); new In(); Same.make(); } }",
        "a/Same.java": "package a; class Same { static void make() {} }",
        "b/B.java": "package b; class B {}",
        "c/C.java": "package c; class C {}",
        "d/D.java": "package d; class D { static void go() {} }",
        "e/E.java": "package e; class E { static void went() {} }",
        "f/F.java": "package f; class F { static class In {} }",
    }
    assert targets(files, "a/A.java") == {
        "Same{}": "a/Same.java:Same",
        "B{}": "b/B.java:B",
        "C{}": "c/C.java:C",
        "go": "d/D.java:D.go",
        "went": "e/E.java:E.went",
        "In{}": "f/F.java:F.In",
        "Same.make": "a/Same.java:Same.make",
    }


def test_methods_have_names_of_their_own() -> None:
    files = {
        "A.java": "class A { Size size; Size size() { return size; } void f() { Size size = size(); size.go(); "
        "this.size.go(); this.size().go(); } }\nclass Size { void go() {} }"
    }
    assert targets(files, "A.java") == {
        "size": "A.java:A.size",
        "size.go": "A.java:Size.go",
        "this.size.go": "A.java:Size.go",
        "this.size": "A.java:A.size",
        "this.size().go": "A.java:Size.go",
    }
    maps = {"A.java": map_of("A.java", files["A.java"].encode())}
    kinds = {maps["A.java"].symbols[e.symbol].kind for e in Resolver(InMemory(maps)).edges("A.java")}
    assert kinds == {"method"}


def test_methods_of_the_class_its_bases_and_the_classes_around_it_are_called_by_name() -> None:
    files = {
        "A.java": "class A extends B { void own() {} class In { void f() { own(); above(); super.toString(); } }\n"
        "void g() { super.above(); Runnable r = new Runnable() { public void run() { own(); hook(); } }; } "
        "void above() {} void hook() {} }",
        "B.java": "class B { void above() {} }",
    }
    assert resolved(files, "A.java") == {
        "own": ("A.java:A.own", "self"),
        "above": ("A.java:A.above", "self"),
        "super.above": ("B.java:B.above", "super"),
        "hook": ("A.java:A.hook", "self"),
    }


def test_what_is_made_leads_to_the_class_and_not_to_its_constructor() -> None:
    files = {"A.java": "class A { A() {} A(int x) { this(); } static A of() { return new A(); } }"}
    assert resolved(files, "A.java") == {"A{}": ("A.java:A", "constructor")}


def test_super_in_a_constructor_is_the_superclass_and_never_an_interface() -> None:
    files = {"A.java": 'interface I {}\nclass A extends Exception implements I { A() { super("x"); } }'}
    assert resolved(files, "A.java") == {}


def test_types_inside_of_bases_are_inherited() -> None:
    files = {
        "A.java": "class A extends B { Entry e; void f() { e.go(); new Entry(); } }",
        "B.java": "class B { static class Entry { void go() {} } }",
        "Entry.java": "class Entry { void go() {} }",
    }
    assert targets(files, "A.java") == {"e.go": "B.java:B.Entry.go", "Entry{}": "B.java:B.Entry"}


def test_containers_give_what_they_hold() -> None:
    files = {
        "A.java": "class A { List<Row> rows; Map<String, Row> named; void f(Rows all) { rows.get(0).save(); "
        'named.get("x").save(); rows.stream().filter(r -> r.ok()).findFirst().get().save(); all.get(0).save(); '
        "for (var row : rows) row.save(); } }\nclass Row { void save() {} boolean ok() {} }\n"
        "class Rows extends ArrayList<Row> {}"
    }
    found = targets(files, "A.java")
    assert set(found.values()) == {"A.java:Row.save", "A.java:Row.ok"}
    assert len(found) == 6


def test_the_nearest_of_two_files_of_one_package_is_meant() -> None:
    files = {
        "android/src/p/B.java": "package p; class B { void f() {} }",
        "server/src/p/A.java": "package p; class A { void g(B b) { b.f(); } }",
        "server/src/p/B.java": "package p; class B { void f() {} }",
    }
    assert targets(files, "server/src/p/A.java") == {"b.f": "server/src/p/B.java:B.f"}


def test_a_method_that_a_known_class_does_not_have_is_not_guessed() -> None:
    files = {
        "A.java": "class A { void f(B b) { b.getClass().lookedUp(); b.lookedUp(); } }\nclass B {}\n"
        "class C { void lookedUp() {} }"
    }
    assert resolved(files, "A.java") == {}


def test_a_name_stands_for_the_declaration_of_its_own_block() -> None:
    source = b"""class A { void f() { for (Foo x : a) { x.one(); } for (Bar x : b) { x.two(); } }
    static { Baz x = g(); x.three(); } }"""
    chains = {c.chain for c in map_of("A.java", source).calls}
    assert {"x.one", "<Bar>.two", "<Baz>.three"} <= chains


def test_the_hash_sees_neither_comments_nor_formatting() -> None:
    one = map_of("A.java", b"class A { int f(int a) { return a + 1; } }").symbols[1]
    same = map_of("A.java", b"class A {\n  /** Why. */\n  int f(int a) {\n    return a + 1; // so\n  }\n}").symbols[1]
    other = map_of("A.java", b"class A { int f(int a) { return a + 2; } }").symbols[1]
    assert one.hash == same.hash != other.hash


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\0\xff\xfe class A {}",
        b"class A { int x = " + b"(" * 10000,
        b"class A { void f() { x" + b".a()" * 5000 + b"; } }",
        b"class A {" * 3000,
        b"class A { void f() { " + b"new B() { void g() { " * 800,
        b"class \xff\xfe { void f(\xff a) { b\xff.c(); } }",
        b"class A { // " + b"x" * 900_000,
        b"class A { Map<" + b"List<" * 5000 + b" x; }",
        b"import a; import .b; import *; class A extends { void (){} }",
        b"class A { " + b"@B(" * 5000 + b" void f() {} }",
    ],
)
def test_hostile_source_is_read_without_an_exception(source: bytes) -> None:
    assert map_of("A.java", source).language == "java"


def test_what_is_around_an_error_is_still_read() -> None:
    found = map_of("A.java", b"class A { void a() { x( } void b() {} }\nclass B { int x; }\n")
    assert found.errors == 1
    assert "B" in {s.name for s in found.symbols}
