"""Import of other memories: found by what is in them, kept with time and source, and nothing twice."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from marrow.memory.import_file import import_file
from marrow.memory.imported import Imported
from marrow.model.errors import Invalid, NotFound
from marrow.model.moments import iso
from marrow.model.record import CURRENT, Filter, Record

from ..ingest.memories import stores
from . import fixtures_store
from .fixtures_store import START, World

world = fixtures_store.world


def records(world: World) -> dict[str, Record]:
    every = Filter(include_superseded=True)
    found = world.read(lambda r: r.records_of(r.select("local", every, CURRENT, world.clock.now), CURRENT))
    return {record.node.content: record for record in found}


def brought(world: World, path: Path, **more: object) -> Imported:
    return import_file(world.engine, world.asker, str(path), **more)  # type: ignore[arg-type]


def test_claude_mem_is_known_by_its_tables_and_nothing_comes_twice(world: World, tmp_path: Path) -> None:
    path = tmp_path / "renamed.backup"
    stores.claude_mem(path)
    tried = brought(world, path, dry_run=True)
    assert (tried.format, tried.found, tried.new, tried.events) == ("claude-mem", 4, 4, ())
    assert dict(tried.kinds) == {"conversation": 1, "decision": 1, "observation": 1, "summary": 1}
    assert world.seq() == 0
    done = brought(world, path)
    assert (done.new, done.unchanged) == (4, 0)
    (decision,) = (record for record in records(world).values() if record.node.kind == "decision")
    (said,) = world.read(lambda r: r.occurrences([decision.entry], CURRENT))[decision.entry]
    assert (said.source, said.thread, iso(said.at)) == ("claude-mem", "talk-orchard", stores.THEN)
    before = world.seq()
    again = brought(world, path)
    assert (again.new, again.changed, again.unchanged, again.events) == (0, 0, 4, ())
    assert world.seq() == before


def test_what_was_forgotten_since_does_not_come_back(world: World, tmp_path: Path) -> None:
    stores.claude_mem(tmp_path / "claude-mem.db")
    brought(world, tmp_path)
    (decision,) = (record for record in records(world).values() if record.node.kind == "decision")
    world.forget(decision.node.address)
    brought(world, tmp_path)
    assert world.state(decision.node.address) == "retracted"


def test_of_several_projects_the_one_of_this_name_is_taken(world: World, tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    stores.claude_mem(path, projects=("orchard", "billing"))
    assert brought(world, path).found == 4
    assert not any("billing" in content for content in records(world))
    assert brought(world, path, from_project="billing").new == 4
    other = tmp_path / "others.db"
    stores.claude_mem(other, projects=("billing", "shop"))
    with pytest.raises(Invalid) as problem:
        brought(world, other)
    assert (problem.value.field, "billing, shop" in problem.value.hint) == ("from_project", True)
    assert brought(world, other, from_project="all").found == 8


def test_mem_lite_is_told_from_its_parent(world: World, tmp_path: Path) -> None:
    stores.mem_lite(tmp_path / "claude-mem.db")
    done = brought(world, tmp_path)
    assert (done.format, done.new) == ("claude-mem-lite", 3)


def test_mnemo_comes_with_its_links_and_with_what_no_longer_holds(world: World, tmp_path: Path) -> None:
    stores.mnemo(tmp_path / ".mnemo")
    done = brought(world, tmp_path)
    assert (done.format, done.found, done.links, done.problems) == ("mnemo", 6, 4, ())
    found = records(world)
    states = {content: record.standing.state for content, record in found.items()}
    assert states == {
        "The gate is red": "superseded",
        "The gate is green": "active",
        "Plum tree 1 blooms in April": "compressed",
        "Plum tree 2 blooms in April": "compressed",
        "Plum trees bloom in April": "active",
        "Plums need water": "active",
    }
    link = next(
        one for one in world.read(lambda r: list(r.all_links("local", ("orchard",)))) if one.rel == "depends_on"
    )
    assert link.source == found["Plums need water"].node.address
    assert link.target == found["Plum trees bloom in April"].node.address
    before = world.seq()
    again = brought(world, tmp_path)
    assert (again.new, again.links, again.events) == (0, 0, ())
    assert world.seq() == before


def test_links_that_would_close_a_circle_are_told_and_the_rest_is_made(world: World, tmp_path: Path) -> None:
    head = "---\ntitle: {0}\ntype: note\npermalink: {0}\n---\nA note on {0} with some words.\n- depends_on [[{1}]]\n"
    for name, target in (("a", "b"), ("b", "a"), ("c", "a")):
        (tmp_path / f"{name}.md").write_text(head.format(name, target), encoding="utf-8")
    done = brought(world, tmp_path)
    assert (done.format, done.new, done.links, len(done.problems)) == ("basic-memory", 3, 2, 1)
    assert "circle" in done.problems[0].reason


def test_basic_memory_comes_as_facts_and_notes(world: World, tmp_path: Path) -> None:
    stores.basic_memory(tmp_path)
    done = brought(world, tmp_path)
    assert (done.format, done.new, done.links) == ("basic-memory", 5, 3)
    fact = records(world)["The gate: We paint it green"]
    assert fact.standing.tags == ("colour", "decision", "garden", "iron")
    assert brought(world, tmp_path).events == ()
    one = brought(world, tmp_path / "trade" / "Plum sale.md", dry_run=True)
    assert (one.format, one.found) == ("basic-memory", 1)


TOPIC = """---
name: no-mocks
description: how Ann wants tests
type: feedback
modified: 2025-06-01T12:00:00Z
---

Use the real database in tests.

**Why:** a mock hid a broken migration.
"""


def test_a_memory_file_brings_its_topics(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- [No mocks](no_mocks.md): real database\n- Deploy on Mondays\n- [Docs](https://x.org)\n",
        encoding="utf-8",
    )
    (folder / "no_mocks.md").write_text(TOPIC, encoding="utf-8")
    (folder / "unlisted.md").write_text("- Pears are sour\n", encoding="utf-8")
    (tmp_path / "secret.md").write_text("- outside\n", encoding="utf-8")
    for path in folder.iterdir():
        os.utime(path, (START // 1_000_000 - 100, START // 1_000_000 - 100))
    done = brought(world, folder)
    assert (done.format, done.new) == ("markdown", 4)
    found = records(world)
    topic = found["Use the real database in tests.\n\n**Why:** a mock hid a broken migration."]
    assert (topic.node.kind, topic.standing.domain, topic.standing.tags) == (
        "preference",
        "feedback",
        ("feedback", "no-mocks"),
    )
    assert iso(topic.first_at) == stores.THEN
    assert {"Deploy on Mondays", "[Docs](https://x.org)", "Pears are sour"} < found.keys()
    listed = brought(world, folder / "MEMORY.md")
    assert (listed.found, listed.events) == (3, ()), "given the index alone, what it lists comes, and is known"


def test_a_memory_file_takes_in_what_it_names_and_nothing_outside(world: World, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (tmp_path / "outside.md").write_text("- never\n", encoding="utf-8")
    (project / "AGENTS.md").write_text("- Run make first\n@docs/more.md\n@CLAUDE.md\n", encoding="utf-8")
    (project / "docs" / "more.md").write_text("- More to know\n", encoding="utf-8")
    (project / "link.md").symlink_to(tmp_path / "outside.md")
    (project / "CLAUDE.md").write_text(
        "@AGENTS.md\n\n@../outside.md\n\n@link.md\n\n@missing.md\n\n- Mail ann@x.org\n", encoding="utf-8"
    )
    brought(world, project / "CLAUDE.md")
    found = set(records(world))
    assert {"Run make first", "More to know", "Mail ann@x.org"} <= found
    assert not any("never" in content for content in found)
    assert "@AGENTS.md" not in found
    assert "@missing.md" in found, "what cannot be followed stays as it was written"


def test_what_is_no_memory_is_refused_with_what_to_do(world: World, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    with pytest.raises(NotFound, match="no memory"):
        brought(world, tmp_path)
    sqlite3.connect(tmp_path / "x.db").execute("CREATE TABLE t (a)").connection.close()
    with pytest.raises(Invalid, match="none of the memories"):
        brought(world, tmp_path / "x.db")
    line = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}, "uuid": "u"}
    (tmp_path / "s.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(Invalid) as problem:
        brought(world, tmp_path / "s.jsonl")
    assert "ingest_conversation" in problem.value.hint
    with pytest.raises(Invalid, match="no database of claude-mem"):
        brought(world, tmp_path / "x.db", format="claude-mem")
    with pytest.raises(Invalid, match="mnemo"):
        brought(world, tmp_path, format="mnemo")


def test_a_secret_in_another_memory_is_redacted(world: World, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    (tmp_path / "n.md").write_text(
        f"---\ntitle: t\ntype: note\npermalink: t\n---\n- [fact] The token is {token}\n", encoding="utf-8"
    )
    assert brought(world, tmp_path).redacted == 1
    assert not any(token in content for content in records(world))
