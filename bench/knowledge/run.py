#!/usr/bin/env python3
"""What a new colleague asks of a repository that was just taken in: is the right source among the first five?

    python bench/knowledge/run.py [--set plain|fresh] [--repo NAME …] [--folder DIR] [--refined] [--show] [--out FILE]

Three public repositories that keep decision records, ten questions each, in words of the asker's own. They were written
by reading the repositories, before the search was tried on them. A question names every source that answers it: a file
or a commit, its kind, and phrases of which one must be in the passage that is shown. With `--set plain` eight others,
with fifteen questions each as somebody new to a codebase would type them; which passage is shown is not judged there.
What was changed for the first four of them (ripgrep, hugo, vue-core, codex) was then tried on the other four. With
`--set fresh` three more with ten questions each, by somebody who had not read the search and tried none before all were
written: how the question is embedded was picked on the other two sets and judged on this one.

Nothing of the repositories is kept here. DIR (default: what `KNOWLEDGE_CLONES` names, or `knowledge` in the system's
folder for what is temporary) holds a clone of each by its name; what is not there is cloned from where its file says.

A question counts when a right source is among the first five. `attribution` says that its citation names it and that
its kind is right, `passage` that one of the phrases is in what is shown, `ask` at which place `ask` cites a right
source. The exit status is 1 if a question fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "src"))

import marrow  # noqa: E402 found by the line above

LIMIT = 5
COMMIT_DIGITS = 8
ABOUTS = ("why", "replaced", "how", "where", "change", "use")


def worlds(folder: Path, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        if not only or path.stem in only:
            yield json.loads(path.read_text(encoding="utf-8"))


def checkout(world: dict[str, Any], folder: Path) -> Path:
    """The repository at the commit that was asked about. One that somebody else put there is left as it is."""
    target = folder / world["name"]
    if not (target / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", f"https://{world['source']}", str(target)], check=True)
        subprocess.run(["git", "-C", str(target), "checkout", "--quiet", world["commit"]], check=True)
    head = subprocess.run(["git", "-C", str(target), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    if head.stdout.strip() != world["commit"]:
        raise SystemExit(f"{target} is not at {world['commit']}: check that out, or name another --folder.")
    return target


def is_cited(answer: dict[str, Any], source: str) -> bool:
    """Whether a citation names this source: the file, whatever the lines, or the commit by enough of its hash."""
    if "commit" in answer:
        return any(
            answer["commit"].startswith(digits) for digits in re.findall(rf"\b[0-9a-f]{{{COMMIT_DIGITS},40}}\b", source)
        )
    return re.search(rf"(?<![\w/.-]){re.escape(answer['path'])}(?![\w/-]|\.\w)", source) is not None


def judge(question: dict[str, Any], hits: Sequence[Any]) -> dict[str, Any]:
    """The rank of the first right source (0: there is none), and whether it is attributed and shown as it should be."""
    for rank, hit in enumerate(hits, 1):
        for answer in question["answers"]:
            if is_cited(answer, hit.source):
                shown = " ".join(hit.content.split())
                return {
                    "rank": rank,
                    "attribution": hit.kind == answer["kind"],
                    "passage": any(" ".join(phrase.split()) in shown for phrase in answer.get("phrases", ())),
                    "source": hit.source,
                }
    return {"rank": 0, "attribution": False, "passage": False, "source": ""}


def measure(world: dict[str, Any], root: Path, store: Path, refined: bool, show: bool) -> dict[str, Any]:
    rows = []
    with marrow.open(root, store=str(store), embedder="auto") as memory:
        started = time.perf_counter()
        codebase = memory.ingest_codebase(repo_path=str(root), service_name=world["name"])
        between = time.perf_counter()
        history = memory.ingest_history(repo_path=str(root))
        ended = time.perf_counter()
        if refined:
            memory.refine()  # what the daemon does in the background
        for question in world["questions"]:
            began = time.perf_counter()
            hits = memory.search(query=question["question"], limit=LIMIT).items
            spent = (time.perf_counter() - began) * 1000
            row = {"id": question["id"], "about": question["about"], "ms": spent, **judge(question, hits)}
            cited = memory.ask(question=question["question"], answer=False).items
            places = (
                n for n, hit in enumerate(cited, 1) if any(is_cited(one, hit.path) for one in question["answers"])
            )
            row["ask"] = next(places, 0)
            rows.append(row)
            if show and row["rank"] != 1:
                print_miss(question, hits)
    return {
        "name": world["name"],
        "ingest_s": between - started,
        "history_s": ended - between,
        "said": [codebase.text().splitlines()[0], history.text().splitlines()[0]],
        "questions": rows,
        **totals(rows),
    }


def totals(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {
        "hit@1": sum(row["rank"] == 1 for row in rows),
        "hit@5": sum(0 < row["rank"] <= LIMIT for row in rows),
        "attribution": sum(row["attribution"] for row in rows),
        "passage": sum(row["passage"] for row in rows),
        "ask": sum(row["ask"] > 0 for row in rows),
        "ask@1": sum(row["ask"] == 1 for row in rows),
        "ask@5": sum(0 < row["ask"] <= LIMIT for row in rows),
        "of": len(rows),
        "p50_ms": statistics.median(row["ms"] for row in rows),
    }


def print_miss(question: dict[str, Any], hits: Sequence[Any]) -> None:
    print(f"\n{question['id']}: {question['question']}")
    for answer in question["answers"]:
        print(f"  WANTED {answer['kind']:<9} {answer.get('path') or answer['commit'][:COMMIT_DIGITS]}")
    for rank, hit in enumerate(hits, 1):
        print(f"  {rank:<6} {hit.kind:<9} {hit.source}: {' '.join(hit.content.split())[:110]}")


def print_table(found: dict[str, Any]) -> None:
    print(f"\n{found['name']}: files in {found['ingest_s']:.1f} s, history in {found['history_s']:.1f} s")
    for said in found["said"]:
        print(f"  {said}")
    print(f"  {'question':<22}{'about':<10}{'rank':>5}{'attribution':>13}{'passage':>9}{'ask':>5}{'ms':>8}  source")
    for row in found["questions"]:
        rank = row["rank"] or "none"
        marks = "".join(
            f"{'ok' if row[name] else '-':>{width}}" for name, width in (("attribution", 13), ("passage", 9))
        )
        marks += f"{row['ask'] or '-':>5}"
        print(f"  {row['id']:<22}{row['about']:<10}{rank:>5}{marks}{row['ms']:>8.1f}  {row['source']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", choices=("plain", "fresh"), default="", help="other repositories than the first three")
    parser.add_argument("--repo", nargs="+", default=[], help="only these, by name")
    default = os.environ.get("KNOWLEDGE_CLONES") or Path(tempfile.gettempdir(), "knowledge")
    parser.add_argument("--folder", type=Path, default=Path(default), help="where the clones are")
    parser.add_argument("--refined", action="store_true", help="with the better vectors, as a daemon makes them")
    parser.add_argument("--show", action="store_true", help="print what came instead of the right source")
    parser.add_argument("--out", type=Path, help="by default in bench/results")
    given = parser.parse_args()
    out = given.out or HERE.parent / "results" / f"{'-'.join(filter(None, ('knowledge', given.set)))}.json"
    found = []
    for world in worlds(HERE / given.set, given.repo):
        root = checkout(world, given.folder)
        with tempfile.TemporaryDirectory() as temporary:
            found.append(measure(world, root, Path(temporary) / "knowledge.db", given.refined, given.show))
        print_table(found[-1])
    rows = [row for one in found for row in one["questions"]]
    every = totals(rows)
    print()
    for about in ABOUTS:
        some = [row["rank"] for row in rows if row["about"] == about]
        if some:
            print(
                f"  {about:<10} first {sum(rank == 1 for rank in some)}, in five {sum(map(bool, some))} of {len(some)}"
            )
    print(
        f"hit@1 {every['hit@1']}, hit@5 {every['hit@5']}, attribution {every['attribution']}, "
        f"passage {every['passage']}, ask {every['ask']}, ask@1 {every['ask@1']}, ask@5 {every['ask@5']} "
        f"of {every['of']}; p50 {every['p50_ms']:.1f} ms"
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"repositories": found, "totals": every}, indent=1), encoding="utf-8")
    return int(every["hit@5"] < every["of"])


if __name__ == "__main__":
    sys.exit(main())
