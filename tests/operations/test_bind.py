"""What a caller gives becomes an operation's arguments, or an error that says what was wrong with which."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from marrow.model.errors import Invalid
from marrow.operations.catalogue import TABLE
from marrow.operations.run import bind, convert
from marrow.operations.table import Argument

SEARCH, SAVE, GET, UPDATE = (TABLE[f"memory_{name}"] for name in ("search", "save", "get", "update"))


def refused(operation: Any, **given: Any) -> Invalid:
    with pytest.raises(Invalid) as raised:
        bind(operation, given)
    return raised.value


def test_every_spelling_becomes_the_argument_that_it_means() -> None:
    assert bind(SEARCH, {"query": "x", "top_k": 3, "start_time": "yesterday"}) == {
        "query": "x",
        "limit": 3,
        "since": "yesterday",
    }


def test_what_is_asked_may_be_called_a_query_a_question_or_a_message_by_every_verb_that_is_asked_something() -> None:
    for name, argument in (("memory_recall", "message"), ("memory_search", "query"), ("ask", "question")):
        for spelling in ("message", "query", "question"):
            assert bind(TABLE[name], {spelling: "x"}) == {argument: "x"}


def test_a_path_and_a_time_of_python_are_taken_where_one_is_meant() -> None:
    zoned = datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    given = {"query": "x", "path": Path("src") / "a.py", "since": date(2026, 3, 1), "until": zoned}
    assert bind(SEARCH, given) == {
        "query": "x",
        "path": str(Path("src") / "a.py"),
        "since": "2026-03-01",
        "until": "2026-03-01T14:00:00+02:00",
    }
    assert bind(TABLE["memory_recall"], {"message": "x", "files": [Path("a.py"), "b.py"]})["files"] == ["a.py", "b.py"]
    assert bind(TABLE["memory_recall"], {"message": "x", "files": Path("a.py")})["files"] == ["a.py"]
    # Without a zone it is read as the same words in a text are.
    assert bind(SAVE, {"content": "x", "at": datetime(2026, 3, 1, 14, 30)})["at"] == "2026-03-01T14:30:00"


def test_a_path_is_no_text_to_be_kept_and_no_time() -> None:
    assert refused(SAVE, content=Path("notes.md")).field == "content"
    assert refused(SEARCH, query="x", since=Path("notes.md")).field == "since"
    assert refused(SEARCH, query="x", path=date(2026, 3, 1)).field == "path"


def test_an_argument_that_is_none_was_not_given() -> None:
    assert bind(GET, {"address": "abcdef", "history": None}) == {"address": "abcdef"}


def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    problem = refused(SEARCH, qwery="x")
    assert problem.field == "qwery"
    assert "query" in problem.hint


def test_an_operation_that_takes_nothing_says_so() -> None:
    problem = refused(TABLE["views"], limit=3)
    assert problem.field == "limit"
    assert "none" in problem.hint


def test_two_spellings_of_one_argument_are_refused() -> None:
    assert refused(SEARCH, query="x", limit=1, top_k=2).field == "top_k"


def test_what_is_missing_is_named() -> None:
    problem = refused(TABLE["memory_relate"])
    assert "source and target" in problem.message
    assert problem.field == "source"


def argument(kind: Any) -> Argument:
    return Argument("given", kind, False, None, "")


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        (str, "text", "text"),
        (int, 3, 3),
        (int, 3.0, 3),
        (float, 3, 3.0),
        (bool, False, False),
        (list[str], ["a", "b"], ["a", "b"]),
        (list[str], ("a", "b"), ["a", "b"]),
        (list[str], "a, b,,", ["a", "b"]),
        (list[str], '["a, b"]', ["a, b"]),
        (list[Any], '[{"content": "x"}]', [{"content": "x"}]),
        (list[Any], [], []),
        (dict[str, Any], {"a": 1}, {"a": 1}),
        (dict[str, Any], '{"a": 1}', {"a": 1}),
        (Any, 3, 3),
    ],
)
def test_a_value_is_taken_in_its_type_and_as_hosts_send_it(kind: Any, value: Any, wanted: Any) -> None:
    found = convert(argument(kind), value)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, 3),
        (str, ["text"]),
        (int, "3"),
        (int, 3.5),
        (int, True),
        (float, "0.5"),
        (float, True),
        (bool, 1),
        (bool, "true"),
        (list[str], 3),
        (list[str], ["a", 1]),
        (list[Any], "text"),
        (list[Any], "[not json"),
        (dict[str, Any], "text"),
        (dict[str, Any], ["a"]),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(kind: Any, value: Any) -> None:
    with pytest.raises(Invalid) as raised:
        convert(argument(kind), value)
    assert raised.value.field == "given"
    assert "given" in raised.value.message


def test_a_choice_that_is_none_lists_those_that_are() -> None:
    problem = refused(SEARCH, query="x", match="some")
    assert problem.hint == "One of any, all."
    assert problem.field == "match"


def test_a_long_value_is_not_repeated_whole() -> None:
    assert len(refused(SEARCH, query="x", limit="9" * 10_000).message) < 200
