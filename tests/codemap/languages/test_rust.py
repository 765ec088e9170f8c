"""Rust's reader: what a file defines, imports, binds and calls; and what its paths mean."""

from __future__ import annotations

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import TOP, FileMap

SOURCE = b"""//! A crate.
use crate::store::{self, Store as Kept, rows::*};
pub use super::other::Thing;
mod inner;

/// Sells things.
///
/// And more.
#[derive(Debug, Clone)]
pub struct Shop<S: Stock> {
    pub stock: S,
    rows: Vec<Box<Row>>,
    best: Option<Arc<Row>>,
}

pub struct Pair(Row, u8);

pub enum Shape {
    Dot,
    Round(Row),
    Wide { row: Row },
}

pub trait Sells: Base {
    type Price;
    fn sell(&self) -> Row;
    fn twice(&self) -> Row { self.sell() }
}

impl<S: Stock> Sells for Shop<S> {
    type Price = Row;
    /// One.
    fn sell(&self) -> Row { self.stock.take() }
}

impl<S: Stock> Shop<S> {
    const MAX: usize = 3;
    pub fn new(stock: S) -> Self { Self { stock, rows: Vec::new(), best: None } }
    async fn open(&self, path: &Path) -> Result<Row, Error> {
        fn inside() {}
        let row = self.load(path).await?;
        row.save();
        let row = Row::made(1);
        row.close();
        if let Some(best) = &self.best { best.save() }
        match self.shape() { Shape::Round(r) => r.save(), Shape::Wide { row } => row.save(), _ => {} }
        for (at, one) in self.rows.iter().enumerate() { one.save(); }
        self.rows.iter().map(|each| each.save()).count();
        assert_eq!(Row::made(2).x, self.rows.len());
        mine!(1);
        Ok(row)
    }
}

mod tests {
    use super::*;
    fn checks() { super::top(); self::local(); }
}

macro_rules! mine { ($x:expr) => { $x } }
static NAME: &str = "x";
extern "C" { fn far(x: u8) -> u8; }
"""


@pytest.fixture(scope="module")
def shop() -> FileMap:
    return map_of("src/shop.rs", SOURCE)


def test_every_sort_of_item_is_a_symbol(shop: FileMap) -> None:
    kinds = {symbol.qualified: symbol.kind for symbol in shop.symbols}
    expected = {
        "Shop": "struct", "Shop.stock": "field", "Shop.rows": "field", "Pair": "struct", "Shape": "enum",
        "Shape.Dot": "constant", "Shape.Wide.row": "field", "Sells": "trait", "Sells.twice": "method",
        "Sells.Price": "type", "Shop.sell": "method", "Shop.MAX": "constant", "Shop.open": "method",
        "Shop.open.inside": "function", "tests": "module", "tests.checks": "function", "mine": "macro",
        "NAME": "variable", "far": "function",
    }  # fmt: skip
    assert expected.items() <= kinds.items()


def test_methods_say_which_type_and_trait_they_belong_to(shop: FileMap) -> None:
    sell = next(s for s in shop.symbols if s.qualified == "Shop.sell")
    new = next(s for s in shop.symbols if s.qualified == "Shop.new")
    assert (sell.receiver, sell.bases, sell.doc) == ("Shop", ("Sells",), "One.")
    assert (new.receiver, new.bases, new.returns) == ("Shop", (), "Shop")


def test_a_type_knows_its_attributes_doc_and_traits(shop: FileMap) -> None:
    struct = next(s for s in shop.symbols if s.name == "Shop")
    assert struct.decorators == ("derive(Debug, Clone)",)
    assert (struct.doc, struct.bases) == ("Sells things.", ("Sells",))
    assert struct.signature == "pub struct Shop<S: Stock>"
    trait = next(s for s in shop.symbols if s.name == "Sells")
    assert trait.bases == ("Base",)


def test_types_have_the_spelling_of_the_map(shop: FileMap) -> None:
    returns = {s.qualified: s.returns for s in shop.symbols}
    assert returns["Shop.stock"] == "Stock"  # what its parameter must be
    assert returns["Shop.rows"] == "list[Box[Row]]"
    assert returns["Shop.best"] == "Option[Arc[Row]]"
    assert returns["Shop.open"] == "Option[Row]"
    assert returns["Shape.Dot"] == "Shape"


def test_use_trees_are_unfolded(shop: FileMap) -> None:
    imports = {(one.local, one.module, one.name, one.scope) for one in shop.imports}
    tests = next(at for at, s in enumerate(shop.symbols) if s.name == "tests")
    assert ("store", "crate", "store", TOP) in imports
    assert ("Kept", "crate.store", "Store", TOP) in imports
    assert ("*", "crate.store.rows", "*", TOP) in imports
    assert ("Thing", "super.other", "Thing", TOP) in imports
    assert ("inner", "mod.inner", "", TOP) in imports
    assert ("*", "mod", "*", tests) in imports  # `super` of a module in the file is the file


def test_names_given_again_are_told_apart(shop: FileMap) -> None:
    open_ = next(at for at, s in enumerate(shop.symbols) if s.qualified == "Shop.open")
    values = {b.name: b.value or b.type for b in shop.bindings if b.scope == open_}
    assert values["row"] == "self.load().?"
    assert values["row#2"] == "Row.made()"
    chains = [call.chain for call in shop.calls]
    assert "row.save" in chains
    assert "row#2.close" in chains


def test_patterns_loops_and_closures_bind_what_can_be_said(shop: FileMap) -> None:
    values = {(b.name, b.value) for b in shop.bindings}
    assert ("best", "self.best.?") in values
    assert ("r", "Shape.Round#0") in values
    assert ("row#3", "Shape.Wide#row") in values
    assert ("one", "self.rows.iter()[]") in values
    assert ("each", "self.rows.iter()[]") in values


def test_calls_are_chains_and_what_macros_are_given_is_read(shop: FileMap) -> None:
    chains = {call.chain for call in shop.calls}
    assert {"self.stock.take", "Shop{}", "Row.made", "mine!", "mod.top", "mod.tests.local"} <= chains
    assert "assert_eq!" not in chains
    made = [call for call in shop.calls if call.chain == "Row.made"]
    lines = SOURCE.decode().splitlines()
    assert len(made) == 2
    assert all(lines[call.line - 1][call.column :].startswith("made(") for call in made)


def test_items_in_a_macro_that_only_configures_are_read() -> None:
    found = map_of("a.rs", b"cfg_net! {\n    /// Doc.\n    pub fn sends() { one() }\n}\nfn one() {}\n")
    sends = next(s for s in found.symbols if s.name == "sends")
    assert (sends.start, sends.doc) == (3, "Doc.")
    assert found.errors == 0


def test_formatting_and_comments_do_not_change_a_hash() -> None:
    one = map_of("a.rs", b"/// Doc\nfn f(a: u8) -> u8 { a + 1 }").symbols[0]
    other = map_of("a.rs", b"fn f(\n    a: u8,\n) -> u8 {\n    // why\n    a + 1\n}").symbols[0]
    changed = map_of("a.rs", b"fn f(a: u8) -> u8 { a + 2 }").symbols[0]
    assert one.hash == other.hash != changed.hash


def resolved(files: dict[str, str], path: str) -> dict[str, tuple[str, str, str]]:
    """Chain → (file, qualified name, reason) of the calls of a file."""
    maps = {name: map_of(name, text.encode()) for name, text in files.items() if name.endswith(".rs")}
    others = {name: text for name, text in files.items() if not name.endswith(".rs")}
    edges = Resolver(InMemory(maps, others)).edges(path)
    told = {}
    for edge in edges:
        symbol = maps[edge.path].symbols[edge.symbol]
        told[maps[path].calls[edge.call].chain] = (edge.path, symbol.qualified, edge.reason)
    return told


WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["app", "kept-store"]\n',
    "app/Cargo.toml": '[package]\nname = "app"\n',
    "kept-store/Cargo.toml": '[package]\nname = "kept-store"\n',
    "kept-store/src/lib.rs": "pub mod rows;\npub use rows::Row;\npub fn opened() -> rows::Table { rows::Table {} }\n",
    "kept-store/src/rows.rs": "pub struct Row; pub struct Table; impl Row { pub fn save(&self) {} }"
    "impl Table { pub fn first(&self) -> Option<Row> { None } }",
    "app/src/main.rs": "mod shop;\nmod deep;\nfn main() { shop::open(); crate::deep::low::go(); }\n",
    "app/src/shop.rs": "use kept_store::Row;\nuse super::deep::{low, Kind::{self, *}};\n"
    "pub fn open() { let t = kept_store::opened(); if let Some(r) = t.first() { r.save(); }\n"
    " low::go(); One(1); Kind::Two(2); again(); }\nfn again() {}\n",
    "app/src/deep/mod.rs": "pub mod low;\npub enum Kind { One(u8), Two(u8) }\n",
    "app/src/deep/low.rs": "pub fn go() { super::super::shop::open(); }\n",
}


def test_paths_lead_through_modules_and_other_crates() -> None:
    told = resolved(WORKSPACE, "app/src/shop.rs")
    assert told["kept_store.opened"][:2] == ("kept-store/src/lib.rs", "opened")
    assert told["t.first"][:2] == ("kept-store/src/rows.rs", "Table.first")
    assert told["r.save"][:2] == ("kept-store/src/rows.rs", "Row.save")
    assert told["low.go"][:2] == ("app/src/deep/low.rs", "go")
    assert told["again"] == ("app/src/shop.rs", "again", "local")
    assert resolved(WORKSPACE, "app/src/main.rs")["crate.deep.low.go"][:2] == ("app/src/deep/low.rs", "go")
    assert resolved(WORKSPACE, "app/src/deep/low.rs")["super.super.shop.open"][:2] == ("app/src/shop.rs", "open")


def test_variants_are_made_by_path_and_by_imported_name() -> None:
    told = resolved(WORKSPACE, "app/src/shop.rs")
    assert told["Kind.Two"][:2] == ("app/src/deep/mod.rs", "Kind.Two")
    assert told["One"][:2] == ("app/src/deep/mod.rs", "Kind.One")


ONE = """
pub struct Inner; impl Inner { fn deep(&self) {} fn len(&self) -> Inner { Inner } }
pub struct Outer<T> { inner: Inner, len: usize, many: Vec<Inner>, held: Mutex<Inner>, part: T }
pub trait Able { fn must(&self); fn does(&self) { self.must() } }
impl<T: Able> Able for Outer<T> { fn must(&self) {} }
impl<T: Able> Deref for Outer<T> { type Target = Inner; fn deref(&self) -> &Inner { &self.inner } }
impl<T: Able> Outer<T> {
    fn len(&self) -> Inner { Inner }
    fn all(&self, other: &Outer<T>, able: &dyn Able) {
        other.len().deep();
        other.does();
        other.deep();
        self.many.iter().next().unwrap().deep();
        self.held.lock().unwrap().len();
        self.part.must();
        able.does();
    }
}
impl From<u8> for Inner { fn from(a: u8) -> Self { Inner } }
impl From<u16> for Inner { fn from(a: u16) -> Self { Inner } }
fn makes() { Inner::from(1); let makes = makes(); }
"""


def test_methods_are_found_by_type_trait_deref_and_container() -> None:
    told = resolved({"src/lib.rs": ONE}, "src/lib.rs")
    names = {chain: qualified for chain, (_, qualified, _) in told.items()}
    assert names["other.len().deep"] == "Inner.deep"  # the method, not the field of its name
    assert names["other.len"] == "Outer.len"
    assert names["other.does"] == "Able.does"
    assert names["other.deep"] == "Inner.deep"
    assert names["self.many.iter().next().unwrap().deep"] == "Inner.deep"
    assert names["self.held.lock().unwrap().len"] == "Inner.len"
    assert names["self.part.must"] == "Able.must"
    assert names["able.does"] == "Able.does"


def test_one_of_several_implementations_of_a_trait_is_not_guessed() -> None:
    assert "Inner.from" not in resolved({"src/lib.rs": ONE}, "src/lib.rs")


def test_a_name_is_what_it_was_before_it_is_given_again() -> None:
    told = resolved({"src/lib.rs": ONE}, "src/lib.rs")
    assert told["mod.makes"][1] == "makes"


def test_types_of_one_name_in_two_modules_are_kept_apart() -> None:
    files = {
        "src/lib.rs": "mod a; mod b; fn f(x: a::Map, y: b::Map) { x.put(); y.put(); }",
        "src/a.rs": "pub struct Map; impl Map { pub fn put(&self) {} }",
        "src/b.rs": "pub struct Map; impl Map { pub fn put(&self) {} }",
    }
    told = resolved(files, "src/lib.rs")
    assert (told["x.put"][0], told["y.put"][0]) == ("src/a.rs", "src/b.rs")


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\x00\x00fn f() {}\xff\xfe",
        b"fn f() { " + b"(" * 10_000,
        b"fn f() { x" + b".y()" * 10_000 + b" }",
        b"fn f(a: " + b"Vec<" * 5_000 + b"u8" + b">" * 5_000 + b") {}",
        b"use " + b"a::{" * 3_000 + b"b" + b"}" * 3_000 + b";",
        b"fn f() { let " + b"(" * 3_000 + b"x" + b")" * 3_000 + b" = y; }",
        b"m! { " + b"#[a] " * 20_000 + b"}",
        b'const X: &str = "' + b"x" * 900_000 + b'";',
        b"impl fn struct {{{ enum ;;; mod",
        b"mod a { " * 2_000,
    ],
)
def test_hostile_source_is_read_without_an_error(source: bytes) -> None:
    assert map_of("src/a.rs", source).language == "rust"


def test_a_macro_of_a_crate_outside_is_not_taken_for_one_of_its_name() -> None:
    files = {
        "globs/Cargo.toml": '[package]\nname = "globs"\n',
        "core/Cargo.toml": '[package]\nname = "core"\n',
        "globs/src/lib.rs": "macro_rules! debug { () => {} }\nfn own() { debug!(); }\n",
        "core/src/lib.rs": "mod say;\nfn far() { log::debug!(1); crate::told!(1); }\n",
        "core/src/say.rs": "macro_rules! told { () => {} }\n",
        "core/src/near.rs": "use log::debug;\nuse crate::say::told;\nfn near() { debug!(1); told!(2); }\n",
        "core/tests/one.rs": "fn bare() { told!(3); }\n",
    }
    told = ("core/src/say.rs", "told", "package")
    assert resolved(files, "globs/src/lib.rs") == {"debug!": ("globs/src/lib.rs", "debug", "local")}
    assert resolved(files, "core/src/lib.rs") == {"crate.told!": told}
    assert resolved(files, "core/src/near.rs") == {"told!": told}
    assert resolved(files, "core/tests/one.rs") == {"told!": told}


def test_what_every_path_can_do_is_not_taken_for_the_only_one_of_its_name() -> None:
    mine = "pub struct Set;\nimpl Set { pub fn canonicalize(&self) {} pub fn reticulate(&self) {} }\n"
    files = {"src/lib.rs": f"{mine}fn f() {{ assert!(y().canonicalize()); assert!(y().reticulate()); }}\n"}
    assert {to for _, to, _ in resolved(files, "src/lib.rs").values()} == {"Set.reticulate"}


def test_a_call_behind_a_string_of_several_lines_in_a_macro_is_where_it_stands() -> None:
    found = map_of(
        "a.rs", b'fn f() {\n    log::debug!(\n        "one \\\n         two",\n        near(1),\n    );\n}\n'
    )
    assert {(call.line, call.column) for call in found.calls if call.chain == "near"} == {(5, 8)}


def test_a_call_behind_a_field_or_a_key_in_a_macro_is_read() -> None:
    found = map_of(
        "a.rs",
        b"fn f() { vec![Cli { open: one('c'), x: 1 }]; json!({\"id\": two('a')}); foo!(a: self::three(1)); }\n",
    )
    chains = {call.chain for call in found.calls}
    assert {"one", "two", "mod.three"} <= chains
    assert "five" not in {call.chain for call in map_of("a.rs", b"fn f() { foo!(Shop :: five(1)); }\n").calls}
