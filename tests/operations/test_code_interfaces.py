"""code: calls through interfaces, in languages whose types need not name them where they are declared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory

from .conftest import PROJECT, Do

FILES = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "bank/keeper.go": """package bank

type View struct{}

func (v View) Balance(who string) (int, error) { return 0, nil }

type Keeper struct {
	View
	names []string
}

func (k *Keeper) Mint(to string, amount int) error { return nil }

func (k *Keeper) Burn(from string, amount int) error { return nil }

func (k *Keeper) Close() error { return nil }
""",
    "mint/mint.go": """package mint

type Purse interface {
	Mint(who string, coins int) error
}

type Ledger interface {
	Purse
	Balance(string) (int, error)
}

type Furnace interface {
	Burn(from string, amount, limit int) error
}

type Closer interface {
	Close() error
}

type Minter struct {
	purse   Purse
	ledger  Ledger
	furnace Furnace
	closer  Closer
}

func (m Minter) Begin() error {
	if _, err := m.ledger.Balance("a"); err != nil {
		return err
	}
	return m.purse.Mint("a", 1)
}

func (m Minter) End() error {
	if err := m.furnace.Burn("a", 1, 2); err != nil {
		return err
	}
	return m.closer.Close()
}
""",
    "bank/keeper_test.go": """package bank

import "testing"

func TestMint(t *testing.T) {
	k := &Keeper{}
	k.Mint("a", 1)
	k.Burn("a", 1)
}
""",
    "keys/src/lib.rs": """pub trait KeyManager {
    fn get_key(&self) -> Vec<u8>;
}

pub struct Fixed;

impl KeyManager for Fixed {
    fn get_key(&self) -> Vec<u8> {
        vec![]
    }
}

pub struct Vault {
    manager: Box<dyn KeyManager>,
}

impl Vault {
    pub fn open(&self) -> usize {
        self.manager.get_key().len()
    }
}
""",
    "press/sinks.py": """from typing import Protocol


class Sink(Protocol):
    def emit(self, line: str, loud: bool) -> None: ...


def tell(sink: Sink) -> None:
    sink.emit("x", True)
""",
    "press/paper.py": """class Paper:
    def emit(self, line, loud):
        return line


class Silent:
    def emit(self):
        return None
""",
}
# So many types have Close that an interface of it alone says nothing.
DOOR = "package doors\n\ntype D{n} struct{{}}\n\nfunc (d D{n}) Close() error {{\n\treturn nil\n}}\n"
FILES |= {f"doors/door{n}.go": DOOR.format(n=n) for n in range(12)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


@pytest.mark.parametrize(
    ("method", "through", "caller"),
    [
        ("Keeper.Mint", "Purse.Mint", "Minter.Begin"),
        ("View.Balance", "Ledger.Balance", "Minter.Begin"),  # had by Keeper, which embeds View
        ("Fixed.get_key", "KeyManager.get_key", "Vault.open"),
        ("Paper.emit", "Sink.emit", "tell"),
    ],
)
def test_callers_through_an_interface_are_told_and_shown(
    do: Do, said: Do, method: str, through: str, caller: str
) -> None:
    found = do("code_callers", symbol=method)
    assert [(one["name"], one["calls"]) for one in found.above] == [(through, 1)]
    assert [item.name for item in found.above[0]["items"]] == [caller]
    text = said("code_callers", symbol=method)
    assert f"may be reached through {through} (" in text
    assert "whose place it can take: 1 call" in text
    assert caller in text


@pytest.mark.parametrize(
    ("method", "through", "caller"),
    [
        ("Keeper.Mint", "Purse.Mint", "Minter.Begin"),
        ("View.Balance", "Ledger.Balance", "Minter.Begin"),
        ("Fixed.get_key", "KeyManager.get_key", "Vault.open"),
        ("Paper.emit", "Sink.emit", "tell"),
    ],
)
def test_impact_goes_through_interfaces(do: Do, said: Do, method: str, through: str, caller: str) -> None:
    found = do("code_impact", symbol=method)
    (only,) = found.items
    assert (only.name, only.through) == (caller, through)
    assert only.confidence < 0.6
    assert "no call of it is known" not in (text := said("code_impact", symbol=method))
    assert f"may be reached through {through} (" in text


def test_impact_of_an_interface_s_method_has_those_that_fulfil_it(do: Do) -> None:
    assert {"Keeper.Mint", "Minter.Begin"} <= {one.name for one in do("code_impact", symbol="Purse.Mint").items}


def test_a_method_that_takes_something_else_fulfils_nothing(do: Do) -> None:
    assert do("code_callers", symbol="Keeper.Burn").above == ()
    assert do("code_callers", symbol="Silent.emit").above == ()


def test_an_interface_of_one_common_method_says_nothing_where_many_types_have_it(do: Do) -> None:
    assert do("code_callers", symbol="Keeper.Close").above == ()
    assert do("code_callers", symbol="D3.Close").above == ()


def test_what_only_tests_call_is_told_with_the_places_of_its_name(do: Do, said: Do) -> None:
    found = do("code_impact", symbol="Keeper.Burn")
    assert found.items == ()
    assert [one.name for one in found.tests] == ["TestMint"]
    assert "mint/mint.go" in {place.path for place in found.places}
    text = said("code_impact", symbol="Keeper.Burn")
    assert "no call of it is known, except by tests" in text
    assert "its name stands in 2 places" in text
    assert "Nothing but tests is known to call it. code_impact says where" in said("code_callers", symbol="Keeper.Burn")
