"""Running an operation: by any of its names, with its right checked, measured, and reading only reads."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Forbidden, NotFound
from marrow.model.scope import ADMIN, READ, RIGHTS, WRITE
from marrow.operations.catalogue import NAMES, TABLE
from marrow.operations.run import find_operation
from tests.providers.code_hosts.github_service import GitHubService

from ..surfaces.mcp.samples import ADDRESS, BEFORE, FOLDER, HOST, OTHER, PROJECT, SAMPLES, capture_session, filled
from .conftest import Do, head, perform_with


@pytest.fixture
def demo(tmp_path: Path) -> Any:
    """A memory of the project that the samples speak of."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("def port() -> int:\n    return 8080\n", encoding="utf-8")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "--quiet"], ["add", "src"], ["commit", "--quiet", "--message", "The port"]):
        subprocess.run([*git, *words], check=True)
    with open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        opened.save("We chose SQLite because it needs no server.", domain="decisions", tags=["db"])
        capture_session(str(tmp_path / "marrow.db"))
        yield opened


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with GitHubService() as service:
        yield service.url


def prepared(memory: Memory, name: str, folder: Path, host: str) -> dict[str, Any]:
    """The arguments of an operation's sample, with real addresses in them."""
    saved = memory.save(batch=[f"The first thing said for {name}.", f"The second for {name}."], tags=["db"])
    places = {ADDRESS: saved.items[0].address, OTHER: saved.items[1].address, FOLDER: str(folder), HOST: host}
    for earlier, arguments in SAMPLES[name].before:
        done = memory.perform(earlier, filled(arguments, places)).plain()
        places[BEFORE] = done.get("address", "")
    found: dict[str, Any] = filled(SAMPLES[name].arguments, places)
    return found


@pytest.mark.parametrize("name", list(TABLE))
def test_every_operation_answers_in_its_own_shape_and_only_writes_when_it_says_so(
    demo: Memory, name: str, tmp_path: Path, host: str
) -> None:
    operation = TABLE[name]
    arguments = prepared(demo, name, tmp_path, host)
    before = head(demo)
    answer = demo.perform(name, arguments)
    assert answer.text.strip()
    assert isinstance(answer.result, operation.result)
    shape = json.loads(json.dumps(answer.plain()))
    jsonschema.validate(shape, operation.output_schema())
    if operation.right == READ or not operation.changes:
        assert head(demo) == before


@pytest.mark.parametrize("name", list(TABLE))
def test_every_operation_is_refused_without_its_right_and_then_nothing_changes(
    demo: Memory, name: str, tmp_path: Path, host: str
) -> None:
    operation = TABLE[name]
    arguments = prepared(demo, name, tmp_path, host)
    before = head(demo), files_beside(tmp_path)
    rights = tuple(right for right in RIGHTS if right != operation.right)
    with pytest.raises(Forbidden) as raised:
        perform_with(demo, rights, name, arguments)
    assert operation.right in raised.value.message
    assert (head(demo), files_beside(tmp_path)) == before


def files_beside(folder: Path) -> set[str]:
    """The files in a folder, the store's own aside."""
    return {path.name for path in folder.iterdir() if not path.name.startswith("marrow.db")}


@pytest.mark.parametrize("name", list(NAMES))
def test_every_name_and_alias_finds_its_operation(name: str) -> None:
    assert find_operation(name).name == NAMES[name]


def test_an_unknown_operation_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(NotFound) as raised:
        find_operation("memory_recal")
    assert "memory_recall" in raised.value.hint
    assert raised.value.field == "operation"


def test_a_read_right_reads_and_writes_nothing(memory: Memory, do: Do) -> None:
    do("memory_save", content="Apples are counted by weight.")
    found = perform_with(memory, (READ,), "memory_search", {"query": "apples"})
    assert len(found.result.items) == 1
    with pytest.raises(Forbidden):
        perform_with(memory, (READ,), "memory_save", {"content": "Pears too."})


def test_a_write_right_does_not_administer(memory: Memory) -> None:
    with pytest.raises(Forbidden):
        perform_with(memory, (READ, WRITE), "reindex", {})
    assert perform_with(memory, (READ, WRITE, ADMIN), "reindex", {}).result.ok


def test_what_was_done_is_measured_and_the_texts_are_not_kept(memory: Memory) -> None:
    memory.perform("memory_search", {"query": "a question that nobody should find in the log"})
    (line,) = memory.engine.pending
    assert line.type == "memory_search"
    assert line.tokens_in > 0
    assert line.tokens_out > 0
    assert "nobody" not in repr(line)


def test_measurements_reach_the_store_when_it_is_closed(tmp_path: Path) -> None:
    place = str(tmp_path / "marrow.db")
    with open_memory(tmp_path, store=place, project="orchard", embedder="fake") as memory:
        memory.perform("memory_status", {})
    with open_memory(tmp_path, store=place, project="orchard", embedder="fake") as memory:
        with memory.engine.store.reading() as reader:
            found = reader.measurements(0, "memory_status")
        assert [line.type for line in found] == ["memory_status"]


def test_a_call_that_failed_is_not_measured(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.perform("memory_get", {"address": "abcdef"})
    assert memory.engine.pending == []
