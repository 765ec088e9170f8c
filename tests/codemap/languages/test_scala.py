"""Scala's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of

from .maps import bound, chains, leads, symbol

SOURCE = b"""
package com.shop
package core

import com.shop.store.Reader
import com.shop.store.{Writer => W, Other, _}

/** Sells things. */
@Named("x")
case class Shop[T](store: Store[T], private val n: Int = 3) extends Base(store) with Sells[T] {
  private lazy val made = new Reader(1)
  var row: Row = _
  type R = Row
  def this(a: Int) = this(Store(), a)
  def run(rows: List[Row])(implicit f: Row => Unit): Option[Row] = {
    val x = Reader(1)
    for (one <- rows; two = one.next) yield one.save()
    rows.foreach(r => r.go())
    rows.map(_.stop())
    x match { case y: Row => y.found() }
    x adds rows
    rows.head
  }
}
object Shop { def make(): Shop = new Shop(1) }
trait Sells[T] extends A with B { def sell: Int }
case object Single extends Base
enum Colour { case Red, Green }
extension (r: Row) def twice(a: Int): Reader = r.open(a)
def top(x: Int) = x
"""


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    found = [(one.qualified, one.kind) for one in map_of("a.scala", SOURCE).symbols]
    for one in [
        ("Shop", "class"),
        ("Shop.store", "property"),
        ("Shop.made", "property"),
        ("Shop.R", "type"),
        ("Shop.this", "constructor"),
        ("Shop.run", "method"),
        ("Shop", "object"),
        ("Shop.make", "method"),
        ("Sells", "trait"),
        ("Sells.sell", "method"),
        ("Single", "object"),
        ("Colour", "enum"),
        ("Colour.Red", "constant"),
        ("Row.twice", "function"),
        ("top", "function"),
    ]:
        assert one in found


def test_head_doc_annotations_bases_and_package_are_read() -> None:
    found = map_of("a.scala", SOURCE)
    shop = symbol(found, "Shop")
    assert shop.signature.startswith("case class Shop[T](store: Store[T]")
    assert shop.doc == "Sells things."
    assert shop.decorators == ('Named("x")',)
    assert shop.bases == ("Base", "Sells[T]")
    assert found.package == "com.shop.core"
    assert symbol(found, "Row.twice").receiver == "Row"


def test_calls_are_chains_with_and_without_brackets() -> None:
    found = chains(map_of("a.scala", SOURCE))
    assert {"Reader{}", "one.save", "one.next", "r.go", "?.stop", "y.found", "x.adds", "rows.head", "r.open"} <= found


def test_names_are_bound() -> None:
    found = bound(map_of("a.scala", SOURCE))
    assert found["Shop.run", "rows"] == "List[Row]"
    assert found["Shop.run", "one"] == "rows[]"
    assert found["Shop.run", "two"] == "one.next"
    assert found["Shop.run", "r"] == "rows[]"
    assert found["Shop.run", "y"] == "Row"
    assert found["Shop", "made"] == "Reader{}"
    assert found["Row.twice", "r"] == "Row"


def test_imports_are_read_with_other_names_and_stars() -> None:
    assert [tuple(one)[:3] for one in map_of("a.scala", SOURCE).imports] == [
        ("Reader", "com.shop.store", "Reader"),
        ("W", "com.shop.store", "Writer"),
        ("Other", "com.shop.store", "Other"),
        ("*", "com.shop.store", "*"),
    ]


def test_calls_lead_through_packages_companions_and_calls_without_brackets() -> None:
    found = leads(
        {
            "a.scala": "package a\nimport b.Row\nclass Shop(row: Row) extends Base {\n"
            "  def go() = {\n    row.save()\n    row.next.save()\n    Other.make().stop()\n    up()\n  }\n}\n",
            "o.scala": "package a\nclass Other {\n  def stop() = 1\n}\n"
            "object Other {\n  def make(): Other = new Other\n}\ntrait Base {\n  def up() = 2\n}\n",
            "b.scala": "package b\ncase class Row(n: Int) {\n  def save() = 3\n  def next: Row = this\n}\n",
        }
    )
    assert found["a.scala", "row.save"] == "b.scala:Row.save"
    assert found["a.scala", "row.next.save"] == "b.scala:Row.save"
    assert found["a.scala", "row.next"] == "b.scala:Row.next"
    assert found["a.scala", "Other.make"] == "o.scala:Other.make"
    assert found["a.scala", "Other.make().stop"] == "o.scala:Other.stop"
    assert found["a.scala", "up"] == "o.scala:Base.up"
