"""A table of ours in a TOML file: a marked block at its end, and no other line touched."""

from __future__ import annotations

import tomllib

import pytest

from marrow.surfaces.cli.hosts.toml_block import MARK, Table, is_in_place, put_in, put_in_again, take_out, value_at

TABLE = Table(("mcp_servers", "marrow"), {"command": "/a b/python", "args": ["-m", "marrow", "mcp"]})
TEXTS = {
    "empty": "",
    "comments": '# mine\nmodel = "gpt-5"  # the good one\n\n[projects."/src/a"]\ntrust_level = "trusted"\n# end\n',
    "no newline at the end": "a = 1",
    "carriage returns": "a = 1\r\n\r\n[b]\r\nc = 2\r\n",
    "another server": '[mcp_servers.other]\ncommand = "x"\n',
    "an empty table": "[mcp_servers]\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_the_table_is_added_and_taken_out_to_the_byte(text: str) -> None:
    after, detail = put_in(text, TABLE)
    assert after.startswith(text)
    assert tomllib.loads(after)["mcp_servers"]["marrow"] == TABLE.values
    assert ("\r\n" in text) == ("\r\n" in after)
    assert is_in_place(after, TABLE)
    assert take_out(after, detail) == text


def test_what_others_add_below_stays() -> None:
    after, detail = put_in("a = 1\n", TABLE)
    assert take_out(after + "\n[theirs]\nb = 2\n", detail) == "a = 1\n\n[theirs]\nb = 2\n"


def test_what_others_add_below_begins_a_line_though_the_last_had_no_end() -> None:
    after, detail = put_in("a = 1", TABLE)
    assert take_out(after + "[[theirs]]\nb = 2\n", detail) == "a = 1\n[[theirs]]\nb = 2\n"


def test_a_changed_table_goes_too_with_or_without_its_mark() -> None:
    after, detail = put_in("a = 1\n", TABLE)
    changed = after.replace('args = ["-m"', 'args = ["-X", "dev", "-m"') + "\n[later]\nb = 2\n"
    for text in (changed, changed.replace(MARK + "\n", "")):
        rest = take_out(text, detail)
        assert MARK not in rest
        assert {key: value for key, value in tomllib.loads(rest).items() if value} == {"a": 1, "later": {"b": 2}}


def test_tables_that_codex_writes_are_not_taken_for_ours() -> None:
    """Observed with 0.166.0: it puts its tables after the last one, and before a comment that ends the file."""
    after, detail = put_in("# mine\n", TABLE)
    theirs = '\n[plugins."a@b"]\nenabled = true\n'
    assert take_out(after + theirs, detail) == "# mine\n" + theirs


THEIRS_IN_OURS = {
    "a key": "startup_timeout_sec = 30\n",
    "what Codex writes when a tool is allowed for good": '\n[mcp_servers.marrow.tools.memory_save]\napproval = "x"\n',
    "a table, and others below": '\n[mcp_servers.marrow.env]\nA = "b"\n\n[projects."/x"]\ntrust_level = "trusted"\n',
}


@pytest.mark.parametrize("more", THEIRS_IN_OURS.values(), ids=list(THEIRS_IN_OURS))
def test_what_someone_put_into_our_table_goes_with_it_and_never_into_another(more: str) -> None:
    before = '[mcp_servers.other]\ncommand = "x"\n'
    after, detail = put_in(before, TABLE)
    left = tomllib.loads(take_out(after + more, detail))
    assert left.pop("mcp_servers") == {"other": {"command": "x"}}
    assert left == ({"projects": {"/x": {"trust_level": "trusted"}}} if "projects" in more else {})


@pytest.mark.parametrize("more", THEIRS_IN_OURS.values(), ids=list(THEIRS_IN_OURS))
def test_what_someone_put_into_our_table_is_kept_when_it_is_renewed(more: str) -> None:
    after, detail = put_in("a = 1\n", TABLE)
    assert is_in_place(after + more, TABLE)
    moved = Table(TABLE.place, {**TABLE.values, "command": "/new/python"})
    assert not is_in_place(after + more, moved)
    renewed, detail = put_in_again(after + more, moved, detail)
    expected = tomllib.loads(after + more)
    expected["mcp_servers"]["marrow"]["command"] = "/new/python"
    assert tomllib.loads(renewed) == expected
    assert value_at(take_out(renewed, detail), TABLE.place) is None


def test_a_table_that_is_all_there_is_can_be_taken_out_without_its_receipt() -> None:
    after, _ = put_in("", TABLE)
    assert value_at(take_out(after, TABLE.shape()), TABLE.place) is None


def test_a_table_that_cannot_be_taken_out_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be taken out"):
        take_out('mcp_servers = {marrow = {command = "x"}, other = {command = "y"}}\n', TABLE.shape())


@pytest.mark.parametrize("text", ['mcp_servers = {other = {command = "x"}}\n', 'mcp_servers = "none"\n'])
def test_a_file_without_room_for_the_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"mcp_servers\.marrow"):
        put_in(text, TABLE)


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1"):
        value_at("[a\n", ("a",))
