"""Go: what a file declares, binds and calls, and what its calls lead to."""

from __future__ import annotations

import re

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.languages.go_modules import finder, shares
from marrow.codemap.languages.go_types import declared, result_type, type_text
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import TOP, Binding, FileMap

SOURCE = b"""// Package shop sells things.
package shop

import (
	"fmt"
	st "example.com/m/store"
	. "example.com/m/all"
	_ "example.com/m/effects"
	"gopkg.in/yaml.v3"
	"example.com/go-thing/v2"
)

//go:generate stringer
// Limit is how many.
const Limit = 5

const (
	Red Colour = iota
	Blue // the second
)

var first, second = open(), &Shop{}

// Shop sells.
// And more.
type Shop struct {
	*Base
	st.Reader
	name, place string `json:"x"`
	rows []*Row
}

type (
	// Seller can sell.
	Seller interface {
		fmt.Stringer
		Sell(n int) (*Row, error)
	}
	Rows  []Row
	Other = st.Store
	Hook  func(*Row) bool
)

/* New makes one. */
func New(store *st.Store, rest ...Row) (shop *Shop, err error) {
	type local struct{ x int }
	yaml.Marshal(thing.X)
	return &Shop{rows: []*Row{{1}}}, nil
}

func (s *Shop) Sell(n int) (*Row, error) {
	for i, row := range s.rows {
		row.Save(i)
	}
	made := new(Row)
	made.Save(0)
	func(inner Row) { inner.Save(1) }(*made)
	return s.rows[n].Copy(), nil
}

func (r Rows) Len() int { return len(r) }
"""


def mapped(source: bytes = SOURCE) -> FileMap:
    return map_of("shop/shop.go", source)


def resolved(files: dict[str, str], path: str, others: dict[str, str] | None = None) -> dict[str, str]:
    """chain → path:qualified of each call of a file that was resolved."""
    maps = {name: map_of(name, text.encode()) for name, text in files.items()}
    edges = Resolver(InMemory(maps, others)).edges(path)
    return {maps[path].calls[e.call].chain: f"{e.path}:{maps[e.path].symbols[e.symbol].qualified}" for e in edges}


def test_every_declaration_is_a_symbol_of_its_kind() -> None:
    assert {s.qualified: s.kind for s in mapped().symbols} == {
        "Limit": "constant",
        "Red": "constant",
        "Blue": "constant",
        "first": "variable",
        "second": "variable",
        "Shop": "struct",
        "Shop.Base": "field",
        "Shop.Reader": "field",
        "Shop.name": "field",
        "Shop.place": "field",
        "Shop.rows": "field",
        "Seller": "interface",
        "Seller.Sell": "method",
        "Rows": "type",
        "Other": "type",
        "Hook": "type",
        "New": "function",
        "New.local": "struct",
        "New.local.x": "field",
        "Shop.Sell": "method",
        "Rows.Len": "method",
    }
    assert mapped().package == "shop"


def test_heads_docs_types_and_receivers_are_read() -> None:
    by_name = {s.qualified: s for s in mapped().symbols}
    assert by_name["Shop"].doc == "Shop sells."
    assert by_name["Limit"].doc == "Limit is how many."
    assert by_name["New"].doc == "New makes one."
    assert by_name["Seller"].doc == "Seller can sell."
    assert by_name["Blue"].doc == ""
    assert by_name["Shop"].signature == "type Shop struct"
    assert by_name["Shop.Sell"].signature == "func (s *Shop) Sell(n int) (*Row, error)"
    assert by_name["Shop"].bases == ("Base", "st.Reader")
    assert by_name["Seller"].bases == ("fmt.Stringer",)
    assert by_name["Rows"].bases == ("list[Row]",)
    assert by_name["Other"].returns == "st.Store"
    assert by_name["New"].returns == "Shop"
    assert by_name["Blue"].returns == "Colour"
    assert by_name["Shop.rows"].returns == "list[Row]"
    assert by_name["Shop.Sell"].receiver == "Shop"
    assert (by_name["Shop.Sell"].start, by_name["Shop.Sell"].parent) == (51, TOP)


def test_imports_have_the_names_they_are_used_by() -> None:
    assert [(i.local, i.module, i.name) for i in mapped().imports] == [
        ("fmt", "fmt", ""),
        ("st", "example.com/m/store", ""),
        ("*", "example.com/m/all", "*"),
        ("_", "example.com/m/effects", ""),
        ("yaml", "gopkg.in/yaml.v3", ""),
        ("thing", "example.com/go-thing/v2", ""),
    ]


def test_parameters_variables_and_receivers_are_bound() -> None:
    found = mapped()
    sell = next(at for at, s in enumerate(found.symbols) if s.qualified == "Shop.Sell")
    bound = {b.name: b for b in found.bindings if b.scope == sell}
    assert bound["s"].type == "Shop"
    assert bound["row"].value == "s.rows[]"
    assert bound["made"].value == "<Row>"
    assert Binding(TOP, "second", "", "<Shop>") in found.bindings
    new = next(at for at, s in enumerate(found.symbols) if s.qualified == "New")
    assert {b.name: b.type for b in found.bindings if b.scope == new} == {
        "store": "st.Store",
        "rest": "list[Row]",
        "shop": "Shop",
        "err": "error",
    }


def test_calls_have_chains_and_the_place_of_their_last_name() -> None:
    source = (
        b"package p\nfunc f() {\n\ta.b(1).\n\t\tc[2].d()\n\t(*T)(x).m()\n\tg[int](1)\n\tx.(*T).n()\n\tpkg.T{}.o()\n}"
    )
    found = map_of("p.go", source)
    lines = source.decode().splitlines()
    assert {(c.chain, c.line, re.findall(r"\w+", lines[c.line - 1][c.column :])[0]) for c in found.calls} == {
        ("a.b", 3, "b"),
        ("a.b().c[].d", 4, "d"),
        ("T", 5, "T"),
        ("T().m", 5, "m"),
        ("g", 6, "g"),
        ("<T>.n", 7, "n"),
        ("pkg.T{}", 8, "T"),
        ("<pkg.T>.o", 8, "o"),
    }


def test_in_a_type_switch_the_variable_is_of_the_type_of_the_case() -> None:
    source = b"package p\nfunc f(x any) { switch v := x.(type) {\ncase *A: v.a()\ncase B, C: v.b()\ndefault: v.c()\n} }"
    assert [c.chain for c in map_of("p.go", source).calls] == ["<A>.a", "x.b", "x.c"]


def test_a_name_stands_for_the_declaration_of_its_own_block() -> None:
    source = b"package p\nfunc f() {\n v := A{}\n if v := mk(); v.ok() { v.b() }\n v.a()\n}"
    assert [c.chain for c in map_of("p.go", source).calls if c.chain != "A{}"] == ["mk", "mk().ok", "mk().b", "v.a"]


def test_parameters_of_a_function_without_a_name_stay_in_it() -> None:
    files = {
        "m/a.go": "package m\nvar run = func(cmd *Cmd) { cmd.Do() }\nfunc f() { cmd.Do() }",
        "m/b.go": "package m\ntype Cmd struct{}\nfunc (c *Cmd) Do() {}\ntype Other struct{}\nfunc (o Other) Do() {}\n"
        "var cmd Other",
    }
    assert resolved(files, "m/a.go") == {"<Cmd>.Do": "m/b.go:Cmd.Do", "cmd.Do": "m/b.go:Other.Do"}


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("*Foo", "Foo"),
        ("[]*pkg.Foo", "list[pkg.Foo]"),
        ("[4][]Foo", "list[list[Foo]]"),
        ("map[string][]*Foo", "dict[string,list[Foo]]"),
        ("<-chan Foo", "chan[Foo]"),
        ("...Foo", "list[Foo]"),
        ("Box[Foo, *Bar]", "Box[Foo,Bar]"),
        ("func(a int) Foo", "func"),
        ("interface{ Foo() }", "interface"),
        ("(Foo)", "Foo"),
        ("[" * 5000, ""),
        ("", ""),
    ],
)
def test_types_are_spelt_as_in_all_languages(written: str, ours: str) -> None:
    assert type_text(written) == ours


def test_results_and_parameters_are_told_from_bare_types() -> None:
    assert declared("a, b *Foo") == (("a", "b"), "Foo")
    assert declared("chan int") == ((), "chan[int]")
    assert declared("*Foo") == ((), "Foo")
    assert result_type("(a, b Foo, err error)") == "Foo"
    assert result_type("(*Foo, error)") == "Foo"
    assert result_type("error") == "error"


def test_a_method_is_found_in_another_file_of_the_package_and_not_in_another_package() -> None:
    files = {
        "m/a.go": "package m\ntype T struct{ bytes.Buffer }\nfunc f(t *T) { t.Own(); t.String() }",
        "m/b.go": "package m\nfunc (t T) Own() {}",
        "n/c.go": "package n\ntype T struct{}\nfunc (t T) String() {}",
    }
    assert resolved(files, "m/a.go") == {"t.Own": "m/b.go:T.Own"}


def test_a_bare_name_is_a_function_rather_than_a_method_of_the_same_name() -> None:
    files = {
        "m/a.go": "package m\nfunc (t T) Get() {}\nfunc Get() {}\ntype T struct{}\nfunc (t T) Set() {}\n"
        "func f() { Get(); Set() }"
    }
    assert resolved(files, "m/a.go") == {"Get": "m/a.go:Get"}
    maps = {"m/a.go": map_of("m/a.go", files["m/a.go"].encode())}
    edge = Resolver(InMemory(maps)).edges("m/a.go")[0]
    assert maps["m/a.go"].symbols[edge.symbol].kind == "function"


def test_embedded_types_give_their_methods_and_elements_their_own() -> None:
    files = {
        "m/a.go": "package m\ntype Base struct{}\nfunc (b *Base) Go() {}\ntype Shop struct{ *Base; rows Rows }\n"
        "type Rows []*Row\ntype Row struct{}\nfunc (r *Row) Save() {}\n"
        "func f(s *Shop) { s.Go(); s.Base.Go(); s.rows[0].Save() }"
    }
    assert resolved(files, "m/a.go") == {
        "s.Go": "m/a.go:Base.Go",
        "s.Base.Go": "m/a.go:Base.Go",
        "s.rows[].Save": "m/a.go:Row.Save",
    }


def test_packages_are_found_by_module_replacement_and_vendor() -> None:
    files = {
        "app/main.go": 'package main\nimport ("example.com/m/store"; "example.com/lib"; "other.org/dep")\n'
        "func main() { store.Open(); lib.Run(); dep.Call(); x := store.Open(); x.Close() }",
        "store/s.go": "package store\ntype S struct{}\nfunc Open() *S { return nil }\nfunc (s *S) Close() {}",
        "store/s_test.go": "package store\nfunc Open() int { return 1 }",
        "libs/lib/l.go": "package lib\nfunc Run() {}",
        "vendor/other.org/dep/d.go": "package dep\nfunc Call() {}",
    }
    others = {"go.mod": "module example.com/m\n\nreplace (\n\texample.com/lib v1.2.3 => ./libs/lib\n)\n"}
    assert resolved(files, "app/main.go", others) == {
        "store.Open": "store/s.go:Open",
        "lib.Run": "libs/lib/l.go:Run",
        "dep.Call": "vendor/other.org/dep/d.go:Call",
        "x.Close": "store/s.go:S.Close",
    }


def test_only_tests_of_the_same_package_see_what_tests_declare() -> None:
    files = {
        "m/a.go": "package m",
        "m/b.go": "package m",
        "m/a_test.go": "package m",
        "m/x_test.go": "package m_test",
        "m/gen.go": "package main",
    }
    project = InMemory(
        {name: map_of(name, text.encode()) for name, text in files.items()}, {"go.mod": "module e.org/m"}
    )
    assert list(shares(project, "m/a.go")) == ["m/b.go"]
    assert list(shares(project, "m/a_test.go")) == ["m/a.go", "m/b.go"]
    assert list(shares(project, "m/x_test.go")) == []
    assert list(finder(project)("c/c.go", "e.org/m/m")) == ["m/a.go", "m/b.go"]


def test_a_variable_with_the_name_of_its_type_does_not_hide_it() -> None:
    files = {"m/a.go": "package m\ntype node struct{}\nfunc f() { node := node{}; _ = node }"}
    assert resolved(files, "m/a.go") == {"node{}": "m/a.go:node"}


def test_the_hash_sees_neither_comments_nor_formatting_but_sees_runes() -> None:
    one = map_of("a.go", b"package p\nfunc f() { g('a') }")
    same = map_of("a.go", b"package p\n\nfunc f() {\n\t// why\n\tg('a')\n}")
    other = map_of("a.go", b"package p\nfunc f() { g(' ') }")
    assert one.symbols[0].hash == same.symbols[0].hash != other.symbols[0].hash


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\0\xff\xfe package p",
        b"package p\nfunc f() { " + b"(" * 10000,
        b"package p\nfunc f() { x" + b".a()" * 10000 + b" }",
        b"package p\nfunc f() { " + b"if x := g(); x { " * 3000,
        b"package p\nvar x = " + b"[]" * 5000 + b"int{}",
        b"package p\nfunc \xff\xfe(a \xff) { b\xff.c() }",
        b"package p // " + b"x" * 900_000,
        b"package p\nfunc f(" + b"a, " * 20000 + b"b int) {}",
        b"package p\nfunc f() {" + b" x := x.y();" * 5000 + b"}",
    ],
)
def test_hostile_source_is_read_without_an_exception(source: bytes) -> None:
    assert map_of("p.go", source).language == "go"


def test_what_is_around_an_error_is_still_read() -> None:
    found = map_of("p.go", b"package p\nfunc a() { x( }\nfunc b() {}\ntype T struct { x int }\n")
    assert found.errors == 1
    assert {"b", "T"} <= {s.name for s in found.symbols}
