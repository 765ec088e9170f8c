#!/usr/bin/env python3
"""One of two processes that parse and query files with bare tree-sitter, for `bench/code.py`.

python bench/code_bare.py learn ROOT FILES QUERIES     which queries each language is read with
python bench/code_bare.py run ROOT FILES QUERIES HALF  parse and query every other file, and forget
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from marrow.codemap import parse
from marrow.codemap.languages.table import language, language_of

LEARNT_FROM = 40


def learn(root: str, paths: list[str], target: str) -> None:
    """Before the readers are loaded, what they run queries with is replaced by what takes note of them."""
    used: dict[str, list[str]] = {}
    original = parse.query

    def noted(name: str, text: str) -> Any:
        if text not in used.setdefault(name, []):
            used[name].append(text)
        return original(name, text)

    parse.query = noted  # type: ignore[assignment]
    seen: dict[str, int] = {}
    for path in paths:
        name = language_of(path)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] <= LEARNT_FROM:
            parse.map_of(path, Path(root, path).read_bytes())
    Path(target).write_text(json.dumps(used), encoding="utf-8")


def run(root: str, paths: list[str], queries: str) -> None:
    """With `matches`: the quickest way to have what a query finds."""
    from tree_sitter import QueryCursor

    used = json.loads(Path(queries).read_text(encoding="utf-8"))
    ready: dict[str, list[Any]] = {}
    for path in paths:
        name = language_of(path)
        if name not in ready:
            ready[name] = [parse.query(name, text) for text in used.get(name, ())]
        tree = parse.tree_of(language(name), Path(root, path).read_bytes())
        for query in ready[name]:
            QueryCursor(query).matches(tree.root_node)


def main() -> None:
    what, root, listed, queries, *half = sys.argv[1:]
    paths = Path(listed).read_text(encoding="utf-8").splitlines()
    if what == "learn":
        learn(root, paths, queries)
    else:
        run(root, paths[int(half[0]) :: 2], queries)


if __name__ == "__main__":
    main()
