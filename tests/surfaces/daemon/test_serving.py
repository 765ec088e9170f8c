"""How the daemon settles down once everything is loaded."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from marrow.surfaces.daemon import serving


@pytest.fixture
def collector() -> Iterator[None]:
    """As it was, whatever a test does to it."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("fails", [False, True])
def test_what_is_loaded_is_not_looked_through_again(fails: bool) -> None:
    async def preload(first: Callable[[], object]) -> None:
        assert not gc.isenabled()
        if fails:
            raise ImportError("it is not installed")

    gc.disable()
    frozen = gc.get_freeze_count()
    server, worker = SimpleNamespace(preload=preload), SimpleNamespace(warmed=SimpleNamespace(wait=None))
    try:
        asyncio.run(serving._load(cast("Any", server), cast("Any", worker)))
    except ImportError:
        assert fails
    assert gc.get_freeze_count() > frozen
    assert gc.isenabled()
    assert gc.get_threshold()[0] == serving.YOUNG
