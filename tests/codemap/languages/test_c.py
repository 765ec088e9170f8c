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


def test_a_class_behind_a_mark_for_the_linker_is_one_even_where_the_grammar_sees_no_error() -> None:
    source = (
        "namespace kept { class KEPT_EXPORT Env;\nstruct KEPT_EXPORT Options {\n"
        "  Options() = default;\n  int size = 1;\n};\n}\n"
    )
    found = map_of("options.h", source.encode())
    told = [(s.kind, s.qualified) for s in found.symbols]
    assert told[1:] == [
        ("struct", "kept.Options"),
        ("constructor", "kept.Options.Options"),
        ("field", "kept.Options.size"),
    ]
    use = '#include "options.h"\nvoid go() { take(kept::Options()); }\n'
    assert resolved({"options.h": source, "a.cc": use}, "a.cc")["kept.Options"] == ("options.h", "kept.Options")


def test_macros_before_a_declaration_do_not_hide_what_it_declares() -> None:
    source = (
        b"SHOP_PRAGMA(warning(push))\n\nSHOP_EXPORT\nclass Row {};\nSHOP_INLINE Row::Row(int a) : a_(a) { go(); }\n"
        b"template <typename T> SHOP_CONSTEXPR auto sold(T one) -> int { return one.count(); }\n"
        b"SHOP_API SHOP_CONSTEXPR int more(int a) { return a; }\nFILE *opened(void) { return 0; }\n"
        b"#define EXPECT_CALL(obj, call) \\\n  SHOP_EXPECT_IMPL(obj, call)\nvoid next() {}\n"
    )
    found = map_of("a.cc", source)
    names = [s.qualified for s in found.symbols if s.kind != "field"]
    assert names == ["Row", "Row.Row", "sold", "more", "opened", "EXPECT_CALL", "next"]
    assert found.errors == 0


def test_conditions_of_the_preprocessor_inside_an_expression_do_not_hide_the_rest_of_the_file() -> None:
    source = (
        b"static int first(void) {\n  if(a() ||\n#ifdef KERBEROS\n    b() ||\n#endif\n    c()) { return d(); }\n"
        b"  return 0;\n}\nint limits(int x)\n#ifdef WIDE\n  , int y)\n#else\n  )\n#endif\n{ return e(); }\n"
        b"int last(void) { return first(); }\n"
    )
    found = map_of("a.c", source)
    places = [(s.name, s.start, s.end) for s in found.symbols]
    assert (places[0], places[-1]) == (("first", 1, 8), ("last", 16, 16))
    scopes = {call.chain: found.symbols[call.scope].name for call in found.calls if call.scope != TOP}
    assert scopes.items() >= {"a": "first", "b": "first", "c": "first", "d": "first", "first": "last"}.items()


def test_a_macro_that_opens_a_namespace_does() -> None:
    files = {
        "include/kept/base.h": "#define KEPT_BEGIN_NAMESPACE namespace kept { inline namespace v1 {\n"
        "#define KEPT_END_NAMESPACE } }\nKEPT_BEGIN_NAMESPACE\ninline void told() {}\nKEPT_END_NAMESPACE\n",
        "include/kept/more.h": '#include "base.h"\nKEPT_BEGIN_NAMESPACE\nclass More { void go() { told(); } };\n'
        "KEPT_END_NAMESPACE\n",
        "src/a.cc": '#include "kept/more.h"\nnamespace detail { void told(); }\n'
        "void use() { kept::told(); kept::More(); }\n",
    }
    told = resolved(files, "src/a.cc")
    assert told["kept.told"] == ("include/kept/base.h", "kept.told")
    assert told["kept.More"] == ("include/kept/more.h", "kept.More")
    assert resolved(files, "include/kept/more.h")["told"] == ("include/kept/base.h", "kept.told")


def test_what_opens_no_namespace_that_is_spoken_of_leaves_names_where_they_are() -> None:
    source = b"QT_BEGIN_NAMESPACE\nclass Widget { void show() {} };\nQT_END_NAMESPACE\n"
    assert [s.qualified for s in map_of("a.cc", source).symbols] == ["Widget", "Widget.show"]
    nested = b"namespace absl {\nABSL_NAMESPACE_BEGIN\nclass Cord {};\nABSL_NAMESPACE_END\n}\nusing absl::Cord;\n"
    assert "absl.Cord" in [s.qualified for s in map_of("a.cc", nested).symbols]


def test_an_inline_namespace_is_no_place_of_its_own() -> None:
    source = b"namespace kept { inline namespace v1 { void told() {} } }\n"
    assert [s.qualified for s in map_of("a.cc", source).symbols] == ["kept", "kept.told"]


def test_a_variable_made_with_arguments_has_its_type() -> None:
    files = {
        "a.cc": "class Repairer { public: void Run() {} };\ntemplate <class K> class List { public: class Iterator {\n"
        " public: void Next() {} }; };\n"
        "void go(int name, int options) { Repairer one(name, options); one.Run(); Repairer two(3); two.Run();\n"
        "  Repairer given(made()); given.Run();\n"
        "  List<int>::Iterator all(&name); all.Next(); Repairer many[3]; many[1].Run(); }\n"
        "void far(int name) { Repairer far(int); far(name); }\n"
    }
    told = resolved(files, "a.cc")
    assert told["one.Run"] == told["two.Run"] == told["given.Run"] == told["many[].Run"] == ("a.cc", "Repairer.Run")
    assert told["all.Next"] == ("a.cc", "List.Iterator.Next")
    bound = {b.name for b in map_of("a.cc", files["a.cc"].encode()).bindings}
    assert {"one", "two", "all"} <= bound
    assert "far" not in bound


def test_a_macro_that_is_another_name_for_a_function_can_be_called_and_calls_it() -> None:
    files = {
        "told.h": "void told_far(int a);\n#define told told_far\n#define LIMIT 3\n#define NOTHING nullptr\n"
        "#define say(a) (LIMIT ? told_far(a) : (void)sizeof(a))\n",
        "told.c": '#include "told.h"\nvoid told_far(int a) {}\n',
        "a.c": '#include "told.h"\nvoid use(void) { told(1); say(2); }\n',
    }
    assert resolved(files, "a.c") == {"told": ("told.h", "told"), "say": ("told.h", "say")}
    assert resolved(files, "told.h") == {"told_far": ("told.c", "told_far")}
    found = map_of("told.h", files["told.h"].encode())
    assert {s.name: s.kind for s in found.symbols} == {
        "told": "macro", "LIMIT": "constant", "NOTHING": "constant", "say": "macro"
    }  # fmt: skip
    places = sorted((c.line, c.column, found.symbols[c.scope].name) for c in found.calls)
    assert places == [(2, 13, "told"), (5, 24, "say")]


def test_a_macro_that_only_stands_for_itself_is_not_what_is_called() -> None:
    files = {
        "set.h": "int set_option(int a);\n#define set_option(a) set_option(a)\n#define other other\n",
        "set.c": '#include "set.h"\nint (set_option)(int a) { return a; }\nint set_option2(int a) { return a; }\n',
        "far.c": "int set_option(int a) { return a; }\n",
        "a.c": '#include "set.h"\nvoid use(void) { set_option(1); }\n',
    }
    assert resolved({k: v for k, v in files.items() if k != "set.c"}, "a.c") == {"set_option": ("far.c", "set_option")}


def test_a_test_does_not_hide_the_function_it_tests() -> None:
    files = {
        "row.h": "namespace shop {\nint Sum(int a);\nclass Row { public: void Save(); };\n}\n",
        "row.cc": '#include "row.h"\nnamespace shop {\nint Sum(int a) { return a; }\nvoid Row::Save() {}\n}\n',
        "row_test.cc": '#include "row.h"\nnamespace shop {\nTEST(Row, Sum) { Sum(1); }\n'
        "TEST(Row, Save) { Row row; row.Save(); }\nTEST_F(Fixture, Deep) { Deep(); }\n}\n",
    }
    told = resolved(files, "row_test.cc")
    assert told["Sum"] == ("row.cc", "shop.Sum")
    assert told["row.Save"] == ("row.cc", "Row.Save")
    names = [s.name for s in map_of("row_test.cc", files["row_test.cc"].encode()).symbols]
    assert names == ["shop", "Sum", "Save", "Deep"]


def test_a_header_of_the_language_is_none_of_the_project() -> None:
    files = {
        "deps/inner/assert.h": "#define assert(x) inner(x)\n#define strcasecmp _stricmp\n",
        "src/own.h": "#define free(x) own_free(x)\n",
        "src/a.c": "#include <assert.h>\n#include <stdlib.h>\n"
        "void use(void) { assert(1); free(0); strcasecmp(0, 0); }\n",
        "deps/inner/b.c": '#include "assert.h"\nvoid own(void) { assert(1); }\n',
        "other/deep/assert.h": "#define assert(x) other(x)\n",
    }
    assert resolved(files, "src/a.c") == {}
    assert resolved(files, "deps/inner/b.c")["assert"] == ("deps/inner/assert.h", "assert")


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
