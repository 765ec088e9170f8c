"""The verbs that take in talk, logs and history, as every surface sees them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marrow.model.errors import Invalid
from marrow.operations.catalogue import TABLE

Do = Callable[..., Any]


def test_a_conversation_is_found_by_what_was_said_in_it(do: Do) -> None:
    text = "Ann: Which broker do we take?\nBob: NATS, since Kafka is too heavy.\nAnn: Good."
    done = do("ingest_conversation", text=text, title="Broker", service="shop")
    assert (done.service, done.added, done.problems) == ("shop", 1, ())
    assert done.text().startswith("took in for shop: 1 new, 0 unchanged")
    assert "nothing new, 1 unchanged" in do("ingest_conversation", text=text, service="shop").text()


def test_a_log_takes_from_and_to_as_names_of_its_limits(do: Do) -> None:
    text = "".join(f"2025-12-30T10:{n:02d}:00Z ERROR it broke\n" for n in range(5))
    done = do("ingest_log", text=text, **{"from": "2025-12-30T10:01:00Z", "to": "2025-12-30T10:02:00Z"})
    assert done.added == 2


def test_what_was_not_read_is_told(do: Do, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"\x7fELF\x00")
    with pytest.raises(Invalid) as raised:
        do("ingest_log", path=str(path))
    assert "it is not text" in raised.value.message
    folder = tmp_path / "talks"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.jsonl").write_bytes(b"\x00" * 100)
    done = do("ingest_conversation", path=str(folder))
    assert (done.added, done.troubled) == (0, 2)
    assert "it is not text" in done.text()


@pytest.mark.parametrize("name", ["ingest_conversation", "ingest_log", "ingest_history"])
def test_they_write_and_belong_to_knowledge(name: str) -> None:
    operation = TABLE[name]
    assert (operation.group, operation.changes, operation.right, operation.destructive) == (
        "knowledge",
        True,
        "write",
        False,
    )
