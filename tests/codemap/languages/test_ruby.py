"""Ruby's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of

from .maps import bound, chains, kinds, leads, symbol

SOURCE = b"""
require 'set'
require_relative "store"

# Sells things.
# And more.
class Shop::Till < Base::Model
  include Comparable
  attr_accessor :name
  MAX = 3
  Point = Struct.new(:x)

  class << self
    def make(a, b = Store.new); new(a); end
  end

  def initialize(store)
    @store = store
    super(store)
  end

  def open?(x)
    helper
    rows.each { |row| row.save! }
    y = Store.open("a").reading
    y&.first
    self.class.make
    return Shop::Row.new
  rescue Foo::Error => e
    e.message
  end

  alias shut close
  define_method(:zap) { |z| z.go }
end

def top(x) = x.foo
"""


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    found = kinds(map_of("a.rb", SOURCE))
    assert found["Shop.Till"] == "class"
    assert found["Shop.Till.make"] == "method"
    assert found["Shop.Till.name"] == "property"
    assert found["Shop.Till.MAX"] == "constant"
    assert found["Shop.Till.initialize"] == "constructor"
    assert found["Shop.Till.open?"] == "method"
    assert found["Shop.Till.shut"] == found["Shop.Till.zap"] == "method"
    assert found["Shop.Till.Point"] == "class"
    assert found["top"] == "function"


def test_head_doc_and_what_is_mixed_in_are_read() -> None:
    till = symbol(map_of("a.rb", SOURCE), "Shop.Till")
    assert till.signature == "class Shop::Till < Base::Model"
    assert till.doc == "Sells things."
    assert till.bases == ("Base.Model", "Comparable")
    assert symbol(map_of("a.rb", SOURCE), "Shop.Till.open?").signature == "def open?(x)"


def test_a_word_that_is_no_variable_is_a_call() -> None:
    found = chains(map_of("a.rb", SOURCE))
    assert {"helper", "rows", "rows.each", "row.save!", "y.first", "self.make", "Shop.Row{}"} <= found
    assert not {"y", "x", "store", "row", "e", "require"} & found


def test_super_is_the_method_of_the_class_above() -> None:
    assert "super.initialize" in chains(map_of("a.rb", SOURCE))


def test_new_alone_makes_one_of_the_class_around_it() -> None:
    assert "Till{}" in chains(map_of("a.rb", SOURCE))


def test_variables_of_the_object_are_bound_in_its_class() -> None:
    found = bound(map_of("a.rb", SOURCE))
    assert found["Shop.Till", "@store"] == "store"
    assert found["Shop.Till", "name"] == "@name"
    assert found["Shop.Till.open?", "y"] == "Store.open().reading"
    assert found["Shop.Till.open?", "row"] == "rows[]"
    assert found["Shop.Till.open?", "e"] == "Foo.Error"


def test_calls_lead_through_reopened_classes_modules_and_attributes() -> None:
    found = leads(
        {
            "lib/shop/till.rb": "require_relative 'row'\nmodule Shop\n class Till < Base\n  include Counting\n"
            "  attr_reader :row\n  def initialize\n   @row = Row.new\n  end\n"
            "  def go\n   row.save\n   count_up\n   other\n   shut\n  end\n end\nend\n",
            "lib/shop/row.rb": "module Shop\n class Row\n  def save; end\n end\nend\n",
            "lib/shop/base.rb": "module Shop\n class Base\n  def shut; end\n end\nend\n",
            "lib/shop/counting.rb": "module Shop\n module Counting\n  def count_up; end\n end\nend\n",
            "lib/more.rb": "class Shop::Till\n def other; go; end\nend\nShop::Till.new.go\n",
        }
    )
    here = "lib/shop/till.rb"
    assert found[here, "Row{}"] == "lib/shop/row.rb:Shop.Row"
    assert found[here, "row.save"] == "lib/shop/row.rb:Shop.Row.save"
    assert found[here, "count_up"] == "lib/shop/counting.rb:Shop.Counting.count_up"
    assert found[here, "other"] == "lib/more.rb:Shop.Till.other"
    assert found[here, "shut"] == "lib/shop/base.rb:Shop.Base.shut"
    assert found["lib/more.rb", "go"] == f"{here}:Shop.Till.go"
    assert found["lib/more.rb", "Shop.Till{}.go"] == f"{here}:Shop.Till.go"
