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
    assert {"one.save", "r.go", "rows[].stop", "x.first().second", "this.run", "super.run", "<Row>.cast"} <= found


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


def test_a_class_behind_annotations_keeps_its_members_when_its_constructor_is_hidden() -> None:
    source = b"@OptIn(K::class)\n@Mark\nopen class App protected constructor() {\n  val a = 1\n  fun go() {}\n}\n"
    found = map_of("a.kt", source)
    assert kinds(found) == {"App": "class", "App.a": "property", "App.go": "method"}
    assert symbol(found, "App").decorators == ("OptIn(K::class)", "Mark")


def test_what_is_configured_by_apply_or_also_stays_what_it_is() -> None:
    found = leads(
        {
            "a.kt": "class Builder {\n  fun name(a: Int) = apply {\n    x = a\n  }\n  fun make(): Row = Row()\n}\n"
            "class Row {\n  fun save() {}\n}\n"
            "fun main() {\n  Builder().name(1).make().also { log() }.save()\n}\n",
        }
    )
    assert found["a.kt", "Builder().name().make"] == "a.kt:Builder.make"
    assert found["a.kt", "Builder().name().make().save"] == "a.kt:Row.save"


def test_an_overload_that_hands_on_to_its_namesake_gives_the_same() -> None:
    found = leads(
        {
            "a.kt": "class Builder {\n  fun url(a: Url): Builder = this\n  fun url(a: String) = url(Url(a))\n"
            "  fun make() {}\n}\nclass Other {\n  fun make() {}\n}\nfun main() {\n  Builder().url(1).make()\n}\n",
        }
    )
    assert found["a.kt", "Builder().url().make"] == "a.kt:Builder.make"


def test_imports_reach_into_objects_companions_and_classes() -> None:
    found = leads(
        {
            "a.kt": "package a\nclass Media {\n  fun go() {}\n  class Kind {\n    fun run() {}\n  }\n"
            "  companion object {\n    fun parse(): Media = Media()\n    fun String.toMedia(): Media = Media()\n  }\n"
            "}\n"
            "object Tools {\n  fun sharpen() {}\n}\n",
            "b.kt": "package b\nimport a.Media.Companion.parse\nimport a.Media.Companion.toMedia as media\n"
            "import a.Media.Kind\nimport a.Tools.sharpen\n"
            'fun main() {\n  parse().go()\n  sharpen()\n  Kind().run()\n  "x".media().go()\n}\n',
        }
    )
    assert found["b.kt", "parse"] == "a.kt:Media.parse"
    assert found["b.kt", "parse().go"] == "a.kt:Media.go"
    assert found["b.kt", "sharpen"] == "a.kt:Tools.sharpen"
    assert found["b.kt", "Kind().run"] == "a.kt:Media.Kind.run"
    assert found["b.kt", "media"] == "a.kt:String.toMedia"
    assert found["b.kt", "media().go"] == "a.kt:Media.go"


def test_an_extension_of_what_is_not_of_the_project_is_known_by_its_import_or_file() -> None:
    found = leads(
        {
            "a.kt": "package a\nclass Row {\n  fun save() {}\n}\nfun String.toRow(): Row = Row()\n",
            "b.kt": "package b\nimport a.toRow\nimport java.io.File\nfun File.twice() {}\nfun main(file: File) {\n"
            "  file.name.toRow().save()\n  file.twice()\n}\n",
        }
    )
    assert found["b.kt", "toRow"] == "a.kt:String.toRow"
    assert found["b.kt", "toRow().save"] == "a.kt:Row.save"
    assert found["b.kt", "twice"] == "b.kt:File.twice"


def test_a_function_that_must_not_be_called_any_more_does_not_hide_the_property_of_its_name() -> None:
    found = leads(
        {
            "a.kt": "class Body {\n  fun close() {}\n}\nclass Answer(val body: Body) {\n"
            '  @Deprecated(message = "moved to val", level = DeprecationLevel.ERROR)\n'
            "  fun body(): Body = body\n}\nfun main(a: Answer) {\n  a.body.close()\n}\n",
        }
    )
    assert found["a.kt", "a.body.close"] == "a.kt:Body.close"


def test_it_and_the_parameter_of_a_block_stand_for_what_the_block_is_given_to() -> None:
    found = leads(
        {
            "a.kt": "class Row {\n  fun save() {}\n  fun next(): Row = Row()\n}\nclass Other {\n  fun save() {}\n"
            "  fun next() {}\n}\nfun all(): List<Row> = listOf()\n"
            "fun a(row: Row) {\n  row.let { it.save() }\n  row.next().use { one -> one.save() }\n}\n"
            "fun b() {\n  all().forEach { it.next().apply { it.save() } }\n  all().other { it.save() }\n}\n"
            "fun c(row: Row) {\n  row.let { it.next().let { it.save() } }\n}\n",
        }
    )
    assert found["a.kt", "row.save"] == found["a.kt", "one.save"] == "a.kt:Row.save"
    assert found["a.kt", "all()[].next"] == "a.kt:Row.next"
    assert found["a.kt", "all()[].save"] == "a.kt:Row.save"
    assert found["a.kt", "row.next().save"] == "a.kt:Row.save"
    assert ("a.kt", "?.save") not in found


def test_a_variable_that_is_named_after_the_function_that_gives_it_is_what_that_gives() -> None:
    found = leads(
        {
            "a.kt": "class Module {\n  fun load() {}\n}\nclass Other {\n  fun load() {}\n}\n"
            "fun module(): Module = Module()\nfun main() {\n  val module = module()\n  module.load()\n}\n",
        }
    )
    assert found["a.kt", "module.load"] == "a.kt:Module.load"


def test_an_extension_of_a_common_name_is_not_meant_where_nothing_of_its_type_is_at_hand() -> None:
    found = leads(
        {
            "a.kt": "package a\ninterface Test\nfun Test.get(): Int = 1\n"
            "class Own : Test {\n  fun go() {\n    get()\n  }\n}\n",
            "b.kt": "package a\nfun main() {\n  single { get() }\n}\n",
        }
    )
    assert found["a.kt", "get"] == "a.kt:Test.get"
    assert ("b.kt", "get") not in found


def test_a_variable_that_is_named_after_a_method_does_not_hide_its_call() -> None:
    found = leads({"a.kt": "class T {\n  fun go() {\n    val body = body(1)\n  }\n  fun body(a: Int): Int = a\n}\n"})
    assert found["a.kt", "this.body"] == "a.kt:T.body"


def test_a_class_in_a_class_may_have_its_constructor_on_a_line_of_its_own() -> None:
    source = (
        b"public class Reader {\n  public class Options\n  private constructor(\n    internal val size: Int,\n  ) {\n"
        b"    fun go() {}\n  }\n\n  fun read() {}\n}\n"
    )
    found = map_of("a.kt", source)
    assert kinds(found) == {
        "Reader": "class",
        "Reader.Options": "class",
        "Reader.Options.size": "property",
        "Reader.Options.go": "method",
        "Reader.read": "method",
    }
    assert (symbol(found, "Reader.Options").start, symbol(found, "Reader.Options.go").start) == (2, 6)
    assert symbol(found, "Reader.read").start == 9


def test_an_extension_of_anything_is_known_by_its_name() -> None:
    found = leads(
        {
            "a.kt": "fun Any.asLong() = 1\nfun main(x: java.io.File) {\n  x.name.asLong()\n}\n",
        }
    )
    assert found["a.kt", "asLong"] == "a.kt:Any.asLong"


def test_a_variable_of_a_file_is_no_extension() -> None:
    assert "x.logger" in chains(map_of("a.kt", b"val logger = make()\nfun main(x: Row) {\n  x.logger()\n}\n"))
