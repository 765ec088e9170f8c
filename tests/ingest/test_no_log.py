"""What is a document, though it was given as a log."""

from __future__ import annotations

import io

import pytest

from marrow.ingest.item import Skipped
from marrow.ingest.log import read_file

PROSE_TEXT = (
    "# Oven\n\nIt bakes pots.\n\n- clay\n- glaze\n\n## Errors\n\nERROR is told in red.\n" + "\nMore words.\n" * 9
)


@pytest.mark.parametrize("name", ["README.md", "docs/oven.rst", "README.md@0123abcd", ""])
def test_a_document_is_no_log(name: str) -> None:
    (found,) = read_file(io.BytesIO(PROSE_TEXT.encode()), name=name)
    assert isinstance(found, Skipped)
    assert "no log" in found.reason


def test_a_log_is_one_whatever_it_is_called() -> None:
    log = b"# run 1\n" + b"2026-03-01T10:00:00Z ERROR the pool is empty\n" * 3
    for name, text in (("log.md", log), ("", log), ("oven.log", PROSE_TEXT.encode())):
        assert not any(isinstance(one, Skipped) for one in read_file(io.BytesIO(text), name=name))
