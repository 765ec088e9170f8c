"""A question that two embedders of one space have read."""

from __future__ import annotations

import numpy as np
import pytest

from marrow.model.errors import Unavailable
from marrow.providers.blended import BETTER_SHARE, Blended
from marrow.providers.embedder import FakeEmbedder, elsewhere, sure_from


class Other(FakeEmbedder):
    """Of the same space, and of another opinion."""

    sure_from = 0.4

    def documents(self, texts):  # type: ignore[no-untyped-def]
        return super().documents([f"{text} besides" for text in texts])


class Broken(FakeEmbedder):
    def documents(self, texts):  # type: ignore[no-untyped-def]
        raise Unavailable("It cannot run.")


QUESTION = "how is the ledger closed"


def test_a_question_is_of_both_and_of_unit_length() -> None:
    quick, better = FakeEmbedder(), Other()
    asked = Blended(quick, better).query(QUESTION)
    both = BETTER_SHARE * better.query(QUESTION) + (1 - BETTER_SHARE) * quick.query(QUESTION)
    assert np.linalg.norm(asked) == pytest.approx(1.0)
    assert asked == pytest.approx(both / np.linalg.norm(both))
    assert not np.array_equal(asked, quick.query(QUESTION))


def test_texts_are_those_of_the_quick_one() -> None:
    quick = FakeEmbedder()
    blended = Blended(quick, Other())
    assert (blended.model, blended.dimensions) == (quick.model, quick.dimensions)
    assert np.array_equal(blended.documents([QUESTION]), quick.documents([QUESTION]))


def test_where_the_better_one_cannot_run_the_quick_one_asks_alone() -> None:
    quick = FakeEmbedder()
    assert np.array_equal(Blended(quick, Broken()).query(QUESTION), quick.query(QUESTION))


def test_in_another_language_the_quick_one_asks_alone() -> None:
    quick = FakeEmbedder()
    assert elsewhere(Blended(quick, Other())) is quick


def test_what_is_sure_of_one_is_not_of_both() -> None:
    assert sure_from(Blended(FakeEmbedder(), Other())) == 1.0
