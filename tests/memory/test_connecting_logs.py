"""Errors of a log are tied to the incident of their service and time, whichever came first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.record import CURRENT

LOG = """2025-01-20T09:58:00Z INFO ready
2025-01-20T10:05:00Z ERROR payment refused twice
2025-01-20T10:06:00Z ERROR payment refused twice
2025-01-20T10:07:00Z FATAL ledger is locked
2025-01-20T10:08:00Z WARN slow answer
2025-01-22T08:00:00Z ERROR disk is full
"""
INCIDENT = {"date": "2025-01-20", "service": "checkout", "severity": "SEV2"}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory(tmp_path, store="memory:", embedder="none") as opened:
        yield opened


def linked(memory: Memory) -> set[str]:
    """What the logs say that are linked with an incident."""
    with memory.store.reading() as reader:
        rows = reader.sources(memory.scope.namespace, (memory.project,))
        incidents = [row.address for row in rows if row.kind == "incident"]
        links = reader.links(memory.scope.namespace, incidents, (memory.project,), CURRENT)
    logs = {row.address: row.title for row in rows if row.kind == "log"}
    ends = {end for link in links for end in (link.source, link.target)}
    return {title.partition(": ")[2] for address, title in logs.items() if address in ends}


@pytest.mark.parametrize("is_log_first", [True, False])
def test_the_errors_of_the_day_are_linked(memory: Memory, is_log_first: bool) -> None:
    if is_log_first:
        memory.ingest_log(text=LOG, service="checkout")
    memory.ingest_incident("Paid twice", "Customers were charged twice.", **INCIDENT)
    if not is_log_first:
        memory.ingest_log(text=LOG, service="checkout")
    assert linked(memory) == {"payment refused twice", "ledger is locked"}


def test_neither_another_service_nor_another_day_is_linked(memory: Memory) -> None:
    memory.ingest_log(text=LOG, service="storefront")
    memory.ingest_incident("Paid twice", "Customers were charged twice.", **INCIDENT)
    memory.ingest_incident("No disk", "The disk was full.", date="2025-01-21", service="storefront")
    assert linked(memory) == set()


def test_only_the_gravest_of_many_are_linked(memory: Memory) -> None:
    words = "alpha beta gamma delta omega kappa".split()
    lines = [f"2025-01-20T10:{n:02d}:00Z ERROR {word} failed" for n, word in enumerate(words)]
    lines += ["2025-01-20T11:00:00Z FATAL ledger is locked"]
    memory.ingest_incident("Paid twice", "Customers were charged twice.", **INCIDENT)
    memory.ingest_log(text="\n".join(lines), service="checkout")
    assert len(linked(memory)) == 3
    assert "ledger is locked" in linked(memory)


def test_the_hours_of_an_incident_are_heeded_where_it_tells_them(memory: Memory, tmp_path: Path) -> None:
    about = "# Incident: paid twice\n\nService: checkout\nStarted: 2025-01-20 20:00 UTC\nEnded: 2025-01-20 21:00 UTC\n"
    (tmp_path / "INC-7-paid-twice.md").write_text(f"{about}\n## Root cause\n\nA retry.\n", encoding="utf-8")
    memory.ingest_document(path=str(tmp_path / "INC-7-paid-twice.md"))
    memory.ingest_log(text=LOG, service="checkout")
    memory.ingest_log(text="2025-01-20T20:30:00Z ERROR till is closed\n", service="checkout")
    assert linked(memory) == {"till is closed"}
