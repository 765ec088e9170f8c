"""Writes the plugins for the hosts, their manifests and `server.json` from one source: `python plugins/generate.py`.

`python plugins/generate.py --check` says which files are out of date and changes nothing. A test runs that.
A plugin cannot know where Marrow is, so everything here starts `marrow` from the PATH. `marrow install` writes whole
paths instead, and is quicker.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from marrow.surfaces.cli.hosts import events
from marrow.surfaces.cli.hosts.opencode_plugin import opencode_plugin
from marrow.surfaces.cli.hosts.programs import PORTABLE
from marrow.surfaces.cli.hosts.skill_files import load_skill
from marrow.surfaces.cli.hosts.skill_texts import ROOT as SKILLS
from marrow.surfaces.cli.hosts.skill_texts import plugin_skills
from marrow.version import __version__

ROOT = Path(__file__).parents[1]
NAME, TITLE, LICENSE = "marrow", "Marrow", "Apache-2.0"
# At most 100 characters: the registry takes no more.
DESCRIPTION = "The memory of a software project: sessions start knowing it, and leave behind what they learned."
AUTHOR = {"name": "The Marrow authors"}
KEYWORDS = ["memory", "context", "mcp", "decisions", "hooks"]
# The name in the registry begins with the account that publishes it, which has to be the owner of the repository.
REGISTRY_NAME = "io.github.marrow-memory/marrow"
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
CLAUDE_SCHEMA = "https://anthropic.com/claude-code/plugin.schema.json"
PORTABLE_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
SERVER = {"command": PORTABLE.mcp[0], "args": list(PORTABLE.mcp[1:])}

Files = dict[str, str]


def about() -> dict[str, Any]:
    return {
        "name": NAME,
        "version": __version__,
        "description": DESCRIPTION,
        "author": AUTHOR,
        "license": LICENSE,
        "keywords": KEYWORDS,
    }


def files() -> Files:
    """Every generated file: its path from the root of the repository, and its text."""
    made: Files = {}
    plugins = {
        "claude-code": claude_code(),
        "codex": codex(),
        "cursor": cursor(),
        "gemini": gemini(),
        "portable": portable(),
    }
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    for host, own in plugins.items():
        skills = {f"skills/{path}": text for path, text in plugin_skills().items()}
        for path, text in {**own, **skills, "LICENSE": licence}.items():
            made[f"plugins/{host}/{path}"] = text
    made["plugins/opencode/marrow.js"] = opencode_plugin(PORTABLE)
    made["plugins/opencode/README.md"] = readme("opencode")
    return made | marketplaces() | {"server.json": server_json(), ".mcp.json.example": _json({"mcpServers": servers()})}


def servers(**more: Any) -> dict[str, Any]:
    return {NAME: {**more, **SERVER}}


def claude_code() -> Files:
    return {
        ".claude-plugin/plugin.json": _json({"$schema": CLAUDE_SCHEMA, "displayName": TITLE, **about()}),
        "hooks/hooks.json": _json({"hooks": events.claude_hooks(PORTABLE)}),
        ".mcp.json": _json({"mcpServers": servers()}),
        "README.md": readme("claude-code"),
    }


def codex() -> Files:
    manifest = about() | {
        "skills": "./skills/",
        "mcpServers": "./.mcp.json",
        "hooks": "./hooks/hooks.json",
        "interface": {"displayName": TITLE, "shortDescription": DESCRIPTION, "category": "Productivity"},
    }
    return {
        ".codex-plugin/plugin.json": _json(manifest),
        "hooks/hooks.json": _json({"hooks": events.codex_hooks(PORTABLE)}),
        ".mcp.json": _json({"mcpServers": servers()}),
        "README.md": readme("codex"),
    }


def cursor() -> Files:
    manifest = {"displayName": TITLE, **about()} | {
        "skills": "./skills/",
        "hooks": "./hooks/hooks.json",
        "mcpServers": "./mcp.json",
    }
    return {
        ".cursor-plugin/plugin.json": _json(manifest),
        "hooks/hooks.json": _json({"version": 1, "hooks": events.cursor_hooks(PORTABLE)}),
        "mcp.json": _json({"mcpServers": servers()}),
        "README.md": readme("cursor"),
    }


def gemini() -> Files:
    return {
        "gemini-extension.json": _json(
            {"name": NAME, "version": __version__, "description": DESCRIPTION, "mcpServers": servers()}
        ),
        "hooks/hooks.json": _json({"hooks": events.gemini_hooks(PORTABLE)}),
        "README.md": readme("gemini"),
    }


def portable() -> Files:
    """Agent Plugins 1.0.0. Hooks are not part of it."""
    return {
        "plugin.json": _json({"$schema": f"{PORTABLE_SCHEMAS}/plugin.schema.json", **about()}),
        "mcp.json": _json({"$schema": f"{PORTABLE_SCHEMAS}/mcp.schema.json", "mcpServers": servers(type="stdio")}),
        "README.md": readme("portable"),
    }


def marketplaces() -> Files:
    entry = {key: about()[key] for key in ("name", "version", "description", "author", "license", "keywords")}
    claude = {
        "name": NAME,
        "owner": AUTHOR,
        "description": DESCRIPTION,
        "plugins": [{**entry, "source": "./plugins/claude-code"}],
    }
    # Codex reads this one before the other: there its own plugin is.
    agents = {
        "name": NAME,
        "interface": {"displayName": TITLE},
        "plugins": [{"name": NAME, "source": {"source": "local", "path": "./plugins/codex"}}],
    }
    return {".claude-plugin/marketplace.json": _json(claude), ".agents/plugins/marketplace.json": _json(agents)}


def server_json() -> str:
    package = {
        "registryType": "pypi",
        "identifier": NAME,
        "version": __version__,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
    }
    shape = {
        "$schema": SERVER_SCHEMA,
        "name": REGISTRY_NAME,
        "title": TITLE,
        "description": DESCRIPTION,
        "version": __version__,
        "packages": [package],
    }
    return _json(shape)


INSTALLING = {
    "claude-code": (
        "Claude Code",
        "    claude plugin marketplace add PATH_OR_ADDRESS_OF_THIS_REPOSITORY\n    claude plugin install marrow@marrow",
    ),
    "codex": (
        "Codex",
        "    codex plugin marketplace add PATH_OR_ADDRESS_OF_THIS_REPOSITORY\n    codex plugin add marrow@marrow",
    ),
    "cursor": ("Cursor", "Add this folder as a plugin in Cursor's settings."),
    "gemini": ("the Gemini CLI", "    gemini extensions install PATH_OF_THIS_FOLDER"),
    "portable": ("any host that reads Agent Plugins", "Add this folder as a plugin, as the host says."),
    "opencode": ("OpenCode", "Copy `marrow.js` into `~/.config/opencode/plugins/`."),
}
NOTES = {
    "codex": "Codex runs hooks of a plugin only once you trust them: it asks when it starts.",
    "portable": "Hooks are not part of this format: the agent has the tools and the skills, and has to ask. For hooks,"
    " use `marrow install` or the plugin of your host.",
    "opencode": "The MCP server is one entry in `opencode.json`; `marrow install opencode` writes both.",
}


_BY_ITSELF = (
    "a session begins with what is known of the project, is told what matters when it matters, and leaves behind"
)


def readme(host: str) -> str:
    title, steps = INSTALLING[host]
    first = (
        "Marrow is the memory of a software project. With this plugin "
        + ("an agent can ask for what is known of the project, and keep" if host == "portable" else _BY_ITSELF)
        + " what it learned. Everything stays on your machine; secrets are taken out before anything is kept."
    )
    path = (
        "The plugin starts `marrow` from the `PATH`. Install that first, from a clone of this project with"
        " `pipx install --preinstall ./packages/marrow-embedder .`, and"
        " see that `marrow --version` answers in a new shell. Where it is not on the `PATH` of the host, run"
        " `marrow install` instead of installing this plugin: it writes whole paths. Do not use both, or every event"
        " is told twice."
    )
    skills = [f"- `{name}`: {load_skill(SKILLS, name).description}" for name in _skill_names()]
    parts = [f"# Marrow for {title}", first, "## Install", path, steps, *([NOTES[host]] if host in NOTES else [])]
    parts += [] if host == "opencode" else ["## Skills", "\n".join(skills)]
    made = "<!-- Generated by plugins/generate.py: change it there. -->"
    return "\n\n".join([*parts, made]) + "\n"


def _skill_names() -> list[str]:
    return [path.partition("/")[0] for path in plugin_skills() if path.endswith("/SKILL.md")]


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def out_of_date(root: Path = ROOT) -> list[str]:
    """The files that are not as they would be written, and those that nothing writes."""
    made = files()
    wrong = [path for path, text in made.items() if not _is_same(root / path, text)]
    folders = (root / "plugins" / name for name in {path.split("/")[1] for path in made if path.startswith("plugins/")})
    there = [path.relative_to(root).as_posix() for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted([*wrong, *(path for path in there if path not in made)])


def _is_same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def main(given: Sequence[str], say: Callable[[str], None] = print, root: Path = ROOT) -> int:
    wrong = out_of_date(root)
    if "--check" in given:
        for path in wrong:
            say(f"{path} is out of date: run `python plugins/generate.py`.")
        return 1 if wrong else 0
    made = files()
    for path in wrong:
        if path in made:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(made[path].encode())
        else:
            (root / path).unlink()
    say(f"{len(made)} files, {len(wrong)} of them changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
