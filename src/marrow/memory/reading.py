"""Reading a file of the project with what is known about the lines that are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.redact_lines import marks, redact_window
from ..model.scope import READ
from ..model.text import token_estimate
from ..repository.file_sorts import is_generated
from .anchors.checkout import Checkout
from .engine import Asker, Engine
from .known_here import Known, is_scanned, known_here, on_lines
from .known_lines import as_they_stand
from .project_files import project_file, project_root, read_bytes

LINE_LENGTH_MAX = 2_000
LINES_MAX = 20_000


class FileText(NamedTuple):
    """Lines of a file from `start` (1 is the first) to `end`, of `total`. `redacted` counts the secrets that were taken
    out, and `sort` says what is unusual about it. `known` are memories about these lines or the whole file."""

    path: str
    start: int
    end: int
    total: int
    lines: tuple[str, ...]
    known: tuple[Known, ...]
    redacted: int = 0
    sort: str = ""


def read_file(
    engine: Engine,
    asker: Asker,
    given: str,
    *,
    offset: int = 1,
    limit: int | None = None,
    budget_tokens: int | None = None,
) -> FileText:
    """The text of a file from a line on, as far as the limit and the budget go."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if offset < 0:
        raise Invalid("offset is the first line to read, from 1.", field="offset")
    if limit is not None and not 1 <= limit <= LINES_MAX:
        raise Invalid(f"limit is a number of lines from 1 to {LINES_MAX:,}.", field="limit")
    root = project_root(asker)
    file = project_file(root, given, field="file")
    content = read_bytes(file, field="file")
    # Lines as git and editors count them: in a text, a form feed would end one too.
    every = [line.decode("utf-8", "replace") for line in content.splitlines()]
    first = max(1, offset)
    if every and first > len(every):
        raise Invalid(f"{file.path} has {len(every):,} lines.", hint="Give an offset within them.", field="offset")
    chosen = every[first - 1 : first - 1 + (limit or LINES_MAX)]
    clean = redact_window(every, first - 1, first - 1 + len(chosen), engine.redact_extra)
    lines = [_cut(line) for line in clean]
    with engine.store.reading() as reader:
        found = known_here(reader, asker, [file.path], engine.clock()).get(file.path, [])
    found = as_they_stand(Checkout(root, redact_extra=engine.redact_extra), file.path, found)
    kept = _fitting(lines, budget_tokens, first)
    last = first + len(kept) - 1
    # What was read out of the code stands in these lines themselves.
    known = [one for one in on_lines(found, first, last) if not is_scanned(one)]
    secrets = marks(chosen[: len(kept)], clean[: len(kept)])
    sort = "generated" if is_generated(file.path, content) else ""
    return FileText(file.path, first, last, len(every), tuple(kept), tuple(known), secrets, sort)


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LENGTH_MAX else f"{line[:LINE_LENGTH_MAX]}… ({len(line):,} characters)"


def _fitting(lines: Sequence[str], budget: int | None, first: int) -> list[str]:
    """As many lines as the budget has room for, and at least one."""
    if budget is None:
        return list(lines)
    kept: list[str] = []
    for number, line in enumerate(lines, first):
        budget -= token_estimate(f"{number} {line}\n")
        if budget < 0 and kept:
            break
        kept.append(line)
    return kept
