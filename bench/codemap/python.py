"""How right the map is about Python: symbols and calls of well-known packages, compared with what jedi says.

    .venv/bin/python bench/codemap/python.py [--calls 300] [--show] [package …]

The packages come from the index into .cache/codemap/python, at the versions below. jedi is slow, so calls are a seeded
sample. Of a call, jedi's answer counts when it leads to functions or classes. Right: ours is among them. Wrong: ours is
not, or jedi's lead out of the package while ours stays in it. Missed: jedi's is in the package, and we have none.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import jedi

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import CALLABLES

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "codemap" / "python"
PACKAGES = {
    "click": "8.1.8",
    "requests": "2.32.3",
    "flask": "3.1.0",
    "httpx": "0.28.1",
    "jinja2": "3.1.6",
    "rich": "13.9.4",
    "starlette": "0.46.1",
}
SURE = 0.5


def fetched(name: str) -> Path:
    """The folder that a package lies in, with what it needs beside it, so that jedi can look there."""
    place = CACHE / f"{name}-{PACKAGES[name]}"
    if not place.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place)]
        subprocess.run([*pip, f"{name}=={PACKAGES[name]}"], check=True, stderr=subprocess.DEVNULL)
    return place


def measured(name: str, calls: int, seed: int, show: bool) -> dict[str, object]:
    place = fetched(name)
    package = place / name
    maps = {}
    begun = time.perf_counter()
    for path in sorted(package.rglob("*.py")):
        maps[path.relative_to(place).as_posix()] = map_of(path.name, path.read_bytes())
    resolver = Resolver(InMemory(maps))
    edges = {path: {e.call: e for e in resolver.edges(path)} for path in maps}
    took = time.perf_counter() - begun
    project = jedi.Project(str(place))
    scripts = {path: jedi.Script(path=str(place / path), project=project) for path in maps}
    symbols = _symbols(scripts, maps, show)
    every = [(path, at) for path, found in maps.items() for at in range(len(found.calls))]
    sample = random.Random(seed).sample(every, min(calls, len(every)))
    right = wrong = missed = unknown = 0
    reasons: dict[str, list[int]] = {}
    for path, at in sample:
        call = maps[path].calls[at]
        truth = _truth(scripts[path], call.line, call.column, place)
        edge = edges[path].get(at)
        edge = edge if edge is not None and edge.confidence >= SURE else None
        inside = {t for t in truth or () if t[0] in maps}
        ours = None
        if edge is not None:
            target = maps[edge.path].symbols[edge.symbol]
            ours = (edge.path, target.name, target.start, target.end)
        if truth is None:
            unknown += 1
            continue
        good = ours is not None and any(
            p == ours[0] and ours[2] <= line <= ours[3] and n == ours[1] for p, n, line in inside
        )
        if ours is None and not inside:
            continue
        if good:
            right += 1
        elif ours is not None:
            wrong += 1
        else:
            missed += 1
        if edge is not None:
            tally = reasons.setdefault(edge.reason, [0, 0])
            tally[0 if good else 1] += 1
        if show and not good:
            said = ours and (*ours[:3], edge and edge.reason)
            print(f"  {path}:{call.line} {call.chain}: ours {said}, jedi {sorted(truth)[:2]}")
    found = right + wrong
    return {
        "package": name,
        "files": len(maps),
        "calls": len(every),
        "resolved": sum(len(e) for e in edges.values()),
        "symbols": symbols,
        "precision": right / found if found else 0.0,
        "recall": right / (right + missed + wrong) if right else 0.0,
        "right": right,
        "wrong": wrong,
        "missed": missed,
        "unknown": unknown,
        "seconds": took,
        "reasons": reasons,
    }


def _symbols(scripts: dict[str, jedi.Script], maps: dict, show: bool) -> float:
    """The share of functions and classes, ours and jedi's together, that both have."""
    both = only_theirs = total = 0
    for path, script in scripts.items():
        mine = [s for s in maps[path].symbols if s.kind in CALLABLES or s.kind == "class"]
        total += len(mine)
        for name in script.get_names(all_scopes=True, definitions=True, references=False):
            start = name.get_definition_start_position()
            if name.type not in ("function", "class", "property") or start is None:
                continue
            if not script._code_lines[start[0] - 1][start[1] :].startswith(("def ", "class ", "async ")):
                continue
            same = [s for s in mine if s.name == name.name and s.start <= name.line <= s.end]
            if same:
                mine.remove(max(same, key=lambda s: s.start))
                both += 1
            else:
                only_theirs += 1
                if show:
                    print(f"  symbol {path}:{name.line} {name.name}: only theirs")
        if show:
            for s in mine:
                print(f"  symbol {path}:{s.start} {s.name}: only ours")
    return both / (total + only_theirs)


def _truth(script: jedi.Script, line: int, column: int, place: Path) -> set[tuple[str, str, int]] | None:
    """What is called, as (path, name, line); None where jedi does not know."""
    try:
        found = script.goto(line, column, follow_imports=True)
        if not found or any(d.type not in ("function", "class") for d in found):
            found = script.infer(line, column)
    except Exception:  # noqa: BLE001  jedi fails in many ways on real code
        return None
    known = [d for d in found if d.type in ("function", "class") and d.module_path is not None]
    if not known or any(d.type not in ("function", "class") for d in found):
        return None
    result = set()
    for d in known:
        try:
            path = Path(d.module_path).relative_to(place).as_posix()
        except ValueError:
            path = str(d.module_path)
        result.add((path, d.name, d.line or 0))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    rows = []
    print(
        f"{'package':12}{'files':>6}{'calls':>7}{'symbols':>9}{'precision':>11}{'recall':>8}{'judged':>8}{'unknown':>9}"
    )
    for name in chosen.packages:
        row = measured(name, chosen.calls, chosen.seed, chosen.show)
        rows.append(row)
        judged = row["right"] + row["wrong"] + row["missed"]
        print(
            f"{name:12}{row['files']:>6}{row['calls']:>7}{row['symbols']:>9.3f}{row['precision']:>11.3f}"
            f"{row['recall']:>8.3f}{judged:>8}{row['unknown']:>9}",
            flush=True,
        )
    right, wrong, missed = (sum(row[k] for row in rows) for k in ("right", "wrong", "missed"))
    print(f"all: precision {right / (right + wrong):.3f}, recall {right / (right + wrong + missed):.3f}")
    reasons: dict[str, list[int]] = {}
    for row in rows:
        for reason, (good, bad) in row["reasons"].items():
            tally = reasons.setdefault(reason, [0, 0])
            tally[0], tally[1] = tally[0] + good, tally[1] + bad
    for reason, (good, bad) in sorted(reasons.items()):
        print(f"  {reason:12} {good / (good + bad):.3f} of {good + bad}")
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
