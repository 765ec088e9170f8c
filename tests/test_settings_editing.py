"""Editing settings files: one value changes, every other line stays, and the file is never half written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.errors import Invalid, Unavailable
from marrow.settings import Settings, load, set_value, unset_value


class Machine:
    """A user's home and one of their repositories."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "work" / "project"
        (self.project / ".git").mkdir(parents=True)
        self.user_file = self.home / ".marrow" / "config.toml"
        self.user_file.parent.mkdir()
        self.project_file = self.project / ".marrow.toml"

    def load(self) -> Settings:
        return load(environ={"HOME": str(self.home)}, cwd=self.project)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


ORIGINAL = """\
# My settings
home = "~/here"   # moved

# How much
[recall]
top_k = 3 # few
  mode = 'off'

[redact]
extra = [
  "a", # first
  "b",
]
[context.layers]
code = 9
"""


LAYERS = {"sessions": 300, "code": 500, "learnings": 300, "observations": 600, "call_graph": 300}


def test_setting_a_value_changes_its_line_and_no_other(machine: Machine) -> None:
    machine.user_file.write_text(ORIGINAL)
    set_value(machine.user_file, "recall.top_k", "8")
    assert machine.user_file.read_text() == ORIGINAL.replace("top_k = 3 # few", "top_k = 8  # few")
    set_value(machine.user_file, "recall.mode", "always")
    assert '  mode = "always"\n' in machine.user_file.read_text()


def test_setting_a_list_replaces_all_its_lines(machine: Machine) -> None:
    machine.user_file.write_text(ORIGINAL)
    set_value(machine.user_file, "redact.extra", r'["x\\d", "say \"y\""]')
    assert machine.load()["redact.extra"] == ("x\\d", 'say "y"')
    assert '[redact]\nextra = ["x\\\\d", "say \\"y\\""]\n[context.layers]' in machine.user_file.read_text()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("recall.budget_tokens", "10", 10),
        ("log.level", "debug", "debug"),
        ("namespace", "team", "team"),
        ("embedder", "voyage", "voyage"),
        ("embedder.model", "m", "m"),
        ("capture.enabled", "off", False),
        ("llm.daily_usd", "0.00001", 0.00001),
        ("recall.min_score", "calibrated", None),
        ("aliases", "a=b", {"a": ("b",)}),
        ("context.layers", "code=7", LAYERS | {"code": 7}),
        ("capture.tools", "all", ("all",)),
    ],
)
@pytest.mark.parametrize("original", ["", ORIGINAL, ORIGINAL.rstrip("\n"), "# only a remark"])
def test_a_new_value_is_read_back_and_old_lines_stay(
    machine: Machine, name: str, text: str, value: object, original: str
) -> None:
    machine.user_file.write_text(original)
    before = machine.load().values
    set_value(machine.user_file, name, text)
    after = machine.load()
    assert after[name] == value
    assert {k: v for k, v in after.values.items() if k != name} == {k: v for k, v in before.items() if k != name}
    written = machine.user_file.read_text()
    for line in original.splitlines():
        if line.startswith(("#", "home", "top_k", "extra")):
            assert line in written
    assert unset_value(machine.user_file, name) is True
    assert unset_value(machine.user_file, name) is False
    assert machine.load().source(name) == "default"


def test_a_value_that_is_a_table_too_is_edited_in_either_form(machine: Machine) -> None:
    machine.user_file.write_text('embedder = "voyage"\n\n[recall]\ntop_k = 3\n')
    set_value(machine.user_file, "embedder.model", "m")
    settings = machine.load()
    assert (settings["embedder"], settings["embedder.model"], settings["recall.top_k"]) == ("voyage", "m", 3)
    set_value(machine.user_file, "embedder", "openai")
    assert machine.load()["embedder"] == "openai"
    assert unset_value(machine.user_file, "embedder")
    assert machine.load()["embedder.model"] == "m"


def test_dotted_and_quoted_keys_are_edited_where_they_are(machine: Machine) -> None:
    machine.user_file.write_text("recall.top_k = 3\n'log.level' = 'debug'\n[daemon]\nidle_minutes = 2\n")
    set_value(machine.user_file, "recall.top_k", "4")
    set_value(machine.user_file, "recall.mode", "off")
    set_value(machine.user_file, "log.level", "error")
    settings = machine.load()
    assert (settings["recall.top_k"], settings["recall.mode"], settings["log.level"]) == (4, "off", "error")
    assert machine.user_file.read_text().startswith("recall.top_k = 4\n'log.level' = \"error\"\nrecall.mode")


def test_windows_line_ends_stay(machine: Machine) -> None:
    machine.user_file.write_bytes(b"[recall]\r\ntop_k = 3\r\n")
    set_value(machine.user_file, "recall.top_k", "4")
    set_value(machine.user_file, "recall.mode", "off")
    assert machine.user_file.read_bytes() == b'[recall]\r\ntop_k = 4\r\nmode = "off"\r\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [("recall.top_k", "99"), ("recall.topk", "3"), ("config", "x"), ("token", " "), ("capture.enabled", "perhaps")],
)
def test_an_invalid_edit_changes_nothing(machine: Machine, name: str, text: str) -> None:
    machine.user_file.write_text(ORIGINAL)
    with pytest.raises(Invalid):
        set_value(machine.user_file, name, text)
    assert machine.user_file.read_text() == ORIGINAL
    assert [entry.name for entry in machine.user_file.parent.iterdir()] == ["config.toml"]


def test_an_edit_of_a_broken_file_changes_nothing(machine: Machine) -> None:
    machine.user_file.write_text("a = \n")
    for edit in (
        lambda: set_value(machine.user_file, "recall.top_k", "3"),
        lambda: unset_value(machine.user_file, "url"),
    ):
        with pytest.raises(Invalid):
            edit()
    assert machine.user_file.read_text() == "a = \n"


def test_what_cannot_be_edited_line_by_line_is_left_to_its_owner(machine: Machine) -> None:
    machine.user_file.write_text("recall = { top_k = 3, mode = 'off' }\n")
    with pytest.raises(Invalid):
        set_value(machine.user_file, "recall.top_k", "4")
    assert machine.user_file.read_text() == "recall = { top_k = 3, mode = 'off' }\n"


def test_a_projects_file_is_held_to_a_projects_rules_when_edited(machine: Machine) -> None:
    for name, text in (("url", "https://x.example"), ("store", "../x.db"), ("project", "a/b")):
        with pytest.raises(Invalid):
            set_value(machine.project_file, name, text)
    assert not machine.project_file.exists()
    set_value(machine.project_file, "store", "memory.db")
    assert machine.load()["store"] == str(machine.project / "memory.db")


def test_an_edit_keeps_the_files_mode_and_a_link_to_it(machine: Machine, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("recall.top_k = 3\n")
    target.chmod(0o640)
    machine.user_file.symlink_to(target)
    set_value(machine.user_file, "recall.top_k", "4")
    assert machine.user_file.is_symlink()
    assert target.read_text() == "recall.top_k = 4\n"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_new_file_is_its_owners_alone(machine: Machine, tmp_path: Path) -> None:
    fresh = tmp_path / "new" / "config.toml"
    set_value(fresh, "token", "x")
    assert fresh.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Unavailable):
        set_value(fresh / "config.toml", "token", "x")


_NAMES = st.sampled_from(
    ["recall.top_k", "recall.budget_tokens", "log.level", "embedder", "embedder.model", "namespace"]
)


@given(st.lists(st.tuples(_NAMES, st.booleans()), max_size=12))
def test_any_sequence_of_edits_gives_what_was_set_last(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, bool]]
) -> None:
    machine = Machine(tmp_path_factory.mktemp("edits"))
    wanted: dict[str, str] = {}
    for count, (name, keep) in enumerate(edits, 1):
        if keep:
            text = "debug" if name == "log.level" else str(count)
            set_value(machine.user_file, name, text)
            wanted[name] = text
        else:
            assert unset_value(machine.user_file, name) is (wanted.pop(name, None) is not None)
    settings = machine.load()
    for name in ("recall.top_k", "recall.budget_tokens", "log.level", "embedder", "embedder.model", "namespace"):
        assert settings.source(name) == (str(machine.user_file) if name in wanted else "default")
        if name in wanted:
            assert str(settings[name]) == wanted[name]


def test_folder_that_is_closed_is_not_told_as_text_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: str, *given: object) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("marrow.settings.os.open", closed)
    with pytest.raises(Invalid, match="Permission denied") as problem:
        load(environ={"HOME": str(tmp_path), "MARROW_HOME": str(tmp_path)}, cwd=tmp_path)
    assert str(tmp_path) in problem.value.hint
    assert "UTF-8" not in problem.value.hint


def test_a_pattern_that_may_never_end_is_its_users_choice_and_not_a_projects(machine: Machine) -> None:
    pattern = "redact.extra = ['(a+)+$']\n"
    machine.user_file.write_text(pattern)
    assert machine.load()["redact.extra"] == ("(a+)+$",)
    machine.user_file.unlink()
    machine.project_file.write_text("redact.extra = ['(a+)+$', 'sk_\\w+!', 'fine']\nrecall.top_k = 3\n")
    settings = machine.load()
    assert settings["redact.extra"] == ("sk_\\w{1,200}!", "fine")
    assert settings["recall.top_k"] == 3
    (said,) = settings.left_out
    assert "(a+)+$" in said
    assert str(machine.project_file) in said
    with pytest.raises(Invalid, match="busy for ever"):
        set_value(machine.project_file, "redact.extra", "b+c")
