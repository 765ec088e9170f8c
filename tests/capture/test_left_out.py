"""What is left out: Marrow's own calls, the hosts' memories, and what `capture.tools` does not want."""

from __future__ import annotations

import pytest

from marrow.capture.left_out import is_host_memory, is_own_command, is_own_tool, is_wanted

DEFAULT = ("all", "-reads")


@pytest.mark.parametrize(
    "command",
    [
        "marrow recall deploy",
        "/opt/venv/bin/marrow save 'x'",
        "cd /srv/lamp && marrow status; marrow log",
        "MARROW_HOME=/tmp/x marrow doctor",
        "python -m marrow recall x",
        "python3.12 -m marrow recall x",
        "uvx marrow recall x",
        "marrow.exe recall x",
    ],
)
def test_command_that_only_calls_marrow_is_its_own(command: str) -> None:
    assert is_own_command(command)


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'marrow'",
        "ls marrow",
        "pytest && marrow save x",
        "cat marrow.toml",
        "",
        "cd marrow",
        "python -m pip",
    ],
)
def test_command_that_does_other_work_is_not(command: str) -> None:
    assert not is_own_command(command)


@pytest.mark.parametrize(
    ("tool", "server", "own"),
    [
        ("mcp__marrow__memory_recall", "", True),
        ("mcp__plugin_marrow_marrow__memory_save", "", True),
        ("mcp_marrow_memory_recall", "", True),
        ("marrow_memory_recall", "", True),
        ("mcp__github__get", "", False),
        ("mcp__bone-marrow__get", "", False),
        ("get", "plugin:marrow:marrow", True),
        ("get", "marrow", True),
        ("mcp__marrow__x", "github", False),
    ],
)
def test_own_tools_are_known_by_name_or_server(tool: str, server: str, own: bool) -> None:
    assert is_own_tool(tool, server) is own


@pytest.mark.parametrize(
    ("tool", "given", "theirs"),
    [
        ("Write", {"file_path": "/home/ada/.claude/projects/-x/memory/MEMORY.md"}, True),
        ("Edit", {"file_path": "/home/ada/.claude/projects/-x/memory/deploy.md"}, True),
        ("Edit", {"file_path": "C:\\Users\\ada\\.claude\\projects\\x\\memory\\a.md"}, True),
        ("Read", {"file_path": ".claude/agent-memory/reviewer/MEMORY.md"}, True),
        ("Bash", {"command": "cat ~/.claude/projects/x/memory/MEMORY.md"}, True),
        ("save_memory", {"fact": "x"}, True),
        ("Edit", {"file_path": "/home/ada/lamp/CLAUDE.md"}, False),
        ("Edit", {"file_path": "/home/ada/lamp/AGENTS.md"}, False),
        ("Edit", {"file_path": "/home/ada/lamp/src/memory/model.py"}, False),
        ("Bash", {"command": "ls src/memory"}, False),
        ("Edit", {"file_path": 4}, False),
    ],
)
def test_the_hosts_own_memory_is_known(tool: str, given: dict[str, object], theirs: bool) -> None:
    assert is_host_memory(tool, given) is theirs


@pytest.mark.parametrize(
    ("tool", "does", "setting", "wanted"),
    [
        ("Bash", "shell", DEFAULT, True),
        ("Read", "read", DEFAULT, False),
        ("Grep", "search", DEFAULT, True),
        ("Read", "read", ("all",), True),
        ("Bash", "shell", ("edits", "writes"), False),
        ("Edit", "edit", ("edits", "writes"), True),
        ("Bash", "shell", ("all", "-Bash"), False),
        ("Bash", "shell", ("-bash", "all"), True),
        ("mcp__github__get", "mcp", ("all", "-mcp__github__*"), False),
        ("mcp__jira__get", "mcp", ("all", "-mcp"), False),
        ("Bash", "shell", (), False),
    ],
)
def test_the_last_that_fits_decides_what_is_wanted(
    tool: str, does: str, setting: tuple[str, ...], wanted: bool
) -> None:
    assert is_wanted(tool, does, setting) is wanted
