"""Models that tests build by themselves: ONNX graphs, tokenizers and folders, small ones and a whole BERT."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

Table = NDArray[np.float32]
WORDS = "[PAD] [UNK] [CLS] [SEP] deploy failed queue worker the api port disk full query: passage:".split()
HIDDEN = 8
IDS = ("batch", "tokens")


def word_tokenizer(words: Sequence[str] = WORDS) -> Tokenizer:
    """Whole words, lower case, with the marks of BERT around a text or a pair."""
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def word_table() -> Table:
    """A row for each word, as different as chance makes them."""
    return np.random.default_rng(7).normal(size=(len(WORDS), HIDDEN)).astype(np.float32)


def write_folder(
    folder: Path,
    config: Mapping[str, Any] | None = None,
    files: Mapping[str, object] | None = None,
    tokenizer: Tokenizer | None = None,
) -> Path:
    """A model's folder without weights. `files` are written as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    (tokenizer or word_tokenizer()).save(str(folder / "tokenizer.json"))
    given = {"model_type": "tiny", "hidden_size": HIDDEN, "max_position_embeddings": 16} | dict(config or {})
    for name, content in {"config.json": given, **(files or {})}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def save_graph(
    path: Path, nodes: list[Any], tables: Mapping[str, NDArray[Any]], **outputs: Sequence[str | int]
) -> Path:
    """A graph with the three usual inputs, or those of them that its nodes read."""
    read = {name for node in nodes for name in node.input}
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, IDS)
        for name in ("input_ids", "attention_mask", "token_type_ids")
        if name in read
    ]
    made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
    # Not `ascontiguousarray`, which makes a list out of a single number.
    kept = [numpy_helper.from_array(np.array(table, order="C"), name) for name, table in tables.items()]
    graph = helper.make_graph(nodes, "test", inputs, made, kept)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))
    return path


def token_graph(path: Path) -> Path:
    """Gives the row of each word."""
    nodes = [helper.make_node("Gather", ["words", "input_ids"], ["last_hidden_state"])]
    return save_graph(path, nodes, {"words": word_table()}, last_hidden_state=(*IDS, HIDDEN))


def pooling_graph(path: Path) -> Path:
    """Pools by itself: the sum of the rows of the words, marks included; and the rows beside it."""
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["token_embeddings"]),
        helper.make_node("ReduceSum", ["token_embeddings", "axes"], ["sentence_embedding"], keepdims=0),
    ]
    tables: dict[str, NDArray[Any]] = {"words": word_table(), "axes": np.array([1])}
    shapes: dict[str, Sequence[str | int]] = {
        "token_embeddings": (*IDS, HIDDEN),
        "sentence_embedding": ("batch", HIDDEN),
    }
    return save_graph(path, nodes, tables, **shapes)


def cross_graph(path: Path, weights: Sequence[float] = (), labels: int = 1) -> Path:
    """A cross-encoder that adds up the weights of the words, the second text's twice. Padding would weigh a lot."""
    table = np.zeros((len(WORDS), labels), dtype=np.float32)
    table[4 : 4 + len(weights)] = np.array(weights, dtype=np.float32)[:, None]
    table[0] = 100
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["rows"]),
        helper.make_node("Add", ["token_type_ids", "one"], ["times"]),
        helper.make_node("Mul", ["attention_mask", "times"], ["counted"]),
        helper.make_node("Cast", ["counted"], ["weights"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["weights", "last"], ["column"]),
        helper.make_node("Mul", ["rows", "column"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "axes"], ["logits"], keepdims=0),
    ]
    tables: dict[str, NDArray[Any]] = {
        "words": table,
        "one": np.array(1),
        "last": np.array([-1]),
        "axes": np.array([1]),
    }
    return save_graph(path, nodes, tables, logits=("batch", labels))


def write_tensors(path: Path, tables: Mapping[str, NDArray[Any]], dtype: str = "F32") -> Path:
    """A safetensors file, written by hand: what Marrow reads must not depend on what it read before."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    parts, at = [], 0
    for name, table in tables.items():
        data = _as_bytes(table, dtype)
        header[name] = {"dtype": dtype, "shape": list(table.shape), "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(parts))
    return path


def _as_bytes(table: NDArray[Any], dtype: str) -> bytes:
    if dtype == "BF16":
        return (table.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return table.astype({"F32": "<f4", "F16": "<f2", "I64": "<i8"}[dtype]).tobytes()


def bert_graph(path: Path, config: Mapping[str, Any], tensors: Mapping[str, Table]) -> Path:
    """BERT as ONNX operators: another way to the same numbers than Marrow's own, to hold it against."""
    heads, hidden = config["num_attention_heads"], config["hidden_size"]
    tables: dict[str, NDArray[Any]] = {
        "size": np.array(hidden // heads**1, dtype=np.float32) ** np.float32(-0.5),
        "by_head": np.array([0, 0, heads, hidden // heads]),
        "together": np.array([0, 0, hidden]),
        "one": np.array(1.0, dtype=np.float32),
        "far": np.array(-10000.0, dtype=np.float32),
        "middle": np.array([1, 2]),
        "zero": np.array([0]),
        "step": np.array([1]),
        "second": np.array([1]),
    }
    nodes: list[Any] = []

    def add(kind: str, inputs: Sequence[str], out: str, **about: Any) -> str:
        nodes.append(helper.make_node(kind, list(inputs), [out], **about))
        return out

    def linear(name: str, rows: str) -> str:
        tables[f"{name}.w"], tables[f"{name}.b"] = tensors[f"{name}.weight"].T, tensors[f"{name}.bias"]
        return add("Add", [add("MatMul", [rows, f"{name}.w"], f"{name}.m"), f"{name}.b"], f"{name}.o")

    def norm(name: str, rows: str) -> str:
        tables[f"{name}.w"], tables[f"{name}.b"] = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
        return add("LayerNormalization", [rows, f"{name}.w", f"{name}.b"], f"{name}.o", epsilon=1e-12)

    for part in ("word", "position", "token_type"):
        tables[part] = tensors[f"embeddings.{part}_embeddings.weight"]
    words = add("Gather", ["word", "input_ids"], "words")
    kinds = add("Gather", ["token_type", "token_type_ids"], "kinds")
    shape = add("Shape", ["input_ids"], "shape")
    count = add("Gather", [shape, "second"], "count")
    places = add("Slice", ["position", "zero", count, "zero"], "places")
    rows = norm("embeddings.LayerNorm", add("Add", [add("Add", [words, kinds], "said"), places], "sum"))
    mask = add("Cast", [add("Unsqueeze", ["attention_mask", "middle"], "wide")], "mask", to=TensorProto.FLOAT)
    hide = add("Mul", [add("Sub", ["one", mask], "hidden"), "far"], "hide")
    for at in range(config["num_hidden_layers"]):
        layer, own = f"encoder.layer.{at}.", f"encoder.layer.{at}.attention."
        parts = {}
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            split = add("Reshape", [linear(f"{own}self.{part}", rows), "by_head"], f"{own}{part}.s")
            parts[part] = add("Transpose", [split], f"{own}{part}.t", perm=order)
        scores = add("Mul", [add("MatMul", [parts["query"], parts["key"]], f"{own}qk"), "size"], f"{own}scaled")
        weights = add("Softmax", [add("Add", [scores, hide], f"{own}seen")], f"{own}soft", axis=-1)
        mixed = add(
            "Transpose", [add("MatMul", [weights, parts["value"]], f"{own}mix")], f"{own}back", perm=[0, 2, 1, 3]
        )
        joined = linear(f"{own}output.dense", add("Reshape", [mixed, "together"], f"{own}whole"))
        rows = norm(f"{own}output.LayerNorm", add("Add", [rows, joined], f"{own}sum"))
        wide = add("Gelu", [linear(f"{layer}intermediate.dense", rows)], f"{layer}gelu")
        rows = norm(f"{layer}output.LayerNorm", add("Add", [rows, linear(f"{layer}output.dense", wide)], f"{layer}sum"))
    add("Identity", [rows], "last_hidden_state")
    return save_graph(path, nodes, tables, last_hidden_state=(*IDS, hidden))
