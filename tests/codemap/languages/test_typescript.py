"""What the map reads out of JavaScript and TypeScript."""

from __future__ import annotations

import pytest

from marrow.codemap.languages.typescript_types import type_of
from marrow.codemap.parse import map_of
from marrow.model.code import TOP, Binding, Call, Import

from .maps import kinds, symbol
from .typescript_maps import chains, read

# Symbols.


def test_every_sort_of_declaration_is_a_symbol() -> None:
    found = read(
        """
        export function plain() {}
        function* generated() {}
        export abstract class Shape { abstract area(): number; }
        interface Named { name: string; greet(): void; made: (x: A) => B }
        export enum Colour { Red, Green = 2 }
        type Alias = Shape | Named;
        namespace Tools.Inner { export const depth = 1; function help() {} }
        declare module "outside" { export function reach(): void; }
        const LIMIT = 10;
        let count = 0;
        export const arrow = async (x: number) => x;
        const made = class { run() {} };
        declare const ambient: Shape;
        """
    )
    assert kinds(found) == {
        "plain": "function",
        "generated": "function",
        "Shape": "class",
        "Shape.area": "method",
        "Named": "interface",
        "Named.name": "property",
        "Named.greet": "method",
        "Named.made": "method",
        "Colour": "enum",
        "Colour.Red": "constant",
        "Colour.Green": "constant",
        "Alias": "type",
        "Tools.Inner": "namespace",
        "Tools.Inner.depth": "constant",
        "Tools.Inner.help": "function",
        "outside": "module",
        "outside.reach": "function",
        "LIMIT": "constant",
        "count": "variable",
        "arrow": "function",
        "made": "class",
        "made.run": "method",
        "ambient": "constant",
    }
    assert found.errors == 0


def test_a_class_has_its_constructor_methods_accessors_and_fields() -> None:
    found = read(
        """
        class Store<T> extends Base<T> implements Closeable, io.Reader {
          static readonly size: number = 1;
          #secret = new Vault();
          handler = (event: Event) => { this.close(); };
          constructor(private readonly root: Root, plain: string) { super(root); }
          get path(): Path { return this.root.path; }
          set path(value: Path) {}
          async close(): Promise<void> {}
          [Symbol.iterator]() {}
          'quoted name'() {}
        }
        """
    )
    assert kinds(found) == {
        "Store": "class",
        "Store.size": "field",
        "Store.#secret": "field",
        "Store.handler": "method",
        "Store.constructor": "constructor",
        "Store.root": "field",
        "Store.path": "method",
        "Store.close": "method",
        "Store.[Symbol.iterator]": "method",
        "Store.quoted name": "method",
    }
    assert symbol(found, "Store").bases == ("Base[T]", "Closeable", "io.Reader")
    assert symbol(found, "Store.path").returns == "Path"
    assert "Root" in {one.type for one in found.bindings if one.name == "root" and one.scope == 0}


def test_overloads_are_one_symbol_that_begins_with_the_first() -> None:
    found = read(
        """\
        /** Opens it. */
        export function open(path: string): Store;
        // or by number
        export function open(handle: number): Store;
        export function open(given: any): any { return make(given); }
        interface Bus { on(a: string): void; on(b: number): void; off(): void }
        class C { m(): A; m(x?: number): A { return null!; } }
        """
    )
    assert [(one.qualified, one.start, one.end) for one in found.symbols if one.kind in ("function", "method")] == [
        ("open", 2, 5),
        ("Bus.on", 6, 6),
        ("Bus.off", 6, 6),
        ("C.m", 7, 7),
    ]
    opened = symbol(found, "open")
    assert (opened.doc, opened.returns) == ("Opens it.", "Store")
    assert chains(found) == ["make"]
    assert found.calls[0].scope == found.symbols.index(opened)


def test_what_is_exported_by_default_without_a_name_is_called_default() -> None:
    assert kinds(read("export default function () {}")) == {"default": "function"}
    assert kinds(read("export default class extends Base { run() {} }")) == {
        "default": "class",
        "default.run": "method",
    }
    assert kinds(read("export default () => go();")) == {"default": "function"}
    assert kinds(read("export default { start() {}, stop: () => {} };", "a.js")) == {
        "default": "object",
        "default.start": "method",
        "default.stop": "method",
    }


def test_a_constant_object_with_functions_is_a_place_for_them() -> None:
    found = read("export const api = { get() {}, post: async () => {}, name: 'x', nested: { deep: () => {} } };")
    assert kinds(found) == {"api": "object", "api.get": "method", "api.post": "method"}


def test_a_constant_made_of_a_function_is_one_where_that_is_sure() -> None:
    found = read(
        """
        export const useFoo = anything(() => inner());
        export const useStore = create<State>()((set) => ({ add: () => set() }));
        export const total = createSelector([a, b], (x, y) => inner(x));
        export const load = createAsyncThunk<User, string>('user/load', async (id) => inner(id));
        const rows = items.map((x) => inner(x));
        const timer = setTimeout(() => inner(), 10);
        const useCase = makeCase(db);
        const user = found((one) => inner(one));
        """
    )
    assert kinds(found) == {
        **dict.fromkeys(("useFoo", "useStore", "total", "load"), "function"),
        **dict.fromkeys(("rows", "timer", "useCase", "user"), "constant"),
    }
    around = {found.symbols[call.scope].name for call in found.calls if call.chain == "inner" and call.scope != TOP}
    assert around == {"useFoo", "total", "load"}


def test_functions_inside_functions_are_symbols_and_their_variables_are_not() -> None:
    found = read(
        """
        function outer() {
          const size = 1;
          const inner = () => size;
          function named() { const other = memo(() => inner()); }
        }
        describe("x", () => { const local = 1; });
        """
    )
    assert kinds(found) == {
        "outer": "function",
        "outer.inner": "function",
        "outer.named": "function",
        "outer.named.other": "function",
    }


def test_common_js_exports_and_prototypes_are_symbols() -> None:
    found = read(
        """
        function Legacy() {}
        Legacy.prototype.run = function () { this.stop(); };
        Legacy.make = () => new Legacy();
        exports.helper = function () {};
        module.exports.other = async () => {};
        element.onclick = function () {};
        """,
        "a.js",
    )
    assert kinds(found) == {
        "Legacy": "function",
        "Legacy.run": "method",
        "Legacy.make": "method",
        "helper": "function",
        "other": "function",
    }


def test_a_head_is_told_with_its_decorators_and_doc() -> None:
    found = read(
        """
        /**
         * Serves users.
         * @deprecated
         */
        @Controller('users')
        export class Users {
          // eslint-disable-next-line
          @Input() name: string;
          /** Finds one. */
          @Get(':id')
          @Auth()
          async find(@Param('id') id: string): Promise<User[]> { return []; }
        }
        // First line.
        // Second line.
        const limit = 3; // not this
        function after() {}
        """
    )
    users, find = symbol(found, "Users"), symbol(found, "Users.find")
    assert (users.decorators, users.doc, users.start) == (("Controller('users')",), "Serves users.", 6)
    assert users.signature == "export class Users"
    assert (find.decorators, find.doc, find.start) == (("Get(':id')", "Auth()"), "Finds one.", 11)
    assert find.signature == "async find(@Param('id') id: string): Promise<User[]>"
    assert find.returns == "list[User]"
    assert symbol(found, "Users.name").decorators == ("Input()",)
    assert symbol(found, "limit").doc == "First line."
    assert symbol(found, "after").doc == ""


def test_a_hash_sees_meaning_and_not_form() -> None:
    plain = symbol(read("function f(a: A) { return go(a, 'x'); }"), "f").hash
    assert symbol(read('// why\nfunction f( a: A ) {\n  return go(\n a, "x",\n ) // so\n}'), "f").hash == plain
    assert symbol(read("function f(a: A) { return go(a, 'y'); }"), "f").hash != plain


@pytest.mark.parametrize("path", ["a.tsx", "a.jsx"])
def test_a_hash_sees_no_comment_between_tags(path: str) -> None:
    plain = symbol(read("const f = () => { return <p>one two<A b={x}/></p>; };", path), "f").hash
    for text in (
        "<p>\n{/* why */}\none {/* and */} two<A /* c */ b={x} />\n</p>",
        "<p>one two{ // why\n}<A b={/* it */ x}/>{ /* a */ /* b */ }</p>",
    ):
        assert symbol(read(f"const f = () => {{ return {text}; }};", path), "f").hash == plain, text
    for text in ("<p>one two<A b={y}/></p>", "<p>one two{x}<A b={x}/></p>", "<p>one two</p>"):
        assert symbol(read(f"const f = () => {{ return {text}; }};", path), "f").hash != plain, text


# Imports.


def test_imports_say_what_each_name_stands_for() -> None:
    found = read(
        """
        import base, { a, b as c, type D } from './x.js';
        import type { E } from "./types";
        import * as ns from 'pkg/sub';
        import './effect';
        import fs = require("fs");
        import {
          long, // a { comment }
          list as longer,
        } from "../up";
        """
    )
    assert [(one.local, one.module, one.name) for one in found.imports] == [
        ("base", "./x.js", "default"),
        ("a", "./x.js", "a"),
        ("c", "./x.js", "b"),
        ("D", "./x.js", "D"),
        ("E", "./types", "E"),
        ("ns", "pkg/sub", ""),
        ("", "./effect", ""),
        ("fs", "fs", "default"),
        ("fs", "fs", ""),
        ("long", "../up", "long"),
        ("longer", "../up", "list"),
    ]
    assert not any(one.exported for one in found.imports)


def test_what_is_handed_on_is_exported() -> None:
    found = read(
        """
        import { kept, renamed } from './x';
        export { kept, renamed as other };
        export { a as b, default as C } from './y';
        export * from './z';
        export * as tools from './tools';
        export type { T } from './t';
        function own() {}
        export { own as mine };
        """
    )
    handed = {(one.local, one.module, one.name) for one in found.imports if one.exported}
    assert handed == {
        ("kept", "./x", "kept"),
        ("other", "./x", "renamed"),
        ("b", "./y", "a"),
        ("C", "./y", "default"),
        ("*", "./z", "*"),
        ("tools", "./tools", ""),
        ("T", "./t", "T"),
    }
    assert Binding(TOP, "mine", "", "own") in found.bindings


def test_modules_that_are_loaded_on_the_way_are_imports() -> None:
    found = read(
        """
        const whole = require('./whole');
        const { part, old: fresh } = require('./parts');
        const one = require('./more').one;
        async function later() { const mod = await import('./later'); mod.go(); }
        if (x) require('./effect');
        """,
        "a.cjs",
    )
    later = found.symbols.index(symbol(found, "later"))
    assert {(one.local, one.module, one.name, one.scope) for one in found.imports if one.local} == {
        ("whole", "./whole", "default", TOP),
        ("whole", "./whole", "", TOP),
        ("part", "./parts", "part", TOP),
        ("fresh", "./parts", "old", TOP),
        ("one", "./more", "one", TOP),
        ("mod", "./later", "default", later),
        ("mod", "./later", "", later),
    }
    assert Import("", "./effect", "", 6) in found.imports


# Calls and chains.


def test_chains_leave_out_what_does_not_matter() -> None:
    found = read(
        """
        plain(); a.b.c(); this.store!.open?.(); x?.y(); new Foo(); new ns.Bar<T>();
        (await load()).run(); (value as Thing).go(); (<Other>value).stop(); make().next().last();
        rows[0].save(); table["key"].read(); `text`.trim(); tag`x`; [1].map(f); (a || b).pick(); (a + b).none();
        foo<T>(x); f()(); new Map<string, Foo>().get(k); this.#hidden();
        """
    )
    assert sorted(chains(found)) == sorted(
        """plain a.b.c this.store.open x.y Foo{} ns.Bar{} load load().run <Thing>.go <Other>.stop make make().next
        make().next().last rows[].save table.key.read <string>.trim tag <list>.map a.pick ?.none foo f f()
        Map{} <Map[string,Foo]>.get this.#hidden""".split()
    )


def test_a_call_stands_where_its_last_name_does() -> None:
    found = read("function f() {\n  héllo.wörld\n    .next();\n}\n")
    assert found.calls == (Call(0, 3, 5, "héllo.wörld.next"),)
    assert read("é(); ü.ö();").calls == (Call(TOP, 1, 0, "é"), Call(TOP, 1, 9, "ü.ö"))


def test_super_is_called_by_its_own_name() -> None:
    found = read("class A extends B { constructor() { super(1); super.start(); } }")
    assert chains(found) == ["super", "super.start"]


def test_a_component_that_is_used_is_called_and_a_tag_is_not() -> None:
    found = read(
        "const Page = () => <Layout.Main><Button onClick={() => go()} /><div><p/></div></Layout.Main>;", "a.tsx"
    )
    assert sorted(chains(found)) == ["Button", "Layout.Main", "go"]
    assert {call.scope for call in found.calls} == {0}


def test_decorators_are_calls() -> None:
    assert chains(read("@Plain @Made('x') class A { @ns.Field() b = 1; }")) == ["Plain", "Made", "ns.Field"]


def test_calls_in_functions_without_a_name_belong_to_the_function_around_them() -> None:
    found = read("function f() { g(() => { h(function () { i(); }); }); }\nj(() => k());")
    assert {call.chain: call.scope for call in found.calls} == {"g": 0, "h": 0, "i": 0, "j": TOP, "k": TOP}


# Bindings.


@pytest.mark.parametrize(
    ("written", "spelt"),
    [
        ("Foo | null | undefined", "Foo"),
        ("Foo<Bar>[]", "list[Foo[Bar]]"),
        ("readonly Foo[]", "list[Foo]"),
        ("Promise<Foo<A, B>>", "Foo[A,B]"),
        ("Array<A | B>", "list[A|B]"),
        ("Map<string, () => void>", "Map[string,object]"),
        ("Record<string, Foo>", "dict[string,Foo]"),
        ("A & { b: C }", "A"),
        ("[A, second: B]", "tuple[A,B]"),
        ("(x: A) => B", ""),
        ("{ a: A }", ""),
        ("typeof value", "=value"),
        ("ReturnType<typeof a.b>", "=a.b()"),
        ("InstanceType<typeof Foo>", "Foo"),
        ("x is Foo", "boolean"),
        ("T extends U ? A : B", ""),
        ('import("./x").Foo', "Foo"),
        ("Foo['bar']", "Foo.bar"),
        ("any", ""),
        ("\n  | 'a'\n  | 'b'", "string"),
        ("ns.Foo<ns.Bar>", "ns.Foo[ns.Bar]"),
        ("<T>(x: T) => T", ""),
        ("(", ""),
        ("<" * 300, ""),
        ("((((" * 100, ""),
    ],
)
def test_types_have_one_spelling(written: str, spelt: str) -> None:
    assert type_of(written) == spelt


# Finding modules.


def test_what_the_grammar_does_not_know_is_read_all_the_same() -> None:
    found = read(
        """
        export interface Type<in out T, out U = unknown> { parse(x: T): U }
        interface Make {
          (name: string): void
          // any
          <T>(value: T): T
          named(): void
        }
        function after() {}
        """
    )
    assert {"Type.parse", "Make.named", "after"} <= set(kinds(found))
    assert found.errors == 0


def test_what_stands_around_a_fault_is_read() -> None:
    found = read("function before() { go(); }\nconst = = ;\nfunction after() { stop(); }")
    assert {"before", "after"} <= set(kinds(found))
    assert found.errors > 0


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx"])
@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\x00\x00\xff\xfe\x80",
        b"function \xff\xfe() { f\xc3(); }",
        b"(" * 10_000,
        b"[" * 10_000 + b"]" * 10_000,
        b"{" * 10_000,
        b"a" + b".b()" * 10_000,
        b"f(" * 5_000 + b")" * 5_000,
        b"x = " + b"{a:" * 5_000 + b"1" + b"}" * 5_000,
        b"const {" + b"a:{" * 3_000 + b"b" + b"}" * 3_000 + b"} = c;",
        b"let x: " + b"A<" * 5_000 + b"B" + b">" * 5_000 + b";",
        b"let x = '" + b"y" * 900_000 + b"';",
        b"import {" + b"a," * 100_000 + b"} from 'x'",
        b"<a>" * 5_000,
        b"`${" * 3_000,
        b"class A { " * 2_000,
        b"/*" * 50_000,
        b"interface A {\n" + b"\n  <T>(x: T): T" * 1_000,
        b"x" * 500_000 + b" <A",
    ],
    ids=range(19),
)
def test_hostile_sources_are_read(path: str, source: bytes) -> None:
    found = map_of(path, source)
    assert found.language
    assert all(len(call.chain) < 10_000 for call in found.calls)


def test_a_function_in_a_template_has_a_hash_of_its_own() -> None:
    source = "const page = html`<ul>${() => { const row = () => show(%s); return row(); }}</ul>`;"
    plain, quoted, other = (symbol(read(source % shown), "page.row").hash for shown in ("'a'", '"a" /* why */', "'b'"))
    assert plain == quoted
    assert plain != other
