"""Fill: take in what a repository says about itself, its files and its history. Done twice, it adds nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from ..ingest.history import COMMITS_MAX
from ..model.errors import Unavailable
from ..model.source import Source
from ..repository.identity import locate
from .engine import Asker, Engine
from .taking_in.codebase import ingest_codebase
from .taking_in.take_in import Progress, TakenIn
from .taking_in.talk import ingest_history

# Titles that nearly every project has, and nobody asks about.
_USUAL = frozenset(
    "installation install getting started usage quickstart quick start license licence contributing contributors "
    "table of contents changelog credits acknowledgements support faq links see also references authors readme code "
    "of conduct security policy release notes introduction overview documentation index".split()
)
_NUMBERED = re.compile(r"^(?:adr|rfc|decision)?[\s#-]*\d*\s*[:.–—-]*\s+", re.I)
# Reference pages are tables: a question about one is answered by a table.
_GENERATED = re.compile(r"\b(?:reference|api|spec)/|changelog|test", re.I)
QUESTIONS_MAX = 8
_VERBS = re.compile(r"(?:use|add|move|keep|make|drop|split|store|write|adopt|replace|remove|switch|introduce)\b", re.I)


class Filled(NamedTuple):
    """What was looked at, how much of it was new and how much had gone; `problem` says what could not be read, and
    `skipped` counts it. `questions` are some that this memory can answer, the likeliest first."""

    service: str
    files: int
    commits: int
    added: int
    changed: int
    gone: int
    skipped: int
    questions: tuple[str, ...]
    problem: str = ""

    @property
    def question(self) -> str:
        return self.questions[0]


def fill(engine: Engine, asker: Asker, root: str | os.PathLike[str], progress: Progress | None = None) -> Filled:
    """Take in the files and the commit messages of the repository at `root`."""
    code = ingest_codebase(engine, asker, str(root), progress=progress)
    commits, problem = _history(engine, asker, code.root, code.service)
    with engine.store.reading() as reader:
        read = reader.sources(asker.namespace, (asker.scope.project,), service=code.service)
    return Filled(
        service=code.service,
        files=code.files,
        commits=commits.total,
        added=code.taken.added + commits.added,
        changed=code.taken.changed,
        gone=code.taken.gone,
        skipped=len(code.taken.problems),
        questions=_questions([source for source in read if source.is_document]),
        problem=problem,
    )


def _history(engine: Engine, asker: Asker, root: str, service: str) -> tuple[TakenIn, str]:
    if locate(root) is None:
        return TakenIn(), ""
    try:
        return ingest_history(engine, asker, repo_path=root, service=service, limit=COMMITS_MAX).taken, ""
    except Unavailable as problem:
        return TakenIn(), problem.message


def _questions(read: Sequence[Source]) -> tuple[str, ...]:
    """What can be asked: why something was decided, or else about a document with a title of its own."""
    titles = (_NUMBERED.sub("", source.title).strip(" .?!:") for source in read if source.kind == "decision")
    why = [
        f"Why did we decide to {title[:1].lower()}{title[1:]}?" if _VERBS.match(title) else f"Why {_as_word(title)}?"
        for title in titles
        if title
    ]
    return tuple(why[:QUESTIONS_MAX]) or (_question(read),)


def _question(read: Sequence[Source]) -> str:
    prose = [source for source in read if source.kind == "document" and not _GENERATED.search(source.path)]
    telling = [source for source in prose if not _USUAL.issuperset(_words(source.title))]
    if telling:
        best = max(telling, key=lambda source: (2 <= len(source.title.split()) <= 8, source.size))
        return f"What should I know about {best.title.strip(' #.?!:')}?"
    subjects = [source.title for source in read if source.kind == "commit"] or [source.title for source in prose]
    return f"What about {subjects[0]}?" if subjects else "What is this project about?"


def _as_word(title: str) -> str:
    """As it stands in a sentence: "One daemon" is written small there, "SQLite" is not."""
    return title[:1].lower() + title[1:] if title[1:2].islower() and title.split()[0][1:].islower() else title


def _words(title: str) -> list[str]:
    return "".join(mark if mark.isalnum() else " " for mark in title.lower()).split()


__all__ = ["Filled", "fill"]
