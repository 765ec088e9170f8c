"""The table: every row says all that a surface needs, and no two rows are in each other's way."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import pytest

from marrow.model.scope import ADMIN, READ, RIGHTS
from marrow.operations.catalogue import GROUPS, NAMES, TABLE, in_groups
from marrow.operations.table import Call, Operation, operation, schema_of, without_none

OPERATIONS = list(TABLE.values())


def name_of(entry: Operation) -> str:
    return entry.name


@pytest.mark.parametrize("entry", OPERATIONS, ids=name_of)
def test_a_row_is_complete(entry: Operation) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", entry.name)
    assert entry.group in GROUPS
    assert entry.right in RIGHTS
    assert entry.summary.endswith(".")
    assert "\n" not in entry.summary
    assert hasattr(entry.result, "text")


@pytest.mark.parametrize("entry", OPERATIONS, ids=name_of)
def test_arguments_have_types_that_a_host_can_send(entry: Operation) -> None:
    schema = entry.input_schema()
    json.dumps(schema)
    assert list(schema["properties"]) == [argument.name for argument in entry.arguments]
    assert schema.get("required", []) == [argument.name for argument in entry.arguments if argument.required]
    for argument in entry.arguments:
        assert type(None) not in getattr(argument.type, "__args__", ())


@pytest.mark.parametrize("entry", OPERATIONS, ids=name_of)
def test_every_spelling_means_one_argument(entry: Operation) -> None:
    names = [name for argument in entry.arguments for name in (argument.name, *argument.spellings)]
    assert len(set(names)) == len(names)
    assert set(entry.spellings) <= {argument.name for argument in entry.arguments}


@pytest.mark.parametrize("entry", [o for o in OPERATIONS if o.destructive], ids=name_of)
def test_what_takes_something_away_needs_more_than_the_right_to_read(entry: Operation) -> None:
    assert entry.right != READ


@pytest.mark.parametrize("entry", [o for o in OPERATIONS if o.right == ADMIN and o.destructive], ids=name_of)
def test_what_cannot_be_taken_back_by_the_caller_is_tried_first(entry: Operation) -> None:
    defaults = {argument.name: argument.default for argument in entry.arguments}
    assert defaults["dry_run"] is True
    assert defaults["confirm"] is False


def test_names_aliases_and_commands_belong_to_one_operation_each() -> None:
    named = [name for entry in OPERATIONS for name in (entry.name, *entry.aliases)]
    assert sorted(named) == sorted(set(named)) == sorted(NAMES)
    words = [entry.command for entry in OPERATIONS]
    assert len(set(words)) == len(words)


def test_a_command_is_the_name_in_words() -> None:
    assert TABLE["memory_recall"].command == ("recall",)
    assert TABLE["audit_verify"].command == ("audit", "verify")


def test_a_name_that_is_taken_or_a_group_that_is_not_there_cannot_be_entered() -> None:
    def memory_recall(call: Call) -> None:
        """Another one."""

    def new_verb(call: Call) -> None:
        """One in a group that nobody knows."""

    before = dict(TABLE), dict(NAMES)
    for function, group in ((memory_recall, "core"), (new_verb, "nowhere")):
        with pytest.raises(ValueError, match=function.__name__):
            operation(group)(function)
    assert before == (TABLE, NAMES)


def test_groups_choose_operations_and_all_means_every_one() -> None:
    assert {entry.group for entry in in_groups(("tree", "store"))} == {"tree", "store"}
    assert in_groups(("all",)) == OPERATIONS
    assert in_groups(()) == []


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (list[Any], {"type": "array"}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, Any], {"type": "object"}),
        (Literal["any", "all"], {"type": "string", "enum": ["any", "all"]}),
        (Literal[1, "a"], {"enum": [1, "a"]}),
        (int | str, {}),
        (Any, {}),
    ],
)
def test_a_type_becomes_the_shortest_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert schema_of(hint) == schema


def test_leaving_out_is_no_part_of_a_type() -> None:
    assert without_none(str | None) is str
    assert without_none(list[str]) == list[str]
    assert without_none(int | str | None) == int | str
