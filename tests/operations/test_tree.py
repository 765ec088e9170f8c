"""tree: what is known, how it came to be, what hangs together, and what can be let go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from marrow.app import Memory
from marrow.model.errors import Conflict, Invalid, NotFound

from .conftest import PROJECT, Do, head

Save = Callable[..., str]


def test_what_is_forgotten_is_found_in_the_log_alone(do: Do, save: Save, said: Do) -> None:
    address = save("Apples are counted by hand.")
    assert "forgotten" in said("memory_forget", address=address, reason="it was a guess")
    assert do("memory_search", query="apples").items == ()
    (line,) = do("memory_log", topic="apples").items
    assert (line["state"], line["reason"]) == ("retracted", "it was a guess")
    assert "retracted" in said("memory_log", topic="apples")


def test_the_log_begins_with_what_changed_last_however_long_ago_it_was_said(do: Do, save: Save, said: Do) -> None:
    old = save("Apples are counted by hand.")
    for number in range(5):
        save(f"Row {number} has pears.")
    do("memory_forget", address=old)
    assert [(line["address"], line["state"]) for line in do("memory_log", limit=1).items] == [(old, "retracted")]
    assert "(5 more: raise limit or budget_tokens)" in said("memory_log", limit=1)
    assert len(do("memory_log").items) == 6
    assert do("memory_log", as_of="1").items[0]["state"] == "active"


def test_the_log_tells_what_was_read_from_a_file_by_its_path(do: Do, save: Save, said: Do) -> None:
    save("/*!\nThe gate.\n*/", kind="document", metadata={"path": "src/gate.rs", "title": "The gate"})
    assert do("memory_log").items[0]["path"] == "src/gate.rs"
    assert said("memory_log").endswith("src/gate.rs: The gate")


def test_forgetting_twice_is_a_conflict_and_saving_brings_it_back(do: Do, save: Save) -> None:
    address = save("Apples are counted by hand.")
    do("memory_forget", address=address)
    with pytest.raises(Conflict):
        do("memory_forget", address=address)
    assert save("Apples are counted by hand.") == address
    assert len(do("memory_search", query="apples").items) == 1


def test_reinforcing_counts_and_raises(do: Do, save: Save, said: Do) -> None:
    address = save("Apples are counted by hand.")
    assert "reinforced 1 time" in said("memory_reinforce", address=address)
    before = do("memory_search", query="apples").items[0].score
    do("memory_reinforce", address=address)
    assert do("memory_search", query="apples").items[0].score > before


def test_the_status_counts_what_is_here_and_in_the_store(do: Do, save: Save, said: Do) -> None:
    save("Apples are red.", domain="patterns", pinned=True)
    do("memory_forget", address=save("Pears are blue."))
    found = do("memory_status")
    assert (found.project, found.active, found.total, found.pinned) == (PROJECT, 1, 2, 1)
    assert found.domains == {"patterns": 1}
    assert found.seq >= 3
    assert f"project {PROJECT}: 1 active of 2" in said("memory_status")


def test_roots_tell_each_change_of_what_holds_latest_first(memory: Memory, do: Do, save: Save) -> None:
    first = save("Apples are red.")
    root = do("memory_status").root
    do("memory_forget", address=first)
    items = do("memory_roots").items
    assert [item["operation"] for item in items[:2]] == ["memory_forget", "memory_save"]
    assert items[1]["root"] == root
    assert len(do("memory_roots", limit=1).items) == 1
    assert items[0]["seq"] == head(memory)


def test_active_goes_page_by_page(do: Do, said: Do) -> None:
    do("memory_save", batch=[f"Row {n} has apples." for n in range(7)])
    first, rest = do("memory_active", limit=5), do("memory_active", limit=5, offset=5)
    assert (len(first.items), first.total) == (5, 7)
    assert len({item.address for item in (*first.items, *rest.items)}) == 7
    assert "2 more" in said("memory_active", limit=5)
    assert "1 more" in said("memory_active", limit=5, offset=1)
    assert "more" not in said("memory_active", limit=5, offset=5)
    assert said("memory_active", offset=100) == "Nothing."


def test_active_shows_only_what_holds_and_what_is_asked_for(do: Do, save: Save) -> None:
    save("Apples are red.", pinned=True)
    save("Pears are green.", domain="patterns")
    do("memory_forget", address=save("Plums are square."))

    def contents(**filters: Any) -> set[str]:
        return {item.content for item in do("memory_active", **filters).items}

    assert contents() == {"Apples are red.", "Pears are green."}
    assert contents(pinned=True) == {"Apples are red."}
    assert contents(domain="patterns") == {"Pears are green."}
    assert contents(scope="global") == set()


def test_explain_says_yes_or_no_and_why(memory: Memory, do: Do, save: Save) -> None:
    address = save("Apples are counted by weight.")
    yes = do("memory_explain", address=address, message="how are apples counted by weight?")
    assert yes.recalled
    assert yes.rank == 1
    assert yes.why["words"] > 0
    no = memory.perform("memory_explain", {"address": address, "message": "which colour has the roof?"})
    assert not no.result.recalled
    assert "would not be recalled" in no.text
    assert no.result.reasons


def test_a_compression_takes_the_place_of_its_inputs_and_keeps_exact_values(do: Do, save: Save, said: Do) -> None:
    one, other = save("The export takes 45 minutes."), save("The export holds the write lock.")
    tried = do("memory_compress", summary="The export is slow and locks.", addresses=[one, other], dry_run=True)
    assert tried.dry_run
    assert do("memory_active").total == 2
    done = do("memory_compress", summary="The export is slow and locks.", addresses=[one, other])
    assert set(done.inputs) == {one, other}
    assert any("45" in kept for kept in done.preserved)
    assert 0 <= done.coverage <= 1
    (item,) = do("memory_active").items
    assert item.address == done.address
    assert "compressed" in said("memory_search", query="export", include_superseded=True)


def test_forgetting_a_summary_says_that_what_it_summed_up_holds_again(do: Do, save: Save, said: Do) -> None:
    one, other = save("The export takes 40 seconds."), save("The export locks the table.")
    made = do("memory_compress", summary="The export is slow and locks.", addresses=[one, other]).address
    told = said("memory_forget", address=made)
    assert told.startswith(f"[{made}] forgotten: The export is slow and locks; what it summed up holds again: ")
    assert one in told
    assert other in told
    assert said("memory_forget", address=one) == f"[{one}] forgotten: The export takes 40 seconds."


def test_a_session_is_compressed_by_its_thread(do: Do, save: Save) -> None:
    save("Said in the session.", thread="monday")
    save("Said in it as well.", thread="monday")
    save("Said elsewhere.", thread="tuesday")
    done = do("memory_session_compress", thread="monday", summary="Two things were said.")
    assert len(done.inputs) == 2
    assert {item.content for item in do("memory_active").items} > {"Said elsewhere."}


def test_compressing_needs_to_know_what(do: Do) -> None:
    with pytest.raises(Invalid):
        do("memory_compress")


def test_hashing_the_tree_again_gives_the_root_of_the_chain(do: Do, save: Save, said: Do) -> None:
    save("Apples are red.")
    root = do("memory_status").root
    done = do("memory_reroot")
    assert done.ok
    assert done.root == root
    assert "as the chain says" in said("memory_reroot")


def test_a_diff_tells_what_came_and_what_went(do: Do, save: Save, said: Do) -> None:
    old = save("Deploys go out on Fridays.")
    kept = save("Apples are red.")
    do("snapshot_create", name="before")
    do("memory_update", address=old, content="Deploys go out on Mondays.")
    do("memory_update", address=kept, priority=0.9)
    found = do("memory_diff", since="before")
    assert (found.added, found.changed, found.removed) == (1, 1, 1)
    assert {(item["what"], item["title"]) for item in found.items} == {
        ("added", "Deploys go out on Mondays."),
        ("removed", "Deploys go out on Fridays."),
        ("changed", "Apples are red."),
    }
    assert "(priority)" in said("memory_diff", since="before")
    assert do("memory_diff").added == 2  # Since yesterday: everything that holds is new.


def test_the_soul_is_one_document_by_domain(do: Do, save: Save) -> None:
    save("We chose SQLite.", domain="decisions")
    save("Tests come first.", domain="patterns", pinned=True)
    document = do("memory_soul").content
    assert "## Decisions" in document
    assert "We chose SQLite." in document
    lines = do("memory_soul", format="text").content.split("\n")
    assert {line.partition(":")[0] for line in lines} == {"decisions", "patterns"}


def test_the_soul_keeps_its_budget_and_counts_the_rest(do: Do) -> None:
    do("memory_save", batch=[f"Row {n} of the orchard has apples of kind {n}." for n in range(200)])
    found = do("memory_soul", budget_tokens=300)
    assert found.left_out > 0
    assert len(found.content) < len(do("memory_soul", budget_tokens=5000).content)


def test_provenance_leads_to_the_leaves(do: Do, save: Save, said: Do) -> None:
    one, other = save("The export takes long."), save("The export locks.")
    made = do("memory_compress", summary="The export is slow and locks.", addresses=[one, other]).address
    found = do("memory_provenance", memory_id=made)
    assert found.items[0]["address"] == found.address == made
    assert set(found.leaves) == {one, other}
    assert {item["distance"] for item in found.items} == {0, 1}
    assert "The export locks." in said("memory_provenance", address=made)


def test_a_graph_follows_links_in_both_directions(do: Do, save: Save, said: Do) -> None:
    cause, effect = save("The proxy moved."), save("Clients got 502.")
    do("memory_relate", source=effect, target=cause, rel="caused_by")
    found = do("memory_graph", address=cause)
    assert [node.address for node in found.nodes] == [cause, effect]
    assert do("memory_graph", address=effect).links == ({"from": effect, "to": cause, "rel": "caused_by"},)
    assert said("memory_graph", address=effect).splitlines() == [
        f"[{effect}] Clients got 502.",
        f"  [{effect}] Clients got 502. --caused_by--> [{cause}] The proxy moved.",
    ]
    assert effect not in {node.address for node in do("memory_graph", address=cause, direction="forward").nodes}
    with pytest.raises(Invalid) as raised:
        do("memory_graph", address=cause, depth=9)
    assert raised.value.field == "depth"


def test_a_graph_of_a_node_without_links_says_so(do: Do, save: Save, said: Do) -> None:
    alone = save("The proxy moved.")
    assert do("memory_graph", address=alone).links == ()
    assert said("memory_graph", address=alone).endswith("no links")


def test_looking_for_what_is_stale_changes_nothing(memory: Memory, do: Do, save: Save, said: Do) -> None:
    save("Apples are red.")
    before = head(memory)
    found = do("memory_prune_candidates", threshold=0)
    assert found.considered == 1
    assert "nothing was changed" in said("memory_prune_candidates", threshold=0)
    assert head(memory) == before
    with pytest.raises(Invalid):
        do("memory_prune_candidates", threshold=2)


@pytest.mark.parametrize(
    "name", ["memory_forget", "memory_reinforce", "memory_provenance", "memory_graph", "lineage", "memory_get"]
)
def test_an_unknown_address_is_not_found_by_any_of_them(do: Do, name: str) -> None:
    with pytest.raises(NotFound) as raised:
        do(name, address="abcdef")
    assert raised.value.field == "address"
