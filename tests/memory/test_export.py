"""Export: everything that the caller may read, as one file that is there whole or not at all."""

from __future__ import annotations

import gzip
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from marrow.memory.export import export
from marrow.memory.snapshot import snapshot_create
from marrow.model.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from marrow.model.link import Anchor

from . import fixtures_store
from .fixtures_store import World

world = fixtures_store.world


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def test_bundle_holds_everything_and_the_chain_without_addresses(world: World, tmp_path: Path) -> None:
    a = world.say("The gate is green.", anchors=[Anchor("file", "gate.py")], thread="t")
    b = world.supersede(a, "The gate is blue.")
    world.relate(b, "relates_to", a)
    world.relate(b, "relates_to", a, closed=True)
    world.name_project("orchard", "git@example.org:orchard")
    path = tmp_path / "all.bundle"
    made = export(world.engine, world.asker, str(path))
    found = lines(path)
    assert found[0]["marrow"] == "bundle"
    assert found[0]["head"]["root"] == world.root()
    assert found[0]["projects"] is None
    assert [line["aliases"] for line in found if line.get("project") == "orchard" and "aliases" in line] == [
        ["git@example.org:orchard"]
    ]
    assert {line["node"] for line in found if "node" in line} == {a, b}
    standings = {line["copy"]: line["standing"]["state"] for line in found if "copy" in line}
    assert standings == {a: "superseded", b: "active"}
    assert {(line["link"], line["closed"]) for line in found if "link" in line} == {
        ("supersedes", False),
        ("relates_to", True),
    }
    events = [line["event"] for line in found if "event" in line]
    assert len(events) == world.seq()
    assert not any(address in event for address in (a, b) for event in events)
    assert found[-1] == {"end": len(found) - 1}
    assert (made.nodes, made.records, made.links, made.events) == (2, 2, 2, 5)
    assert (made.seq, made.root, made.bytes) == (5, world.root(), path.stat().st_size)


def test_same_memory_gives_the_same_bytes(world: World, tmp_path: Path) -> None:
    for number in range(20):
        world.say(f"Claim {number}.", tags=(f"t{number % 3}",))
    for name in ("one", "two"):
        export(world.engine, world.asker, str(tmp_path / name))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_copy_that_was_said_very_often_is_told_over_several_lines(world: World, tmp_path: Path) -> None:
    for number in range(230):
        world.say("Again and again.", at=number)
    export(world.engine, world.asker, str(tmp_path / "b"))
    counts = [len(line["occurrences"]) for line in lines(tmp_path / "b") if "copy" in line]
    assert counts == [100, 100, 30]


@pytest.mark.parametrize("form", ["bundle", "jsonl", "markdown"])
def test_file_is_its_owners_alone_and_nothing_else_is_left(world: World, tmp_path: Path, form: str) -> None:
    world.say("The gate is green.")
    folder = tmp_path / "out"
    folder.mkdir()
    export(world.engine, world.asker, str(folder / "file"), format=form)
    assert [file.name for file in folder.iterdir()] == ["file"]
    assert stat.S_IMODE((folder / "file").stat().st_mode) == 0o600


def test_failed_export_leaves_nothing(world: World, tmp_path: Path) -> None:
    world.say("The gate is green.")
    folder = tmp_path / "out"
    folder.mkdir()

    def fail(done: int, total: int | None) -> None:
        raise RuntimeError("the caller has enough")

    with pytest.raises(RuntimeError):
        export(world.engine, world.asker, str(folder / "file"), progress=fail)
    assert list(folder.iterdir()) == []


def test_failed_export_keeps_the_file_that_was_there(world: World, tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("older export")
    with pytest.raises(NotFound):
        export(world.engine, world.asker, str(target), project="nowhere", overwrite=True)
    assert target.read_text() == "older export"
    with pytest.raises(Conflict) as problem:
        export(world.engine, world.asker, str(target))
    assert problem.value.field == "path"
    assert target.read_text() == "older export"


def test_path_that_cannot_be_written_is_named(world: World, tmp_path: Path) -> None:
    with pytest.raises(Conflict):
        export(world.engine, world.asker, str(tmp_path))
    with pytest.raises(NotFound):
        export(world.engine, world.asker, str(tmp_path / "no" / "file"))


def test_what_the_system_says_against_a_path_is_passed_on(world: World, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="too long"):
        export(world.engine, world.asker, str(tmp_path / ("x" * 300)))
    for path in ("", "with\x00nul"):
        with pytest.raises(Invalid):
            export(world.engine, world.asker, path)


def test_export_holds_only_projects_that_the_caller_may_read(world: World, tmp_path: Path) -> None:
    mine = world.say("mine")
    theirs = world.say("theirs", project="meadow")
    world.do(operation="x", summary="a word about theirs")
    limited = world.as_(projects=frozenset({"orchard"}))
    export(world.engine, limited, str(tmp_path / "b"))
    found = lines(tmp_path / "b")
    assert {line["node"] for line in found if "node" in line} == {mine}
    assert found[0]["projects"] == ["orchard"]
    assert [line["project"] for line in found if "aliases" in line] == ["orchard"]
    # The chain tells of every project, so it does not go along.
    assert not [line for line in found if "event" in line]
    assert theirs not in gzip.decompress((tmp_path / "b").read_bytes()).decode()
    for form in ("jsonl", "markdown"):
        export(world.engine, limited, str(tmp_path / form), format=form)
        assert "theirs" not in (tmp_path / form).read_text()
    with pytest.raises(NotFound):
        export(world.engine, limited, str(tmp_path / "c"), project="meadow")


def test_export_of_one_project_by_any_of_its_names(world: World, tmp_path: Path) -> None:
    world.say("mine")
    theirs = world.say("theirs", project="meadow")
    world.name_project("meadow", "the-other-name")
    made = export(world.engine, world.asker, str(tmp_path / "b"), project="the-other-name")
    assert {line["node"] for line in lines(tmp_path / "b") if "node" in line} == {theirs}
    assert made.events == 0


def test_link_to_a_node_that_is_not_exported_is_left_out(world: World, tmp_path: Path) -> None:
    mine, everyones = world.say("mine"), world.say("everyone's", project="")
    world.relate(mine, "relates_to", everyones)
    assert export(world.engine, world.asker, str(tmp_path / "b"), project="orchard").links == 0
    assert export(world.engine, world.asker, str(tmp_path / "all")).links == 1


def test_export_as_of_a_moment_is_as_it_was(world: World, tmp_path: Path) -> None:
    a = world.say("The gate is green.")
    snapshot_create(world.engine, world.asker, "then")
    root = world.root()
    world.supersede(a, "The gate is blue.")
    made = export(world.engine, world.asker, str(tmp_path / "b"), as_of="then")
    found = lines(tmp_path / "b")
    assert [line["standing"]["state"] for line in found if "copy" in line] == ["active"]
    assert (made.root, made.seq, made.events, made.links) == (root, 2, 2, 0)
    export(world.engine, world.asker, str(tmp_path / "m"), as_of="then", format="markdown")
    assert "green" in (tmp_path / "m").read_text()
    assert "blue" not in (tmp_path / "m").read_text()


def test_json_lines_are_readable_and_only_what_is_active(world: World, tmp_path: Path) -> None:
    a = world.say("Der Zaun ist weiß.", domain="patterns", tags=("Holz",), metadata={"owner": "ada"}, thread="t")
    b = world.say("gone")
    world.relate(a, "relates_to", b)
    world.forget(b)
    export(world.engine, world.asker, str(tmp_path / "f.jsonl"), format="jsonl")
    text = (tmp_path / "f.jsonl").read_text()
    assert "weiß" in text
    (only,) = [json.loads(line) for line in text.splitlines()]
    assert only["address"] == a
    assert (only["kind"], only["domain"], only["tags"]) == ("claim", "patterns", ["Holz"])
    assert only["said"][0]["metadata"] == {"owner": "ada"}
    assert only["links"] == [{"rel": "relates_to", "target": b}]


def test_markdown_is_ordered_by_domain_and_no_content_becomes_a_heading(world: World, tmp_path: Path) -> None:
    world.say("Decided: no plums.", domain="decisions")
    world.say("# Big words\n\nand more\n# again", domain="architecture", tags=("loud",))
    export(world.engine, world.asker, str(tmp_path / "m.md"), format="markdown")
    text = (tmp_path / "m.md").read_text()
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# Memory: everything", "## architecture", "## decisions"]
    assert "- Decided: no plums." in text
    assert "tags loud" in text


def test_export_of_an_empty_memory(world: World, tmp_path: Path) -> None:
    made = export(world.engine, world.asker, str(tmp_path / "b"))
    assert (made.nodes, made.events) == (0, 0)


def test_export_refuses_what_it_does_not_know(world: World, tmp_path: Path) -> None:
    with pytest.raises(Invalid) as problem:
        export(world.engine, world.asker, str(tmp_path / "b"), format="xml")
    assert problem.value.field == "format"
    with pytest.raises(Forbidden):
        export(world.engine, world.as_(rights=frozenset({"write"})), str(tmp_path / "b"))
    assert list(tmp_path.glob("b*")) == []


def test_progress_is_told(world: World, tmp_path: Path) -> None:
    world.say("one")
    told: list[tuple[int, int | None]] = []
    for form in ("bundle", "jsonl", "markdown"):
        export(world.engine, world.asker, str(tmp_path / form), format=form, progress=lambda d, t: told.append((d, t)))
        assert told[-1][0] == told[-1][1]
