"""`marrow tour`: the first minute. Fills a memory from the repository at hand, asks it something, says what to try."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...app import current_directory
from ...model.errors import NotFound
from ...operations.run import Answer
from .invocation import Invocation
from .progress import Progress

if TYPE_CHECKING:
    from ...app import Filled, Memory

TOLD_KINDS = frozenset(("decision", "code", "commit"))
ANSWER_TOKENS, MAP_TOKENS, CALLERS_SHOWN = 900, 400, 8
CLONE = Path(__file__).resolve().parents[4]  # where Marrow's own sources are, when it runs from a clone


@dataclass(frozen=True, slots=True)
class Toured:
    """What the tour did, and what to try next."""

    folder: str
    project: str
    store: str
    filled: Filled
    fill_seconds: float
    question: str
    answer: Answer
    answer_seconds: float
    map: Answer
    map_seconds: float
    file: Answer | None
    callers: Answer | None
    commands: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        filled = self.filled
        return {
            "folder": self.folder,
            "project": self.project,
            "store": self.store,
            "service": filled.service,
            "files": filled.files,
            "commits": filled.commits,
            "added": filled.added,
            "changed": filled.changed,
            "gone": filled.gone,
            "skipped": filled.skipped,
            "problem": filled.problem,
            "fill_seconds": round(self.fill_seconds, 3),
            "question": self.question,
            "answer": self.answer.plain(),
            "answer_seconds": round(self.answer_seconds, 4),
            "map": self.map.plain(),
            "map_seconds": round(self.map_seconds, 3),
            "function_map": self.file.plain() if self.file else None,
            "callers": self.callers.plain() if self.callers else None,
            "commands": list(self.commands),
        }


def run_tour(call: Invocation, path: str, question: str) -> None:
    folder, asked = _folder_and_question(path, question)
    store = call.store or str(_store_for(folder))
    with replace(call, store=store).open(folder, project=call.project) as memory:
        toured = _tour(call, memory, folder, store, asked)
    if call.output.json:
        call.output.data(toured.plain())
    else:
        _tell(call, toured)


def _folder_and_question(path: str, question: str) -> tuple[Path, str]:
    """The first word is a folder if there is one of that name; else it begins the question."""
    if not path:
        return Path(current_directory()), question
    folder = Path(path).expanduser()
    if folder.is_dir():
        return folder.resolve(), question
    if folder.exists() or os.sep in path:
        raise NotFound(f"{path} is no folder.", hint="Give the folder of a repository, or none.", field="path")
    return Path(current_directory()), f"{path} {question}".strip()


def _tour(call: Invocation, memory: Memory, folder: Path, store: str, asked: str) -> Toured:
    started = time.perf_counter()
    with Progress(call.output, "filling the memory") as progress:
        filled = memory.fill(progress=progress)
    between = time.perf_counter()
    question, answer, answer_seconds = _answered(memory, (asked,) if asked else filled.questions)
    answered = time.perf_counter()
    with Progress(call.output, "mapping the code") as progress:
        mapped = memory.perform("memory_map", {"depth": 1, "budget_tokens": MAP_TOKENS}, progress=progress)
    map_seconds = time.perf_counter() - answered
    file, callers = _looked_at(memory, mapped)
    return Toured(
        folder=str(memory.identity.root or folder),
        project=memory.project,
        store=store,
        filled=filled,
        fill_seconds=between - started,
        question=question,
        answer=answer,
        answer_seconds=answer_seconds,
        map=mapped,
        map_seconds=map_seconds,
        file=file,
        callers=callers,
        commands=_commands(memory, store, question, mapped, is_here=_top(folder) == _top(Path.cwd())),
    )


def _answered(memory: Memory, questions: Sequence[str]) -> tuple[str, Answer, float]:
    """The question whose answer shows most: the decision, the code and the commit. With its answer, and the seconds
    that it took."""
    best: tuple[int, str, Answer, float] | None = None
    for question in questions:
        started = time.perf_counter()
        answer = memory.perform("ask", {"question": question, "budget_tokens": ANSWER_TOKENS})
        seconds = time.perf_counter() - started
        shown = len(TOLD_KINDS.intersection(item.kind for item in answer.result.items))
        if best is None or shown > best[0]:
            best = (shown, question, answer, seconds)
        if shown == len(TOLD_KINDS):
            break
    assert best is not None, "there is always a question"
    return best[1:]


def _looked_at(memory: Memory, mapped: Answer) -> tuple[Answer | None, Answer | None]:
    """The file of the function that is called most, and who calls it."""
    found = mapped.result.most_called
    if not found:
        return None, None
    one = found[0]
    file = memory.perform("code_function_map", {"path": one["path"], "budget_tokens": MAP_TOKENS})
    symbol = f"{one['path']}::{one['name']}"
    return file, memory.perform("code_callers", {"symbol": symbol, "limit": CALLERS_SHOWN, "loose": False})


def _tell(call: Invocation, toured: Toured) -> None:
    filled = toured.filled
    say = call.output.text
    say(f"A memory for {toured.folder}")
    say(f"  project {toured.project}, in {toured.store}")
    read = f"{_count(filled.files, 'file')} and {_count(filled.commits, 'commit message')}"
    say(f"  looked at {read} in {toured.fill_seconds:.1f} s: {_news(filled)}")
    if filled.problem:
        call.output.note(f"  the history could not be read: {filled.problem}")
    say(f"\nAsked: {toured.question}")
    call.output.answer(toured.answer)
    say(f"Answered in {toured.answer_seconds * 1000:.0f} ms.\n")
    _tell_code(call, toured)
    say("\n".join(["Try next:", *(f"  {line}" for line in toured.commands)]))


def _tell_code(call: Invocation, toured: Toured) -> None:
    """What the map has, the file that most of the project leans on, and who calls what is called most."""
    say, found = call.output.text, toured.map.result
    if not found.files:
        return
    size = f"{_count(found.files, 'file')} with {_count(found.symbols, 'symbol')}"
    mapped = f"Mapped {size} in {toured.map_seconds:.1f} s."
    parts = [part for part in (toured.file, toured.callers) if part is not None]
    say(f"{mapped} The file that most of it leans on, and who calls it most:\n" if parts else mapped)
    for part in parts:
        call.output.answer(part)
    say("")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _news(filled: Filled) -> str:
    if not filled.files and not filled.commits:
        return "there is nothing to read here yet."
    counts = (("new", filled.added), ("changed", filled.changed), ("no longer there", filled.gone))
    told = ", ".join(f"{count:,} {what}" for what, count in counts if count)
    left = f"; {filled.skipped:,} not read (empty, generated or too large)" if filled.skipped else ""
    return f"{told or 'nothing new, all of it was known'}{left}."


def _commands(memory: Memory, store: str, question: str, mapped: Answer, *, is_here: bool) -> tuple[str, ...]:
    words = ["--store", _short_path(store)] if is_here else ["--store", store, "--project", memory.project]
    start = f"{_program()} {' '.join(map(shlex.quote, words))}"
    return (
        f"{start} ask {shlex.quote(question)}",
        f"{start} search --kinds commit --limit 5",
        *(
            f"{start} code impact {shlex.quote(one['path'] + '::' + one['name'])}"
            for one in mapped.result.most_called[:1]
        ),
        f"{start} save --domain decisions {shlex.quote('We decided …, because …')}",
    )


def _program() -> str:
    """How this program was called, as it can be called again."""
    called = Path(sys.argv[0])
    if called.name != "marrow":
        return f"{_short_path(sys.executable)} -m marrow"
    on_path = shutil.which("marrow")
    is_same = on_path is not None and os.path.realpath(on_path) == os.path.realpath(called)
    return "marrow" if is_same else _short_path(str(called))


def _short_path(path: str) -> str:
    """A path from here where that is shorter."""
    try:
        from_here = os.path.relpath(path)
    except ValueError:  # on another drive
        return path
    return from_here if len(from_here) < len(path) and not from_here.startswith("..") else path


def _store_for(folder: Path) -> Path:
    """The tour's own store: in the clone when this is Marrow's, or else a temporary file that the next tour finds."""
    top = _top(folder)
    if top == CLONE and (CLONE / "pyproject.toml").is_file():
        place = CLONE / ".cache"
        place.mkdir(exist_ok=True)
        return place / "tour-2.db"
    return _temporary_folder() / f"{sha256(os.fsencode(top)).hexdigest()[:16]}.db"


def _temporary_folder() -> Path:
    """A folder of this user's alone. A name that anyone could have taken is only used if it is ours."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    place = Path(tempfile.gettempdir()) / f"marrow-tour-{user}"
    place.mkdir(mode=0o700, exist_ok=True)
    about = place.lstat()
    is_ours = stat.S_ISDIR(about.st_mode) and (not hasattr(os, "getuid") or about.st_uid == user)
    if is_ours and (os.name == "nt" or not about.st_mode & 0o077):
        return place
    return Path(tempfile.mkdtemp(prefix="marrow-tour-"))


def _top(folder: Path) -> Path:
    """The repository's folder, or the folder itself outside of one."""
    real = folder.resolve()
    return next((place for place in (real, *real.parents) if (place / ".git").exists()), real)
