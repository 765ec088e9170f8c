"""What is taken in by itself belongs to the service of the repository at hand, unless it or somebody names another."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.ingest.service_name import service_name

LOG = "2023-01-01T10:00:00Z ERROR the door is open\n"
MINUTES = "# Weekly\n\nAttendees: Ada\n\nWe bake at 200 degrees.\n"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "folder"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True, capture_output=True)
    (root / "pyproject.toml").write_text('[project]\nname = "kiln"\n', encoding="utf-8")
    with open_memory(root, store=str(tmp_path / "marrow.db"), embedder="none") as opened:
        yield opened


def services(memory: Memory) -> dict[str, str]:
    return {item["kind"]: item["service"] for item in memory.list_documents().items}


def take(memory: Memory, folder: Path, service: str = "") -> None:
    (folder / "weekly.md").write_text(MINUTES, encoding="utf-8")
    (folder / "oven.log").write_text(LOG, encoding="utf-8")
    memory.ingest_meeting(str(folder / "weekly.md"), service=service)
    memory.ingest_log(str(folder / "oven.log"), service=service)
    memory.ingest_incident("The oven went out", "Nothing was baked.", service=service)
    memory.ingest_architectural_decision(text="# ADR 9: Count pots twice", service=service)
    memory.ingest_document(text="Pots are round.", title="Pots", service=service)


KINDS = ("decision", "document", "incident", "log", "meeting")


@pytest.mark.parametrize("where", ["folder", "."])
def test_what_names_no_service_belongs_to_the_repository_at_hand(memory: Memory, tmp_path: Path, where: str) -> None:
    take(memory, tmp_path / where)
    assert services(memory) == dict.fromkeys(KINDS, "kiln")
    assert memory.get_service_overview("kiln").counts.keys() == set(KINDS)


def test_a_service_that_was_named_counts(memory: Memory, tmp_path: Path) -> None:
    take(memory, tmp_path, service="shop")
    assert services(memory) == dict.fromkeys(KINDS, "shop")


def test_a_service_that_the_text_names_counts(memory: Memory) -> None:
    memory.ingest_log(text='{"time": "2023-01-01T10:00:00Z", "level": "error", "service": "oven", "message": "open"}')
    memory.ingest_incident("Blank", "Services: labels\n\nNo label was printed.")
    assert services(memory)["log"] == "oven"


def test_the_report_names_the_service(memory: Memory) -> None:
    assert memory.ingest_document(text="Pots are round.").text().startswith("took in for kiln: 1 new")
    assert memory.ingest_log(text=LOG).service == "kiln"


def test_in_no_repository_there_is_no_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bare").mkdir()
    with open_memory(tmp_path / "bare", store=str(tmp_path / "marrow.db"), embedder="none") as memory:
        memory.ingest_document(text="Pots are round.", title="Pots")
        assert services(memory) == {"document": ""}


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_an_origin_on_this_machine_does_not_name_the_service(tmp_path: Path, scheme: str) -> None:
    origin, clone = tmp_path / "kept" / "repo", tmp_path / "adr-tools"
    subprocess.run(["git", "init", "-q", str(origin)], check=True, capture_output=True)
    subprocess.run(["git", "clone", "-q", f"{scheme}{origin}", str(clone)], check=True, capture_output=True)
    assert service_name(clone) == "adr-tools"
    subprocess.run(
        ["git", "-C", str(clone), "remote", "set-url", "origin", "https://example.org/acme/shop.git"], check=True
    )
    assert service_name(clone) == "shop"
