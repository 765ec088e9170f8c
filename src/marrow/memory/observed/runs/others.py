"""rspec, minitest, phpunit, Maven and Gradle."""

from __future__ import annotations

import re

from ..lines import meaningful, one_line
from ..parts import parts
from .run import Failure, Run, number

_RSPEC = re.compile(r"^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred.*)?", re.M)
_RSPEC_TIME = re.compile(r"^Finished in ([\d.]+) seconds?", re.M)
_RSPEC_CASE = re.compile(r"^  \d+\) (.+)$", re.M)
_RSPEC_AT = re.compile(r"^[ \t]+# (\./\S+?:\d+)", re.M)
_RSPEC_FAILED = re.compile(r"^rspec (\S+?:\d+) # (.+)$", re.M)
_EXPECTED = re.compile(r"^[ \t]+expected:? (.+)\n\s+(?:got|received):? (.+)$", re.M)
_MINITEST = re.compile(r"^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips", re.M)
_MINITEST_CASE = re.compile(r"^[ \t]*(?:\d+\) )?(?:Failure|Error):\n(\S+?#\S+?)(?: \[(\S+?:\d+)\])?:?[ \t]*$", re.M)
_MINITEST_TIME = re.compile(r"^Finished in ([\d.]+)s", re.M)

_PHP_OK = re.compile(r"^OK \((\d+) tests?, \d+ assertions?\)", re.M)
_PHP = re.compile(r"^Tests: (\d+), Assertions: \d+(.*)\.$", re.M)
_PHP_COUNT = re.compile(r"(Errors|Failures|Skipped|Incomplete): (\d+)")
_PHP_CASE = re.compile(r"^\d+\) (\S+::\S+.*)$", re.M)
_PHP_AT = re.compile(r"^(/?\S+\.php:\d+)[ \t]*$", re.M)

_MAVEN = re.compile(r"^(?:\[\w+\]\s+)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(.*)$", re.M)
_MAVEN_LIST = re.compile(r"^\[ERROR\]\s{2,}(\w[\w$.]*?(?:\.\w+|\[.*?\])?):(\d+)(?:->\S+)? (.+)$", re.M)
_MAVEN_CASE = re.compile(r"^\[ERROR\] (\S+?)(?:  | -- )Time elapsed: [\d.]+ s <<< (?:FAILURE|ERROR)!\s*\n(.+)$", re.M)
_MAVEN_TIME = re.compile(r"Total time:\s+([\d.]+) ?s")
_GRADLE_CASE = re.compile(r"^(\w[\w$. ]{0,200} > .{1,300}?) FAILED[ \t]*$", re.M)
_GRADLE = re.compile(r"^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?", re.M)
_GRADLE_END = re.compile(r"^BUILD (SUCCESSFUL|FAILED) in (?:(\d+)m )?(\d+)s", re.M)
_JAVA_AT = re.compile(r"(?:at \S+?|at )\(?([\w$]+\.(?:java|kt|groovy|scala):\d+)\)")


def rspec_run(text: str) -> Run | None:
    results = [*_RSPEC.finditer(text)]
    if not results:
        return None
    total, failed, pending, errors = (number(one) for one in results[-1].groups())
    start = text.find("\nFailures:")
    part = text[start : results[-1].start()] if start >= 0 else ""
    found = [Failure(one_line(hit[1]), *_ruby_told(body)) for hit, body in parts(part, _RSPEC_CASE)]
    if not found:
        found = [Failure(one_line(name), place) for place, name in _RSPEC_FAILED.findall(text)]
    time = _RSPEC_TIME.findall(text)
    passed = max(0, total - failed - pending)
    return Run("rspec", passed, failed, errors, pending, time[-1] if time else "", tuple(found) if failed else ())


def _ruby_told(body: str) -> tuple[str, str]:
    at = _RSPEC_AT.search(body)
    values = _EXPECTED.search(body)
    lines = meaningful(body)
    message = lines[0].removeprefix("Failure/Error: ") if lines else ""
    error = next((line for line in lines if re.match(r"[A-Z]\w*(?:::\w+)*(?:Error|Exception)?:", line)), "")
    if values:
        message = f"{message} (expected {one_line(values[1])}, got {one_line(values[2])})"
    elif error and error != lines[0]:
        message = " ".join([error, *lines[lines.index(error) + 1 :][:1]])
    return at[1] if at else "", message


def minitest_run(text: str) -> Run | None:
    results = _MINITEST.findall(text)
    if not results:
        return None
    total, failed, errors, skipped = (number(one) for one in results[-1])
    found: dict[str, Failure] = {}
    hits = [*_MINITEST_CASE.finditer(text)]
    for hit in hits:
        said = " ".join(meaningful(text[hit.end() : hit.end() + 600].partition("\n\n")[0])[:2])
        found[hit[1]] = Failure(hit[1], hit[2] or "", said)
    time = _MINITEST_TIME.findall(text)
    passed = max(0, total - failed - errors - skipped)
    return Run("minitest", passed, failed, errors, skipped, time[-1] if time else "", tuple(found.values()))


def phpunit_run(text: str) -> Run | None:
    good, results = _PHP_OK.findall(text), _PHP.findall(text)
    if good:
        return Run("phpunit", number(good[-1]))
    if not results:
        return None
    tally = {what: number(count) for what, count in _PHP_COUNT.findall(results[-1][1])}
    failed, errors = tally.get("Failures", 0), tally.get("Errors", 0)
    skipped = tally.get("Skipped", 0) + tally.get("Incomplete", 0)
    found = []
    for hit, body in parts(text, _PHP_CASE) if failed or errors else ():
        at = _PHP_AT.search(body)
        lines = meaningful(body[: at.start()] if at else body)
        found.append(Failure(one_line(hit[1]), at[1] if at else "", " ".join(lines[:2])))
    passed = max(0, number(results[-1][0]) - failed - errors - skipped)
    return Run("phpunit", passed, failed, errors, skipped, "", tuple(found))


def maven_run(text: str) -> Run | None:
    results = [*_MAVEN.finditer(text)]
    if not results:
        return None
    # The lines of single classes say which; those without are the sums of the modules.
    sums = [one for one in results if "in " not in one[5]] or results
    total, failed, errors, skipped = (sum(number(one[at]) for one in sums) for at in (1, 2, 3, 4))
    found: dict[str, Failure] = {}
    for name, line, said in _MAVEN_LIST.findall(text):
        file = name.rpartition(".")[0].rpartition(".")[2] or name
        found[name] = Failure(name, f"{file}.java:{line}", one_line(said))
    for hit in () if found else _MAVEN_CASE.finditer(text):
        at = _JAVA_AT.search(text, hit.end())
        found[hit[1]] = Failure(hit[1], at[1] if at else "", one_line(hit[2]))
    time = _MAVEN_TIME.findall(text)
    passed = max(0, total - failed - errors - skipped)
    failures = tuple(found.values()) if failed or errors else ()
    return Run("maven", passed, failed, errors, skipped, time[-1] if time else "", failures)


def gradle_run(text: str) -> Run | None:
    end, result = _GRADLE_END.search(text), _GRADLE.search(text)
    found: dict[str, Failure] = {}
    for hit, body in parts(text, _GRADLE_CASE):
        name = hit[1]
        if name.startswith("Task "):
            continue
        at = next((place for place in _JAVA_AT.findall(body)), "")
        found[name] = Failure(one_line(name), at, next(iter(meaningful(body)), ""))
    if not (result or found or (end and re.search(r"^> Task \S*:?test\b", text, re.M | re.I))):
        return None
    total, failed, skipped = (number(one) for one in result.groups()) if result else (0, len(found), 0)
    seconds = str(60 * number(end[2]) + number(end[3])) if end else ""
    return Run("gradle", max(0, total - failed - skipped), failed, 0, skipped, seconds, tuple(found.values()))
