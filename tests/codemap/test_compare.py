"""The difference of two maps, by content: new, modified, deleted, renamed, moved."""

from __future__ import annotations

import pytest

from marrow.codemap.compare import compare
from marrow.codemap.parse import map_of
from marrow.model.code import FileMap

OLD = b"""class Store:
    def close(self):
        self.file.flush()
        self.file.close()


def total(rows):
    found = sorted(rows)
    return sum(found)


def port():
    return 8080
"""


def maps(source: bytes, path: str = "a.py") -> dict[str, FileMap]:
    return {path: map_of(path, source)}


def told(old: dict[str, FileMap], new: dict[str, FileMap]) -> set[tuple[str, str, str]]:
    return {(one.what, one.path, one.symbol.qualified) for one in compare(old, new, {})}


def test_what_is_the_same_is_not_told() -> None:
    assert told(maps(OLD), maps(OLD)) == set()


def test_formatting_and_comments_are_no_change() -> None:
    new = OLD.replace(b"    return 8080", b"    # the usual one\n    return  8080\n\n")
    assert told(maps(OLD), maps(new)) == set()


def test_a_changed_value_is_a_modification_of_its_function_alone() -> None:
    assert told(maps(OLD), maps(OLD.replace(b"8080", b"9090"))) == {("modified", "a.py", "port")}


def test_a_new_and_a_deleted_function() -> None:
    new = OLD.replace(b"def port():\n    return 8080\n", b"def host():\n    return gethostname()\n")
    assert told(maps(OLD), maps(new)) == {("deleted", "a.py", "port"), ("new", "a.py", "host")}


def test_a_renamed_function_is_known_again_by_what_it_does() -> None:
    found = compare(maps(OLD), maps(OLD.replace(b"def total", b"def whole")), {})
    assert [(one.what, one.symbol.qualified, one.was) for one in found] == [("renamed", "whole", ("a.py", "total"))]


def test_a_function_that_went_to_another_file_is_moved() -> None:
    body = b"def total(rows):\n    found = sorted(rows)\n    return sum(found)\n"
    new = maps(OLD.replace(body, b"")) | maps(body, "b.py")
    found = compare(maps(OLD), new, {})
    assert [(one.what, one.path, one.was) for one in found] == [("moved", "b.py", ("a.py", "total"))]


@pytest.mark.parametrize(("old", "new"), [("Save", "Keep"), ("Keep", "Save"), ("Save", "SaveAll")])
def test_a_renamed_method_is_known_again_though_its_name_is_part_of_others(old: str, new: str) -> None:
    source = "package a\n\nfunc (s *Saver) NAME(k KeepMode) error {\n\ts.tellSaveBegun()\n\treturn s.toKeep(k)\n}\n"
    before, after = (map_of("a.go", source.replace("NAME", name).encode()) for name in (old, new))
    (found,) = compare({"a.go": before}, {"a.go": after}, {})
    assert (found.what, found.symbol.qualified, found.was) == ("renamed", f"Saver.{new}", ("a.go", f"Saver.{old}"))


def test_a_renamed_file_changes_nothing_in_it() -> None:
    assert compare(maps(OLD), maps(OLD, "b.py"), {"b.py": "a.py"}) == []


def test_a_file_that_is_gone_takes_its_symbols_along() -> None:
    assert {what for what, _, _ in told(maps(OLD), {})} == {"deleted"}
