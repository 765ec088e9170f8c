"""mem0 without inference: Qdrant on disk (its default store), 20 results of at least 0.1 (its defaults).

Its default embedder is a service; here it is MiniLM, given in the way mem0 documents for one's own: a LangChain
object. The language model is never asked with `infer=False`, but has to be configured.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import onnxruntime
from langchain.embeddings.base import Embeddings
from lines import Timed, labels, serve, wanted
from mem0 import Memory
from tokenizers import Tokenizer

USER = "bench"


class MiniLM(Embeddings):
    def __init__(self, folder: str) -> None:
        self.session = onnxruntime.InferenceSession(f"{folder}/model.onnx", providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.enable_truncation(max_length=256)
        self.tokenizer.no_padding()

    def embed_query(self, text: str) -> list[float]:
        ids = np.array([self.tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = self.session.run(None, given)[0][0].mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Mem0:
    def __init__(self, folder: str, model: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self.memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": 384},
                },
                "embedder": {"provider": "langchain", "config": {"model": MiniLM(model)}},
                "llm": {"provider": "openai", "config": {"api_key": "none is asked"}},
                "history_db_path": f"{folder}/history.db",
            }
        )
        self.theirs: dict[str, str] = {}
        self.ours: dict[str, str] = {}

    def remember(self, memory: dict[str, Any], replaces: dict[str, Any] | None) -> None:
        lists = {name: memory[name] for name in ("tags", "files", "aliases") if memory.get(name)}
        about = {**labels(memory), **lists, "created_at": memory["at"]}
        if replaces is not None:
            theirs = self.theirs[replaces["id"]]
            self.memory.update(theirs, text=memory["text"], metadata=about)
        else:
            added = self.memory.add(memory["text"], user_id=USER, metadata=about, infer=False)
            theirs = added["results"][0]["id"]
        self.theirs[memory["id"]] = theirs
        self.ours[theirs] = memory["id"]

    def recall(self, case: dict[str, Any], timed: Timed) -> list[str]:
        filters: dict[str, Any] = {"user_id": USER, **wanted(case)}
        if case.get("files"):
            filters["files"] = case["files"][0]
        found = timed(lambda: self.memory.search(case["question"], filters=filters))
        return [self.ours[one["id"]] for one in found["results"]]


if __name__ == "__main__":
    serve(Mem0(sys.argv[1], sys.argv[2]))
