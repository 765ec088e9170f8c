"""What is not captured: Marrow's own calls, the memory that hosts keep themselves, and tools that a setting leaves out.

A memory that remembers its own lookups and its host's notes fills with echoes of itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# A server's tools as the hosts name them: Claude Code and Codex, its plugins, Gemini and VS Code, OpenCode.
_OWN_TOOLS = ("mcp__marrow__", "mcp__plugin_marrow_", "mcp_marrow_", "mcp:marrow", "marrow_", "marrow__", "marrow:")
_MEMORY_TOOLS = frozenset(("save_memory", "memory", "update_memory", "create_memory", "copilot_memory"))
# Pieces of paths, with `/` for both kinds of slash.
_MEMORY_PLACES = ("/agent-memory/", "/agent-memory-local/", "/.codex/memories/", "/.marrow/", "/.gemini/gemini.md")
_GROUPS = {
    "edits": "edit",
    "writes": "write",
    "reads": "read",
    "shells": "shell",
    "searches": "search",
    "tasks": "task",
    "others": "other",
}


def is_own_tool(tool: str, server: str = "") -> bool:
    """Whether this is a tool of Marrow's. `server` is the MCP server's name, where the host says it."""
    if server:
        return "marrow" in server.lower().split(":")
    return tool.lower().startswith(_OWN_TOOLS)


def is_own_command(command: str) -> bool:
    """Whether a shell command does nothing but call Marrow; a change of folder aside."""
    calls = 0
    for separator in ("&&", "||", ";", "|", "\n"):
        command = command.replace(separator, "\0")
    for part in command.split("\0"):
        words = [word for word in part.split() if "=" not in word.split("/")[0]]
        if not words or words[0] in ("cd", "export", "echo", "true", "#"):
            continue
        name = words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
        by_module = name.startswith("python") and words[1:3] == ["-m", "marrow"]
        by_runner = name in ("uvx", "pipx", "uv") and "marrow" in words[1:4]
        if name != "marrow" and not by_module and not by_runner:
            return False
        calls += 1
    return calls > 0


def is_host_memory(tool: str, tool_input: Mapping[str, object]) -> bool:
    """Whether a call touches the memory that a host keeps itself."""
    if tool.lower() in _MEMORY_TOOLS:
        return True
    path = tool_input.get("file_path")
    if isinstance(path, str) and _is_memory_path(path):
        return True
    command = tool_input.get("command")
    if isinstance(command, str) and len(command) < 2000:
        plain = command.replace("\\", "/").lower()
        return "/.claude/projects/" in plain and "/memory" in plain
    return False


def _is_memory_path(path: str) -> bool:
    plain = "/" + path.replace("\\", "/").lower().lstrip("/")
    if plain.endswith("/memory.md") or any(place in plain for place in _MEMORY_PLACES):
        return True
    return "/.claude/projects/" in plain and "/memory/" in plain


def is_wanted(tool: str, does: str, wanted: Iterable[str]) -> bool:
    """Whether `capture.tools` keeps this tool: names or groups, a minus leaves out, the last that fits decides."""
    kept, name = False, tool.lower()
    for item in wanted:
        plain = item.lower().lstrip("-").strip()
        group = _GROUPS.get(plain, plain)
        starts = plain.endswith("*") and name.startswith(plain[:-1])
        if plain == "all" or group == does or plain == name or starts:
            kept = not item.startswith("-")
    return kept
