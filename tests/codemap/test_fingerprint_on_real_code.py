"""Fingerprints on sources that were not written for them: our own, laid out anew by a formatter, and with one token of
them changed at a time."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.codemap.fingerprint import fingerprint

from ..source_tree import PACKAGE

LAYOUT = """line-length = 60
indent-width = 2
[format]
quote-style = "single"
skip-magic-trailing-comma = true
"""
# tree-sitter's grammar reads `*a.b` in a list otherwise when the list stands in brackets of its own.
MISREAD = frozenset(("changes.py",))
OPERATORS = {"+": "-", "-": "+", "*": "/", "<": "<=", ">": ">=", "<=": "<", ">=": ">", "==": "!=", "!=": "=="}
OPERATORS |= {"+=": "-=", "and": "or", "or": "and", "is": "is not", "True": "False", "[": "", "not": ""}
MUTATED = ("search/signals.py", "memory/forget.py", "model/merkle.py")


def test_a_formatter_changes_no_fingerprint(tmp_path: Path) -> None:
    before = {}
    for folder in ("model", "search", "memory"):
        shutil.copytree(PACKAGE / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in tmp_path.rglob("*.py"):
        before[file] = file.read_bytes()
    (tmp_path / "ruff.toml").write_text(LAYOUT)
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", "--no-cache", str(tmp_path)], check=True)
    changed = [file for file in before if file.read_bytes() != before[file]]
    assert len(changed) > 100
    wrong = [
        file.name
        for file in changed
        if file.name not in MISREAD and fingerprint("a.py", before[file]) != fingerprint("a.py", file.read_bytes())
    ]
    assert wrong == []


@pytest.mark.parametrize("name", MUTATED)
def test_no_changed_token_is_missed(name: str) -> None:
    source = (PACKAGE / name).read_text()
    whole = fingerprint("a.py", source.encode())
    mutants = list(mutated(source))
    assert len(mutants) > 60
    assert [one for one, text in mutants if fingerprint("a.py", text.encode()) == whole] == []


def mutated(source: str) -> Iterator[tuple[str, str]]:
    """The source with one token changed, for each that can be; with what was changed."""
    lines = source.splitlines(keepends=True)
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        new = changed_token(token, before)
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            before = token.type
        (row, start), (end_row, end) = token.start, token.end
        if new is not None and row == end_row:
            line = lines[row - 1]
            rest = lines[:]
            rest[row - 1] = line[:start] + new + line[end:]
            yield f"{row}: {token.string} -> {new}", "".join(rest)


def changed_token(token: tokenize.TokenInfo, before: int) -> str | None:
    if token.string in OPERATORS:
        return OPERATORS[token.string] or None
    if token.type == tokenize.NUMBER:
        return f"{token.string}1"
    if token.type == tokenize.NAME:
        return f"{token.string}_"
    if token.type == tokenize.STRING and before != tokenize.NEWLINE:  # one that stands alone is a comment
        return f"{token.string[:-1]}_{token.string[-1]}" if token.string[-3:] not in ('"""', "'''") else None
    return None
