"""The hosts, brought once; a desk and a scripted model for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.claude_code import claude_code_program  # noqa: F401 a fixture

from .codex import CodexDesk, codex_program
from .desk import ClaudeDesk
from .loopback import serving
from .messages_api import MessagesModel
from .responses_api import ResponsesModel


@pytest.fixture
def messages() -> Iterator[MessagesModel]:
    with serving(MessagesModel()) as model:
        yield model


@pytest.fixture
def responses() -> Iterator[ResponsesModel]:
    with serving(ResponsesModel()) as model:
        yield model


@pytest.fixture
def claude(tmp_path: Path, claude_code_program: Path, messages: MessagesModel) -> Iterator[ClaudeDesk]:  # noqa: F811
    _needs_proc()
    desk = ClaudeDesk(tmp_path, claude_code_program, messages.url)
    yield desk
    desk.close()


@pytest.fixture(scope="session")
def codex_path() -> Path:
    return codex_program()


@pytest.fixture
def codex(tmp_path: Path, codex_path: Path, responses: ResponsesModel) -> Iterator[CodexDesk]:
    _needs_proc()
    desk = CodexDesk(tmp_path, codex_path, responses.url)
    yield desk
    desk.close()


def _needs_proc() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("looks for processes in /proc")
