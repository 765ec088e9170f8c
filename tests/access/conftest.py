"""What the tests of views share: the engine, clock and caller of the verbs' tests, and a store seen through a view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from marrow.access.restricted import Restricted, restrict
from marrow.memory.engine import Asker, Engine
from marrow.memory.views import view_define
from marrow.model.scope import READ, WRITE

from ..memory.conftest import Hand, asker, asker_of, clock, engine, hand

__all__ = ["PUBLIC", "Hand", "asker", "asker_of", "clock", "engine", "hand"]

# The view of most tests: nothing confidential.
PUBLIC: dict[str, Any] = {"not": {"classification": ["confidential", "secret"]}}
Through = Callable[..., Engine]


@pytest.fixture
def through(engine: Engine, asker: Asker) -> Through:
    """The same engine, held to a view that is defined on the way."""

    def held(given: dict[str, Any] | None = None, name: str = "team") -> Engine:
        view_define(engine, asker, name, given or PUBLIC)
        return replace(engine, store=restrict(engine.store, asker.namespace, name), views={})

    return held


@pytest.fixture
def writer_only(asker: Asker) -> Asker:
    """A caller who reads and writes, and is no administrator."""
    return replace(asker, principal=replace(asker.principal, rights=frozenset((READ, WRITE))))


def restricted(engine: Engine) -> Restricted:
    assert isinstance(engine.store, Restricted)
    return engine.store
