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
    assert till.bases == ("Base", "Sells", "Loggable")
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
