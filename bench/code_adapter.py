"""Answers questions about the code of a repository, one JSON line each, in order: what code-memory benchmarks ask.

    .venv/bin/python bench/code_adapter.py REPOSITORY < questions.jsonl > answers.jsonl

A question: {"id": …, "op": OP, …}. An answer: {"id": …, "ok": true, "results": [{name, qualified, kind, path, line,
end_line, …}]}, or {"id": …, "ok": false, "error": {code, message, hint}}. Nothing found is an empty list. The fields of
a question may go by the names that are in use: op, query, type or action; symbol, name, target or function; file or
path.

    lookup         symbol                   where symbols of this name are defined
    callers        symbol                   the functions that call it; with line, confidence and reason of each call
    callees        symbol                   what it calls in the project
    contained_by   symbol                   what it is in, from the innermost outwards, the file last
    implementors   symbol                   the types that extend or implement it; of a method, its overrides
    orphans        path?                    functions that nobody calls
    file_symbols   path                     the symbols of a file, in order

A name that several symbols have is answered for all of them. The map is kept in a folder of its own and brought up to
date once, at the start; {"op": "refresh"} does it again.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from marrow.memory.code.callees import callees
from marrow.memory.code.callers import callers
from marrow.memory.code.find import matching
from marrow.memory.code.kept_map import KeptMap, inside, map_at
from marrow.memory.code.orphans import orphans
from marrow.memory.code.type_relations import contained_by, implementors, overrides
from marrow.model.code import CALLABLES
from marrow.model.errors import Invalid, MarrowError, NotFound
from marrow.store.code.reader import Known, MapReader

Question = Mapping[str, Any]
Found = list[dict[str, Any]]
OPS, SYMBOLS, PATHS = ("op", "query", "type", "action"), ("symbol", "name", "target", "function"), ("path", "file")


def shown(one: Known, **more: object) -> dict[str, Any]:
    place = {"name": one.name, "qualified": one.qualified, "kind": one.kind, "path": one.path, "line": one.start}
    return {**place, "end_line": one.stop, **more}


def given(question: Question, names: Iterable[str]) -> str:
    return next((str(question[name]) for name in names if question.get(name)), "")


def asked(reader: MapReader, question: Question) -> list[Known]:
    name, path = given(question, SYMBOLS), given(question, PATHS)
    if not name:
        raise Invalid("No symbol is named.", hint="Give one as symbol.", field="symbol")
    try:
        found = matching(reader, f"{path}::{name}" if path else name)
    except NotFound:
        return []
    return found


def lookup(reader: MapReader, question: Question) -> Found:
    return [shown(one) for one in asked(reader, question)]


def called_by(reader: MapReader, question: Question) -> Found:
    rows: dict[tuple[str, int, str], dict[str, Any]] = {}
    for symbol in asked(reader, question):
        for site in callers(reader, symbol, loose=False).sites:
            caller = site.caller
            place = (site.path, site.line, caller.qualified if caller else "")
            about = {"call_line": site.line, "confidence": site.confidence, "reason": site.reason}
            if caller is None:  # the file itself
                name = site.path.rpartition("/")[2]
                rows[place] = {"name": name, "qualified": "", "kind": "file", "path": site.path, "line": 1, **about}
            else:
                rows[place] = shown(caller, **about)
    return list(rows.values())


def calls(reader: MapReader, question: Question) -> Found:
    rows: dict[int, dict[str, Any]] = {}
    for symbol in asked(reader, question):
        for one in callees(reader, symbol).found:
            if one.target is not None:
                about = {"call_line": one.line, "confidence": one.confidence, "reason": one.reason}
                rows.setdefault(one.target.id, shown(one.target, **about))
    return list(rows.values())


def around(reader: MapReader, question: Question) -> Found:
    rows: Found = []
    for symbol in asked(reader, question):
        rows += [shown(one) for one in contained_by(reader, symbol)]
        rows.append({"name": symbol.path, "qualified": "", "kind": "file", "path": symbol.path, "line": 1})
    return rows


def below(reader: MapReader, question: Question) -> Found:
    rows: Found = []
    for symbol in asked(reader, question):
        found = overrides(reader, symbol) if symbol.kind in CALLABLES else implementors(reader, symbol)
        rows += [shown(one) for one in found]
    return rows


def uncalled(reader: MapReader, question: Question) -> Found:
    return [shown(one) for one in orphans(reader, given(question, PATHS))]


def of_file(reader: MapReader, question: Question) -> Found:
    file = reader.file_at(given(question, PATHS) or given(question, SYMBOLS))
    return [shown(one) for one in reader.symbols_of(file.id)] if file is not None else []


ANSWERS: dict[str, Callable[[MapReader, Question], Found]] = {
    "lookup": lookup,
    "callers": called_by,
    "callees": calls,
    "contained_by": around,
    "implementors": below,
    "orphans": uncalled,
    "file_symbols": of_file,
}


def answer(kept: KeptMap, line: str) -> dict[str, Any]:
    identity: Any = None
    try:
        question = json.loads(line)
        if not isinstance(question, dict):
            raise Invalid("A question is a JSON object.")
        identity, op = question.get("id"), given(question, OPS)
        if op == "refresh":
            kept.update(now())
            return {"id": identity, "ok": True, "results": []}
        if op not in ANSWERS:
            raise Invalid(f"{op!r} is no question.", hint=f"One of {', '.join(ANSWERS)}.", field="op")
        if path := given(question, PATHS):
            question = {**question, "path": inside(kept.root, path), "file": ""}
        with kept.reading() as reader:
            return {"id": identity, "ok": True, "results": ANSWERS[op](reader, question)}
    except json.JSONDecodeError as problem:
        return {"id": None, "ok": False, "error": {"code": "invalid", "message": f"No JSON: {problem}."}}
    except MarrowError as problem:
        error = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        return {"id": identity, "ok": False, "error": error}


def now() -> int:
    return time.time_ns() // 1000


def answers(root: Path, lines: Iterable[str]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        kept = map_at(folder, str(root.resolve()))
        kept.update(now())
        for line in lines:
            if line.strip():
                yield json.dumps(answer(kept, line), ensure_ascii=False)


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    for line in answers(Path(sys.argv[1]), sys.stdin):
        print(line, flush=True)


if __name__ == "__main__":
    main()
