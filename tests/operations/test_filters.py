"""Filters: what a caller writes, as the one value that every search takes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Invalid, NotFound
from marrow.model.moments import MICROS_PER_DAY, iso
from marrow.operations.filters import named_project, wanted

from .conftest import PROJECT, Do


def test_without_a_word_it_is_this_project_and_the_global_scope(memory: Memory) -> None:
    assert wanted(memory.call).projects == (PROJECT, "")
    assert wanted(memory.call, scope="project").projects == (PROJECT,)
    assert wanted(memory.call, scope="global").projects == ("",)
    assert wanted(memory.call, project="all").projects is None


def test_a_project_goes_by_any_of_its_names(tmp_path: Path, memory: Memory) -> None:
    for words in (("init", "--quiet"), ("remote", "add", "origin", "git@example.org:ada/pears.git")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    with open_memory(tmp_path, store=memory.engine.store.url, embedder="fake") as pears:
        pears.save("Pears are counted by hand.")
        aliases = pears.identity.aliases
    for name in ("example.org/ada/pears", *aliases):
        assert named_project(memory.call, name) == "example.org/ada/pears"


def test_an_unknown_project_lists_the_known_ones(memory: Memory, do: Do) -> None:
    with pytest.raises(NotFound) as raised:
        named_project(memory.call, "pears")
    assert "marrow init" in raised.value.hint
    do("memory_save", content="Apples are counted by weight.")
    with pytest.raises(NotFound) as raised:
        named_project(memory.call, "pears")
    assert PROJECT in raised.value.hint
    assert raised.value.field == "project"


def test_an_unknown_domain_lists_the_known_ones(memory: Memory) -> None:
    with pytest.raises(Invalid) as raised:
        wanted(memory.call, domain="nowhere")
    assert raised.value.field == "domain"
    assert "decisions" in raised.value.hint


def test_a_domain_of_the_project_is_known(tmp_path: Path) -> None:
    (tmp_path / ".marrow.toml").write_text('[domains]\nextra = ["billing"]\n', encoding="utf-8")
    (tmp_path / ".git").mkdir()
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake") as memory:
        assert wanted(memory.call, domain="billing").domains == ("billing",)


def test_a_kind_may_be_a_word_of_ones_own_and_nothing_else(memory: Memory) -> None:
    assert wanted(memory.call, kinds=["commit", "recipe"]).kinds == ("commit", "recipe")
    with pytest.raises(Invalid) as raised:
        wanted(memory.call, kinds=["Two words"])
    assert raised.value.field == "kind"


def test_a_day_as_the_end_includes_that_day(memory: Memory) -> None:
    day, moment = wanted(memory.call, until="2026-03-01"), wanted(memory.call, until="2026-03-01T12:00:00Z")
    assert day.until is not None
    assert moment.until is not None
    assert iso(day.until) == "2026-03-01T23:59:59Z"
    assert iso(moment.until) == "2026-03-01T12:00:00Z"


def test_a_time_may_be_said_in_words(memory: Memory) -> None:
    now = memory.engine.clock()
    since = wanted(memory.call, since="3 days ago").since
    assert since is not None
    assert 0 <= since - (now - 3 * MICROS_PER_DAY) < MICROS_PER_DAY
    with pytest.raises(Invalid) as raised:
        wanted(memory.call, since="whenever")
    assert raised.value.field == "since"


def test_metadata_is_compared_as_text_whatever_its_type(memory: Memory) -> None:
    asked = wanted(memory.call, metadata={"owner": "ada", "count": 3, "draft": True})
    assert asked.metadata == (("count", "3"), ("draft", "true"), ("owner", "ada"))


def test_filters_narrow_a_search(memory: Memory, do: Do) -> None:
    do("memory_save", content="Apples are weighed.", kind="decision", domain="decisions", tags=["a", "b"])
    do("memory_save", content="Pears are counted.", tags=["b"], metadata={"owner": "ada"}, anchors=["src/pears.py"])

    def contents(**filters: object) -> set[str]:
        return {item.content for item in do("memory_search", **filters).items}

    apples, pears = {"Apples are weighed."}, {"Pears are counted."}
    assert contents(tags=["b"]) == apples | pears
    assert contents(tags=["a", "b"], match="all") == apples
    assert contents(kinds=["decision"]) == apples
    assert contents(domain="decisions") == apples
    assert contents(owner="ada") == pears
    assert contents(metadata={"owner": "ada"}) == pears
    assert contents(path="src") == pears
    assert contents(since="1 day ago") == apples | pears
    assert contents(until="1 day ago") == set()
    assert contents(query="apples are weighed", domain="context") == pears  # However well the other one fits.


@pytest.mark.parametrize("operation", ["memory_search", "ask"])
def test_a_kind_that_is_nearly_a_known_one_is_mistyped(do: Do, operation: str) -> None:
    asked = {"memory_search": "query", "ask": "question"}[operation]
    do("memory_save", content="Invoices are numbered by the year.", kind="decision")
    with pytest.raises(Invalid, match="Nothing is of the kind 'decison'") as caught:
        do(operation, **{asked: "invoices", "kinds": ["decison"]})
    assert caught.value.hint == "Did you mean decision?"


def test_a_kind_of_ones_own_is_looked_for_whatever_it_is_like(do: Do) -> None:
    do("memory_save", content="Invoices are numbered by the year.", kind="decisions")
    assert len(do("memory_search", query="invoices", kinds=["decisions"]).items) == 1
    assert do("memory_search", query="invoices", kinds=["recipe"]).items == ()
