"""Conversations, logs and history are taken in, and said twice they add only what is new."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker
from marrow.memory.taking_in.talk import ingest_conversation, ingest_history, ingest_log, named_file
from marrow.model.errors import Invalid, NotFound, TooLarge
from marrow.model.record import CURRENT, Filter, Record

from .. import fixtures_store
from ..fixtures_store import World

world = fixtures_store.world
SESSIONS = ("0198c2aa-1111-4222-8333-444455556666", "0198c2aa-1111-4222-8333-444455557777")


def line(session: str, number: int, text: str, kind: str = "user") -> str:
    at = f"2025-11-02T10:{number:02d}:00Z"
    about = {"type": kind, "uuid": f"{session}{number}", "sessionId": session, "timestamp": at}
    return json.dumps({**about, "message": {"role": kind, "content": text}}) + "\n"


def records(world: World, **wanted: object) -> list[Record]:
    chosen = Filter(**wanted)  # type: ignore[arg-type]
    found: list[Record] = world.read(
        lambda r: r.records_of(r.select("local", chosen, CURRENT, world.clock.now), CURRENT)
    )
    return found


def at_home(world: World, root: Path) -> Asker:
    return replace(world.asker, root=str(root))


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    folder = tmp_path / "projects"
    (folder / SESSIONS[0] / "subagents").mkdir(parents=True)
    for number, session in enumerate(SESSIONS):
        (folder / f"{session}.jsonl").write_text(line(session, 1, f"Question {number}"), encoding="utf-8")
    (folder / SESSIONS[0] / "subagents" / "agent-1.jsonl").write_text(line("x", 1, "among agents"), encoding="utf-8")
    (folder / "linked.jsonl").symlink_to(folder / f"{SESSIONS[0]}.jsonl")
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    return folder


def test_a_folder_of_transcripts_is_taken_in_once(world: World, transcripts: Path) -> None:
    done = ingest_conversation(world.engine, world.asker, path=str(transcripts))
    assert (done.files, done.taken.added, done.taken.unchanged) == (2, 2, 0)
    assert {record.node.content for record in records(world)} == {"User: Question 0", "User: Question 1"}
    before = world.seq()
    again = ingest_conversation(world.engine, world.asker, path=str(transcripts))
    assert (again.taken.added, again.taken.changed, again.taken.unchanged) == (0, 0, 2)
    assert world.seq() == before


def test_a_conversation_that_went_on_takes_the_place_of_what_it_was(world: World, transcripts: Path) -> None:
    ingest_conversation(world.engine, world.asker, path=str(transcripts))
    path = transcripts / f"{SESSIONS[0]}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(line(SESSIONS[0], 2, "The answer", "assistant"))
    done = ingest_conversation(world.engine, world.asker, path=str(transcripts))
    assert (done.taken.added, done.taken.changed, done.taken.unchanged) == (0, 1, 1)
    active = {record.node.content for record in records(world)}
    assert active == {"User: Question 0\n\nClaude: The answer", "User: Question 1"}
    assert len(records(world, include_superseded=True)) == 3, "what was said before is still there"


def test_one_transcript_that_cannot_be_read_does_not_stop_the_rest(world: World, transcripts: Path) -> None:
    (transcripts / f"{SESSIONS[0]}.jsonl").write_bytes(b"\xff\xfe\x00broken")
    done = ingest_conversation(world.engine, world.asker, path=str(transcripts))
    assert done.taken.added >= 1
    assert "User: Question 1" in {record.node.content for record in records(world)}


def test_a_text_is_taken_in_with_title_and_service_and_without_its_secrets(world: World) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    text = f"Ann: Which token?\nBob: {token}\nAnn: Thanks."
    done = ingest_conversation(world.engine, world.asker, text=text, title="Tokens", service="shop")
    assert (done.service, done.taken.added) == ("shop", 1)
    (record,) = records(world, service="shop")
    assert token not in record.node.content
    (said,) = world.read(lambda r: r.occurrences([record.entry], CURRENT))[record.entry]
    assert said.fields["title"] == "Tokens"
    assert ingest_conversation(world.engine, world.asker, text=text, service="shop").taken.added == 0


def test_a_slack_export_is_taken_in(world: World, tmp_path: Path) -> None:
    path = tmp_path / "slack.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("users.json", json.dumps([{"id": "U1", "name": "ann"}]))
        archive.writestr("channels.json", json.dumps([{"id": "C1", "name": "ops"}]))
        archive.writestr("ops/2025-03-01.json", json.dumps([{"user": "U1", "ts": "1740823200.1", "text": "hi"}]))
        archive.writestr("ops/2025-03-02.json", "{oops")
    done = ingest_conversation(world.engine, world.asker, path=str(path))
    assert done.taken.added == 1
    assert [problem.path for problem in done.taken.problems] == ["ops/2025-03-02.json"]
    assert [record.node.content for record in records(world)] == ["[10:00] ann: hi"]


@pytest.mark.parametrize("given", [{}, {"path": "a", "text": "b"}, {"text": "  \n"}])
def test_either_a_path_or_a_text_is_needed(world: World, given: dict[str, str]) -> None:
    for ingest in (ingest_conversation, ingest_log):
        with pytest.raises(Invalid):
            ingest(world.engine, world.asker, **given)  # type: ignore[arg-type]


def test_what_is_not_there_is_said(world: World, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        ingest_conversation(world.engine, world.asker, path=str(tmp_path / "none.jsonl"))
    with pytest.raises(NotFound, match="no transcript"):
        ingest_conversation(world.engine, world.asker, path=str(tmp_path))
    with pytest.raises(NotFound):
        ingest_log(world.engine, world.asker, path=str(tmp_path / "none.log"))
    with pytest.raises(NotFound):
        ingest_history(world.engine, world.asker, repo_path=str(tmp_path / "none"))
    with pytest.raises(Invalid, match="no git repository"):
        ingest_history(world.engine, world.asker, repo_path=str(tmp_path))
    with pytest.raises(TooLarge):
        ingest_history(world.engine, world.asker, repo_path=str(tmp_path), limit=0)


@pytest.mark.parametrize("name", [".env", "talk.txt"])
def test_a_file_with_secrets_is_not_read_whatever_leads_to_it(world: World, tmp_path: Path, name: str) -> None:
    (tmp_path / ".env").write_text("2025-12-30T10:00:00Z PASSWORD=hunter2hunter2\n", encoding="utf-8")
    if name != ".env":
        (tmp_path / name).symlink_to(tmp_path / ".env")
    for ingest in (ingest_conversation, ingest_log):
        with pytest.raises(Invalid, match="secrets"):
            ingest(world.engine, world.asker, path=str(tmp_path / name))
    assert records(world) == []


def long_talk(turns: int) -> str:
    return "".join(f"{('Ann', 'Bob')[number % 2]}: {number} {'word ' * 2_000}\n" for number in range(turns))


@pytest.mark.parametrize("name", ["talk.txt", "talk-AKIAQ3EGRTYUIOPLKJHG.txt"])
def test_a_conversation_that_became_shorter_loses_its_last_parts(world: World, tmp_path: Path, name: str) -> None:
    """Also one whose name is not written down as it is."""
    path = tmp_path / name
    path.write_text(long_talk(8), encoding="utf-8")
    assert ingest_conversation(world.engine, world.asker, path=str(path), service="shop").taken.added == 4
    other = tmp_path / "other.txt"
    other.write_text(long_talk(5).replace("word", "wurd"), encoding="utf-8")
    ingest_conversation(world.engine, world.asker, path=str(other), service="bank")
    path.write_text(long_talk(3).replace("0 word", "zero word"), encoding="utf-8")
    done = ingest_conversation(world.engine, world.asker, path=str(path), service="shop")
    assert (done.taken.changed, done.taken.gone) == (2, 2)
    assert len(records(world, service="shop")) == 2
    assert len(records(world, service="bank")) == 3
    assert ingest_conversation(world.engine, world.asker, path=str(path), service="shop").taken.gone == 0


def test_a_transcript_in_a_folder_that_became_shorter_loses_its_last_parts(world: World, transcripts: Path) -> None:
    path = transcripts / f"{SESSIONS[0]}.jsonl"
    said = [line(SESSIONS[0], at, f"{at} {'word ' * 2_000}", ("user", "assistant")[at % 2]) for at in range(8)]
    path.write_text("".join(said), encoding="utf-8")
    assert ingest_conversation(world.engine, world.asker, path=str(transcripts)).taken.added == 5
    path.write_text("".join(said[:2]), encoding="utf-8")
    done = ingest_conversation(world.engine, world.asker, path=str(transcripts))
    assert done.taken.gone == 3
    assert len(records(world)) == 2


LOG = "2025-12-30T10:00:00Z ERROR cannot reach 10.0.0.1\n2025-12-30T10:05:00Z INFO fine\n"


def test_a_log_is_taken_in_and_a_grown_one_takes_its_place(world: World, tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(LOG, encoding="utf-8")
    done = ingest_log(world.engine, world.asker, path=str(path), service="shop")
    assert done.taken.added == 2
    assert ingest_log(world.engine, world.asker, path=str(path), service="shop").taken.unchanged == 2
    path.write_text(LOG + "2025-12-30T10:09:00Z ERROR cannot reach 10.0.0.2\n", encoding="utf-8")
    grown = ingest_log(world.engine, world.asker, path=str(path), service="shop")
    assert (grown.taken.added, grown.taken.changed) == (0, 2)
    (error,) = (record for record in records(world, service="shop") if record.node.content.startswith("ERROR"))
    assert "2 times" in error.node.content
    path.write_text("2025-12-31T10:00:00Z ERROR cannot reach 10.0.0.1\n", encoding="utf-8")
    assert ingest_log(world.engine, world.asker, path=str(path), service="shop").taken.added == 2, "it was rotated"


def test_a_log_is_limited_to_the_given_time(world: World) -> None:
    with pytest.raises(Invalid):
        ingest_log(world.engine, world.asker, text=LOG, since="2025-12-31", until="2025-12-30")
    with pytest.raises(Invalid) as problem:
        ingest_log(world.engine, world.asker, text=LOG, until="whenever")
    assert problem.value.field == "until"
    done = ingest_log(world.engine, world.asker, text=LOG, since="2025-12-30T10:04:00Z")
    assert done.taken.added == 1
    assert "1 event: 1 info" in records(world)[0].node.content


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "-C", str(root), "init", "-q", "-b", "main"], check=True)
    return root


def commit(root: Path, message: str, day: int) -> None:
    (root / f"f{day}.py").write_text("x", encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    date = f"2025-11-{day:02d}T12:00:00Z"
    subprocess.run([*git, "add", "-A"], check=True)
    environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run([*git, "commit", "-q", "-m", message], check=True, env=environment)


def test_history_is_taken_in_and_only_new_commits_are_read_again(world: World, repository: Path) -> None:
    commit(repository, "Sell plums\n\nThey taste better.", 1)
    commit(repository, "Sell pears", 2)
    asker = at_home(world, repository)
    done = ingest_history(world.engine, asker)
    assert (done.service, done.files, done.taken.added) == ("shop", 2, 2)
    plums = next(record for record in records(world) if record.node.content.startswith("Sell plums"))
    anchors = world.read(lambda r: r.anchors([plums.entry], CURRENT))[plums.entry]
    assert {(anchor.type, anchor.target) for anchor in anchors} >= {("file", "f1.py")}
    again = ingest_history(world.engine, asker)
    assert (again.files, again.taken.added, again.taken.unchanged) == (0, 0, 2)
    commit(repository, "Sell figs", 3)
    more = ingest_history(world.engine, asker)
    assert (more.files, more.taken.added) == (1, 1)
    assert {record.node.kind for record in records(world)} == {"commit"}


def test_history_since_a_time_or_a_commit(world: World, repository: Path) -> None:
    for day in (1, 2, 3):
        commit(repository, f"Day {day}", day)
    asker = at_home(world, repository)
    assert ingest_history(world.engine, asker, since="2025-11-02T18:00:00Z").taken.added == 1
    assert ingest_history(world.engine, asker, since="HEAD~2").taken.added == 1
    assert ingest_history(world.engine, asker).taken.added == 1
    with pytest.raises(Invalid):
        ingest_history(world.engine, asker, since="no-such-thing")


def test_history_of_another_repository_pins_no_files_here(world: World, repository: Path, tmp_path: Path) -> None:
    commit(repository, "Day 1", 1)
    ingest_history(world.engine, at_home(world, tmp_path), repo_path=str(repository), service="other")
    (record,) = records(world)
    anchors = world.read(lambda r: r.anchors([record.entry], CURRENT))[record.entry]
    assert [anchor.type for anchor in anchors] == ["commit"]


def test_a_file_is_named_from_the_root_or_with_a_mark(world: World, tmp_path: Path) -> None:
    for name in ("in/a.log", "out/a.log", "else/a.log"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x", encoding="utf-8")
    asker = at_home(world, tmp_path / "in")
    assert named_file(asker, tmp_path / "in" / "a.log") == "a.log"
    names = {named_file(asker, tmp_path / one / "a.log") for one in ("out", "else")}
    assert len(names) == 2
    assert all(name.startswith("a.log@") and "/" not in name for name in names)
