"""The terms of a question as the keyword index's language has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SUBSTRING_TERMS_MAX = 200
VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"


def in_index(terms: Sequence[str], execute: Callable[..., Any], containing: str) -> list[str]:
    """Each term as a query; `containing` is the statement that finds the terms with a part."""
    found: list[str] = []
    for term in terms:
        core = term.strip("*").replace('"', "")
        if term.startswith("*"):
            found.append(" OR ".join(f'"{known}"' for known in _with_part(core, execute, containing)))
        elif core:
            found.append(f'"{core}"*' if term.endswith("*") else f'"{core}"')
    return [query for query in dict.fromkeys(found) if query]


def _with_part(part: str, execute: Callable[..., Any], containing: str) -> list[str]:
    if not part:
        return []
    execute(VOCABULARY)
    escaped = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = execute(containing, {"pattern": f"%{escaped}%", "limit": SUBSTRING_TERMS_MAX})
    return [term for (term,) in rows]
