"""The plugins in the repository: as they would be written now, of one version, and good in the eyes of the hosts."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from marrow.version import __version__
from tests.claude_code import ClaudeCode

ROOT = Path(__file__).parents[4]
PLUGINS = ROOT / "plugins"


@cache
def generate() -> ModuleType:
    """plugins/generate.py, which is a program and in no package."""
    spec = importlib.util.spec_from_file_location("plugins_generate", PLUGINS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_files_in_the_repository_are_what_is_generated() -> None:
    said: list[str] = []
    assert generate().main(["--check"], said.append) == 0, said


def test_what_is_out_of_date_or_nobodys_is_found_and_mended(tmp_path: Path) -> None:
    made = generate()
    assert made.main([], lambda said: None, tmp_path) == 0
    assert made.main(["--check"], lambda said: None, tmp_path) == 0
    (tmp_path / "server.json").write_text("{}", encoding="utf-8")
    (tmp_path / "plugins" / "codex" / "skills" / "gone.md").write_text("x", encoding="utf-8")
    assert made.out_of_date(tmp_path) == ["plugins/codex/skills/gone.md", "server.json"]
    assert made.main(["--check"], lambda said: None, tmp_path) == 1
    assert made.main([], lambda said: None, tmp_path) == 0
    assert made.out_of_date(tmp_path) == []


def test_every_version_is_marrows() -> None:
    found = [
        version
        for path in [*PLUGINS.rglob("*.json"), ROOT / "server.json", ROOT / ".claude-plugin" / "marketplace.json"]
        for version in re.findall(r'"version": "([^"]+)"', path.read_text(encoding="utf-8"))
    ]
    assert len(found) >= 7
    assert set(found) == {__version__}


def test_nothing_of_this_machine_is_in_them() -> None:
    # What Python compiled is not handed out.
    files = [path for path in PLUGINS.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert [text[:40] for text in texts if str(ROOT) in text or str(Path.home()) + "/" in text] == []


def test_the_portable_manifest_has_only_what_its_closed_schema_allows() -> None:
    manifest, servers = load(PLUGINS / "portable" / "plugin.json"), load(PLUGINS / "portable" / "mcp.json")
    allowed = {"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
    assert set(manifest) <= allowed | {"extensions"}
    assert manifest["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert set(servers) == {"$schema", "mcpServers"}
    (server,) = servers["mcpServers"].values()
    assert server == {"type": "stdio", "command": "marrow", "args": ["mcp"]}


def test_the_registry_gets_what_it_asks_for() -> None:
    server = load(ROOT / "server.json")
    assert server["$schema"] == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 0 < len(server["description"]) <= 100
    assert server["packages"][0]["identifier"] == "marrow"
    assert server["packages"][0]["version"] == server["version"]


def test_the_example_is_what_the_plugin_has() -> None:
    assert load(ROOT / ".mcp.json.example") == load(PLUGINS / "claude-code" / ".mcp.json")


# --- with the real Claude Code ----------------------------------------------------------------------------------------


@pytest.mark.tool
@pytest.mark.parametrize("path", [PLUGINS / "claude-code", ROOT], ids=["plugin", "marketplace"])
def test_claude_code_finds_nothing_wrong(claude_code: ClaudeCode, path: Path, tmp_path: Path) -> None:
    done = claude_code.run("plugin", "validate", "--strict", str(path), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation passed" in done.stdout


@pytest.mark.tool
def test_claude_code_installs_the_plugin_from_the_marketplace_and_its_hooks_fire(
    claude_code: ClaudeCode, tmp_path: Path
) -> None:
    """`marrow` is a script here that says how it was called; `--init-only` runs the hooks without asking a model."""
    shop, bin_, fired = tmp_path / "shop", tmp_path / "bin", tmp_path / "fired"
    for name in (".claude-plugin", "plugins/claude-code"):
        shutil.copytree(ROOT / name, shop / name)
    bin_.mkdir()
    (bin_ / "marrow").write_text(f'#!/bin/sh\necho "$@" >> "{fired}"\ncat > /dev/null\n', encoding="utf-8")
    (bin_ / "marrow").chmod(0o755)
    claude = ClaudeCode(claude_code.program, claude_code.home, (bin_,))
    for words in (("marketplace", "add", str(shop)), ("install", "marrow@marrow")):
        done = claude.run("plugin", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    settings = load(claude.home / ".claude" / "settings.json")
    assert settings["enabledPlugins"] == {"marrow@marrow": True}, "what `marrow install` looks for"
    claude.run("--init-only", cwd=tmp_path)
    calls = fired.read_text(encoding="utf-8").splitlines()
    assert "hook claude-code SessionStart" in calls
    assert "hook claude-code SessionEnd" in calls


@pytest.fixture
def short_home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mw-", dir="/tmp") as folder:
        yield Path(folder) / "m"


@pytest.mark.tool
def test_claude_code_runs_the_hooks_that_install_wrote_and_sees_the_server(
    claude_code: ClaudeCode, tmp_path: Path, here: Any, home: Path, short_home: Path
) -> None:
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    here.monkeypatch.setenv("MARROW_HOME", str(short_home))  # a socket's path must be short
    assert here("install", "claude-code", "--yes").code == 0
    claude = ClaudeCode(claude_code.program, home)
    env = {"MARROW_HOME": str(short_home)}
    listed = claude.run("mcp", "get", "marrow", cwd=tmp_path, env=env)  # it starts the server, to see how it is
    assert here("daemon", "stop").out == "The daemon has ended.\n"
    assert "-P -m marrow mcp" in listed.stdout, listed.stdout + listed.stderr
    assert "Connected" in listed.stdout
    # The hook says in its log that it ran, and does no more; and without servers no daemon is started for this.
    env |= {"MARROW_INTERNAL_HOOK_LOG": "1", "MARROW_INTERNAL_TEST": "1"}
    done = claude.run("--init-only", "--strict-mcp-config", cwd=tmp_path, env=env)
    log = (short_home / "log" / "hook.log").read_text(encoding="utf-8")
    assert "claude-code SessionStart" in log, done.stdout + done.stderr
    assert "claude-code SessionEnd" in log
    assert here("uninstall", "--yes").code == 0
    left = json.loads((home / ".claude.json").read_text(encoding="utf-8"))
    assert "mcpServers" not in left, "Claude Code has written to the file since, and ours is out of it"
    assert not (home / ".claude" / "settings.json").exists()
    assert not (home / ".claude" / "skills").exists()
    assert all(path.read_bytes() == data for path, data in before.items())
