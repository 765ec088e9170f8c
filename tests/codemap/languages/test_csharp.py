"""C#'s reader."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.languages.csharp import LANGUAGES
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver

from .maps import bound, chains, kinds, leads, symbol

SOURCE = b"""
using System.Linq;
using static System.Math;
using Row = Shop.Data.Row<int>;
namespace Shop.Core;

/// <summary>Sells things.</summary>
[Serializable, Obsolete("no")]
public partial class Store<T> : Base<T>, IStore where T : class {
    private readonly Db _db = new Db(), _other;
    public const int Max = 3;
    public string Name { get; set; }
    public Store(Db db) : base(db) { _db = db; }
    public async Task<List<Row>> Sell(Row[] rows, int? n) {
        var made = new Data.Thing(1);
        foreach (var row in rows) { row?.Save(); }
        Row first = rows[0].Get<int>("a").Other();
        ((Row)made).Go();
        int Local(int a) => a + 1;
        return await this.All(Local(1));
    }
    enum Colour { Red, Green }
    record Point(int X, Row Y);
}
public static class RowExtensions { public static void Twice(this Row row) { } }
"""


def test_every_definition_is_a_symbol_of_its_kind() -> None:
    found = kinds(map_of("a.cs", SOURCE))
    assert found["Store"] == "class"
    assert found["Store.Store"] == "constructor"
    assert found["Store._db"] == found["Store._other"] == "field"
    assert found["Store.Max"] == "constant"
    assert found["Store.Name"] == "property"
    assert found["Store.Sell"] == "method"
    assert found["Store.Sell.Local"] == "function"
    assert found["Store.Colour.Red"] == "constant"
    assert found["Store.Point"] == "record"
    assert found["Store.Point.Y"] == "property"


def test_head_doc_attributes_and_bases_are_read() -> None:
    store = symbol(map_of("a.cs", SOURCE), "Store")
    assert store.signature == "public partial class Store<T> : Base<T>, IStore where T : class"
    assert store.doc == "Sells things."
    assert store.decorators == ("Serializable", 'Obsolete("no")')
    assert store.bases == ("Base[T]", "IStore")


def test_what_a_comment_refers_to_is_said_in_it() -> None:
    source = (
        b'/// <summary>Retries <see cref="T:Shop.Row"/> by <paramref name="n"/>, <b>often</b>.</summary>\nclass A { }\n'
    )
    assert symbol(map_of("a.cs", source), "A").doc == "Retries Shop.Row by n, often."


def test_an_extension_method_belongs_to_the_type_it_extends() -> None:
    assert symbol(map_of("a.cs", SOURCE), "Row.Twice").receiver == "Row"


def test_calls_are_chains_without_arguments_casts_and_question_marks() -> None:
    found = chains(map_of("a.cs", SOURCE))
    assert {"row.Save", "rows[].Get", "rows[].Get().Other", "<Row>.Go", "this.All", "Data.Thing{}", "base"} <= found


def test_names_are_bound_to_their_types_or_values() -> None:
    found = bound(map_of("a.cs", SOURCE))
    assert found["Store.Sell", "rows"] == "list[Row]"
    assert found["Store.Sell", "n"] == "int"
    assert found["Store.Sell", "made"] == "Data.Thing{}"
    assert found["Store.Sell", "row"] == "rows[]"


def test_usings_and_the_namespace_are_read() -> None:
    found = map_of("a.cs", SOURCE)
    assert found.package == "Shop.Core"
    assert [tuple(one)[:3] for one in found.imports] == [
        ("*", "System.Linq", "*"),
        ("Math", "System", "Math"),
        ("Row", "Shop.Data", "Row"),
    ]


def test_calls_lead_through_usings_partial_classes_and_extensions() -> None:
    found = leads(
        {
            "a/Store.cs": "using Shop.Data; namespace Shop; partial class Store : Base "
            "{ Row row; void A() { B(); row.Save(); row.Twice(); Up(); new Row(); } }",
            "b/Store.cs": "namespace Shop; partial class Store { void B() { A(); } }",
            "Base.cs": "namespace Shop { class Base { protected void Up() {} } }",
            "Row.cs": "namespace Shop.Data { class Row { public void Save() {} } "
            "static class More { public static void Twice(this Row row) {} } }",
        }
    )
    assert found["a/Store.cs", "B"] == "b/Store.cs:Store.B"
    assert found["b/Store.cs", "A"] == "a/Store.cs:Store.A"
    assert found["a/Store.cs", "row.Save"] == "Row.cs:Row.Save"
    assert found["a/Store.cs", "row.Twice"] == "Row.cs:Row.Twice"
    assert found["a/Store.cs", "Up"] == "Base.cs:Base.Up"
    assert found["a/Store.cs", "Row{}"] == "Row.cs:Row"


def test_of_an_extension_with_overloads_in_one_file_the_call_is_known() -> None:
    more = (
        "using Shop; static class Adding { public static Builder AddRetry(this Builder b) => b; "
        "public static Builder AddRetry(this Builder b, int tries) => b; }"
    )
    found = leads(
        {
            "core/Builder.cs": "namespace Shop; public class Builder { }",
            "retry/Adding.cs": more,
            "App.cs": "using Shop; class App { void Go() { new Builder().AddRetry(3); } }",
        }
    )
    assert found["App.cs", "Builder{}.AddRetry"] == "retry/Adding.cs:Builder.AddRetry"


EXTENDED = {
    "core/Builder.cs": "namespace Shop; public class Builder { }",
    "core/Near.cs": "namespace Shop.Near; static class Near { public static void Go(this Builder b) { } }",
    "a/Adding.cs": "namespace Shop.A; static class AddingA { public static void Go(this Builder b) { } }",
    "b/Adding.cs": "namespace Shop.B; static class AddingB { public static void Go(this Builder b) { } }",
    "two/Adding.cs": "using Shop; namespace Two.C { static class C { public static void Go(this Builder b) { } } }"
    " namespace Two.D { static class D { public static void Stop(this Builder b) { } } }",
    "d/Adding.cs": "namespace Shop.E; static class E { public static void Stop(this Builder b) { } }",
}
USING = "class App {{ void Run() {{ new Builder().{}(); }} }}"


@pytest.mark.parametrize(
    ("head", "calls", "found"),
    [
        ("using Shop.A;", "Go", "a/Adding.cs"),
        ("using Shop.B;", "Go", "b/Adding.cs"),
        ("namespace Shop.A;", "Go", "a/Adding.cs"),
        ("namespace Shop.B.Inner;", "Go", "b/Adding.cs"),
        ("using static Shop.B.AddingB;", "Go", "b/Adding.cs"),
        ("using Two.C;", "Go", "two/Adding.cs"),
        ("using Two.D;", "Stop", "two/Adding.cs"),
        ("using Shop.E;", "Stop", "d/Adding.cs"),
    ],
)
def test_of_extensions_of_one_name_that_is_called_which_the_file_sees(head: str, calls: str, found: str) -> None:
    told = leads({**EXTENDED, "app/App.cs": f"using Shop; {head} {USING.format(calls)}"})
    assert told["app/App.cs", f"Builder{{}}.{calls}"] == f"{found}:Builder.{calls}"


def test_of_extensions_of_one_name_of_which_a_file_sees_several_or_none_no_far_one_is_called() -> None:
    files = {path: text for path, text in EXTENDED.items() if path != "core/Near.cs"}
    for head in ("using Shop.A; using Shop.B;", "using B = Shop.B.AddingB;"):
        told = leads({**files, "app/App.cs": f"using Shop; {head} {USING.format('Go')}"})
        assert ("app/App.cs", "Builder{}.Go") not in told


def test_an_extension_that_is_called_in_another_file_is_looked_for_as_that_sees_it() -> None:
    told = leads(
        {
            "core/Builder.cs": "namespace Shop; public class Builder { } public class Row { public void Sell() { } }",
            "a/A.cs": "namespace Shop.A; static class A { public static Row Go(this Builder b) => null; }",
            "b/B.cs": "namespace Shop.B; static class B { public static string Go(this Builder b) => null; }",
            "a/Made.cs": "using Shop; using Shop.A; class Made { public Builder b; "
            "public object One() { return b.Go(); } public Row Two() { var row = b.Go(); row.Sell(); return row; } }",
            "app/App.cs": "using Shop.B; class App { Made made; void Run() { made.Two().Sell(); made.b.Go(); } }",
        }
    )
    assert told["a/Made.cs", "b.Go"] == "a/A.cs:Builder.Go"
    assert told["a/Made.cs", "row.Sell"] == "core/Builder.cs:Row.Sell"
    assert told["app/App.cs", "made.b.Go"] == "b/B.cs:Builder.Go"


def test_an_extension_of_a_type_parameter_belongs_to_what_the_parameter_must_be() -> None:
    more = (
        "using Shop; static class Adding { public static T AddTimeout<T>(this T b) where T : BuilderBase => b; "
        "public static void Told<T>(this T any) { } }"
    )
    found = leads(
        {
            "core/Builder.cs": "namespace Shop; public class BuilderBase { } public class Builder : BuilderBase { }",
            "time/Adding.cs": more,
            "App.cs": "using Shop; class App { void Go() { new Builder().AddTimeout(); } }",
        }
    )
    assert found["App.cs", "Builder{}.AddTimeout"] == "time/Adding.cs:BuilderBase.AddTimeout"
    assert symbol(map_of("time/Adding.cs", more.encode()), "T.Told").receiver == "T"


def test_what_a_project_uses_everywhere_is_seen_in_its_files() -> None:
    files = {
        "src/Core/Utils/Guard.cs": "namespace Shop.Utils; static class Guard { public static void NotNull(int o) { } }",
        "src/Core/Store.cs": "namespace Shop.Stores; class Store { void A() { Guard.NotNull(this); new Row(); } }",
        "src/Rows/Row.cs": "namespace Shop.Rows; class Row { }",
        "src/Core/GlobalUsings.cs": "global using Shop.Rows;",
        "app/App.cs": "class App { void A() { Guard.NotNull(this); } }",
    }
    manifest = (
        '<Project><ItemGroup><Using Include="Shop.Utils" /><Using Include="Y" Static="true" /></ItemGroup></Project>'
    )
    maps = {path: map_of(path, text.encode()) for path, text in files.items()}
    others = {"src/Core/Core.csproj": manifest, "src/Core/GlobalUsings.cs": files["src/Core/GlobalUsings.cs"]}
    resolver = Resolver(InMemory(maps, others))
    found = {maps[one.path].symbols[one.symbol].qualified for one in resolver.edges("src/Core/Store.cs")}
    assert found == {"Guard.NotNull", "Row"}
    assert resolver.edges("app/App.cs") == []


def test_conditions_of_the_preprocessor_do_not_hide_the_type_around_them() -> None:
    text = (
        "namespace Shop;\npublic class Store : Base\n#if ASYNC\n    , IAsyncStore\n#endif\n{\n"
        "    void Sell(int n)\n    {\n        if (n > 1) { Keep(); }\n#if WIDE\n        else if (n > 2) { Wide(); }\n"
        "#endif\n        else { Keep(); }\n    }\n    Builder Made()\n#if DEFAULTS\n        => new Builder().Build();\n"
        "#else\n        ;\n#endif\n    void Wide() { }\n    void Keep() { Sell(1); }\n}\n"
    )
    found = kinds(map_of("a.cs", text.encode()))
    assert found["Store"] == "class"
    assert {name for name, kind in found.items() if kind == "method"} == {
        "Store.Sell", "Store.Made", "Store.Wide", "Store.Keep"
    }  # fmt: skip
    told = leads({"a.cs": text})
    assert told["a.cs", "Wide"] == "a.cs:Store.Wide"
    assert told["a.cs", "Sell"] == "a.cs:Store.Sell"


def test_what_stands_in_no_namespace_is_seen_everywhere() -> None:
    guard = "namespace Marks { class Marked { } }\nstatic class Guard { public static void Set() { } }"
    told = leads(
        {
            "src/Guard.cs": guard,
            "src/Store.cs": "namespace Shop.Core; class Store { void A() { Guard.Set(); new Marked(); } }",
        }
    )
    assert told == {("src/Store.cs", "Guard.Set"): "src/Guard.cs:Guard.Set"}
    rather = map_of("a.cs", b"namespace Shop { class Store { void Sell() { } void Keep() { } } }\nclass Bare { }")
    assert rather.package == "Shop"


def test_what_targets_use_everywhere_is_seen_too() -> None:
    files = {
        "src/Rows/Row.cs": "namespace Shop.Rows; class Row { }",
        "src/App.cs": "namespace Shop; class App { void A() { new Row(); } }",
    }
    maps = {path: map_of(path, text.encode()) for path, text in files.items()}
    others = {"Directory.Build.targets": '<Project><ItemGroup><Using Include="Shop.Rows" /></ItemGroup></Project>'}
    assert len(Resolver(InMemory(maps, others)).edges("src/App.cs")) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Directory.Build.props", "<Using" + " " * 200_000),
        ("Directory.Build.props", "<Using a" * 30_000),
        ("Usings.cs", "\n" * 200_000),
    ],
)
def test_a_hostile_list_of_what_is_used_everywhere_is_read_soon(path: str, text: str) -> None:
    begun = time.perf_counter()
    assert LANGUAGES["csharp"].rules.shares(InMemory({}, {path: text}), "App.cs") == []
    assert time.perf_counter() - begun < 2


def test_files_that_see_the_same_names_keep_them_once() -> None:
    count = 600
    files = {f"src/C{at}.cs": f"namespace Shop.N{at % 9}; class C{at} {{ C0 a = new C7(); }}" for at in range(count)}
    used = "\n".join(f"global using Shop.N{at};" for at in range(9))
    resolver = Resolver(
        InMemory({path: map_of(path, text.encode()) for path, text in files.items()}, {"Usings.cs": used})
    )
    tracemalloc.start()
    found = [resolver.edges(path) for path in files]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(found)
    assert most < 8_000_000


def test_types_of_one_name_are_told_apart_by_how_many_arguments_they_take() -> None:
    pipe = "namespace P;\npublic partial class Pipe{0} {{ {1} }}\n"
    builder = "public class Builder { public Pipe Build() => null; }\n"
    builder_of = "public class Builder<T> { public Pipe<T> Build() => null; }\n"
    adding = (
        "public static Builder Add(this Builder b) => b; public static Builder<T> Add<T>(this Builder<T> b, T t) => b;"
    )
    told = leads(
        {
            "A.cs": pipe.format("", "public void Run() {}"),
            "AT.cs": pipe.format("<T>", "private int one;"),
            "BT.cs": pipe.format("<T>", "public void Run() {}"),
            "Builder.cs": f"namespace P;\n{builder}",
            "BuilderT.cs": f"namespace P;\n{builder_of}",
            "Adding.cs": f"namespace P;\npublic static class Adding {{ {adding} }}\n",
            "Use.cs": "namespace P;\nclass Use {\n"
            "  void Declared(Pipe plain, Pipe<int> typed) { plain.Run(); typed.Run(); }\n"
            "  void Made() { var bare = new Pipe(); var filled = new Pipe<int>(); bare.Run(); filled.Run(); }\n"
            "  void Built() { var one = new Builder().Add().Build(); var many = new Builder<int>().Add(3).Build();\n"
            "    one.Run(); many.Run(); }\n}\n",
        }
    )
    runs = {chain.partition(".")[0]: to for (path, chain), to in told.items() if chain.endswith(".Run")}
    assert {name for name, to in runs.items() if to == "A.cs:Pipe.Run"} == {"plain", "bare", "one"}
    assert {name for name, to in runs.items() if to == "BT.cs:Pipe.Run"} == {"typed", "filled", "many"}
