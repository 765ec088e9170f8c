"""Compares the map with what a language's own tool says about the same files, for the benches of single languages.

The tool's answer, one object a file: `file`, `checked` (whether its calls were looked at), `symbols` with `kind` (type,
callable, field, variable), `name` and `line` (of the name), and `calls` with `line` and `column` (from 0, in bytes) of
the last name, `kind` (function, method, type, outside, variable, unknown), `name`, `owner` (the name of the type around
it), and where it is declared: `file` and `at` (the line).

Of a call whose answer is in the project, ours is right when it leads to the same declaration, or to another of that
name in the same type (an overload; counted apart as not exact). Ours is wrong when it leads elsewhere: also where the
tool's leads out of the project, or to a variable. Missed: the tool's is in the project, and we have none. What the tool
does not know is left out. An edge counts from the confidence `SURE`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import SOURCE_BYTES_MAX, captures, map_of, tree_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import CALLABLES, TYPES, FileMap, Symbol

SURE = 0.5
INSIDE = ("function", "method", "type")


class Skipped(Exception):
    """A package that cannot be had here."""


class Compared:
    """One package: its maps against the tool's answer."""

    def __init__(self, name: str, maps: Mapping[str, FileMap], others: Mapping[str, str], show: bool) -> None:
        self.name, self.maps, self.show = name, maps, show
        begun = time.perf_counter()
        resolver = Resolver(InMemory(maps, others))
        self.edges = {path: {e.call: e for e in resolver.edges(path)} for path in maps}
        self.resolve_seconds = time.perf_counter() - begun
        self.counts: Counter[str] = Counter()
        self.reasons: dict[str, list[int]] = {}
        self.kinds: dict[str, list[int]] = {}

    def compare(self, answers: Iterable[Mapping[str, Any]]) -> None:
        for answer in answers:
            path = answer["file"]
            if path not in self.maps:
                continue
            self._symbols(path, answer["symbols"])
            if answer["checked"]:
                self._calls(path, answer["calls"])

    def _symbols(self, path: str, theirs: Iterable[Mapping[str, Any]]) -> None:
        mine: dict[tuple[str, str], list[Symbol]] = {}
        for symbol in self.maps[path].symbols:
            if not symbol.name.startswith("$"):  # a class without a name
                mine.setdefault((sort_of(symbol), symbol.name), []).append(symbol)
        for one in theirs:
            same = [s for s in mine.get((one["kind"], one["name"]), ()) if s.start <= one["line"] <= s.end]
            if same:
                mine[one["kind"], one["name"]].remove(max(same, key=lambda s: s.start))
                self.counts["symbols both"] += 1
            else:
                self.counts["symbols theirs"] += 1
                self._say(f"symbol {path}:{one['line']} {one['kind']} {one['name']}: only theirs")
        for left in mine.values():
            for symbol in left:
                self.counts["symbols ours"] += 1
                self._say(f"symbol {path}:{symbol.start} {symbol.kind} {symbol.name}: only ours")

    def _calls(self, path: str, theirs: Iterable[Mapping[str, Any]]) -> None:
        found = self.maps[path]
        places = {(call.line, call.column): at for at, call in enumerate(found.calls)}
        for one in theirs:
            at = places.pop((one["line"], one["column"]), None)
            edge = self.edges[path].get(at) if at is not None else None
            edge = edge if edge is not None and edge.confidence >= SURE else None
            if one["kind"] == "unknown":
                self.counts["unknown"] += 1
                continue
            inside = one["kind"] in INSIDE
            if edge is None and not inside:
                continue
            verdict, target = "missed", None
            if edge is not None:
                target = self.maps[edge.path].symbols[edge.symbol]
                verdict = self._verdict(one, edge.path, target)
                tally = self.reasons.setdefault(edge.reason, [0, 0])
                tally[verdict == "wrong"] += 1
            self.counts["right" if verdict == "exact" else verdict] += 1
            self.counts["exact"] += verdict == "exact"
            tally = self.kinds.setdefault(one["kind"], [0, 0, 0])
            tally[{"missed": 1, "wrong": 2}.get(verdict, 0)] += 1
            if verdict in ("missed", "wrong"):
                chain = found.calls[at].chain if at is not None else "(no call)"
                ours = edge and target and (edge.path, target.qualified, target.start, edge.reason)
                truth = (one["kind"], one["file"], one["owner"], one["name"], one["at"])
                self._say(f"{verdict} {path}:{one['line']} {chain}: ours {ours}, theirs {truth}")
        self.counts["extra"] += sum(at in self.edges[path] for at in places.values())
        for place, at in places.items():
            if at in self.edges[path]:
                self._say(f"extra {path}:{place} {found.calls[at].chain}")

    def _verdict(self, one: Mapping[str, Any], path: str, target: Symbol) -> str:
        if one["kind"] not in INSIDE or path != one["file"] or target.name != one["name"]:
            return "wrong"
        if target.start <= one["at"] <= target.end:
            return "exact"
        owner = target.qualified.rpartition(".")[0].rpartition(".")[2]
        return "right" if owner == one["owner"] else "wrong"

    def _say(self, text: str) -> None:
        if self.show:
            print(f"  {text}")

    def row(self) -> dict[str, Any]:
        c = self.counts
        judged = c["right"] + c["wrong"] + c["missed"]
        total = c["symbols both"] + c["symbols theirs"] + c["symbols ours"]
        return {
            "package": self.name,
            "files": len(self.maps),
            "calls": sum(len(found.calls) for found in self.maps.values()),
            "symbols": c["symbols both"] / total if total else 0.0,
            "precision": c["right"] / (c["right"] + c["wrong"]) if c["right"] else 0.0,
            "recall": c["right"] / judged if judged else 0.0,
            "judged": judged,
            **{key: c[key] for key in ("right", "exact", "wrong", "missed", "unknown", "extra")},
            "symbol_counts": {key: c[f"symbols {key}"] for key in ("both", "theirs", "ours")},
            "kinds": self.kinds,
            "reasons": self.reasons,
            "resolve_seconds": self.resolve_seconds,
        }


def sort_of(symbol: Symbol) -> str:
    if symbol.kind in TYPES:
        return "type"
    if symbol.kind in CALLABLES:
        return "callable"
    return "field" if symbol.kind in ("field", "property") else "variable"


def mapped(place: Path, ending: str) -> tuple[dict[str, FileMap], dict[str, bytes]]:
    """The maps of the files below a folder, and the files."""
    paths = [path for path in sorted(place.rglob(f"*{ending}")) if path.is_file()]
    sources = {path.relative_to(place).as_posix(): path.read_bytes() for path in paths}
    for path in [path for path, source in sources.items() if len(source) > SOURCE_BYTES_MAX]:
        print(f"  left out, too large to be mapped: {path}")
        del sources[path]
    return {path: map_of(path, source) for path, source in sources.items()}, sources


def speed(language: Any, query: str, sources: Mapping[str, bytes]) -> dict[str, float]:
    """Seconds for parsing and querying alone, and for reading them into maps besides."""
    bare, whole = [], []
    run = captures(language.name, query)
    for _ in range(3):
        begun = time.process_time()  # of this process alone: others may run besides
        for source in sources.values():
            run(tree_of(language, source).root_node)
        bare.append(time.process_time() - begun)
        begun = time.process_time()
        for path, source in sources.items():
            map_of(path, source)
        whole.append(time.process_time() - begun)
    return {"parse_and_query": min(bare), "map": min(whole), "files_a_second": len(sources) / min(whole)}


def run(
    about: str, names: Iterable[str], measure: Callable[[str, bool], tuple[dict[str, Any], dict[str, float]]]
) -> None:
    """The command line of a bench: a table of packages, and the figures as JSON."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=list(names))
    parser.add_argument("--show", action="store_true", help="each call and symbol that is not right")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    rows = []
    head = f"{'package':14}{'files':>6}{'calls':>7}{'symbols':>9}{'precision':>11}{'recall':>8}{'judged':>8}"
    print(f"{head}{'exact':>7}{'unknown':>9}{'extra':>7}{'read/bare':>11}{'resolve s':>11}")
    for name in chosen.packages:
        try:
            row, times = measure(name, chosen.show)
        except Skipped as problem:
            print(f"{name:14} skipped: {problem}")
            continue
        row |= times
        rows.append(row)
        print(
            f"{name:14}{row['files']:>6}{row['calls']:>7}{row['symbols']:>9.4f}{row['precision']:>11.3f}"
            f"{row['recall']:>8.3f}{row['judged']:>8}{row['exact'] / max(1, row['right']):>7.2f}{row['unknown']:>9}"
            f"{row['extra']:>7}{row['map'] / row['parse_and_query'] - 1:>11.2f}{row['resolve_seconds']:>11.2f}",
            flush=True,
        )
    _totals(rows)
    if chosen.json:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps(rows, indent=1))


def _totals(rows: list[dict[str, Any]]) -> None:
    right, wrong, missed = (sum(row[key] for row in rows) for key in ("right", "wrong", "missed"))
    both, theirs, ours = (sum(row["symbol_counts"][key] for row in rows) for key in ("both", "theirs", "ours"))
    print(
        f"all: symbols {both / max(1, both + theirs + ours):.4f}, precision {right / max(1, right + wrong):.3f}, "
        f"recall {right / max(1, right + wrong + missed):.3f}"
    )
    kinds: dict[str, Counter[str]] = {}
    reasons: dict[str, Counter[str]] = {}
    for row in rows:
        for kind, counts in row["kinds"].items():
            kinds.setdefault(kind, Counter()).update(dict(zip(("right", "missed", "wrong"), counts, strict=True)))
        for reason, (good, bad) in row["reasons"].items():
            reasons.setdefault(reason, Counter()).update({"right": good, "wrong": bad})
    for kind, counts in sorted(kinds.items()):
        print(f"  {kind:10} right {counts['right']}, missed {counts['missed']}, wrong {counts['wrong']}")
    for reason, counts in sorted(reasons.items()):
        total = counts["right"] + counts["wrong"]
        print(f"  {reason:12} {counts['right'] / total:.3f} of {total}")
