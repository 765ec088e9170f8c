"""Writes the packaged form of both tiers from trained weights: numpy and onnx, no torch.

`transformer.onnx`: inputs `input_ids` and `attention_mask` (int64, (texts, tokens)), output `sentence_embedding`
(float32, (texts, 256), unit length). Word rows are int8 with one scale a row; the matrices are quantised by onnxruntime
(int8 weights a channel, activations at run time).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

HEADS = 12
Tensors = Mapping[str, NDArray]


class _Graph:
    """Collects nodes and constants; each method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._count = 0

    def constant(self, value: NDArray, name: str = "") -> str:
        self._count += 1
        name = name or f"c{self._count}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: object) -> str:
        self._count += 1
        out = out or f"{kind}_{self._count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name=out, **attributes))
        return out

    def linear(self, x: str, weight: NDArray, bias: NDArray) -> str:
        made = self.op("MatMul", x, self.constant(np.ascontiguousarray(weight.T.astype(np.float32)), f"w{self._count}"))
        return self.op("Add", made, self.constant(bias.astype(np.float32)))

    def norm(self, x: str, weights: Tensors, name: str) -> str:
        scale = self.constant(weights[f"{name}.weight"].astype(np.float32))
        shift = self.constant(weights[f"{name}.bias"].astype(np.float32))
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)


def int8_rows(rows: NDArray) -> tuple[NDArray, NDArray]:
    """Each row as int8 and the scale that gives it back."""
    scale = np.abs(rows).max(axis=1, keepdims=True).astype(np.float32) / 127.0
    scale[scale == 0] = 1.0
    return np.clip(np.rint(rows / scale), -127, 127).astype(np.int8), scale


def build(weights: Tensors) -> onnx.ModelProto:
    """The graph of a transformer from tensors named as BERT's, with or without `dense.weight` at the end."""
    graph = _Graph()
    words = weights["embeddings.word_embeddings.weight"].astype(np.float32)
    hidden = words.shape[1]
    table, scale = int8_rows(words)
    picked = graph.op("Gather", graph.constant(table, "words"), "input_ids", axis=0)
    scales = graph.op("Gather", graph.constant(scale, "word_scales"), "input_ids", axis=0)
    rows = graph.op("Mul", graph.op("Cast", picked, to=TensorProto.FLOAT), scales)
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Gather", graph.op("Shape", "input_ids"), graph.constant(np.array([1], np.int64)), axis=0)
    zero = graph.constant(np.array([0], np.int64))
    used = graph.op("Slice", graph.constant(places.astype(np.float32), "places"), zero, length, zero)
    x = graph.norm(graph.op("Add", rows, used), weights, "embeddings.LayerNorm")
    mask = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    one = graph.constant(np.float32(1.0))
    blocked = graph.op("Mul", graph.op("Sub", one, mask), graph.constant(np.float32(-1e4)))
    blocked = graph.op("Unsqueeze", blocked, graph.constant(np.array([1, 2], np.int64)))
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for at in range(layers):
        x = _layer(graph, x, blocked, weights, f"encoder.layer.{at}.", hidden)
    column = graph.op("Unsqueeze", mask, graph.constant(np.array([2], np.int64)))
    total = graph.op("ReduceSum", graph.op("Mul", x, column), graph.constant(np.array([1], np.int64)), keepdims=0)
    vector = total
    if "dense.weight" in weights:
        dense = np.ascontiguousarray(weights["dense.weight"].T.astype(np.float32))
        vector = graph.op("MatMul", total, graph.constant(dense, "dense"))
    graph.op("LpNormalization", vector, axis=-1, p=2, out="sentence_embedding")
    shape = ["texts", "tokens"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "marrow",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["texts", "numbers"])],
            initializer=graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=9,
    )
    onnx.checker.check_model(model)
    return model


def _layer(graph: _Graph, x: str, blocked: str, weights: Tensors, at: str, hidden: int) -> str:
    parts = [f"{at}attention.self.{part}" for part in ("query", "key", "value")]
    joint = np.concatenate([weights[f"{part}.weight"] for part in parts])
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    by_head = graph.op(
        "Reshape",
        graph.linear(x, joint, bias),
        graph.constant(np.array([0, 0, 3, HEADS, hidden // HEADS], np.int64)),
    )
    turned = graph.op("Transpose", by_head, perm=[2, 0, 3, 1, 4])
    query, key, value = (
        graph.op("Gather", turned, graph.constant(np.array(number, np.int64)), axis=0) for number in range(3)
    )
    scaled = graph.op("Mul", query, graph.constant(np.float32(1.0 / math.sqrt(hidden // HEADS))))
    scores = graph.op("Add", graph.op("MatMul", scaled, graph.op("Transpose", key, perm=[0, 1, 3, 2])), blocked)
    mixed = graph.op("Transpose", graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
    mixed = graph.op("Reshape", mixed, graph.constant(np.array([0, 0, hidden], np.int64)))
    name = f"{at}attention.output"
    out = graph.linear(mixed, weights[f"{name}.dense.weight"], weights[f"{name}.dense.bias"])
    x = graph.norm(graph.op("Add", x, out), weights, f"{name}.LayerNorm")
    wide = graph.linear(x, weights[f"{at}intermediate.dense.weight"], weights[f"{at}intermediate.dense.bias"])
    narrow = graph.linear(
        graph.op("Gelu", wide), weights[f"{at}output.dense.weight"], weights[f"{at}output.dense.bias"]
    )
    return graph.norm(graph.op("Add", x, narrow), weights, f"{at}output.LayerNorm")


def write_transformer(weights: Tensors, path: Path) -> None:
    """The graph with int8 matrices. The products of attention have no constant side and stay as they are."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole = path.with_suffix(".float.onnx")
    onnx.save(build(weights), whole)
    quantize_dynamic(
        whole,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul"],
        nodes_to_exclude=[],
        extra_options={"MatMulConstBOnly": True},
    )
    whole.unlink()
