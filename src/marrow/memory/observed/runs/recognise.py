"""Which runner a command starts, and what its output says: by the command first, else by the output alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..lines import one_line
from ..trouble import last_words, trouble
from .compiled import cargo_run, dotnet_run, go_run
from .javascript import jest_run, mocha_run, node_run, playwright_run, vitest_run
from .others import gradle_run, maven_run, minitest_run, phpunit_run, rspec_run
from .python import pytest_run, unittest_run
from .run import Failure, Run

LINE_MAX = 1_000
Reader = Callable[[str], Run | None]

_BY_COMMAND: Sequence[tuple[re.Pattern[str], Reader | None, str]] = tuple(
    (re.compile(pattern), reader, runner)
    for pattern, reader, runner in (
        (r"(?:\S*/)?(?:pytest|py\.test)\b", pytest_run, "pytest"),
        (r"(?:\S*/)?(?:tox|nox)\b", None, "tests"),
        (r"unittest\b|\S*manage\.py test\b", unittest_run, "unittest"),
        (r"(?:\S*/)?jest\b", jest_run, "jest"),
        (r"(?:\S*/)?vitest\b", vitest_run, "vitest"),
        (r"(?:\S*/)?mocha\b", mocha_run, "mocha"),
        (r"(?:\S*/)?playwright test\b", playwright_run, "playwright"),
        (r"node (?:\S+ )*--test\b", node_run, "node"),
        (r"(?:gotestsum|go test)\b", go_run, "go test"),
        (r"cargo (?:\+\S+ )?(?:test|nextest run|t)\b", cargo_run, "cargo test"),
        (r"(?:\S*/)?rspec\b", rspec_run, "rspec"),
        (r"(?:bin/)?(?:rails|rake) test\b|ruby .*_test\.rb", minitest_run, "minitest"),
        (r"(?:\S*/)?(?:phpunit|pest)\b|php artisan test\b", phpunit_run, "phpunit"),
        (r"(?:\S*/)?mvnw? (?:.* )?(?:test|verify|integration-test)\b", maven_run, "maven"),
        (r"(?:\S*/)?gradlew?(?:\.bat)? (?:.* )?(?:\S*:)?(?:test|check)\S*", gradle_run, "gradle"),
        (r"dotnet (?:test|vstest)\b", dotnet_run, "dotnet test"),
        (r"(?:npm|pnpm|yarn|bun|deno)(?: run)?(?: -\S+)* (?:test|t)(?::\S+)?\b", None, "tests"),
        (
            r"(?:make|just|task|mix|swift|rake|bazel|ctest|lein|sbt|zig build|composer)(?: \S+)* ?\b(?:tests?|check)\b",
            None,
            "tests",
        ),
    )
)
_BY_OUTPUT: Sequence[Reader] = (
    pytest_run,
    vitest_run,
    jest_run,
    cargo_run,
    unittest_run,
    maven_run,
    dotnet_run,
    phpunit_run,
    minitest_run,
    rspec_run,
    node_run,
    mocha_run,
    playwright_run,
    go_run,
    gradle_run,
)


def runner_of(command: str) -> str:
    """The runner that one command (not a whole line of them) starts; empty when it starts none."""
    return next((runner for pattern, _, runner in _BY_COMMAND if pattern.match(command)), "")


def run_of(commands: Sequence[str], text: str, failed: bool) -> Run | None:
    """The run that the commands made; None when they ran no tests."""
    text = "\n".join(row[:LINE_MAX] for row in text.split("\n"))
    asked = [(reader, runner) for pattern, reader, runner in _BY_COMMAND for one in commands if pattern.match(one)]
    for reader, _ in asked:
        if reader and (run := reader(text)):
            return run
    for reader in _BY_OUTPUT:
        if run := reader(text):
            return run
    if not asked:
        return None
    runner = asked[0][1]
    if not failed:
        return Run(runner)
    # Not a word of the runner's own: it did not get as far as a test.
    said = trouble(text) or last_words(text)
    return Run(runner, errors=1, failures=(Failure("", said.place, one_line(said.message)),))
