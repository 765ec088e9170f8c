"""A model's folder: which files in it matter, and what they say about how a text becomes a vector.

It is laid out as sentence-transformers and most exporters do:

    config.json                        the kind of the model and its sizes
    tokenizer.json                     how a text is cut into tokens
    model.safetensors                  the weights; or, before these,
    model.onnx, onnx/model.onnx        the graph with its weights
    modules.json, 1_Pooling, 2_Dense   what is done with the rows of the tokens; without them, their mean
    sentence_bert_config.json          how many tokens a text may have
    config_sentence_transformers.json  the prompts

What is in a folder is known by content: `fingerprint` is the same wherever a copy lies, and another for other weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model.errors import NotFound, Unavailable
from .bert import can_run
from .prompts import Prompts, folder_prompts

LENGTH_DEFAULT, LENGTH_MAX = 512, 32_768
_SAMPLES, _SAMPLE_BYTES = 64, 4096
_JSON_BYTES_MAX = 64 * 1024 * 1024
_GRAPHS = ("model.onnx", "onnx/model.onnx")
_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_ACTIVATIONS = {"Identity": "", "Tanh": "tanh"}
_COPY = "Copy the model's folder again."


@dataclass(frozen=True, slots=True)
class Dense:
    """A last step: the vector times a matrix."""

    weights: Path
    activation: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What a folder says. `graph` is the ONNX file; without one, `weights` are run as BERT."""

    path: Path
    name: str
    config: Mapping[str, Any]
    tokenizer: Path
    graph: Path | None
    weights: Path | None
    pooling: tuple[str, ...]
    counts_prompt: bool  # whether the tokens of the prompt are pooled with those of the text
    dense: tuple[Dense, ...]
    length: int
    lowers: bool
    prompts: Prompts

    @property
    def kind(self) -> str:
        return str(self.config.get("model_type") or "onnx")

    @property
    def hidden(self) -> int:
        return int(self.config.get("hidden_size") or self.config.get("dim") or self.config.get("d_model") or 0)

    @property
    def dimensions(self) -> int:
        return self.dense[-1].dimensions if self.dense else self.hidden * len(self.pooling)

    def fingerprint(self) -> str:
        """Twelve digits that stand for whatever changes the vector of a text that is kept.

        Of large files it takes the size and samples from end to end: training changes every number of a model.
        """
        digest = hashlib.sha256()
        scheme = [self.pooling, self.counts_prompt, self.length, self.lowers, self.prompts.document]
        scheme += [self.config.get(key) for key in ("num_attention_heads", "hidden_act", "layer_norm_eps")]
        digest.update(json.dumps(scheme).encode())
        digest.update(self.tokenizer.read_bytes())
        for path in (*self._weights(), *(step.weights for step in self.dense)):
            for sample in _samples(path):
                digest.update(sample)
        return digest.hexdigest()[:12]

    def _weights(self) -> Iterator[Path]:
        if self.graph is None:
            yield from () if self.weights is None else (self.weights,)
            return
        yield self.graph
        beside = (self.graph.with_name(self.graph.name + ending) for ending in ("_data", ".data"))
        yield from (path for path in beside if path.is_file())


def read_folder(where: Path, name: str = "") -> ModelFolder:
    """Reads the folder, or the folder of an ONNX file. Raises when something in it cannot be run here."""
    graph = where if where.is_file() and where.suffix == ".onnx" else None
    folder = _home_of(graph) if graph else where
    if not folder.is_dir():
        raise NotFound(f"There is no model at {where}.", hint="Give its folder or its ONNX file.", field="embedder")
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        hint = "Save it with a fast tokenizer, which writes tokenizer.json."
        raise Unavailable(f"The model at {folder} has no tokenizer.json.", hint=hint, field="embedder")
    config = _json(folder / "config.json")
    pooling, counts_prompt, dense = _steps(folder)
    sentence = _json(folder / "sentence_bert_config.json")
    weights = folder / "model.safetensors"
    title = name or _title(folder)
    found = ModelFolder(
        path=folder,
        name=title,
        config=config,
        tokenizer=tokenizer,
        graph=graph or _graph_in(folder),
        weights=weights if weights.is_file() else None,
        pooling=pooling,
        counts_prompt=counts_prompt,
        dense=dense,
        length=_length(config, sentence, _json(folder / "tokenizer_config.json")),
        lowers=sentence.get("do_lower_case") is True,
        prompts=folder_prompts(_json(folder / "config_sentence_transformers.json"), title),
    )
    if not found.dimensions:
        hint = "Its config.json must say hidden_size."
        raise Unavailable(f"The model at {folder} does not say how long its vectors are.", hint=hint, field="embedder")
    if found.graph is None and not (found.weights and can_run(config)):
        raise Unavailable(
            f"The model at {folder} has no ONNX graph, and is none that runs without one.",
            hint="Export it to ONNX beside its tokenizer, or install sentence-transformers.",
            field="embedder",
        )
    return found


def _home_of(graph: Path) -> Path:
    """The folder that the graph's tokenizer is in: its own, or the one above."""
    return graph.parent if (graph.parent / "tokenizer.json").is_file() else graph.parent.parent


def _graph_in(folder: Path) -> Path | None:
    for place in _GRAPHS:
        if (folder / place).is_file():
            return folder / place
    others = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(others) > 1:
        names = ", ".join(path.relative_to(folder).as_posix() for path in others)
        raise Unavailable(f"The model at {folder} has several graphs.", hint=f"Name one of {names}.", field="embedder")
    return others[0] if others else None


def _steps(folder: Path) -> tuple[tuple[str, ...], bool, tuple[Dense, ...]]:
    """What follows the transformer: pooling, and matrices. Something that is not known would make wrong vectors."""
    listed = _json(folder / "modules.json", [])
    modules = [(str(m.get("type", "")).rpartition(".")[2], folder / str(m.get("path", ""))) for m in listed]
    pooling: tuple[str, ...] = ("mean",)
    counts_prompt, dense = True, []
    for kind, place in modules or [("Pooling", folder / "1_Pooling")]:
        if kind == "Pooling":
            pooling, counts_prompt = _pooling(_json(place / "config.json"))
        elif kind == "Dense":
            dense.append(_dense(place))
        elif kind not in ("Transformer", "Normalize", "Dropout"):
            hint = "Install sentence-transformers, which knows it, or export the whole model to ONNX."
            raise Unavailable(f"The model at {folder} has a module {kind!r}.", hint=hint, field="embedder")
    return pooling, counts_prompt, tuple(dense)


def _pooling(config: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    given = config.get("pooling_mode") or [mode for key, mode in _MODES.items() if config.get(key)] or ["mean"]
    modes = (given,) if isinstance(given, str) else tuple(map(str, given))
    unknown = [mode for mode in modes if mode not in _MODES.values()]
    if unknown:
        raise Unavailable(f"The pooling {unknown[0]!r} is not known.", hint="Install sentence-transformers.")
    return modes, config.get("include_prompt", True) is not False


def _dense(place: Path) -> Dense:
    config = _json(place / "config.json")
    activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    weights = place / "model.safetensors"
    if activation not in _ACTIVATIONS or not weights.is_file() or not isinstance(config.get("out_features"), int):
        hint = "Install sentence-transformers, which knows more of them."
        raise Unavailable(f"The step {place.name} of the model cannot be run here.", hint=hint, field="embedder")
    return Dense(weights, _ACTIVATIONS[activation], config["out_features"])


def _length(config: Mapping[str, Any], sentence: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
    """How many tokens a text may have: what the folder wants, and never more than the model has places for."""
    wanted = sentence.get("max_seq_length") or tokenizer.get("model_max_length")
    places = config.get("max_position_embeddings")
    limits = [int(limit) for limit in (wanted, places) if isinstance(limit, int | float) and 2 < limit <= LENGTH_MAX]
    return min(limits, default=LENGTH_DEFAULT)


def _title(folder: Path) -> str:
    """What people call the model: its folder; for the cache of a hub, the name that is in the path."""
    for part in reversed(folder.resolve().parts):
        if part.startswith("models--"):
            return part.removeprefix("models--").replace("--", "/")
    return folder.resolve().name


def _json(path: Path, default: Any = None) -> Any:
    """What the file says; nothing when there is none. The type is that of the default, a table."""
    empty: Any = {} if default is None else default
    try:
        if not path.is_file():
            return empty
        with path.open("rb") as file:
            read = json.loads(file.read(_JSON_BYTES_MAX))
    except (OSError, ValueError, RecursionError) as error:
        raise Unavailable(f"{path} cannot be read: {error}.", hint=_COPY, field="embedder") from error
    if not isinstance(read, type(empty)) or any(not isinstance(e, dict) for e in read if isinstance(read, list)):
        raise Unavailable(f"{path} does not hold what it should.", hint=_COPY, field="embedder")
    return read


def _samples(path: Path) -> Iterator[bytes]:
    size = path.stat().st_size
    yield str(size).encode()
    with path.open("rb") as file:
        for at in range(_SAMPLES):
            file.seek(max(0, size - _SAMPLE_BYTES) * at // (_SAMPLES - 1))
            yield file.read(_SAMPLE_BYTES)
