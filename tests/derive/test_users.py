"""A user's own derivation: a file that `.marrow.toml` names, which runs after it was allowed and never before."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.derive.allowed import ALLOWED_FILE, named_files
from marrow.derive.run import derive
from marrow.derive.table import Input, each, table_of
from marrow.jobs.derive import Deriver
from marrow.memory.derivations import workshop
from marrow.model.address import address_of
from marrow.model.derivation import DONE, FAILED, Derived
from marrow.model.errors import Conflict, NotFound
from marrow.store.receive_derived import keep_derived

from .conftest import Desk

WORDS = """
import marrow

@marrow.derivation("word_count", kinds=["document"], of=["content"], version="{version}")
def word_count(content):
    return len(content.split())

@marrow.derivation("is_long", kinds=["document"], of=["word_count"])
def is_long(count):
    return count > 4
"""
TEXT = "# Presses\n\nThe press is cleaned each Monday, by whoever comes first.\n"


def named(desk: Desk, text: str = WORDS.format(version="1"), name: str = "tools/derive.py") -> Path:
    file = desk.folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    (desk.folder / ".marrow.toml").write_text(f'[derivations]\nfiles = ["{name}"]\n')
    desk.restart()
    return file


def values(desk: Desk, address: str) -> dict[str, str]:
    return {item["name"]: item["value"] for item in desk.memory.derivations(address=address).items}


def said(desk: Desk, text: str = TEXT) -> str:
    desk.memory.save(text, kind="document")
    return address_of("document", text.strip())


def worked(desk: Desk, deriver: Deriver, minutes: int = 0, turns: int = 8) -> None:
    """So many turns of the background, so much later."""
    here = desk.memory.place
    later = here.engine.clock() + minutes * 60_000_000
    for _ in range(turns):
        deriver.of_users(here._replace(engine=replace(here.engine, clock=lambda: later)))


def test_file_of_a_repository_does_not_run_before_its_user_allowed_it(desk: Desk, tmp_path: Path) -> None:
    trace = tmp_path / "it ran"
    named(desk, f"open({str(trace)!r}, 'w').close()\n" + WORDS.format(version="1"))
    address = said(desk)
    desk.memory.recompute()
    Deriver().of_users(desk.memory.place)
    shown = desk.memory.derivations()
    assert not trace.exists()
    assert "word_count" not in values(desk, address)
    assert [file["allowed"] for file in shown.files] == [False]
    assert "marrow derivations allow" in shown.text()

    desk.memory.allow_derivations()
    desk.memory.recompute()
    assert trace.exists()
    assert values(desk, address)["word_count"] == "12"


def test_changed_file_has_to_be_allowed_again_and_allowing_can_be_taken_back(desk: Desk) -> None:
    file = named(desk)
    address = said(desk)
    assert [one.path for one in desk.memory.allow_derivations()] == ["tools/derive.py"]
    assert desk.memory.allow_derivations() == []
    desk.memory.recompute()
    file.write_text(WORDS.format(version="2"))
    desk.memory.recompute()
    rows = {item["name"]: item["version"] for item in desk.memory.derivations(address=address).items}
    assert rows["word_count"] == "1"
    desk.memory.allow_derivations()
    desk.memory.recompute()
    rows = {item["name"]: item["version"] for item in desk.memory.derivations(address=address).items}
    assert rows["word_count"] == "2"
    desk.memory.allow_derivations(False)
    assert [one["allowed"] for one in desk.memory.derivations().files] == [False]


def test_what_is_allowed_is_written_in_the_users_folder_for_its_owner_alone(desk: Desk, home: Path) -> None:
    named(desk)
    desk.memory.allow_derivations()
    kept = home / ".marrow" / ALLOWED_FILE
    assert len(json.loads(kept.read_text())["allowed"]) == 1
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text("{ broken")
    assert [one["allowed"] for one in desk.memory.derivations().files] == [False]


def test_background_computes_a_users_derivations_once_and_counts_them(desk: Desk) -> None:
    named(desk)
    desk.memory.allow_derivations()
    address = said(desk)
    deriver = Deriver()
    desk.taken()
    while deriver.of_users(desk.memory.place).more:
        pass
    assert desk.taken() == [("is_long", address), ("word_count", address)]
    assert values(desk, address)["is_long"] == "true"
    other = said(desk, "Short.")
    desk.taken()
    while deriver.of_users(desk.memory.place).more:
        pass
    assert desk.taken() == [("is_long", other), ("word_count", other)]
    assert deriver.of_users(desk.memory.place) == (0, False)
    again = Deriver()
    while again.of_users(desk.memory.place).more:
        pass
    assert desk.taken() == []


def test_new_version_of_a_users_function_computes_what_depends_on_it_where_its_value_changed(desk: Desk) -> None:
    file = named(desk)
    desk.memory.allow_derivations()
    address = said(desk)
    desk.memory.recompute()
    desk.taken()
    file.write_text(WORDS.format(version="2"))
    desk.memory.allow_derivations()
    desk.memory.recompute()
    assert desk.taken() == [("word_count", address)]
    file.write_text(WORDS.format(version="3").replace("len(content.split())", "2"))
    desk.memory.allow_derivations()
    desk.memory.recompute()
    assert desk.taken() == [("is_long", address), ("word_count", address)]
    assert values(desk, address)["is_long"] == "false"


def test_errors_are_shown_and_tried_again_with_errors_only(desk: Desk) -> None:
    broken = WORDS.format(version="1").replace("return len(", "raise KeyError('tree') or len(")
    file = named(desk, broken)
    desk.memory.allow_derivations()
    address = said(desk)
    desk.memory.recompute()
    found = desk.memory.derivations(name="word_count")
    assert [(item["failed"], item["done"]) for item in found.items] == [(1, 0)]
    assert "KeyError" in found.errors[0]["error"]
    assert "errors-only" in found.text()
    file.write_text(WORDS.format(version="1"))
    desk.memory.allow_derivations()
    assert desk.memory.recompute().ran == 0
    assert desk.memory.recompute(errors_only=True, dry_run=True).would == {"word_count": 1}
    assert desk.memory.recompute(errors_only=True, kind="meeting", dry_run=True).would == {}
    done = desk.memory.recompute(errors_only=True)
    assert (done.ran, done.failed) == (2, 0)
    assert values(desk, address)["word_count"] == "12"


def test_recompute_names_what_there_is_when_a_name_is_wrong(desk: Desk) -> None:
    with pytest.raises(NotFound) as caught:
        desk.memory.recompute(name=["sumary"])
    assert "summary" in caught.value.hint
    with pytest.raises(NotFound):
        desk.memory.recompute(name=["embedding"])


def test_recompute_of_a_name_computes_it_anew_only_where_it_is_wanted(desk: Desk) -> None:
    one, two = said(desk), said(desk, "# Trees\n\nThey are cut back each winter, before the frost is over.\n")
    desk.memory.recompute()
    desk.taken()
    desk.memory.recompute(name=["summary"], addresses=[one[:12]])
    assert desk.taken() == [("summary", one)]
    assert desk.memory.recompute(name=["summary"], kind="meeting").ran == 0
    assert desk.memory.recompute(name=["summary"], dry_run=True).would == {"summary": 2}
    desk.memory.recompute(name=["summary"])
    assert {given for _, given in desk.taken()} == {one, two}


def test_function_that_stops_on_errors_says_so(desk: Desk) -> None:
    named(
        desk, WORDS.format(version="1").replace('version="1")', 'version="1", on_error="stop")').replace("len(", "int(")
    )
    desk.memory.allow_derivations()
    said(desk)
    with pytest.raises(Conflict) as caught:
        desk.memory.recompute()
    assert "word_count" in caught.value.message


def test_background_goes_on_after_one_that_stops_on_errors(desk: Desk) -> None:
    stops = WORDS.partition('@marrow.derivation("is_long')[0].format(version='1", on_error="stop')
    named(desk, stops.replace("    return len(", "    assert 'seven' not in content\n    return len("))
    desk.memory.allow_derivations()
    texts = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    addresses = {text: said(desk, f"There are {text} trees.") for text in texts}
    worked(desk, Deriver())
    counted = [text for text in texts if values(desk, addresses[text]).get("word_count") == "4"]
    assert [text for text in texts if text not in counted] == ["seven"]


def test_background_tries_again_what_failed_however_much_was_given_up(desk: Desk) -> None:
    named(
        desk,
        "import os\n" + WORDS.format(version="1").replace("    return len(", "    os.stat('ripe')\n    return len("),
    )
    desk.memory.allow_derivations()
    address = said(desk)
    deriver = Deriver()
    worked(desk, deriver)
    call = desk.memory.call
    given_up = [
        Derived(f"{number:064x}", "word_count", "1", FAILED, error="no", attempts=3, path="a.wav", project="orchard")
        for number in range(1_001)
    ]
    keep_derived(call.engine.store, call.asker.principal, "local", given_up, project="orchard")
    (desk.folder / "ripe").touch()
    worked(desk, deriver, minutes=30)
    assert values(desk, address)["word_count"] == "12"


SHOUT = """
import marrow

@marrow.derivation("shout", of=["transcript"])
def shout(heard):
    return heard.upper()

@marrow.derivation("echo", of=["shout"])
def echo(loud):
    return loud + loud
"""


def heard(desk: Desk, text: str) -> str:
    """A recording in which this is said; its digest."""
    call, digest = desk.memory.call, hashlib.sha256(text.encode()).hexdigest()
    given = Input(digest, path=f"{text}.wav", project="orchard", is_file=True)
    table = table_of(makers={"transcript": each(lambda _: text)})
    derive(workshop(call.engine, call.asker, table), [given], names=["transcript"], retry=True)
    return digest


def test_background_computes_what_is_of_a_transcript(desk: Desk) -> None:
    named(desk, SHOUT)
    desk.memory.allow_derivations()
    before = heard(desk, "before")
    deriver = Deriver()
    worked(desk, deriver)
    assert desk.taken() == [("echo", before), ("shout", before), ("transcript", before)]

    after = heard(desk, "after")
    desk.memory.save("[00:00:01] after", kind="meeting", metadata={"digest": after, "path": "after.wav"})
    desk.taken()
    worked(desk, deriver)
    assert [run for run in desk.taken() if run[1] == after] == [("echo", after), ("shout", after)]
    with desk.memory.store.reading() as reader:
        found = {row.name: (row.result, row.path) for row in reader.derived("local", [after], ("orchard",))}
    assert found["echo"] == ("AFTERAFTER", "after.wav")
    assert deriver.of_users(desk.memory.place) == (0, False)


def test_background_tries_again_what_failed_of_a_transcript(desk: Desk) -> None:
    named(desk, SHOUT.replace("    return heard", "    import os; os.stat('ripe')\n    return heard"))
    desk.memory.allow_derivations()
    digest = heard(desk, "apples")
    deriver = Deriver()
    worked(desk, deriver)
    (desk.folder / "ripe").touch()
    worked(desk, deriver, minutes=30)
    with desk.memory.store.reading() as reader:
        assert {row.name: row.state for row in reader.derived("local", [digest])}["echo"] == DONE


@pytest.mark.parametrize("name", ["../outside.py", "gone.py", "tools"])
def test_file_that_cannot_be_one_is_a_problem_and_never_runs(desk: Desk, name: str) -> None:
    (desk.folder.parent / "outside.py").write_text(WORDS.format(version="1"))
    (desk.folder / "tools").mkdir()
    (one,) = named_files(str(desk.folder), [name], str(desk.folder))
    assert one.problem
    assert not one.is_allowed


def test_link_that_leads_out_of_the_repository_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(WORDS.format(version="1"))
    os.symlink(tmp_path / "outside.py", desk.folder / "inside.py")
    (one,) = named_files(str(desk.folder), ["inside.py"], str(desk.folder))
    assert "inside the project" in one.problem


def test_installed_package_declares_by_entry_point(desk: Desk, tmp_path: Path) -> None:
    """In a process of its own: what is installed is looked up once in a process."""
    site = tmp_path / "site"
    info = site / "orchard_tools-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[marrow.derivations]\norchard = orchard_tools\nbroken = no_such_module\n")
    (site / "orchard_tools.py").write_text(WORDS.format(version="1"))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from marrow.derive.process import Process\n"
        "import marrow.derive.process as p\n"
        "from marrow.derive.installed import any_installed\n"
        "assert any_installed()\n"
        "kept = p._environment\n"
        "def env():\n"
        "    found = kept(); found['PYTHONPATH'] = found.get('PYTHONPATH', '') + ':' + sys.argv[1]; return found\n"
        "p._environment = env\n"
        "with Process(installed=True) as process:\n"
        "    declared, problems = process.declared()\n"
        "print(sorted(one.name for one, _ in declared), sorted(problems))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(site)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['is_long', 'word_count'] ['marrow.derivations:broken']"


def test_command_line_allows_and_shows(desk: Desk, home: Path) -> None:
    named(desk)

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "marrow", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=desk.folder, env=dict(os.environ)
        )
        return done.stdout

    assert "may not run" in run("derivations")
    assert "tools/derive.py may run, as it is now" in run("derivations", "allow")
    assert "word_count 1 of content for document: 0 done" in run("derivations")
    assert "may no longer run" in run("derivations", "allow", "--revoke")
