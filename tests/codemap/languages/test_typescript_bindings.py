"""What names stand for in JavaScript and TypeScript."""

from __future__ import annotations

from .maps import symbol
from .typescript_maps import bound, chains, read, targets


def test_parameters_and_variables_are_bound_by_type_or_value() -> None:
    found = read(
        """
        function f(a: Foo, b?: Bar | null, ...c: Baz[]) {
          const d: Map<string, Foo> = new Map();
          const e = a.child();
          let g; g = make();
          const { h, i: { j }, ...k } = a;
          for (const l of c) {}
          for (const [key, m] of Object.entries(d)) {}
          for (const n in a) {}
          const o = await load(), p = b ?? c, q = x as Thing, r = new Foo<Bar>();
        }
        """
    )
    assert {name: bound(found, name) for name in "abcdeghjklmnopqr"} == {
        "a": ["<Foo>"],
        "b": ["<Bar>"],
        "c": ["<list[Baz]>"],
        "d": ["<Map[string,Foo]>"],
        "e": ["a.child()"],
        "g": ["make()"],
        "h": ["a.h"],
        "j": ["a.i.j"],
        "k": [],
        "l": ["c[]"],
        "m": ["d[]"],
        "n": ["<string>"],
        "o": ["load()"],
        "p": ["b"],
        "q": ["<Thing>"],
        "r": ["<Foo[Bar]>"],
    }


def test_parameters_that_are_taken_apart_are_bound_by_their_members() -> None:
    found = read("function f({ a, b: c }: Props, { d }: { d: Thing; e: string }) {}")
    assert (bound(found, "a"), bound(found, "c"), bound(found, "d")) == (["<Props>.a"], ["<Props>.b"], ["<Thing>"])


def test_a_function_that_does_not_say_what_it_returns_is_bound_by_what_it_does() -> None:
    found = read(
        """
        function f() { if (x) return this.a; items.map(() => { return no(); }); return make(); }
        const g = () => new Foo();
        function said(): Bar { return other(); }
        function same(): typeof f { return f; }
        class C { chain(): this { return this; } }
        """
    )
    returned = {(found.symbols[one.scope].name, one.value) for one in found.bindings if one.name == "return"}
    assert returned == {("f", "this.a"), ("f", "make()"), ("g", "Foo{}"), ("same", "f"), ("chain", "this")}
    assert symbol(found, "said").returns == "Bar"
    assert symbol(found, "C.chain").returns == "this"


def test_what_is_assigned_to_a_field_is_bound_in_the_class() -> None:
    found = read("class A { constructor(store) { this.store = store; this.log = makeLog(); } }", "a.js")
    fields = {(one.name, one.value, one.within) for one in found.bindings if one.scope == 0}
    assert fields == {("store", "store", 1), ("log", "makeLog()", 1)}


def test_comments_say_types_in_javascript() -> None:
    source = """
        class A {
          constructor() {
            /** @type {Map<string, Row>} */
            this.rows = new Map();
          }
          /**
           * Adds one.
           * @param {Row} row - the row
           * @param {?Other=} other
           * @param {object} options
           * @param {string} options.name
           * @returns {Promise<Row[]>}
           */
          add(row, other, options, plain) {}
        }
        /** @type {Row} */
        let last = null;
        """
    found = read(source, "a.js")
    assert (bound(found, "row"), bound(found, "other"), bound(found, "plain")) == (["<Row>"], ["<Other>"], [])
    assert (bound(found, "rows"), bound(found, "last")) == (["<Map[string,Row]>"], ["<Row>"])
    assert symbol(found, "A.add").returns == "list[Row]"
    assert bound(read(source, "a.ts"), "row") == []


def test_a_function_that_is_handed_on_gets_elements_of_the_list() -> None:
    found = read(
        "function f(rows: Row[]) { rows.filter(r => r.ok()).map(row => row.save()); load().then(v => v.use()); }"
    )
    assert bound(found, "row") == ["rows[]"]
    assert bound(found, "r") == ["rows[]"]
    assert bound(found, "v") == ["load()"]


def test_a_name_with_several_meanings_in_a_function_is_told_where_it_is_used() -> None:
    found = read(
        """
        function f(users: User[], teams: Team[]) {
          users.forEach(one => one.greet());
          teams.forEach(one => one.meet());
          any.each(one => one.unknown());
          if (x) { const y = users[0]; y.first(); } else { const y = new Team(); y.second(); }
        }
        """
    )
    said = chains(found)
    assert {"users[].greet", "teams[].meet", "?.unknown", "users[].first", "Team{}.second"} <= set(said)


def test_a_parameter_hides_an_import_of_its_name() -> None:
    files = {
        "a.ts": "export function path() {} export function other() {}",
        "b.ts": "import { path, other } from './a';\nfunction f(path) { path(); other(); }\nx.map(other => other());",
    }
    assert targets(files, "b.ts") == {"other": "a.ts:other"}


# Types.
