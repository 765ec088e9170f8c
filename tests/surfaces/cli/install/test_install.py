"""`marrow install` and `marrow uninstall`, as people run them: in, in again, out, and every byte as it was."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marrow.surfaces.cli.hosts import events, json_edit
from marrow.surfaces.cli.hosts.programs import HOOK_PROGRAM, PORTABLE, is_ours, programs_here
from marrow.surfaces.cli.hosts.table import HOSTS

from ..conftest import CommandLine, Here
from .conftest import Seen, everything_in

NAMES = [host.name for host in HOSTS]
# The files of each host that are shared with others, and what they may hold before we come.
SHARED: dict[str, dict[str, str]] = {
    "claude-code": {
        ".claude/settings.json": '{\n    "model": "opus",\n    "hooks": {\n        "Stop": [\n'
        '            {"hooks": [{"type": "command", "command": "say done"}]}\n        ]\n    },\n'
        '    "permissions": {"allow": []}\n}',
        ".claude.json": '{\n  "numStartups": 7,\n  "mcpServers": {\n'
        '    "other": {"command": "x", "env": {"KEY": "k"}}\n  },\n  "projects": {}\n}',
    },
    "codex": {
        ".codex/config.toml": '# mine\r\nmodel = "gpt-5"  # the good one\r\n\r\n[mcp_servers.other]\r\ncommand = "x"',
        ".codex/hooks.json": '{"description": "mine", '
        '"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    },
    "cursor": {
        ".cursor/mcp.json": '{\r\n\t"mcpServers": {}\r\n}\r\n',
        ".cursor/hooks.json": '{\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "./mine.sh"}]\n  }\n}\n',
    },
    "copilot": {".copilot/mcp-config.json": '{ "mcpServers": { "other": { "command": "x" } } }\n'},
    "gemini": {".gemini/settings.json": '{\n  "theme": "Dracula",\n  "mcpServers": {}\n}\n'},
    "opencode": {
        ".config/opencode/opencode.jsonc": '{\n  "$schema": "https://opencode.ai/config.json", // theirs\n'
        '  "mcp": {\n    // "old": {},\n    "other": {"type": "local", "command": ["x"]}, // mine\n  },\n}\n'
    },
}


def fill(home: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def load(path: Path) -> Any:
    return json_edit.read(path.read_text(encoding="utf-8"))


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_on_a_clean_home_everything_made_is_gone_again(here: Here, name: str, seen: Callable[[], Seen]) -> None:
    before = seen()
    assert here("install", name, "--yes").code == 0
    assert seen() != before
    assert here("uninstall", name, "--yes").code == 0
    assert seen() == before
    assert not Path(os.environ["MARROW_HOME"]).exists()


def test_files_that_were_there_are_byte_for_byte_as_before(
    here: Here, name: str, home: Path, seen: Callable[[], Seen]
) -> None:
    fill(home, SHARED[name])
    before = seen()
    assert here("install", name, "--yes").code == 0
    after = seen()
    assert [path for path in SHARED[name] if after[path] == before[path]] == []
    assert here("uninstall", "--yes").code == 0
    assert seen() == before


def test_a_second_run_changes_nothing(here: Here, name: str, home: Path) -> None:
    fill(home, SHARED[name])
    here("install", name, "--yes")
    before = everything_in(home)
    again = here("install", name)
    assert (again.code, again.err) == (0, "")
    assert "nothing to do" in again.out
    assert everything_in(home) == before


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{ }\n", "\ufeff{}\n"], ids=["none", "blank", "{}", "{ }", "bom"])
def test_a_file_that_holds_nothing_is_restored_too(here: Here, text: str, home: Path, seen: Callable[[], Seen]) -> None:
    fill(home, {".claude/settings.json": text})
    before = seen()
    here("install", "claude-code", "--yes")
    assert load(home / ".claude/settings.json") if not text.startswith("\ufeff") else True
    here("install", "claude-code", "--yes", "--no-hooks")
    here("install", "claude-code", "--yes")
    here("uninstall", "--yes")
    assert seen() == before


def test_what_others_change_after_installing_survives(here: Here, name: str, home: Path) -> None:
    fill(home, SHARED[name])
    here("install", name, "--yes")
    for path in SHARED[name]:
        file = home / path
        if path.endswith(".toml"):
            file.write_bytes(file.read_bytes() + b"\r\n[later]\r\nkept = true\r\n")
        else:
            file.write_text(json.dumps({"first": 1, **load(file), "later": True}, indent=3), encoding="utf-8")
    assert here("install", name).code == 0, "a file that others formatted anew is still in place"
    assert here("uninstall", name, "--yes").code == 0
    for path, text in SHARED[name].items():
        if path.endswith(".toml"):
            kept = tomllib.loads((home / path).read_text(encoding="utf-8"))
            assert kept == {**tomllib.loads(text), "later": {"kept": True}}
        else:
            assert load(home / path) == {"first": 1, **json_edit.read(text), "later": True}


def test_a_file_that_we_made_and_others_filled_stays_without_ours(here: Here, home: Path) -> None:
    here("install", "claude-code", "--yes")
    file = home / ".claude.json"
    file.write_text(json.dumps({**load(file), "numStartups": 1}), encoding="utf-8")
    here("uninstall", "--yes")
    assert load(file) == {"numStartups": 1}


def test_a_hook_that_someone_put_beside_ours_stays(here: Here, home: Path) -> None:
    here("install", "claude-code", "--yes")
    file = home / ".claude" / "settings.json"
    settings = load(file)
    mine = {"type": "command", "command": "say hi"}
    settings["hooks"]["Stop"][0]["hooks"].append(mine)
    settings["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] = 60
    file.write_text(json.dumps(settings), encoding="utf-8")
    here("uninstall", "--yes")
    assert load(file) == {"hooks": {"Stop": [{"hooks": [mine]}]}}


def test_a_skill_that_someone_changed_stays_and_is_said_so(here: Here, home: Path) -> None:
    here("install", "claude-code", "--yes")
    file = home / ".claude/skills/marrow-search/SKILL.md"
    file.write_text("mine now", encoding="utf-8")
    again = here("install", "claude-code")
    assert "was changed by someone" in again.err
    gone = here("uninstall", "--yes")
    assert "was changed by someone" in gone.err
    assert file.read_text(encoding="utf-8") == "mine now"
    assert not (home / ".claude/skills/marrow-decide").exists()


def test_another_interpreter_replaces_ours_and_nothing_else(here: Here, home: Path, seen: Callable[[], Seen]) -> None:
    fill(home, SHARED["claude-code"])
    before = seen()
    here("install", "claude-code", "--yes")
    here.monkeypatch.setattr("marrow.surfaces.cli.install.programs_here", lambda: programs_here("/opt/new/python"))
    moved = here("install", "claude-code", "--yes")
    assert moved.code == 0
    settings = load(home / ".claude/settings.json")
    programs = [h["command"] for group in settings["hooks"]["Stop"] for h in group["hooks"]]
    assert programs == ["say done", "/opt/new/python"]
    assert load(home / ".claude.json")["mcpServers"]["marrow"]["command"] == "/opt/new/python"
    here("uninstall", "--yes")
    assert seen() == before


def test_without_its_receipt_an_installation_is_found_and_taken_out(here: Here, home: Path) -> None:
    fill(home, SHARED["codex"] | SHARED["claude-code"])
    here("install", "claude-code", "codex", "--yes")
    for receipt in (home / ".marrow" / "installed").iterdir():
        receipt.unlink()
    assert here("uninstall").out.startswith("Marrow is installed nowhere")
    assert here("install", "claude-code", "codex", "--yes").code == 0
    stops = load(home / ".claude/settings.json")["hooks"]["Stop"]
    assert len([group for group in stops if is_ours(group)]) == 1
    assert here("uninstall", "--yes").code == 0
    assert load(home / ".claude/settings.json")["hooks"]["Stop"] == [stops[0]]
    assert "marrow" not in (home / ".claude.json").read_text(encoding="utf-8")
    assert "marrow" not in (home / ".codex/config.toml").read_text(encoding="utf-8")


def test_a_server_of_that_name_that_is_not_ours_stays(here: Here, home: Path, seen: Callable[[], Seen]) -> None:
    fill(
        home,
        {
            ".claude.json": '{"mcpServers": {"marrow": {"command": "marrow", "args": ["mcp", "--standalone"]}}}',
            ".codex/config.toml": '[mcp_servers.marrow]\ncommand = "marrow"\n',
        },
    )
    before = seen()
    said = here("install", "claude-code", "codex", "--yes")
    assert said.err.count("that Marrow did not add: it stays") == 2
    after = seen()
    assert [after[path] for path in (".claude.json", ".codex/config.toml")] == [
        before[path] for path in (".claude.json", ".codex/config.toml")
    ]
    here("uninstall", "--yes")
    assert seen() == before


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "path", "text", "said"),
    [
        ("claude-code", ".claude/settings.json", '{\n  // mine\n  "a": 1\n}', "this host reads plain JSON"),
        ("claude-code", ".claude.json", '{"a": 1,}', "this host reads plain JSON"),
        ("claude-code", ".claude/settings.json", '{"hooks": []}', "hooks is not an object"),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": {}}}', "hooks.Stop is not a list"),
        ("codex", ".codex/config.toml", "[oops\n", "cannot be read as TOML"),
        ("codex", ".codex/hooks.json", "[]", "it is not an object"),
        ("codex", ".codex/config.toml", 'mcp_servers = "x"\n', "mcp_servers.marrow cannot be added"),
        ("gemini", ".gemini/settings.json", "{'a': 1}", "cannot be read as JSON"),
        ("opencode", ".config/opencode/opencode.jsonc", "// mine", "cannot be read as JSON"),
        ("claude-code", ".claude/skills/marrow-search/SKILL.md", "not ours", "Marrow did not write it"),
    ],
)
def test_a_file_that_is_not_understood_stops_everything_and_nothing_changes(
    here: Here, home: Path, host: str, path: str, text: str, said: str
) -> None:
    fill(home, {path: text})
    before = everything_in(home)
    ran = here("install", host, "--yes")
    assert ran.code in (2, 6)
    assert said in ran.err
    assert str(home / path) in ran.err
    assert "hint: " in ran.err
    assert everything_in(home) == before


def test_where_one_host_stops_everything_it_is_said_how_to_go_on_with_the_others(here: Here, home: Path) -> None:
    fill(home, {".claude/settings.json": "{}", ".gemini/settings.json": "{} # mine", ".cursor/mcp.json": "{}"})
    ran = here("install", "--yes")
    assert "Without Gemini CLI: marrow install claude-code cursor\n" in ran.err
    fill(home, {".gemini/settings.json": "{}"})
    assert here("install", "--yes").code == 0
    (home / ".gemini/settings.json").write_text("# mine\n" + (home / ".gemini/settings.json").read_text())
    assert "Without Gemini CLI: marrow uninstall claude-code cursor\n" in here("uninstall", "--yes").err


def test_a_file_that_is_not_utf8_is_refused(here: Here, home: Path) -> None:
    (home / ".claude.json").write_bytes(b'{"a": "\xff"}')
    assert "not UTF-8" in here("install", "claude-code", "--yes").err
    assert (home / ".claude.json").read_bytes() == b'{"a": "\xff"}'


def test_without_a_yes_nothing_is_written(here: Here, home: Path) -> None:
    ran = here("install", "claude-code")
    assert ran.code == 2
    assert "--yes" in ran.err
    shown = here("install", "claude-code", "--dry-run")
    assert shown.code == 0
    assert "+ hooks.SessionStart: {" in shown.out
    assert "~/.claude/settings.json" in shown.out
    assert everything_in(home) == {}


def test_a_dry_run_shows_our_lines_and_none_of_the_others(here: Here, home: Path) -> None:
    fill(home, SHARED["claude-code"])
    shown = here("install", "claude-code", "--dry-run").out
    assert "+ mcpServers.marrow: {" in shown
    assert "KEY" not in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("install", "claud-code"), "Did you mean claude-code?"),
        (("install", "emacs"), "One of claude-code"),
        (("install", "codex", "--skills-only"), "codex has none"),
        (("install", "cursor", "--repository"), "cannot be installed into a repository"),
        (("uninstall", "gemini"), "not installed in gemini"),
    ],
)
def test_a_wrong_choice_is_explained(here: Here, words: tuple[str, ...], said: str) -> None:
    ran = here(*words, "--yes")
    assert ran.code in (2, 3)
    assert said in ran.err


def test_an_environment_for_one_run_is_refused() -> None:
    from marrow.model.errors import Conflict

    for path in ("/home/ada/.cache/uv/archive-v0/x1/bin/python", "/home/ada/.local/pipx/.cache/a1/bin/python"):
        with pytest.raises(Conflict, match="made for one run"):
            programs_here(path)


def test_the_plugin_and_an_installation_are_not_had_together(here: Here, home: Path) -> None:
    fill(home, {".claude/settings.json": '{"enabledPlugins": {"marrow@marrow": true}}'})
    ran = here("install", "claude-code", "--yes")
    assert ran.code == 6
    assert "claude plugin uninstall marrow@marrow" in ran.err
    fill(home, {".codex/config.toml": '[plugins."marrow@marrow"]\nenabled = true\n'})
    assert "codex plugin remove marrow@marrow" in here("install", "codex", "--yes").err


def test_a_disk_that_takes_no_more_leaves_everything_as_it_was(here: Here, home: Path) -> None:
    fill(home, SHARED["claude-code"])
    before = everything_in(home)
    real = os.replace
    done: list[str] = []

    def failing(source: str, target: str) -> None:
        done.append(target)
        if len(done) == 4:
            raise OSError(28, "No space left on device")
        real(source, target)

    with here.monkeypatch.context() as patched:
        patched.setattr("marrow.surfaces.cli.hosts.apply.os.replace", failing)
        ran = here("install", "claude-code", "--yes")
    assert ran.code == 73
    assert "No space left on device" in ran.err
    assert len(done) > 4, "what had been written is put back"
    assert everything_in(home) == {**before, ".marrow/installed/": b""}


# --- what is written --------------------------------------------------------------------------------------------------


def test_claude_code_gets_hooks_without_a_shell_a_server_and_skills(here: Here, home: Path) -> None:
    here("install", "claude-code", "--yes")
    hooks = load(home / ".claude/settings.json")["hooks"]
    assert list(hooks) == [event.name for event in events.CLAUDE_CODE]
    (group,) = hooks["PreToolUse"]
    assert group["matcher"] == "Edit|Write|MultiEdit|NotebookEdit|Read"
    assert group["hooks"] == [
        {
            "type": "command",
            "command": sys.executable,
            "args": ["-I", "-S", HOOK_PROGRAM, "claude-code", "PreToolUse"],
            "timeout": 5,
        }
    ]
    assert Path(HOOK_PROGRAM).is_file()
    server = load(home / ".claude.json")["mcpServers"]["marrow"]
    assert server == {"type": "stdio", "command": sys.executable, "args": ["-P", "-m", "marrow", "mcp"]}
    assert (home / ".claude/skills/marrow-session-init/SKILL.md").is_file()


def test_skills_only_brings_no_server_and_the_skills_call_the_command_line(here: Here, home: Path) -> None:
    here("install", "claude-code", "--yes")
    here("install", "claude-code", "--skills-only", "--yes")
    assert not (home / ".claude.json").exists()
    text = (home / ".claude/skills/marrow-search/SKILL.md").read_text(encoding="utf-8")
    assert "marrow recall " in text
    assert "memory_recall(" not in text


def test_where_claude_code_is_told_to_be_elsewhere_its_files_are_there(here: Here, home: Path, tmp_path: Path) -> None:
    here.monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    here("install", "claude-code", "--yes")
    assert (tmp_path / "elsewhere" / ".claude.json").is_file()
    assert (tmp_path / "elsewhere" / "settings.json").is_file()
    assert not (home / ".claude.json").exists()
    here("uninstall", "--yes")
    assert not (tmp_path / "elsewhere").exists()


def test_in_a_repository_nothing_of_this_machine_is_written(here: Here, home: Path, repository: Path) -> None:
    here.monkeypatch.chdir(repository / "docs")
    before = everything_in(repository)
    said = here("install", "--repository", "--yes")
    assert "needs `marrow` on the PATH" in said.out
    assert load(repository / ".mcp.json")["mcpServers"]["marrow"]["command"] == "marrow"
    written = (repository / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert sys.executable not in written
    assert "PreToolUse" not in written, "the Copilot CLI reads this too, and would deny tools to who has no Marrow"
    assert list(load(repository / ".claude/settings.json")["hooks"]["Stop"][0]["hooks"][0]["args"]) == [
        *PORTABLE.hook[1:],
        "claude-code",
        "Stop",
    ]
    assert here("uninstall").out.startswith("Marrow is installed nowhere")
    assert here("uninstall", "--repository", "--yes").code == 0
    assert everything_in(repository) == before


def test_copilot_and_vs_code_are_one(here: Here, home: Path) -> None:
    assert here("install", "vscode", "--yes").code == 0
    assert "nothing to do" in here("install", "copilot").out
    hooks = load(home / ".copilot/hooks/marrow.json")
    assert hooks["version"] == 1
    assert "PreToolUse" not in hooks["hooks"], "a hook before a tool that cannot start would deny the tool"


def test_gemini_counts_in_milliseconds(here: Here, home: Path) -> None:
    here("install", "gemini", "--yes")
    hooks = load(home / ".gemini/settings.json")["hooks"]
    assert {handler["timeout"] for groups in hooks.values() for g in groups for handler in g["hooks"]} == {5000, 10000}


def test_without_hosts_those_that_are_there_are_found(here: Here, home: Path) -> None:
    here.monkeypatch.setenv("PATH", "/nowhere")
    nothing = here("install", "--yes")
    assert nothing.code == 3
    assert "No host was found" in nothing.err
    (home / ".codex").mkdir()
    (home / ".gemini").mkdir()
    shape = here("install", "--yes", "--json").json
    assert [host["host"] for host in shape["hosts"]] == ["codex", "gemini"]
    assert shape["done"]
    program = home / "bin" / "opencode"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    here.monkeypatch.setenv("PATH", str(program.parent))
    shape = here("install", "--yes", "--json").json
    assert [host["host"] for host in shape["hosts"]] == ["codex", "gemini", "opencode"]


def test_permissions_and_links_stay(here: Here, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}\n", encoding="utf-8")
    real.chmod(0o640)
    (home / ".claude.json").symlink_to(real)
    here("install", "claude-code", "--yes")
    assert (home / ".claude.json").is_symlink()
    assert "marrow" in load(real)["mcpServers"]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    here("uninstall", "--yes")
    assert (home / ".claude.json").is_symlink()
    assert real.read_text(encoding="utf-8") == "{}\n"


def test_a_receipt_is_the_users_alone_and_copies_no_file_of_a_host(here: Here, home: Path) -> None:
    fill(home, SHARED["claude-code"])
    here("install", "claude-code", "--yes")
    receipt = home / ".marrow" / "installed" / "claude-code.json"
    assert stat.S_IMODE(receipt.stat().st_mode) == 0o600
    assert stat.S_IMODE(receipt.parent.stat().st_mode) == 0o700
    assert [file["copy"] for file in load(receipt)["files"]] == [None] * len(load(receipt)["files"])


def test_on_a_terminal_it_shows_asks_and_takes_no_for_an_answer(marrow: CommandLine, home: Path) -> None:
    (home / ".codex").mkdir()
    before = everything_in(home)
    no = marrow.on_terminal("install", "codex", typed=b"n\n")
    assert "~/.codex/hooks.json" in no.out
    assert "Go on? [y/N]" in no.out
    assert "Nothing was changed." in no.out
    assert everything_in(home) == before
    yes = marrow.on_terminal("install", "codex", typed=b"y\n")
    assert yes.code == 0
    assert "trust" in yes.out
    assert "marrow doctor" in yes.out
    assert "marrow uninstall codex" in yes.out
    assert marrow.on_terminal("uninstall", typed=b"y\n").code == 0
    assert everything_in(home) == before


def test_every_event_that_is_installed_is_one_that_capture_knows() -> None:
    from marrow.capture import event
    from marrow.capture.hosts import codex, cursor, gemini, vscode

    known = {
        "claude": (events.CLAUDE_CODE, event.CLAUDE_EVENTS),
        "codex": (events.CODEX, codex.EVENTS),
        "cursor": (events.CURSOR, cursor.EVENTS),
        "copilot": (events.COPILOT, {**event.CLAUDE_EVENTS, **vscode.COPILOT_EVENTS}),
        "gemini": (events.GEMINI, gemini.EVENTS),
    }
    wrong = {host: [e.name for e in installed if e.name not in names] for host, (installed, names) in known.items()}
    assert not any(wrong.values()), wrong
