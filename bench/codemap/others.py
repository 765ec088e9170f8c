"""How right the map is about the other languages: functions and types of real code, compared with universal-ctags.

    .venv/bin/python bench/codemap/others.py [--show 20] [--calls 0] language=folder …

    … ruby=/path/to/sinatra php=/path/to/guzzle kotlin=/path/to/okhttp

Folders of source are not brought along: name those at hand. Swift and Scala are not known to ctags: there, lines that
begin a definition, found by a plain pattern outside of comments and strings, take its place. A symbol is found when
one of ours has its name and lies around its line. `more` are those of ours, of the same kinds, that the other side does
not have. `reading` is the time that reading takes beyond the queries, against parsing and the queries themselves.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from marrow.codemap.facts import InMemory
from marrow.codemap.languages.table import language, language_of
from marrow.codemap.parse import query, tree_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import CALLABLES, TYPES, FileMap, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

Found = tuple[str, int]  # name, line

# Ours → ctags' name of the language, and the kinds of it that are compared.
CTAGS = {
    "csharp": ("C#", "class method interface struct enum"),
    "ruby": ("Ruby", "class method module singletonMethod"),
    "php": ("PHP", "class function interface trait"),
    "kotlin": ("Kotlin", "class interface object method"),
    "bash": ("Sh", "function"),
    "sql": ("SQL", "function procedure table trigger view index"),
    "markdown": ("Markdown", "chapter section subsection subsubsection l4subsection l5subsection"),
}
# What ctags takes for a definition and is none: parameters of lambdas in Kotlin. (And arrays in shell scripts: `x=`.)
WRITTEN = {"kotlin": re.compile(r"\b(?:fun|class|interface|object)\b")}
PATTERNS = {
    "swift": re.compile(
        r"^[ \t]*(?:(?:@\w+(?:\([^)\n]*\))?|public|private|fileprivate|internal|open|package|final|static|class"
        r"|override|mutating|nonmutating|indirect|nonisolated|required|convenience|private\(set\))[ \t]+)*"
        r"(?:func|class|struct|enum|protocol|actor)[ \t]+(?!func\b|var\b|let\b)([A-Za-z_]\w*)",
        re.M,
    ),
    "scala": re.compile(
        r"^[ \t]*(?:(?:@\w+(?:\([^)\n]*\))?|private(?:\[\w+\])?|protected(?:\[\w+\])?|final|sealed|abstract|implicit"
        r"|lazy|override|case|inline|transparent|open)[ \t]+)*(?:def|class|trait|object|enum)[ \t]+([A-Za-z_][\w$]*)",
        re.M,
    ),
}
OURS = TYPES | CALLABLES | {"module", "table", "trigger", "view", "index", "heading"}
ASIDE = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"""(?s:.*?)(?:"""|\Z)|"(?:\\.|[^"\\\n])*"', re.S)
BYTES_MAX = 1024 * 1024


def by_ctags(name: str, files: list[Path]) -> dict[str, list[Found]] | None:
    """What ctags finds, by file; None when it is not there."""
    tool = shutil.which("ctags")
    if tool is None:
        return None
    known, kinds = CTAGS[name]
    command = [tool, "--output-format=json", "--fields=NFPnK", f"--languages={known}", "-f", "-", "-L", "-"]
    given = "\n".join(map(str, files))
    done = subprocess.run(command, input=given, capture_output=True, text=True, errors="replace", check=True)
    wanted = set(kinds.split())
    found: dict[str, list[Found]] = defaultdict(list)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("kind") not in wanted or tag.get("name", "<").startswith(("__anon", "AnonymousClass", "<")):
            continue
        if tag["name"].endswith("=") and name == "bash":
            continue
        if name not in WRITTEN or WRITTEN[name].search(tag.get("pattern", "")):
            found[tag["path"]].append((tag["name"], tag["line"]))
    return found


def by_pattern(name: str, files: list[Path]) -> dict[str, list[Found]]:
    found: dict[str, list[Found]] = {}
    for path in files:
        text = path.read_text("utf-8", "replace")
        text = ASIDE.sub(lambda one: "\n" * one[0].count("\n"), text)
        found[str(path)] = [(one[1], text.count("\n", 0, one.start(1)) + 1) for one in PATTERNS[name].finditer(text)]
    return found


def compared(name: str, ours: FileMap, theirs: list[Found]) -> tuple[list[Found], list[Symbol]]:
    """What we miss, and what they do."""
    left = [symbol for symbol in ours.symbols if symbol.kind in OURS]
    by_name: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in left:
        by_name[_plain(name, symbol.name)].append(symbol)
    missed = []
    for tag, line in theirs:
        candidates = [s for s in by_name[_plain(name, tag)] if s.start - 1 <= line <= s.end]
        if not candidates:
            missed.append((tag, line))
            continue
        nearest = min(candidates, key=lambda s: abs(s.start - line))
        by_name[_plain(name, tag)].remove(nearest)
    return missed, [symbol for some in by_name.values() for symbol in some]


def _plain(name: str, text: str) -> str:
    """ctags gives names with what stands around them."""
    if name == "markdown":
        return re.sub(r"\W+", "", text)
    if name == "sql":
        text = text.rpartition(".")[2].strip('"`[]')
    return text.rpartition(".")[2].rpartition("::")[2].strip("`") if name != "csharp" else text.rpartition(".")[2]


def files_of(name: str, folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and language_of(path.name) == name and 0 < path.stat().st_size < BYTES_MAX:
            yield path


def measured(name: str, folder: Path, show: int, calls: int) -> dict[str, object] | None:
    files = list(files_of(name, folder))
    theirs = by_ctags(name, files) if name in CTAGS else by_pattern(name, files)
    if theirs is None:
        print(f"{name}: ctags is not there (Debian: universal-ctags); skipped.", file=sys.stderr)
        return None
    known = language(name)
    maps: dict[str, FileMap] = {}
    total, missed, more = 0, list[str](), list[str]()
    parsing = asking = reading = 0.0
    text = _query(known.read)
    size = 0
    for path in files:
        source = path.read_bytes()
        size += len(source)
        begun = time.perf_counter()
        tree = tree_of(known, source)
        parsed = time.perf_counter()
        if text:
            _ask(name, text, tree.root_node)
        asked = time.perf_counter()
        found = maps[path.relative_to(folder).as_posix()] = known.read(tree.root_node, source, path.name)
        read = time.perf_counter()
        parsing, asking, reading = parsing + parsed - begun, asking + asked - parsed, reading + read - asked
        tags = theirs.get(str(path), [])
        total += len(tags)
        lacks, adds = compared(name, found, tags)
        missed += [f"{path}:{line} {tag}" for tag, line in lacks]
        more += [f"{path}:{one.start} {one.kind} {one.qualified}" for one in adds]
    every = sum(len(found.calls) for found in maps.values())
    resolver = Resolver(InMemory(maps))
    begun = time.perf_counter()
    edges = [(file, edge) for file in maps for edge in resolver.edges(file)]
    resolving = time.perf_counter() - begun
    chosen = random.Random(7)
    for title, some in (("missed", missed), ("more", more)):
        for line in chosen.sample(some, min(show, len(some))):
            print(f"  {title}: {line}", file=sys.stderr)
    for file, edge in chosen.sample(edges, min(calls, len(edges))):
        call, target = maps[file].calls[edge.call], maps[edge.path].symbols[edge.symbol]
        print(
            f"  {file}:{call.line} {call.chain} → {edge.path}:{target.start} {target.qualified} ({edge.reason})",
            file=sys.stderr,
        )
    return {
        "language": name,
        "files": len(files),
        "symbols": total,
        "found": round(1 - len(missed) / max(1, total), 4),
        "missed": len(missed),
        "more": len(more),
        "with errors": sum(found.errors > 0 for found in maps.values()),
        "MB/s": round(size / 1e6 / (parsing + reading), 1),
        "reading": round((reading - asking) / (parsing + asking), 2),
        "calls": every,
        "resolved": round(len(edges) / max(1, every), 3),
        "resolving s": round(resolving, 1),
    }


def _query(read: object) -> str:
    module = sys.modules[read.__module__]
    return str(getattr(module, "QUERY", ""))


def _ask(name: str, text: str, node: Node) -> None:
    from tree_sitter import QueryCursor

    QueryCursor(query(name, text)).matches(node)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", metavar="language=folder")
    parser.add_argument("--show", type=int, default=0, help="differences to print for each language")
    parser.add_argument("--calls", type=int, default=0, help="resolved calls to print for each language")
    given = parser.parse_args()
    rows = []
    for one in given.sources:
        name, _, folder = one.partition("=")
        name = "bash" if name == "shell" else name
        if name not in CTAGS and name not in PATTERNS:
            parser.error(f"{name} is not compared here; known: {', '.join(sorted([*CTAGS, *PATTERNS]))}.")
        row = measured(name, Path(folder), given.show, given.calls)
        if row is not None:
            rows.append(row)
    for at, row in enumerate(rows):
        if not at:
            print(" | ".join(row))
        print(" | ".join(str(value) for value in row.values()))


if __name__ == "__main__":
    main()
