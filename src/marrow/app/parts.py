"""The parts that the settings name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..providers.embedder import Embedder
from ..providers.embedder import embedder as make_embedder
from ..repository.identity import EXPLICIT, Identity
from ..settings import Settings

if TYPE_CHECKING:
    from ..search.find import Rerank

# How much of recall's time budget a reranker may take.
RERANK_SHARE = 0.5


def embedder_of(values: Settings) -> Embedder:
    """The embedder that the settings name. Its model is loaded, or its service asked, with the first text."""
    return make_embedder(
        values.get("embedder", str),
        model=values.maybe("embedder.model", str),
        dimensions=values.maybe("embedder.dimensions", int),
        instructions=values.maybe("embedder.instructions", str),
        key=values.maybe("embedder.key", str),
    )


def refiner_of(values: Settings) -> Embedder | None:
    """The better tier of the built-in embedder, where what runs it is installed."""
    if values.get("embedder", str) != "auto" or values.maybe("embedder.dimensions", int) is not None:
        return None
    from ..providers.transformer import TransformerEmbedder, runtime_is_installed

    return TransformerEmbedder() if runtime_is_installed() else None


def rerank_of(values: Settings) -> Rerank | None:
    """What asks the reranker that the settings name, within a share of the time that a recall may take."""
    name = values.get("reranker", str)
    if name == "none":
        return None
    from ..providers.reranker import reranker

    chosen, budget = reranker(name), values.get("recall.time_budget_ms", int) * RERANK_SHARE
    return None if chosen is None else lambda question, texts: chosen.scores(question, texts, budget)


def aliases_of(identity: Identity) -> tuple[str, ...]:
    """The other names of the project. One that was named by hand is that project alone, wherever its folder is from."""
    return () if identity.source == EXPLICIT else identity.aliases


def maps_folder(url: str, home: str, root: Path | None) -> str:
    """Where code maps are kept: beside the store; with Marrow's own files where that is no file, or lies in the
    repository. A map is read as what this program wrote: one that comes with a repository is anybody's."""
    path = url.removeprefix("sqlite:")
    if path == "memory:" or "://" in path:
        return os.path.join(home, "code")
    beside = os.path.dirname(os.path.realpath(path))
    is_brought = root is not None and os.path.join(beside, "").startswith(os.path.join(os.path.realpath(root), ""))
    return os.path.join(home if is_brought else beside, "code")
