"""Settings: the table, where values come from, what is refused, and the compiled form."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.capture.compile_settings import flat
from marrow.model.errors import Internal, Invalid, TooLarge
from marrow.settings import SETTINGS, TYPES, Settings, find, load

OPERATIONS_TABLE = """
home store config project project_root url token connect_timeout_ms read_timeout_ms
recall.mode recall.time_budget_ms recall.top_k recall.min_score recall.budget_tokens
capture.enabled capture.scope capture.min_salience capture.tools context.budget_tokens context.layers
compress.interval_turns compress.model summary.model embedder embedder.model embedder.dimensions embedder.instructions
embedder.key speech.model reranker
llm llm.model llm.daily_tokens llm.daily_usd retention.trace_days retention.context_days retention.telemetry_days
daemon.idle_minutes daemon.memory_mb log.level redact.extra ignore.extra domains.extra aliases
namespace store.busy_timeout_ms view derivations.files
""".split()


class Machine:
    """A user's home and one of their repositories."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "work" / "project"
        (self.project / ".git").mkdir(parents=True)
        self.user_file = self.home / ".marrow" / "config.toml"
        self.user_file.parent.mkdir()
        self.project_file = self.project / ".marrow.toml"

    def load(self, arguments: Mapping[str, object] | None = None, /, cwd: Path | None = None, **env: str) -> Settings:
        return load(arguments or {}, environ={"HOME": str(self.home), **env}, cwd=cwd or self.project)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_every_setting_of_the_operations_table_is_in_the_code_and_no_other() -> None:
    assert sorted(setting.name for setting in SETTINGS) == sorted(OPERATIONS_TABLE)


def test_names_and_variables_are_unique_and_every_row_is_whole() -> None:
    assert len({setting.environment for setting in SETTINGS}) == len(SETTINGS)
    for setting in SETTINGS:
        assert setting.help.endswith(".")
        assert setting.type in TYPES
        assert setting.limits
        if setting.type in ("integer", "number", "counts"):
            assert setting.minimum is not None
            assert setting.maximum is not None


def test_without_files_everything_is_default(machine: Machine) -> None:
    settings = machine.load()
    assert settings["recall.top_k"] == 5
    assert settings["recall.min_score"] is None
    assert settings["namespace"] == "local"
    assert settings["home"] == str(machine.home / ".marrow")
    assert settings["store"] == str(machine.home / ".marrow" / "marrow.db")
    assert settings["context.layers"] == {
        "sessions": 300,
        "code": 500,
        "learnings": 300,
        "observations": 600,
        "call_graph": 300,
    }
    assert {settings.source(setting.name) for setting in SETTINGS} == {"default"}
    assert settings.files == ()


def test_later_places_win_and_each_value_knows_where_it_came_from(machine: Machine) -> None:
    machine.user_file.write_text("[recall]\ntop_k = 6\nbudget_tokens = 600\ntime_budget_ms = 60\nmode = 'off'\n")
    machine.project_file.write_text("[recall]\ntop_k = 7\nbudget_tokens = 700\nmode = 'always'\n")
    settings = machine.load({"recall.top_k": 9}, MARROW_RECALL_TOP_K="8", MARROW_RECALL_BUDGET_TOKENS="800")
    assert (settings["recall.top_k"], settings.source("recall.top_k")) == (9, "argument")
    assert (settings["recall.budget_tokens"], settings.source("recall.budget_tokens")) == (
        800,
        "MARROW_RECALL_BUDGET_TOKENS",
    )
    assert (settings["recall.mode"], settings.source("recall.mode")) == ("always", str(machine.project_file))
    assert (settings["recall.time_budget_ms"], settings.source("recall.time_budget_ms")) == (60, str(machine.user_file))
    assert settings.files == (str(machine.user_file), str(machine.project_file))


def test_an_empty_variable_and_an_argument_of_none_count_as_not_given(machine: Machine) -> None:
    settings = machine.load({"recall.top_k": None}, MARROW_RECALL_TOP_K="", MARROW_TOKEN="")
    assert settings.source("recall.top_k") == "default"
    assert settings["token"] is None


def test_marrow_home_moves_the_home_the_config_file_and_the_store(machine: Machine, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "config.toml").write_text("log.level = 'debug'\n")
    settings = machine.load(MARROW_HOME=str(moved))
    assert settings["log.level"] == "debug"
    assert settings["store"] == str(moved / "marrow.db")
    assert settings["config"] == str(moved / "config.toml")


def test_marrow_config_names_another_file_which_must_exist(machine: Machine, tmp_path: Path) -> None:
    machine.user_file.write_text("recall.top_k = 6\n")
    other = tmp_path / "other.toml"
    with pytest.raises(Invalid) as caught:
        machine.load(MARROW_CONFIG=str(other))
    assert caught.value.field == "config"
    assert "MARROW_CONFIG" in caught.value.message
    other.write_text("recall.top_k = 11\n")
    assert machine.load(MARROW_CONFIG=str(other))["recall.top_k"] == 11


def test_a_home_named_in_the_users_file_moves_the_store(machine: Machine) -> None:
    machine.user_file.write_text("home = '~/elsewhere'\n")
    assert machine.load()["store"] == str(machine.home / "elsewhere" / "marrow.db")


def test_relative_paths_start_where_they_were_written(machine: Machine) -> None:
    machine.user_file.write_text("store = 'mine.db'\n")
    assert machine.load()["store"] == str(machine.user_file.parent / "mine.db")
    assert machine.load(MARROW_STORE="here.db")["store"] == str(machine.project / "here.db")
    assert machine.load({"store": Path("~/x.db")})["store"] == str(machine.home / "x.db")
    assert machine.load(MARROW_STORE="sqlite:here.db")["store"] == str(machine.project / "here.db")
    for whole in ("postgresql://db/marrow", "memory:"):
        assert machine.load(MARROW_STORE=whole)["store"] == whole


def test_the_nearest_project_file_is_read_up_to_the_repository_root(machine: Machine) -> None:
    deep = machine.project / "a" / "b"
    deep.mkdir(parents=True)
    machine.project_file.write_text("recall.top_k = 7\n")
    assert machine.load(cwd=deep)["recall.top_k"] == 7
    (machine.project / "a" / ".marrow.toml").write_text("recall.top_k = 8\n")
    assert machine.load(cwd=deep)["recall.top_k"] == 8


def test_a_project_file_above_the_repository_root_is_not_read(machine: Machine) -> None:
    (machine.project.parent / ".marrow.toml").write_text("recall.top_k = 7\n")
    assert machine.load()["recall.top_k"] == 5


@pytest.mark.parametrize("with_git", [True, False])
def test_a_project_file_in_the_home_itself_is_never_read(machine: Machine, with_git: bool) -> None:
    (machine.home / ".marrow.toml").write_text("recall.top_k = 7\n")
    if with_git:
        (machine.home / ".git").mkdir()
    plain = machine.home / "notes"
    plain.mkdir()
    assert machine.load(cwd=machine.home)["recall.top_k"] == 5
    assert machine.load(cwd=plain)["recall.top_k"] == 5


def test_outside_a_repository_a_project_file_counts_below_the_home_only(machine: Machine) -> None:
    plain = machine.home / "notes" / "deep"
    plain.mkdir(parents=True)
    (machine.home / "notes" / ".marrow.toml").write_text("recall.top_k = 7\n")
    (machine.home.parent / ".marrow.toml").write_text("recall.top_k = 9\n")
    assert machine.load(cwd=plain)["recall.top_k"] == 7
    assert machine.load(cwd=machine.home)["recall.top_k"] == 5


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away")
def test_outside_a_repository_another_users_project_file_is_not_read(machine: Machine) -> None:
    plain = machine.home.parent / "shared"
    plain.mkdir()
    (plain / ".marrow.toml").write_text("recall.top_k = 7\n")
    assert machine.load(cwd=plain)["recall.top_k"] == 7
    os.chown(plain / ".marrow.toml", 12345, 12345)
    assert machine.load(cwd=plain)["recall.top_k"] == 5


def test_project_root_says_where_the_project_file_is_looked_for(machine: Machine, tmp_path: Path) -> None:
    machine.project_file.write_text("recall.top_k = 7\n")
    assert machine.load(cwd=tmp_path)["recall.top_k"] == 5
    assert machine.load(cwd=tmp_path, MARROW_PROJECT_ROOT=str(machine.project))["recall.top_k"] == 7


@pytest.mark.parametrize(
    "text", ["embedder = 'voyage'\n", "[embedder]\nname = 'voyage'\n", "embedder.name = 'voyage'\n"]
)
def test_a_name_that_is_value_and_table_is_accepted_in_both_forms(machine: Machine, text: str) -> None:
    machine.user_file.write_text(text)
    assert machine.load()["embedder"] == "voyage"


def test_a_name_that_is_value_and_table_goes_with_its_keys(machine: Machine) -> None:
    machine.user_file.write_text("[embedder]\nname = 'voyage'\nmodel = 'm'\ndimensions = 256\n")
    settings = machine.load()
    assert (settings["embedder"], settings["embedder.model"], settings["embedder.dimensions"]) == ("voyage", "m", 256)


def test_a_setting_given_twice_in_one_file_is_refused(machine: Machine) -> None:
    machine.user_file.write_text("'recall.top_k' = 3\n[recall]\ntop_k = 4\n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert caught.value.field == "recall.top_k"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("recall.top_k", "12", 12),
        ("recall.min_score", "0.25", 0.25),
        ("recall.min_score", "1", 1.0),
        ("recall.min_score", "calibrated", None),
        ("capture.enabled", "no", False),
        ("capture.enabled", "TRUE", True),
        ("capture.tools", "Bash, Edit", ("Bash", "Edit")),
        ("capture.tools", '["a,b", "c"]', ("a,b", "c")),
        ("redact.extra", "[A-Z]{20,}", ("[A-Z]{20,}",)),
        ("redact.extra", "a{2,}\nb{3,}", ("a{2,}", "b{3,}")),
        ("redact.extra", "['x,y']", ("x,y",)),
        ("aliases", "k8s=kubernetes|kube, db=database", {"k8s": ("kubernetes", "kube"), "db": ("database",)}),
        ("aliases", '{k8s = "kubernetes"}', {"k8s": ("kubernetes",)}),
        ("url", "https://memory.example.org/x", "https://memory.example.org/x"),
        ("url", "none", None),
        ("compress.model", "none", None),
    ],
)
def test_text_from_the_environment_becomes_the_settings_type(
    machine: Machine, name: str, text: str, value: object
) -> None:
    settings = machine.load(None, None, **{find(name).environment: text})
    assert settings[name] == value
    assert type(settings[name]) is type(value) or isinstance(value, dict)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("recall.top_k", "many"),
        ("recall.top_k", "0"),
        ("recall.top_k", "51"),
        ("recall.top_k", "9" * 5000),
        ("recall.min_score", "nan"),
        ("recall.min_score", "inf"),
        ("recall.min_score", "-0.1"),
        ("recall.mode", "sometimes"),
        ("capture.enabled", "maybe"),
        ("context.layers", "sesions=3"),
        ("context.layers", "sessions=-3"),
        ("context.layers", "sessions"),
        ("capture.tools", '["a", 3]'),
        ("capture.tools", '["a'),
        ("redact.extra", "(unclosed"),
        ("aliases", "{a = 3}"),
        ("url", "ftp://example.org"),
        ("project", "two\nlines"),
        ("project", "half \ud800 character"),
        ("project", "x" * 5000),
        ("namespace", "   "),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_its_place_and_what_to_give(
    machine: Machine, name: str, text: str
) -> None:
    setting = find(name)
    with pytest.raises(Invalid) as caught:
        machine.load(None, None, **{setting.environment: text})
    assert caught.value.field == name
    assert setting.environment in caught.value.message
    assert setting.limits in caught.value.hint


@pytest.mark.parametrize(
    "line",
    [
        "recall.top_k = '5'",
        "recall.top_k = 5.0",
        "recall.top_k = true",
        "recall.top_k = [5]",
        "recall.min_score = '0.5'",
        "recall.min_score = nan",
        "capture.enabled = 1",
        "capture.tools = 'Bash'",
        "log.level = 3",
        "aliases = ['a']",
        "context.layers = { sessions = true }",
        "[[aliases]]",
        "token = 7",
    ],
)
def test_toml_of_the_wrong_type_is_refused(machine: Machine, line: str) -> None:
    machine.user_file.write_text(line + "\n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert str(machine.user_file) in caught.value.message


def test_an_unknown_setting_names_the_nearest(machine: Machine) -> None:
    machine.user_file.write_text("[recall]\ntopk = 5\n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert caught.value.field == "recall.topk"
    assert "recall.top_k" in caught.value.hint
    assert str(machine.user_file) in caught.value.message


def test_an_unknown_variable_names_the_nearest_and_variables_of_our_own_do_not_count(machine: Machine) -> None:
    with pytest.raises(Invalid) as caught:
        machine.load(MARROW_RECAL_TOP_K="3")
    assert "MARROW_RECALL_TOP_K" in caught.value.hint
    machine.user_file.write_text("")
    assert machine.load(MARROW_TEST_POSTGRES="x", OTHER="y")["recall.top_k"] == 5


def test_an_unknown_argument_names_the_nearest(machine: Machine) -> None:
    with pytest.raises(Invalid) as caught:
        machine.load({"top_k": 3})
    assert "recall.top_k" in caught.value.hint


def test_malformed_toml_is_refused_with_the_line(machine: Machine) -> None:
    machine.user_file.write_text("a = 1\nb = \n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert "line 2" in caught.value.message
    assert str(machine.user_file) in caught.value.message


@pytest.mark.parametrize(
    "data", [b"a = " + b"[" * 60_000, b".".join([b"a"] * 60_000) + b" = 1", b"\xff\xfe", b"x = '\x00'"]
)
def test_hostile_files_are_refused_and_do_no_harm(machine: Machine, data: bytes) -> None:
    machine.project_file.write_bytes(data)
    with pytest.raises(Invalid):
        machine.load()


def test_a_file_too_large_and_a_pipe_are_refused_without_waiting(machine: Machine) -> None:
    machine.project_file.write_text("#" * 300_000)
    with pytest.raises(TooLarge):
        machine.load()
    machine.project_file.unlink()
    os.mkfifo(machine.project_file)
    with pytest.raises(TooLarge):
        machine.load()


def test_a_byte_order_mark_does_no_harm(machine: Machine) -> None:
    machine.user_file.write_bytes(b"\xef\xbb\xbfrecall.top_k = 6\r\n")
    assert machine.load()["recall.top_k"] == 6


@pytest.mark.parametrize(
    "line",
    [
        "home = '/tmp/x'",
        "config = 'x.toml'",
        "url = 'https://evil.example'",
        "token = 'x'",
        "namespace = 'other'",
        "llm = 'anthropic'",
        "llm.daily_usd = 100",
        "llm.daily_tokens = 100",
        "embedder = 'voyage'",
        "[embedder]\nname = 'voyage'",
        "embedder.model = 'x'",
        "compress.model = 'x'",
        "recall.time_budget_ms = 30000",
        "retention.trace_days = 1",
    ],
)
def test_a_repository_may_not_set_what_is_its_users(machine: Machine, line: str) -> None:
    machine.project_file.write_text(line + "\n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert str(machine.project_file) in caught.value.message
    assert caught.value.field == ("embedder" if line.startswith("[") else line.split(" =")[0])


@pytest.mark.parametrize("name", ["store", "project_root"])
@pytest.mark.parametrize(
    "path", "/etc/x ../x a/../../x ~/x C:/x a\\..\\x postgresql://h/db memory: sqlite:x .git/x link/x".split()
)
def test_a_repositorys_paths_may_not_leave_it(machine: Machine, name: str, path: str) -> None:
    (machine.project / "link").symlink_to(machine.home)
    machine.project_file.write_text(f"{name} = '{path}'\n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert caught.value.field == name


def test_a_repository_may_keep_its_store_inside_itself(machine: Machine) -> None:
    machine.project_file.write_text("store = 'memory/marrow.db'\n")
    settings = machine.load()
    assert settings["store"] == str(machine.project / "memory" / "marrow.db")
    assert machine.load(MARROW_STORE="/x/y.db")["store"] == "/x/y.db"


def test_a_repository_may_not_take_the_name_of_another_repositorys_address(machine: Machine) -> None:
    machine.project_file.write_text("project = 'shop'\n")
    assert machine.load()["project"] == "shop"
    machine.project_file.write_text("project = 'github.com/org/secret'\n")
    with pytest.raises(Invalid) as caught:
        machine.load()
    assert caught.value.field == "project"


def test_a_project_adds_to_what_its_user_redacts_and_cannot_take_it_away(machine: Machine) -> None:
    machine.user_file.write_text("redact.extra = ['mine-\\d+']\n[aliases]\ndb = 'database'\nk8s = 'kubernetes'\n")
    machine.project_file.write_text("redact.extra = ['theirs']\n[aliases]\ndb = ['postgres']\n")
    settings = machine.load(MARROW_CONTEXT_LAYERS="code=50")
    assert settings["redact.extra"] == ("mine-\\d+", "theirs")
    assert settings["aliases"] == {"db": ("postgres",), "k8s": ("kubernetes",)}
    assert settings.source("redact.extra") == f"{machine.user_file}, {machine.project_file}"
    layers = settings["context.layers"]
    assert isinstance(layers, Mapping)
    assert (layers["code"], layers["sessions"]) == (50, 300)


def test_get_is_typed_and_refuses_another_type(machine: Machine) -> None:
    settings = machine.load()
    assert settings.get("recall.top_k", int) == 5
    assert settings.get("llm.daily_usd", float) == 0.0
    assert settings.maybe("recall.min_score", float) is None
    assert settings.maybe("recall.top_k", int) == 5
    for name, kind in (("recall.top_k", str), ("capture.enabled", int), ("recall.min_score", float)):
        with pytest.raises(Internal):
            settings.get(name, kind)
    with pytest.raises(Invalid):
        settings["recall.topk"]


def test_settings_cannot_be_changed(machine: Machine) -> None:
    settings = machine.load()
    with pytest.raises(TypeError):
        settings.values["recall.top_k"] = 6  # type: ignore[index]
    with pytest.raises(AttributeError):
        settings.values = {}  # type: ignore[misc]


def test_secrets_show_in_no_message_no_repr_and_no_compiled_form(machine: Machine) -> None:
    settings = machine.load(MARROW_TOKEN="s3cret", MARROW_STORE="postgresql://me:s3cret@host/db")
    assert settings["token"] == "s3cret"
    assert "s3cret" not in repr(settings)
    assert "s3cret" not in flat(settings)
    assert "store=postgresql://host/db\n" in flat(settings)
    for name, text in (("token", "s3cret\n2"), ("url", "https://me:s3cret@host")):
        with pytest.raises(Invalid) as caught:
            machine.load(None, None, **{find(name).environment: text})
        assert "s3cret" not in str(caught.value.as_dict())


def _unflat(text: str) -> dict[str, list[str]]:
    """What the hook will do, in a few lines."""
    rows = {}
    for line in text.splitlines():
        name, _, value = line.partition("=")
        items = value.split("\t") if value else []
        rows[name] = [item.encode("latin-1", "backslashreplace").decode("unicode_escape") for item in items]
    return rows


def test_the_compiled_form_says_everything_in_lines(machine: Machine) -> None:
    rows = _unflat(flat(machine.load({"redact.extra": ["a\\d", "b c"], "aliases": {"a=b": ["x", "y"]}})))
    assert rows["recall.top_k"] == ["5"]
    assert rows["recall.min_score"] == []
    assert rows["capture.enabled"] == ["true"]
    assert rows["context.layers.code"] == ["500"]
    assert rows["redact.extra"] == ["a\\d", "b c"]
    assert rows["aliases.a\\eb"] == ["x", "y"]
    names = {setting.name for setting in SETTINGS if setting.type not in ("counts", "words")} - {
        "token",
        "embedder.key",
    }
    assert names <= rows.keys()


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF), min_size=1, max_size=20), max_size=5))
def test_any_list_survives_the_compiled_form(items: list[str]) -> None:
    wanted = [item for item in dict.fromkeys(items) if item.strip()]
    settings = load({"ignore.extra": wanted}, environ={"HOME": "/nonexistent"}, cwd="/")
    (line,) = [line for line in flat(settings).split("\n") if line.startswith("ignore.extra=")]
    value = line.removeprefix("ignore.extra=")
    unescaped = [part.replace("\\\\", "\0").replace("\\t", "\t").replace("\0", "\\") for part in value.split("\t")]
    assert unescaped == (wanted or [""])


def test_toml_is_not_imported_where_there_is_no_file_to_read(tmp_path: Path, child_environment: dict[str, str]) -> None:
    code = "import sys; from marrow.settings import load; home = sys.argv[1]; load(environ={'HOME': home}, cwd=home)"
    code += "; print(sorted(sys.modules))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=child_environment).stdout
    assert "'marrow.settings'" in out
    assert "'tomllib'" not in out
