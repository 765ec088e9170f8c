"""code: the operations as a caller meets them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Ambiguous, Invalid, NotFound
from marrow.model.text import token_estimate
from marrow.operations.run import DATA_LEAST, DATA_SHARE, plain

from .conftest import PROJECT, Do

APP = '''"""The app."""


class Store:
    def close(self) -> None:
        """Let go."""
        flush(self)


def flush(store):
    return store


def main():
    store = Store()
    store.close()
'''
TESTS = """from app import Store


def test_closing():
    Store().close()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "tests").mkdir(parents=True)
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "tests" / "test_app.py").write_text(TESTS, encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "The app"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


def test_symbols_by_name_have_their_heads_and_lines(do: Do) -> None:
    (found,) = do("code_symbols", name="Store.close").items
    assert (found.path, found.line, found.end, found.kind) == ("app.py", 5, 7, "method")
    assert found.content == "def close(self) -> None  # Let go."


def test_a_path_where_a_name_was_expected_lists_what_is_there(do: Do, said: Do) -> None:
    by_path = do("code_symbols", path="tests/test_app.py")
    assert by_path.items
    assert do("code_symbols", name="tests/test_app.py") == by_path
    assert do("code_symbols", name="tests").items == by_path.items
    assert said("code_symbols", name="nowhere").startswith("No symbol")


def test_a_name_that_a_folder_has_too_means_what_is_called_so(do: Do, root: Path) -> None:
    (root / "flush").mkdir()
    (root / "flush" / "other.py").write_text("def other() -> None: ...\n", encoding="utf-8")
    assert [one.name for one in do("code_symbols", name="flush").items] == ["flush"]


def test_what_the_setting_leaves_out_is_not_in_the_map(root: Path, tmp_path: Path) -> None:
    (root / "vendor").mkdir()
    (root / "vendor" / "theirs.py").write_text("def theirs():\n    return 1\n", encoding="utf-8")

    def known(*patterns: str) -> set[str]:
        (root / ".marrow.toml").write_text(f"[ignore]\nextra = {json.dumps(patterns)}\n", encoding="utf-8")
        with open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as memory:
            found = memory.perform("code_symbols", {"name": "*"}).result.items
            assert memory.perform("memory_map", {}).result.files == len({one.path for one in found})
            return {one.path for one in found}

    everything = {"app.py", "tests/test_app.py", "vendor/theirs.py"}
    assert known("vendor/") == {"app.py", "tests/test_app.py"}
    assert known() == everything
    assert known("*.py", "!/app.py") == {"app.py"}
    assert known("/vendor/*.js") == everything


def test_symbols_of_a_file_and_by_kind(do: Do) -> None:
    assert [one.name for one in do("code_symbols", path="app.py", kind="function").items] == ["flush", "main"]
    assert [one.name for one in do("code_symbols", name="fl*").items] == ["flush"]
    with pytest.raises(Invalid):
        do("code_symbols")
    with pytest.raises(NotFound):
        do("code_symbols", path="nowhere")


def test_callers_and_callees(do: Do, said: Do) -> None:
    found = do("code_callers", symbol="Store.close")
    assert {(one.path, one.line, one.name) for one in found.items} == {
        ("app.py", 16, "main"),
        ("tests/test_app.py", 5, "test_closing"),
    }
    assert "app.py:16 main [" in said("code_callers", symbol="app.py:5")
    assert [one.name for one in do("code_callees", symbol="main").items] == ["Store", "Store.close"]


def test_the_map_is_up_to_date_before_it_answers(do: Do, root: Path) -> None:
    assert do("code_callers", symbol="flush").total == 1
    with (root / "app.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef again():\n    return flush(None)\n")
    assert do("code_callers", symbol="flush").total == 2


def test_a_name_of_several_is_an_error_that_lists_them(do: Do, root: Path) -> None:
    (root / "other.py").write_text("def flush():\n    return 1\n", encoding="utf-8")
    with pytest.raises(Ambiguous) as problem:
        do("code_callers", symbol="flush")
    assert "other.py::flush" in problem.value.message


def test_a_function_map_marks_what_changed_since_the_last_commit(do: Do, said: Do, root: Path) -> None:
    text = APP.replace("return store", "return store or None").replace(
        "def main", "def new_one():\n    return 1\n\n\ndef main"
    )
    (root / "app.py").write_text(text, encoding="utf-8")
    (found,) = do("code_function_map", path="app.py").items
    assert {one["name"]: one["mark"] for one in found.entries} == {
        "Store": "UNCHANGED",
        "Store.close": "UNCHANGED",
        "flush": "MODIFIED",
        "new_one": "NEW",
        "main": "UNCHANGED",
    }
    assert "MODIFIED" in said("code_function_map", path="app.py")
    assert [one.path for one in do("code_function_map").items] == ["app.py"]


def test_a_function_map_of_a_folder_names_what_shows_one(do: Do, root: Path) -> None:
    (root / "press").mkdir()
    with pytest.raises(NotFound) as problem:
        do("code_function_map", path="press")
    assert problem.value.hint == "It is a folder: memory_map shows what is in it."


def test_changes_by_commit_by_time_and_what_was_not_understood(do: Do, root: Path) -> None:
    (root / "app.py").write_text(APP.replace("def flush(store):\n    return store\n", ""), encoding="utf-8")
    found = do("code_changes", since="HEAD")
    assert [(one.what, one.name) for one in found.items] == [("deleted", "flush")]
    assert found.counts == {"deleted": 1}
    with pytest.raises(Invalid):
        do("code_changes", since="no such thing")


def test_everything_is_new_since_a_time_before_the_first_commit(do: Do, root: Path) -> None:
    do("code_changes")  # the map is made
    (root / "app.py").write_text(APP.replace("return store", "return store or None"), encoding="utf-8")
    found = do("code_changes", since="3 hours ago")
    assert {(one.what, one.name) for one in found.items} == {
        ("new", "Store"),
        ("new", "flush"),
        ("new", "main"),
        ("new", "test_closing"),
    }
    assert found.since.endswith("(before the first commit)")
    assert {one["what"] for one in do("report", range="3 days").functions} == {"new"}


@pytest.mark.parametrize("is_repository", [False, True])
def test_without_any_commit_a_time_is_compared_with_what_the_map_saw(tmp_path: Path, is_repository: bool) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "app.py").write_text(APP, encoding="utf-8")
    if is_repository:
        subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True, capture_output=True)
    with open_memory(folder, store=str(tmp_path / "plain.db"), project=PROJECT, embedder="fake") as memory:
        memory.perform("code_changes", {})
        found = memory.perform("code_changes", {"since": "3 hours ago"}).result
    assert found.items == ()


def test_what_a_shallow_clone_does_not_know_is_not_called_new(root: Path, tmp_path: Path) -> None:
    (root / "app.py").write_text(APP.replace("return store", "return store or None"), encoding="utf-8")
    subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "second"],
        check=True,
        capture_output=True,
    )
    folder = tmp_path / "clone"
    clone = ["git", "clone", "-q", "--depth", "1", root.as_uri(), str(folder)]
    subprocess.run(clone, check=True, capture_output=True)
    with open_memory(folder, store=str(tmp_path / "clone.db"), project=PROJECT, embedder="fake") as memory:
        memory.perform("code_changes", {})
        found = memory.perform("code_changes", {"since": "3 hours ago"}).result
    assert found.items == ()
    assert "shallow" in found.since


def test_impact_has_dependents_tests_and_memories(do: Do) -> None:
    do("memory_save", content="flush must never block.", anchors=["app.py"])
    found = do("code_impact", symbol="flush")
    assert [(one.name, one.distance) for one in found.items] == [("Store.close", 1), ("main", 2)]
    assert [(one.name, one.distance) for one in found.tests] == [("test_closing", 2)]
    assert [one["title"] for one in found.memories] == ["flush must never block."]


def test_impact_of_what_is_only_handed_on_says_that_it_is_named(said: Do, root: Path) -> None:
    (root / "sizes.py").write_text("def by_size(x):\n    return x\n\n\nsorted([], key=by_size)\n", encoding="utf-8")
    assert "its name stands" in said("code_impact", symbol="by_size")
    (root / "sizes.py").write_text("def by_size(x):\n    return x\n", encoding="utf-8")
    assert "its name stands" not in said("code_impact", symbol="by_size")


def test_impact_of_what_is_not_committed(do: Do, root: Path) -> None:
    (root / "app.py").write_text(APP.replace("return store", "return None"), encoding="utf-8")
    found = do("code_impact", diff="HEAD")
    assert found.of == ("flush",)
    assert {one.name for one in found.items} == {"Store.close", "main"}


@pytest.mark.parametrize("form", ["text", "mermaid", "json"])
def test_a_call_graph_in_each_form(do: Do, form: str) -> None:
    found = do("code_call_graph", symbol="Store.close", format=form)
    assert "flush" in found.content
    if form == "json":
        assert {node["name"] for node in found.graph["nodes"]} >= {"main", "flush", "Store.close"}
    assert "flush" in do("code_call_graph", path="app.py", format=form).content


def test_a_call_graph_as_json_keeps_to_the_budget_and_says_how_many_are_left_out(memory: Memory, root: Path) -> None:
    calls = "".join(f"    step_of_some_length_{n}()\n" for n in range(100))
    steps = "".join(f"def step_of_some_length_{n}():\n    pass\n\n\n" for n in range(100))
    (root / "long.py").write_text(f"{steps}def all_of_them():\n{calls}", encoding="utf-8")
    for budget in (400, 1_000, 2_000):
        arguments = {"symbol": "all_of_them", "format": "json", "budget_tokens": budget}
        found = memory.perform("code_call_graph", arguments).result
        assert token_estimate(json.dumps(plain(found))) <= DATA_SHARE * budget + DATA_LEAST
        names = [node["name"] for node in found.graph["nodes"]]
        assert names[0] == "all_of_them"
        assert len(names) + found.left_out == 101
        known = {node["id"] for node in found.graph["nodes"]}
        assert all({edge["from"], edge["to"]} <= known for edge in found.graph["edges"])
    of_file = memory.perform("code_call_graph", {"path": "long.py", "format": "json", "budget_tokens": 100}).result
    assert token_estimate(json.dumps(plain(of_file))) <= DATA_SHARE * 100 + DATA_LEAST
    arguments = {"symbol": "all_of_them", "format": "json", "budget_tokens": 20_000}
    whole = memory.perform("code_call_graph", arguments).result
    assert (len(whole.graph["nodes"]), whole.left_out) == (101, 0)


def test_the_map_of_the_project(do: Do, said: Do) -> None:
    found = do("memory_map")
    assert (found.files, found.languages) == (2, {"python": 2})
    assert "app.py 16: Store, flush, main" in said("memory_map")
    assert "deeper" not in said("memory_map")
    with pytest.raises(Invalid):
        do("memory_map", path="../..")


def test_a_map_says_how_many_files_lie_deeper_and_how_to_see_them(said: Do, root: Path) -> None:
    deep = root / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "deep.py").write_text("def deep() -> None: ...\n", encoding="utf-8")
    text = said("memory_map")
    assert "deep.py" not in text
    assert "(1 file lies deeper: depth=3 shows more" in text
    assert "deep.py" in said("memory_map", depth=4)
    assert "deeper" not in said("memory_map", depth=4)


def test_a_context_tells_functions_that_changed_and_on_demand_who_calls_what(memory: Memory, do: Do) -> None:
    do("memory_map")
    found = do("memory_context", focus="what is `Store.close` for")
    graph = [note.content for note in found.items if note.layer == "call_graph"]
    assert graph == ["- Store.close (app.py:5): called by main, test_closing; calls flush"]


def test_the_map_lies_beside_the_store(do: Do, tmp_path: Path) -> None:
    do("memory_map")
    assert [path.suffix for path in (tmp_path / "code").iterdir() if path.suffix == ".map"] == [".map"]


def test_a_path_that_is_not_there_is_an_error_wherever_it_is_given(do: Do) -> None:
    for given in ("src/nope", "nope.py", "nowhere/at_all.py", "../outside.py"):
        with pytest.raises(NotFound, match="nothing at"):
            do("code_symbols", name=given)
    with pytest.raises(NotFound):
        do("code_symbols", path="src/nope")


def test_symbols_of_what_is_not_mapped_say_why(said: Do, root: Path) -> None:
    (root / "tx.pb.go").write_text("// Code generated by protoc. DO NOT EDIT.\npackage a\n\ntype Msg struct{}\n")
    assert "(not mapped: generated)" in said("code_symbols", name="tx.pb.go")
    assert "(without files that are not mapped: 1 generated)" in said("code_symbols", name="Msg")
    (root / "NOTES.md").write_text("# Msg\n")
    text = said("code_symbols", name="Msg")
    assert "heading Msg" in text
    assert "(without files that are not mapped: 1 generated)" in text
    assert "not mapped" not in said("code_symbols", name="Store.close")


@pytest.mark.parametrize(("name", "asked"), [("memory_explore", "topic"), ("memory_plan", "task")])
def test_one_place_is_told_as_one(do: Do, name: str, asked: str) -> None:
    do("code_impact", symbol="flush")  # makes the map, with all calls
    told = json.dumps(plain(do(name, **{asked: "flush"})))
    assert "called from 1 place" in told
    assert "1 places" not in told


def test_a_map_that_a_repository_brings_beside_its_store_is_not_read(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("MARROW_HOME", str(home))
    (root / ".marrow.toml").write_text('store = "memory/marrow.db"\n', encoding="utf-8")
    with open_memory(root, embedder="fake") as opened:
        assert opened.code_symbols(name="Store.close").items
    assert opened.store.url.endswith("repository/memory/marrow.db")
    assert [path.name for path in (root / "memory").iterdir() if path.is_dir()] == []
    assert list((home / "code").glob("*.map"))
