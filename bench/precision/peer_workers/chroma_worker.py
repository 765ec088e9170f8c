"""Chroma: one collection, the scope as metadata, `where` to ask within it, ten results as `query` gives by default.

With the argument `static` it is given Marrow's built-in embedder; otherwise it uses its own default, MiniLM.
"""

from __future__ import annotations

import sys
from typing import Any

import chromadb
from lines import Timed, labels, serve, wanted


class MarrowVectors(chromadb.EmbeddingFunction):  # type: ignore[type-arg]
    def __init__(self) -> None:
        from marrow.providers.embedder import embedder

        self.embedder = embedder("static")

    def __call__(self, input: list[str]) -> list[Any]:  # noqa: A002 (Chroma asks for this name.)
        return list(self.embedder.documents(input))


class Chroma:
    def __init__(self, folder: str, static: bool) -> None:
        client = chromadb.PersistentClient(path=folder)
        chosen = {"embedding_function": MarrowVectors()} if static else {}
        self.collection = client.create_collection("memories", **chosen)

    def remember(self, memory: dict[str, Any], replaces: dict[str, Any] | None) -> None:
        if replaces is not None:
            self.collection.delete(ids=[replaces["id"]])
        lists = {name: memory[name] for name in ("tags", "files", "aliases") if memory.get(name)}
        about = {**labels(memory), **lists, "at": memory["at"]}
        self.collection.add(ids=[memory["id"]], documents=[memory["text"]], metadatas=[about])

    def recall(self, case: dict[str, Any], timed: Timed) -> list[str]:
        rules: list[dict[str, Any]] = [{name: value} for name, value in wanted(case).items()]
        rules += [{"files": {"$contains": file}} for file in case.get("files", ())]
        where = rules[0] if len(rules) == 1 else {"$and": rules} if rules else None
        found = timed(lambda: self.collection.query(query_texts=[case["question"]], where=where))
        return found["ids"][0]


if __name__ == "__main__":
    serve(Chroma(sys.argv[1], "static" in sys.argv[2:]))
