"""Which sources are parsed by who asks, and which by a worker that can be killed."""

import pytest

from marrow.codemap.tame import TAME_BYTES_MAX, TAME_DEPTH_MAX, TAME_LINE_MAX, is_tame


@pytest.mark.parametrize(
    ("source", "is_so"),
    [
        (b"def f(a):\n    return [a, {1: (a)}]\n" * 1000, True),
        (b"x\n" * (TAME_BYTES_MAX // 2 + 1), False),
        (b"x" * (TAME_LINE_MAX + 1), False),
        (b"(" * TAME_DEPTH_MAX + b")" * TAME_DEPTH_MAX, True),
        (b"([{" * TAME_DEPTH_MAX + b"}])" * TAME_DEPTH_MAX, False),
        (b"(" * (TAME_DEPTH_MAX + 1), False),
        (b")" * 1000 + b"(" * TAME_DEPTH_MAX, True),
        (b"()" * 1000 + b"[{" * TAME_DEPTH_MAX, False),
    ],
)
def test_what_is_parsed_here_and_now(source: bytes, is_so: bool) -> None:
    assert is_tame(source) is is_so


def test_brackets_that_nothing_closes_count_only_where_they_are_open_together() -> None:
    """What can be said quickly is not enough here: it is counted."""
    one = b"(" * 100 + b")" * 100
    assert is_tame(one + b"(" * 60 + b")" * 50 + b"\n")
    assert not is_tame(b"(" * 60 + one[:-1])
