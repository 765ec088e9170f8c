"""Errors in the words of the command line."""

from __future__ import annotations

import pytest

from marrow.surfaces.cli.output import as_typed


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("memory_recall needs message.", "marrow recall needs message."),
        ("snapshot_restore needs to be confirmed.", "marrow snapshot restore needs to be confirmed."),
        ("audit_verify finds it.", "marrow audit verify finds it."),
        ("Give project=all.", "Give --project all."),
        ("Look at it with dry_run=true, then give confirm=true.", "Look at it with --dry-run, then give --confirm."),
        ("dry_run=false does it.", "--no-dry-run does it."),
        ("memory_recall with limit=5.", "marrow recall with --limit 5."),
        ("There is no memory_nonsense.", "There is no memory_nonsense."),
        ("`marrow help recall` shows how.", "`marrow help recall` shows how."),
        ("Nothing to translate here.", "Nothing to translate here."),
    ],
)
def test_operations_and_arguments_are_said_as_they_are_typed(said: str, typed: str) -> None:
    assert as_typed(said) == typed
