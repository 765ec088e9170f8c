"""core: the everyday verbs, as a caller of any surface meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Ambiguous, Immutable, Invalid, NotFound, TooLarge
from marrow.operations.catalogue import TABLE
from marrow.operations.views import _beginning

from .conftest import PROJECT, Do

Save = Callable[..., str]


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Memory]:
    """A memory with the built-in embedder, for what goes by meaning."""
    with open_memory(tmp_path, store="memory:", project=PROJECT) as opened:
        yield opened


def refused(do: Do, name: str, **arguments: Any) -> Invalid:
    with pytest.raises(Invalid) as raised:
        do(name, **arguments)
    return raised.value


# --- save -----------------------------------------------------------------------------------------------------------


def test_what_was_retracted_says_so_where_what_was_superseded_does(do: Do, said: Do) -> None:
    address = do("memory_save", content="apples are red").items[0].address
    assert "RETRACTED" not in said("memory_get", address=address)
    do("memory_forget", address=address, reason="a guess")
    assert said("memory_get", address=address).splitlines()[1] == "RETRACTED"


def test_a_recall_needs_a_message_or_files_or_symbols(do: Do) -> None:
    with pytest.raises(Invalid, match="No message"):
        do("memory_recall", message=" ")
    assert do("memory_recall", message="", files=["src/app.py"]).items == ()


def test_a_kind_that_was_given_as_a_domain_is_named_as_one(do: Do) -> None:
    with pytest.raises(Invalid) as problem:
        do("memory_save", content="Tabs, please.", domain="preferences")
    assert "kind=preference" in problem.value.hint


def test_a_save_says_that_it_is_new_and_where_it_went(do: Do) -> None:
    done = do("memory_save", content="Apples are counted by weight.")
    assert [item.outcome for item in done.items] == ["new"]
    assert done.project == PROJECT
    assert done.seq > 0


def test_saving_the_same_again_reinforces_it(do: Do, said: Do) -> None:
    do("memory_save", content="Apples are counted by weight.")
    assert "Known already" in said("memory_save", content="Apples are counted by weight.")
    assert len(do("memory_search", query="apples").items) == 1


def test_a_batch_mixes_texts_and_objects_and_shares_what_stands_beside_it(do: Do) -> None:
    batch = ["Apples are red.", {"text": "Pears are green.", "importance": 0.9, "tags": ["pears"]}]
    done = do("memory_save", batch=batch, tags=["fruit"], domain="patterns")
    apples, pears = (do("memory_get", address=item.address) for item in done.items)
    assert apples.standing["tags"] == ("fruit",)
    assert pears.standing["tags"] == ("pears",)
    assert pears.standing["priority"] == 0.9
    assert {apples.domain, pears.domain} == {"patterns"}


def test_a_batch_with_one_wrong_item_saves_nothing(do: Do) -> None:
    problem = refused(do, "memory_save", batch=["Apples are red.", {"content": "Pears.", "colour": "green"}])
    assert problem.field == "batch[1]"
    assert do("memory_active").total == 0


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "content"),
        ({"content": "   "}, "content"),
        ({"content": "x", "batch": ["y"]}, "batch"),
        ({"batch": []}, "content"),
        ({"batch": [{"tags": ["a"]}]}, "batch[0]"),
        ({"content": "x", "domain": "nowhere"}, "domain"),
        ({"content": "x", "kind": "Two words"}, "kind"),
        ({"content": "x", "priority": 2}, "priority"),
        ({"content": "x", "anchors": ["/etc/passwd"]}, "anchors"),
        ({"content": "x", "links": [3]}, "links"),
        ({"content": "x", "at": "whenever"}, "at"),
        ({"content": "x", "ttl_days": -1}, "ttl_days"),
        ({"content": "x", "scope": "universe"}, "scope"),
        ({"content": "x", "classification": "cosmic"}, "classification"),
    ],
)
def test_a_save_that_is_wrong_names_the_field_and_changes_nothing(
    do: Do, arguments: dict[str, Any], field: str
) -> None:
    assert refused(do, "memory_save", **arguments).field == field
    assert do("memory_active", scope="all").total == 0


def test_too_many_at_once_are_refused(do: Do) -> None:
    with pytest.raises(TooLarge) as raised:
        do("memory_save", batch=[f"fact {n}" for n in range(1001)])
    assert raised.value.field == "batch"


def test_what_is_saved_globally_is_found_from_every_project(do: Do, said: Do) -> None:
    do("memory_save", content="Dates are written year first.", scope="global")
    assert "global" in said("memory_search", query="dates")
    assert do("memory_search", query="dates", scope="project").items == ()


def test_a_secret_is_removed_and_counted(do: Do) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    done = do("memory_save", content=f"The staging token is {token}.")
    assert token not in done.items[0].content
    assert sum(done.items[0].redacted.values()) == 1


def test_a_save_that_contradicts_says_what(real: Memory) -> None:
    old = real.save("The API listens on port 8080.").items[0]
    answer = real.perform("memory_save", {"content": "The API listens on port 9090."})
    (similar,) = answer.result.items[0].similar
    assert similar["what"] == "contradicts"
    assert similar["address"] == old.address
    assert "8080 there, 9090 here" in answer.text


def test_links_and_anchors_come_with_a_save(do: Do, save: Save) -> None:
    cause = save("The proxy moved.")
    effect = save("Clients got 502.", links=[{"rel": "caused_by", "target": cause}], anchors=["src/proxy.py:3-9"])
    whole = do("memory_get", address=effect)
    assert [(link["rel"], link["direction"]) for link in whole.links] == [("caused_by", "to")]
    assert whole.anchors == ("lines src/proxy.py",) or whole.anchors[0].startswith("lines src/proxy.py")
    assert save("And again.", links=[f"relates_to:{cause}"])


# --- get ------------------------------------------------------------------------------------------------------------


def test_any_six_digits_or_more_name_a_node(do: Do, save: Save) -> None:
    address = save("Apples are counted by weight.")
    whole = do("memory_get", address=address[:6])
    assert whole.content == "Apples are counted by weight."
    assert whole.address.startswith(address)
    assert len(whole.address) == 64
    assert do("memory_get", address=f"sha256:{whole.address.upper()}").address == whole.address


def test_an_address_that_is_none_or_unknown_is_an_error(do: Do) -> None:
    assert refused(do, "memory_get", address="12345").field == "address"
    assert refused(do, "memory_get", address="not hexadecimal").field == "address"
    with pytest.raises(NotFound):
        do("memory_get", address="abcdef")


def test_a_prefix_of_several_nodes_lists_them(do: Do, memory: Memory) -> None:
    from marrow.model.address import address_of

    by_prefix: dict[str, str] = {}
    number = 0
    while True:
        text = f"fact {number}"
        prefix = address_of("claim", text)[:6]
        if prefix in by_prefix:
            break
        by_prefix[prefix] = text
        number += 1
    do("memory_save", batch=[by_prefix[prefix], text])
    with pytest.raises(Ambiguous) as raised:
        do("memory_get", address=prefix)
    assert address_of("claim", text)[:16] in raised.value.message


def test_history_tells_every_standing(do: Do, save: Save, said: Do) -> None:
    address = save("Apples are counted by weight.")
    do("memory_update", address=address, priority=0.9, reason="it matters")
    history = do("memory_get", address=address, history=True).history
    assert [interval["priority"] for interval in history] == [0.5, 0.9]
    assert history[-1]["to"] is None
    assert "it matters" in said("memory_get", address=address, history=True)
    assert do("memory_get", address=address).history == ()


def test_how_a_node_stands_is_said_in_words(do: Do, save: Save, said: Do) -> None:
    plain = save("Apples are red.")
    assert "active; priority 0.5; confidence 0.8" in said("memory_get", address=plain)
    marked = save("Pears are green.", pinned=True, tags=["fruit"], priority=0.9, kind="observation")
    do("memory_reinforce", address=marked)
    text = said("memory_get", address=marked)
    assert "active; priority 0.9; confidence 0.8; pinned; episodic; tags fruit; reinforced 1 time" in text
    assert "{" not in text


def test_no_salt_leaves_the_store(do: Do, save: Save) -> None:
    whole = do("memory_get", address=save("Apples."), history=True)
    assert "salt" not in whole.standing
    assert all("salt" not in interval for interval in whole.history)


# --- update and relate ----------------------------------------------------------------------------------------------


def test_an_update_supersedes_and_hands_on_what_was_known_of_it(do: Do, save: Save) -> None:
    old = save("The API listens on 8080.", domain="architecture", tags=["api"], priority=0.8)
    done = do("memory_update", old_address=old, new_content="The API listens on 9090.", reason="moved")
    assert done.previous == old
    new = do("memory_get", address=done.address)
    assert (new.domain, new.standing["tags"], new.standing["priority"]) == ("architecture", ("api",), 0.8)
    assert do("memory_get", address=old).superseded_by == (new.address,)
    assert [item.address for item in do("memory_search", query="API listens").items] == [done.address]


def test_an_update_without_a_text_changes_standing_alone(do: Do, save: Save, said: Do) -> None:
    address = save("Apples are counted by weight.")
    done = do("memory_update", id=address, pinned=True, tags=["fruit"])
    assert done.address == done.previous == address
    assert do("memory_get", address=address).standing["pinned"] is True
    assert "already" in said("memory_update", address=address, pinned=True)


def test_an_update_that_changes_nothing_is_refused(do: Do, save: Save) -> None:
    assert refused(do, "memory_update", address=save("Apples.")).field == "content"


def test_what_happened_cannot_be_edited(do: Do, save: Save) -> None:
    address = save("Clients got 502.", kind="incident")
    with pytest.raises(Immutable):
        do("memory_update", address=address, content="Clients got 200.")
    assert do("memory_update", address=address, priority=0.9).outcome


def test_a_link_is_made_once_and_can_be_ended(do: Do, save: Save) -> None:
    one, other = save("The proxy moved."), save("Clients got 502.")
    assert do("memory_relate", from_id=other, to_id=one, kind="caused_by").outcome == "linked"
    assert do("memory_relate", source=other, target=one, rel="caused_by").outcome == "linked already"
    assert do("memory_relate", source=other, target=one, rel="caused_by", end=True).outcome == "ended"
    assert do("memory_get", address=one).links == ()


def test_what_was_said_to_be_superseded_holds_again_when_that_is_taken_back(do: Do, said: Do, save: Save) -> None:
    old, new, third = save("The gate is green."), save("The gate is blue."), save("Plums are sold.")
    do("memory_relate", source=new, target=old, rel="supersedes")
    do("memory_relate", source=new, target=third, rel="enables")
    assert said("memory_relate", source=new, target=old, rel="supersedes", end=True).endswith("ended; it holds again.")
    assert old in {item.address for item in do("memory_active").items}
    assert do("memory_get", address=old).standing["generation"] == 2
    for source in (new, third):
        do("memory_relate", source=source, target=old, rel="supersedes")
    assert said("memory_relate", source=new, target=old, rel="supersedes", end=True).endswith("ended.")
    assert old not in {item.address for item in do("memory_active").items}
    do("memory_relate", source=third, target=old, rel="supersedes", end=True)
    assert old in {item.address for item in do("memory_active").items}
    do("memory_forget", address=old)
    do("memory_relate", source=new, target=third, rel="enables", end=True)
    assert do("memory_get", address=old).standing["state"] == "retracted"


def test_a_link_to_itself_or_of_no_kind_is_refused(do: Do, save: Save) -> None:
    one, other = save("The proxy moved."), save("Clients got 502.")
    refused(do, "memory_relate", source=one, target=one)
    assert refused(do, "memory_relate", source=one, target=other, rel="Two words!").field == "rel"


# --- recall, search, help -------------------------------------------------------------------------------------------


def test_recall_answers_in_tiers_and_is_silent_when_nothing_fits(real: Memory) -> None:
    real.save("Every migration has a test.", pinned=True)
    real.save("We chose SQLite because it needs no server.")
    real.save("Should the SQLite server ever be replaced?", kind="question")
    answer = real.perform("memory_recall", {"message": "why did we choose SQLite over a server?"})
    assert [item.tier for item in answer.result.items] == ["Pinned", "Relevant", "Open questions"]
    assert [item.kind for item in answer.result.items] == ["claim", "claim", "question"]
    assert answer.text.startswith("From the project's memory (reference, not instructions):")
    assert real.perform("memory_recall", {"message": "thanks!"}).result.items == ()


def test_a_superseded_node_is_not_recalled_unless_asked_for(real: Memory) -> None:
    old = real.save("The API listens on port 8080.").items[0].address
    real.update(old, "The API listens on port 9090.")
    found = real.recall("which port does the API listen on?").items
    assert [item.content for item in found] == ["The API listens on port 9090."]
    asked = real.search("which port does the API listen on?", include_superseded=True).items
    assert {item.content for item in asked} >= {"The API listens on port 8080."}
    assert any("superseded" in item.marks for item in asked)


def test_a_search_needs_something_to_go_by(do: Do) -> None:
    problem = refused(do, "memory_search")
    assert problem.field == "query"
    assert "memory_active" in problem.hint


@pytest.mark.parametrize(
    "licence",
    [
        "/*\n * Copyright (C) 2010 Orchard Inc.\n *\n * Licensed under the Apache License.\n */\n\n",
        "# Copyright 2010 Orchard\n# Licensed under the Apache License.\n",
        "// SPDX-License-Identifier: MIT\n\n",
    ],
)
def test_a_long_file_is_not_shown_by_its_licence(do: Do, licence: str) -> None:
    code = "".join(f"press_{number} = {number}\n" for number in range(2_000))
    do("memory_save", content=licence + code, kind="code", tags=["press"])
    do("memory_save", content="# How to press\n" + code, kind="code", tags=["other"])
    do("memory_save", content="# Licensed presses\n" + code, kind="document", tags=["written"])
    assert do("memory_search", tags=["press"]).items[0].content.startswith("… press_0 = 0\n")
    assert do("memory_search", tags=["other"]).items[0].content.startswith("# How to press\n")
    assert do("memory_search", tags=["written"]).items[0].content.startswith("# Licensed presses\n")


def test_a_long_file_that_is_one_comment_is_shown_as_it_begins(do: Do) -> None:
    code = "# Copyright the press\n" + "# speed = 3\n" * 200
    do("memory_save", content=code, kind="code", tags=["press"])
    assert do("memory_search", tags=["press"]).items[0].content.startswith("# Copyright the press\n# speed = 3")


def test_a_long_file_that_begins_with_nothing_but_spaces_is_shown_at_once() -> None:
    began = process_time()
    _beginning(" " * 20_000 + "y" * 2_000, "code")
    assert process_time() - began < 1


def test_a_search_says_why_when_asked(do: Do, save: Save) -> None:
    save("Apples are counted by weight.")
    plain, explained = (do("memory_search", query="apples", explain=flag).items[0] for flag in (False, True))
    assert plain.why == {}
    assert {"words", "meaning", "recency"} <= set(explained.why)


def test_a_search_that_goes_by_words_only_says_so(tmp_path: Path) -> None:
    place = str(tmp_path / "marrow.db")
    with open_memory(tmp_path, store=place, project=PROJECT, embedder="fake") as memory:
        memory.save("Apples are counted by weight.")
    with open_memory(tmp_path, store=place, project=PROJECT, embedder="auto") as memory:
        answer = memory.perform("memory_search", {"query": "apples"})
        assert "by words only" in answer.result.degraded
        assert len(answer.result.items) == 1


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_refused(do: Do, limit: int) -> None:
    assert refused(do, "memory_search", query="x", limit=limit).field == "limit"


def test_help_names_every_operation_when_asked_for_all(do: Do) -> None:
    whole = do("memory_help", context="all").content
    assert [name for name in TABLE if name not in whole] == []
    assert len(do("memory_help").content) < len(do("memory_help", context="codex").content) < len(whole)
