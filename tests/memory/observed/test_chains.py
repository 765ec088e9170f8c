"""Failures and what mended them."""

from __future__ import annotations

import pytest

from marrow.memory.observed.observe import failure_of, observe

from . import outputs
from .traces import edit, shell

RED = """\
_________________ test_total _________________
tests/test_cart.py:12: in test_total
E   assert 3 == 4
FAILED tests/test_cart.py::test_total - assert 3 == 4
1 failed, 3 passed in 0.2s
"""
GREEN = "4 passed in 0.2s\n"


def red(command: str = "pytest -q") -> dict[str, object]:
    return shell(command, RED, code=1)


def mend() -> dict[str, object]:
    return edit("src/cart.py", "def total(i):\n    return sum(i)", "def total(i):\n    return sum(i) + TIP")


def test_a_run_that_passes_after_an_edit_is_linked_to_it() -> None:
    first, between, last = red(), mend(), shell("pytest -q", GREEN)
    edited, fixed = observe([first, between, last])
    assert edited.files == ("src/cart.py",)
    assert fixed.title == "Fixed after 2 runs: test_total"
    assert fixed.outcome == "ok"
    assert fixed.failure == ""
    assert fixed.fixed == failure_of(first) == "test_total: assert <n> == <n>"
    assert fixed.files == ("src/cart.py", "tests/test_cart.py")
    assert "return sum(i) + TIP" in fixed.detail
    assert "4 passed" in fixed.summary
    assert fixed.trace_ids == (first["id"], last["id"])


def test_the_edit_before_the_passing_run_is_the_one_that_mended() -> None:
    wrong = edit("src/price.py", "p = 1", "p = 2")
    *_, fixed = observe([red(), wrong, red(), mend(), shell("pytest -q", GREEN)])
    assert fixed.title == "Fixed after 3 runs: test_total"
    assert "src/cart.py" in fixed.files
    assert "src/price.py" not in fixed.files


def test_a_run_of_the_whole_mends_a_failure_of_a_part_and_a_run_of_another_part_does_not() -> None:
    part = red("pytest -q tests/test_cart.py::test_total")
    assert [one.fixed for one in observe([part, mend(), shell("pytest", GREEN)])][-1]
    other = observe([part, mend(), shell("pytest tests/test_price.py", GREEN)])
    assert [one.fixed for one in other] == ["", ""]
    assert sorted(one.outcome for one in other) == ["failed", "ok"]


def test_a_test_that_fails_otherwise_is_not_mended() -> None:
    syntax = "E   SyntaxError: invalid syntax\nERROR tests/test_cart.py\n1 error in 0.1s\n"
    edited, still = observe([red(), mend(), shell("pytest -q", syntax, code=2)])
    assert edited.does == "edit"
    assert still.outcome == "failed"
    assert still.summary.startswith("Still failing after 2 runs.")
    assert "First: tests/test_cart.py::test_total" in still.detail


def test_a_failure_that_gives_way_to_another_tests_failure_is_mended() -> None:
    other = "FAILED tests/test_price.py::test_tax - KeyError: 'vat'\n1 failed, 3 passed in 0.2s\n"
    found = observe([red(), mend(), shell("pytest -q", other, code=1)])
    assert [(one.outcome, bool(one.fixed), bool(one.failure)) for one in found] == [
        ("ok", False, False),
        ("ok", True, False),
        ("failed", False, True),
    ]


def test_a_run_that_passes_with_nothing_between_mended_nothing() -> None:
    (flaky,) = observe([red(), shell("pytest -q", GREEN)])
    assert flaky.fixed == ""
    assert flaky.title == "Passes on run 2 with no change seen: test_total"


def test_a_command_that_fails_and_works_after_an_install_is_linked_to_it() -> None:
    missing = (
        'Traceback (most recent call last):\n  File "/srv/shop/app.py", line 1, in <module>\n    import httpx\n'
        "ModuleNotFoundError: No module named 'httpx'\n"
    )
    first = shell("python app.py", "", missing, code=1)
    installed = shell("pip install httpx", "Successfully installed httpx-0.28.1\n")
    *_, fixed = observe([first, installed, shell("python app.py", "listening on 8080\n")])
    assert fixed.fixed == failure_of(first) == "ModuleNotFoundError: No module named 'httpx'"
    assert "Installed httpx" in fixed.summary


def test_a_failure_that_stays_is_told_once_with_how_often() -> None:
    (still,) = observe([red(), red(), red()])
    assert still.outcome == "failed"
    assert still.summary.startswith("Still failing after 3 runs.")
    assert len(still.trace_ids) == 3


def test_edits_between_runs_of_one_thread_are_one_observation() -> None:
    found = observe([red(), mend(), red(), edit("src/cart.py", "TIP = 1", "TIP = 2"), shell("pytest -q", GREEN)])
    assert [one.title.split(":")[0] for one in found] == ["Edited src/cart.py", "Fixed after 3 runs"]
    assert len(found[0].trace_ids) == 2


def test_a_failed_build_that_builds_again_is_mended() -> None:
    mended = observe([shell("npm run build", outputs.TSC, code=2), mend(), shell("npm run build", "> tsc -p .\n")])[-1]
    assert mended.fixed.startswith("TS2322")


UNSET = "release.sh: line 14: DEPLOY_TOKEN: unbound variable\nerror: DEPLOY_TOKEN is not set\n"
SHIPPED = "==> building parcelhub:4.2.0\n==> dry run finished, nothing was deployed\n"


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        ("./scripts/release.sh 4.2.0", "source .env.deploy && ./scripts/release.sh 4.2.0"),
        ("./scripts/release.sh 4.2.0", "DEPLOY_TOKEN=x ./scripts/release.sh 4.2.0"),
        ("./scripts/release.sh 4.2.0", "./scripts/release.sh 4.2.0 --token-file .token"),
        ("./scripts/release.sh 4.2.0", "cd api && ./scripts/release.sh 4.2.0 2>&1 | tail -5"),
    ],
)
def test_a_command_that_passes_once_it_is_changed_was_mended_by_that(failing: str, passing: str) -> None:
    first = shell(failing, UNSET, code=1)
    (fixed,) = observe([first, shell(passing, SHIPPED)])
    assert fixed.fixed == failure_of(first)
    assert fixed.title.startswith("Fixed after 2 runs")
    assert f"`{passing.partition(' 2>&1')[0]}`" in fixed.summary
    assert "Nothing was seen to change" not in fixed.summary


@pytest.mark.parametrize(
    "passing", ["./scripts/release.sh 4.2.0 2>&1 | tail -3", "./scripts/release.sh 4.2.0; echo done"]
)
def test_the_same_command_looked_at_otherwise_is_not_a_changed_one(passing: str) -> None:
    (flaky,) = observe([shell("./scripts/release.sh 4.2.0", UNSET, code=1), shell(passing, SHIPPED)])
    assert flaky.fixed == ""


@pytest.mark.parametrize("passing", ["./scripts/release.sh 4.2.0 --dry-run", "./scripts/release.sh 4.2.0 -x other"])
def test_another_command_or_a_dry_run_does_not_mend_unless_only_options_were_added(passing: str) -> None:
    found = observe([shell("./scripts/release.sh 4.2.0", UNSET, code=1), shell(passing, SHIPPED)])
    assert any(one.outcome == "failed" for one in found) == passing.endswith("--dry-run")


def test_a_passing_run_between_is_not_what_mended() -> None:
    other = shell("pytest -q tests/test_price.py", GREEN)
    (flaky,) = observe([red(), other, shell("pytest -q", GREEN)])
    assert flaky.title == "Passes on run 2 with no change seen: test_total"
