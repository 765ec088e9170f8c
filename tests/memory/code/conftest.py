"""A small project to map: files that call each other, in a repository of git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from marrow.memory.code.kept_map import KeptMap, map_at
from marrow.store.code import Known, MapReader

FILES = {
    "shop/__init__.py": "from .store import Store\n",
    "shop/store.py": '''"""Keeps things."""

from .lines import joined


class Base:
    def close(self) -> None:
        """Let go."""
        self.flush()

    def flush(self) -> None:
        return None


class Store(Base):
    def __init__(self, path: str) -> None:
        self.path = path

    def save(self, rows: list[str]) -> str:
        text = joined(rows)
        self.flush()
        return text
''',
    "shop/lines.py": """def joined(rows):
    found = sorted(rows)
    return ", ".join(found)


def unused(rows):
    return joined(rows)
""",
    "shop/main.py": """from shop import Store
from shop.lines import joined


def main():
    store = Store("here")
    store.save(["a"])
    store.close()
    joined([])
    unknown_thing.frobnicate()


if __name__ == "__main__":
    main()
""",
    "tests/test_store.py": """from shop.store import Store


def test_saving():
    assert Store("x").save([]) == ""
""",
    "README.md": "# The shop\n\n## How it works\n",
    "data.bin": "not code\n",
}


class Project:
    """A project in a folder, with its map. Time goes on by a step with each update."""

    def __init__(self, root: Path, maps: Path) -> None:
        self.root = root
        self.kept: KeptMap = map_at(maps, str(root))
        self.now = 1_000

    def write(self, path: str, text: str) -> None:
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def update(self) -> int:
        """Bring the map up to date; the time at which that was."""
        self.now += 1_000
        self.kept.update(self.now)
        return self.now

    def git(self, *arguments: str) -> None:
        about = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(self.root), *about, *arguments], check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a step")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    found = Project(root, tmp_path / "maps")
    for path, text in FILES.items():
        found.write(path, text)
    found.git("init", "-q")
    return found


@pytest.fixture
def mapped(project: Project) -> Project:
    project.update()
    return project


def symbol(reader: MapReader, qualified: str, path: str = "") -> Known:
    name = qualified.rpartition(".")[2]
    (found,) = (
        one for one in reader.symbols_named(name) if one.qualified == qualified and (not path or one.path == path)
    )
    return found


Edges = set[tuple[str, str, str, str]]


def edges(kept: KeptMap) -> Edges:
    """Every resolved call, as texts, told twice: by who calls and by what is called."""
    by_caller: Edges = set()
    by_target: Edges = set()
    with kept.reading() as reader:
        for row in reader.files():
            outline = reader.outline(row.id)
            if outline is None:
                continue
            symbols, calls = outline[0].symbols, reader.calls(row.id)
            for link in reader.links(row.id):
                target = reader.symbol(link.target)
                assert target is not None
                scope = calls[link.call].scope
                caller = symbols[scope].qualified if scope >= 0 else ""
                by_caller.add((row.path, caller, target.path, target.qualified))
            for one in reader.symbols_of(row.id):
                for source, places in reader.incoming(one.id):
                    file = reader.file(source)
                    assert file is not None
                    for place in places:
                        around = reader.symbol(source << 20 | place.caller) if place.caller >= 0 else None
                        name = around.qualified if around is not None else ""
                        by_target.add((file.path, name, one.path, one.qualified))
    assert by_caller == by_target
    return by_caller
