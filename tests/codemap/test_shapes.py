"""Whether a method can stand where another is demanded."""

from __future__ import annotations

import pytest

from marrow.codemap.shapes import fits


@pytest.mark.parametrize(
    ("demanded", "given"),
    [
        (
            "Mint(ctx context.Context, to, why string) error",
            "func (k *K) Mint(c context.Context, a string, b string) error",
        ),
        ("Each(f func(coin sdk.Coin) (stop bool))", "func (k K) Each(cb func(sdk.Coin) bool)"),
        ("Get(key K) (V, error)", "func (m Map) Get(key string) (value int, err error)"),
        ("Keep(any)", "func (s S) Keep(what interface{})"),
        ("All() []types.Coin", "func (b Bank) All() []Coin"),
    ],
)
def test_a_method_of_go_fits_by_what_it_takes_and_gives(demanded: str, given: str) -> None:
    assert fits("go", demanded, given)


@pytest.mark.parametrize(
    ("demanded", "given"),
    [
        ("Mint(to string) error", "func (k K) Mint(to string)"),
        ("Mint(to string) error", "func (k K) Mint(to string, amount int) error"),
        ("Mint(to string) error", "func (k K) Mint(to []string) error"),
    ],
)
def test_a_method_of_go_that_takes_or_gives_something_else_does_not(demanded: str, given: str) -> None:
    assert not fits("go", demanded, given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("def emit(self, line, loud)", True),
        ("def emit(self, text: str, is_loud: bool) -> None", True),
        ("def emit(self, line: str, loud: bool, colour: str = 'red') -> None", True),
        ("def emit(self, *arguments)", True),
        ("def emit(self)", False),
        ("def emit(self, line, loud, colour)", False),
    ],
)
def test_a_method_of_python_fits_when_it_takes_what_is_demanded(given: str, expected: bool) -> None:
    assert fits("python", "def emit(self, line: str, loud: bool) -> None", given) is expected


def test_what_was_cut_off_counts_as_fitting() -> None:
    assert fits("go", "Mint(to string, …", "func (k K) Mint() error")
