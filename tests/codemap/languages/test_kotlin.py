"""Kotlin's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of

from .maps import bound, chains, kinds, leads, symbol

SOURCE = b"""
package com.shop

import com.shop.store.Reader
import com.shop.store.Writer as W
import com.shop.util.*

const val MAX = 3
typealias Rows = List<Row>
/** Sells things. */
@Serializable @Named("x")
data class Shop<T>(val store: Store<T>, plain: Row) : Base(store), Sells by store {
    val size: Int get() = store.size()
    private val made by lazy { Reader() }
    constructor(a: Int) : this(Store(), a) { foo() }
    companion object { fun make(): Shop = Shop(1) }
    override suspend fun run(rows: List<Row>, row: Row?): Row {
        val x = Reader(1)
        for (one in rows) { one.save() }
        rows.forEach { r -> r.go() }
        rows.map { it.stop() }
        x!!.first()?.second(); this@Shop.run(); super.run()
        (x as Row).cast()
        return rows[0].get("a")
    }
    enum class Colour { RED, GREEN }
}
interface Sells { fun sell(): Int }
object Single : Base()
fun Row.twice(a: Int): Reader = this.open(a)
fun `a name with spaces`() {}
"""


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    found = kinds(map_of("a.kt", SOURCE))
    assert found["Shop"] == "class"
    assert found["Sells"] == "interface"
    assert found["Single"] == "object"
    assert found["Shop.store"] == found["Shop.size"] == found["Shop.made"] == "property"
    assert "Shop.plain" not in found
    assert found["Shop.Colour"] == "enum"
    assert found["Shop.Colour.RED"] == "constant"
    assert found["MAX"] == "constant"
    assert found["Shop.constructor"] == "constructor"
    assert found["Shop.run"] == "method"
    assert found["Shop.Companion"] == "object"
    assert found["Shop.make"] == "method"
    assert found["Row.twice"] == "function"
    assert found["Rows"] == "type"
    assert found["a name with spaces"] == "function"


def test_head_doc_annotations_and_bases_are_read() -> None:
    shop = symbol(map_of("a.kt", SOURCE), "Shop")
    assert shop.signature.startswith("data class Shop<T>(val store: Store<T>")
    assert shop.doc == "Sells things."
    assert shop.decorators == ("Serializable", 'Named("x")')
    assert shop.bases == ("Base", "Sells")
    assert symbol(map_of("a.kt", SOURCE), "Row.twice").receiver == "Row"


def test_calls_are_chains() -> None:
    found = chains(map_of("a.kt", SOURCE))
    assert {"one.save", "r.go", "?.stop", "x.first().second", "this.run", "super.run", "<Row>.cast"} <= found


def test_names_are_bound() -> None:
    found = bound(map_of("a.kt", SOURCE))
    assert found["Shop.run", "rows"] == "List[Row]"
    assert found["Shop.run", "row"] == "Row"
    assert found["Shop.run", "one"] == found["Shop.run", "r"] == "rows[]"
    assert found["Shop", "made"] == "Reader()"
    assert found["Shop", "plain"] == "Row"


def test_words_that_the_grammar_takes_for_keywords_lose_nothing() -> None:
    source = b"class A {\n  fun a() {\n    val x = suspend { 42 }\n    in1.close()\n    set = 3\n  }\n  fun b() {}\n}\n"
    found = map_of("a.kt", source)
    assert kinds(found) == {"A": "class", "A.a": "method", "A.b": "method"}
    assert "in1.close" in chains(found)


def test_calls_lead_through_packages_companions_and_extensions() -> None:
    found = leads(
        {
            "a.kt": "package a\nimport b.Row\nimport b.twice\nclass Shop(val row: Row) : Base() {\n"
            "  fun go() {\n    row.save()\n    row.twice()\n    Other.make().go()\n    up()\n    helper()\n  }\n}\n",
            "o.kt": "package a\nclass Other {\n  companion object {\n    fun make() = Other()\n  }\n  fun go() {}\n}\n"
            "fun helper() {}\nopen class Base {\n  fun up() {}\n}\n",
            "b.kt": "package b\nclass Row {\n  fun save() {}\n}\nfun Row.twice() {\n  save()\n}\n",
        }
    )
    assert found["a.kt", "row.save"] == "b.kt:Row.save"
    assert found["a.kt", "row.twice"] == "b.kt:Row.twice"
    assert found["a.kt", "Other.make"] == "o.kt:Other.make"
    assert found["a.kt", "Other.make().go"] == "o.kt:Other.go"
    assert found["a.kt", "up"] == "o.kt:Base.up"
    assert found["a.kt", "helper"] == "o.kt:helper"
    assert found["b.kt", "save"] == "b.kt:Row.save"
