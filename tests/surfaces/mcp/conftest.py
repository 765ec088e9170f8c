"""Servers for the tests: a process of its own, or in this one with a memory that is on no disk."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from mcp import Client
from mcp_types import Implementation

from marrow.app import Memory, open_memory
from marrow.surfaces.mcp import Access, build_server

from .launch import Started

T = TypeVar("T")
Talk = Callable[..., T]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository with one commit."""
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("def port() -> int:\n    return 8080\n", encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Serve on port 8080"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    return folder


@pytest.fixture
def started(repository: Path, tmp_path: Path) -> Started:
    """How to start a server on a new store. It shows every tool."""
    return Started(repository, str(tmp_path / "marrow.db"), tools="all")


@pytest.fixture
def memory(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("MARROW_HOME", str(tmp_path / "home"))
    with open_memory(repository, store="memory:", project="demo") as opened:
        yield opened


@pytest.fixture
def talk(memory: Memory) -> Talk[object]:
    """A conversation with a server in this process."""

    def with_server(
        conversation: Callable[[Client], Awaitable[T]],
        *,
        era: str = "auto",
        client: str = "a-test",
        groups: tuple[str, ...] | None = None,
        make: Callable[[], Memory] | None = None,
        **more: object,
    ) -> T:
        async def whole() -> T:
            server = build_server(Access(make or (lambda: memory)), groups)
            info = Implementation(name=client, version="1")
            async with Client(server, mode=era, client_info=info, **more) as connected:  # type: ignore[arg-type]
                return await conversation(connected)

        return asyncio.run(whole())

    return with_server
