"""Editing TOML as text: one value changes, the rest stays, and what cannot be done so is not done."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.toml_text import literal, read, with_value, without_value

_KEYS = st.sampled_from(["a", "b", "c d", "e.f", 'g"h'])
_VALUES = st.one_of(
    st.integers(-10, 10),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF, exclude_characters="\x7f"), max_size=10),
    st.lists(st.text("ab\\\"'#=[]{}\n\t", max_size=5), max_size=3),
)


@given(_VALUES)
def test_a_literal_reads_back_as_its_value(value: object) -> None:
    assert tomllib.loads(f"x = {literal(value)}")["x"] == value


@given(st.lists(st.tuples(_KEYS, _KEYS, _VALUES), max_size=6))
def test_values_set_one_after_the_other_are_all_there(edits: list[tuple[str, str, object]]) -> None:
    text = "# first line\n"
    wanted: dict[str, dict[str, object]] = {}
    for table, key, value in edits:
        changed = with_value(text, (table, key), value)
        assert changed is not None
        text = changed
        wanted.setdefault(table, {})[key] = value
    assert read(text) == wanted
    assert text.startswith("# first line\n")
    for table, key, _ in edits:
        text = without_value(text, (table, key)) or text
    assert not any(read(text).values())


def test_text_in_strings_that_looks_like_toml_is_left_alone() -> None:
    text = 'x = """\n[recall]\ntop_k = 1\n"""\n\n[recall]\ntop_k = 2 # "#" = 3\n'
    assert with_value(text, ("recall", "top_k"), 5) == text.replace("top_k = 2 #", "top_k = 5  #")


def test_a_value_in_the_way_of_a_table_is_not_touched() -> None:
    assert with_value("a = 1\n", ("a", "b"), 2) is None
    assert with_value("a = { b = 1, c = 2 }\n", ("a", "b"), 2) is None
    assert without_value("a = { b = 1, c = 2 }\n", ("a", "b")) is None


def test_a_key_with_too_many_parts_is_refused_at_once_with_its_line() -> None:
    with pytest.raises(ValueError, match="line 2"):
        read("x = 1\n" + ".".join("a" * 50_000) + " = 1\n")
    assert read("# " + "." * 1000 + "\nx = 1\n") == {"x": 1}
