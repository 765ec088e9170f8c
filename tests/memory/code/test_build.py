"""The first map: files, symbols and calls are in it, and what is not mapped is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.memory.code.callees import callees
from marrow.memory.code.callers import callers
from marrow.memory.code.find import matching, one_symbol
from marrow.memory.code.kept_map import inside, map_at
from marrow.memory.code.orphans import orphans
from marrow.memory.code.pool import Pool
from marrow.memory.code.type_relations import contained_by, implementors, overridden, overrides, references
from marrow.memory.code.worker import PARSE
from marrow.model.errors import Ambiguous, Invalid, NotFound
from marrow.store.code.reader import MapReader

from .conftest import Project, edges, symbol


def callers_of(reader: MapReader, qualified: str) -> set[str]:
    found = callers(reader, symbol(reader, qualified)).sites
    return {site.caller.qualified if site.caller else site.path for site in found}


def test_calls_lead_to_what_they_call_across_files(mapped: Project) -> None:
    found = edges(mapped.kept)
    assert ("shop/main.py", "main", "shop/lines.py", "joined") in found
    assert ("shop/store.py", "Store.save", "shop/lines.py", "joined") in found
    assert ("shop/main.py", "main", "shop/store.py", "Base.close") in found
    assert ("shop/main.py", "", "shop/main.py", "main") in found


def test_callers_have_a_reason_and_a_confidence(mapped: Project) -> None:
    with mapped.kept.reading() as reader:
        found = callers(reader, symbol(reader, "joined"))
        assert {(site.path, site.line) for site in found.sites} == {
            ("shop/store.py", 20),
            ("shop/lines.py", 7),
            ("shop/main.py", 9),
        }
        assert all(0.9 <= site.confidence <= 1 and site.reason for site in found.sites)


def test_making_one_is_calling_its_constructor(mapped: Project) -> None:
    with mapped.kept.reading() as reader:
        assert callers_of(reader, "Store") == callers_of(reader, "Store.__init__") == {"main", "test_saving"}


def test_what_is_not_resolved_is_kept_by_name(mapped: Project) -> None:
    with mapped.kept.reading() as reader:
        found = callees(reader, symbol(reader, "main"))
        assert "unknown_thing.frobnicate" in [one.chain for one in found.loose]
        assert {one.target.qualified for one in found.found if one.target} == {
            "Store",
            "Store.save",
            "Base.close",
            "joined",
        }
        (file,) = reader.loose("frobnicate")
        row = reader.file(file)
        assert row is not None
        assert row.path == "shop/main.py"


def test_types_above_and_below(mapped: Project) -> None:
    mapped.replace("shop/store.py", "    def save", "    def flush(self) -> None:\n        return None\n\n    def save")
    mapped.update()
    with mapped.kept.reading() as reader:
        assert [one.qualified for one in implementors(reader, symbol(reader, "Base"))] == ["Store"]
        assert [one.qualified for one in overrides(reader, symbol(reader, "Base.flush"))] == ["Store.flush"]
        assert [one.qualified for one in overridden(reader, symbol(reader, "Store.flush"))] == ["Base.flush"]
        assert [one.qualified for one in contained_by(reader, symbol(reader, "Store.save"))] == ["Store"]


def test_where_a_type_is_named(mapped: Project) -> None:
    mapped.write("shop/uses.py", "from .store import Store\n\n\ndef use(store: Store) -> None:\n    store.save([])\n")
    mapped.update()
    with mapped.kept.reading() as reader:
        found = [(one.symbol.qualified, one.how) for one in references(reader, symbol(reader, "Store"))]
        assert ("use", "uses") in found
        assert [(one.symbol.qualified, one.how) for one in references(reader, symbol(reader, "Base"))] == [
            ("Store", "extends")
        ]


def test_orphans_are_what_nobody_calls_without_entry_points_and_tests(mapped: Project) -> None:
    with mapped.kept.reading() as reader:
        assert [one.qualified for one in orphans(reader)] == ["unused"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("joined", "joined"),
        ("Store.save", "Store.save"),
        ("save", "Store.save"),
        ("shop/store.py:Store.save", "Store.save"),
        ("shop/store.py::save", "Store.save"),
        ("shop/store.py:20", "Store.save"),
        ("./shop/store.py:8", "Base.close"),
        ("shop.lines.joined", "joined"),
        ("Store::save()", "Store.save"),
    ],
)
def test_a_symbol_can_be_named_in_several_ways(mapped: Project, given: str, expected: str) -> None:
    with mapped.kept.reading() as reader:
        assert one_symbol(reader, given).qualified == expected


def test_a_name_of_several_lists_them(mapped: Project) -> None:
    mapped.write("shop/other.py", "class Other:\n    def save(self):\n        return 1\n")
    mapped.update()
    with mapped.kept.reading() as reader, pytest.raises(Ambiguous) as problem:
        one_symbol(reader, "save")
    assert "shop/other.py::Other.save" in problem.value.message
    assert "shop/store.py::Store.save" in problem.value.message


def test_an_unknown_name_is_told_with_the_nearest(mapped: Project) -> None:
    with mapped.kept.reading() as reader:
        with pytest.raises(NotFound) as problem:
            one_symbol(reader, "joinned")
        assert "joined" in problem.value.hint
        with pytest.raises(Invalid):
            matching(reader, "   ")


def test_what_is_ignored_is_not_mapped(project: Project) -> None:
    project.write(".gitignore", "made/\n")
    project.write("made/x.py", "def hidden():\n    return 1\n")
    project.update()
    with project.kept.reading() as reader:
        assert reader.symbols_named("hidden") == []
        assert reader.file_at("made/x.py") is None


def test_what_is_skipped_says_why(project: Project) -> None:
    project.write("big.py", "x = 1\n" * 200_000)
    project.write("made.py", "# @generated\ndef f():\n    return 1\n")
    project.write("long.js", "a=1;" * 10_000)
    (project.root / "binary.py").write_bytes(b"\x00\x01\x02")
    project.update()
    with project.kept.reading() as reader:
        rows = {row.path: row for row in reader.files()}
    assert {path: rows[path].reason for path in ("big.py", "made.py", "long.js", "binary.py")} == {
        "big.py": "huge",
        "made.py": "generated",
        "long.js": "minified",
        "binary.py": "binary",
    }


def test_a_link_out_of_the_project_is_not_followed(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def secret():\n    return 1\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "deep.py").write_text("def deep_secret():\n    return 1\n", encoding="utf-8")
    (project.root / "link.py").symlink_to(tmp_path / "outside.py")
    (project.root / "linked").symlink_to(tmp_path / "folder")
    project.update()
    with project.kept.reading() as reader:
        assert reader.symbols_named("secret") == reader.symbols_named("deep_secret") == []


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "shop/../../x"])
def test_a_path_outside_of_the_project_is_refused(mapped: Project, path: str) -> None:
    with pytest.raises(Invalid):
        inside(mapped.kept.root, path)


def test_hostile_sources_do_not_keep_the_rest_from_being_mapped(project: Project) -> None:
    project.write("deep.py", "x = " + "(" * 20_000 + ")" * 20_000 + "\n")
    (project.root / "odd.py").write_bytes(b"def fine():\n    return '\xff\xfe'\n")
    project.write("empty.py", "")
    project.update()
    with project.kept.reading() as reader:
        assert [one.path for one in reader.symbols_named("fine")] == ["odd.py"]
        assert len(reader.symbols_named("joined")) == 1


def test_a_worker_that_takes_too_long_is_ended_and_its_files_are_told(mapped: Project) -> None:
    jobs = [(1, "shop/store.py"), (2, "shop/lines.py"), (3, "shop/main.py")]
    with Pool(str(mapped.root), batch_seconds=0.0) as pool:
        answers = list(pool.work((PARSE,), jobs, 2))
    assert len(answers) + len(pool.failed) == len(jobs)
    assert all(why == "it took too long" for _, why in pool.failed)


def test_a_damaged_map_is_made_again(mapped: Project) -> None:
    mapped.kept.file.close()
    mapped.kept.file.path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    mapped.update()
    with mapped.kept.reading() as reader:
        assert len(reader.symbols_named("joined")) == 1


def test_a_folder_without_git_is_mapped_too(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    (root / "node_modules").mkdir(parents=True)
    (root / "a.py").write_text("def here():\n    return 1\n", encoding="utf-8")
    (root / "node_modules" / "b.py").write_text("def there():\n    return 1\n", encoding="utf-8")
    kept = map_at(tmp_path / "maps", str(root))
    kept.update(1)
    with kept.reading() as reader:
        assert [row.path for row in reader.files()] == ["a.py"]


def test_what_fulfils_an_interface_of_go_that_is_called_is_no_orphan(project: Project) -> None:
    project.write("go.mod", "module example.org/shop\n")
    project.write("bank/bank.go", "package bank\n\ntype Bank struct{}\n\nfunc (b Bank) Mint(n int) {}\n")
    asks = "type Purse interface {\n\tMint(n int)\n}\n\nfunc Begin(p Purse) {\n\tp.Mint(1)\n}\n"
    project.write("mint/mint.go", f"package mint\n\n{asks}")
    project.update()
    with project.kept.reading() as reader:
        assert "Bank.Mint" not in {one.qualified for one in orphans(reader, sure=False)}
