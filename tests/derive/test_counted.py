"""The test that counts: one document of thousands changes, and exactly what depends on it is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from marrow.ingest.item import Item
from marrow.jobs.derive import Deriver
from marrow.memory.derivations import derive_now
from marrow.memory.taking_in.take_in import TakenIn, take_in
from marrow.model.address import address_of
from marrow.model.draft import Draft

from .conftest import Desk

COUNT = 2_000
# A document's own: its text is cut and embedded once, and these are of its content.
OF_DOCUMENT = ["chunks", "embedding", "is_adr", "summary", "topics"]
OF_CODE = ["chunks", "embedding", "summary", "symbols", "topics"]


def texts() -> dict[str, str]:
    return {f"docs/{n}.md": f"# Orchard {n}\n\nTree number {n} bears apples in week {n % 52}.\n" for n in range(COUNT)}


def read(files: Mapping[str, str], kind: str = "document") -> Iterable[Item]:
    for path, text in files.items():
        yield Item(Draft(text, kind=kind, metadata={"path": path}), path)


def ingest(desk: Desk, files: Mapping[str, str], kind: str = "document", gone: Iterable[str] = ()) -> TakenIn:
    call = desk.memory.call
    return take_in(
        call.engine,
        call.asker,
        read(files, kind),
        operation="test",
        service="orchard",
        gone=tuple(gone),
        settle=(lambda engine, asker, new, _: derive_now(engine, asker, new),),
    )


def background(desk: Desk) -> None:
    """What the daemon does, until nothing is left."""
    deriver = Deriver()
    for _ in range(100):
        if not deriver.own(desk.memory.place).more:
            return
    raise AssertionError("the background never comes to rest")


def test_one_changed_document_among_thousands_computes_its_own_and_nothing_else(desk: Desk) -> None:
    files = texts()
    ingest(desk, files)
    background(desk)
    counts = Counter(name for name, _ in desk.taken())
    assert counts == dict.fromkeys(OF_DOCUMENT, COUNT)

    files["docs/7.md"] += "\nIt was grafted by Ada.\n"
    done = ingest(desk, files)
    background(desk)
    runs = desk.taken()
    assert sorted(name for name, _ in runs) == OF_DOCUMENT
    assert {given for name, given in runs if name not in ("chunks", "embedding")} == set(done.addresses)
    assert (done.changed, done.unchanged, len(done.addresses)) == (1, COUNT - 1, 1)


def test_nothing_is_computed_again_after_a_restart_a_rename_a_second_reading_or_a_restore(desk: Desk) -> None:
    files = dict(list(texts().items())[:300])
    ingest(desk, files)
    ingest(desk, {"src/press.py": "def press(apples):\n    return apples\n"}, "code")
    background(desk)
    assert sorted({name for name, _ in desk.taken()}) == sorted({*OF_DOCUMENT, *OF_CODE})

    desk.restart()
    background(desk)
    assert desk.taken() == []

    ingest(desk, files)
    background(desk)
    assert desk.taken() == []

    files["docs/renamed.md"] = files.pop("docs/5.md")
    done = ingest(desk, files, gone=["docs/5.md"])
    assert done.moved == 1
    background(desk)
    assert desk.taken() == []

    desk.memory.snapshot_create(name="before")
    files["docs/6.md"] = "# Orchard\n\nThe tree was felled.\n"
    ingest(desk, files)
    background(desk)
    assert sorted(name for name, _ in desk.taken()) == OF_DOCUMENT
    desk.memory.snapshot_restore(name="before", dry_run=False, confirm=True)
    background(desk)
    assert desk.taken() == []


def test_what_is_said_through_another_door_is_derived_in_the_background(desk: Desk) -> None:
    text = "# Presses\n\nThe press is cleaned each Monday, by whoever comes first.\n"
    desk.memory.save(text, kind="document")
    desk.taken()
    background(desk)
    address = address_of("document", text.strip())
    assert {name for name, _ in desk.taken()} == {"is_adr", "summary", "topics"}
    (summary,) = (i for i in desk.memory.derivations(address=address).items if i["name"] == "summary")
    assert "cleaned each Monday" in summary["value"]


def test_runs_reach_telemetry(desk: Desk) -> None:
    ingest(desk, dict(list(texts().items())[:3]))
    desk.memory.flush()
    with desk.memory.store.reading() as reader:
        lines = {line.type: line.detail for line in reader.measurements(0)}
    assert lines["derive:summary"] == "3 runs"
    assert lines["derive:embedding"] == "3 runs"
