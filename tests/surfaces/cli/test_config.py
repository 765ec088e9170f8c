"""`marrow config`: what the settings are, where they come from, and how one is changed."""

from __future__ import annotations

from pathlib import Path

from marrow.settings import SETTINGS
from marrow.surfaces.cli.doctor import settings_checks

from .conftest import CommandLine, Here


def test_every_setting_is_listed_with_its_value_and_source(here: Here) -> None:
    shown = here("config").out
    listed = here("config", "list", "--json").json
    assert [item["name"] for item in listed["items"]] == [setting.name for setting in SETTINGS]
    assert all(f"{setting.name} = " in shown for setting in SETTINGS)
    assert all(item["source"] and item["help"] and item["environment"] for item in listed["items"])


def test_a_value_that_is_set_is_read_back_with_its_file(here: Here, environment: dict[str, str]) -> None:
    file = Path(environment["MARROW_HOME"]) / "config.toml"
    assert here("config", "get", "recall.top_k").out == "5\n"
    assert here("config", "set", "recall.top_k", "8").out == f"recall.top_k = 8 in {file}\n"
    assert here("config", "get", "recall.top_k").out == "8\n"
    assert here("config", "get", "recall.top_k", "--json").json["source"] == str(file)
    assert here("config", "unset", "recall.top_k").out == f"recall.top_k is no longer set in {file}\n"
    assert here("config", "unset", "recall.top_k", "--json").json == {
        "name": "recall.top_k",
        "file": str(file),
        "changed": False,
    }
    assert here("config", "get", "recall.top_k").out == "5\n"


def test_the_repository_has_a_file_of_its_own(here: Here, repository: Path) -> None:
    below = repository / "docs"
    here.monkeypatch.chdir(below)
    assert here("config", "set", "domains.extra", "billing,legal", "--project-file").code == 0
    assert (repository / ".marrow.toml").read_text(encoding="utf-8") == '[domains]\nextra = ["billing", "legal"]\n'
    assert here("config", "get", "domains.extra").out == "billing,legal\n"
    assert here("save", "an invoice", "--domain", "billing").code == 0
    refused = here("config", "set", "llm", "openai", "--project-file")
    assert refused.code == 2
    assert "not a project's to set" in refused.err


def test_a_pattern_of_a_repository_that_is_left_out_is_told_and_stops_nothing(here: Here, repository: Path) -> None:
    (repository / ".marrow.toml").write_text("redact.extra = ['(a+)+$', 'LAMP-\\d+']\n", encoding="utf-8")
    listed = here("config")
    assert listed.code == 0
    assert "is without '(a+)+$'" in listed.err
    assert "'(a+)+$'" in here("config", "--json").json["left_out"][0]
    assert "LAMP-77" not in here("save", "The lamp is LAMP-77").out
    assert any(not one.ok and "'(a+)+$'" in one.detail for one in settings_checks())
    refused = here("config", "set", "redact.extra", "(a+)+$", "--project-file")
    assert refused.code == 2
    assert "busy for ever" in refused.err


def test_a_secret_is_never_shown(here: Here) -> None:
    said = [here("config", "set", "token", "hunter2hunter2"), here("config"), here("config", "get", "token")]
    said += [here("config", "--json"), here("config", "get", "token", "--json")]
    assert all(ran.code == 0 and "hunter2" not in ran.out + ran.err for ran in said)
    assert "********" in said[1].out
    said = [here("--store", "x", "config")]
    here.monkeypatch.setenv("MARROW_STORE", "postgres://ada:hunter2@db/marrow")
    assert "hunter2" not in here("config", "get", "store").out


def test_a_wrong_value_or_name_is_refused_and_changes_nothing(here: Here, environment: dict[str, str]) -> None:
    for words in (
        ["set", "recall.top_k", "many"],
        ["set", "recall.topk", "8"],
        ["get", "nonsense"],
        ["set", "recall.top_k"],
    ):
        ran = here("config", *words)
        assert ran.code == 2
        assert "hint: " in ran.err
    assert not (Path(environment["MARROW_HOME"]) / "config.toml").exists()


def test_a_wrong_file_can_be_mended(here: Here, environment: dict[str, str]) -> None:
    file = Path(environment["MARROW_HOME"]) / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[recall]\ntop_k = 900\n", encoding="utf-8")
    assert here("status").code == 2
    assert here("config", "unset", "recall.top_k").code == 0
    assert here("status").code == 0


def test_on_a_terminal_a_setting_is_explained(marrow: CommandLine) -> None:
    out = marrow.on_terminal("config", "get", "recall.mode").out
    assert "MARROW_RECALL_MODE" in out
    assert "first, always, off" in out
