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


def test_what_is_defined_in_a_block_or_for_one_object_is_not_seen_in_other_files() -> None:
    found = leads(
        {
            "spec/a_spec.rb": "describe 'a' do\n def app; end\n it { app }\nend\ndef body.each; end\n",
            "spec/b_spec.rb": "describe 'b' do\n it { app\n each }\nend\nall\n",
            "spec/help.rb": "def all; end\n",
        }
    )
    assert found["spec/a_spec.rb", "app"] == "spec/a_spec.rb:app"
    assert ("spec/b_spec.rb", "app") not in found
    assert ("spec/b_spec.rb", "each") not in found
    assert found["spec/b_spec.rb", "all"] == "spec/help.rb:all"


def test_what_is_mixed_in_stands_in_the_class_itself_before_what_is_around_it() -> None:
    found = leads(
        {
            "a.rb": "module Rack\n class Request\n  module Env\n   def fetch_header; end\n  end\n"
            "  module Helpers\n   def port; fetch_header; end\n  end\n  include Env\n  include Helpers\n end\nend\n"
            "Rack::Request.new.port\n",
            "b.rb": "class Other\n def port; end\n def fetch_header; end\nend\n",
        }
    )
    assert found["a.rb", "Rack.Request{}.port"] == "a.rb:Rack.Request.Helpers.port"
    assert found["a.rb", "fetch_header"] == "a.rb:Rack.Request.Env.fetch_header"


def test_what_is_mixed_in_by_a_block_is_not_mixed_into_the_class_around_it() -> None:
    source = b"class T\n it { include Helpers }\n included { include Late }\n class << self\n  include Own\n end\nend\n"
    assert symbol(map_of("a.rb", source), "T").bases == ("Late", "Own")


def test_methods_for_the_classes_that_mix_a_module_in_are_theirs() -> None:
    found = leads(
        {
            "a.rb": "module Job\n def self.included(base)\n  base.extend(ClassMethods)\n end\n"
            " module ClassMethods\n  def perform_async; end\n end\nend\n",
            "b.rb": "class Mail\n include Job\nend\nMail.perform_async\n",
            "c.rb": "class Other\n def perform_async; end\nend\n",
        }
    )
    assert found["b.rb", "Mail.perform_async"] == "a.rb:Job.ClassMethods.perform_async"


def test_variables_of_examples_are_known_in_their_file() -> None:
    found = leads(
        {
            "a.rb": "class Cli\n def parse; end\nend\nclass Other\n def parse; end\nend\n",
            "a_spec.rb": "describe Cli do\n before { @cli = Cli.new }\n let(:it_too) { Cli.new }\n"
            " it { @cli.parse }\n it { it_too.parse }\nend\n",
        }
    )
    assert found["a_spec.rb", "@cli.parse"] == found["a_spec.rb", "it_too.parse"] == "a.rb:Cli.parse"


def test_a_variable_of_a_block_does_not_hide_the_method_that_it_is_named_after() -> None:
    source = b"describe 'a' do\n def env(x); end\n it do\n  env = env({})\n end\nend\nx = 1\n"
    assert kinds(map_of("a.rb", source)) == {"env": "function", "x": "variable"}
    assert leads({"a.rb": source.decode()})["a.rb", "env"] == "a.rb:env"


def test_what_is_handed_on_to_another_object_is_a_method() -> None:
    source = b"class Ring\n  def_delegators :@buf, :size, :each\n  def_delegator :@buf, :first, :head\n"
    source += b"  delegate :name, :age, to: :owner\nend\n"
    found = kinds(map_of("a.rb", source))
    assert {found[f"Ring.{name}"] for name in ("size", "each", "head", "name", "age")} == {"method"}
    assert "Ring.first" not in found


def test_super_in_a_module_is_not_the_method_of_the_module_itself() -> None:
    found = leads({"a.rb": "module Loud\n def say\n  super\n end\nend\n"})
    assert not found
