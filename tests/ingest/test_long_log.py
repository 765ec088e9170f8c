"""A log of many events: how far it is told, where it ends, and that nothing is kept of what is like something known."""

from __future__ import annotations

import io

import pytest

from marrow.ingest import log as module
from marrow.ingest.item import Item, Skipped
from marrow.ingest.log import read_file, read_log
from marrow.model.moments import parse

NOW = parse("2026-01-01T00:00:00Z", 0, future=True)


def test_of_a_very_long_log_it_is_said_what_was_read_and_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVENTS_MAX", 100)
    monkeypatch.setattr(module, "TOLD_EVERY", 10)
    lines = [f"2025-12-30T10:{n // 60:02d}:{n % 60:02d}Z ERROR part {n} broke" for n in range(400)]
    told: list[tuple[int, int | None]] = []
    data = "\n".join(lines).encode()
    found = read_file(io.BytesIO(data), now=NOW, progress=lambda done, total: told.append((done, total)))
    (skipped,) = [one for one in found if isinstance(one, Skipped)]
    assert "only the first 100 events were read, up to 2025-12-30T10:01:39Z" in skipped.reason
    assert "since=2025-12-30T10:01:39Z reads on" in skipped.reason
    assert "% of the file" in skipped.reason
    assert told
    assert {total for _, total in told} == {len(data)}
    (first, *_) = [one for one in found if isinstance(one, Item)]
    assert first.draft.metadata["count"] == 100


def test_what_is_like_something_known_keeps_no_secret() -> None:
    """Only what is new is looked at for secrets, since nothing is kept of the rest."""
    lines = [f"2025-12-30T10:00:{n:02d}Z ERROR login with password=hunter{n}hunter refused" for n in range(30)]
    lines += ["2025-12-30T10:01:00Z ERROR login with password=swordfish9 refused", "  at line 1 password=swordfish9"]
    found = read_log(lines, now=NOW)
    assert sum(one.draft.metadata["count"] for one in found[1:]) == 31  # type: ignore[misc]
    assert not any(secret in one.draft.content for one in found for secret in ("hunter", "swordfish"))
