"""pytest and unittest."""

from __future__ import annotations

import re

from ..lines import one_line
from ..parts import parts
from ..trouble import is_foreign, trouble
from .run import Failure, Run, number

_COUNTS = re.compile(
    r"^=*[ \t]*((?:\d+ (?:failed|passed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun|reruns|subtests "
    r"passed)"
    r"(?:, )?)+) in ([\d.]+)s(?:\s*\([\d:, a-z]+\))?[ \t]*=*[ \t]*$",
    re.M,
)
_NOTHING_RAN = re.compile(r"^=*[ \t]*no tests ran in ([\d.]+)s[ \t]*=*[ \t]*$", re.M)
_COUNT = re.compile(r"(\d+) (failed|passed|skipped|error|xfailed|xpassed)")
_SHORT = re.compile(r"^(?:FAILED|ERROR) (\S*\.py\S*(?:::.*?)?)(?: - (.*))?$", re.M)
_VERBOSE = re.compile(r"^(?:\[gw\d+\].*?)?(\S+\.py::.+?) (?:FAILED|ERROR)(?:\s+\[ *\d+%\])?$", re.M)
_HEADING = re.compile(r"^_{3,} (.+?) _{3,}$", re.M)
_RAISED = re.compile(r"^E   +(\S.*)$", re.M)
_PLACE = re.compile(r"^(\S+\.py):(\d+): ", re.M)
_STAGE = re.compile(r"ERROR (?:at (?:setup|teardown) of|collecting) ")

_RAN = re.compile(r"^Ran (\d+) tests? in ([\d.]+)s", re.M)
_VERDICT = re.compile(r"^(?:FAILED|OK)(?: \((.*)\))?[ \t]*$", re.M)
_TALLY = re.compile(r"(failures|errors|skipped)=(\d+)")
_CASE = re.compile(r"^(?:FAIL|ERROR): (\S+)(?: \(([^)]*)\))?", re.M)


def pytest_run(text: str) -> Run | None:
    summary = [*_COUNTS.finditer(text)]
    if not summary:
        nothing = _NOTHING_RAN.search(text)
        if nothing and not _SHORT.search(text):
            return Run("pytest", errors=1, seconds=nothing[1], failures=(Failure("", "", "no tests ran"),))
        if not (_SHORT.search(text) and "short test summary" in text):
            return None
    tally = {what: number(count) for count, what in _COUNT.findall(summary[-1][1])} if summary else {}
    sections = _sections(text)
    found: dict[str, Failure] = {}
    for test, said in _SHORT.findall(text):
        place, message = sections.get(_tail(test), ("", ""))
        found[test] = Failure(test, place, message or said)
    for test in () if found else _VERBOSE.findall(text):
        found[test] = Failure(test, *sections.get(_tail(test), ("", "")))
    for name, (place, message) in ({} if found else sections).items():
        found[name] = Failure(name, place, message)
    if not summary and not found:
        return None
    return Run(
        "pytest",
        passed=tally.get("passed", 0) + tally.get("xpassed", 0),
        failed=tally.get("failed", 0),
        errors=tally.get("error", 0),
        skipped=tally.get("skipped", 0) + tally.get("xfailed", 0),
        seconds=summary[-1][2] if summary else "",
        failures=tuple(found.values()) if tally.get("failed") or tally.get("error") or not summary else (),
    )


def _tail(test: str) -> str:
    """The name of a test as the heading of its section writes it."""
    return ".".join(test.split("::")[1:]) or test


def _sections(text: str) -> dict[str, tuple[str, str]]:
    """What each section under `FAILURES` says: where, and what was raised."""
    found: dict[str, tuple[str, str]] = {}
    for heading, whole in parts(text, _HEADING):
        body = whole.partition("\n====")[0]
        raised = [one_line(line) for line in _RAISED.findall(body)]
        places = [f"{path}:{line}" for path, line in _PLACE.findall(body) if not is_foreign(path)]
        if raised or places:
            name = _STAGE.sub("", heading[1]).strip()
            found.setdefault(name, (places[-1] if places else "", raised[0] if raised else ""))
    return found


def unittest_run(text: str) -> Run | None:
    ran = [*_RAN.finditer(text)]
    verdict = _VERDICT.search(text, ran[-1].end()) if ran else None
    if not ran or verdict is None:
        return None
    tally = {what: number(count) for what, count in _TALLY.findall(verdict[1] or "")}
    failed, errors, skipped = tally.get("failures", 0), tally.get("errors", 0), tally.get("skipped", 0)
    found = []
    for part in re.split(r"^={20,}$", text, flags=re.M)[1:]:
        case = _CASE.search(part)
        said = trouble(part)
        if case:
            name = case[2] if case[2] and case[2].endswith(case[1]) else ".".join(filter(None, (case[2], case[1])))
            found.append(Failure(name, said.place if said else "", said.message if said else ""))
    total = sum(number(one[1]) for one in ran)
    seconds = ran[-1][2]
    return Run("unittest", max(0, total - failed - errors - skipped), failed, errors, skipped, seconds, tuple(found))
