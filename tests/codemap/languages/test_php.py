"""PHP's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of

from .maps import bound, chains, kinds, leads, symbol

SOURCE = rb"""<?php
namespace App\Shop;

use App\Store\Reader;
use App\Store\{Writer, Other as Else_};
use function App\helper;

/**
 * Sells things.
 */
#[Route('/x'), Attr]
final class Till extends Base implements Sells {
    use Loggable;
    const MAX = 3;
    private ?Reader $reader = null;
    public function __construct(private readonly Store $store) { parent::__construct($store); }
    public static function make(array $rows, ?Row $row): static {
        $x = new \App\Store\Writer($row);
        foreach ($rows as $k => $v) { $v->save(); }
        self::make(); helper(1); $x?->foo()->bar(); $rows[0]->go();
        try { } catch (Oops | Error $e) { $e->say(); }
        return new static();
    }
}
interface Sells { function sell(): int; }
trait Loggable { public function log() {} }
enum Suit: string { case Hearts = 'H'; }
function top(Till $t): Row { return $t->make(); }
"""


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    found = kinds(map_of("a.php", SOURCE))
    assert found["Till"] == "class"
    assert found["Sells"] == "interface"
    assert found["Loggable"] == "trait"
    assert found["Suit"] == "enum"
    assert found["Suit.Hearts"] == found["Till.MAX"] == "constant"
    assert found["Till.reader"] == found["Till.store"] == "property"
    assert found["Till.__construct"] == "constructor"
    assert found["Till.make"] == "method"
    assert found["top"] == "function"


def test_head_doc_attributes_and_traits_are_read() -> None:
    till = symbol(map_of("a.php", SOURCE), "Till")
    assert till.signature == "final class Till extends Base implements Sells"
    assert till.doc == "Sells things."
    assert till.decorators == ("Route('/x')", "Attr")
    assert till.bases == ("Base", "Loggable", "Sells")
    assert symbol(map_of("a.php", SOURCE), "Till.make").returns == "self"


def test_calls_are_chains() -> None:
    found = chains(map_of("a.php", SOURCE))
    assert {"parent.__construct", "App.Store.Writer{}", "$v.save", "self.make", "helper", "$x.foo().bar"} <= found
    assert {"$rows[].go", "$e.say", "self{}", "$t.make"} <= found


def test_parameters_promoted_properties_and_variables_are_bound() -> None:
    found = bound(map_of("a.php", SOURCE))
    assert found["Till", "store"] == "Store"
    assert found["Till.make", "$row"] == "Row"
    assert found["Till.make", "$v"] == "$rows[]"
    assert found["Till.make", "$e"] == "Oops|Error"


def test_imports_are_read_with_groups_and_other_names() -> None:
    found = map_of("a.php", SOURCE)
    assert found.package == "App\\Shop"
    assert [tuple(one)[:3] for one in found.imports] == [
        ("Reader", "App\\Store", "Reader"),
        ("Writer", "App\\Store", "Writer"),
        ("Else_", "App\\Store", "Other"),
        ("helper", "App", "helper"),
        ("App", "App", ""),
    ]


def test_calls_lead_through_namespaces_traits_and_promoted_properties() -> None:
    found = leads(
        {
            "Till.php": r"<?php namespace App; use App\Db\Store; class Till extends Base { use Logs; "
            r"function __construct(private Store $store) {} "
            r"function go() { $this->store->save(); $this->log(); parent::up(); \App\Db\Store::open()->save(); } }",
            "Store.php": r"<?php namespace App\Db; class Store { function save() {} "
            r"static function open(): static { return new static(); } }",
            "Base.php": "<?php namespace App; class Base { function up() {} }",
            "Logs.php": "<?php namespace App; trait Logs { function log() {} }",
        }
    )
    assert found["Till.php", "this.store.save"] == "Store.php:Store.save"
    assert found["Till.php", "this.log"] == "Logs.php:Logs.log"
    assert found["Till.php", "parent.up"] == "Base.php:Base.up"
    assert found["Till.php", "App.Db.Store.open().save"] == "Store.php:Store.save"


def test_names_without_a_namespace_are_found_from_every_namespace() -> None:
    found = leads(
        {
            "a.php": "<?php namespace App; class T { function go() { (new \\Plain())->save(); helper(); } }",
            "b.php": "<?php class Plain { function save() {} } function helper() {}",
            "c.php": "<?php class Other { function save() {} }",
        }
    )
    assert found["a.php", "Plain{}"] == "b.php:Plain"
    assert found["a.php", "Plain{}.save"] == "b.php:Plain.save"
    assert found["a.php", "helper"] == "b.php:helper"


def test_names_are_followed_from_the_namespace_at_hand_and_from_one_that_is_used_whole() -> None:
    found = leads(
        {
            "a.php": "<?php namespace App; class T { function go() { Curl\\Util::run(); new Curl\\Util(); } }",
            "b.php": "<?php namespace App\\Curl; class Util { static function run() {} }",
            "c.php": "<?php namespace Test; use App; App\\Curl\\Util::run(); App\\top();",
            "d.php": "<?php namespace App; function top() {}",
            "e.php": "<?php namespace Other; class Util { static function run() {} } function top() {}",
        }
    )
    assert found["a.php", "Curl.Util.run"] == "b.php:Util.run"
    assert found["a.php", "Curl.Util{}"] == "b.php:Util"
    assert found["c.php", "App.Curl.Util.run"] == "b.php:Util.run"
    assert found["c.php", "App.top"] == "d.php:top"


def test_a_case_of_an_enum_has_its_methods() -> None:
    found = leads(
        {
            "a.php": "<?php enum Level { case High; function label() {} } class Other { function label() {} }\n"
            "function go() { $a = Level::High; $a->label(); Level::High->label(); }",
        }
    )
    assert found["a.php", "$a.label"] == found["a.php", "Level.High.label"] == "a.php:Level.label"


def test_comments_say_types_that_are_not_declared() -> None:
    found = leads(
        {
            "a.php": """<?php namespace App;
class Row { function save() {} function next() {} }
class Other { function save() {} function next() {} }
class T {
    /** @var array<string, Row> rows by name */
    private array $rows = [];
    /**
     * @param Row|null $row
     * @return Row[]
     */
    function all($row, int $count): array { $row->save(); foreach ($this->rows as $one) { $one->next(); } }
    /** @return static */
    function me() {}
    function go($x) {
        $this->all(null, 1)[0]->save();
        $this->me()->me();
        /** @var Row $late */
        $late = $x->get();
        $late->save();
    }
}
""",
        }
    )
    assert found["a.php", "$row.save"] == found["a.php", "$late.save"] == "a.php:Row.save"
    assert found["a.php", "$one.next"] == "a.php:Row.next"
    assert found["a.php", "this.all()[].save"] == "a.php:Row.save"
    assert found["a.php", "this.me().me"] == "a.php:T.me"


def test_a_template_in_a_comment_is_no_type() -> None:
    source = b"<?php\n/** @template T */\nclass A { /** @return T */ function one() { return new Row(); } }"
    assert symbol(map_of("a.php", source), "A.one").returns == ""


def test_what_stands_in_for_a_class_in_tests_has_its_methods() -> None:
    found = leads(
        {
            "a.php": "<?php namespace App; class Row { function save() {} } class Other { function save() {} }",
            "t.php": "<?php namespace Test; use App\\Row; class T { private $row; function go() {\n"
            "$a = $this->createMock(Row::class); $a->save(); $this->row = self::createStub(Row::class);\n"
            "$this->row->save(); $b = $this->getMockBuilder('App\\Row')->onlyMethods([])->getMock(); $b->save(); } }",
        }
    )
    assert found["t.php", "$a.save"] == found["t.php", "$b.save"] == "a.php:Row.save"
    assert found["t.php", "this.row.save"] == "a.php:Row.save"


def test_a_class_without_a_name_is_one_of_its_own() -> None:
    found = leads(
        {
            "a.php": "<?php class Base { function save() {} } class T { function save() {} function go() {\n"
            "$a = new class(1) extends Base { function run() { $this->save(); } }; $a->save(); } }",
        }
    )
    assert found["a.php", "this.save"] == found["a.php", "$a.save"] == "a.php:Base.save"
    assert found["a.php", "Base{}"] == "a.php:Base"


def test_what_a_trait_has_comes_before_what_an_interface_demands() -> None:
    found = leads(
        {
            "a.php": "<?php interface Sells { function sell(); } trait Selling { function sell() {} }\n"
            "class Till implements Sells { use Selling; function go() { $this->sell(); } }",
        }
    )
    assert found["a.php", "this.sell"] == "a.php:Selling.sell"


def test_what_was_tested_for_its_class_is_one_where_the_test_holds() -> None:
    found = leads(
        {
            "a.php": "<?php interface Out { function write(); }\n"
            "class Console { function section() {} function end() {} }\n"
            "class Other { function section() {} function end() {} }\n"
            "class T { private Out $out; function go(Out $out) {\n"
            "if ($out instanceof Console && $out->end()) { $out->section(); }\n"
            "if ($this->out instanceof Console) { $this->out->section(); } } }\n"
            "class U { function go(Out $out) { if (!$out instanceof Console) { $out->section(); } } }",
        }
    )
    assert found["a.php", "<Console>.section"] == "a.php:Console.section"
    assert found["a.php", "<Console>.end"] == "a.php:Console.end"
    assert ("a.php", "$out.section") not in found
    assert ("a.php", "this.out.section") not in found


def test_a_parameter_that_is_wrapped_is_what_it_is_wrapped_in() -> None:
    found = leads(
        {
            "a.php": "<?php interface Out { function write(); }\n"
            "class Styled { function title() {} function write() {} }\n"
            "class Other { function title() {} }\n"
            "function go(Out $out) { $out = new Styled($out); $out->title(); }",
        }
    )
    assert found["a.php", "$out.title"] == "a.php:Styled.title"
