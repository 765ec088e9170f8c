"""Prompts: what a model wants to see before a question, and before a text that is kept.

Some models were trained with a few words that say which of the two they are given; without them they find less. A
model with a task (`Instruct: … Query: …`) is told what kind of thing is looked for, so it has a prompt for each kind of
question. The words below are those of the models' own cards; the tasks are Marrow's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

Kind = Literal["observation", "code", "learning"]
"""What a question looks for: what was done, decided or seen; code; or rules and lessons."""

NONE = "none"
_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Prompts:
    """What is put before a text: `document` before one that is kept, `query` before a question of any other kind."""

    document: str = ""
    query: str = ""
    by_kind: Mapping[str, str] = field(default_factory=lambda: _EMPTY, hash=False)

    def of(self, kind: str) -> str:
        return self.by_kind.get(kind, self.query)


_TASKS: Mapping[str, str] = MappingProxyType(
    {
        "observation": "Given a question about a software project, retrieve notes on what was done, decided or seen",
        "code": "Given a question about a code base, retrieve the code that answers it",
        "learning": "Given a piece of work in a software project, retrieve the rules and lessons that bear on it",
    }
)
_WITH_TASK = {kind: f"Instruct: {task}\nQuery: " for kind, task in _TASKS.items()}
TASK_PROMPTS = Prompts(query=_WITH_TASK["observation"], by_kind=MappingProxyType(_WITH_TASK))
_PASSAGES = "Represent this sentence for searching relevant passages: "

# By a part of the model's name, in lower case; the first that fits.
_KNOWN: tuple[tuple[re.Pattern[str], Prompts], ...] = (
    (re.compile(r"qwen3-embedding|gte-qwen|e5-.*instruct|e5-mistral"), TASK_PROMPTS),
    (re.compile(r"(?:^|[-_/])e5-"), Prompts("passage: ", "query: ")),
    (re.compile(r"nomic-embed-code"), Prompts(query="Represent this query for searching relevant code: ")),
    (re.compile(r"nomic-embed|modernbert-embed"), Prompts("search_document: ", "search_query: ")),
    (
        re.compile(r"embeddinggemma"),
        Prompts(
            "title: none | text: ",
            "task: search result | query: ",
            MappingProxyType({"code": "task: code retrieval | query: "}),
        ),
    ),
    (re.compile(r"arctic-embed.*v2|arctic-embed2"), Prompts(query="query: ")),
    (re.compile(r"bge-(?:small|base|large)-en|mxbai-embed|arctic-embed"), Prompts(query=_PASSAGES)),
)


def known_prompts(model: str) -> Prompts:
    """The prompts of a model that is known by name; none for every other."""
    name = model.lower()
    return next((prompts for pattern, prompts in _KNOWN if pattern.search(name)), Prompts())


def folder_prompts(config: Mapping[str, object], model: str) -> Prompts:
    """The prompts that a folder's `config_sentence_transformers.json` gives; those of the model's name if it has none.

    A query prompt with a task in it was written for the web. It is replaced by Marrow's own tasks.
    """
    given = config.get("prompts")
    texts = {key: text for key, text in given.items() if isinstance(text, str)} if isinstance(given, dict) else {}
    default = texts.get(str(config.get("default_prompt_name")), "")
    query = _first(texts, ("query", "search_query", "retrieval.query", "Retrieval-query"), default)
    document = _first(
        texts, ("document", "passage", "search_document", "retrieval.passage", "Retrieval-document"), default
    )
    if not query and not document:
        return known_prompts(model)
    if query.startswith("Instruct:"):
        return replace(TASK_PROMPTS, document=document)
    kinds = {kind: texts[kind] for kind in _TASKS if texts.get(kind)}
    return Prompts(document, query, MappingProxyType(kinds))


def with_instructions(prompts: Prompts, text: str | None) -> Prompts:
    """The same with another text before a question. None keeps the model's own; `none` takes it away.

    The text comes from a settings file, where it has one line: in it `\\n` is a line end. A blank follows it.
    """
    if text is None:
        return prompts
    if text == NONE:
        return replace(prompts, query="", by_kind=_EMPTY)
    written = text.replace("\\n", "\n")
    return replace(prompts, query=written if written.endswith((" ", "\n")) else f"{written} ", by_kind=_EMPTY)


def _first(texts: Mapping[str, str], keys: tuple[str, ...], default: str) -> str:
    return next((texts[key] for key in keys if texts.get(key)), default)
