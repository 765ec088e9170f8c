"""Edits of real-looking sources, each with an anchor and the verdict that is right for it."""

from __future__ import annotations

from . import c, go, java, python, repository, rust, texts, typescript
from .case import Case

CASES: tuple[Case, ...] = (
    *python.CASES,
    *typescript.CASES,
    *go.CASES,
    *java.CASES,
    *rust.CASES,
    *c.CASES,
    *texts.CASES,
    *repository.CASES,
)
