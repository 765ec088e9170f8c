"""store: the memory itself, moved, checked, mended and erased through its operations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.capture import inbox
from marrow.model.errors import Conflict, Invalid, MarrowError, NotAStore, NotFound

from .conftest import PROJECT, Do, head

Save = Callable[..., str]


@pytest.fixture
def other(tmp_path: Path, memory: Memory) -> Memory:
    """Another project in the same store, with one thing in it."""
    place = memory.engine.store.url.removeprefix("sqlite:")
    opened = open_memory(tmp_path, store=place, project="pears", embedder="fake")
    opened.save("Pears are counted by hand.")
    return opened


def test_md_is_a_word_for_markdown(do: Do, tmp_path: Path) -> None:
    do("memory_save", content="apples are red")
    assert do("memory_export", path=str(tmp_path / "out.txt"), format="md").format == "markdown"


def test_projects_are_listed_with_a_star_at_the_one_at_hand(do: Do, save: Save, said: Do, other: Memory) -> None:
    save("Apples are red.")
    found = do("memory_projects")
    assert {item["name"]: item["active"] for item in found.items} == {PROJECT: 1, "pears": 1}
    assert found.current == PROJECT
    assert f"* {PROJECT}: 1 active of 1" in said("memory_projects")
    other.close()


def test_a_project_is_made_known_by_name(do: Do) -> None:
    assert do("memory_init").project == PROJECT
    assert do("memory_init", name="plums").project == "plums"
    assert {item["name"] for item in do("memory_projects").items} == {PROJECT, "plums"}


def test_switching_names_the_project_to_pass_on_and_keeps_no_state(do: Do, other: Memory) -> None:
    assert do("memory_switch", project="pears").active == 1
    assert do("memory_status").project == PROJECT
    with pytest.raises(NotFound):
        do("memory_switch", project="plums")
    other.close()


def test_an_export_holds_this_project_unless_told_otherwise(do: Do, save: Save, tmp_path: Path, other: Memory) -> None:
    save("Apples are red.")

    def contents(name: str, **arguments: str) -> set[str]:
        place = tmp_path / name
        do("memory_export", path=str(place), format="jsonl", **arguments)
        return {json.loads(line)["content"] for line in place.read_text(encoding="utf-8").splitlines()}

    assert contents("this.jsonl") == {"Apples are red."}
    assert contents("that.jsonl", project="pears") == {"Pears are counted by hand."}
    assert contents("all.jsonl", project="all") == {"Apples are red.", "Pears are counted by hand."}
    other.close()


def test_an_export_replaces_no_file_unless_told_to(do: Do, save: Save, tmp_path: Path) -> None:
    save("Apples are red.")
    place = str(tmp_path / "a.bundle")
    assert do("memory_export", path=place).nodes == 1
    with pytest.raises(Conflict):
        do("memory_export", path=place)
    assert do("memory_export", path=place, overwrite=True).format == "bundle"


@pytest.mark.parametrize(
    ("name", "form"), [("a.jsonl", "jsonl"), ("a.md", "markdown"), ("a.bundle", "bundle"), ("a", "bundle")]
)
def test_the_ending_of_an_export_says_its_format(do: Do, save: Save, tmp_path: Path, name: str, form: str) -> None:
    save("Apples are red.")
    assert do("memory_export", path=str(tmp_path / name)).format == form
    assert do("memory_export", path=str(tmp_path / name), format="jsonl", overwrite=True).format == "jsonl"


@pytest.mark.parametrize("form", ["bundle", "jsonl"])
def test_what_is_exported_can_be_taken_in_elsewhere(do: Do, save: Save, tmp_path: Path, form: str) -> None:
    save("Apples are red.", domain="patterns")
    place = str(tmp_path / f"out.{form}")
    do("memory_export", path=place, format=form)
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake") as fresh:
        tried = fresh.perform("memory_import", {"source": place, "format": form, "dry_run": True})
        assert (tried.result.new, tried.result.dry_run) == (1, True)
        assert "would be new" in tried.text
        assert fresh.import_(place, format=form).new == 1
        assert fresh.import_(place, format=form).new == 0
        assert [item.content for item in fresh.active().items] == ["Apples are red."]


def test_a_markdown_memory_file_is_taken_in_item_by_item(do: Do, tmp_path: Path) -> None:
    place = tmp_path / "CLAUDE.md"
    place.write_text("# Rules\n\n- Weigh twice, write once.\n- Count apples by weight.\n", encoding="utf-8")
    assert do("memory_import", source=str(place)).new == 2
    found = do("memory_search", query="weigh twice").items[0]
    assert (found.content, found.tags) == ("Weigh twice, write once.", ("Rules",))


def test_two_memories_that_exchange_bundles_end_with_the_same_root(do: Do, save: Save, tmp_path: Path) -> None:
    save("Apples are red.")
    mine, theirs = str(tmp_path / "mine.bundle"), str(tmp_path / "theirs.bundle")
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake") as fresh:
        fresh.save("Pears are green.")
        fresh.export(theirs)
        do("memory_export", path=mine)
        fresh.import_(mine)
        do("memory_import", source=theirs)
        assert fresh.status().root == do("memory_status").root


def test_the_log_of_events_can_be_asked_who_did_what(memory: Memory, do: Do, save: Save, said: Do) -> None:
    address = save("Apples are red.")
    do("memory_forget", address=address)
    latest, *rest = do("audit").items
    assert (latest["operation"], latest["seq"]) == ("memory_forget", head(memory))
    assert {item["actor"] for item in (latest, *rest)} == {"python"}
    assert [item["operation"] for item in do("audit", operation="memory_save").items] == ["memory_save"]
    assert len(do("audit", address=address).items) == 2
    assert do("audit", actor="nobody").items == ()
    assert "memory_forget" in said("audit", limit=1)


def test_no_event_holds_content(do: Do, save: Save) -> None:
    save("Something that stays out of the log.")
    assert "stays out" not in json.dumps(do("audit").items)


def test_a_whole_memory_verifies_and_says_what_was_checked(do: Do, save: Save, said: Do) -> None:
    save("Apples are red.")
    found = do("audit_verify")
    assert found.ok
    assert found.checked["nodes"] == 1
    assert said("audit_verify").startswith("All is well: checked 1 node, ")


def test_the_doctor_finds_nothing_and_counts(do: Do, save: Save, said: Do) -> None:
    save("Apples are red.")
    found = do("doctor")
    assert found.ok
    assert found.counts["nodes"] == 1
    assert said("doctor").startswith("The store is well.")


def test_the_doctor_mends_what_is_derived(memory: Memory, do: Do, save: Save, said: Do) -> None:
    save("Apples are red.")
    with memory.engine.store.writing() as writer:
        writer.clear_words()
    assert not do("doctor").ok
    assert "marrow doctor --repair" in said("doctor")
    mended = do("doctor", repair=True)
    assert mended.ok
    assert mended.repaired
    assert len(do("memory_search", query="apples").items) == 1


def test_reindexing_makes_what_is_asked_for(do: Do, save: Save) -> None:
    save("Apples are red.")
    assert do("reindex", what="words").words == 1
    assert do("reindex", what="vectors").vectors == 1
    assert do("reindex").ok
    with pytest.raises(Invalid) as raised:
        do("reindex", what="everything")
    assert "vectors" in raised.value.hint


def test_a_backup_can_be_restored_and_the_present_is_kept(do: Do, save: Save, tmp_path: Path, said: Do) -> None:
    save("Apples are red.")
    place = str(tmp_path / "safe.backup")
    assert do("backup", path=place).nodes == 1
    with pytest.raises(Conflict):
        do("backup", path=place)
    save("Pears are green.")
    assert do("restore", path=place).dry_run
    assert said("restore", path=place).endswith("Nothing was changed yet.")
    with pytest.raises(Invalid) as raised:
        do("restore", path=place, dry_run=False)
    assert raised.value.field == "confirm"
    done = do("restore", path=place, dry_run=False, confirm=True)
    assert Path(done.kept).is_file()
    assert [item.content for item in do("memory_active").items] == ["Apples are red."]


def test_an_erasure_that_finds_nothing_says_so_in_a_sentence(said: Do) -> None:
    assert said("erase", tags=["nosuch"]).startswith("0 nodes would be erased.\n")


def test_an_erasure_says_first_and_then_leaves_nothing(do: Do, save: Save, tmp_path: Path, said: Do) -> None:
    address = save("Ada is allergic to apples.")
    kept = save("Apples are red.")
    tried = do("erase", address=address)
    assert (tried.dry_run, tried.erased) == (True, (address,))
    assert tried.lines == (f"[{address}] Ada is allergic to apples.",)
    text = said("erase", address=address)
    assert tried.lines[0] in text
    assert text.endswith("Nothing was changed yet.")
    with pytest.raises(Invalid) as raised:
        do("erase", address=address, dry_run=False)
    assert raised.value.field == "confirm"
    assert "Backups and exports" in said("erase", address=address, dry_run=False, confirm=True)
    with pytest.raises(NotFound):
        do("memory_get", address=address)
    assert do("audit_verify").ok
    assert [item.address for item in do("memory_active").items] == [kept]
    on_disk = b"".join(path.read_bytes() for path in tmp_path.glob("marrow.db*"))
    assert b"allergic" not in on_disk


def test_an_erasure_names_the_copies_beside_the_store(do: Do, save: Save, tmp_path: Path) -> None:
    address = save("Ada is allergic to apples.")
    assert "Beside the store" not in do("erase", address=address).reminder
    do("backup", path=str(tmp_path / "marrow.db.2026.backup"))
    assert "Beside the store: " in do("erase", address=address).reminder
    assert "marrow.db.2026.backup" in do("erase", address=address).reminder


def test_what_hooks_wrote_down_of_the_conversation_goes_with_what_was_said_in_it(
    do: Do, save: Save, memory: Memory
) -> None:
    home = memory.settings.get("home", str)
    for session in ("one", "other", "third"):
        inbox.append(home, json.dumps({"session": session, "prompt": f"said in {session}"}))
    save("Said in one.", thread="one")
    address = save("Said in the other.", thread="other")
    do("erase", thread="one")
    assert len(_waiting(home)) == 3
    do("erase", thread="one", dry_run=False, confirm=True)
    do("erase", address=address, dry_run=False, confirm=True)
    assert _waiting(home) == ["other", "third"]  # nobody has read it yet: it is not lost with what was said before it


def _waiting(home: str) -> list[object]:
    chunks = [inbox.read(home, segment, 0) for segment in inbox.segments(home)]
    return [value["session"] for chunk in chunks for value, _ in chunk.entries]


def test_what_was_made_from_the_erased_goes_too_and_the_rest_of_it_comes_back(do: Do, save: Save) -> None:
    one, other = save("Ada sleeps late."), save("The export locks.")
    made = do("memory_compress", summary="Ada sleeps, the export locks.", addresses=[one, other]).address
    done = do("erase", address=one, dry_run=False, confirm=True)
    assert done.made_from_them == (made,)
    assert done.brought_back == (other,)
    assert [item.address for item in do("memory_active").items] == [other]


def test_erasing_by_thread_or_tag_takes_only_what_was_said_there(do: Do, save: Save) -> None:
    save("Said in confidence.", thread="interview")
    shared = save("Said twice.", thread="interview")
    save("Said twice.", thread="elsewhere")
    done = do("erase", conversation="interview", dry_run=False, confirm=True)
    assert len(done.erased) == 1
    assert done.kept_shared == (shared,)
    save("A tagged thing.", tags=["drop"])
    assert len(do("erase", tags=["drop"], dry_run=False, confirm=True).erased) == 1


def test_an_erasure_needs_to_know_what(do: Do) -> None:
    with pytest.raises(Invalid):
        do("erase")
    with pytest.raises(Invalid):
        do("erase", address="abcdef", user="ada")


def test_time_as_audit_prints_it_reads_what_was_saved_then(tmp_path: Path) -> None:
    with open_memory(tmp_path, store=str(tmp_path / "m.db"), clock=lambda: 1_767_225_600_700_000) as memory:
        address = memory.save("Apples are red.").items[0].address
        printed = memory.audit().items[0]["at"]
        assert printed == "2026-01-01T00:00:00Z"
        for then in (printed, printed[:16], printed[:10], "today"):
            assert memory.get(address, as_of=then).content == "Apples are red."
            assert memory.audit(since=then).items
        with pytest.raises(MarrowError):
            memory.get(address, as_of="yesterday")
        assert memory.search("apples", since="today").items
        assert not memory.search("apples", until="yesterday").items


def test_sequence_number_may_be_given_as_a_number(tmp_path: Path) -> None:
    with open_memory(tmp_path, store=str(tmp_path / "m.db")) as memory:
        address = memory.save("Apples are red.").items[0].address
        assert memory.get(address, as_of=1).content == "Apples are red."
        with pytest.raises(NotFound):
            memory.get(address, as_of=13)


def test_restore_says_what_would_be_replaced_and_names_import_for_a_bundle(tmp_path: Path) -> None:
    with open_memory(tmp_path, store=str(tmp_path / "m.db"), clock=lambda: 1_767_225_600_000_000) as memory:
        memory.save("Apples are red.")
        memory.backup(str(tmp_path / "b.backup"))
        memory.save("Pears are green.")
        told = memory.restore(str(tmp_path / "b.backup"))
        assert (told.seq, told.seq_here, told.at, told.at_here) == (
            1,
            2,
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00Z",
        )
        assert "2 events" in told.text()
        memory.export(str(tmp_path / "a.bundle"), format="bundle")
        with pytest.raises(NotAStore) as problem:
            memory.restore(str(tmp_path / "a.bundle"))
        assert "marrow import" in problem.value.hint


def test_graph_points_to_what_is_superseded(tmp_path: Path) -> None:
    with open_memory(tmp_path, store=str(tmp_path / "m.db")) as memory:
        old = memory.save("Apples are red.").items[0].address
        new = memory.update(old, content="Apples are green.").address
        told = memory.graph(new)
        assert "include_superseded" in told.text()
        assert memory.graph(new, include_superseded=True).links
