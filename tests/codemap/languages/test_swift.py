"""Swift's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of

from .maps import bound, chains, kinds, leads, symbol

SOURCE = b"""
import Foundation

/// Sells things.
@MainActor
public final class Shop<T>: Base, Sells where T: Equatable {
    @Published private var rows: [Row] = []
    let store: Store?
    static let shared = Shop()
    init(store: Store, _ n: Int = 3) { self.store = store; super.init(store) }
    func run(_ rows: [Row], with row: Row?, by: [String: Row]) async throws -> Row {
        let x = Reader(1)
        guard let z = store?.open() else { return x }
        if let w = z { w.go() }
        for one in rows { one.save() }
        rows.map { $0.stop() }
        Shop.shared.again()
        (x as! Row).cast()
        return try await rows[0].get("a")!.first()
    }
    subscript(i: Int) -> Row { return rows[i] }
    enum Colour: String { case red, green; case blue(Int) }
    typealias R = Row
}
protocol Sells: Other { associatedtype A; var x: Int { get }; func sell() -> Int }
extension Shop: Extra { func more() -> Reader { self.open() } }
extension Array where Element == Row { func saveAll() {} }
func top(x: some Sells) -> any Sells { x.sell() }
"""


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    found = kinds(map_of("a.swift", SOURCE))
    assert found["Shop"] == "class"
    assert found["Sells"] == "protocol"
    assert found["Shop.Colour"] == "enum"
    assert found["Shop.rows"] == found["Shop.store"] == found["Sells.x"] == "property"
    assert found["Shop.init"] == "constructor"
    assert found["Shop.run"] == found["Shop.subscript"] == "method"
    assert found["Shop.Colour.green"] == found["Shop.Colour.blue"] == "constant"
    assert found["Shop.R"] == found["Sells.A"] == "type"
    assert found["top"] == "function"


def test_members_of_extensions_belong_to_the_type_that_is_extended() -> None:
    found = map_of("a.swift", SOURCE)
    assert symbol(found, "Shop.more").receiver == "Shop"
    assert symbol(found, "Array.saveAll").receiver == "Array"
    assert symbol(found, "Shop").bases == ("Base", "Sells", "Extra")


def test_head_doc_attributes_and_types_are_read() -> None:
    found = map_of("a.swift", SOURCE)
    shop = symbol(found, "Shop")
    assert shop.signature == "public final class Shop<T>: Base, Sells where T: Equatable"
    assert shop.doc == "Sells things."
    assert shop.decorators == ("MainActor",)
    assert symbol(found, "Shop.rows").decorators == ("Published",)
    assert symbol(found, "Shop.rows").returns == "list[Row]"
    assert symbol(found, "top").returns == "Sells"


def test_calls_are_chains() -> None:
    found = chains(map_of("a.swift", SOURCE))
    assert {"super.init", "store.open", "w.go", "one.save", "?.stop", "Shop.shared.again", "<Row>.cast"} <= found
    assert "rows[].get" in found


def test_names_are_bound_also_those_of_conditions() -> None:
    found = bound(map_of("a.swift", SOURCE))
    assert found["Shop.run", "rows"] == "list[Row]"
    assert found["Shop.run", "by"] == "dict[String,Row]"
    assert found["Shop.run", "z"] == "store.open()"
    assert found["Shop.run", "w"] == "z"
    assert found["Shop.run", "one"] == "rows[]"
    assert found["Shop", "shared"] == "Shop()"


def test_calls_lead_to_other_files_of_the_module_without_imports() -> None:
    found = leads(
        {
            "Sources/Shop.swift": "class Shop: Base {\n let row: Row\n func go() {\n  row.save()\n  row.twice()\n"
            "  up()\n  Other().go()\n  helper()\n }\n}\n",
            "Sources/Row.swift": "struct Row {\n func save() {}\n}\nfunc helper() {}\n",
            "Sources/More.swift": "extension Row {\n func twice() { save() }\n}\nclass Base {\n func up() {}\n}\n"
            "class Other {\n func go() {}\n}\n",
        }
    )
    here = "Sources/Shop.swift"
    assert found[here, "row.save"] == "Sources/Row.swift:Row.save"
    assert found[here, "row.twice"] == "Sources/More.swift:Row.twice"
    assert found[here, "up"] == "Sources/More.swift:Base.up"
    assert found[here, "Other().go"] == "Sources/More.swift:Other.go"
    assert found[here, "helper"] == "Sources/Row.swift:helper"
    assert found["Sources/More.swift", "save"] == "Sources/Row.swift:Row.save"
