"""Media files: what failed waits and is tried again; a value is not given up for a file that is gone."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from marrow.derive.run import derive
from marrow.derive.table import Input, each, table_of
from marrow.memory.derivations import own_table, workshop
from marrow.memory.engine import Asker, Engine
from marrow.memory.recompute import recompute
from marrow.model.derivation import DONE, FAILED, Derivation, Derived
from marrow.model.errors import Unavailable
from marrow.store.receive_derived import keep_derived

from .conftest import Desk


def heard(desk: Desk, file: Path, *, works: bool) -> Derived:
    def transcribe(_: object) -> str:
        if not works:
            raise Unavailable("No transcriber is installed.", hint="pip install 'marrow[speech]'")
        return file.read_text()

    call = desk.memory.call
    digest = hashlib.sha256(b"talk").hexdigest()
    given = Input(digest, path=str(file), project=call.asker.scope.project, is_file=True)
    shop = workshop(call.engine, call.asker, table_of(makers={"transcript": each(transcribe)}))
    derive(shop, [given], names=["transcript"], retry=True)
    return row(desk, digest)


def row(desk: Desk, digest: str) -> Derived:
    with desk.memory.store.reading() as reader:
        (found,) = reader.derived("local", [digest], names=["transcript"])
    return found


def test_file_that_could_not_be_heard_waits_and_is_tried_again_with_errors_only(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "talk.wav"
    file.write_text("Good morning.")
    failed = heard(desk, file, works=False)
    assert (failed.state, failed.path, failed.project) == (FAILED, str(file), "orchard")
    assert "marrow[speech]" in failed.error

    def again(engine: Engine, asker: Asker, one: Derived) -> bool:
        return heard(desk, Path(one.path), works=True).state == DONE

    call = desk.memory.call
    done = recompute(call.engine, call.asker, own_table(), errors_only=True, again=again)
    assert (done.ran, done.failed) == (1, 0)
    assert row(desk, failed.input).result == "Good morning."
    assert recompute(call.engine, call.asker, own_table(), errors_only=True, again=again).ran == 0


def test_named_transcripts_are_made_anew_unless_their_file_is_gone(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "talk.wav"
    file.write_text("Good morning.")
    first = heard(desk, file, works=True)
    desk.taken()

    def again(engine: Engine, asker: Asker, one: Derived) -> bool:
        return heard(desk, Path(one.path), works=True).state == DONE

    call = desk.memory.call
    assert recompute(call.engine, call.asker, own_table(), names=["transcript"], again=again).ran == 1
    assert desk.taken() == [("transcript", first.input)]
    file.unlink()
    done = recompute(call.engine, call.asker, own_table(), names=["transcript"], again=again)
    assert (done.ran, done.failed) == (0, 1)
    assert "no longer there" in done.errors[0].error
    assert row(desk, first.input).result == "Good morning."


def test_what_is_of_a_transcript_is_computed_with_the_transcript_that_is_tried_again(
    desk: Desk, tmp_path: Path
) -> None:
    file = tmp_path / "talk.wav"
    file.write_text("Good morning.")
    failed = heard(desk, file, works=False)
    shout = (Derivation("shout", of=("transcript",)), each(lambda task: str(task.values[0]).upper()))

    def again(engine: Engine, asker: Asker, one: Derived) -> bool:
        return heard(desk, Path(one.path), works=True).state == DONE

    def shouted_row() -> Derived:
        with desk.memory.store.reading() as reader:
            (found,) = reader.derived("local", [failed.input], names=["shout"])
        return found

    def shouted() -> list[object]:
        return [shouted_row().result]

    call = desk.memory.call
    table = table_of(declared=[shout])
    assert recompute(call.engine, call.asker, table, errors_only=True, again=again).ran == 2
    assert shouted() == ["GOOD MORNING."]
    marked = replace(shouted_row(), state=FAILED, error="no", attempts=3, value="", digest="")
    keep_derived(call.engine.store, call.asker.principal, "local", [marked], project="orchard")
    assert recompute(call.engine, call.asker, table, errors_only=True, again=again).ran == 1
    assert shouted() == ["GOOD MORNING."]
    file.write_text("Good night.")
    recompute(call.engine, call.asker, table, names=["transcript"], cascade=False, again=again)
    assert shouted() == ["GOOD MORNING."]
    file.write_text("Good evening.")
    recompute(call.engine, call.asker, table, names=["transcript"], again=again)
    assert shouted() == ["GOOD EVENING."]


def test_missing_part_is_told_by_the_operation(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "talk.wav"
    file.write_text("Good morning.")
    heard(desk, file, works=False)
    shown = desk.memory.derivations(name="transcript")
    assert shown.errors[0]["path"] == str(file)
    assert "talk.wav" in shown.text()
