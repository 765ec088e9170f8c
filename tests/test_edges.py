"""What a hostile reader of the engine found once: each stays as it should be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import marrow
from marrow.memory.moment import moment
from marrow.model.errors import Invalid, NotFound
from marrow.store.sqlite.statements import queries

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


def test_filtered_search_asks_the_keyword_index_once_and_not_once_a_row(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        memory.save("The queue is drained nightly.", domain="decisions")
        connection = memory.store._connection()  # type: ignore[attr-defined]
        bindings = {"query": '"queue"', "first": 0, "last": 2**62, "within": "[1,2,3]", "limit": 5}
        plan = [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + queries()["match_within"], bindings)]
        assert not any("=M" in line for line in plan), plan


def test_export_never_writes_over_the_store(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        memory.save("Kept.")
        for target in (store, f"{store}-wal"):
            with pytest.raises(Invalid):
                memory.export(target, overwrite=True)
        assert memory.audit_verify().ok


def test_bundle_with_times_outside_the_calendar_is_refused(tmp_path: Path, store: str) -> None:
    import gzip

    with marrow.open(tmp_path, store=store, project="here") as memory:
        memory.save("Said.")
        memory.export(str(tmp_path / "b.bundle"))
    lines = gzip.decompress((tmp_path / "b.bundle").read_bytes()).decode().splitlines()
    for wrong in (2**61, -(2**61)):
        changed = [line.replace('"at":', f'"at":{wrong},"was":', 1) if '"thread"' in line else line for line in lines]
        (tmp_path / "wrong.bundle").write_bytes(gzip.compress("\n".join(changed).encode()))
        with marrow.open(tmp_path, store=str(tmp_path / "other.db")) as memory:
            with pytest.raises(marrow.MarrowError):
                memory.import_(str(tmp_path / "wrong.bundle"))
            assert memory.status().total == 0


OTHER_PROCESS = """
import json, marrow, sys
memory = marrow.open(sys.argv[1], store=sys.argv[2], project="b")
memory.save("beta revenue figures")
memory.search("revenue")
print("ready", flush=True)
sys.stdin.readline()
print(json.dumps([item.content for item in memory.active().items]), flush=True)
"""


def test_process_that_was_open_during_a_restore_does_not_mistake_one_project_for_another(
    tmp_path: Path, store: str, child_environment: dict[str, str]
) -> None:
    with marrow.open(tmp_path, store=store, project="a") as memory:
        memory.save("alpha base")
        memory.backup(str(tmp_path / "kept.backup"))
        other = subprocess.Popen(
            [sys.executable, "-c", OTHER_PROCESS, str(tmp_path), store],
            env=child_environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        memory.restore(str(tmp_path / "kept.backup"), dry_run=False, confirm=True)
    with marrow.open(tmp_path, store=store, project="c") as memory:
        memory.save("gamma private figures")
    told, _ = other.communicate("go\n", timeout=60)
    assert json.loads(told) == []


def test_no_secret_reaches_the_disk_by_a_name(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        memory.init(f"svc-{TOKEN}")
        done = memory.snapshot_create(f"before-{TOKEN}")
        assert TOKEN not in done.name
        memory.save("Kept.", thread=f"t {TOKEN}", tags=[TOKEN], metadata={"k": TOKEN})
    for file in tmp_path.iterdir():
        assert TOKEN.encode() not in file.read_bytes(), file.name


def test_erasing_says_in_which_other_projects_the_text_goes(tmp_path: Path, store: str) -> None:
    for project in ("a", "b"):
        with marrow.open(tmp_path, store=store, project=project) as memory:
            address = memory.save("We use pytest.").items[0].address
    with marrow.open(tmp_path, store=store, project="a") as memory:
        assert any("in b too" in line for line in memory.erase(address).lines)


def test_filling_from_another_folder_keeps_what_the_first_gave(tmp_path: Path, store: str) -> None:
    for name, text in (("one", "# One\n\nThe first folder speaks."), ("two", "# Two\n\nThe second folder speaks.")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(text)
    with marrow.open(tmp_path / "one", store=store, project="p") as memory:
        memory.fill(tmp_path / "one")
        assert memory.fill(tmp_path / "two").gone == 0
        assert memory.status().active == 2


def test_what_had_expired_at_the_time_asked_for_is_not_active_then(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        memory.save("Frozen until the release.", ttl_days=1)
        with memory.store.reading() as reader:
            asker, now = memory.call.asker, memory.engine.clock()
            later = moment(reader, asker, 1, now, "2199-01-01")
        assert later > now + 86_400_000_000
        assert memory.active(as_of="2199-01-01").total == 0
        assert memory.active(as_of="1").total == 1


def test_said_later_does_not_change_when_something_was_last_said_before(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        memory.save("The build is red.", at="2020-01-01")
        memory.snapshot_create("then")
        memory.save("The build is red.", at="2021-01-01")
        assert memory.active(as_of="then").items[0].at.startswith("2020")
        assert memory.active().items[0].at.startswith("2021")


def test_arguments_too_many_or_twice_are_refused(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        with pytest.raises(Invalid):
            memory.forget("abcdef", "reason", "more")  # type: ignore[call-arg]
        with pytest.raises(Invalid):
            memory.save("a", content="b")  # type: ignore[misc]
        assert memory.status().total == 0


@pytest.mark.parametrize("anchors", [5, True])
def test_anchors_of_a_batch_that_are_no_list_are_refused(tmp_path: Path, store: str, anchors: object) -> None:
    with marrow.open(tmp_path, store=store) as memory, pytest.raises(Invalid):
        memory.save(batch=[{"content": "x", "anchors": anchors}])


def test_one_anchor_of_a_batch_stands_for_itself(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        address = memory.save(batch=[{"content": "x", "anchors": "app.py"}]).items[0].address
        assert memory.get(address).anchors == ("file app.py",)


def test_half_a_character_is_refused_wherever_it_comes(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        for given in ({"path": "\ud800"}, {"service": "\ud800"}, {"metadata": {"k": "\ud800"}}, {"project": "\ud800"}):
            with pytest.raises(Invalid):
                memory.search("x", **given)  # type: ignore[arg-type]
        with pytest.raises(Invalid):
            memory.search("x", as_of="²")


def test_folder_that_is_not_there_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        marrow.open(tmp_path / "nowhere")


def test_reading_makes_no_store(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store, create=False) as memory:
        assert memory.recall("what do we know?").items == ()
    assert not Path(store).exists()


def test_update_says_what_the_new_text_contradicts(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        memory.save("The API listens on port 9090.")
        old = memory.save("The service is reached through the proxy.").items[0].address
        done = memory.update(old, content="The API listens on port 9191.")
        assert [one["what"] for one in done.similar] == ["contradicts"]
        assert "9090" in done.text()


def test_superseding_into_a_node_that_would_expire_makes_it_stay(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory:
        lasting = memory.save("Deploys go out on Mondays.").items[0].address
        memory.save("Deploys go out on Fridays.", ttl_days=1)
        address = memory.update(lasting, content="Deploys go out on Fridays.").address
        assert "expires" not in memory.get(address).standing


def test_compressing_a_session_needs_its_name(tmp_path: Path, store: str) -> None:
    with marrow.open(tmp_path, store=store) as memory, pytest.raises(Invalid) as told:
        memory.session_compress()
    assert told.value.field == "thread"
