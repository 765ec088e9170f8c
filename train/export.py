"""Writes the packaged form of both tiers from trained weights: numpy and onnx, no torch.

`transformer.onnx`: inputs `input_ids` and `attention_mask` (int64, (texts, tokens)), output `sentence_embedding`
(float32, (texts, 256), unit length). Word rows are int8 with one scale a row; the matrices are quantised by onnxruntime
(int8 weights a channel, activations at run time), but for the last one.

A few inner units of each layer are ten times as large as the others, always the same ones. One scale for all of them
would leave the others three bits, so they are made smaller before they are quantised, and their weights larger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

HEADS = 12
LARGE = 4.0  # what an inner unit may be
INNER, LAST = "inner.", "last"
Tensors = Mapping[str, NDArray]


class Graph:
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

    def split(self, x: str, parts: int) -> list[str]:
        """Equal parts of the last axis."""
        self._count += 1
        names = [f"Split_{self._count}_{part}" for part in range(parts)]
        self.nodes.append(helper.make_node("Split", [x], names, name=names[0], axis=-1, num_outputs=parts))
        return names

    def linear(self, x: str, weight: NDArray, bias: NDArray) -> str:
        made = self.op("MatMul", x, self.constant(np.ascontiguousarray(weight.T.astype(np.float32)), f"w{self._count}"))
        return self.op("Add", made, self.constant(bias.astype(np.float32)))

    def norm(self, x: str, weights: Tensors, name: str, epsilon: float = 1e-12) -> str:
        scale = self.constant(weights[f"{name}.weight"].astype(np.float32))
        shift = self.constant(weights[f"{name}.bias"].astype(np.float32))
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)


def int8_rows(rows: NDArray) -> tuple[NDArray, NDArray]:
    """Each row as int8 and the scale that gives it back."""
    scale = np.abs(rows).max(axis=1, keepdims=True).astype(np.float32) / 127.0
    scale[scale == 0] = 1.0
    return np.clip(np.rint(rows / scale), -127, 127).astype(np.int8), scale


def build(weights: Tensors, shrink: Sequence[NDArray] = ()) -> onnx.ModelProto:
    """The graph of a transformer from tensors named as BERT's, with or without `dense.weight` at the end. `shrink` has
    a number for each inner unit of each layer, which it is divided by before its matrix.
    """
    graph = Graph()
    words = weights["embeddings.word_embeddings.weight"].astype(np.float32)
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
    seen = graph.op("Cast", "attention_mask", to=TensorProto.INT32)
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for at in range(layers):
        x = _layer(graph, x, seen, weights, f"encoder.layer.{at}.", shrink[at] if shrink else None)
    column = graph.op("Unsqueeze", mask, graph.constant(np.array([2], np.int64)))
    total = graph.op("ReduceSum", graph.op("Mul", x, column), graph.constant(np.array([1], np.int64)), keepdims=0)
    vector = total
    if "dense.weight" in weights:
        dense = np.ascontiguousarray(weights["dense.weight"].T.astype(np.float32))
        vector = graph.op("MatMul", total, graph.constant(dense, "dense"), out=LAST)
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
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
    )
    onnx.checker.check_model(model)
    return model


def _layer(graph: Graph, x: str, seen: str, weights: Tensors, at: str, shrink: NDArray | None) -> str:
    parts = [f"{at}attention.self.{part}" for part in ("query", "key", "value")]
    joint = np.concatenate([weights[f"{part}.weight"] for part in parts])
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    query, key, value = graph.split(graph.linear(x, joint, bias), 3)
    mixed = graph.op(
        "MultiHeadAttention",
        query,
        key,
        value,
        "",
        seen,
        domain="com.microsoft",
        num_heads=HEADS,
        mask_filter_value=-1e4,
    )
    name = f"{at}attention.output"
    out = graph.linear(mixed, weights[f"{name}.dense.weight"], weights[f"{name}.dense.bias"])
    x = graph.norm(graph.op("Sum", x, out), weights, f"{name}.LayerNorm")
    wide = graph.linear(x, weights[f"{at}intermediate.dense.weight"], weights[f"{at}intermediate.dense.bias"])
    inner = graph.op("Gelu", wide, out=f"{INNER}{at}")
    back = weights[f"{at}output.dense.weight"]
    if shrink is not None:
        inner = graph.op("Mul", inner, graph.constant((1 / shrink).astype(np.float32)))
        back = back * shrink
    narrow = graph.linear(inner, back, weights[f"{at}output.dense.bias"])
    # Not Add: onnxruntime would join it with the norm into an operation that is three times as slow on a CPU.
    return graph.norm(graph.op("Sum", x, narrow), weights, f"{at}output.LayerNorm")


def shrink_of(weights: Tensors, texts: Sequence[Sequence[int]]) -> list[NDArray]:
    """How much too large each inner unit becomes on these texts (their token ids); 1 for most."""
    import onnxruntime

    graph = build(weights)
    names = [node.output[0] for node in graph.graph.node if node.output[0].startswith(INNER)]
    graph.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    largest = [np.zeros(1, np.float32)] * len(names)
    for text in texts:
        ids = np.array([text], np.int64)
        made = session.run(names, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        largest = [np.maximum(old, np.abs(new[0]).max(axis=0)) for old, new in zip(largest, made, strict=True)]
    return [np.maximum(1.0, one / LARGE) for one in largest]


def write_transformer(weights: Tensors, path: Path, texts: Sequence[Sequence[int]]) -> None:
    """The graph with int8 matrices. The products of attention have no constant side and stay as they are."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole = path.with_suffix(".float.onnx")
    onnx.save(build(weights, shrink_of(weights, texts)), whole)
    quantize_dynamic(
        whole,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul"],
        nodes_to_exclude=[LAST],
        extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
    )
    whole.unlink()
