"""How right the map is about Rust: symbols and calls of well-known crates, compared with what the compiler says.

    .venv/bin/python bench/codemap/rust.py [--show] [crate …]

`rust_truth.py` says where the crates and the compiler's answers come from. All calls count that the compiler has
compiled (not those that are configured away), also those that the map does not see at all. Right: ours is what the
compiler names, or, where that is a method of a trait, the trait's own or the type's. Wrong: ours is something else, or
the compiler's is not in the crate. Missed: the compiler's is in the crate, and we have none.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from rust_truth import REGISTRY, Target, calls, links, missing, prepare, symbols

from marrow.codemap.facts import InMemory, Ref
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import CALLABLES, TOP, FileMap, Symbol

CRATES = "semver anyhow regex serde_json hashbrown aho_corasick clap tokio rand indexmap".split()
SURE = 0.5


def folder_of(crate: str) -> Path:
    for name in (crate, crate.replace("_", "-")):
        found = sorted(path for path in REGISTRY.glob(f"{name}-[0-9]*"))
        if found:
            return found[0]
    raise SystemExit(f"{crate}: no such crate; it can be one of {', '.join(CRATES)}.")


class Crate:
    """A crate as the map has it."""

    def __init__(self, name: str) -> None:
        self.name, self.folder = name, folder_of(name)
        begun = time.perf_counter()
        self.maps: dict[str, FileMap] = {}
        for path in sorted((self.folder / "src").rglob("*.rs")):
            inside = path.relative_to(self.folder).as_posix()
            self.maps[inside] = map_of(inside, path.read_bytes())
        resolver = Resolver(InMemory(self.maps, {"Cargo.toml": (self.folder / "Cargo.toml").read_text()}))
        self.edges = {path: {e.call: e for e in resolver.edges(path)} for path in self.maps}
        self.seconds = time.perf_counter() - begun
        self.named: dict[str, list[Ref]] = {}
        others = {path.name.rpartition("-")[0].replace("-", "_") for path in REGISTRY.iterdir()}
        self.outside = {"std", "core", "alloc", *others} - {name}
        for path, found in self.maps.items():
            for at, symbol in enumerate(found.symbols):
                self.named.setdefault(symbol.name, []).append((path, at))

    def symbol(self, ref: Ref) -> Symbol:
        return self.maps[ref[0]].symbols[ref[1]]

    def in_macro(self, path: str, line: int) -> bool:
        """What stands in the definition of a macro is called by nobody there."""
        return any(s.kind == "macro" and s.start <= line <= s.end for s in self.maps[path].symbols)

    def meant(self, target: Target) -> set[Ref]:
        """The symbols that the compiler's path can mean."""
        found = set()
        trait_outside = target.trait_modules[:1] and target.trait_modules[0] in self.outside
        owner_outside = bool(target.modules[:1]) and target.modules[0] in self.outside
        if owner_outside and not target.trait:
            return found
        for path, at in self.named.get(target.name, ()):
            symbol = self.symbol((path, at))
            if symbol.kind not in CALLABLES:
                continue
            parent = self.symbol((path, symbol.parent)) if symbol.parent != TOP else None
            in_trait = parent is not None and parent.kind == "trait"
            if target.trait:
                if in_trait and parent is not None and parent.name == target.trait and not trait_outside:
                    found.add((path, at))
                elif not owner_outside and symbol.receiver and _last(symbol.receiver) == target.owner:
                    found |= {(path, at)} if target.trait in map(_last, symbol.bases) else set()
            elif target.owner:
                if symbol.receiver and _last(symbol.receiver) == target.owner and not symbol.bases:
                    found |= {(path, at)} if self._is_there(path, symbol, target) else set()
                elif in_trait and parent is not None and parent.name == target.owner:
                    found.add((path, at))
            elif not symbol.receiver and not in_trait and self._in_modules(path, symbol, target.modules):
                found.add((path, at))
        return found

    def _is_there(self, path: str, symbol: Symbol, target: Target) -> bool:
        """Where types share a name, the module has to be the right one too."""
        types = [
            ref for ref in self.named.get(target.owner, ()) if self.symbol(ref).kind in ("struct", "enum", "union")
        ]
        if len({ref[0] for ref in types}) < 2:
            return True
        return self._in_modules(path, symbol, target.modules)

    def _in_modules(self, path: str, symbol: Symbol, modules: tuple[str, ...]) -> bool:
        """Whether a symbol's modules are those, but for names that `#[path]` and functions in functions add."""
        parents, at = [], symbol.parent
        while at != TOP:
            parents.append(self.maps[path].symbols[at].name)
            at = self.maps[path].symbols[at].parent
        here = (*_modules(path), *reversed(parents))
        return here == modules or (
            (set(here) <= set(modules) or set(modules) - {"?"} <= set(here)) and bool(here or modules)
        )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _modules(path: str) -> list[str]:
    parts = path.removeprefix("src/").removesuffix(".rs").split("/")
    return [part for part in parts if part not in ("lib", "main", "mod")]


def measured(name: str, show: bool) -> dict[str, object]:
    crate = Crate(name)
    told = calls(name, crate.folder)
    tally: Counter[str] = Counter()
    reasons: dict[str, list[int]] = {}
    seen = set()
    for path, found in crate.maps.items():
        made = {(line, column): (file, at) for line, column, _, file, at in links(name, path.removeprefix("src/"))}
        for at, call in enumerate(found.calls):
            place = (path, call.line, call.column)
            seen.add(place)
            edge = crate.edges[path].get(at)
            ours = (edge.path, edge.symbol) if edge is not None and edge.confidence >= SURE else None
            if place in told:
                meant = {ref for target in told[place] for ref in crate.meant(target)}
                said: object = sorted(told[place])
            elif (call.line, call.column) in made and _is_made(call.chain):
                file, line = made[call.line, call.column]
                meant = _at(crate, f"src/{file}", line, _bare(call.chain)) if file else set()
                said = made[call.line, call.column]
            else:
                tally["unknown"] += 1
                continue
            verdict = _verdict(ours, meant)
            tally[verdict] += 1
            if edge is not None and verdict in ("right", "wrong"):
                reasons.setdefault(edge.reason, [0, 0])[verdict == "wrong"] += 1
            if show and verdict in ("wrong", "missed"):
                mine = ours and (ours[0], crate.symbol(ours).qualified, crate.symbol(ours).start, edge and edge.reason)
                print(f"  {verdict} {path}:{call.line}:{call.column} {call.chain}: ours {mine}, rustc {said}")
    for place in told.keys() - seen:
        if not crate.in_macro(place[0], place[1]) and any(crate.meant(target) for target in told[place]):
            tally["unseen"] += 1
            if show:
                print(f"  unseen {place}: {sorted(told[place])}")
    right, wrong, lost = tally["right"], tally["wrong"], tally["missed"] + tally["unseen"]
    return {
        "crate": crate.folder.name,
        "files": len(crate.maps),
        "calls": sum(len(found.calls) for found in crate.maps.values()),
        "symbols": _symbols(crate, show),
        "precision": right / (right + wrong) if right else 0.0,
        "recall": right / (right + wrong + lost) if right else 0.0,
        **{key: tally[key] for key in ("right", "wrong", "missed", "unseen", "unknown")},
        "seconds": crate.seconds,
        "reasons": reasons,
    }


def _verdict(ours: Ref | None, meant: set[Ref]) -> str:
    if ours is None:
        return "missed" if meant else "outside"
    return "right" if ours in meant else "wrong"


def _bare(chain: str) -> str:
    return _last(chain).removesuffix("{}").removesuffix("!")


def _is_made(chain: str) -> bool:
    return chain.endswith(("{}", "!")) or _bare(chain)[:1].isupper()


def _at(crate: Crate, path: str, line: int, name: str) -> set[Ref]:
    found = crate.maps.get(path)
    return {
        (path, at)
        for at, symbol in enumerate(found.symbols if found else ())
        if symbol.name == name and (symbol.start <= line <= symbol.end or symbol.kind in ("struct", "macro"))
    } or {
        (path, at)  # `Self { … }`
        for at, symbol in enumerate(found.symbols if found else ())
        if symbol.start <= line <= symbol.end and symbol.kind in ("struct", "enum", "union")
    }


def _symbols(crate: Crate, show: bool) -> float:
    """The share of symbols, ours and the parser's together, that both have."""
    told = symbols([crate.folder / path for path in crate.maps])
    both = apart = 0
    for path, found in crate.maps.items():
        theirs = told[str(crate.folder / path)]
        if any(kind == "unread" for kind, *_ in theirs):
            continue
        hidden = [(first, last) for kind, first, last, _ in theirs if kind == "tokens"]
        mine = [s for s in found.symbols if not any(first <= s.start and s.end <= last for first, last in hidden)]
        for kind, line, last, name in theirs:
            if kind == "tokens":
                continue
            wanted = "constant" if kind == "variant" else kind
            same = [s for s in mine if s.name == name and s.kind == wanted and s.start <= line and s.end == last]
            if same:
                mine.remove(max(same, key=lambda s: s.start))
                both += 1
            else:
                apart += 1
                if show:
                    print(f"  symbol {path}:{line} {kind} {name}: only theirs")
        apart += len(mine)
        if show:
            for s in mine:
                print(f"  symbol {path}:{s.start} {s.kind} {s.name}: only ours")
    return both / (both + apart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("crates", nargs="*", default=CRATES)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    lacking = missing()
    if lacking:
        print(f"Skipped: {lacking}.", file=sys.stderr)
        return
    prepare()
    rows = []
    print(
        f"{'crate':22}{'files':>6}{'calls':>7}{'symbols':>9}{'precision':>11}{'recall':>8}{'judged':>8}{'unseen':>8}"
        f"{'unknown':>9}"
    )
    for name in chosen.crates:
        row = measured(name, chosen.show)
        rows.append(row)
        judged = row["right"] + row["wrong"] + row["missed"] + row["unseen"]
        print(
            f"{row['crate']:22}{row['files']:>6}{row['calls']:>7}{row['symbols']:>9.3f}{row['precision']:>11.3f}"
            f"{row['recall']:>8.3f}{judged:>8}{row['unseen']:>8}{row['unknown']:>9}",
            flush=True,
        )
    right, wrong = sum(row["right"] for row in rows), sum(row["wrong"] for row in rows)
    lost = sum(row["missed"] + row["unseen"] for row in rows)
    print(f"all: precision {right / (right + wrong):.3f}, recall {right / (right + wrong + lost):.3f}")
    reasons: dict[str, list[int]] = {}
    for row in rows:
        for reason, (good, bad) in row["reasons"].items():
            total = reasons.setdefault(reason, [0, 0])
            total[0], total[1] = total[0] + good, total[1] + bad
    for reason, (good, bad) in sorted(reasons.items()):
        print(f"  {reason:12} {good / (good + bad):.3f} of {good + bad}")
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
