"""How words become values: positions, options, lists, objects, standard input."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given as generated
from hypothesis import strategies as st

from marrow.model.errors import Invalid
from marrow.surfaces.cli.arguments import choices
from marrow.surfaces.cli.commands import entries, shown
from marrow.surfaces.cli.output import Output
from marrow.surfaces.cli.pages import meanings_of
from marrow.surfaces.cli.parsing import parse

from .conftest import CommandLine, Here


def values(*words: str) -> dict[str, object]:
    return parse(words, Output())[1]


def test_the_last_text_takes_the_words_that_are_left() -> None:
    assert values("recall", "why", "did", "we", "choose", "sqlite") == {"message": "why did we choose sqlite"}
    assert values("explain", "3fa9c1", "why", "sqlite") == {"address": "3fa9c1", "message": "why sqlite"}


def test_options_may_stand_between_the_words() -> None:
    assert values("recall", "why", "--limit", "3", "sqlite") == {"message": "why sqlite", "limit": 3}


def test_the_first_text_that_may_be_left_out_can_stand_in_its_place() -> None:
    assert values("search", "connection", "pool") == {"query": "connection pool"}
    assert values("update", "3fa9c1", "the", "new", "text") == {"address": "3fa9c1", "content": "the new text"}
    assert values("forget", "3fa9c1", "a", "guess") == {"address": "3fa9c1", "reason": "a guess"}
    assert values("relate", "3fa9c1", "77e0aa", "caused_by")["rel"] == "caused_by"


def test_an_address_takes_one_word_only() -> None:
    with pytest.raises(Invalid) as problem:
        values("get", "3fa9c1", "77e0aa")
    assert "marrow help get" in problem.value.hint


def test_a_filter_is_an_option_even_where_it_comes_first() -> None:
    with pytest.raises(Invalid):
        values("status", "yesterday")
    assert values("status", "--as-of", "yesterday") == {"as_of": "yesterday"}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--tags", "a,b", "--tags", "c"], ["a", "b", "c"]),
        (["--tags", "a, b"], ["a", "b"]),
        (["--tags", '["a,b", "c"]'], ["a,b", "c"]),
        (["--tags", "one thing, and another"], ["one thing, and another"]),
        (["--tags=ä,日本"], ["ä", "日本"]),
        (["--tags", "one thing,another thing"], ["one thing", "another thing"]),
        (["--tags", "over 1,000 rows,slow"], ["over 1,000 rows", "slow"]),
    ],
)
def test_lists_repeat_or_part_words_with_commas(words: list[str], found: list[str]) -> None:
    assert values("search", *words) == {"tags": found}


def test_people_are_parted_at_every_comma_and_sentences_are_shown_as_repeatable(here: Here) -> None:
    meeting = values("ingest", "meeting", "notes.md", "--attendees", "Ann Lee, Bob Ray,Cy")
    assert meeting["attendees"] == ["Ann Lee", "Bob Ray", "Cy"]
    words = ("--follow-ups", "Add an alert,Raise the pool", "--follow-ups", "Ask Ann, then Bob")
    incident = values("ingest", "incident", "Down", "It was down.", *words)
    assert incident["follow_ups"] == ["Add an alert", "Raise the pool", "Ask Ann, then Bob"]
    page = here("help", "ingest", "incident").out
    assert "--follow-ups TEXT " in page
    assert "once for each" in page


def test_names_of_what_is_done_stand_in_their_place() -> None:
    assert values("recompute", "summary", "topics", "--kind", "document") == {
        "name": ["summary", "topics"],
        "kind": "document",
    }
    with pytest.raises(Invalid):
        values("active", "decision")


def test_what_is_no_object_is_answered_with_one_that_can_be_typed(here: Here) -> None:
    wrong = here("view", "define", "bad", "not json")
    assert wrong.code == 2
    assert "'not json' is neither a JSON object nor KEY=VALUE" in wrong.err
    example = wrong.err.partition("For example '")[2].partition("'.")[0]
    assert here("view", "define", "good", example).code == 0
    broken = here("view", "define", "bad", '{"kinds": [}')
    assert "no sound JSON" in broken.err
    assert "--metadata 'owner=ada'" in here("search", "x", "--metadata", "nonsense").err


@pytest.mark.parametrize("broken", ['[{"content":"x"}', "notjson", '{"a":1', '"x"', "[" * 100_000, ""])
def test_a_batch_that_is_no_sound_json_is_refused_and_nothing_is_saved(
    here: Here, environment: dict[str, str], broken: str
) -> None:
    for ran in (here("save", "--batch", broken), here("save", "--batch", "-", given=broken.encode())):
        assert (ran.code, ran.out) == (2, "")
        assert "JSON" in ran.err
        assert "hint: For example --batch '[" in ran.err
    assert not Path(environment["MARROW_HOME"]).exists()


def test_a_batch_is_a_list_or_one_object() -> None:
    assert values("save", "--batch", '["a, b", {"content": "c"}]') == {"batch": ["a, b", {"content": "c"}]}
    assert values("save", "--batch", '{"content": "c"}', "--batch", '["d"]') == {"batch": [{"content": "c"}, "d"]}


def test_objects_are_keys_and_values_or_json() -> None:
    assert values("search", "--metadata", "a=1", "--metadata", "b=x=y") == {"metadata": {"a": "1", "b": "x=y"}}
    assert values("search", "--metadata", '{"a": 1, "b": [2]}') == {"metadata": {"a": 1, "b": [2]}}
    with pytest.raises(Invalid) as problem:
        values("search", "--metadata", "nonsense")
    assert problem.value.field == "metadata"


def test_truth_has_two_spellings_and_may_be_left_open() -> None:
    assert values("get", "3fa9c1", "--history")["history"] is True
    assert values("get", "3fa9c1", "--no-history")["history"] is False
    assert "history" not in values("get", "3fa9c1")


def test_numbers_are_numbers_and_the_operation_says_what_is_wrong_with_others(here: Here) -> None:
    assert values("search", "x", "--limit", "3", "--min-score", "0.5") == {"query": "x", "limit": 3, "min_score": 0.5}
    ran = here("search", "x", "--limit", "three")
    assert ran.code == 2
    assert (
        ran.err == "error: limit is a whole number, not 'three'.\nhint: `marrow help search` shows how it is called.\n"
    )


def test_spellings_of_other_systems_are_accepted() -> None:
    assert values("search", "x", "--top-k", "3")["limit"] == 3
    assert values("get", "--id", "3fa9c1") == {"address": "3fa9c1"}


def test_something_given_twice_is_refused() -> None:
    with pytest.raises(Invalid, match="twice"):
        values("recall", "why", "--message", "because")


@pytest.mark.parametrize("words", [["--project", "x", "search", "y"], ["search", "y", "--project", "x"]])
def test_common_options_mean_the_same_before_and_after_the_command(words: list[str]) -> None:
    _, found, invocation = parse(words, Output())
    assert found == {"query": "y", "project": "x"}
    assert invocation.project is None


def test_where_a_command_has_no_project_of_its_own_the_whole_run_stands_in_it() -> None:
    for words in (["--project", "x", "--store", "y.db", "status"], ["status", "--project", "x", "--store", "y.db"]):
        _, found, invocation = parse(words, Output())
        assert (found, invocation.project, invocation.store) == ({}, "x", "y.db")


def test_the_one_after_the_command_wins() -> None:
    assert parse(["--store", "a.db", "status", "--store", "b.db"], Output())[2].store == "b.db"


def test_a_limit_where_there_is_none_is_an_error() -> None:
    assert values("--limit", "3", "search", "x")["limit"] == 3
    with pytest.raises(Invalid, match="has no --limit"):
        values("--limit", "3", "status")


def test_a_dash_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("grüße\n\nzwei\n".encode())))
    assert values("save", "-", "--thread", "-") == {"content": "grüße\n\nzwei", "thread": "grüße\n\nzwei"}


def test_what_is_piped_in_is_saved(marrow: CommandLine) -> None:
    saved = marrow.run("save", "--domain", "issues", "--json", given="The disk filled up\nat night.\n")
    assert saved.json["items"][0]["content"] == "The disk filled up\nat night."


@pytest.mark.parametrize(("command", "name"), [("recall", "message"), ("search", "query"), ("ask", "question")])
def test_a_question_may_come_through_a_pipe(command: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(*words: str) -> dict[str, object]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"why sqlite\n")))
        return values(command, *words)

    assert piped() == {name: "why sqlite"}
    assert piped("why", "not") == {name: "why not"}


def test_a_search_by_filters_alone_waits_for_no_pipe() -> None:
    assert values("search", "--tags", "db") == {"tags": ["db"]}


def test_an_action_may_be_followed_by_a_text() -> None:
    assert values("handoff", "write", "the", "rest", "is", "open") == {"action": "write", "text": "the rest is open"}
    assert values("handoff") == {}


def test_an_argument_of_bytes_that_are_no_text_is_refused_as_that(here: Here) -> None:
    ran = here("save", "caf\udce9")
    assert (ran.code, ran.err) == (2, "error: content is no valid Unicode text.\nhint: Send UTF-8.\n")


def test_nothing_piped_in_is_an_error_that_says_so(here: Here) -> None:
    ran = here("save")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "error: The text is empty.")


def test_standard_input_is_left_alone_where_content_is_there_or_not_wanted(here: Here) -> None:
    address = here("save", "a text", given=b"ignored").out.split("[")[1][:12]
    assert here("update", address, "--pinned", given=b"must not be read").code == 0
    assert here("get", address).out.splitlines()[2] == "a text"


def test_bytes_that_are_no_text_are_refused(here: Here) -> None:
    ran = here("save", given=b"\xff\xfe\x00")
    assert ran.code == 2
    assert "not UTF-8" in ran.err


TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])).filter(lambda text: text != "-")


@generated(st.lists(TEXTS, min_size=1))
def test_any_words_after_two_dashes_arrive_unchanged(words: list[str]) -> None:
    assert values("recall", "--", *words) == {"message": " ".join(words)}


@pytest.mark.parametrize("command", [entry.name for entry in shown() if not entry.is_own])
def test_every_argument_is_explained(command: str) -> None:
    operation = entries()[tuple(command.split())].operation
    said = meanings_of(operation)
    told = [a for a in operation.arguments if a.help or said.get(a.name) or choices(a) or a.type is bool]
    assert [a.name for a in operation.arguments if a not in told] == []
