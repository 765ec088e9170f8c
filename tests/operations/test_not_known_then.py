"""What is known now and was not then is told as that, and not as something that never was."""

from __future__ import annotations

import pytest

from marrow.app import Memory
from marrow.model.errors import NotFound

from . import test_organisation
from .conftest import Do

known = test_organisation.known


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("get_full_document", {"path": "docs/adr/0002.md"}),
        ("get_full_document", {"path": "0002.md"}),
        ("get_service_overview", {"service": "Billing"}),
    ],
)
def test_what_was_not_known_at_a_time_is_told_as_that(
    known: Memory, do: Do, operation: str, given: dict[str, str]
) -> None:
    with pytest.raises(NotFound, match="was not known at that time") as problem:
        do(operation, **given, as_of="2001-01-01")
    assert problem.value.field == "as_of"
    assert do(operation, **given)
