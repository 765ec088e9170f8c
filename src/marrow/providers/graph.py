"""An ONNX graph, run by onnxruntime: the only place that knows that library, which is an extra."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model.errors import Unavailable

if TYPE_CHECKING:
    from numpy import float32, int64
    from numpy.typing import NDArray

THREADS_MAX = 4
"""More would take the machine from whoever works on it, for texts this short."""

_SEVERE = 4
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


class Graph:
    """Takes token ids, gives the graph's outputs by name. Can be shared by threads."""

    def __init__(self, path: Path, threads: int = THREADS_MAX) -> None:
        library = _onnxruntime()
        self._errors = _errors_of(library)
        self._name = path.name
        options = library.SessionOptions()
        options.log_severity_level = _SEVERE  # what goes wrong is raised; the rest is noise on somebody's terminal
        options.intra_op_num_threads = min(threads, os.cpu_count() or 1)
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = library.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except self._errors as error:
            hint = "Copy the model's folder again, or export it anew."
            raise Unavailable(f"{path.name} is no ONNX graph that can be run: {_said(error)}", hint=hint) from error
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        self.outputs = [entry.name for entry in self._session.get_outputs()]
        unknown = [name for name in self._inputs if name not in _INPUTS]
        if unknown or "input_ids" not in self._inputs:
            hint = f"Export it with the inputs {', '.join(_INPUTS)}, or some of them."
            raise Unavailable(f"{path.name} wants {', '.join(self._inputs)}, which a text does not give.", hint=hint)

    def run(
        self, ids: NDArray[int64], mask: NDArray[int64], types: NDArray[int64] | None = None
    ) -> dict[str, NDArray[float32]]:
        """The outputs for a batch: each of the arguments is (texts, tokens)."""
        import numpy as np

        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids) if types is None else types,
            "position_ids": np.maximum(np.cumsum(mask, axis=1) - 1, 0),
        }
        try:
            made = self._session.run(None, {name: given[name] for name in self._inputs})
        except self._errors as error:
            hint = "Its inputs must be 64-bit ids of any length."
            raise Unavailable(f"{self._name} cannot be run: {_said(error)}", hint=hint) from error
        return {name: np.asarray(value, dtype=np.float32) for name, value in zip(self.outputs, made, strict=True)}


def _onnxruntime() -> Any:
    # Its builds report to their makers unless told not to before they are loaded; a later call is too late.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        raise Unavailable(
            "The package onnxruntime, which runs ONNX graphs, is not installed.",
            hint="Install it with `pip install onnxruntime`, or set the embedder to 'auto'.",
        ) from error


def _errors_of(library: Any) -> tuple[type[Exception], ...]:
    """What the library raises: classes of its own without a common one, and for wrong values Python's."""
    state = library.capi.onnxruntime_pybind11_state
    own = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*own, ValueError, RuntimeError)


def _said(error: Exception) -> str:
    """The first line of an error of the library, without the code places that it likes to add."""
    return str(error).strip().split("\n")[0][:200]
