"""What the tests of operations share: a memory in a file of its own, and calls of it with other rights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.operations.run import Answer, perform
from marrow.operations.table import Call

PROJECT = "orchard"
Do = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings but those of the test."""
    for name in [name for name in os.environ if name.startswith("MARROW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


@pytest.fixture
def do(memory: Memory) -> Do:
    """An operation by name, with its arguments; the typed result."""

    def call(operation: str, /, **arguments: Any) -> Any:
        return memory.perform(operation, arguments).result

    return call


@pytest.fixture
def said(memory: Memory) -> Do:
    """As `do`, and gives the text that a reader gets."""

    def call(operation: str, /, **arguments: Any) -> str:
        return memory.perform(operation, arguments).text

    return call


@pytest.fixture
def save(do: Do) -> Callable[..., str]:
    """Save a text, and get its address."""

    def call(content: str, **arguments: Any) -> str:
        return str(do("memory_save", content=content, **arguments).items[0].address)

    return call


def with_rights(call: Call, *rights: str) -> Call:
    """The same call by somebody who has these rights alone."""
    principal = replace(call.asker.principal, rights=frozenset(rights))
    return replace(call, asker=replace(call.asker, principal=principal))


def perform_with(memory: Memory, rights: tuple[str, ...], name: str, arguments: dict[str, Any]) -> Answer:
    return perform(with_rights(memory.call, *rights), name, arguments)


def head(memory: Memory) -> int:
    with memory.engine.store.reading() as reader:
        return reader.head(memory.call.asker.namespace).seq
