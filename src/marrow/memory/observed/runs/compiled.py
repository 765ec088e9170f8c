"""go test, cargo test and dotnet test."""

from __future__ import annotations

import re

from ..lines import one_line
from ..parts import parts
from ..trouble import trouble
from .run import Failure, Run, number

_GO_PACKAGE = re.compile(r"^(ok|FAIL|---)\s+(\S+)\s+(?:([\d.]+)s|\(cached\)|\[(\w+ failed|no test files)\])", re.M)
_GO_CASE = re.compile(r"^([ \t]*)--- (FAIL|PASS|SKIP): (\S+) \(([\d.]+)s\)", re.M)
_GO_SAID = re.compile(r"^[ \t]+(\S+\.go:\d+): (.*(?:\n {8,}\S.*)?)", re.M)
_TESTIFY = re.compile(r"Error Trace:\s+(\S+:\d+)[\s\S]{0,200}?Error:\s+(.+(?:\n\s+\t\s+\S.*){0,3})")

_RUST = re.compile(
    r"^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;.*?(?:finished in ([\d.]+)s)?$", re.M
)
_RUST_CASE = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. FAILED", re.M)
_RUST_SECTION = re.compile(r"^---- (\S+)(?: - .*)? stdout ----$", re.M)
_RUST_VALUES = re.compile(r"^[ \t]*left: (.+)\n\s*right: (.+)$", re.M)
_NEXTEST = re.compile(
    r"^[ \t]*Summary \[\s*([\d.]+)s\] \d+ tests? run: (\d+) passed(?:.*?, (\d+) failed)?(?:.*?, (\d+) skipped)?", re.M
)
_NEXTEST_CASE = re.compile(r"^[ \t]*FAIL \[\s*[\d.]+s\]\s+(?:\(.*?\)\s+)?(\S+(?: \S+)?)", re.M)

_DOTNET = re.compile(
    r"^(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:\s+\d+, Duration: "
    r"([^-\n]+?)(?: - |$)",
    re.M,
)
_DOTNET_CASE = re.compile(r"^[ \t]*(?:X|Failed) ([\w.+`]+(?:\(.*?\))?) \[[^\]]*\][ \t]*$", re.M)
_DOTNET_SAID = re.compile(r"Error Message:\s*\n\s*(.+(?:\n(?:Expected|Actual):.+){0,2})")
_DOTNET_AT = re.compile(r" in (\S+?):line (\d+)")


def go_run(text: str) -> Run | None:
    packages = _GO_PACKAGE.findall(text)
    cases = [*_GO_CASE.finditer(text)]
    if not packages and not cases:
        return None
    found: dict[str, Failure] = {}
    for case, body in parts(text, _GO_CASE):
        if case[2] == "FAIL":
            found[case[3]] = _go_failure(case[3], body.partition("\nFAIL\t")[0])
    # A test with parts fails because a part fails: the part is what failed.
    for name in [one for one in found if any(other.startswith(one + "/") for other in found)]:
        del found[name]
    broken = [name for _, name, _, why in packages if why.endswith("failed")]
    said = trouble(text)
    if broken:
        found.update({name: Failure(name, said.place if said else "", said.message if said else "") for name in broken})
    elif not found and any(state == "FAIL" for state, *_ in packages):
        name = next(name for state, name, *_ in packages if state == "FAIL")
        found[name] = Failure(name, said.place if said else "", said.message if said else "the package failed")
    passed = sum(case[2] == "PASS" for case in cases) or sum(state == "ok" for state, *_ in packages)
    skipped = sum(case[2] == "SKIP" for case in cases)
    times = [float(time) for _, _, time, _ in packages if re.fullmatch(r"\d{1,6}(?:\.\d{1,9})?", time)]
    seconds = f"{sum(times):.2f}" if times else ""
    failed = len(found) - len(broken)
    return Run("go test", passed, failed, len(broken), skipped, seconds, tuple(found.values()))


def _go_failure(name: str, body: str) -> Failure:
    if hit := _TESTIFY.search(body):
        return Failure(name, hit[1], one_line(hit[2]))
    if hit := _GO_SAID.search(body):
        return Failure(name, hit[1], one_line(hit[2]))
    said = trouble(body)
    return Failure(name, said.place if said else "", said.message if said else "")


def cargo_run(text: str) -> Run | None:
    results, nextest = _RUST.findall(text), _NEXTEST.findall(text)
    cases = _RUST_CASE.findall(text) or ([one_line(case) for case in _NEXTEST_CASE.findall(text)] if nextest else [])
    if not results and not nextest and not cases:
        return None
    sections = _rust_sections(text)
    failures = tuple(Failure(case, *sections.get(case, ("", ""))) for case in dict.fromkeys(cases))
    if nextest:
        seconds, passed, failed, skipped = nextest[-1]
        return Run("cargo nextest", number(passed), number(failed), 0, number(skipped), seconds, failures)
    passed, failed, skipped = (sum(number(result[at]) for result in results) for at in range(3))
    times = [float(result[3]) for result in results if re.fullmatch(r"\d{1,6}(?:\.\d{1,9})?", result[3])]
    return Run("cargo test", passed, failed, 0, skipped, f"{sum(times):.2f}" if times else "", failures)


def _rust_sections(text: str) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for hit, whole in parts(text, _RUST_SECTION):
        body = whole.partition("\nfailures:")[0]
        said = trouble(body)
        values = _RUST_VALUES.search(body)
        message = said.message if said else ""
        if values:
            message += f" (left {one_line(values[1])}, right {one_line(values[2])})"
        found[hit[1]] = (said.place if said else "", message)
    return found


def dotnet_run(text: str) -> Run | None:
    results = _DOTNET.findall(text)
    if not results:
        return None
    failed, passed, skipped = (sum(number(result[at]) for result in results) for at in range(3))
    found: dict[str, Failure] = {}
    for hit, body in parts(text, _DOTNET_CASE):
        said, at = _DOTNET_SAID.search(body), _DOTNET_AT.search(body)
        found[hit[1]] = Failure(hit[1], f"{at[1]}:{at[2]}" if at else "", one_line(said[1]) if said else "")
    time = re.fullmatch(r"([\d.]+) (m?s)", results[-1][3].strip())
    seconds = "" if time is None else (f"{float(time[1]) / 1000:.2f}" if time[2] == "ms" else time[1])
    return Run("dotnet test", passed, failed, 0, skipped, seconds, tuple(found.values()) if failed else ())
