"""knowledge: taking in single files: what cannot be read is an error, and what was left out is told in few lines."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from marrow.ingest.item import Skipped
from marrow.model.errors import Invalid, NotFound
from marrow.operations.problems import TOLD, problem_lines, told_problems

from .conftest import Do


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("broken.pdf", b"%PDF-1.7 and then nothing", "no sound PDF"),
        ("empty.md", b"", "it is empty"),
        ("bin.dat", bytes(range(256)) * 4, "it is binary"),
    ],
)
def test_the_only_file_that_cannot_be_read_is_an_error(
    do: Do, tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(Invalid) as raised:
        do("ingest_document", path=str(file))
    assert why in raised.value.message
    assert name in raised.value.message
    assert raised.value.field == "path"


def test_a_file_for_another_reader_names_that_reader(do: Do, tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(Invalid) as raised:
        do("ingest_document", path=str(tmp_path / "shot.png"))
    assert raised.value.hint == "ingest_design reads it."


@pytest.mark.parametrize("data", [b"", b"\0\1\2\3" * 100])
def test_a_log_without_anything_in_it_is_an_error(do: Do, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "app.log").write_bytes(data)
    with pytest.raises(Invalid) as raised:
        do("ingest_log", path=str(tmp_path / "app.log"))
    assert "was not read" in raised.value.message


def test_a_log_with_nothing_in_that_time_is_an_answer(do: Do, said: Do) -> None:
    log = "2026-03-01T10:00:00Z ERROR the pool is empty\n"
    assert do("ingest_log", text=log).added
    assert "no event was found in that time" in said("ingest_log", text=log, since="2026-03-02")


def test_a_conversation_in_which_nobody_speaks_is_an_error(do: Do, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_bytes(b"\0" * 100)
    with pytest.raises(Invalid):
        do("ingest_conversation", path=str(tmp_path / "chat.txt"))


@pytest.mark.parametrize(
    "operation",
    ["ingest_document", "ingest_architectural_decision", "ingest_log", "ingest_meeting", "ingest_design"],
)
def test_a_folder_is_said_to_be_one_with_what_takes_folders(do: Do, tmp_path: Path, operation: str) -> None:
    (tmp_path / "docs").mkdir()
    with pytest.raises(Invalid) as raised:
        do(operation, path=str(tmp_path / "docs"))
    assert "is a folder" in raised.value.message
    assert "ingest_co" in raised.value.hint


def test_what_came_in_goes_by_its_title(do: Do, tmp_path: Path) -> None:
    (tmp_path / "deploy.sh").write_text("#!/bin/bash\nset -e\n")
    assert do("ingest_document", path=str(tmp_path / "deploy.sh")).items[0]["title"] == "deploy.sh"


def test_a_severity_that_nobody_knows_lists_those_that_are_understood(do: Do) -> None:
    with pytest.raises(Invalid) as raised:
        do("ingest_incident", title="Down", description="It was down.", severity="banana")
    assert raised.value.field == "severity"
    assert "critical, high, medium, low" in raised.value.hint
    assert do("ingest_incident", title="Down", description="It was down.", severity="sev-2").added == 1


def test_files_of_another_reader_are_one_line_with_a_count() -> None:
    problems = [Skipped(f"img/{number}.png", "it is a picture") for number in range(40)]
    problems += [Skipped("talk.mp4", "it is a recording or its transcript"), Skipped("a.md", "it is empty")]
    told, left = told_problems(problems)
    assert left == 0
    assert problem_lines(told, left) == [
        "  a.md: it is empty",
        "  talk.mp4: it is a recording or its transcript; ingest_meeting reads it",
        "  40 files such as img/0.png: they are pictures; ingest_design reads them",
    ]
    assert not any("ingest_" in value for one in told for value in one.values())  # each surface has its own words


def test_a_report_says_how_many_more_there_are() -> None:
    problems = [Skipped(f"{number}.md", "it is empty") for number in range(50)]
    problems += [Skipped("one.pdf", "it is encrypted"), *(Skipped(f"{n}.png", "it is a picture") for n in range(9))]
    told, left = told_problems(problems)
    assert (len(told), told[0]["path"], left) == (TOLD, "one.pdf", 60 - (TOLD - 1) - 9)
    assert problem_lines(told, left)[-1] == f"  and {left} more"
    assert "9 files such as 0.png" in told[-1]["path"]


def test_a_report_of_a_repository_counts_what_was_not_read(do: Do, said: Do, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text("")
    (folder / "README.md").write_text("# Shop\n\nIt sells.\n")
    text = said("ingest_codebase", repo_path=str(folder))
    assert "30 not read, read in part or by a guess:" in text
    assert text.endswith("  and 10 more")


def test_a_view_of_a_kind_that_nothing_has_is_defined_and_says_so(do: Do, said: Do) -> None:
    do("memory_save", content="We chose it.", kind="decision")
    text = said("view_define", name="team", filter={"kinds": ["decision", "banana"]})
    assert "Nothing is of the kind 'banana' yet." in text
    assert "'decision'" not in text


def test_an_empty_filter_says_how_a_view_is_removed_and_that_works(do: Do) -> None:
    made = do("view_define", name="team", filter={"approved": True})
    with pytest.raises(Invalid) as raised:
        do("view_define", name="team", filter={})
    assert f"give {made.address} to memory_forget" in raised.value.hint
    do("memory_forget", address=made.address)
    assert do("views").items == ()


def test_a_file_that_is_called_a_decision_and_says_nothing_of_it_is_told_and_can_be_taken_back(
    do: Do, said: Do, tmp_path: Path
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Toyshop\n\nSells toys.\n", encoding="utf-8")
    do("ingest_document", path=str(readme))
    told = said("ingest_architectural_decision", path=str(readme))
    assert "nothing in it says that it is one; ingest_document reads it" in told
    assert [one["kind"] for one in do("list_documents").items] == ["decision"]
    do("ingest_document", path=str(readme))
    assert [one["kind"] for one in do("list_documents").items] == ["document"]


@pytest.mark.parametrize("given", [{"status": "accepted"}, {}])
def test_a_record_by_its_form_or_with_a_status_is_no_guess(do: Do, tmp_path: Path, given: dict[str, str]) -> None:
    record = tmp_path / "notes.md"
    form = (
        ""
        if given
        else "\n## Status\n\nAccepted\n\n## Context\n\nToys.\n\n## Decision\n\nWood.\n\n## Consequences\n\nDust.\n"
    )
    record.write_text(f"# Wood\n\nWe use wood.\n{form}", encoding="utf-8")
    assert do("ingest_architectural_decision", path=str(record), **given).troubled == 0


def test_a_file_in_the_place_of_a_repository_names_what_takes_in_one(do: Do, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Toyshop\n", encoding="utf-8")
    with pytest.raises(NotFound) as caught:
        do("ingest_codebase", repo_path=str(tmp_path / "README.md"))
    assert "ingest_document takes in one file" in (caught.value.hint or "")


def test_a_log_that_is_no_text_is_named_as_it_was_given(do: Do, tmp_path: Path) -> None:
    (tmp_path / "ls").write_bytes(b"\x7fELF\x00\x00")
    with pytest.raises(Invalid) as caught:
        do("ingest_log", path=str(tmp_path / "ls"))
    assert str(caught.value).startswith(f"{tmp_path / 'ls'} was not read: it is not text.")


def test_a_text_that_is_called_a_decision_and_says_nothing_of_it_is_told(do: Do) -> None:
    told = do("ingest_architectural_decision", text="We took Postgres because it is nice.")
    assert (told.added, told.troubled) == (1, 1)
    assert do("ingest_architectural_decision", text="# Pears\n\n## Decision\n\nPears.\n").troubled == 0


def test_a_status_given_later_is_taken_over(do: Do) -> None:
    text = "# 5. Plums\n\nPlums.\n"
    do("ingest_architectural_decision", text=text, status="proposed")
    assert do("ingest_architectural_decision", text=text, status="approved").changed == 1
    assert [one.status for one in do("get_architectural_decisions").items] == ["accepted"]
    assert do("ingest_architectural_decision", text=text, status="approved").unchanged == 1


def test_a_text_of_marks_alone_is_refused(do: Do) -> None:
    with pytest.raises(Invalid):
        do("ingest_architectural_decision", text="# ")


def test_a_packed_log_names_the_reader_of_logs(do: Do, tmp_path: Path) -> None:
    (tmp_path / "x.log.gz").write_bytes(gzip.compress(b"ERROR x\n"))
    with pytest.raises(Invalid) as raised:
        do("ingest_document", path=str(tmp_path / "x.log.gz"))
    assert raised.value.hint == "ingest_log reads it."


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes")
def test_a_pipe_is_told_as_what_it_is(do: Do, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for operation in ("ingest_document", "ingest_log"):
        with pytest.raises(Invalid, match="no plain file"):
            do(operation, path=str(tmp_path / "pipe"))
