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
        ("Log(text string, more ...any)", "func (s S) Log(text string, more ...interface{})"),
        ("Keep(all map[string]interface{})", "func (s S) Keep(all map[string]any)"),
        ("All() []types.Coin", "func (b Bank) All() []Coin"),
        (
            "Read(into *types.Row, rows ...*types.Row) (*Row, error)",
            "func (k K) Read(r *Row, more ...*Row) (*types.Row, error)",
        ),
        ("Send(to chan<- Row, from <-chan *Row)", "func (k K) Send(a chan<- Row, b <-chan *Row)"),
        ("Sum(of map[string][]*Row) [32]byte", "func (k K) Sum(m map[string][]*Row) [32]byte"),
        ("Find(a, b *Row) bool", "func (k K) Find(a *Row, b *Row) bool"),
        ("Sum() [Size]byte", "func (k K) Sum() [32]byte"),
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
        ("Read(into *Row) error", "func (k K) Read(into Row) error"),
        ("Read() (*Row, error)", "func (k K) Read() (Row, error)"),
        ("Read(rows []*Row)", "func (k K) Read(rows []Row)"),
        ("Read(rows map[string]*Row)", "func (k K) Read(rows map[string]Row)"),
        ("Log(parts ...string)", "func (k K) Log(parts []string)"),
        ("Log(parts []string)", "func (k K) Log(parts ...string)"),
        ("Send(to chan<- Row)", "func (k K) Send(to <-chan Row)"),
        ("Sum() [32]byte", "func (k K) Sum() []byte"),
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


@pytest.mark.parametrize(
    ("demanded", "given", "expected"),
    [
        ("def emit(self, line)", "def emit(self, *, line)", False),
        ("def emit(self, line)", "def emit(self, line, *, loud=False)", True),
        ("def emit(self, line)", "def emit(self, line, *, loud)", False),
        ("def emit(self, line, *, loud)", "def emit(self, line, *, loud)", True),
        ("def emit(self, line, *, loud)", "def emit(self, line, loud)", True),
        ("def emit(self, line, *, loud)", "def emit(self, line, /, volume)", False),
        ("def emit(self, line, *, loud)", "def emit(self, line, **options)", True),
        ("def emit(self, line, *, loud)", "def emit(self, line, *, loud, colour=1)", True),
        ("def emit(self, line, *, loud=False)", "def emit(self, line)", False),
        ("def emit(self, *, loud)", "def emit(self, *arguments)", False),
        ("def emit(self, line, loud)", "def emit(self, line, *rest, loud)", False),
        ("def emit(self, *parts)", "def emit(self, *parts)", True),
        ("def emit(self, *args, **kwargs)", "def emit(self, line, *, loud=False)", True),
    ],
)
def test_what_is_only_taken_by_name_in_python_is_not_taken_by_place(demanded: str, given: str, expected: bool) -> None:
    assert fits("python", demanded, given) is expected


def test_what_was_cut_off_counts_as_fitting() -> None:
    assert fits("go", "Mint(to string, …", "func (k K) Mint() error")
