"""Places, pauses, JSON, shortening and tools: the small parts of capture."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow import settings
from marrow.capture import paused, tools, trim, where
from marrow.capture.json_text import parse, render
from marrow.model.redact import redact_value

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)

# --- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given_home", ["", "~/m", "/srv/m/../n", "~"])
def test_home_is_where_the_settings_say(given_home: str, tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "MARROW_HOME": given_home}
    assert where.home(environ) == settings.load(environ=environ, cwd=tmp_path)["home"]


def test_folder_of_others_is_not_ours(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    where.make(str(folder))
    assert where.is_ours(str(folder))
    folder.chmod(0o750)
    assert not where.is_ours(str(folder))
    folder.chmod(0o700)
    (tmp_path / "link").symlink_to(folder)
    assert not where.is_ours(str(tmp_path / "link"))
    assert not where.is_ours(str(tmp_path / "none"))


# --- pauses ----------------------------------------------------------------------------------------------------------


def test_pause_holds_for_its_project_and_its_time(tmp_path: Path) -> None:
    home, root = str(tmp_path / "h"), tmp_path / "lamp"
    (root / "src").mkdir(parents=True)
    assert not paused.is_paused(home, "lamp", str(root))
    paused.pause(home, "lamp", 2_000_000_000_000_000_000, str(root))
    assert paused.is_paused(home, "lamp")
    assert paused.is_paused(home, "", str(root / "src"))
    assert not paused.is_paused(home, "other", str(tmp_path / "lamplight"))
    assert not paused.is_paused(home, "lamp", now=2_000_000_000_000_000_001)
    assert os.stat(where.paused(home)).st_mode & 0o077 == 0


def test_everything_is_paused_and_resumed(tmp_path: Path) -> None:
    home = str(tmp_path)
    paused.pause(home)
    paused.pause(home, "lamp")
    assert paused.is_paused(home, "anything", "/anywhere")
    assert [one.project for one in paused.read(home)] == ["*", "lamp"]
    assert paused.resume(home)
    assert not paused.is_paused(home, "lamp")
    assert not paused.resume(home)


def test_one_project_is_resumed_and_the_other_stays(tmp_path: Path) -> None:
    home = str(tmp_path)
    paused.pause(home, "lamp")
    paused.pause(home, "desk")
    assert paused.resume(home, "lamp")
    assert not paused.is_paused(home, "lamp")
    assert paused.is_paused(home, "desk")


def test_lines_that_nobody_can_read_pause_nothing(tmp_path: Path) -> None:
    (tmp_path / "paused").write_bytes(b"\xff\xfe\n*\n*\tsoon\n\t0\n*\t-1\n")
    assert paused.read(str(tmp_path)) == []


# --- JSON ------------------------------------------------------------------------------------------------------------


@given(_JSON)
def test_json_is_read_and_written_as_the_library_does(value: object) -> None:
    assert json.loads(render(value)) == value
    assert parse(json.dumps(value)) == value
    assert parse(f" \n{json.dumps(value, ensure_ascii=False)}\r\n") == value


@pytest.mark.parametrize("text", ["", " ", "{", "{} x", "nul", '{"a":}', "\x00", "[" * 100_000, "1" * 5000])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)


def test_control_characters_in_a_text_are_no_reason_to_lose_it() -> None:
    assert parse('{"a":"x\ty\x01"}') == {"a": "x\ty\x01"}


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}}, b"x"])
def test_what_cannot_be_json_is_a_value_error(value: object) -> None:
    with pytest.raises(ValueError):
        render(value)


# --- shortening ------------------------------------------------------------------------------------------------------


def shortened(trace: dict[str, object]) -> dict[str, object]:
    return trim.fitted(trim.finished(trim.rough(trace)))[0]


def test_short_line_stays_as_it_is() -> None:
    trace: dict[str, object] = {"v": 1, "prompt": "hello", "input": {"a": ["b", 1, None, True]}, "ms": 4}
    assert shortened(trace) == trace


@pytest.mark.parametrize("length", [8_001, 16_000, 17_000, 500_000])
def test_long_text_keeps_its_head_and_its_tail(length: int) -> None:
    text = "".join(chr(97 + number % 26) for number in range(length))
    kept = str(shortened({"prompt": text})["prompt"])
    head, _, rest = kept.partition("\n[… ")
    count, _, tail = rest.partition(" characters left out …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert min(len(head), len(tail)) > 2000
    assert len(head) + len(tail) + int(count.replace(",", "")) == length
    assert len(head) + len(tail) <= 8_000


@given(
    st.dictionaries(st.sampled_from(["prompt", "input", "output", "error", "cwd"]), _JSON, max_size=4),
    st.integers(1, 9),
)
def test_whole_line_stays_below_its_limit(value: dict[str, object], times: int) -> None:
    big = {**value, "input": {str(n): ["long text " * 900 * times] * n for n in range(40)}, "output": "é\n" * 50_000}
    trace, text = trim.fitted(trim.finished(trim.rough({"v": 1, "event": "post-tool", **big})))
    assert len(text) <= trim.LINE_MAX
    assert json.loads(text) == trace
    assert trace["event"] == "post-tool"


def test_deep_and_wide_values_are_bounded() -> None:
    deep: object = "x"
    for _ in range(50):
        deep = [deep]
    kept = shortened({"input": {"deep": deep, "wide": list(range(1000)), **{f"k{n}": n for n in range(500)}}})
    assert len(json.dumps(kept)) < 2000
    assert "960 more" in json.dumps(kept, ensure_ascii=False)


@pytest.mark.parametrize(
    "at", [*range(5290, 5350, 4), *range(9380, 9440, 4), *range(10_640, 10_700, 4), *range(27_000, 27_060, 4)]
)
def test_secret_at_the_cut_is_not_left_in_part(at: int) -> None:
    """Wherever the cut falls in it, no part of it that could be recognised stays."""
    secret = "ghp" + "_" + "a1B2c3D4e5F6" * 3
    for text in ("x " * (at // 2) + secret + " y" * 30_000, "x " * 30_000 + secret + " y" * (at // 4)):
        cut = redact_value(trim.rough({"prompt": text})).value
        assert isinstance(cut, dict)
        kept = str(trim.finished(cut)["prompt"])
        assert "ghp_" not in kept
        assert "B2c3D4e5" not in kept


def test_private_block_that_reaches_over_the_cut_is_dropped_whole() -> None:
    text = "a " * 5000 + "<private>" + "hidden " * 20_000 + "</private>" + " b" * 50
    cut = redact_value(trim.rough({"prompt": text})).value
    assert isinstance(cut, dict)
    kept = str(trim.finished(cut)["prompt"])
    assert "hidden" not in kept
    assert kept.endswith(" b")


# --- tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("Bash", "shell"),
        ("MultiEdit", "edit"),
        ("apply_patch", "edit"),
        ("write_file", "write"),
        ("read_file", "read"),
        ("google_web_search", "web"),
        ("Agent", "task"),
        ("mcp__github__get", "mcp"),
        ("MCP:get", "mcp"),
        ("TodoWrite", "other"),
        ("", "other"),
    ],
)
def test_tools_of_all_hosts_are_known_by_what_they_do(name: str, does: str) -> None:
    assert tools.does(name) == does


def test_no_tool_is_in_two_kinds() -> None:
    names = [name for names in tools._NAMES.values() for name in names.split()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("fine", ""),
        ({"exit_code": 0, "stderr": "warning"}, ""),
        ({"exit_code": 2, "stderr": "bad", "stdout": "x"}, "bad"),
        ({"exit_code": 2}, "exit code 2"),
        ({"error": {"message": "lost"}}, "lost"),
        ({"isError": True, "text": "no"}, "no"),
        ({"resultType": "failure", "text": "no"}, "no"),
        ({"resultType": "success", "text": "yes"}, ""),
    ],
)
def test_failure_is_known_by_what_the_output_says(output: str | dict[str, object], why: str) -> None:
    assert tools.failure(output) == why
