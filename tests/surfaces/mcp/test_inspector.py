"""The protocol's own inspector lists and calls our tools."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from marrow.operations.catalogue import TABLE
from tests.tools import inspector

from .launch import Started

pytestmark = pytest.mark.tool
INSPECTION_SECONDS = 120


@pytest.fixture(scope="module")
def inspect_command() -> list[str]:
    return inspector()


def inspect(command: list[str], started: Started, method: str, *more: str) -> dict[str, Any]:
    done = subprocess.run(
        [*command, *started.command, "--method", method, *more],
        capture_output=True,
        text=True,
        check=False,
        timeout=INSPECTION_SECONDS,
        env=started.environment,
        cwd=started.folder,
    )
    assert done.stdout.strip().startswith("{"), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_inspector_lists_every_tool(inspect_command: list[str], started: Started) -> None:
    found = inspect(inspect_command, started, "tools/list")
    assert [tool["name"] for tool in found["tools"]] == list(TABLE)


def test_the_inspector_calls_a_tool(inspect_command: list[str], started: Started) -> None:
    arguments = [
        "--tool-name",
        "memory_save",
        "--tool-arg",
        "content=The inspector was here.",
        "--tool-arg",
        'tags=["x"]',
    ]
    saved = inspect(inspect_command, started, "tools/call", *arguments)
    assert saved["structuredContent"]["items"][0]["outcome"] == "new"
    arguments = ["--tool-name", "memory_recall", "--tool-arg", "message=was the inspector here?"]
    recalled = inspect(inspect_command, started, "tools/call", *arguments)
    assert "The inspector was here." in recalled["content"][0]["text"]


def test_the_inspector_reads_an_error(inspect_command: list[str], started: Started) -> None:
    arguments = ["--tool-name", "memory_get", "--tool-arg", "address=ffffff"]
    refused = inspect(inspect_command, started, "tools/call", *arguments)
    assert refused["isError"]
    assert refused["structuredContent"]["code"] == "not_found"


def test_the_inspector_sees_resources_and_prompts(inspect_command: list[str], started: Started) -> None:
    assert inspect(inspect_command, started, "resources/list")["resources"][0]["uri"] == "marrow://status"
    assert len(inspect(inspect_command, started, "prompts/list")["prompts"]) >= 4
