"""Fixtures of the store tests: each store in turn, empty, and a door to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.store.protocol import Store

from .door import Door, verify
from .stores import STORES


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store in turn. Whatever a test did to it, its chain and its root must hold afterwards."""
    opened = STORES[request.param](tmp_path)
    yield opened
    verify(opened)
    opened.close()


@pytest.fixture
def door(store: Store) -> Door:
    return Door(store)
