"""work, looking back: what happened in a day, a range or a session, and how well the memory does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

from ..codemap.draw import Graph, as_json, as_mermaid, as_text
from ..memory.evaluate import EVALUATIONS, Evaluation, evaluate
from ..memory.report import Report, report
from ..memory.report_code import CodeReport
from ..model.address import shown
from ..model.moments import iso, micros
from ..model.record import Record
from ..model.redact import redact
from ..model.text import counted, first_line, token_estimate
from .table import Call, operation
from .views import kinds_counted

# How long the lists of a report are; the first that fits the budget is told.
LENGTHS = (1_000, 200, 60, 25, 12, 6, 3, 1, 0)
TITLE = 140
# What the graph of a report may take of its budget.
GRAPH_SHARE = 0.4
NO_GRAPH = "flowchart LR\n    none[nothing in the code changed, or there is no code map]"


class ReportResult(NamedTuple):
    """`content` is the report as it reads; the other fields are what it is made from. `touched_by` says whose files are
    listed: sessions, commits."""

    content: str
    range: dict[str, str]
    sessions: tuple[dict[str, Any], ...]
    kinds: dict[str, int]
    domains: dict[str, int]
    compression: dict[str, Any]
    told: dict[str, int]
    learnings: tuple[dict[str, str], ...]
    decisions: tuple[dict[str, str], ...]
    issues: tuple[dict[str, str], ...]
    questions: tuple[dict[str, str], ...]
    files: tuple[dict[str, Any], ...]
    commits: tuple[dict[str, str], ...]
    functions: tuple[dict[str, Any], ...]
    unresolved: tuple[dict[str, Any], ...]
    since: str = ""
    graph: dict[str, Any] | None = None
    evaluations: tuple[dict[str, Any], ...] = ()
    touched_by: tuple[str, ...] = ()

    def text(self) -> str:
        return self.content


@operation("work", name="report")
def report_of(
    call: Call,
    range: Annotated[  # noqa: A002 the name in the table
        str, "2026-03-01, today, yesterday, 3 days, 2026-03-01..2026-03-07, session, or a session's id; default: today"
    ] = "",
    format: Annotated[Literal["text", "markdown", "json", "mermaid"], "how it reads"] = "text",  # noqa: A002
    mermaid: Annotated[bool, "only the call graph of what changed, as Mermaid"] = False,
    eval: Annotated[bool, "also evaluate the memory"] = False,  # noqa: A002
    budget_tokens: int = 4_000,
) -> ReportResult:
    """What happened in a day, a range or a session: sessions, what was seen, learnt and decided, how the code changed.

    With the calls among what changed, the calls that lead nowhere known, and how much shorter it is kept than told.
    """
    found = report(call.engine, call.asker, range)
    judged = evaluate(call.engine, call.asker, progress=call.progress) if eval else []
    whole = _result(call, found, judged)
    chosen = "mermaid" if mermaid else format
    return whole._replace(content=_fitted(whole, found.code, chosen, budget_tokens))


def _fitted(whole: ReportResult, code: CodeReport | None, chosen: str, budget: int) -> str:
    if chosen == "mermaid":
        return _drawn(code.graph, budget) if code and code.graph and code.graph.vertices else NO_GRAPH
    made = ""
    for length in LENGTHS:
        made = _rendered(whole, code, chosen, length, budget)
        if token_estimate(made) <= budget:
            break
    return made


def _drawn(graph: Graph, budget: int) -> str:
    """As Mermaid. A graph that is too large keeps those that call or are called most."""
    degree = Counter(end for arc in graph.arcs for end in (arc.caller, arc.target))
    ranked = sorted(graph.vertices, key=lambda id_: (-degree[id_], id_))
    made = NO_GRAPH
    for length in (len(ranked), *(length for length in LENGTHS if 0 < length < len(ranked))):
        kept = set(ranked[:length])
        vertices = {id_: graph.vertices[id_] for id_ in graph.vertices if id_ in kept}
        arcs = tuple(arc for arc in graph.arcs if arc.caller in kept and arc.target in kept)
        made = as_mermaid(graph._replace(vertices=vertices, arcs=arcs, left_out=len(ranked) - length))
        if token_estimate(made) <= budget:
            break
    return made


def _rendered(whole: ReportResult, code: CodeReport | None, chosen: str, length: int, budget: int) -> str:
    if chosen == "json":
        return json.dumps(_shortened(whole, length), ensure_ascii=False, indent=1)
    lines = _lines(whole, code, chosen == "markdown", length, int(budget * GRAPH_SHARE))
    return "\n".join(lines)


def _shortened(whole: ReportResult, length: int) -> dict[str, Any]:
    """The fields with lists of so many, and how many more there are."""
    shape: dict[str, Any] = {}
    for name, value in whole._asdict().items():
        if name == "content" or value in ("", None):
            continue
        shape[name] = list(value[:length]) if isinstance(value, tuple) else value
        if isinstance(value, tuple) and len(value) > length:
            shape[f"{name}_left_out"] = len(value) - length
    if length < LENGTHS[2]:
        shape.pop("graph", None)
    return shape


def _lines(whole: ReportResult, code: CodeReport | None, is_markdown: bool, length: int, room: int) -> list[str]:
    page = _Page(is_markdown, length)
    page.title(f"{whole.range['words']} ({whole.range['start']} – {whole.range['end']})")
    kinds = kinds_counted(whole.kinds) or "nothing"
    page.line(f"said and seen: {kinds}")
    page.line(_compressed(whole.compression))
    told = whole.told
    page.line(
        f"told to sessions: {counted(told['memories'], 'memory')} for {counted(told['tokens'], 'token')}, "
        f"{told['used']} of them used"
    )
    page.section("sessions", [_session_line(one) for one in whole.sessions])
    page.section("decisions", [_record_line(one) for one in whole.decisions])
    page.section("learnt", [_record_line(one) for one in whole.learnings])
    page.section("trouble", [_record_line(one) for one in whole.issues])
    page.section("open questions", [_record_line(one) for one in whole.questions])
    page.section("commits", [f"{one['commit']} {one['subject']}" for one in whole.commits])
    touched = f"files that {' and '.join(whole.touched_by)} touched"
    page.section(touched, [f"{one['file']} ({one['times']})" for one in whole.files])
    title = f"functions and types since {whole.since}" if whole.since else "functions and types"
    page.section(title, [_function_line(one) for one in whole.functions], "" if code else "there is no code map")
    page.section("calls that lead nowhere known", [f"{one['name']} ({one['times']})" for one in whole.unresolved])
    if code and code.graph and code.graph.arcs:
        drawn = as_mermaid(code.graph) if is_markdown else as_text(code.graph)
        page.block("calls among what changed", drawn if token_estimate(drawn) <= room else "", "mermaid")
    for one in whole.evaluations:
        page.section(f"evaluation: {one['name']}", [one["says"], *(figure["words"] for figure in one["figures"])])
    return page.lines


class _Page:
    """Lines of a report, plain or in Markdown."""

    def __init__(self, is_markdown: bool, length: int) -> None:
        self.is_markdown, self.length = is_markdown, length
        self.lines: list[str] = []

    def title(self, text: str) -> None:
        self.lines.append(f"# Report: {text}\n" if self.is_markdown else f"Report: {text}")

    def line(self, text: str) -> None:
        self.lines.append(f"- {text}" if self.is_markdown else text)

    def section(self, title: str, items: Sequence[str], otherwise: str = "") -> None:
        if not items and not otherwise:
            return
        count = f" ({len(items)})" if len(items) > 1 else ""
        self.lines.append(f"\n## {title[:1].upper()}{title[1:]}{count}\n" if self.is_markdown else f"{title}{count}:")
        mark = "- " if self.is_markdown else "  "
        self.lines += [f"{mark}{item}" for item in items[: self.length]] or (
            [f"{mark}{otherwise}"] if otherwise else []
        )
        hidden = len(items) - self.length
        self.lines += [f"{mark}… {hidden} more (raise budget_tokens)"] if hidden > 0 else []

    def block(self, title: str, text: str, language: str) -> None:
        if not text:
            self.section(title, [], "too large for the budget: format=mermaid draws it")
        elif self.is_markdown:
            self.lines += [f"\n## {title[:1].upper()}{title[1:]}\n", f"```{language}", text, "```"]
        else:
            self.lines += [f"{title}:", *(f"  {line}" for line in text.split("\n"))]


def _compressed(found: dict[str, Any]) -> str:
    if not found["observations"]:
        return "compression: nothing was captured"
    return f"compression: {found['before']:,} tokens reported, {found['after']:,} kept ({found['ratio']:g} to 1)"


def _session_line(one: dict[str, Any]) -> str:
    span = f"{one['started']} – {one['ended'] or 'open'}"
    return f"{one['session']} {one['host']}, {span}, {counted(one['turns'], 'turn')} {one['title']}".rstrip()


def _record_line(one: dict[str, str]) -> str:
    return f"[{one['address']}] {one['content']}"


def _function_line(one: dict[str, Any]) -> str:
    was = f" (was {one['was']})" if one.get("was") else ""
    return f"{one['what']:<8} {one['path']}:{one['line']} {one['kind']} {one['name']}{was}"


def _result(call: Call, found: Report, judged: Sequence[Evaluation]) -> ReportResult:
    span = {"words": found.range.words, "start": iso(found.range.start), "end": iso(found.range.end)}
    extra = call.engine.redact_extra
    code = found.code
    return ReportResult(
        content="",
        range=span,
        sessions=tuple(
            {
                "session": one.session,
                "host": one.host,
                "started": iso(one.started_at),
                "ended": "" if one.ended_at is None else iso(one.ended_at),
                "turns": one.turns,
                "title": one.title,
            }
            for one in found.sessions
        ),
        kinds=dict(found.kinds),
        domains=dict(found.domains),
        compression={**found.compression._asdict(), "ratio": found.compression.ratio},
        told=found.told._asdict(),
        learnings=_records(found.learnings),
        decisions=_records(found.decisions),
        issues=_records(found.issues),
        questions=_records(found.questions),
        files=tuple({"file": path, "times": times} for path, times in found.files),
        commits=tuple(
            {"commit": one.hash[:10], "subject": redact(one.subject, extra).text, "at": iso(micros(one.at))}
            for one in found.commits
        ),
        functions=_functions(code),
        unresolved=tuple({"name": name, "times": times} for name, times in (code.unresolved if code else ())),
        since=code.since if code else "",
        graph=as_json(code.graph) if code and code.graph and code.graph.arcs else None,
        evaluations=tuple(_evaluation(one) for one in judged),
        touched_by=found.touched_by,
    )


def _records(found: Sequence[Record]) -> tuple[dict[str, str], ...]:
    return tuple({"address": shown(r.node.address), "content": first_line(r.node.content, TITLE)} for r in found)


def _functions(code: CodeReport | None) -> tuple[dict[str, Any], ...]:
    if code is None:
        return ()
    return tuple(
        {
            "what": one.what,
            "path": one.path,
            "line": one.symbol.start,
            "kind": one.symbol.kind,
            "name": one.symbol.qualified,
            "was": " ".join(part for part in one.was if part),
        }
        for one in code.changed
    )


class EvalResult(NamedTuple):
    """`items` are the evaluations: what each says, whether that is well (left out where nothing could be judged), and
    its figures."""

    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = []
        for item in self.items:
            mark = {True: "well", False: "worth a look", None: "nothing to judge"}[item["ok"]]
            lines.append(f"{item['name']}: {mark}. {item['says']}")
            lines += [f"  {figure['name']:<12} {figure['words']}" for figure in item["figures"]]
            lines += [f"  {note}" for note in item["notes"]]
        return "\n".join(lines)


def _evaluation(one: Evaluation) -> dict[str, Any]:
    return {
        "name": one.name,
        "says": one.says,
        "ok": one.ok,
        "figures": [figure._asdict() for figure in one.figures],
        "notes": list(one.notes),
    }


@operation("work", name="eval")
def evaluate_memory(
    call: Call, name: Annotated[str, f"one of {', '.join(EVALUATIONS)}; default: all"] = ""
) -> EvalResult:
    """Evaluate the memory on itself: recall, injections, compression, coverage, health. Changes nothing.

    Does recall find what it holds, is what sessions are told used, how much shorter is it kept than told, how much of
    the project does it know, and how much of it is in doubt?
    """
    found = evaluate(call.engine, call.asker, name, call.progress)
    return EvalResult(tuple(_evaluation(one) for one in found))
