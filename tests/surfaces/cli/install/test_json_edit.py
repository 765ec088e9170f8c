"""One entry of a JSON file, put in and taken out, while every other character stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.surfaces.cli.hosts.json_edit import read, value_at, with_item, with_member, without

SERVER = {"command": "/usr/bin/python3", "args": ["-m", "marrow"]}
STYLES = {
    "two spaces": '{\n  "a": 1,\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n',
    "four spaces": '{\n    "mcpServers": {\n        "other": {\n            "command": "x"\n        }\n    }\n}\n',
    "tabs": '{\n\t"a": [1, 2],\n\t"mcpServers": {}\n}',
    "carriage returns": '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": "é\\n"\r\n  }\r\n}\r\n',
    "no newline at the end": '{\n  "a": 1\n}',
    "one line": '{"a":1,"mcpServers":{"other":{"command":"x"}}}',
    "empty": "{}",
    "empty with a newline": "{}\n",
    "white space around": '\n\n  {\n  "a": "}],{"\n  }  \n\n',
    "null above": '{"a": {"b": null}}',
    "comments": '// mine\n{\n  "a": 1, // "x", }\n  /* b, */ "b": "//" // last\n}\n// end\n',
    "comments inside": '{\n  "mcpServers": {\n    // none yet,\n    "other": 1 /* , */\n  }\n}\n',
    "commas at the end": '{\n  "a": [1, 2,],\n  "mcpServers": {\n    "other": {},\n  },\n}\n',
    "a comma on one line": '{"a": [",]",],}',
}


@pytest.mark.parametrize("text", STYLES.values(), ids=list(STYLES))
def test_what_is_put_in_is_there_and_nothing_else_changed(text: str) -> None:
    after = with_member(text, ("mcpServers", "marrow"), SERVER)
    wanted = read(text)
    wanted.setdefault("mcpServers", {})["marrow"] = SERVER
    assert read(after) == wanted
    assert ("\r\n" in text) == ("\r\n" in after)
    assert "\n" not in after.replace("\r\n", "") or "\r\n" not in text
    assert after.endswith("\n") == text.endswith("\n")


@pytest.mark.parametrize("text", STYLES.values(), ids=list(STYLES))
def test_taking_it_out_gives_the_same_bytes_back(text: str) -> None:
    after = without(with_member(text, ("mcpServers", "marrow"), SERVER), ("mcpServers", "marrow"))
    made = value_at(text, ("mcpServers",)) is None
    assert (without(after, ("mcpServers",)) if made else after) == text


def test_the_indentation_of_the_file_is_taken_over() -> None:
    after = with_member('{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n', ("a", "c"), {"d": [1]})
    assert after == '{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": {\n\t\t\t"d": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t}\n}\n'


def test_a_list_takes_one_more_item_or_is_made() -> None:
    text = '{\n  "hooks": {\n    "Stop": [\n      {"a": 1}\n    ]\n  }\n}\n'
    after = with_item(text, ("hooks", "Stop"), {"b": 2})
    assert read(after)["hooks"]["Stop"] == [{"a": 1}, {"b": 2}]
    assert '      {"a": 1},\n      {\n        "b": 2\n      }\n' in after
    assert read(with_item(text, ("hooks", "Start"), 1))["hooks"]["Start"] == [1]
    assert without(after, ("hooks", "Stop", 1)) == text


def test_the_first_and_the_middle_one_can_be_taken_out() -> None:
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'
    assert without(text, ("a",)) == '{\n  "b": 2,\n  "c": 3\n}\n'
    assert without(text, ("b",)) == '{\n  "a": 1,\n  "c": 3\n}\n'
    assert without('{"a": 1}', ("a",)) == "{}"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,,}',
        '{"a": 1 /* why}',
        '{"a": 1} / why',
        "[1]",
        '"text"',
        "",
        '{"a": NaN}',
        '{"a": ',
        "{'a': 1}",
        "[" * 100_000,
    ],
)
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read(text)


@pytest.mark.parametrize("text", ['{"a": 1} /* why', "{" + "/* " * 200_000, '{"' + '\\"' * 200_000, '{"a": "\\'])
def test_what_has_no_end_is_refused_soon(text: str) -> None:
    with pytest.raises(ValueError):
        read(text)


COMMENTED = [
    ("{ // mine\n}", '{ // mine\n  "m": 1\n}'),
    ("{\n  // mine\n}", '{\n  // mine\n  "m": 1\n}'),
    ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "m": 1\n}'),
    ('{\n  "a": 1 // one\n  // end\n}', '{\n  "a": 1, // one\n  // end\n  "m": 1\n}'),
    ('{\n  "a": 1 /* one */\n}', '{\n  "a": 1, /* one */\n  "m": 1\n}'),
]


@pytest.mark.parametrize(("text", "after"), COMMENTED)
def test_a_comment_stays_with_what_it_is_about(text: str, after: str) -> None:
    assert with_member(text, ("m",), 1) == after
    assert without(after, ("m",)) == text


def test_comments_that_were_added_around_it_stay() -> None:
    assert read(without('{\n  "m": 1, // ours\n  "b": 2\n}', ("m",))) == {"b": 2}
    assert "// ours" in without('{\n  "m": 1, // ours\n  "b": 2\n}', ("m",))
    middle = without('{\n  "a": 1, // one\n  "m": 1, "b": 2\n}', ("m",))
    assert read(middle) == {"a": 1, "b": 2}
    assert "// one" in middle
    only = without('{ // mine\n "m": 1}', ("m",))
    assert read(only) == {}
    assert "// mine" in only


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(
    before=st.dictionaries(st.text(max_size=4), VALUES, max_size=4),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    is_ascii=st.booleans(),
)
def test_for_any_file_in_and_out_again_is_the_same(
    before: dict[str, Any], indent: int | str | None, newline: str, is_ascii: bool
) -> None:
    before.pop("marrow", None)
    text = json.dumps(before, indent=indent, ensure_ascii=is_ascii).replace("\n", newline)
    after = with_member(text, ("marrow", "list"), [SERVER])
    assert read(after) == {**before, "marrow": {"list": [SERVER]}}
    assert without(after, ("marrow",)) == text
