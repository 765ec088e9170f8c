"""What every embedder holds, whatever it is made of: shape, unit length, blanks, batches, threads, names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from marrow.providers.embedder import Embedder, embedder
from tests.providers.service import KEY, FakeService
from tests.providers.stand_in import stand_in_library

SENTENCES = [
    "Use PostgreSQL for anything that more than one service writes to.",
    "",
    "Retry failed HTTP calls three times with exponential backoff.",
    " \n\t ",
    "the the the the worker worker queue",
    "日本語のテキスト",
    "def get_user_name(self): return self._name",
    "the deploy failed because the disk is full " * 36,
]
BLANK = [1, 3]
LOCAL = ["static", "static@64", "fake", "tiny", "tiny@4", "minilm", "minilm_onnx", "sentence"]
REMOTE = ["voyage", "voyage@256", "openai", "openai@32", "address", "address@16", "address-of-e5"]
Make = Callable[[], Embedder]


@pytest.fixture
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Builds the embedder that a test asks for by name, through the factory, as often as it likes."""
    name, _, length = request.param.partition("@")
    dimensions = int(length) if length else None
    if name in ("tiny", "minilm", "minilm_onnx"):
        folder: Path = request.getfixturevalue(name)
        yield lambda: embedder(f"local:{folder}", dimensions=dimensions)
    elif name == "sentence":
        stand_in_library(request.getfixturevalue("tmp_path"), monkeypatch)
        yield lambda: embedder("local:acme/e5-small", dimensions=dimensions)
    elif name in ("static", "fake"):
        yield lambda: embedder(name, dimensions=dimensions)
    else:
        own = {"voyage": 1024, "openai": 1536}.get(name, 48)
        with FakeService(style="voyage" if name == "voyage" else "openai", length=own) as service:
            monkeypatch.setenv("VOYAGE_BASE_URL", service.url)
            monkeypatch.setenv("OPENAI_BASE_URL", service.url)
            model = {"address": f"{service.url}#plain", "address-of-e5": f"{service.url}#e5-small"}.get(name, name)
            yield lambda: embedder(model, key=KEY, dimensions=dimensions)


def each(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("make", names, indirect=True)


@each([*LOCAL, *REMOTE])
def test_shapes_and_types_follow_the_protocol(make: Make) -> None:
    built = make()
    documents, query = built.documents(SENTENCES), built.query(SENTENCES[0])
    assert documents.shape == (len(SENTENCES), built.dimensions)
    assert documents.dtype == query.dtype == np.float32
    assert query.shape == (built.dimensions,)
    assert built.documents([]).shape == (0, built.dimensions)


@each([*LOCAL, *REMOTE])
def test_rows_have_unit_length_and_a_blank_text_has_a_zero_row(make: Make) -> None:
    built = make()
    lengths = np.linalg.norm(built.documents(SENTENCES), axis=1)
    zero = [row for row, length in enumerate(lengths) if length == 0.0]
    assert set(BLANK) <= set(zero) <= {*BLANK, 5}  # words of another alphabet may be unknown, and no others
    assert [length for row, length in enumerate(lengths) if row not in zero] == pytest.approx([1.0] * (8 - len(zero)))
    assert not built.query(" ").any()


@each([*LOCAL, *REMOTE])
@pytest.mark.parametrize("kind", ["observation", "code", "learning"])
def test_a_question_of_every_kind_has_unit_length(make: Make, kind: str) -> None:
    assert np.linalg.norm(make().query("the deploy failed", kind)) == pytest.approx(1.0)  # type: ignore[arg-type]


@each(LOCAL)
def test_a_text_gives_the_same_bytes_whatever_batch_it_comes_in(make: Make) -> None:
    built = make()
    batch = built.documents(SENTENCES)
    backwards = built.documents(SENTENCES[::-1])[::-1]
    alone = np.concatenate([built.documents([text]) for text in SENTENCES])
    assert batch.tobytes() == backwards.tobytes() == alone.tobytes()
    assert make().documents(SENTENCES).tobytes() == batch.tobytes()


@each(REMOTE)
def test_a_text_gives_the_same_numbers_whatever_batch_it_comes_in(make: Make) -> None:
    built = make()
    batch = built.documents(SENTENCES)
    alone = np.concatenate([built.documents([text]) for text in SENTENCES])
    assert np.abs(batch - built.documents(SENTENCES[::-1])[::-1]).max() < 1e-6
    assert np.abs(batch - alone).max() < 1e-6


@each([*LOCAL, *REMOTE])
def test_threads_that_share_an_embedder_all_get_the_same(make: Make) -> None:
    built, expected = make(), make().documents(SENTENCES[:3])
    ready, results = threading.Barrier(4), []

    def ask() -> None:
        ready.wait()
        results.append(built.documents(SENTENCES[:3]))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.abs(result - expected).max() < 1e-6 for result in results)


@each([*LOCAL, *REMOTE])
def test_half_a_character_does_not_matter(make: Make) -> None:
    built = make()
    assert np.abs(built.query("deploy \ud800") - built.query("deploy ")).max() < 1e-6
    assert not built.query("\udfff").any()


@each([*LOCAL, *REMOTE])
def test_the_name_is_the_same_for_the_same_choice(make: Make) -> None:
    assert make().model == make().model
    assert "/" in make().model


def test_no_two_of_these_have_the_same_name(
    minilm: Path, minilm_onnx: Path, tiny: Path, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    built = [
        embedder(name, dimensions=dimensions)
        for name, dimensions in [
            ("static", None),
            ("static", 128),
            ("fake", None),
            ("fake", 16),
            ("none", None),
            (str(minilm), None),
            (str(minilm), 128),
            (str(minilm_onnx), None),
            (str(tiny), None),
            ("voyage", None),
            ("voyage", 256),
            ("voyage:voyage-code-3", None),
            ("openai", None),
            (f"{service.url}#voyage-4", None),
            (f"{service.url}#e5-small", 32),
        ]
    ]
    names = [one.model for one in built]
    assert sorted(set(names)) == sorted(names)
    assert service.requests == []
