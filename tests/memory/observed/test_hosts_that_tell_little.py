"""Runs of which a host tells the output and nothing else, or of which the output alone says what is wrong."""

from __future__ import annotations

from marrow.memory.observed.observe import observe

from .traces import CWD, edit, shell, tool

DID_NOT_LOAD = f"""\
TAP version 13
# node:internal/process/esm_loader:97
#     internalBinding('errors').triggerUncaughtException(
#                               ^
# Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'luxon' imported from {CWD}/src/dates.ts
#     at packageResolve (node:internal/modules/esm/resolve:873:9) {{
#   code: 'ERR_MODULE_NOT_FOUND'
# }}
# Node.js v20.20.2
# Subtest: {CWD}/test/invoice.test.ts
not ok 1 - {CWD}/test/invoice.test.ts
  ---
  duration_ms: 398.340862
  location: '{CWD}/test/invoice.test.ts:1:1'
  failureType: 'testCodeFailure'
  exitCode: 1
  error: 'test failed'
  code: 'ERR_TEST_FAILURE'
  ...
# Subtest: formats
ok 2 - formats
1..2
# tests 2
# pass 1
# fail 1
# skipped 0
# duration_ms 1556.2
"""


def test_a_file_of_tests_that_does_not_load_is_told_with_its_reason_and_its_path_in_the_project() -> None:
    (failed,) = observe([shell("npm test", DID_NOT_LOAD, code=1)])
    assert failed.title == "Test failed: test/invoice.test.ts"
    assert "Cannot find package 'luxon'" in failed.summary
    assert CWD not in failed.title + failed.summary.replace(f"from {CWD}", "")


RED = "src/pay.ts:7:32 - error TS2345: Argument of type 'a' is not assignable to 'b'.\n"
GREEN = "# tests 8\n# pass 8\n# fail 0\n# skipped 0\n# duration_ms 12\n"


def untold(command: str, output: str) -> dict[str, object]:
    """As Codex tells of a command: what it printed, and not how it ended."""
    return tool("Bash", "shell", {"command": command}, output)


def test_a_check_is_mended_when_what_runs_only_after_it_has_run() -> None:
    mended = observe(
        [untold("npm run types", RED), edit("src/pay.ts", "a", "b"), untold("npm run types && npm test", GREEN)]
    )
    assert [one.outcome for one in mended] == ["ok", "ok"]
    assert mended[-1].title.startswith("Fixed after 2 runs: npm run types")


def test_a_check_is_not_mended_when_what_runs_after_it_runs_anyway() -> None:
    for line in ("npm run types; npm test", "npm run types || npm test", "npm run types | tee log && npm test"):
        found = observe([untold("npm run types", RED), edit("src/pay.ts", "a", "b"), untold(line, GREEN)])
        assert "failed" in [one.outcome for one in found], line


def test_a_commit_is_told_once() -> None:
    (made,) = observe([untold("git commit -qm 'Dates without a library'", "")])
    assert made.title == "Commit: Dates without a library"
    assert made.summary == made.title


def test_what_was_mended_is_told_with_its_path_in_the_project() -> None:
    green = "# tests 2\n# pass 2\n# fail 0\n# skipped 0\n# duration_ms 12\n"
    *_, fixed = observe([shell("npm test", DID_NOT_LOAD, code=1), edit("a.ts", "a", "b"), shell("npm test", green)])
    assert "test/invoice.test.ts" in fixed.summary
    assert f"{CWD}/test" not in fixed.title + fixed.summary + fixed.detail
