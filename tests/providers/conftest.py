"""Models and a service for the tests of the providers."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.providers.tensors import read_tensors
from tests.providers import graphs
from tests.providers.service import FakeService
from tests.providers.weights import minilm_folder

VARIABLES = "VOYAGE_API_KEY VOYAGE_BASE_URL OPENAI_API_KEY OPENAI_BASE_URL HF_HOME HF_HUB_CACHE XDG_CACHE_HOME".split()


@pytest.fixture(autouse=True)
def _nothing_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys, no cached models, and no library that only some machines have."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The folder of the real MiniLM, as sentence-transformers lays it out: weights and no graph."""
    return minilm_folder()


@pytest.fixture(scope="session")
def minilm_onnx(minilm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as an ONNX graph that the test builds from the same weights."""
    folder = tmp_path_factory.mktemp("models") / "minilm"
    shutil.copytree(minilm, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    config = json.loads((minilm / "config.json").read_text(encoding="utf-8"))
    graphs.bert_graph(folder / "onnx" / "model.onnx", config, read_tensors(minilm / "model.safetensors"))
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph that knows a few words."""
    folder = graphs.write_folder(tmp_path_factory.mktemp("models") / "tiny")
    graphs.token_graph(folder / "model.onnx")
    return folder


@pytest.fixture
def service() -> Iterator[FakeService]:
    with FakeService() as running:
        yield running
