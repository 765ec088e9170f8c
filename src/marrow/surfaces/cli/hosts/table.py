"""The hosts: how each is known on a machine, and what it wants in which file. Only what a host documents."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....model.errors import Invalid
from ....model.nearest import nearest
from . import events
from .json_entries import ITEM, SCAFFOLD, Entry
from .opencode_plugin import opencode_plugin
from .programs import PORTABLE, Programs
from .skill_texts import user_skills
from .toml_block import Table

SERVER = "marrow"


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are: the user's home, the environment, and the repository where its files are wanted instead."""

    home: str
    environ: Mapping[str, str]
    repository: str = ""

    def folder(self, variable: str, *otherwise: str) -> str:
        """A host's folder: what its variable says, or the usual one."""
        given = self.environ.get(variable, "").strip() if variable else ""
        return os.path.abspath(os.path.expanduser(given)) if given else os.path.join(self.home, *otherwise)


def place_here(repository: str = "") -> Place:
    """This user's home, and the repository where its files are meant."""
    return Place(os.environ.get("HOME") or os.path.expanduser("~"), os.environ, repository)


def repository_here() -> str:
    """The root of the repository that this folder is in; "" where it is in none."""
    folder = os.path.realpath(os.getcwd())
    while not os.path.lexists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return ""
        folder = os.path.dirname(folder)
    return folder


@dataclass(frozen=True, slots=True)
class Parts:
    """What of Marrow a host gets. Without `server` the skills call the command line."""

    hooks: bool = True
    server: bool = True


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a file is to hold: entries of JSON, or a table of TOML, or, where it is ours alone, this text.

    `commented`: the host reads JSON with comments in it. Another would not see what is put into such a file.
    """

    path: str
    what: str
    entries: tuple[Entry, ...] = ()
    table: Table | None = None
    content: str | None = None
    commented: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """`folder` shows that the host is there, and so do the programs in `commands`. `then` is said at the end."""

    name: str
    title: str
    folder: Callable[[Place], str]
    commands: tuple[str, ...]
    wants: Callable[[Place, Programs, Parts], list[Wanted]]
    also: tuple[str, ...] = ()
    has_skills: bool = False
    in_repository: bool = False
    then: str = ""

    def is_there(self, place: Place) -> bool:
        path = place.environ.get("PATH", "")
        return os.path.isdir(self.folder(place)) or any(shutil.which(name, path=path) for name in self.commands)


def _hooks(groups: events.Groups) -> list[Entry]:
    return [Entry(("hooks", name), item, ITEM) for name, items in groups.items() for item in items]


def _server(programs: Programs, *, typed: bool = False, **more: object) -> Entry:
    program, *rest = programs.mcp
    kind = {"type": "stdio"} if typed else {}
    return Entry(("mcpServers", SERVER), {**kind, "command": program, "args": rest, **more})


def _claude_folder(place: Place) -> str:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _claude_code(place: Place, programs: Programs, parts: Parts) -> list[Wanted]:
    if place.repository:
        programs = PORTABLE  # the repository is everyone's
        folder, servers = os.path.join(place.repository, ".claude"), os.path.join(place.repository, ".mcp.json")
    else:
        folder = _claude_folder(place)
        beside = folder if place.environ.get("CLAUDE_CONFIG_DIR", "").strip() else place.home
        servers = os.path.join(beside, ".claude.json")
    wanted = []
    if parts.hooks:
        hooks = tuple(_hooks(events.claude_hooks(programs, shared=bool(place.repository))))
        wanted.append(Wanted(os.path.join(folder, "settings.json"), "hooks", hooks))
    if parts.server:
        wanted.append(Wanted(servers, "MCP server", (_server(programs, typed=True),)))
    skills = user_skills(command="" if parts.server else programs.command)
    return wanted + [
        Wanted(os.path.join(folder, "skills", *path.split("/")), "skill", content=text) for path, text in skills.items()
    ]


def _codex(place: Place, programs: Programs, parts: Parts) -> list[Wanted]:
    folder = place.folder("CODEX_HOME", ".codex")
    program, *rest = programs.mcp
    table = Table(("mcp_servers", SERVER), {"command": program, "args": rest})
    hooks = tuple(_hooks(events.codex_hooks(programs)))
    return [
        Wanted(os.path.join(folder, "config.toml"), "MCP server", table=table),
        *([Wanted(os.path.join(folder, "hooks.json"), "hooks", hooks)] if parts.hooks else []),
    ]


def _cursor(place: Place, programs: Programs, parts: Parts) -> list[Wanted]:
    folder = os.path.join(place.home, ".cursor")
    hooks = (Entry(("version",), 1, SCAFFOLD), *_hooks(events.cursor_hooks(programs)))
    return [
        Wanted(os.path.join(folder, "mcp.json"), "MCP server", (_server(programs),)),
        *([Wanted(os.path.join(folder, "hooks.json"), "hooks", hooks)] if parts.hooks else []),
    ]


def _copilot(place: Place, programs: Programs, parts: Parts) -> list[Wanted]:
    folder = place.folder("COPILOT_HOME", ".copilot")
    server = _server(programs, typed=True, tools=["*"])
    hooks = (Entry(("version",), 1, SCAFFOLD), *_hooks(events.copilot_hooks(programs)))
    return [
        Wanted(os.path.join(folder, "mcp-config.json"), "MCP server", (server,)),
        *([Wanted(os.path.join(folder, "hooks", "marrow.json"), "hooks", hooks)] if parts.hooks else []),
    ]


def _gemini_folder(place: Place) -> str:
    return os.path.join(place.folder("GEMINI_CLI_HOME"), ".gemini")


def _gemini(place: Place, programs: Programs, parts: Parts) -> list[Wanted]:
    hooks = _hooks(events.gemini_hooks(programs)) if parts.hooks else []
    file = os.path.join(_gemini_folder(place), "settings.json")
    what = "MCP server and hooks" if hooks else "MCP server"
    return [Wanted(file, what, (_server(programs), *hooks), commented=True)]


def _opencode_folder(place: Place) -> str:
    return os.path.join(place.folder("XDG_CONFIG_HOME", ".config"), "opencode")


def _opencode(place: Place, programs: Programs, parts: Parts) -> list[Wanted]:
    folder = _opencode_folder(place)
    names = [name for name in ("opencode.json", "opencode.jsonc") if os.path.lexists(os.path.join(folder, name))]
    file = os.path.join(folder, names[0] if names else "opencode.json")
    server = Entry(("mcp", SERVER), {"type": "local", "command": list(programs.mcp), "enabled": True})
    plugin = Wanted(os.path.join(folder, "plugins", "marrow.js"), "plugin", content=opencode_plugin(programs))
    return [Wanted(file, "MCP server", (server,), commented=True), *([plugin] if parts.hooks else [])]


HOSTS = (
    Host(
        "claude-code",
        "Claude Code",
        _claude_folder,
        ("claude",),
        _claude_code,
        has_skills=True,
        in_repository=True,
        then="The next session of Claude Code starts with what Marrow knows of the project.",
    ),
    Host(
        "codex",
        "Codex",
        lambda place: place.folder("CODEX_HOME", ".codex"),
        ("codex",),
        _codex,
        then="Codex runs new hooks only once you trust them: it asks at its next start, or look under /hooks.",
    ),
    Host(
        "cursor",
        "Cursor",
        lambda place: os.path.join(place.home, ".cursor"),
        ("cursor", "cursor-agent"),
        _cursor,
        then="Restart Cursor, and see that the server `marrow` is switched on in its settings under MCP.",
    ),
    Host(
        "copilot",
        "VS Code and the Copilot CLI",
        lambda place: place.folder("COPILOT_HOME", ".copilot"),
        ("copilot", "code"),
        _copilot,
        also=("vscode",),
        then="One set of files serves VS Code and the Copilot CLI. Reload the window of VS Code.",
    ),
    Host(
        "gemini",
        "Gemini CLI",
        _gemini_folder,
        ("gemini",),
        _gemini,
        then="The next session of the Gemini CLI starts with what Marrow knows of the project.",
    ),
    Host(
        "opencode",
        "OpenCode",
        _opencode_folder,
        ("opencode",),
        _opencode,
        then="Restart OpenCode: it loads plugins when it starts.",
    ),
)
_BY_NAME = {name: host for host in HOSTS for name in (host.name, *host.also)}
NAMES = tuple(_BY_NAME)


def find_host(name: str) -> Host:
    if name not in _BY_NAME:
        near = nearest(name, NAMES)
        meant = f"Did you mean {near}? " if near else ""
        raise Invalid(f"Marrow knows no host {name!r}.", hint=f"{meant}One of {', '.join(NAMES)}.", field="hosts")
    return _BY_NAME[name]
