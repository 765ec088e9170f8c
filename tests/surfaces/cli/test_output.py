"""Errors in the words of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.surfaces.cli.output import as_typed

from .conftest import Here


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("memory_recall needs message.", "marrow recall needs message."),
        ("snapshot_restore needs to be confirmed.", "marrow snapshot restore needs to be confirmed."),
        ("audit_verify finds it.", "marrow audit verify finds it."),
        ("Give project=all.", "Give --project all."),
        ("Look at it with dry_run=true, then give confirm=true.", "Look at it with --dry-run, then give --confirm."),
        ("dry_run=false does it.", "--no-dry-run does it."),
        ("Nothing yet: dry_run=false with confirm=true does it.", "Nothing yet: --yes does it."),
        ("For good: `erase service=docs`.", "For good: `marrow erase --service docs`."),
        ("To undo it: `snapshot_restore 5`.", "To undo it: `marrow snapshot restore 5`."),
        ("(5 more: raise limit or budget_tokens)", "(5 more: raise --limit or --budget-tokens)"),
        ("(2 more: offset, or limit)", "(2 more: --offset, or --limit)"),
        ("too long for the budget: raise budget_tokens.", "too long for the budget: raise --budget-tokens."),
        ("The limit is a limit.", "The limit is a limit."),
        ("For example 'owner=ada'.", "For example 'owner=ada'."),
        ("memory_recall with limit=5.", "marrow recall with --limit 5."),
        ("code_symbols lists them.", "marrow code symbols lists them."),
        ("code_callers needs symbol.", "marrow code callers needs symbol."),
        ("get_recent_commits and search_commits.", "marrow git commits and marrow git search."),
        ("set_task_context does that.", "marrow set task context does that."),
        ("memory_claim is the same.", "marrow save is the same."),
        ("A report of the sessions.", "A report of the sessions."),
        ("memory_help with context=all lists them.", "marrow help lists them."),
        ("(3 more lines: offset=41)", "(3 more lines: --offset 41)"),
        ("signatures left out: tokens=1000.", "signatures left out: --tokens 1000."),
        ("There is no memory_nonsense.", "There is no memory_nonsense."),
        ("`marrow help recall` shows how.", "`marrow help recall` shows how."),
        ("Nothing to translate here.", "Nothing to translate here."),
    ],
)
def test_operations_and_arguments_are_said_as_they_are_typed(said: str, typed: str) -> None:
    assert as_typed(said) == typed


def test_remarks_of_an_answer_are_said_as_they_are_typed(here: Here, repository: Path) -> None:
    (repository / "long.txt").write_text("one word after the other\n" * 200)
    said = here("read", "long.txt", "--limit", "3").out
    assert "(197 more lines: --offset 4)" in said


def test_what_is_remembered_is_shown_as_it_was_written(here: Here) -> None:
    here("save", "Call memory_verify with path=src after each merge")
    assert "Call memory_verify with path=src after each merge" in here("recall", "after a merge").out
    assert "memory_verify" in here("search", "merge", "--json").out


def test_a_file_is_shown_as_it_is_written(here: Here, repository: Path) -> None:
    (repository / "call.py").write_text("memory_update(limit=5)\n" * 50)
    said = here("read", "call.py", "--limit", "2").out
    assert "1  memory_update(limit=5)" in said
    assert "--offset 3" in said
