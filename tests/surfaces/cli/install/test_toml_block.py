"""A table of ours in a TOML file: a marked block at its end, and no other line touched."""

from __future__ import annotations

import tomllib

import pytest

from marrow.surfaces.cli.hosts.toml_block import MARK, Table, is_in_place, put_in, take_out, value_at

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


@pytest.mark.parametrize("text", ['mcp_servers = {other = {command = "x"}}\n', 'mcp_servers = "none"\n'])
def test_a_file_without_room_for_the_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"mcp_servers\.marrow"):
        put_in(text, TABLE)


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1"):
        value_at("[a\n", ("a",))
