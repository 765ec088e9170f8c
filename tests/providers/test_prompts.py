"""What is put before a text: the prompts of known models, of folders, and of the settings."""

from __future__ import annotations

import pytest

from marrow.providers.prompts import TASK_PROMPTS, Prompts, folder_prompts, known_prompts, with_instructions


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        ("intfloat/e5-small-v2", "passage: ", "query: "),
        ("multilingual-e5-base", "passage: ", "query: "),
        ("nomic-embed-text", "search_document: ", "search_query: "),
        ("BAAI/bge-small-en-v1.5", "", "Represent this sentence for searching relevant passages: "),
        ("snowflake-arctic-embed-m-v2.0", "", "query: "),
        ("embeddinggemma", "title: none | text: ", "task: search result | query: "),
        ("all-MiniLM-L6-v2", "", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_a_known_model_has_its_own_prompts(model: str, document: str, query: str) -> None:
    prompts = known_prompts(model)
    assert (prompts.document, prompts.of("observation")) == (document, query)


@pytest.mark.parametrize("model", ["Qwen/Qwen3-Embedding-0.6B", "multilingual-e5-large-instruct"])
def test_a_model_with_tasks_is_told_what_kind_of_thing_is_looked_for(model: str) -> None:
    prompts = known_prompts(model)
    asked = [prompts.of(kind) for kind in ("observation", "code", "learning")]
    assert len(set(asked)) == 3
    assert all(text.startswith("Instruct: ") and text.endswith("\nQuery: ") for text in asked)
    assert prompts.document == ""


def test_a_folder_with_prompts_is_believed_before_its_name() -> None:
    config = {"prompts": {"query": "ask: ", "passage": "text: ", "code": "code: "}, "default_prompt_name": None}
    prompts = folder_prompts(config, "e5-small")
    assert (prompts.document, prompts.of("observation"), prompts.of("code")) == ("text: ", "ask: ", "code: ")


def test_a_folder_without_prompts_has_those_of_its_name() -> None:
    assert folder_prompts({"prompts": {"query": "", "document": ""}}, "e5-small") == known_prompts("e5-small")
    assert folder_prompts({}, "minilm") == Prompts()


def test_the_default_prompt_of_a_folder_is_for_both_sides() -> None:
    prompts = folder_prompts({"prompts": {"both": "x: "}, "default_prompt_name": "both"}, "minilm")
    assert (prompts.document, prompts.of("code")) == ("x: ", "x: ")


def test_a_task_for_the_web_gives_way_to_ours() -> None:
    config = {"prompts": {"query": "Instruct: Given a web search query, retrieve relevant passages\nQuery:"}}
    assert folder_prompts(config, "anything") == TASK_PROMPTS


def test_instructions_take_the_place_of_every_question_prompt_and_of_no_other() -> None:
    prompts = with_instructions(TASK_PROMPTS, r"Instruct: Find it\nQuery:")
    assert {prompts.of(kind) for kind in ("observation", "code", "learning")} == {"Instruct: Find it\nQuery: "}
    nothing = with_instructions(known_prompts("e5-small"), "none")
    assert (nothing.document, nothing.of("code")) == ("passage: ", "")
    assert with_instructions(TASK_PROMPTS, None) is TASK_PROMPTS
