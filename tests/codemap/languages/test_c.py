"""The reader of C and C++: what a file defines, includes, binds and calls; and what its names mean."""

from __future__ import annotations

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import TOP, FileMap

CPP = b"""#include "shop/row.h"
#include <vector>
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define LIMIT 3
namespace shop::inner {
/// Sells things.
template <typename T> class Shop : public Base<T>, private Other {
 public:
  Shop(int size);
  ~Shop() {}
  virtual Row* sell(T* thing) const = 0;
  bool operator==(const Shop& other) const { return true; }
  enum Kind { SMALL, LARGE = 2 };
 private:
  std::vector<Row*> rows_;
  int a_, *b_;
};
}
using namespace shop;
using shop::inner::Shop;
using Alias = shop::inner::Shop;
static const int SIZE = 3;
void proto(int x);
int shop::inner::Shop::count(int a, const Row& row) {
  for (auto& one : rows_) one->save();
  auto made = new Row(1);
  made->save();
  static_cast<Row*>(a)->close();
  this->b_->run();
  return LARGER(helper(a), Row::best<int>(a));
}
"""


@pytest.fixture(scope="module")
def shop() -> FileMap:
    return map_of("src/shop.cc", CPP)


def test_every_sort_of_item_is_a_symbol(shop: FileMap) -> None:
    kinds = {symbol.qualified: symbol.kind for symbol in shop.symbols}
    expected = {
        "LARGER": "macro", "LIMIT": "constant", "shop": "namespace", "shop.inner": "namespace",
        "shop.inner.Shop": "class", "shop.inner.Shop.Shop": "constructor", "shop.inner.Shop.~Shop": "method",
        "shop.inner.Shop.sell": "method", "shop.inner.Shop.operator==": "method", "shop.inner.Shop.Kind": "enum",
        "shop.inner.Shop.Kind.LARGE": "constant", "shop.inner.Shop.rows_": "field", "shop.inner.Shop.b_": "field",
        "Alias": "type", "SIZE": "constant", "shop.inner.Shop.count": "method",
    }  # fmt: skip
    assert expected.items() <= kinds.items()


def test_a_prototype_is_no_symbol_and_a_declared_member_ends_in_a_semicolon(shop: FileMap) -> None:
    assert "proto" not in {symbol.name for symbol in shop.symbols}
    sell = next(s for s in shop.symbols if s.name == "sell")
    assert sell.signature == "virtual Row* sell(T* thing) const = 0;"


def test_a_class_knows_its_bases_template_and_doc(shop: FileMap) -> None:
    found = next(s for s in shop.symbols if s.name == "Shop" and s.kind == "class")
    assert found.bases == ("Base[T]", "Other")
    assert found.doc == "Sells things."
    assert found.signature.startswith("template <typename T> class Shop")


def test_includes_and_usings_are_imports(shop: FileMap) -> None:
    imports = {(one.local, one.module, one.name) for one in shop.imports}
    assert imports == {
        ("row.h", "shop/row.h", ""),
        ("vector", "<vector>", ""),
        ("*", "shop", "*"),
        ("Shop", "shop.inner", "Shop"),
    }


def test_calls_and_bindings_are_said(shop: FileMap) -> None:
    chains = {call.chain for call in shop.calls}
    assert {"one.save", "Row{}", "made.save", "<Row>.close", "this.b_.run", "LARGER", "helper", "Row.best"} <= chains
    values = {(b.name, b.type, b.value) for b in shop.bindings}
    assert {("one", "", "rows_[]"), ("made", "", "Row{}"), ("row", "Row", "")} <= values


def test_a_typedef_of_a_nameless_struct_is_the_struct() -> None:
    found = map_of("a.c", b"typedef struct { int x; } point_t;\ntypedef struct node { int y; } node_t;\n")
    told = {s.name: (s.kind, s.returns) for s in found.symbols if s.parent == TOP}
    assert told == {"point_t": ("struct", ""), "node": ("struct", ""), "node_t": ("type", "node")}


def test_macros_for_the_compiler_do_not_hide_a_class() -> None:
    source = b"class API_EXPORT Shop : public Base {\n  int x_ GUARDED_BY(lock_);\n  void go();\n};\n"
    found = map_of("a.h", source)
    assert [(s.kind, s.qualified) for s in found.symbols] == [
        ("class", "Shop"),
        ("field", "Shop.x_"),
        ("method", "Shop.go"),
    ]


def test_a_header_is_c_unless_it_says_otherwise() -> None:
    plain = b'#ifdef __cplusplus\nextern "C" {\n#endif\nint f(int class_);\n#define A(x) x\n'
    assert map_of("a.h", plain).language == "c"
    assert map_of("a.h", b"namespace a { int f(); }\n").language == "cpp"


def test_formatting_and_comments_do_not_change_a_hash() -> None:
    one = map_of("a.c", b"int f(int a) { return a; }").symbols[0]
    other = map_of("a.c", b"int f(int a)\n{\n  /* why */\n  return a;\n}").symbols[0]
    changed = map_of("a.c", b"int f(int a) { return a + 1; }").symbols[0]
    assert one.hash == other.hash != changed.hash


def resolved(files: dict[str, str], path: str) -> dict[str, tuple[str, str]]:
    maps = {name: map_of(name, text.encode()) for name, text in files.items()}
    told = {}
    for edge in Resolver(InMemory(maps)).edges(path):
        symbol = maps[edge.path].symbols[edge.symbol]
        told[maps[path].calls[edge.call].chain] = (edge.path, symbol.qualified)
    return told


def test_functions_are_found_through_headers_and_by_being_the_only_one() -> None:
    files = {
        "src/main.c": '#include "a.h"\nstatic void own(void) {}\n'
        "int main(void) { own(); shared(); TWICE(1); far(); hidden(); struct list l; return 0; }\n",
        "src/a.h": "void shared(void);\n#define TWICE(x) ((x) + (x))\n",
        "src/a.c": '#include "a.h"\nvoid shared(void) {}\n',
        "other/b.c": "void shared(void) {}\nvoid far(void) {}\nstatic void hidden(void) {}\n",
    }
    told = resolved(files, "src/main.c")
    assert told == {
        "own": ("src/main.c", "own"),
        "shared": ("src/a.c", "shared"),
        "TWICE": ("src/a.h", "TWICE"),
        "far": ("other/b.c", "far"),
    }


def test_members_are_found_by_type_in_namespaces_and_where_they_are_defined() -> None:
    files = {
        "include/kept/row.h": "namespace kept {\n"
        "class Row { public: Row(); void save(); int size() { return 0; } };\n}",
        "src/row.cc": '#include "kept/row.h"\nnamespace kept {\nRow::Row() {}\nvoid Row::save() { size(); }\n}\n',
        "src/shop.cc": '#include "kept/row.h"\n#include <memory>\nnamespace kept {\nclass Shop : public Row {\n'
        " std::unique_ptr<Row> row_; std::vector<Row> rows_;\n"
        " void all(Row& given) { given.save(); row_->save(); save(); rows_[0].size();\n"
        "  for (auto& one : rows_) one.size(); auto made = new Row(); made->size(); } };\n}\n",
    }
    told = resolved(files, "src/shop.cc")
    for chain in ("given.save", "row_.save", "save"):
        assert told[chain] == ("src/row.cc", "Row.save")
    for chain in ("rows_[].size", "one.size", "made.size"):
        assert told[chain] == ("include/kept/row.h", "kept.Row.size")
    assert told["Row{}"] == ("include/kept/row.h", "kept.Row")
    assert resolved(files, "src/row.cc")["size"] == ("include/kept/row.h", "kept.Row.size")


@pytest.mark.parametrize("path", ["a.c", "a.cc", "a.h"])
@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\x00\x00int f() {}\xff\xfe",
        b"int f() { " + b"(" * 10_000,
        b"int f() { x" + b"->y()" * 5_000 + b"; }",
        b"int " + b"*" * 5_000 + b"f() {}",
        b"A<" * 3_000 + b"int" + b">" * 3_000 + b" x;",
        b"namespace a { " * 1_000,
        b'char *x = "' + b"x" * 900_000 + b'";',
        b"class struct enum { { { ;;; #define",
        b"x A" * 5_000,
    ],
)
def test_hostile_source_is_read_without_an_error(path: str, source: bytes) -> None:
    assert map_of(path, source).language in ("c", "cpp")
