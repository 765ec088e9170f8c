"""Import of JSON lines and of Markdown memory files, and telling the formats apart."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from marrow.memory.export import export
from marrow.memory.import_file import import_file
from marrow.memory.import_jsonl import import_jsonl
from marrow.memory.import_markdown import claims, import_markdown
from marrow.model.errors import Forbidden, Invalid, TooLarge
from marrow.model.moments import micros, moment
from marrow.model.record import CURRENT, Filter, Record

from . import fixtures_store
from .fixtures_store import READ_ONLY, START, World

world = fixtures_store.world
pair = fixtures_store.pair


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    os.utime(path, (START // 1_000_000 - 100, START // 1_000_000 - 100))
    return str(path)


def records(world: World) -> dict[str, Record]:
    found = world.read(lambda r: r.records_of(r.select("local", Filter(), CURRENT, world.clock.now), CURRENT))
    return {record.node.content: record for record in found}


def said(world: World, record: Record) -> list[object]:
    return list(world.read(lambda r: r.occurrences([record.entry], CURRENT))[record.entry])


FOREIGN = """\
{"text": "Plums are sold at the gate.", "kind": "decision", "domain": "decisions", "tags": ["shop", "plum"], \
"at": "2025-05-08T10:00:00Z", "metadata": {"owner": "ada"}, "thread": "t1", "id": 17}

{"content": "The gate is green."}
"""


def test_foreign_json_lines_become_nodes(world: World, tmp_path: Path) -> None:
    done = import_jsonl(world.engine, world.asker, written(tmp_path, "other.jsonl", FOREIGN))
    assert (done.found, done.new, done.unchanged) == (2, 2, 0)
    found = records(world)
    plums = found["Plums are sold at the gate."]
    assert (plums.node.kind, plums.standing.domain, plums.standing.tags) == ("decision", "decisions", ("plum", "shop"))
    (where,) = said(world, plums)
    assert where.at == micros(moment(where.at).replace(2025, 5, 8, 10, 0, 0, 0))  # type: ignore[attr-defined]
    assert (where.thread, where.source, where.fields) == ("t1", "other.jsonl", {"owner": "ada"})  # type: ignore[attr-defined]
    gate = found["The gate is green."]
    assert (gate.node.kind, gate.standing.domain) == ("claim", "context")
    assert gate.first_at == START - 100_000_000, "what has no time was said when the file was changed"


def test_importing_json_lines_again_changes_nothing_and_brings_nothing_back(world: World, tmp_path: Path) -> None:
    path = written(tmp_path, "other.jsonl", FOREIGN)
    import_jsonl(world.engine, world.asker, path)
    forgotten = records(world)["The gate is green."].node.address
    world.forget(forgotten)
    before = world.seq()
    done = import_jsonl(world.engine, world.asker, path)
    assert (done.new, done.changed, done.unchanged, done.events) == (0, 0, 2, ())
    assert world.seq() == before
    assert world.state(forgotten) == "retracted"


def test_own_json_lines_come_back_with_all_their_occurrences(pair: tuple[World, World], tmp_path: Path) -> None:
    one, other = pair
    address = one.say("Plums are sold.", thread="a", at=START + 123_456, tags=("shop",), priority=0.9, pinned=True)
    one.say("Plums are sold.", thread="b", user="bo", metadata={"n": 1})
    export(one.engine, one.asker, str(tmp_path / "o.jsonl"), format="jsonl")
    other.clock.now = one.clock.now
    import_jsonl(other.engine, other.asker, str(tmp_path / "o.jsonl"))
    record = other.record(address)
    assert record is not None
    assert (record.standing.tags, record.standing.priority, record.standing.pinned) == (("shop",), 0.9, True)
    ours = one.record(address)
    assert ours is not None
    assert said(other, record) == said(one, ours)


def test_own_json_lines_come_back_as_they_stood_and_are_known_where_they_are_from(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    one, other = pair
    plums = one.say("Plums are sold.", semantic=False, preliminary=True, approved=False, drift="moved")
    gate = one.say("The gate is green.", expires_at=START + 10**12, classification="secret", aliases=("door",))
    short = one.say("In short.", kind="summary", inputs=[plums, gate], approved=True)
    one.relate(gate, "depends_on", plums)
    one.relate(short, "enables", gate)
    one.relate(gate, "relates_to", one.say("It is never sold."))
    one.forget(records(one)["It is never sold."].node.address)
    path = str(tmp_path / "o.jsonl")
    export(one.engine, one.asker, path, format="jsonl")
    other.clock.now = one.clock.now
    assert import_jsonl(one.engine, one.asker, path).events == ()
    assert import_jsonl(other.engine, other.asker, path).links == 2
    for address in (plums, gate, short):
        ours, theirs = one.record(address), other.record(address)
        assert ours is not None
        assert theirs is not None
        assert theirs.standing.held() == ours.standing.held()
    ties = {(link.source, link.rel, link.target) for link in other.read(lambda r: r.all_links("local", None))}
    assert ties == {(gate, "depends_on", plums), (short, "enables", gate)}
    assert import_jsonl(other.engine, other.asker, path).events == ()


@pytest.mark.parametrize(
    "field",
    [
        '"links": ["http://example.org"]',
        '"links": [{"rel": "x"}, 5]',
        '"links": 7',
        '"inputs": ["a question"]',
        '"inputs": 3',
        '"semantic": 0.83',
        '"approved": "yes"',
        '"expires": "whenever"',
        '"address": 5',
    ],
)
def test_what_other_programs_mean_by_such_a_name_is_passed_over(world: World, tmp_path: Path, field: str) -> None:
    import_jsonl(world.engine, world.asker, written(tmp_path, "x.jsonl", '{"text": "Plums are sold.", ' + field + "}"))
    (record,) = records(world).values()
    assert (record.node.inputs, record.standing.semantic, record.standing.approved) == ((), True, None)


def test_batches_are_several_events_and_progress_is_told(world: World, tmp_path: Path) -> None:
    text = "\n".join(json.dumps({"text": f"Claim number {number}."}) for number in range(450))
    told: list[tuple[int, int | None]] = []
    path = written(tmp_path, "many.jsonl", text)
    done = import_jsonl(world.engine, world.asker, path, progress=lambda d, t: told.append((d, t)))
    assert (done.new, done.events) == (450, (1, 2, 3))
    assert told == [(200, 450), (400, 450), (450, 450)]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{oops", "source"),
        ("[1]", "source"),
        ('"text"', "source"),
        ("{}", "source"),
        ('{"text": 5}', "source"),
        ('{"text": ""}', "content"),
        ('{"text": "x", "domain": "nowhere"}', "domain"),
        ('{"text": "x", "kind": "Not A Kind"}', "kind"),
        ('{"text": "x", "at": "whenever"}', "at"),
        ('{"text": "x", "at": "2999-01-01"}', "at"),
        ('{"text": "x", "tags": 5}', "tags"),
        ('{"text": "x", "metadata": []}', "metadata"),
        ('{"text": "x", "confidence": 7}', "confidence"),
        ('{"text": "x", "anchors": ["../../etc"]}', "anchors"),
        ('{"text": "x", "said": 5}', "source"),
        ('{"text": "x", "pinned": "yes"}', "pinned"),
        ('{"text": "x", "anchors": ["%s"]}' % ("a" * 5_000), "anchors"),
        ('{"text": "x", "said": [{}], "links": [{"rel": "enables"}]}', "source"),
        ('{"text": "x", "said": [{}], "links": 5}', "source"),
        ('{"text": "x", "said": [{}], "inputs": ["a"]}', "inputs"),
        ('{"text": "x", "said": [{}], "expires": "whenever"}', "source"),
        ('{"text": "x", "said": [{}], "semantic": 1}', "semantic"),
        ('{"text": "x", "said": [{}], "drift": "far"}', "drift"),
        ('{"text": "<private>all of it</private>"}', "content"),
        ('{"text": "\\ud800"}', "content"),
        ("[" * 100_000, "source"),
    ],
)
def test_mistake_in_a_line_is_named_and_nothing_is_imported(
    world: World, tmp_path: Path, line: str, field: str
) -> None:
    path = written(tmp_path, "bad.jsonl", '{"text": "good"}\n' * 300 + line + "\n")
    with pytest.raises(Invalid) as problem:
        import_jsonl(world.engine, world.asker, path)
    assert "Line 301" in problem.value.message
    assert problem.value.field == field
    assert world.seq() == 0


def test_line_that_is_too_long_is_refused(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marrow.memory.import_jsonl.LINE_BYTES_MAX", 100)
    with pytest.raises(TooLarge, match="Line 2"):
        import_jsonl(world.engine, world.asker, written(tmp_path, "l.jsonl", '{"text":"a"}\n{"text":"' + "x" * 200))
    monkeypatch.setattr("marrow.memory.import_jsonl.BYTES_MAX", 10)
    with pytest.raises(TooLarge):
        import_jsonl(world.engine, world.asker, written(tmp_path, "l.jsonl", '{"text":"a long text"}'))


def test_dry_run_tells_and_changes_nothing(world: World, tmp_path: Path) -> None:
    world.say("The gate is green.")
    done = import_jsonl(world.engine, world.asker, written(tmp_path, "o.jsonl", FOREIGN), dry_run=True)
    assert (done.new, done.changed, done.events) == (1, 1, ())
    assert world.seq() == 1


MEMORY_FILE = """\
---
title: front matter
---
# Orchard

We grow plums,
and pears.

## Build

- Run `make` first.
- Use Python 3.11
  or later.

  It may be newer.
- Nested:
  - one
  - two

1. Then test.

<!-- a comment
over lines -->
Never push to main:

```sh
# not a heading
- not an item
```

### Deep

* Star item

Setext
------

Under it.

***

Last words.
"""


def test_markdown_is_taken_apart_by_items_and_paragraphs_under_their_headings() -> None:
    found = [(claim.text(), " / ".join(claim.headings)) for claim in claims(MEMORY_FILE)]
    assert found == [
        ("We grow plums,\nand pears.", "Orchard"),
        ("Run `make` first.", "Orchard / Build"),
        ("Use Python 3.11\n  or later.\n\n  It may be newer.", "Orchard / Build"),
        ("Nested:\n  - one\n  - two", "Orchard / Build"),
        ("Then test.", "Orchard / Build"),
        ("Never push to main:\n\n```sh\n# not a heading\n- not an item\n```", "Orchard / Build"),
        ("Star item", "Orchard / Build / Deep"),
        ("Under it.", "Orchard / Setext"),
        ("Last words.", "Orchard / Setext"),
    ]


def test_markdown_memory_file_is_imported_with_its_headings_and_name(world: World, tmp_path: Path) -> None:
    path = written(tmp_path, "CLAUDE.md", MEMORY_FILE)
    done = import_markdown(world.engine, world.asker, path)
    assert (done.found, done.new) == (9, 9)
    record = records(world)["Run `make` first."]
    assert record.standing.tags == ("Orchard / Build",)
    (where,) = said(world, record)
    assert (where.source, where.fields) == ("CLAUDE.md", {"heading": "Orchard / Build"})  # type: ignore[attr-defined]
    assert import_markdown(world.engine, world.asker, path).events == ()


def test_private_block_over_several_items_stays_out(world: World, tmp_path: Path) -> None:
    text = "- public\n- <private>one\n- two\n- three</private>\n- also public\n"
    import_markdown(world.engine, world.asker, written(tmp_path, "MEMORY.md", text))
    assert not any(word in content for content in records(world) for word in ("one", "two", "three"))
    assert {"public", "also public"} <= set(records(world))


def test_secret_in_a_memory_file_is_redacted(world: World, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    import_markdown(world.engine, world.asker, written(tmp_path, "AGENTS.md", f"- The token is {token}."))
    assert not any(token in content for content in records(world))
    assert len(records(world)) == 1


def test_markdown_that_is_not_text_is_refused(world: World, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Invalid, match="UTF-8"):
        import_markdown(world.engine, world.asker, str(path))


@pytest.mark.parametrize("text", ["", "\n\n", "# Only a heading\n", "---\n", "<!-- never closed", "```\n"])
def test_markdown_without_claims_imports_nothing(world: World, tmp_path: Path, text: str) -> None:
    done = import_markdown(world.engine, world.asker, written(tmp_path, "x.md", text))
    assert (done.found, done.events) == (0, ())


def test_format_is_told_by_the_file(world: World, tmp_path: Path) -> None:
    world.say("one")
    export(world.engine, world.asker, str(tmp_path / "odd.md"))
    assert import_file(world.engine, world.asker, str(tmp_path / "odd.md")).format == "bundle"
    assert import_file(world.engine, world.asker, written(tmp_path, "a.jsonl", "")).format == "jsonl"
    assert import_file(world.engine, world.asker, written(tmp_path, "plain", '\n {"text": "x"}')).format == "jsonl"
    assert import_file(world.engine, world.asker, written(tmp_path, "MEMORY.md", "- y")).format == "markdown"
    text = written(tmp_path, "notes.txt", "Just some words.")
    with pytest.raises(Invalid) as problem:
        import_file(world.engine, world.asker, text)
    assert problem.value.field == "source"
    assert import_file(world.engine, world.asker, text, format="markdown").new == 1
    with pytest.raises(Invalid):
        import_file(world.engine, world.asker, text, format="xml")


def test_import_needs_the_right_to_write(world: World, tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        import_file(world.engine, world.as_(rights=READ_ONLY), written(tmp_path, "a.md", "- x"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- ```sh\n  make run\n  ```\n- Plums.\n", ["```sh\n  make run\n  ```", "Plums."]),
        ("1. ~~~\n   make\n\n   run\n   ~~~\n\nPlums.\n", ["~~~\n   make\n\n   run\n   ~~~", "Plums."]),
        ("- Run:\n  - ```\n    - make\n    ```\n- Plums.\n", ["Run:\n  - ```\n    - make\n    ```", "Plums."]),
        ("```make run``` is all.\n\n- Plums.\n", ["```make run``` is all.", "Plums."]),
        ("- ```make run``` is all.\n- Plums.\n", ["```make run``` is all.", "Plums."]),
        ("- A note begins with `<!--`.\n- Plums.\n", ["A note begins with `<!--`.", "Plums."]),
        ("- Pears. <!-- not\nthis -->\n- Plums.\n\n  <!-- nor this\n- at all", ["Pears.", "Plums."]),
    ],
)
def test_code_in_an_item_ends_where_it_ends_and_takes_nothing_else_in(text: str, found: list[str]) -> None:
    assert [claim.text() for claim in claims(text)] == found


def test_line_that_replaced_something_known_here_replaces_it_here_too(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    one, other = pair
    old = one.say("The gate is green.")
    assert other.say("The gate is green.") == old
    new = one.supersede(old, "The gate is blue.", "painted")
    path = str(tmp_path / "known.jsonl")
    export(one.engine, one.asker, path, format="jsonl", project="orchard")
    done = import_file(other.engine, other.asker, path)
    assert (done.new, done.links) == (1, 1)
    assert (other.state(old), other.state(new)) == ("superseded", "active")
    assert import_file(other.engine, other.asker, path).events == ()


def test_document_that_an_export_wrote_is_refused_and_doubles_nothing(world: World, tmp_path: Path) -> None:
    world.say("The gate is green.\n\n- Since May.", classification="secret")
    path = tmp_path / "memory.md"
    export(world.engine, world.asker, str(path), format="markdown")
    assert "secret" in path.read_text()
    before = world.seq()
    with pytest.raises(Invalid, match="export") as problem:
        import_file(world.engine, world.asker, str(path))
    assert "bundle" in problem.value.hint
    assert world.seq() == before
    (tmp_path / "MEMORY.md").write_text("- Plums are ripe.\n")
    assert import_file(world.engine, world.asker, str(tmp_path)).new == 1
