"""code: a file that has another name now and is otherwise what it was."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory

from .conftest import PROJECT, Do

FILES = {
    "src/cart.ts": "export function checkout(n: number) {\n  return n;\n}\n\nexport class Cart {\n  add() {}\n}\n",
    "src/main.ts": 'import { Cart, checkout } from "./cart";\n\nexport function run() {\n'
    "  new Cart();\n  return checkout(1);\n}\n",
    "src/other.ts": "export function other(checkout: () => void) {\n  checkout();\n}\n",
    "go.mod": "module example.org/shop\n",
    "store/open.go": "package store\n\nfunc Open(path string) int {\n\treturn 1\n}\n",
    "store/used.go": 'package store\n\nfunc used() int {\n\treturn Open("a")\n}\n',
    "main.go": 'package main\n\nimport "example.org/shop/store"\n\nfunc main() {\n\tstore.Open("a")\n}\n',
    "tool/__init__.py": "",
    "tool/lines.py": "def joined(rows):\n    return sorted(rows)\n",
    "tool/main.py": "from tool import lines\n\n\ndef main():\n    return lines.joined([])\n",
}


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "The shop")
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


def test_changes_say_that_a_file_has_another_name(do: Do, said: Do, root: Path) -> None:
    git(root, "mv", "src/cart.ts", "src/basket.ts")
    found = do("code_changes")
    assert found.items == ()
    assert found.renamed == ({"path": "src/basket.ts", "was": "src/cart.ts"},)
    assert "renamed  src/basket.ts (was src/cart.ts), as it is" in said("code_changes").splitlines()
    assert said("code_changes", path="store").startswith("Nothing changed")


def test_impact_of_a_renamed_file_is_who_still_calls_it_by_its_old_name(do: Do, said: Do, root: Path) -> None:
    git(root, "mv", "src/cart.ts", "src/basket.ts")
    found = {
        (one.what, one.name): [(place.path, place.line) for place in one.places] for one in do("code_impact").broken
    }
    assert found == {("moved", "checkout"): [("src/main.ts", 5)], ("moved", "Cart"): [("src/main.ts", 4)]}
    assert "  moved checkout (was in src/cart.ts): 1 place" in said("code_impact").splitlines()


def test_what_is_called_by_the_name_of_its_module_or_package_is_missed_too(do: Do, root: Path) -> None:
    (root / "keep").mkdir()
    git(root, "mv", "tool/lines.py", "tool/rows.py")
    git(root, "mv", "store/open.go", "keep/open.go")
    found = {one.name: sorted(place.path for place in one.places) for one in do("code_impact").broken}
    assert found == {"joined": ["tool/main.py"], "Open": ["main.go", "store/used.go"]}


def test_a_renamed_file_that_nobody_misses_is_said_to_be(do: Do, said: Do, root: Path) -> None:
    git(root, "mv", "store/open.go", "store/opened.go")
    git(root, "mv", "src/cart.ts", "src/basket.ts")
    text = (root / "src/main.ts").read_text(encoding="utf-8")
    (root / "src/main.ts").write_text(text.replace("./cart", "./basket"), encoding="utf-8")
    assert do("code_impact").broken == ()
    assert said("code_impact").splitlines()[0] == (
        "renamed as they are: src/basket.ts (was src/cart.ts), store/opened.go (was store/open.go); no call misses them"
    )
