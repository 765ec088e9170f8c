"""A change in one file reaches those whose calls lead elsewhere because of it: an update gives what a new map would."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from marrow.memory.code.kept_map import KeptMap
from marrow.store.code import MapFile

from .conftest import edges

TWO = "class A:\n    def go(self):\n        pass\n\n\nclass B:\n    def go(self):\n        pass\n"
ALIAS = '{"compilerOptions": {"baseUrl": ".", "paths": {"@x/*": ["%s/*"]}}}'


class Case(NamedTuple):
    """`moved` are files that are renamed, `after` files that are written then, or taken away."""

    before: dict[str, str]
    after: Mapping[str, str | None] = MappingProxyType({})
    moved: Mapping[str, str] = MappingProxyType({})


EXTENSION = "namespace Shop.%s; static class Adding { public static void %s(this Builder b) { } }\n"
SHOP = {
    "Builder.cs": "namespace Shop; public class Builder { }\n",
    "far/A.cs": EXTENSION % ("A", "Go"),
    "App.cs": "using Shop;\nusing Shop.B;\nclass App { void Run() { new Builder().Go(); } }\n",
}
CASES = {
    "another_extension_of_the_name_comes_and_is_the_one_that_is_seen": Case(
        SHOP, {"far/B.cs": EXTENSION % ("B", "Go")}
    ),
    "an_extension_gets_the_name_of_another": Case(
        {**SHOP, "near/B.cs": EXTENSION % ("B", "Stop")}, {"near/B.cs": EXTENSION % ("B", "Go")}
    ),
    "the_extension_that_is_seen_goes": Case({**SHOP, "near/B.cs": EXTENSION % ("B", "Go")}, {"near/B.cs": None}),
    "an_extension_goes_to_another_namespace": Case(
        {**SHOP, "near/B.cs": EXTENSION % ("C", "Go")}, {"near/B.cs": EXTENSION % ("B", "Go")}
    ),
    "another_namespace_is_opened_where_an_extension_is_called": Case(
        {**SHOP, "near/B.cs": EXTENSION % ("B", "Go")},
        {"App.cs": SHOP["App.cs"].replace("using Shop.B;", "using Shop.A;")},
    ),
    "a_renamed_file_is_what_others_import": Case(
        {
            "a.py": "def f():\n    return 1\n",
            "other.py": "def f():\n    return 2\n",
            "c.py": "from b import f\n\nf()\n",
        },
        moved={"a.py": "b.py"},
    ),
    "everything_of_another_module_is_handed_on": Case(
        {
            "p/__init__.py": "from .a import *\n",
            "p/a.py": "def f():\n    pass\n",
            "p/b.py": "def f():\n    pass\n",
            "c.py": "import p\n\np.f()\n",
        },
        {"p/__init__.py": "from .b import *\n"},
    ),
    "what_a_function_gives_back_through_another": Case(
        {
            "two.py": TWO,
            "a.py": "from two import A, B\n\n\ndef inner():\n    return A()\n",
            "m.py": "from a import inner\n\n\ndef middle():\n    return inner()\n",
            "c.py": "from m import middle\n\nmiddle().go()\n",
        },
        {"a.py": "from two import A, B\n\n\ndef inner():\n    return B()\n"},
    ),
    "a_field_of_a_type_two_above": Case(
        {
            "two.py": TWO,
            "a.py": "from two import A, B\n\n\nclass Base:\n    def __init__(self):\n        self.x = A()\n",
            "m.py": "from a import Base\n\n\nclass Middle(Base):\n    pass\n",
            "c.py": "from m import Middle\n\n\nclass C(Middle):\n    def use(self):\n        self.x.go()\n",
        },
        {"a.py": "from two import A, B\n\n\nclass Base:\n    def __init__(self):\n        self.x = B()\n"},
    ),
    "a_new_file_takes_the_place_of_a_folder": Case(
        {"lib/index.ts": "export function f() {}\n", "c.ts": 'import { f } from "./lib";\nf();\n'},
        {"lib.ts": "export function f() { return 1; }\n"},
    ),
    "a_file_that_a_manifest_stands_on": Case(
        {
            "tsconfig.base.json": ALIAS % "src",
            "tsconfig.json": '{"extends": "./tsconfig.base.json"}',
            "src/a.ts": "export function f() {}\n",
            "other/a.ts": "export function f() {}\n",
            "c.ts": 'import { f } from "@x/a";\nf();\n',
        },
        {"tsconfig.base.json": ALIAS % "other"},
    ),
    "a_manifest_that_went": Case(
        {
            "go.mod": "module ex.com/m\n",
            "a/a.go": "package a\n\nfunc F() {}\n",
            "b/a.go": "package a\n\nfunc F() {}\n",
            "main.go": 'package main\n\nimport "ex.com/m/a"\n\nfunc main() { a.F() }\n',
        },
        {"go.mod": None},
    ),
    "a_file_of_another_package": Case(
        {
            "p/A.java": "package p;\npublic class A { public void go() {} }\n",
            "q/B.java": "package q;\nimport p.A;\nclass B { void use() { new A().go(); } }\n",
        },
        {"p/A.java": "package r;\npublic class A { public void go() {} }\n"},
    ),
    "which_comes_first_is_said_by_paths_and_not_by_when_it_came": Case(
        {"b.sql": "CREATE TABLE boxes (id int);\n", "use.sql": "SELECT id FROM boxes;\n"},
        {"a.sql": "CREATE TABLE boxes (id int, name text);\n"},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_update_reaches_the_calls_that_lead_elsewhere(tmp_path: Path, case: Case) -> None:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for path, text in case.before.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    kept = KeptMap(os.path.realpath(root), MapFile(tmp_path / "kept.map"))
    kept.update(1)
    before = edges(kept)
    for old, new in case.moved.items():
        os.rename(root / old, root / new)
    for path, after in case.after.items():
        if after is None:
            (root / path).unlink()
        else:
            (root / path).write_text(after, encoding="utf-8")
    kept.update(2)
    fresh = KeptMap(kept.root, MapFile(tmp_path / "fresh.map"))
    fresh.update(1)
    assert edges(kept) == edges(fresh)
    assert edges(fresh) != before  # the case is one
