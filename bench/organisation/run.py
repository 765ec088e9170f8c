#!/usr/bin/env python3
"""What people of a company ask of its papers, weeks later: is the right one found, cited, and shown with the answer?

    python bench/organisation/run.py [--company NAME …] [--show] [--out FILE]

Two companies that do not exist, each with decision records, post-mortems, meetings (subtitles, transcripts, minutes), a
chat export or pasted chats, sessions of agents, documents, code and logs, and eighty questions. Papers and questions
were written by people who did not know Marrow, and who wrote as such companies do. What is found and shown was changed
after looking at fernhaul, and then tried on lindwell; readers (of logs, titles, days) were mended after both.

The folder is taken in as its owner would: `ingest_codebase`, then what that says another reader is for. `search` and
`ask` say at which place a right paper comes; `shown` that the words which answer are in what `ask` shows.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "src"))

import marrow  # noqa: E402 found by the line above

LIMIT, FIRST = 10, 5
COMMITTED = "2026-11-10T10:00:00Z"
EXPORT_LISTS = ("users.json", "channels.json")


def laid_out(files: dict[str, str], root: Path) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    at = {"GIT_AUTHOR_DATE": COMMITTED, "GIT_COMMITTER_DATE": COMMITTED, "PATH": os.environ["PATH"]}
    for command in (("init", "--quiet"), ("add", "."), (*who, "commit", "--quiet", "-m", "All papers")):
        subprocess.run(["git", "-C", str(root), *command], check=True, env=at, capture_output=True)


def take_in(memory: marrow.Memory, files: dict[str, str], root: Path) -> str:
    said = memory.ingest_codebase(repo_path=str(root)).text()
    exports = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] in EXPORT_LISTS}
    for folder in sorted(exports):
        memory.ingest_conversation(str(root / folder))
    for path in sorted(files):
        if path.startswith("chats/"):
            memory.ingest_conversation(str(root / path))
        elif path.startswith("logs/"):
            memory.ingest_log(str(root / path))
    return str(said).splitlines()[0]


def sessions(files: dict[str, str]) -> dict[str, str]:
    """How the sessions of agents begin: that is what they are called."""
    found = {}
    for path, text in files.items():
        for line in text.splitlines() if path.startswith("chats/") and path.endswith(".jsonl") else ():
            shape = json.loads(line)
            if shape.get("type") == "user" and isinstance(shape["message"]["content"], str):
                found[path] = shape["message"]["content"][:30]
                break
    return found


def is_right(wanted: Sequence[str], kind: str, cited: str, began: dict[str, str]) -> bool:
    """Whether a citation names one of these papers: by its path, its channel and day, or how the session began."""
    for path in wanted:
        folder, _, name = path.rpartition("/")
        if path in cited or name in cited:
            return True
        if kind == "conversation":
            channel, day = folder.rpartition("/")[2], name.removesuffix(".json")
            if (f"#{channel}" in cited and day in cited) or (path in began and began[path] in cited):
                return True
    return False


def bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def rows_of(memory: marrow.Memory, world: dict[str, Any]) -> Iterator[dict[str, Any]]:
    began = sessions(world["files"])
    for question in world["questions"]:
        hits = memory.search(query=question["question"], limit=LIMIT).items
        cited = memory.ask(question=question["question"], answer=False).items
        found = [is_right(question["files"], hit.kind, hit.source, began) for hit in hits]
        told = [is_right(question["files"], one.kind, f"{one.path} {one.title} {one.date}", began) for one in cited]
        yield {
            "question": question["question"],
            "kind": question["kind"],
            "search": found.index(True) + 1 if True in found else 0,
            "ask": told.index(True) + 1 if True in told else 0,
            "shown": any(bare(question["phrase"]) in bare(one.content) for one in cited),
            "wanted": question["files"],
            "came": [hit.source for hit in hits[:FIRST]],
        }


def totals(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    found: dict[str, float] = {"of": len(rows), "shown": sum(row["shown"] for row in rows)}
    for name in ("search", "ask"):
        found[f"{name}@1"] = sum(row[name] == 1 for row in rows)
        found[f"{name}@5"] = sum(0 < row[name] <= FIRST for row in rows)
        found[f"{name}_mrr"] = sum(1 / row[name] for row in rows if row[name]) / max(1, len(rows))
    return found


def print_table(name: str, rows: Sequence[dict[str, Any]]) -> None:
    print(f"\n{name:<10}{'of':>4}{'search @1':>11}{'@5':>4}{'MRR':>7}{'ask @1':>8}{'@5':>4}{'MRR':>7}{'shown':>7}")
    for kind in [*sorted({row["kind"] for row in rows}), "all"]:
        of = totals([row for row in rows if kind in ("all", row["kind"])])
        print(
            f"{kind:<10}{of['of']:>4}{of['search@1']:>11}{of['search@5']:>4}{of['search_mrr']:>7.3f}"
            f"{of['ask@1']:>8}{of['ask@5']:>4}{of['ask_mrr']:>7.3f}{of['shown']:>7}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--company", nargs="+", default=[], help="only these, by name")
    parser.add_argument("--show", action="store_true", help="print what came instead of the right paper")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "organisation.json")
    given = parser.parse_args()
    found = []
    for path in sorted(HERE.glob("*.json")):
        if given.company and path.stem not in given.company:
            continue
        world = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(temporary) / world["name"]
            laid_out(world["files"], root)
            with marrow.open(root, store=str(Path(temporary) / "papers.db"), embedder="auto") as memory:
                said = take_in(memory, world["files"], root)
                rows = list(rows_of(memory, world))
        print_table(world["name"], rows)
        for row in rows if given.show else ():
            if not 0 < row["search"] <= FIRST:
                print(f"\n{row['question']}\n  wanted {', '.join(row['wanted'])}\n  came   {'; '.join(row['came'])}")
        found.append({"company": world["name"], "said": said, "totals": totals(rows), "questions": rows})
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
