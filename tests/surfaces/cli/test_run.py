"""Whole runs: answers, errors, exit codes, and what a run must not load, leave or show."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.app import Memory
from marrow.model.errors import Internal, MarrowError, NewerFormat, NotAStore, Unavailable
from marrow.surfaces.cli import program

from .conftest import MARROW, CommandLine, Here

ASKED_MODULES = "import sys; sys.argv[1:] = {words!r}; from marrow.__main__ import main; code = main(); {check}"
HEAVY = ("click", "rich", "numpy", "apsw", "mcp", "tokenizers", "subprocess", "marrow.app")


def test_the_first_minute_works_in_a_pipe(marrow: CommandLine) -> None:
    saved = marrow.run("save", "we", "use", "SQLite:", "no", "server", "--domain", "decisions", "--tags", "db")
    assert saved.code == 0
    address = saved.out.partition("[")[2][:12]
    recalled = marrow.run("recall", "why", "sqlite")
    assert f"[{address}] decisions/claim" in recalled.out
    assert "we use SQLite: no server" in recalled.out
    assert recalled.err == ""
    assert marrow.run("get", address[:6]).out.startswith(address)
    assert marrow.run("recall", "--json", "why sqlite").json["items"][0]["address"] == address


def test_what_was_saved_is_found_in_other_words_though_no_daemon_ever_ran(marrow: CommandLine) -> None:
    marrow.run("save", "The rate limiter lets 100 requests a minute through for each API key.")
    assert "rate limiter" in marrow.run("recall", "how do we throttle clients").out
    assert "Nothing" in marrow.run("recall", "which colours does the logo have").out


def test_what_contradicts_the_only_other_memory_is_said_whichever_vectors_that_has(marrow: CommandLine) -> None:
    marrow.run("save", "The API listens on port 9090.")
    assert "contradicts?" in marrow.run("save", "The API listens on port 7070.").out


def test_what_the_repository_has_is_not_taken_for_a_library(marrow: CommandLine) -> None:
    for name in ("click", "numpy", "apsw"):
        (Path(marrow.repository) / f"{name}.py").write_text("raise SystemExit('ran')\n")
    assert marrow.run("save", "Apples are sorted by weight.").code == 0
    assert "sorted by weight" in marrow.run("recall", "how are apples sorted").out


def test_what_is_not_ascii_is_read_where_the_locale_knows_nothing_else(marrow: CommandLine) -> None:
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    assert marrow.run("save", "Die Größe steht fest: 東京.", env=ascii_only).code == 0
    assert "Die Größe steht fest: 東京." in marrow.run("search", "größe").out


def test_unicode_goes_in_and_comes_out(marrow: CommandLine) -> None:
    text = "Größe 📦 日本語 — naïve café"
    marrow.run("save", text, "--kind", "observation")
    assert text in marrow.run("search", "日本語").out
    found = marrow.run("search", "café", "--json", env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert found.json["items"][0]["content"] == text
    plain = marrow.run("search", "café", env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert plain.code == 0
    assert "na?ve caf?" in plain.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["serch", "x"], 2, "error: There is no command 'serch'.\nhint: Did you mean search? "),
        (["list"], 2, "error: There is no command 'list'.\nhint: Did you mean active? "),
        (["queue"], 2, "error: There is no command 'queue'.\nhint: Did you mean daemon status? "),
        (["remove", "abcdef"], 2, "error: There is no command 'remove'.\nhint: Did you mean forget? "),
        (["delete", "abcdef"], 2, "error: 'abcdef' is no command of delete.\nhint: Did you mean forget? There are "),
        (["delete"], 2, "error: marrow delete needs one more word.\nhint: Did you mean forget? One of service data."),
        (["delete", "service", "dat"], 2, "error: 'dat' is no command of delete service.\nhint: Did you mean delete "),
        (["undo"], 2, "error: There is no command 'undo'.\nhint: Did you mean forget --last? "),
        (["help", "find"], 2, "error: There is no help on 'find'.\nhint: Did you mean search?"),
        (["search", "--limitt", "3"], 2, "error: marrow search has no option --limitt.\nhint: Did you mean --limit?\n"),
        (
            ["recall", "x", "--as-of", "6"],
            2,
            "error: marrow recall has no option --as-of.\nhint: `marrow help recall` ",
        ),
        (
            ["checkpoint", "--next"],
            2,
            "error: marrow checkpoint has no option --next.\nhint: `marrow help checkpoint` ",
        ),
        (["export", "x", "--format", "m"], 2, "error: 'm' is no format.\nhint: One of bundle, jsonl, markdown.\n"),
        (
            ["handoff", "done for today"],
            2,
            "error: 'done for today' is no action.\nhint: One of read, write. `marrow hand",
        ),
        (["recall", ""], 2, "error: No message was given.\nhint: "),
        (["ask"], 2, "error: marrow ask needs question.\nhint: `marrow help ask` "),
        (["config", "get"], 2, "error: marrow config get needs name.\nhint: `marrow help config get` "),
        (["search", "--limit"], 2, "error: Option '--limit' requires an argument.\nhint: `marrow help search` "),
        (["snapshot"], 2, "error: marrow snapshot needs one more word.\nhint: One of create, "),
        (["code"], 2, "error: marrow code needs one more word.\nhint: One of symbols, callers, callees, call graph, "),
        (["code", "call"], 2, "error: marrow code call needs one more word.\nhint: One of graph."),
        (["code", "bogus"], 2, "error: 'bogus' is no command of code.\nhint: There are symbols, callers, "),
        (["code", "caller", "x"], 2, "error: 'caller' is no command of code.\nhint: Did you mean code callers? "),
        (["recall"], 2, "error: marrow recall needs message.\nhint: `marrow help recall` "),
        (["get", "xyz"], 2, "error: 'xyz' is not an address.\nhint: "),
        (["get", "abcdef"], 3, "error: "),
        (["get", "abcdef", "--project", "nowhere"], 3, "error: There is no project 'nowhere'."),
        (["save", "x", "--domain", "nonsense"], 2, "error: 'nonsense' is not a domain here.\nhint: One of "),
        (["help", "nonsense"], 2, "error: There is no help on 'nonsense'."),
        (["status", "--budget-tokens", "x"], 2, "error: budget_tokens is a whole number"),
        (["status", "--store", "ftp://x"], 2, "error: "),
    ],
)
def test_an_error_says_what_and_what_to_do_and_has_its_exit_code(
    here: Here, words: list[str], code: int, message: str
) -> None:
    ran = here(*words)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(message)
    assert "Traceback" not in ran.err
    as_json = here("--json", *words)
    assert as_json.code == code
    assert set(as_json.json["error"]) >= {"code", "message", "hint", "retryable"}
    assert as_json.err == ""


def test_a_usage_error_opens_no_store(here: Here, environment: dict[str, str]) -> None:
    here("recall")
    here("search", "--limit", "x", "y")
    assert not Path(environment["MARROW_HOME"]).exists()


@pytest.mark.parametrize(
    ("words", "code"), [(["status"], 0), (["recall", "why sqlite"], 0), (["active"], 0), (["get", "abcdef"], 3)]
)
def test_a_read_creates_no_store_and_no_identity(
    here: Here, environment: dict[str, str], repository: Path, words: list[str], code: int
) -> None:
    assert here(*words).code == code
    assert not Path(environment["MARROW_HOME"]).exists()
    assert not (repository / ".git" / "marrow-id").exists()


def test_a_store_that_was_named_and_is_not_there_is_told_of_and_not_made(here: Here, tmp_path: Path) -> None:
    typo = tmp_path / "typo.db"
    for url in (str(typo), f"sqlite:{typo}"):
        ran = here("--store", url, "recall", "why")
        assert (ran.code, ran.out) == (0, "Nothing in the memory bears on this.\n")
        assert f"There is no store at {typo} yet" in ran.err
    assert here("--store", str(typo), "--quiet", "recall", "why").err == ""
    here.monkeypatch.setenv("MARROW_STORE", str(typo))
    assert f"There is no store at {typo} yet" in here("search", "why").err
    status = here("status")
    assert f"store: sqlite:{typo}, which is not there yet" in status.out
    assert (status.err, here("status", "--json").json["is_there"]) == ("", False)
    assert not typo.exists()


def test_on_a_fresh_machine_a_read_says_nothing_of_the_store_and_status_says_where_it_will_be(
    here: Here, environment: dict[str, str]
) -> None:
    assert here("recall", "why").err == ""
    status = here("status")
    assert status.err == ""
    assert f"store: sqlite:{environment['MARROW_HOME']}/marrow.db, which is not there yet" in status.out


def test_reading_an_empty_file_leaves_it_empty_and_saving_takes_it(here: Here, tmp_path: Path) -> None:
    empty = tmp_path / "notes.md"
    empty.touch()
    for words in (["recall", "x"], ["status"], ["search", "x"], ["get", "abcdef"]):
        here("--store", str(empty), *words)
        assert [file.name for file in tmp_path.glob("notes.md*")] == ["notes.md"]
        assert empty.read_bytes() == b""
    assert here("--store", str(empty), "save", "apples are red").code == 0
    assert "apples are red" in here("--store", str(empty), "recall", "apples").out


def test_the_size_of_a_small_store_is_not_told_as_nothing(here: Here) -> None:
    here("save", "apples are red")
    assert " KB\n" in here("status").out


def test_status_and_doctor_say_that_the_project_is_paused(marrow: CommandLine) -> None:
    marrow.run("save", "apples are red")
    assert "paused" not in marrow.run("status").out
    marrow.run("pause")
    assert "paused until it is resumed" in marrow.run("status").out
    marrow.run("pause", "--until", "2 hours")
    assert "paused until 2" in marrow.run("status").out
    looked = marrow.run("doctor")
    assert "note: this project is paused until 2" in looked.out
    assert looked.code == 0
    marrow.run("resume")
    assert "paused" not in marrow.run("status").out


def test_doctor_on_a_fresh_machine_says_what_trying_the_chain_made(marrow: CommandLine, tmp_path: Path) -> None:
    store = Path(marrow.environment["MARROW_HOME"]) / "marrow.db"
    first = marrow.run("doctor")
    assert f"note: there is no store at {store} yet" in first.out
    assert f"To try that, the store {store} was made and the daemon was started, and ended again." in first.out
    assert first.code == 0
    again = marrow.run("doctor", "--store", str(tmp_path / "typo.db"))
    assert "To try that, the daemon was started, and ended again." in again.out
    assert not (tmp_path / "typo.db").exists()


def test_what_only_shows_what_it_would_do_makes_no_store(marrow: CommandLine, tmp_path: Path) -> None:
    store = Path(marrow.environment["MARROW_HOME"]) / "marrow.db"
    marrow.run("save", "Apples are red.")
    marrow.run("backup", str(tmp_path / "b.db"))
    marrow.run("export", str(tmp_path / "e.jsonl"))
    for file in store.parent.glob("marrow.db*"):
        file.unlink()
    told = marrow.run("restore", str(tmp_path / "b.db"), "--dry-run")
    assert f"There is no store at {store} yet: it would be put there. Nothing was changed yet." in told.out
    assert "1 would be new" in marrow.run("import", str(tmp_path / "e.jsonl"), "--dry-run").out
    assert not store.exists()
    assert "Restored 1 node" in marrow.run("restore", str(tmp_path / "b.db"), "--yes").out


@pytest.mark.parametrize("left", [200, 60_000])
def test_doctor_says_what_is_damaged_and_restore_puts_the_backup_that_it_names_in_its_place(
    marrow: CommandLine, tmp_path: Path, left: int
) -> None:
    whole, cut = tmp_path / "whole.db", tmp_path / "cut" / "cut.db"
    cut.parent.mkdir()
    marrow.run("save", "apples are red", "--store", str(whole))
    cut.write_bytes(whole.read_bytes()[:left])
    read = marrow.run("recall", "apples", "--store", str(cut))
    assert read.code == 74
    assert "hint: `marrow doctor` says" in read.err
    looked = marrow.run("doctor", "--store", str(cut))
    assert looked.code == 74
    assert looked.err == ""
    assert "bytes early" in looked.out
    assert "there is none beside it" in looked.out
    assert ".recover` prints" in looked.out
    assert "`marrow doctor`" not in looked.out
    older, newer, broken = (cut.parent / name for name in ("a.backup", "my-backup.db", "z.backup"))
    for at, file in enumerate((older, newer)):
        marrow.run("backup", str(file), "--store", str(whole))
        os.utime(file, (at, at))
    broken.write_bytes(cut.read_bytes())
    assert f"`marrow restore {newer}`, the newest backup" in marrow.run("doctor", "--store", str(cut)).out
    assert marrow.run("restore", str(newer), "--yes", "--store", str(cut)).code == 0
    assert "apples are red" in marrow.run("recall", "apples", "--store", str(cut)).out


def test_a_repository_without_an_origin_is_named_by_its_folder_and_keeps_the_name(marrow: CommandLine) -> None:
    marrow.run("save", "apples are red")
    name = marrow.run("status", "--json").json["project"]
    identity = (marrow.repository / ".git" / "marrow-id").read_text(encoding="utf-8").strip()
    assert name == f"repository-{identity.rpartition(':')[2][:6]}"
    moved = marrow.repository.rename(marrow.repository.with_name("elsewhere"))
    assert CommandLine(moved, marrow.environment).run("status", "--json").json["project"] == name


@pytest.mark.parametrize(
    ("words", "damage"),
    [
        (["doctor"], "UPDATE nodes SET content = 'apples are blue'"),
        (["audit", "verify"], "UPDATE nodes SET content = 'apples are blue'"),
        (["memory", "reroot"], "UPDATE standings SET priority = 0.9"),
    ],
)
def test_what_finds_that_something_is_wrong_ends_with_74(
    marrow: CommandLine, tmp_path: Path, words: list[str], damage: str
) -> None:
    store = tmp_path / "damaged.db"
    marrow.run("save", "apples are red", "--store", str(store))
    assert marrow.run(*words, "--store", str(store)).code == 0
    with sqlite3.connect(store) as file:
        assert file.execute(damage).rowcount == 1
    file.close()
    ran = marrow.run(*words, "--store", str(store), "--json")
    assert ran.code == 74
    assert ran.json["ok"] is False


def test_a_file_that_is_no_store_has_an_exit_code_of_its_own(marrow: CommandLine) -> None:
    (marrow.repository / "notes.txt").write_text("nothing like a store" * 100, encoding="utf-8")
    ran = marrow.run("status", "--store", "notes.txt")
    assert ran.code == NotAStore.exit_code == 65
    assert ran.err.startswith("error: ")


def test_the_table_of_exit_codes_has_every_error(here: Here) -> None:
    page = here("help", "exit-codes").out

    def check(error: type[MarrowError]) -> None:
        assert f"  {error.exit_code} {error.code}" in page
        for below in error.__subclasses__():
            check(below)

    check(MarrowError)
    assert f"{NewerFormat.exit_code} {NewerFormat.code}" in page
    assert "\n  130 " in page
    assert "\n  141 " in page


def test_ctrl_c_ends_with_130_and_without_a_word(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_perform", interrupted)
    ran = here("status")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


@pytest.mark.parametrize("words", [["--help"], ["save", "x"], ["--json", "nonsense"]])
def test_a_reader_that_goes_away_is_no_error(marrow: CommandLine, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*MARROW, *words],
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=marrow.repository,
        env=marrow.environment,
    )
    os.close(writing)
    said = process.communicate()[1]
    assert (process.returncode, said) == (141, b"")


FAULTY = """
import sys
import marrow.app
from marrow.operations import table
from marrow.operations.catalogue import TABLE
def memory_status(call, as_of: str = "") -> None:
    "Broken on purpose."
    raise ZeroDivisionError("on purpose")
TABLE["memory_status"] = table.Operation("memory_status", "tree", memory_status)
from marrow.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_fault_of_our_own_shows_no_traceback_unless_asked(marrow: CommandLine) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", FAULTY, *words],
            cwd=marrow.repository,
            env=marrow.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    quiet, loud, as_json = run("status"), run("status", "--debug"), run("status", "--json")
    assert quiet.returncode == as_json.returncode == Internal.exit_code == 70
    assert quiet.stderr.startswith("error: Marrow met a fault of its own (ZeroDivisionError: on purpose).\nhint: ")
    assert "Traceback" not in quiet.stderr
    assert '"code": "internal"' in as_json.stdout
    assert "Traceback" in loud.stderr


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--version"], HEAVY),
        (["--help"], (*HEAVY, "pathlib", "importlib.resources")),
        (["help", "search"], HEAVY),
        (["completion", "bash"], ("rich", "numpy")),
        (["recall", "how do we deploy?"], ("marrow.memory.telling", "marrow.memory.observed", "marrow.memory.code")),
    ],
)
def test_a_quick_answer_loads_nothing_heavy(marrow: CommandLine, words: list[str], absent: tuple[str, ...]) -> None:
    check = f"loaded = {set(absent)!r} & set(sys.modules); assert not loaded and code == 0, loaded"
    ran = subprocess.run(
        [sys.executable, "-c", ASKED_MODULES.format(words=words, check=check)],
        cwd=marrow.repository,
        env=marrow.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("words", [["mcp"], ["--store", "x.db", "mcp", "--tools", "core", "--standalone"]])
def test_the_mcp_server_starts_without_the_command_line(marrow: CommandLine, words: list[str]) -> None:
    check = "assert not {'rich', 'marrow.surfaces.cli'} & set(sys.modules)"  # click comes with the SDK
    ran = subprocess.run(
        [sys.executable, "-c", ASKED_MODULES.format(words=words, check=check)],
        stdin=subprocess.DEVNULL,
        cwd=marrow.repository,
        env=marrow.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr


@pytest.mark.parametrize(
    "words", [["mcp", "--tool", "x"], ["mcp", "here"], ["mcp", "--tools"], ["mcp", "--tools", "no-such"]]
)
def test_wrong_options_of_the_mcp_server_are_refused(marrow: CommandLine, words: list[str]) -> None:
    ran = marrow.run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err


def test_the_version_is_one_line(marrow: CommandLine) -> None:
    from marrow.version import __version__

    assert marrow.run("--version").out == f"marrow {__version__}\n"
    assert marrow.run("--no-color", "--version").out == f"marrow {__version__}\n"


def test_json_is_the_whole_result_unless_a_budget_is_given(here: Here) -> None:
    for number in range(30):
        here("save", f"note {number}: the heron stands in the reeds {'and waits ' * 20}")
    found = json.loads(here("active", "--limit", "100", "--json").out)
    assert len(found["items"]) == 30
    assert all(item["content"].endswith("and waits") for item in found["items"])
    assert len(json.loads(here("active", "--limit", "100", "--json", "--budget-tokens", "200").out)["items"]) < 30


def test_the_budget_shortens_an_answer(here: Here) -> None:
    for number in range(30):
        here("save", f"fact {number} " + "about the furnace and its many parts " * 10)
    long = here("active", "--budget-tokens", "2000").out
    short = here("--budget-tokens", "100", "active").out
    assert len(short) < len(long) / 4
    assert "more" in short


def test_quiet_leaves_out_remarks_and_keeps_answers(marrow: CommandLine) -> None:
    env = {"MARROW_RECALL_TOP_K": "7"}
    loud = marrow.run("config", "set", "recall.top_k", "8", env=env)
    quiet = marrow.run("config", "set", "recall.top_k", "9", "--quiet", env=env)
    assert "MARROW_RECALL_TOP_K" in loud.err
    assert (quiet.err, quiet.out.startswith("recall.top_k = 9")) == ("", True)


def test_what_only_looks_unless_told_otherwise_looks_in_a_pipe(here: Here) -> None:
    here("snapshot", "create", "before")
    here("save", "Deploys go out on Fridays.")
    looked = here("snapshot", "restore", "before")
    assert (looked.code, looked.err) == (0, "")
    assert "would change: 0 come back, 0 differ, 1 leaves" in looked.out
    assert looked.out.endswith("Nothing was changed yet: --yes does it.\n")
    assert here("search", "deploys", "--json").json["items"]
    refused = here("snapshot", "restore", "before", "--no-dry-run")
    assert (refused.code, "needs to be confirmed" in refused.err) == (2, True)
    assert here("snapshot", "restore", "before", "--yes").code == 0
    assert not here("search", "deploys", "--json").json["items"]


@pytest.mark.parametrize("words", [(), ("--yes",), ("--dry-run",)])
def test_a_snapshot_that_is_not_there_is_not_found(here: Here, words: tuple[str, ...]) -> None:
    here("snapshot", "create", "before")
    ran = here("snapshot", "restore", "befor", *words, "--json")
    assert (ran.code, ran.json["error"]["code"]) == (3, "not_found")
    assert "before" in ran.json["error"]["hint"]


def test_a_file_that_nobody_knows_has_no_lineage(here: Here) -> None:
    ran = here("lineage", "nope.md")
    assert ran.code == 3
    assert "'nope.md' is known" in ran.err
    assert here("lineage", "README.md").code == 0


def test_broken_off_after_the_answer_what_was_saved_is_saved(here: Here) -> None:
    def broken_off(_: Memory) -> int:
        raise KeyboardInterrupt

    here.monkeypatch.setattr(Memory, "refine_few", broken_off)
    saved = here("save", "The kiln cools for nine hours.")
    assert (saved.code, saved.out[:5]) == (0, "Saved")


@pytest.mark.parametrize(("words", "folder"), [(["daemon", "start"], "log"), (["watch", "."], "run")])
def test_what_the_system_refuses_is_told_with_its_path_and_not_as_a_fault_of_ours(
    marrow: CommandLine, words: list[str], folder: str
) -> None:
    home = Path(marrow.environment["HOME"]) / ".marrow"
    home.mkdir(parents=True, exist_ok=True)
    (home / folder).write_text("no folder")
    ran = marrow.run(*words)
    assert ran.code == Unavailable.exit_code
    assert ran.err.startswith(f"error: {home / folder}/")
    assert "Not a directory.\nhint: Check that it is yours" in ran.err
