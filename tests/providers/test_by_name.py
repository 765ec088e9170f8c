"""Finding a model by its name: the hub's cache, the sentence-transformers library, and what is said without either."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from marrow.model.errors import Invalid, Unavailable
from marrow.providers.embedder import embedder
from marrow.providers.local import LocalEmbedder
from marrow.providers.sentence import SentenceEmbedder
from tests.providers import graphs
from tests.providers.stand_in import stand_in_library


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub-home"))
    return tmp_path / "hub-home" / "hub"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_library(tmp_path, monkeypatch)


def put(cache: Path, name: str, folder: Path) -> None:
    model = cache / f"models--{name.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("0123abcd\n", encoding="utf-8")
    shutil.copytree(folder, model / "snapshots" / "0123abcd")


@pytest.mark.parametrize("name", ["acme/e5-tiny", "e5-tiny"])
def test_a_model_in_the_cache_of_the_hub_is_found_by_its_name(cache: Path, tiny: Path, name: str) -> None:
    put(cache, name if "/" in name else f"sentence-transformers/{name}", tiny)
    built = embedder(f"local:{name}")
    assert isinstance(built, LocalEmbedder)
    assert built.prompts.query == "query: "  # by its name
    assert embedder("local", model=name).model == built.model


def test_a_name_that_is_nowhere_says_what_to_do(cache: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        embedder("local:acme/nothing")
    assert "acme/nothing" in caught.value.message
    assert "sentence-transformers" in caught.value.hint


def test_without_a_folder_the_library_is_used_where_it_is_installed(cache: Path, library: None) -> None:
    built = embedder("local:acme/e5-small")
    assert isinstance(built, SentenceEmbedder)
    assert built.model == "sentence-transformers/acme/e5-small/1"
    assert "sentence_transformers" not in sys.modules
    assert built.dimensions == 12
    assert np.abs(built.query("deploy") - built.documents(["deploy"])[0]).max() > 0.01
    asked = built._load()[0].asked
    assert asked == [("query: ", ["deploy"]), ("passage: ", ["deploy"])]


def test_the_library_runs_a_folder_that_marrow_cannot(tmp_path: Path, library: None) -> None:
    folder = graphs.write_folder(tmp_path / "mpnet", {"model_type": "mpnet"})
    built = embedder(str(folder))
    assert isinstance(built, SentenceEmbedder)
    assert built.query("deploy").any()


def test_what_the_library_cannot_load_is_unavailable(cache: Path, library: None) -> None:
    built = embedder("local:acme/missing")
    with pytest.raises(Unavailable) as caught:
        built.query("deploy")
    assert "acme/missing" in caught.value.message


def test_the_library_gives_no_longer_vectors_than_it_has(cache: Path, library: None) -> None:
    with pytest.raises(Invalid):
        embedder("local:acme/small", dimensions=13).query("deploy")
    assert embedder("local:acme/small", dimensions=5).query("deploy").shape == (5,)
