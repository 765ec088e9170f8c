"""Lantern's memory, with the embedder that comes with Marrow and without one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from marrow.providers.embedder import NoEmbedder
from marrow.providers.static import StaticEmbedder

from .notes import Lantern, lantern


@pytest.fixture(scope="session")
def static() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="module")
def known(static: StaticEmbedder) -> Iterator[Lantern]:
    """Only for reading: the tests of a module share it."""
    with lantern(static) as made:
        yield made


@pytest.fixture(scope="module")
def by_words() -> Iterator[Lantern]:
    with lantern(NoEmbedder()) as made:
        yield made


@pytest.fixture
def filled(static: StaticEmbedder) -> Iterator[Lantern]:
    """One of its own, to be added to."""
    with lantern(static) as made:
        yield made


@pytest.fixture
def empty(static: StaticEmbedder) -> Iterator[Lantern]:
    with lantern(static, is_empty=True) as made:
        yield made
