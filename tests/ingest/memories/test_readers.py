"""What the readers of other memories find, and that they leave the files as they are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from marrow.ingest.memories import basic_memory, claude_mem, mem_lite, mnemo
from marrow.ingest.memories.found import Found, Reader, rel_of, tags_of
from marrow.ingest.memories.front_matter import split
from marrow.ingest.memories.projects import chosen_projects
from marrow.ingest.memories.sqlite_file import opened_database
from marrow.model.errors import Invalid
from marrow.model.moments import iso, micros

from . import stores

NOW = 1_767_225_600_000_000
READER = Reader(names=("orchard",), now=NOW)


def at(found: Found) -> str:
    return iso(micros(found.draft.at))  # type: ignore[arg-type]


def by_key(found: tuple[Found, ...]) -> dict[str, Found]:
    return {one.key: one for one in found}


def test_claude_mem_gives_observations_summaries_and_what_was_typed(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "gate.py").write_text("x", encoding="utf-8")
    stores.claude_mem(tmp_path / "claude-mem.db")
    with opened_database(tmp_path / "claude-mem.db") as connection:
        memory = claude_mem.read(connection, Reader(str(tmp_path), ("orchard",), NOW))
    found = by_key(memory.found)
    assert list(found) == ["observation:1", "observation:2", "summary:1", "prompts:talk-orchard"]
    decision = found["observation:1"]
    assert decision.draft.content == (
        "Plums over pears in orchard. They sell\n\nPlums sell better at the gate.\n\n- Plums sold 40 kg\n- Pears 3 kg"
    )
    assert (decision.draft.kind, decision.draft.domain, decision.draft.thread) == (
        "decision",
        "decisions",
        "talk-orchard",
    )
    assert list(decision.draft.tags) == ["decision", "trade-off", "shop"]
    assert [anchor.target for anchor in decision.draft.anchors] == ["shop/gate.py"]
    assert (at(decision), decision.draft.source) == (stores.THEN, "claude-mem")
    assert found["observation:2"].draft.domain == "issues"
    assert found["summary:1"].draft.content.startswith("Asked: Sell plums in orchard\n\nLearned: Price matters")
    typed = found["prompts:talk-orchard"].draft
    assert typed.content == "User: Paint the sign of orchard\n\nUser: Now hang it"
    assert (typed.kind, typed.metadata["title"]) == ("conversation", "Plums")


def test_an_older_claude_mem_with_other_columns_is_read(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.executescript(
        """
        CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, claude_session_id TEXT, sdk_session_id TEXT, project TEXT);
        CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT, text TEXT, type TEXT,
          created_at TEXT, created_at_epoch INTEGER);
        INSERT INTO sdk_sessions VALUES (1, 'talk', 'mem', 'orchard');
        INSERT INTO observations VALUES (1, 'mem', 'orchard', 'Plums are blue', 'feature', 'x', 1748779200000);
        """
    )
    connection.close()
    with opened_database(tmp_path / "old.db") as opened:
        assert claude_mem.is_store(opened)
        (one,) = claude_mem.read(opened, READER).found
    assert (one.draft.content, one.draft.thread, at(one)) == ("Plums are blue", "talk", stores.THEN)


def test_the_database_is_left_as_it_is_and_what_is_in_its_log_is_read(tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    stores.claude_mem(plain)
    kept = plain.read_bytes()
    with opened_database(plain) as connection:
        claude_mem.read(connection, READER)
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("DELETE FROM observations")
    assert plain.read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir()] == ["plain.db"]

    running = tmp_path / "running" / "claude-mem.db"
    running.parent.mkdir()
    holder = stores.claude_mem(running, wal=True)
    files = {path.name: path.read_bytes() for path in running.parent.iterdir()}
    assert files["claude-mem.db-wal"]
    with opened_database(running) as connection:
        assert len(claude_mem.read(connection, READER).found) == 4
    assert {path.name: path.read_bytes() for path in running.parent.iterdir()} == files
    assert holder is not None
    holder.close()


def test_a_damaged_database_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    stores.claude_mem(path)
    path.write_bytes(path.read_bytes()[:5000] + b"\x00" * 3000)
    with pytest.raises(Invalid, match=r"claude-mem\.db"), opened_database(path) as connection:
        claude_mem.read(connection, READER)


def test_only_the_project_that_is_meant_is_taken() -> None:
    there = ["orchard", "orchard/worktree", "billing", "acme/shop"]
    assert chosen_projects(there, "", READER) == {"orchard", "orchard/worktree"}
    assert chosen_projects(there, "billing", READER) == {"billing"}
    assert chosen_projects(there, "shop", READER) == {"acme/shop"}
    assert chosen_projects(there, "all", READER) == set(there)
    assert chosen_projects(["only"], "", READER) == {"only"}
    with pytest.raises(Invalid, match="none is called as this one") as problem:
        chosen_projects(["a", "b"], "", READER)
    assert "a, b" in problem.value.hint
    with pytest.raises(Invalid):
        chosen_projects(there, "nowhere", READER)


def test_mem_lite_gives_what_belongs_to_the_project(tmp_path: Path) -> None:
    stores.mem_lite(tmp_path / "claude-mem.db")
    with opened_database(tmp_path / "claude-mem.db") as connection:
        assert mem_lite.is_store(connection)
        assert not claude_mem.is_store(connection)
        found = by_key(mem_lite.read(connection, READER).found)
    assert list(found) == ["learning:l-s1", "observation:o-s1", "session:s1"]
    learning = found["learning:l-s1"].draft
    assert (learning.kind, learning.domain, learning.confidence) == ("learning", "issues", 0.7)
    assert found["observation:o-s1"].draft.content == "Title s1\n\nWhat was done\n\nIn detail"
    assert at(found["session:s1"]) == stores.THEN


def test_mnemo_gives_what_holds_and_what_it_came_from(tmp_path: Path) -> None:
    names = stores.mnemo(tmp_path / ".mnemo")
    store = mnemo.store_in(tmp_path)
    assert store == tmp_path / ".mnemo"
    found = by_key(mnemo.read(store, READER).found)
    assert found.keys() == {names[one] for one in ("old", "new", "whole", "dry", "part")} | found.keys()
    assert names["gone"] not in found
    assert found[names["old"]].state == "superseded"
    assert found[names["part"]].state == "compressed"
    assert found[names["new"]].links == (("supersedes", names["old"]),)
    assert ("derived_from", names["part"]) in found[names["whole"]].links
    dry = found[names["dry"]]
    assert dry.links == (("depends_on", names["whole"]),)
    assert (dry.draft.confidence, dry.draft.priority, dry.draft.chain) == (0.9, 0.7, "watering")
    assert [anchor.target for anchor in dry.draft.anchors] == ["water.py"], "what leads out is not pinned"
    assert at(dry) == "2025-06-01T12:00:05Z"
    assert found[names["whole"]].draft.kind == "summary"


def test_broken_nodes_of_mnemo_are_told_and_passed_over(tmp_path: Path) -> None:
    stores.mnemo(tmp_path)
    (tmp_path / "nodes" / "abcdefabcdef.json").write_text("{oops", encoding="utf-8")
    (tmp_path / "nodes" / "abcdefabcdea.json").write_text('["no node"]', encoding="utf-8")
    (tmp_path / "nodes" / "abcdefabcdeb.json").write_text(
        '{"type": "leaf", "content": "x", "meta": 5, "inputs": 7}', encoding="utf-8"
    )
    (tmp_path / "chains.json").write_text('{"ch": {"members": 5, "summary": 7}, "x": 3}', encoding="utf-8")
    memory = mnemo.read(tmp_path, READER)
    assert [problem.path for problem in memory.problems] == ["abcdefabcdef.json"]
    assert len(memory.found) == 6


def test_basic_memory_gives_facts_prose_and_relations(tmp_path: Path) -> None:
    stores.basic_memory(tmp_path)
    assert basic_memory.is_folder(tmp_path)
    found = by_key(basic_memory.read(tmp_path, READER).found)
    gate = found["Gate.md"]
    assert gate.draft.content == (
        "# The gate\n\nIt stands at the road, see [[Plum sale]].\n\n## Observations\n- [ ] not a fact\n- [link](https://x.org)"
    )
    assert gate.links == (
        ("relates_to", "trade/Plum sale.md"), ("part_of", "Garden.md"), ("in_the_way_of", "trade/Plum sale.md"),
    )  # fmt: skip
    facts = [one for one in found.values() if one.key.startswith("Gate.md#")]
    assert [one.draft.content for one in facts] == ["The gate: We paint it green", "The gate: Hinges of brass"]
    assert (facts[0].draft.kind, facts[0].draft.domain) == ("decision", "decisions")
    assert list(facts[0].draft.tags) == ["decision", "colour", "garden", "iron"]
    assert facts[0].draft.metadata["context"] == "asked Ann"
    assert at(facts[0]) == "2025-06-02T00:00:00Z"
    sale = found["trade/Plum sale.md"]
    assert sale.draft.content == "The plum sale is in August", "a title that the fact says already is not put before it"


def test_a_head_is_read_in_the_forms_that_notes_have() -> None:
    fields, body = split(
        "---\r\ntitle: \"A: b\"\r\ntags:\r\n  - one\r\n  - two\r\nempty:\r\nlist: [a, 'b c']\r\n---\r\nText\r\n"
    )
    assert fields == {"title": "A: b", "tags": ["one", "two"], "empty": "", "list": ["a", "b c"]}
    assert body == "Text\n"
    assert split("no head\n---\n") == ({}, "no head\n---\n")
    assert split("---\nnever closed") == ({}, "---\nnever closed")


def test_words_of_others_become_such_as_can_be_kept() -> None:
    assert [rel_of(word) for word in ("depends_on", "Pairs Well With!", "supersedes", "§", "9lives")] == [
        "depends_on", "pairs_well_with", "relates_to", "relates_to", "relates_to",
    ]  # fmt: skip
    assert tags_of(["a,b", " a  b ", "", 5, "x" * 100]) == ["a b", "x" * 60]
