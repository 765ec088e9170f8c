"""What was tried and taken back is told as that, and not as a change that is there."""

from __future__ import annotations

import time

import pytest

from marrow.memory.observed.decided import decided
from marrow.memory.observed.digest import digest, handoff_text
from marrow.memory.observed.observe import observe

from .test_chains import GREEN, mend, red
from .traces import CWD, edit, prompt, shell, stop

BACK = [
    "git checkout -- src/cart.py",
    "git checkout src/cart.py",
    "git checkout HEAD -- src/cart.py",
    "git restore src/cart.py",
    "git restore .",
    "git checkout -- .",
    "git checkout -- src",
    "git reset --hard",
]


@pytest.mark.parametrize("command", BACK)
def test_an_edit_that_git_takes_back_is_told_as_tried(command: str) -> None:
    tried, *_ = observe([mend(), shell(command)])
    assert tried.title == "Tried and took back: src/cart.py: total (+1 −1)"
    assert tried.outcome == "undone"
    assert tried.files == ("src/cart.py",)
    assert "return sum(i) + TIP" in tried.detail
    assert len(tried.trace_ids) == 2


@pytest.mark.parametrize("command", ["cd web && git checkout .", "cd $WEB && git restore .", "git -C web restore ."])
def test_what_is_put_back_in_one_folder_leaves_the_edits_of_others(command: str) -> None:
    assert [one.outcome for one in observe([mend(), shell(command)])] == ["ok"]
    assert [one.outcome for one in observe([mend(), {**shell("git checkout ."), "cwd": f"{CWD}/web"}])] == ["ok"]
    assert [one.outcome for one in observe([mend(), {**shell("git checkout src"), "cwd": f"{CWD}/web"}])] == ["ok"]


@pytest.mark.parametrize("command", ["cd src && git checkout .", "cd src && git checkout cart.py"])
def test_what_is_put_back_from_within_its_folder_is_taken_back(command: str) -> None:
    assert [one.outcome for one in observe([mend(), shell(command)])] == ["undone"]
    assert [one.outcome for one in observe([mend(), {**shell(command[10:]), "cwd": f"{CWD}/src"}])] == ["undone"]


def test_many_edits_are_taken_back_quickly() -> None:
    began = time.perf_counter()
    edits = [edit(f"src/a{at % 40}.py", f"a = {at}", f"a = {at + 1}") for at in range(3_000)]
    (tried,) = observe([*edits, shell("git checkout .")])
    assert tried.outcome == "undone"
    assert time.perf_counter() - began < 3.0


def test_what_failed_with_it_is_told_beside_it() -> None:
    tried = next(one for one in observe([mend(), red(), shell("git restore src/cart.py")]) if one.outcome == "undone")
    assert "test_total" in tried.summary
    assert "assert 3 == 4" in tried.summary


def test_what_was_edited_after_it_stays() -> None:
    seen = observe([mend(), shell("git checkout -- src/cart.py"), edit("src/cart.py", "a = 1", "a = 2")])
    assert [one.title for one in seen] == [
        "Tried and took back: src/cart.py: total (+1 −1)",
        "Edited src/cart.py: a = 2 (+1 −1)",
    ]


def test_what_failed_with_it_is_no_open_failure_and_nothing_fixed() -> None:
    (tried,) = observe([mend(), red(), shell("git checkout -- src/cart.py && pytest -q", GREEN)])
    assert tried.outcome == "undone"
    assert len(tried.trace_ids) == 3


def test_what_fails_beside_another_edit_stays_open() -> None:
    other = edit("src/price.py", "p = 1", "p = 2")
    seen = observe([mend(), other, red(), shell("git checkout -- src/cart.py")])
    assert [one.outcome for one in seen] == ["ok", "failed", "undone"]


def test_what_passes_after_something_was_taken_back_is_told_with_that() -> None:
    other = edit("tests/test_cart.py", "a = 1", "a = 2")
    back = shell("git checkout -- src/cart.py")
    *_, fixed = observe([mend(), other, red(), back, shell("pytest -q", GREEN)])
    assert "Between: Tried and took back: src/cart.py: total" in fixed.summary


def test_what_failed_before_it_was_tried_is_still_open() -> None:
    seen = observe([red(), mend(), red(), shell("git checkout -- src/cart.py")])
    assert [one.outcome for one in seen] == ["failed", "undone"]


@pytest.mark.parametrize(
    "command",
    [
        "git checkout main",
        "git checkout -b src",
        "git checkout -- src/other.py",
        "git restore --staged src/cart.py",
        "git -C ../other checkout -- src/cart.py",
        "git reset src/cart.py",
    ],
)
def test_what_takes_nothing_back_leaves_the_edit(command: str) -> None:
    assert observe([mend(), shell(command)])[0].title == "Edited src/cart.py: total (+1 −1)"


def test_what_was_committed_is_not_taken_back() -> None:
    commit = shell("git commit -am 'Tip'", "[main 1234567] Tip\n 1 file changed, 1 insertion(+)\n")
    seen = observe([mend(), commit, shell("git checkout -- src/cart.py")])
    assert [one.title for one in seen] == ["Edited src/cart.py: total (+1 −1)", "Commit: Tip"]


def test_taking_back_that_fails_takes_nothing_back() -> None:
    failed = shell("git checkout -- src/cart.py", stderr="error: pathspec did not match\n", code=1)
    assert observe([mend(), failed])[0].title == "Edited src/cart.py: total (+1 −1)"


def test_a_handoff_says_what_was_tried_and_names_no_file_that_is_as_it_was() -> None:
    seen = observe([mend(), red(), shell("git checkout -- src/cart.py")])
    made = digest({"session": "s1"}, seen, [], [prompt("make the total simpler")])
    assert "Tried and took back: src/cart.py: total" in handoff_text(made)
    assert made.files == ()


TRIED = [
    "I tried math.log and reverted it: it fails for 0 and picks the wrong unit below a power of 1024.",
    "We tried a connection pool per tenant, but that exhausted the file handles, so it was rolled back.",
    "I also tried caching the parser; it did not help because every call has its own grammar.",
    "Reverted the switch to asyncio because the driver blocks in its own thread.",
]


@pytest.mark.parametrize("message", TRIED)
def test_what_the_agent_tried_in_vain_is_kept_with_its_reason(message: str) -> None:
    (told,) = decided([stop(message)])
    assert (told.text, told.kind, told.domain) == (message, "claim", "issues")


@pytest.mark.parametrize(
    "message",
    [
        "I tried to run the tests and they pass.",
        "I tried the new flag and it works fine for all cases.",
        "Reverted the file as you asked me to.",
        "I can try to revert it if you want, because it failed.",
    ],
)
def test_what_was_tried_and_went_well_is_progress(message: str) -> None:
    assert decided([stop(message)]) == []
