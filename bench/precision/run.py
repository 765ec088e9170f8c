#!/usr/bin/env python3
"""Precision: the right memories and only those. Marrow beside plain BM25 and plain vectors on the cases in `worlds/`.

    python bench/precision/run.py [--worlds FOLDER] [--only NAME …] [--peers] [--show] [--out FILE]

A case says what must come back and that nothing else may. Precision is the share of what came back that was wanted,
recall the share of the wanted that came back; where nothing is wanted, silence is 1 and anything else 0. `hard/` holds
cases of the same form that were written to defeat word matching: they are scored apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

sys.path.insert(0, str(Path(__file__).parent))

from marrow_system import Marrow
from plain import Bm25, Vectors

HERE = Path(__file__).parent


class System(Protocol):
    """Something that remembers a world and answers from it."""

    name: str

    def remember(self, world: dict[str, Any]) -> None: ...

    def recall(self, case: dict[str, Any]) -> list[str]:
        """The ids of what comes back."""

    def close(self) -> None: ...


def judge(case: dict[str, Any], given: Sequence[str]) -> tuple[float, float]:
    """Precision and recall. Of several that say the same, one is wanted and the others are too many."""
    groups = [{wanted} if isinstance(wanted, str) else set(wanted) for wanted in case["want"]]
    if not groups:
        return (0.0 if given else 1.0), 1.0
    met = sum(bool(group.intersection(given)) for group in groups)
    return (met / len(given) if given else 0.0), met / len(groups)


def worlds(folder: Path, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        if not only or path.stem in only:
            yield json.loads(path.read_text(encoding="utf-8"))


def score(system: System, chosen: Sequence[dict[str, Any]], show: bool) -> dict[str, Any]:
    rows: list[tuple[str, float, float]] = []
    spent: list[float] = []
    for world in chosen:
        system.remember(world)
        texts = {memory["id"]: memory["text"] for memory in world["memories"]}
        for case in world["cases"]:
            started = time.perf_counter()
            given = system.recall(case)
            round_trip = (time.perf_counter() - started) * 1000
            # A peer in a process of its own times its own call: the way there and back is not its doing.
            own = getattr(system, "last_ms", None)
            spent.append(round_trip if own is None else own)
            precision, recall = judge(case, given)
            rows.append((case["about"], precision, recall))
            if show and precision * recall < 1:
                print_miss(case, given, texts)
    system.close()
    about: dict[str, list[float]] = defaultdict(list)
    for kind, precision, recall in rows:
        about[kind].append(precision * recall)
    return {
        "system": system.name,
        "cases": len(rows),
        "precision": statistics.mean(p for _, p, _ in rows),
        "recall": statistics.mean(r for _, _, r in rows),
        "whole": statistics.mean(float(p * r == 1) for _, p, r in rows),
        "p50_ms": statistics.median(spent),
        "about": {kind: statistics.mean(values) for kind, values in sorted(about.items())},
    }


def print_miss(case: dict[str, Any], given: Sequence[str], texts: dict[str, str]) -> None:
    wanted = [w for group in case["want"] for w in ([group] if isinstance(group, str) else group)]
    print(f"\n{case['id']} ({case['about']}) {case['question']}")
    for one in wanted:
        print(f"  {'found ' if one in given else 'MISSED'} {one} {texts[one][:150]}")
    for one in given:
        if one not in wanted:
            print(f"  EXTRA  {one} {texts[one][:150]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=Path, default=HERE / "worlds")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--peers", action="store_true", help="also the peers of peers.py, each in its own environment")
    parser.add_argument("--show", action="store_true", help="print what Marrow got wrong")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "precision.json")
    given = parser.parse_args()
    chosen = list(worlds(given.worlds, given.only))
    with tempfile.TemporaryDirectory() as folder:
        systems: list[System] = [
            Marrow(Path(folder) / "better"),
            Marrow(Path(folder) / "static", better=False),
            Bm25(),
            Vectors(),
        ]
        if given.peers:
            from peers import peers

            systems += peers(Path(folder))
        table = [score(system, chosen, given.show and system.name == "marrow") for system in systems]
    print(f"\n{'system':<26}{'cases':>6}{'precision':>11}{'recall':>9}{'whole':>8}{'p50 ms':>9}")
    for row in table:
        print(
            f"{row['system']:<26}{row['cases']:>6}{row['precision']:>11.3f}{row['recall']:>9.3f}{row['whole']:>8.3f}"
            f"{row['p50_ms']:>9.2f}"
        )
    for kind in table[0]["about"]:
        print(f"  {kind:<24}" + "".join(f"{row['about'].get(kind, 0):>8.2f}" for row in table))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(table, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
