"""The resolver, on small projects: what a call leads to, and by which reason."""

from __future__ import annotations

import gc
import weakref

import pytest

from marrow.codemap.facts import InMemory
from marrow.codemap.languages.table import language
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import FileMap


def resolved(files: dict[str, str], path: str) -> dict[str, tuple[str, str]]:
    """chain → (path:qualified, reason) of each call of a file that was resolved."""
    maps = {name: map_of(name, text.encode()) for name, text in files.items()}
    edges = Resolver(InMemory(maps)).edges(path)
    return {
        maps[path].calls[e.call].chain: (f"{e.path}:{maps[e.path].symbols[e.symbol].qualified}", e.reason)
        for e in edges
    }


def test_a_function_of_the_same_file_is_local() -> None:
    assert resolved({"a.py": "def f(): pass\ndef g(): f()"}, "a.py") == {"f": ("a.py:f", "local")}


def test_an_import_is_followed_through_packages_and_what_they_hand_on() -> None:
    files = {
        "p/__init__.py": "from .deep import made as built\nfrom . import other",
        "p/deep.py": "def made(): pass",
        "p/other.py": "from .deep import *",
        "q.py": "from p import built, other\nimport p.deep\nimport p.other as o\n"
        "built()\nother.made()\np.deep.made()\no.made()",
    }
    assert resolved(files, "q.py") == dict.fromkeys(
        ("built", "other.made", "p.deep.made", "o.made"), ("p/deep.py:made", "import")
    )


def test_packages_below_a_source_folder_are_found_by_their_names() -> None:
    files = {"src/p/__init__.py": "", "src/p/a.py": "def f(): pass", "tests/test_a.py": "from p.a import f\nf()"}
    assert resolved(files, "tests/test_a.py") == {"f": ("src/p/a.py:f", "import")}


def test_self_super_and_inherited_methods_are_told_apart() -> None:
    files = {
        "a.py": "class A:\n    def f(self): pass\n    def g(self): pass\n"
        "class B(A):\n    def f(self):\n        super().f()\n        self.g()\n        self.h()\n    def h(self): pass"
    }
    assert resolved(files, "a.py") == {
        "super().f": ("a.py:A.f", "super"),
        "self.g": ("a.py:A.g", "inherited"),
        "self.h": ("a.py:B.h", "self"),
    }


def test_types_of_parameters_fields_and_results_are_followed() -> None:
    files = {
        "store.py": "class Reader:\n    def one(self): pass\nclass Store:\n    def reading(self) -> Reader: ...\n",
        "app.py": "from store import Store\n"
        "class App:\n    def __init__(self, store: Store | None):\n        self.store = store\n"
        "    def run(self):\n        self.store.reading().one()\n",
    }
    found = resolved(files, "app.py")
    assert found["self.store.reading().one"] == ("store.py:Reader.one", "typed")
    assert found["self.store.reading"] == ("store.py:Store.reading", "inferred")


def test_what_was_made_returned_or_iterated_over_is_inferred() -> None:
    files = {
        "a.py": "class Row:\n    def save(self): pass\n"
        "def make(): return Row()\n"
        "def f(rows: list[Row]):\n    row = make()\n    row.save()\n    for one in rows: one.save()\n"
        "    with make() as other: other.save()\n"
    }
    found = resolved(files, "a.py")
    assert found["Row"] == ("a.py:Row", "constructor")
    assert {found[chain][0] for chain in ("row.save", "one.save", "other.save")} == {"a.py:Row.save"}


def test_a_property_is_read_and_not_called() -> None:
    files = {
        "a.py": "class Row:\n    def save(self): pass\n"
        "class Table:\n    @property\n    def row(self) -> Row: ...\n    def f(self): self.row.save()\n"
    }
    assert resolved(files, "a.py") == {"self.row.save": ("a.py:Row.save", "typed")}


def test_what_comes_from_outside_is_not_taken_for_ours() -> None:
    files = {"a.py": "import requests\nclass Mine:\n    def fetch(self): pass\ndef f(): requests.session().fetch()\n"}
    assert resolved(files, "a.py") == {}


def test_the_only_one_of_a_name_is_taken_where_nothing_is_known_but_not_for_common_names() -> None:
    text = "class Mine:\n    def reticulate(self): pass\n    def get(self): pass\n"
    text += "def f(x):\n    x.reticulate()\n    x.get()\n"
    assert resolved({"a.py": text}, "a.py") == {"x.reticulate": ("a.py:Mine.reticulate", "unique")}


def test_a_parameter_hides_what_has_its_name_outside() -> None:
    assert resolved({"a.py": "def f(): pass\ndef g(f): f()"}, "a.py") == {}


def test_circles_of_imports_bases_and_values_come_to_an_end() -> None:
    files = {
        "a.py": "from b import x\nclass A(B): pass\nclass B(A):\n    def f(self): self.g()\nx = y\ny = x\nx.run()",
        "b.py": "from a import x\nfrom a import *",
    }
    assert resolved(files, "a.py") == {}


@pytest.mark.parametrize(
    ("name", "path", "module"),
    [
        ("python", "a/b.py", "a.c"),
        ("rust", "src/lib.rs", "crate.c"),
        ("go", "a/b.go", "example.org/c"),
        ("typescript", "a/b.ts", "./c"),
        ("java", "a/B.java", "a.C"),
        ("cpp", "a/b.cc", "c.h"),
        ("php", "a/b.php", "C"),
        ("ruby", "a/b.rb", "c"),
    ],
)
def test_nothing_keeps_a_project_whose_imports_were_followed(name: str, path: str, module: str) -> None:
    project = InMemory({path: FileMap(name)})
    find = language(name).rules.finder(project)
    find(path, module)
    kept = weakref.ref(project)
    del find, project
    gc.collect()
    assert kept() is None


def test_a_name_with_a_dollar_is_looked_up_whole() -> None:
    js = "function load$1() {}\nfunction outer() { function load$1() {} load$1(); }\n"
    assert resolved({"a.js": js}, "a.js") == {"load$1": ("a.js:outer.load$1", "local")}
    ts = "class S { run() {} }\nfunction f() { const s$ = new S(); s$.run(); }\n"
    assert resolved({"b.ts": ts}, "b.ts")["s$.run"][0] == "b.ts:S.run"
