"""The embedders: shape, determinism, what they find, and what they say when they cannot serve."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.app import open_memory
from marrow.model.errors import Invalid, Unavailable
from marrow.providers.embedder import Embedder, FakeEmbedder, NoEmbedder, embedder
from marrow.providers.local import LocalEmbedder
from marrow.providers.static import GRAPH_FILE, PACKAGE, ROWS_FILE, TOKENIZER_FILE, StaticEmbedder
from marrow.providers.transformer import TransformerEmbedder
from marrow.providers.units import CHARACTERS_MAX as MAX_CHARACTERS

STATIC = StaticEmbedder()

SENTENCES = [
    "Use PostgreSQL for anything that more than one service writes to.",
    "",
    "Retry failed HTTP calls three times with exponential backoff.",
    "!!! ???",
    "the the the the worker worker queue",
    "日本語のテキスト",
    "def get_user_name(self): return self._name",
]

# A question or rewording, and the fact that it should find among all the others. They share few words.
PARAPHRASES = [
    ("CI runs out of space every evening and the job dies.", "The nightly build fails because the disk fills up."),
    (
        "When a request errors, try again, waiting longer each time.",
        "Retry failed HTTP calls with exponential backoff.",
    ),
    ("Every schema change needs a way to roll back.", "Migrations must be reversible."),
    ("How many calls may a client make before it is throttled?", "The API rate limit is 100 requests per minute."),
    ("Our unit suite runs offline.", "Tests must not touch the network."),
    ("There is a maximum size for files that users send.", "Uploads larger than 25 MB are rejected by the gateway."),
    ("Who is responsible for invoices and payments?", "Alice owns the billing module."),
    ("Account removal anonymises what the person wrote.", "Deleting a user keeps comments but removes the name."),
    ("The statistics page is slow because an index is missing.", "The dashboard query does a full table scan."),
    ("Very deep JSON crashes the reader.", "The parser overflows the stack on nested input."),
    ("Service came back after we reverted.", "Rolling back the release fixed the outage."),
    ("Each change becomes one commit on main.", "We use feature branches and squash when merging."),
]


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789éß日", max_size=60))
def test_word_pieces_are_those_of_the_tokenizer(part: str) -> None:
    units = STATIC._tables().units
    assert units._pieces_of(part) == units._tokenizer.encode(part, add_special_tokens=False).ids


def cosine(left: str, right: str) -> float:
    return float(STATIC.query(left) @ STATIC.query(right))


def run_python(program: str, **environment: str) -> str:
    path = os.pathsep.join(filter(None, sys.path))
    ran = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    return ran.stdout.strip()


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    """A copy of the data files that a test may damage."""
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations
    for file in (ROWS_FILE, TOKENIZER_FILE, GRAPH_FILE):
        shutil.copyfile(Path(spec.submodule_search_locations[0], file), tmp_path / file)
    return tmp_path


# What every embedder holds


@pytest.mark.parametrize("built", [STATIC, FakeEmbedder(), FakeEmbedder(7), NoEmbedder()], ids=lambda e: e.model)
def test_shapes_and_types_follow_the_protocol(built: Embedder) -> None:
    documents, query = built.documents(SENTENCES), built.query(SENTENCES[0])
    assert documents.shape == (len(SENTENCES), built.dimensions)
    assert documents.dtype == np.float32
    assert query.shape == (built.dimensions,)
    assert query.dtype == np.float32
    assert built.documents([]).shape == (0, built.dimensions)


@pytest.mark.parametrize("built", [STATIC, FakeEmbedder()], ids=lambda e: e.model)
def test_rows_have_unit_length_and_a_text_with_nothing_known_has_a_zero_row(built: Embedder) -> None:
    lengths = np.linalg.norm(built.documents(["the deploy failed", "", " \n\t", "?!"]), axis=1)
    assert lengths == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("built", [STATIC, FakeEmbedder()], ids=lambda e: e.model)
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=300), min_size=1, max_size=12), data=st.data())
def test_a_text_gives_the_same_bytes_whatever_batch_it_comes_in(
    built: Embedder, texts: list[str], data: st.DataObject
) -> None:
    batch = built.documents(texts)
    assert np.isfinite(batch).all()
    at = data.draw(st.integers(0, len(texts) - 1))
    shuffled = data.draw(st.permutations(texts))
    assert built.query(texts[at]).tobytes() == batch[at].tobytes()
    assert built.documents(shuffled)[shuffled.index(texts[at])].tobytes() == batch[at].tobytes()


def test_a_large_batch_of_mixed_lengths_gives_the_bytes_of_single_texts() -> None:
    texts = [" ".join(SENTENCES[i % len(SENTENCES)] for i in range(start, start + start % 40)) for start in range(400)]
    batch = STATIC.documents(texts)
    assert all(STATIC.query(text).tobytes() == row.tobytes() for text, row in zip(texts, batch, strict=True))


# The built-in embedder


def test_static_vectors_are_those_of_the_recorded_model() -> None:
    # A change here makes stored vectors and new ones incomparable: give the model a new name, then change the numbers.
    assert STATIC.model == "marrow-embedder/2"
    vector = STATIC.query("Retry failed HTTP calls three times, three times at most.")
    assert vector[:4].tolist() == pytest.approx([-0.048842669, -0.004870396, -0.041045725, 0.133030578], abs=1e-7)


def test_case_punctuation_and_unicode_form_do_not_matter() -> None:
    expected = STATIC.query("Use PostgreSQL for the café!").tobytes()
    assert STATIC.query("use postgresql\n(for the cafe\u0301)").tobytes() == expected
    assert STATIC.query("use postgresql for the thé").tobytes() != expected


def test_a_repeated_word_counts_by_the_square_root_of_its_occurrences() -> None:
    axes = STATIC.documents(["queue", "worker"]).T

    def share_of_queue(text: str) -> float:
        (queue, worker), *_ = np.linalg.lstsq(axes, STATIC.query(text))
        return float(queue / worker)

    assert share_of_queue("queue " * 9 + "worker") == pytest.approx(3 * share_of_queue("queue worker"), rel=1e-4)


def test_characters_outside_the_vocabulary_are_unknown_rather_than_noise() -> None:
    unknown = "ሰላም ለዓለም"
    assert not STATIC.query(unknown).any()
    assert STATIC.query(f"{unknown} deploy").tobytes() == STATIC.query("deploy").tobytes()


def test_control_tokens_and_lone_surrogates_in_a_text_are_plain_text() -> None:
    assert STATIC.query("<s></s>").tobytes() == STATIC.query("s s").tobytes()
    assert STATIC.query("deploy \ud800").tobytes() == STATIC.query("deploy").tobytes()


def test_only_the_first_characters_of_a_long_text_are_embedded() -> None:
    head = "the deploy failed " * (MAX_CHARACTERS // 18 + 1)
    cut = STATIC.query(head[:MAX_CHARACTERS]).tobytes()
    assert STATIC.query(head[:MAX_CHARACTERS] + " because of a giraffe" * 50_000).tobytes() == cut
    assert STATIC.query(head[: MAX_CHARACTERS - 100] + " because of a giraffe" * 50_000).tobytes() != cut


def test_characters_that_normalising_expands_do_not_escape_the_cap() -> None:
    expanding = "\ufdfa"  # One character that becomes eighteen.
    hidden = expanding * (MAX_CHARACTERS - 20)
    assert STATIC.query(hidden + " giraffe").tobytes() == STATIC.query(hidden).tobytes()


def test_paraphrases_in_developers_language_are_found() -> None:
    questions = STATIC.documents([question for question, _ in PARAPHRASES])
    facts = STATIC.documents([fact for _, fact in PARAPHRASES])
    found = (questions @ facts.T).argmax(axis=1) == np.arange(len(PARAPHRASES))
    assert found.sum() >= 8  # Of 12. By chance it is 1, by shared words 0.


def test_retouched_texts_are_nearer_than_other_facts_and_these_nearer_than_unrelated_ones() -> None:
    fact = "Uploads larger than 25 MB are rejected by the gateway."
    retouched = cosine(fact, "The gateway rejects uploads bigger than 25 MB")
    other_fact = cosine(fact, "The gateway terminates TLS and adds a request id.")
    unrelated = cosine(fact, "Alice likes to paint the mountains.")
    assert retouched > 0.8 > other_fact > 0.2 > unrelated


def test_files_are_loaded_once_when_many_threads_ask_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from marrow.providers import static

    loads: list[Path] = []
    load = static._load

    def counted(folder: Path) -> static._Tables:
        loads.append(folder)
        return load(folder)

    monkeypatch.setattr(static, "_load", counted)
    fresh, ready, results = StaticEmbedder(), threading.Barrier(8), []

    def ask() -> None:
        ready.wait()
        results.append(fresh.query("the deploy failed").tobytes())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert results == [STATIC.query("the deploy failed").tobytes()] * 8


def test_nothing_heavy_is_imported_before_the_first_text_and_the_package_of_weights_never() -> None:
    program = (
        "import sys; from marrow.providers.embedder import embedder; built = embedder('auto')\n"
        "assert not {'numpy', 'tokenizers', 'onnxruntime'} & set(sys.modules), 'too early'\n"
        "assert built.query('deploy').any()\n"
        "assert 'marrow_embedder' not in sys.modules, 'never'"
    )
    run_python(program)


def test_bytes_are_the_same_in_another_process() -> None:
    program = "from marrow.providers.static import StaticEmbedder as S; print(S().documents({!r}).tobytes().hex())"
    answer = run_python(program.format(SENTENCES), PYTHONHASHSEED="7", OPENBLAS_NUM_THREADS="1")
    assert answer == STATIC.documents(SENTENCES).tobytes().hex()


def test_missing_package_is_unavailable_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    with pytest.raises(Unavailable) as caught:
        embedder("auto")
    assert "marrow-embedder" in caught.value.hint


@pytest.mark.parametrize("file", [ROWS_FILE, TOKENIZER_FILE])
def test_missing_file_is_unavailable_with_a_hint(data_folder: Path, file: str) -> None:
    (data_folder / file).unlink()
    with pytest.raises(Unavailable) as caught:
        StaticEmbedder(data_folder)
    assert Path(file).name in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("file", [ROWS_FILE, TOKENIZER_FILE])
@pytest.mark.parametrize("damage", ["empty", "truncated", "changed"])
def test_damaged_file_is_unavailable_and_never_gives_vectors(data_folder: Path, file: str, damage: str) -> None:
    whole = (data_folder / file).read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    (data_folder / file).write_bytes({"empty": b"", "truncated": whole[:middle], "changed": flipped}[damage])
    built = StaticEmbedder(data_folder)
    with pytest.raises(Unavailable) as caught:
        built.query("the deploy failed")
    assert caught.value.hint


def test_a_copy_of_the_files_gives_the_same_bytes(data_folder: Path) -> None:
    assert StaticEmbedder(data_folder).documents(SENTENCES).tobytes() == STATIC.documents(SENTENCES).tobytes()


@pytest.mark.parametrize("file", [GRAPH_FILE, TOKENIZER_FILE])
def test_the_better_tier_with_a_damaged_file_is_unavailable(data_folder: Path, file: str) -> None:
    whole = (data_folder / file).read_bytes()
    (data_folder / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Unavailable) as caught:
        TransformerEmbedder(data_folder).query("the deploy failed")
    assert caught.value.hint


def test_both_tiers_are_of_one_space() -> None:
    """A text of one tier is nearest to itself by the other; so questions of either find what either embedded."""
    better = TransformerEmbedder()
    assert (better.model, better.dimensions) == (STATIC.model, STATIC.dimensions)
    texts = [fact for _, fact in PARAPHRASES]
    across = better.documents(texts) @ STATIC.documents(texts).T
    assert (across.argmax(axis=1) == np.arange(len(texts))).all()


def test_the_better_tier_gives_a_text_the_same_vector_in_any_batch() -> None:
    better = TransformerEmbedder()
    batch = better.documents(SENTENCES)
    assert all(better.query(text).tobytes() == row.tobytes() for text, row in zip(SENTENCES, batch, strict=True))
    assert not better.query(" \n").any()


# The fake and the absent one


def test_fake_embedder_hashes_words_into_buckets() -> None:
    def bucket(word: str) -> int:
        value = 0
        for character in word:
            value = (value * 131 + ord(character)) % 2**32
        return value % 64

    expected = np.zeros(64)
    for word, count in (("deploy", 2), ("queue7", 1)):
        expected[bucket(word)] += count
    assert FakeEmbedder().query("Deploy, queue7: DEPLOY") == pytest.approx(
        expected / np.linalg.norm(expected), abs=1e-7
    )


def test_fake_embedders_of_different_sizes_have_different_models() -> None:
    assert FakeEmbedder(8).model != FakeEmbedder(16).model


def test_fake_embedder_without_dimensions_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        FakeEmbedder(0)
    assert caught.value.field == "dimensions"


# The factory


@pytest.mark.parametrize(
    ("name", "kind"),
    [("auto", StaticEmbedder), ("static", StaticEmbedder), ("fake", FakeEmbedder), ("none", NoEmbedder)],
)
def test_embedder_is_chosen_by_name(name: str, kind: type[Embedder]) -> None:
    assert type(embedder(name)) is kind


@pytest.mark.parametrize("name", ["", "Static", "MiniLM", "voyager", "static:256"])
def test_unknown_name_is_refused_and_the_choices_are_listed(name: str) -> None:
    with pytest.raises(Invalid) as caught:
        embedder(name)
    assert caught.value.field == "embedder"
    assert all(choice in caught.value.hint for choice in ("auto", "static", "none", "minilm", "voyage"))


def test_built_in_vectors_can_be_shortened_and_keep_their_unit_length() -> None:
    short = embedder("static", dimensions=64)
    assert (short.model, short.dimensions) == (f"{STATIC.model}@64", 64)
    whole = STATIC.documents(SENTENCES)[:, :64]
    lengths = np.linalg.norm(whole, axis=1, keepdims=True)
    assert short.documents(SENTENCES) == pytest.approx(whole / np.where(lengths, lengths, 1), abs=1e-6)
    assert embedder("static", dimensions=256).model == STATIC.model


@pytest.mark.parametrize("dimensions", [0, 257])
def test_no_vector_has_more_numbers_than_its_model(dimensions: int) -> None:
    with pytest.raises(Invalid) as caught:
        embedder("static", dimensions=dimensions)
    assert caught.value.field == "embedder.dimensions"


def test_settings_that_a_built_in_embedder_has_no_use_for_do_not_matter() -> None:
    assert embedder("static", model="voyage-4", instructions="Find:").model == STATIC.model
    assert embedder("none", model="voyage-4", dimensions=256).model == "none"
    assert embedder("fake", dimensions=16).dimensions == 16


def test_the_settings_choose_the_embedder_of_a_memory(tiny: Path, tmp_path: Path) -> None:
    chosen = {"embedder_model": str(tiny), "embedder_dimensions": 4, "embedder_instructions": "query:"}
    with open_memory(tmp_path, store="memory:", embedder="local", **chosen) as memory:
        built = memory.embedder
        assert isinstance(built, LocalEmbedder)
        assert built.dimensions == 4
        assert built.prompts.query == "query: "
        assert memory.save("The deploy failed.").items
        assert memory.search("deploy failed").items
        assert memory.status().embedder == built.model
