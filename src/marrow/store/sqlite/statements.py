"""The statements, and where they lie."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

# Where the statements and the migrations lie. Not by `importlib.resources`, which is a quarter of the time of opening.
FOLDER = Path(__file__).parent
# The fact that says: something was erased, and the file was not swept since.
SWEEP_DUE = "sweep_due"
# Which way of making terms (`store/terms.py`) the index of words was written with. What changes the terms of a text is
# another one: the index is then made again.
TERMS, TERMS_FORM = "terms", "2"


@lru_cache(maxsize=1)
def queries() -> dict[str, str]:
    """The named statements of queries.sql."""
    text = FOLDER.joinpath("queries.sql").read_text(encoding="utf-8")
    named = (part.partition("\n") for part in text.split("-- name: ")[1:])
    return {name.strip(): body.strip() for name, _, body in named}
