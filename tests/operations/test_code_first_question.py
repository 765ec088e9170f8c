"""code: the first question is answered from a map in which calls are known by their names alone. It must find the
files in which the calls stand all the same."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.store.code.reader import MapReader

from .conftest import PROJECT, Do


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


@pytest.mark.parametrize(
    ("files", "calls"),
    [
        (
            {
                "Animal.cs": "class Animal {\n Animal(int age) { }\n Animal() : this(1) { }\n}\n",
                "Dog.cs": "class Dog : Animal {\n Dog() : base(3) { }\n}\n",
            },
            {"Animal.Animal", "Dog.Dog"},
        ),
        (
            {
                "animal.ts": "export class Animal { constructor(age: number) {} }\n",
                "dog.ts": "import { Animal as Beast } from './animal'\n"
                "class Dog extends Beast { constructor() { super(3) } }\n",
            },
            {"Dog.constructor"},
        ),
        (
            {
                "animal.py": "class Animal:\n    def __init__(self, age): ...\n",
                "dog.py": "import animal\nclass Dog(animal.Animal):\n    def __init__(self):\n"
                "        super().__init__(3)\n",
            },
            {"Dog.__init__"},
        ),
        (
            {
                "Animal.php": "<?php\nclass Animal { function __construct($age) {} }\n",
                "Dog.php": "<?php\nclass Dog extends Animal { function __construct() { parent::__construct(3); } }\n",
            },
            {"Dog.__construct"},
        ),
    ],
)
def test_what_makes_one_of_a_type_through_a_type_below_it_is_found(
    do: Do, root: Path, files: dict[str, str], calls: set[str]
) -> None:
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    first = do("code_callers", symbol="Animal")
    assert {one.name for one in first.items} == calls
    do("memory_map")
    assert do("code_callers", symbol="Animal").items == first.items


def test_a_constructor_of_csharp_that_calls_another_is_read_with_arguments_of_its_type(do: Do, root: Path) -> None:
    text = "class Box<T> {\n Box(int n) { }\n Box() : this(1) { }\n}\nclass Box {\n Box(string s) { }\n}\n"
    (root / "Box.cs").write_text(text, encoding="utf-8")
    assert [(one.line, one.name) for one in do("code_callers", symbol="Box.cs:1").items] == [(3, "Box.Box")]


@pytest.mark.parametrize(
    "files",
    [
        {
            "x.ts": "export function made() {}\n",
            "index.ts": "export { made as build } from './x'\n",
            "use.ts": "import { build } from './index'\nexport function use() { build() }\n",
        },
        {
            "x.ts": "export function made() {}\n",
            "between.ts": "import { made } from './x'\nexport { made as built }\n",
            "index.ts": "export { built as build } from './between'\n",
            "use.ts": "import { build } from './index'\nexport function use() { build() }\n",
        },
        {
            "shop/x.py": "def made(): ...\n",
            "shop/__init__.py": "from .x import made as build\n",
            "use.py": "import shop\ndef use():\n    shop.build()\n",
        },
    ],
)
def test_calls_by_another_name_under_which_a_file_hands_it_on_are_found(
    do: Do, root: Path, files: dict[str, str]
) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "other.ts").write_text("import { build } from './nowhere'\nexport function other() { build() }\n")
    assert {one.name for one in do("code_callers", symbol="made").items} == {"use"}


def test_they_are_found_though_the_file_that_hands_it_on_was_asked_about_before(do: Do, root: Path) -> None:
    (root / "x.ts").write_text("export function made() {}\n")
    (root / "index.ts").write_text("export { made as build } from './x'\nexport function own() { made() }\n")
    (root / "use.ts").write_text("import { build } from './index'\nexport function use() { build() }\n")
    do("code_callees", symbol="own")
    assert {one.name for one in do("code_callers", symbol="made").items} == {"use"}


def test_a_file_that_hands_on_hundreds_in_a_row_is_read_once(
    root: Path, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "made.ts").write_text("export function made0() {}\n", encoding="utf-8")
    row = "".join(f"export {{ made{at} as made{at + 1} }} from './made'\n" for at in range(300))
    (root / "row.ts").write_text(row, encoding="utf-8")
    read: list[int] = []
    outline = MapReader.outline

    def noted(self: MapReader, file: int, *, bare: bool = False) -> Any:
        read.append(file)
        return outline(self, file, bare=bare)

    monkeypatch.setattr(MapReader, "outline", noted)
    assert do("code_callers", symbol="made0").total == 0
    assert 0 < len(read) < 20
