"""jest, vitest, mocha, Playwright and Node's own runner."""

from __future__ import annotations

import re

from ..lines import meaningful, one_line
from ..parts import parts
from ..trouble import is_foreign
from .run import Failure, Run, number

_JEST = re.compile(r"^Tests:\s+(.*\d+ total)[ \t]*$", re.M)
_JEST_TIME = re.compile(r"^Time:\s+([\d.]+) ?s", re.M)
_JEST_CASE = re.compile(r"^[ \t]*● (?!Console)(.+?)[ \t]*$", re.M)
_JEST_FILE = re.compile(r"^[ \t]*FAIL\s+(\S+)", re.M)
_VITEST = re.compile(r"^[ \t]*Tests\s+((?:\d+ (?:failed|passed|skipped|todo)(?: \| )?)+)\s*\((\d+)\)", re.M)
_VITEST_FILES = re.compile(r"^[ \t]*Test Files\s+((?:\d+ (?:failed|passed|skipped)(?: \| )?)+)", re.M)
_VITEST_TIME = re.compile(r"^[ \t]*Duration\s+([\d.]+)(m?s)", re.M)
_VITEST_CASE = re.compile(r"^[ \t]*FAIL\s+(?:\|[^|]+\|\s+)?(\S+\.\w+(?: .*)?)$", re.M)
_MOCHA = re.compile(r"^[ \t]+(\d+) passing(?: \(([\d.]+)(m?s)\))?", re.M)
_MOCHA_FAILED = re.compile(r"^[ \t]+(\d+) failing", re.M)
_MOCHA_PENDING = re.compile(r"^[ \t]+(\d+) pending", re.M)
_MOCHA_CASE = re.compile(r"^  \d+\) (.+(?:\n {5,}\S.*)*?):\n", re.M)
_TAP = re.compile(r"^(?:# |ℹ )(tests|pass|fail|skipped|duration_ms) ([\d.]+)", re.M)
_TAP_CASE = re.compile(r"^[ \t]*not ok \d+ - (.+)$", re.M)
_NO_REASON = "test failed"
_PRINTED = re.compile(r"^# (?:Uncaught )?((?:[A-Z]\w*)?Error(?: \[\w+\])?: .+)$", re.M)
_SPEC_CASE = re.compile(r"^test at (\S+?:\d+)(?::\d+)?\n✖ (.+?)(?: \([\d.]+ms\))?$", re.M)
_WRIGHT = re.compile(r"^[ \t]+(\d+) (passed|failed|flaky|skipped)(?: \(([\d.]+)(m?s)\))?[ \t]*$", re.M)
_WRIGHT_CASE = re.compile(r"^[ \t]+\d+\) (?:\[\w+\] › )?(\S+?\.\w+:\d+)(?::\d+)? › (.+?)\s*─*$", re.M)
_COUNT = re.compile(r"(\d+) (failed|passed|skipped|pending|todo)")
_AT = re.compile(r"^[ \t]+(?:at|❯) (?:.*?\()?(?:file://)?([^\s()]+?:\d+)(?::\d+)?\)?[ \t]*$", re.M)
_SAID = re.compile(r"^[ \t]*((?:\w*Error|expect\(|Expected|expected|Timeout|TimeoutError|thrown|Received).*)$", re.M)
_VALUES = re.compile(r"^[ \t]*(Expected|Received)[^:\n]{0,40}:\s*(.+)$", re.M)
_YAML = re.compile(r"^[ \t]+(location|error): (?:\|-\n((?:\s*\n| {4,}.*\n)+)|'?(.+?)'?$)", re.M)


def jest_run(text: str) -> Run | None:
    summary = _JEST.findall(text)
    if not summary:
        return None
    tally = {what: number(count) for count, what in _COUNT.findall(summary[-1])}
    files = _JEST_FILE.findall(text)
    found: dict[str, Failure] = {}
    for hit, body in parts(text, _JEST_CASE):
        place, message = _told(body)
        found.setdefault(hit[1], Failure(hit[1], place or (files[0] if len(files) == 1 else ""), message))
    time = _JEST_TIME.findall(text)
    failed = tally.get("failed", 0)
    if not failed and (files or found):  # a suite that did not even start
        failures = tuple(found.values()) or tuple(Failure(file) for file in files)
        return Run("jest", tally.get("passed", 0), errors=len(failures), failures=failures)
    skipped = tally.get("skipped", 0) + tally.get("todo", 0)
    seconds = time[-1] if time else ""
    return Run("jest", tally.get("passed", 0), failed, 0, skipped, seconds, tuple(found.values()) if failed else ())


def vitest_run(text: str) -> Run | None:
    summary = _VITEST.findall(text)
    files = _VITEST_FILES.findall(text)
    if not summary and not files:
        return None
    tally = {what: number(count) for count, what in _COUNT.findall(summary[-1][0] if summary else "")}
    found: dict[str, Failure] = {}
    for hit, body in parts(text, _VITEST_CASE):
        place, message = _told(body)
        name = one_line(hit[1])
        if name not in found or (message and not found[name].message):
            found[name] = Failure(name, place, message)
    failed = tally.get("failed", 0)
    broken = 0 if failed or "failed" not in (files[-1] if files else "") else len(found) or 1
    failures = tuple(found.values()) if failed or broken else ()
    time = _VITEST_TIME.findall(text)
    skipped = tally.get("skipped", 0) + tally.get("todo", 0)
    return Run("vitest", tally.get("passed", 0), failed, broken, skipped, _seconds(*time[-1]) if time else "", failures)


def mocha_run(text: str) -> Run | None:
    summary = [*_MOCHA.finditer(text)]
    if not summary:
        return None
    failing = _MOCHA_FAILED.search(text, summary[-1].end())
    pending = _MOCHA_PENDING.search(text, summary[-1].end())
    found = []
    if failing:
        for hit, body in parts(text[failing.end() :], _MOCHA_CASE):
            found.append(Failure(" › ".join(one_line(part) for part in hit[1].split("\n")), *_told(body)))
    seconds = _seconds(summary[-1][2], summary[-1][3]) if summary[-1][2] else ""
    failed, skipped = number(failing[1] if failing else ""), number(pending[1] if pending else "")
    return Run("mocha", number(summary[-1][1]), failed, 0, skipped, seconds, tuple(found))


def node_run(text: str) -> Run | None:
    tally = dict(_TAP.findall(text))
    if not {"tests", "pass", "fail"} <= tally.keys():
        return None
    found: dict[str, Failure] = {}
    for hit, body in parts(text, _TAP_CASE):
        said = {key: block or line for key, block, line in _YAML.findall(body.partition("\n  ...")[0])}
        place = re.sub(r":\d+\Z", "", said.get("location", ""))
        message = one_line(said.get("error", ""))
        if message == _NO_REASON:  # a file that did not load: what it printed stands before its case
            printed = _PRINTED.findall(text[: hit.start()].rpartition("\n...")[2])
            message = one_line(printed[-1]) if printed else message
        found[hit[1]] = Failure(one_line(hit[1]), place, message)
    for hit in _SPEC_CASE.finditer(text):
        body = text[hit.end() : hit.end() + 2_000].partition("\ntest at ")[0]
        found[hit[2]] = Failure(hit[2], hit[1], _told(body)[1])
    seconds = _seconds(tally.get("duration_ms", ""), "ms")
    failed = number(tally["fail"])
    skipped = number(tally.get("skipped"))
    return Run("node", number(tally["pass"]), failed, 0, skipped, seconds, tuple(found.values()) if failed else ())


def playwright_run(text: str) -> Run | None:
    if "›" not in text and "Running " not in text:
        return None
    tally: dict[str, int] = {}
    seconds = ""
    for hit in _WRIGHT.finditer(text):
        tally[hit[2]] = number(hit[1])
        seconds = _seconds(hit[3], hit[4]) if hit[3] else seconds
    if not tally.keys() & {"passed", "failed"} or not re.search(r"Running \d+ tests? using|─{5}", text):
        return None
    found: dict[str, Failure] = {}
    for hit in _WRIGHT_CASE.finditer(text):
        body = text[hit.end() : hit.end() + 3_000]
        found.setdefault(hit[2], Failure(one_line(hit[2]), hit[1], _told(body)[1]))
    return Run(
        "playwright",
        tally.get("passed", 0),
        tally.get("failed", 0),
        0,
        tally.get("skipped", 0),
        seconds,
        tuple(found.values()) if tally.get("failed") else (),
    )


def _told(body: str) -> tuple[str, str]:
    """Where, and what: the assertion with the two values, or the error's line."""
    place = next((one for one in _AT.findall(body) if not is_foreign(one)), "")
    said = _SAID.search(body)
    message = one_line(said[1]) if said else next(iter(meaningful(body)), "")
    values = dict(_VALUES.findall(body))
    if {"Expected", "Received"} <= values.keys() and not message.startswith(("Expected", "Received")):
        message += f" (expected {one_line(values['Expected'])}, received {one_line(values['Received'])})"
    return place, message


def _seconds(value: str, unit: str) -> str:
    """Milliseconds as seconds; anything that is no number as nothing."""
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value):
        return ""
    return f"{float(value) / 1000:.2f}" if unit == "ms" else value
