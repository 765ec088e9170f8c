"""Reads the numbers of a safetensors file without torch: a header's length, the header as JSON, the numbers."""

from __future__ import annotations

import json
import mmap
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model.errors import Unavailable

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_LENGTH = 8
_HEADER_BYTES_MAX = 64 * 1024 * 1024
_SIZES = {"F32": 4, "F16": 2, "BF16": 2}


def read_tensors(path: Path) -> dict[str, NDArray[float32]]:
    """The floating-point tables of the file, by name, as 32-bit numbers. What is that already is mapped, not read."""
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # an empty file cannot be mapped (ValueError)
        header = _header(data)
        start = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
        return {name: _table(data, start, entry) for name, entry in header.items() if entry.get("dtype") in _SIZES}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "Copy the model's folder again."
        raise Unavailable(f"{path.name} is no safetensors file that can be read: {error}.", hint=hint) from error


def _header(data: mmap.mmap) -> dict[str, dict[str, Any]]:
    length = int.from_bytes(data[:_LENGTH], "little")
    if not 2 <= length <= min(_HEADER_BYTES_MAX, len(data) - _LENGTH):
        raise ValueError("its header is longer than the file")
    header = json.loads(data[_LENGTH : _LENGTH + length])
    header.pop("__metadata__", None)
    return dict(header)


def _table(data: mmap.mmap, start: int, entry: dict[str, Any]) -> NDArray[float32]:
    import numpy as np

    kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if end - begin != prod(shape) * _SIZES[kind] or not 0 <= begin <= end <= len(data) - start:
        raise ValueError("a table lies outside the file")
    if kind == "BF16":  # the upper half of a 32-bit number
        halves = np.frombuffer(data, "<u2", prod(shape), start + begin).astype(np.uint32) << 16
        return halves.view(np.float32).reshape(shape)
    found = np.frombuffer(data, "<f4" if kind == "F32" else "<f2", prod(shape), start + begin)
    return found.astype(np.float32, copy=False).reshape(shape)
