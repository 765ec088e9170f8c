"""Who decided what, when, from which source, with which model: one command; and an audit that can be asked by any of
these."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.audit import audit
from marrow.memory.engine import Asker, Engine
from marrow.memory.lineage import lineage, read_from
from marrow.memory.taking_in.documents import ingest_document
from marrow.model.change import Supersede
from marrow.model.derivation import FAILED, Derived, value_digest
from marrow.model.errors import NotFound
from marrow.model.node import Occurrence, metadata_text
from marrow.model.source import Source

from .conftest import Hand
from .test_reading import say

SPACE, PROJECT, FILE = "local", "orchard", "cd" * 32
COMMIT = "abcdef1234567890abcdef1234567890abcdef12"
PATH = "docs/adr/0007-store.md"


@pytest.fixture
def decided(engine: Engine, hand: Hand) -> tuple[str, str]:
    """A decision record in two versions, with what was derived from each, and a commit."""
    place = {"path": PATH, "digest": FILE}
    old = say(hand, "We use a file", kind="decision", service="api", metadata=place)
    said = Occurrence(hand.clock.now, service="api", source="ingest_codebase", metadata=metadata_text(place))
    new = hand.do(Supersede(old, "We use SQLite", said, "the file changed"))[0]
    hand.clock.forward(seconds=1)
    say(hand, "Use SQLite instead", kind="commit", metadata={"commit": COMMIT})
    digest = value_digest("1")
    done = {"value": "1", "digest": digest, "basis": digest, "at": hand.clock.now, "actor": "daemon"}
    rows = [
        Derived(new, "summary", "2", provider="anthropic", model="claude-x", tokens=120, cost_usd=0.01, **done),  # type: ignore[arg-type]
        Derived(FILE, "transcript", "1", state=FAILED, error="no extra", digest=digest, basis=digest, project=PROJECT),
    ]
    with engine.store.writing() as writer:
        writer.keep_derived(SPACE, rows)
        writer.keep_sources(SPACE, [Source(PROJECT, "api", PATH, "decision", new, digest=FILE, title="ADR 7")])
    return old, new


def test_lineage_tells_events_places_versions_sources_and_models(
    engine: Engine, asker: Asker, decided: tuple[str, str]
) -> None:
    old, new = decided
    found = lineage(engine, asker, new)
    assert [(e.actor, e.operation) for e in found.events] == [("ada", "test")]
    assert [record.node.address for record in found.versions] == [old, new]
    assert [(s.service, s.path, s.title) for s in found.sources] == [("api", PATH, "ADR 7")]
    assert {(d.name, d.provider, d.model, d.state) for d in found.derived} == {
        ("transcript", "local", "", "failed"),
        ("summary", "anthropic", "claude-x", "done"),
    }
    assert found.provenance.node.said[0].occurrence.source == "ingest_codebase"
    assert [e.seq for e in lineage(engine, asker, old).events] == [found.events[0].seq - 1, found.events[0].seq]


def test_lineage_as_of_then_knows_no_later_event(engine: Engine, asker: Asker, hand: Hand) -> None:
    address = hand.say("first")
    then = hand.head()
    hand.restate(address, pinned=True)
    assert len(lineage(engine, asker, address).events) == 2
    assert len(lineage(engine, asker, address, as_of=then).events) == 1


def test_a_file_and_a_commit_name_what_was_read_from_them(
    engine: Engine, asker: Asker, decided: tuple[str, str]
) -> None:
    old, new = decided
    found = read_from(engine, asker, file=f"./{PATH}")
    assert [one.record.node.address for one in found] == [new, old]
    assert [one.record.standing.state for one in found] == ["active", "superseded"]
    assert {row.name for row in found[0].derived} == {"summary", "transcript"}
    assert found[0].events
    assert [one.record.node.kind for one in read_from(engine, asker, commit=COMMIT[:8])] == ["commit"]
    assert read_from(engine, asker, file="nothing.md") == []


def test_a_file_that_was_read_from_elsewhere_is_named_by_the_end_of_its_path(
    engine: Engine, asker: Asker, tmp_path: Path
) -> None:
    for folder, text in (("one", "# Pots\n\nThey are round.\n"), ("two", "# Pots\n\nThey are flat.\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pots.md").write_text(text)
        ingest_document(engine, asker, path=str(tmp_path / folder / "pots.md"))
    assert len(read_from(engine, asker, file="pots.md")) == 2
    (one,) = read_from(engine, asker, file="one/pots.md")
    assert "round" in one.record.node.content
    assert read_from(engine, asker, file="ots.md") == []


def test_audit_is_asked_by_service_actor_operation_address_and_time(
    engine: Engine, asker: Asker, hand: Hand, decided: tuple[str, str]
) -> None:
    old, new = decided
    hand.say("something else")
    every = audit(engine, asker).items
    api = audit(engine, asker, service="api").items
    assert [set(e.addresses) for e in api] == [{new, old}, {old}]
    assert len(every) > len(api)
    assert audit(engine, asker, service="api", address=new).items == api[:1]
    with pytest.raises(NotFound):
        audit(engine, asker, service="none")
    assert audit(engine, asker, actor="bob").items == ()
    assert audit(engine, asker, operation="test", until=1).items == every[-1:]
    assert len(audit(engine, asker, since=1).items) == len(every) - 1


def test_audit_through_a_view_names_no_hidden_event(engine: Engine, asker: Asker, hand: Hand, through: object) -> None:
    held = through()  # type: ignore[operator]
    shown = hand.say("seen")
    secret = hand.say("hidden", classification="secret")
    number = hand.head()
    assert [e.addresses for e in audit(held, asker).items] == [(shown,)]
    assert audit(held, asker, since=number - 1, until=number).items == ()
    with pytest.raises(NotFound):
        audit(held, asker, address=secret)
    with pytest.raises(NotFound):
        lineage(held, asker, secret)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    for name in [name for name in os.environ if name.startswith("MARROW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


def test_one_command_takes_an_address_a_file_or_a_commit(memory: Memory) -> None:
    place = {"path": PATH}
    saved = memory.save("We use SQLite", kind="decision", service="api", metadata=place).items[0].address
    memory.save("Use SQLite instead", kind="commit", metadata={"commit": COMMIT})
    by_address = memory.perform("lineage", {"address": saved})
    assert "python: memory_save" in by_address.text
    assert f"api {PATH}" in by_address.text
    by_file = memory.lineage(PATH)
    assert [one["address"] for one in by_file.read] == [saved]
    assert PATH in memory.perform("lineage", {"address": PATH}).text
    by_commit = memory.lineage(COMMIT[:10])
    assert [one["kind"] for one in by_commit.read] == ["commit"]
    with pytest.raises(NotFound):
        memory.lineage("0123456789")
    with pytest.raises(NotFound) as raised:
        memory.perform("lineage", {"file": "none.md"})
    assert "'none.md' is known" in raised.value.message


def test_removal_as_operations_says_counts_and_how_to_erase(memory: Memory) -> None:
    memory.save("Invoices are numbered", service="billing")
    looked = memory.perform("delete_service_data", {"service_name": "billing"})
    assert "1 node would be retracted" in looked.text
    assert "dry_run=false with confirm=true" in looked.text
    done = memory.perform("delete_service_data", {"service": "billing", "dry_run": False, "confirm": True})
    assert "1 node retracted (1 claim)" in done.text
    assert "erase service=billing" in done.text
    assert f"snapshot_restore {done.result.undo}" in done.text
    assert memory.perform("prune_old_data", {"days_old": 30, "dry_run": False, "confirm": True}).result.deleted == 0
    gone = memory.erase(service="billing", dry_run=False, confirm=True)
    assert len(gone.erased) == 1
