"""Runs of tests: real output of the runners at hand, and the formats of the others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from marrow.memory.observed.call import call_of
from marrow.memory.observed.observation import Observation, content
from marrow.memory.observed.observe import observe
from marrow.memory.observed.piece import Piece
from marrow.memory.observed.shell import shell_piece
from marrow.model.text import token_estimate

from . import outputs
from .traces import CWD, shell

FAILING = [
    (
        "npx jest",
        outputs.JEST,
        "Cart › adds the tip",
        "src/cart.test.js:12",
        "expect(received).toBe",
        "1 failed, 11 passed",
    ),
    (
        "pnpm vitest run",
        outputs.VITEST,
        "Cart > adds the tip",
        "src/cart.test.ts:12",
        "expected 3 to be 4",
        "1 failed, 5 passed",
    ),
    ("npx mocha", outputs.MOCHA, "Cart › adds the tip", "test/cart.js:12", "3 == 4", "1 failed, 11 passed"),
    ("node --test", outputs.NODE, "adds the tip", "cart.test.js:12", "3 !== 4", "1 failed, 1 passed"),
    (
        "npx playwright test",
        outputs.PLAYWRIGHT,
        "adds the tip",
        "tests/cart.spec.ts:12",
        "toHaveText",
        "1 failed, 2 passed",
    ),
    (
        "go test -v ./...",
        outputs.GO,
        "TestTotal/with_tip",
        "cart_test.go:12",
        "Total() = 3, want 4",
        "1 failed, 1 passed",
    ),
    ("go test ./...", outputs.GO_BUILD, "github.com/ada/shop/cart", "cart.go:7:9", "undefined: tip", "1 error"),
    ("cargo test", outputs.CARGO, "tests::adds_the_tip", "src/lib.rs:6:17", "left 3, right 4", "2 failed, 1 passed"),
    (
        "bundle exec rspec",
        outputs.RSPEC,
        "Cart adds the tip",
        "spec/cart_spec.rb:12",
        "expected 4, got 3",
        "1 failed, 9 passed",
    ),
    (
        "bin/rails test",
        outputs.MINITEST,
        "CartTest#test_adds_the_tip",
        "test/cart_test.rb:12",
        "Expected: 4 Actual: 3",
        "1 failed, 1 passed",
    ),
    (
        "vendor/bin/phpunit",
        outputs.PHPUNIT,
        "CartTest::testAddsTheTip",
        "tests/CartTest.php:12",
        "3 matches expected 4",
        "1 failed, 11 passed",
    ),
    (
        "mvn test",
        outputs.MAVEN,
        "CartTest.addsTheTip",
        "CartTest.java:12",
        "expected: <4> but was: <3>",
        "1 failed, 11 passed",
    ),
    (
        "./gradlew test",
        outputs.GRADLE,
        "CartTest > addsTheTip()",
        "CartTest.java:12",
        "expected: <4> but was: <3>",
        "1 failed, 11 passed",
    ),
    (
        "dotnet test",
        outputs.DOTNET,
        "Shop.Tests.CartTests.AddsTheTip",
        "CartTests.cs:12",
        "Values differ",
        "1 failed, 11 passed",
    ),
    (
        "python -m unittest -v",
        outputs.UNITTEST,
        "test_cart.CartTest.test_adds_the_tip",
        "test_cart.py:12",
        "3 != 4",
        "1 failed, 11 passed",
    ),
]


def one(trace: dict[str, object]) -> Observation:
    (found,) = observe([trace])
    return found


def piece(trace: dict[str, object]) -> Piece:
    """What is made of one call, before it is told whether it is worth keeping."""
    call = call_of(trace)
    assert call is not None
    found = shell_piece(call)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("command", "output", "test", "place", "message", "counts"), FAILING, ids=[row[0] for row in FAILING]
)
def test_a_failing_run_is_kept_as_what_failed_where_and_why(
    command: str, output: str, test: str, place: str, message: str, counts: str
) -> None:
    found = one(shell(command, output, code=1))
    assert found.outcome == "failed"
    assert test in content(found)
    assert place in content(found)
    assert message in content(found)
    assert counts in found.summary
    assert found.failure
    assert CWD not in content(found)


@pytest.mark.parametrize(
    ("command", "output", "test", "place", "message", "counts"), FAILING, ids=[row[0] for row in FAILING]
)
def test_a_run_is_known_by_its_output_when_the_command_says_nothing(
    command: str, output: str, test: str, place: str, message: str, counts: str
) -> None:
    found = one(shell("./scripts/verify.sh", output, code=1))
    assert test in content(found)
    assert counts in found.summary


@pytest.mark.parametrize("runner", outputs.PASSING)
def test_a_passing_run_is_read_as_counts_and_time(runner: str) -> None:
    command, output, counts = outputs.PASSING[runner]
    found = piece(shell(command, output))
    assert found.outcome == "ok"
    assert found.failure == ""
    assert found.title == f"Tests pass: {counts} ({runner})"


def test_a_run_whose_pipe_hides_the_exit_code_has_failed_all_the_same() -> None:
    found = one(
        shell(
            "pytest -q 2>&1 | tail -3", "FAILED tests/test_a.py::test_x - KeyError: 'sku'\n1 failed, 3 passed in 0.2s\n"
        )
    )
    assert found.outcome == "failed"
    assert found.files == ("tests/test_a.py",)


def test_a_passing_run_before_a_tail_is_not_failed_by_what_follows_it() -> None:
    found = piece(shell("pytest -q | tail -1; exit 0", "12 passed in 0.2s\n"))
    assert found.outcome == "ok"


@pytest.mark.parametrize("runner", outputs.PASSING)
def test_a_run_that_passes_and_mends_nothing_is_not_kept(runner: str) -> None:
    command, output, _ = outputs.PASSING[runner]
    assert observe([shell(command, output), shell(command, output)]) == []


def test_a_runner_that_did_not_start_says_why() -> None:
    found = one(shell("pytest tests", "", "/bin/sh: 1: pytest: not found\n", code=127))
    assert found.outcome == "failed"
    assert "pytest: not found" in found.title


def run_pytest(folder: Path, *arguments: str) -> dict[str, object]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return shell("python -m pytest " + " ".join(arguments), done.stdout, done.stderr, done.returncode, cwd=str(folder))


TESTS = """\
import logging
import pytest

from cart import total


class TestCart:
    def test_total(self):
        for number in range({lines}):
            logging.warning("checking item %d of the cart", number)
        assert total([1, 2]) == 4

    def test_empty(self):
        assert total([]) == 0


@pytest.mark.parametrize("sku", ["apple", "pear"])
def test_price(sku):
    assert {{"apple": 1}}[sku] == 1


@pytest.fixture
def database():
    raise ConnectionError("refused: 127.0.0.1:5432")


def test_stored(database):
    pass
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "cart.py").write_text("def total(items):\n    return sum(items)\n")
    (tmp_path / "test_cart.py").write_text(TESTS.format(lines=3))
    return tmp_path


@pytest.mark.parametrize("style", ["long", "short", "line", "native"])
def test_real_pytest_output_tells_each_failure(shop: Path, style: str) -> None:
    found = one(run_pytest(shop, f"--tb={style}"))
    assert "2 failed, 1 error, 2 passed" in found.summary
    assert found.title == "Test failed: TestCart::test_total (+2 more)"
    assert "test_cart.py::TestCart::test_total" in found.detail
    assert "assert 3 == 4" in content(found)
    assert "test_price[pear]" in found.detail
    assert "KeyError: 'pear'" in found.detail
    assert "ConnectionError: refused" in found.detail
    assert found.files == ("test_cart.py",)
    if style in ("long", "short"):
        assert "test_cart.py:11: assert 3 == 4" in found.summary


def test_real_pytest_output_of_a_module_that_cannot_be_imported(shop: Path) -> None:
    (shop / "test_broken.py").write_text("import nothing_here\n")
    found = one(run_pytest(shop, "-q"))
    assert found.failure == "ModuleNotFoundError: No module named 'nothing_here'"
    assert "test_broken.py:1" in found.summary


def test_a_log_of_three_thousand_lines_becomes_less_than_three_hundred_tokens(shop: Path) -> None:
    (shop / "test_cart.py").write_text(TESTS.format(lines=3_000))
    trace = run_pytest(shop)
    assert str(trace["error"]).count("\n") > 3_000
    found = one(trace)
    assert token_estimate(content(found)) < 300
    assert found.after * 100 < found.before
    assert "TestCart::test_total" in found.title
    assert "test_cart.py:11: assert 3 == 4" in found.summary
