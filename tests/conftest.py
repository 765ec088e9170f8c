"""What every test shares: one bounded, repeatable profile for generated examples, and where Marrow's sources are.

MARROW_TEST_EXAMPLES asks for more examples of each kind; MARROW_TEST_EXPLORE=1 takes new ones on every run.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import marrow

EXAMPLES = int(os.environ.get("MARROW_TEST_EXAMPLES", "60"))

settings.register_profile(
    "marrow",
    max_examples=EXAMPLES,
    derandomize=not os.environ.get("MARROW_TEST_EXPLORE"),
    deadline=None,  # A busy machine is no failure.
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("marrow")


@pytest.fixture(scope="session")
def child_environment() -> dict[str, str]:
    """The environment of a child process that imports the same Marrow as this one."""
    sources = str(Path(marrow.__file__).parents[1])
    root = str(Path(__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join((sources, root))}
