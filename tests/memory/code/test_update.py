"""Bringing a map up to date gives what a new map would, and remembers what was."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.memory.code.callers import loose_sites
from marrow.memory.code.changes import changes
from marrow.memory.code.history import history
from marrow.memory.code.kept_map import KeptMap, map_at
from marrow.memory.code.since import Since
from marrow.store.code import MapFile

from .conftest import Project, edges, symbol

Step = Callable[[Project], None]


def _rename_function(project: Project) -> None:
    project.replace("shop/lines.py", "def joined", "def glued")


def _rename_everywhere(project: Project) -> None:
    for path in ("shop/lines.py", "shop/store.py", "shop/main.py"):
        project.replace(path, "joined", "glued")


def _move_file(project: Project) -> None:
    os.rename(project.root / "shop/lines.py", project.root / "shop/texts.py")


def _move_file_and_imports(project: Project) -> None:
    _move_file(project)
    project.replace("shop/store.py", "from .lines", "from .texts")
    project.replace("shop/main.py", "shop.lines", "shop.texts")


def _delete(project: Project) -> None:
    os.unlink(project.root / "shop/lines.py")


def _insert_before(project: Project) -> None:
    project.replace("shop/store.py", "class Base:", "def first():\n    return joined([])\n\n\nclass Base:")


def _override(project: Project) -> None:
    project.replace(
        "shop/store.py", "    def save", "    def close(self) -> None:\n        return None\n\n    def save"
    )


def _new_file(project: Project) -> None:
    project.write("unknown_thing.py", "def frobnicate():\n    return 1\n")
    project.replace("shop/main.py", "from shop import", "import unknown_thing\nfrom shop import")


def _other_base(project: Project) -> None:
    project.replace("shop/store.py", "class Store(Base):", "class Store:")


def _no_export(project: Project) -> None:
    project.write("shop/__init__.py", "")


def _broken_call(project: Project) -> None:
    project.replace("shop/main.py", "joined([])", "print(1)")


STEPS: list[Step] = [
    _rename_function,
    _rename_everywhere,
    _move_file,
    _move_file_and_imports,
    _delete,
    _insert_before,
    _override,
    _new_file,
    _other_base,
    _no_export,
    _broken_call,
]


def fresh(project: Project, folder: Path) -> KeptMap:
    kept = KeptMap(project.kept.root, MapFile(folder / "fresh.map"))
    kept.rebuild(1)
    return kept


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__.strip("_"))
def test_an_update_gives_what_a_new_map_would(mapped: Project, tmp_path: Path, step: Step) -> None:
    step(mapped)
    mapped.update()
    assert edges(mapped.kept) == edges(fresh(mapped, tmp_path))


@pytest.mark.parametrize("seed", range(6))
def test_many_updates_give_what_a_new_map_would(mapped: Project, tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    texts = [
        "def joined(rows):\n    return helper(rows)\n\n\ndef helper(x):\n    return x\n",
        "from .store import Store\n\n\ndef joined(rows):\n    return Store('a').save(rows)\n",
        "class Base:\n    def close(self):\n        return joined([])\n\n\ndef joined(r):\n    return r\n",
        "from .lines import *\n\n\nclass Store(Base):\n    def save(self, r):\n        return self.close()\n",
        "def save(x):\n    return x\n",
        "from shop.lines import joined\n\n\ndef outer(x):\n    def joined(r):\n        return r\n\n    joined(x)\n",
        "from shop.lines import joined\n\n\ndef outer(x):\n    return joined(x)\n",
        "from shop.store import Store\n\n\ndef outer(x: Store):\n    x.save([])\n\n\ndef helper():\n    return 1\n",
        "from shop.store import Store\n\n\ndef outer(x):\n    x = Store('a')\n    return x.save([]), helper()\n",
        "import shop.lines as lines\n\n\nclass Base:\n    def save(self):\n        return lines.joined([])\n",
    ]
    for _ in range(20):
        path = chosen.choice(["shop/lines.py", "shop/store.py", "shop/extra.py", "shop/main.py"])
        if chosen.random() < 0.2 and (mapped.root / path).exists():
            os.unlink(mapped.root / path)
        else:
            mapped.write(path, chosen.choice(texts))
        mapped.update()
    assert edges(mapped.kept) == edges(fresh(mapped, tmp_path))


def test_nothing_changed_is_nothing_done(mapped: Project) -> None:
    assert not mapped.kept.update(5_000)
    os.utime(mapped.root / "shop/lines.py", ns=(1, 1))
    assert not mapped.kept.update(6_000)


def test_only_the_file_that_changed_is_parsed(mapped: Project) -> None:
    mapped.replace("shop/lines.py", '", "', '"; "')
    done = mapped.kept.update(5_000)
    assert (done.parsed, done.resolved) == (1, 1)


def test_only_the_files_that_were_named_are_looked_at(mapped: Project) -> None:
    mapped.replace("shop/lines.py", '", "', '"; "')
    mapped.replace("shop/main.py", "here", "there")
    assert mapped.kept.update(5_000, only=["shop/lines.py"]).parsed == 1
    assert mapped.kept.update(6_000).parsed == 1


def test_without_a_map_nothing_is_made_for_a_file_alone(project: Project) -> None:
    assert not project.kept.update(5_000, only=["shop/lines.py"])
    assert not project.kept.has_map()


def test_another_process_that_updates_is_noticed(mapped: Project) -> None:
    other = KeptMap(mapped.kept.root, MapFile(mapped.kept.file.path))
    mapped.replace("shop/lines.py", "def joined", "def glued")
    assert other.update(5_000).parsed == 1
    assert not mapped.kept.update(6_000)
    mapped.replace("shop/lines.py", "def glued", "def pasted")
    assert mapped.kept.update(7_000).parsed == 1
    with other.reading() as reader:
        assert len(reader.symbols_named("pasted")) == 1


def test_a_file_that_does_not_parse_keeps_its_last_map_and_is_marked(mapped: Project) -> None:
    mapped.write("shop/lines.py", "<<<<<<< ((((( ]]]]] ===== \x01\x02 {{{{ \n")
    mapped.update()
    with mapped.kept.reading() as reader:
        row = reader.file_at("shop/lines.py")
        assert row is not None
        assert row.state == "kept"
        assert len(reader.symbols_named("joined")) == 1
    mapped.write("shop/lines.py", "def joined(rows):\n    return rows\n")
    mapped.update()
    with mapped.kept.reading() as reader:
        row = reader.file_at("shop/lines.py")
        assert row is not None
        assert row.state == "mapped"


def what_since(project: Project, at: int) -> set[tuple[str, str, str]]:
    with project.kept.reading() as reader:
        found = changes(reader, project.kept.root, Since("", at=at)).found
    return {(one.what, one.path, one.symbol.qualified) for one in found}


def test_what_changed_since_a_time_is_known_by_content(mapped: Project) -> None:
    before = mapped.now
    mapped.replace("shop/store.py", "return text", "return text.strip()")
    mapped.replace("shop/main.py", "def main", "def helper():\n    return 1\n\n\ndef main")
    mapped.update()
    middle = mapped.now
    mapped.replace("shop/main.py", "def helper():\n    return 1\n", "")
    mapped.update()
    assert what_since(mapped, before) == {
        ("modified", "shop/store.py", "Store.save"),
        ("deleted", "shop/main.py", "helper"),
    }
    assert what_since(mapped, middle) == {("deleted", "shop/main.py", "helper")}
    assert what_since(mapped, mapped.now) == set()


def test_a_renamed_and_a_moved_function_keep_their_past(mapped: Project) -> None:
    start = mapped.now
    mapped.replace("shop/lines.py", "sorted(rows)", "sorted(set(rows))")
    first = mapped.update()
    _rename_everywhere(mapped)
    second = mapped.update()
    body = 'def glued(rows):\n    found = sorted(set(rows))\n    return ", ".join(found)\n'
    mapped.replace("shop/lines.py", body, "from .texts import glued\n")
    mapped.write("shop/texts.py", body)
    third = mapped.update()
    with mapped.kept.reading() as reader:
        found = history(reader, symbol(reader, "glued"))
        assert [(one.path, one.qualified, one.became, one.last) for one in found] == [
            ("shop/lines.py", "joined", "modified", first),
            ("shop/lines.py", "joined", "renamed", second),
            ("shop/lines.py", "glued", "moved", third),
        ]
    assert ("moved", "shop/texts.py", "glued") in what_since(mapped, second)
    assert ("renamed", "shop/lines.py", "glued") not in what_since(mapped, second)
    assert start < first < second < third


def test_a_renamed_file_keeps_its_symbols_and_their_past(mapped: Project) -> None:
    mapped.replace("shop/lines.py", "sorted(rows)", "sorted(set(rows))")
    mapped.update()
    with mapped.kept.reading() as reader:
        before = symbol(reader, "joined").id
    _move_file(mapped)
    done = mapped.kept.update(9_000)
    assert (done.renamed, done.parsed) == (1, 0)
    with mapped.kept.reading() as reader:
        found = symbol(reader, "joined")
        assert (found.id, found.path) == (before, "shop/texts.py")
        assert [one.became for one in history(reader, found)] == ["modified"]


def test_two_maps_of_two_checkouts_are_two_files(mapped: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert map_at(tmp_path / "maps", str(other)).file.path != mapped.kept.file.path
    assert map_at(tmp_path / "maps", str(mapped.root)) is mapped.kept


def test_what_changed_since_a_commit_is_read_from_git(project: Project) -> None:
    project.commit()
    project.replace("shop/store.py", "return text", "return text.strip()")
    project.replace("shop/lines.py", "def unused", "def spare")
    project.write("shop/extra.py", "def fresh_one():\n    return 1\n")
    os.unlink(project.root / "tests/test_store.py")
    project.update()
    with project.kept.reading() as reader:
        found = changes(reader, project.kept.root, Since("", "HEAD")).found
    assert {(one.what, one.path, one.symbol.qualified) for one in found} == {
        ("modified", "shop/store.py", "Store.save"),
        ("renamed", "shop/lines.py", "spare"),
        ("new", "shop/extra.py", "fresh_one"),
        ("deleted", "tests/test_store.py", "test_saving"),
    }


def test_a_map_whose_calls_wait_becomes_what_a_whole_one_is(project: Project, tmp_path: Path) -> None:
    project.kept.update(1, whole=False)
    assert edges(project.kept) == set()
    with project.kept.reading() as reader:
        assert len(reader.loose("joined")) == 3
    project.kept.update(2)
    other = fresh(project, tmp_path)
    assert edges(project.kept) == edges(other)
    with project.kept.reading() as reader, other.reading() as whole:
        assert {name: len(reader.loose(name)) for name in ("joined", "frobnicate", "sorted")} == {
            name: len(whole.loose(name)) for name in ("joined", "frobnicate", "sorted")
        }


def test_workers_resolve_what_waits_as_this_process_does(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marrow.memory.code.kept_map.ALONE_MAX", 0)
    monkeypatch.setattr("marrow.memory.code.build.PART_FILES", 2)
    project.kept.update(1, whole=False)
    project.kept.update(2)
    assert project.kept.is_whole()
    other = fresh(project, tmp_path)
    assert edges(project.kept) == edges(other)
    with project.kept.reading() as reader, other.reading() as whole:
        for name in ("joined", "frobnicate", "sorted", "save"):
            assert len(reader.loose(name)) == len(whole.loose(name))


def test_a_question_resolves_what_it_needs_and_leaves_the_rest(project: Project) -> None:
    project.write("shop/apart.py", "def apart():\n    return print(1)\n")
    project.write("shop/alias.py", "from .lines import joined as glue\n\n\ndef there():\n    return glue([])\n")
    project.kept.update(1, whole=False)
    assert project.kept.resolve_for(["joined"]) > 0
    found = {(caller, target) for _, caller, _, target in edges(project.kept)}
    assert {("main", "joined"), ("Store.save", "joined"), ("unused", "joined"), ("there", "joined")} <= found
    assert not project.kept.is_whole()


def test_a_manifest_that_changed_makes_the_files_under_it_wait(mapped: Project) -> None:
    mapped.write("web/package.json", "{}")
    mapped.write("web/a.js", "export function a() { return 1 }\n")
    mapped.update()
    mapped.write("web/package.json", '{"name": "web"}')
    assert mapped.kept.update(9_000, whole=False).parsed == 0
    with mapped.kept.reading() as reader:
        rows = {row.path: row.stale for row in reader.files()}
    assert (rows["web/a.js"], rows["shop/main.py"]) == (1, 0)
    mapped.update()
    assert mapped.kept.is_whole()


def test_who_calls_a_name_that_nothing_has_is_known_when_other_symbols_came_before_it(mapped: Project) -> None:
    mapped.replace("shop/main.py", "def main():", "def first():\n    return 1\n\n\ndef main():")
    mapped.update()
    with mapped.kept.reading() as reader:
        (site,) = loose_sites(reader, "frobnicate", reader.loose("frobnicate"))
    assert site.caller is not None
    assert (site.caller.qualified, site.chain) == ("main", "unknown_thing.frobnicate")
