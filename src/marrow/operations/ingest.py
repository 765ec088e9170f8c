"""ingest: what an organisation has written down becomes memory, and follows its sources."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..memory.taking_in.codebase import ingest_codebase as take_codebase
from ..memory.taking_in.documents import ingest_decision, ingest_document, ingest_incident
from ..memory.taking_in.take_in import TakenIn
from ..model.address import shown
from ..model.record import CURRENT
from ..model.scope import WRITE
from ..model.text import first_line
from .problems import problem_lines, told_problems
from .table import Call, operation


class IngestResult(NamedTuple):
    """What came of it. `problems` names what was not read, or was read badly, and why; `troubled` is how many that are,
    and `not_told` how many of them are left out."""

    service: str
    added: int
    changed: int
    unchanged: int
    moved: int
    gone: int
    files: int
    seconds: float
    items: tuple[dict[str, Any], ...] = ()
    problems: tuple[dict[str, str], ...] = ()
    troubled: int = 0
    not_told: int = 0
    left_out: int = 0

    def text(self) -> str:
        counts = (("new", self.added), ("changed", self.changed), ("moved", self.moved), ("gone", self.gone))
        told = ", ".join(f"{count:,} {what}" for what, count in counts if count) or "nothing new"
        rate = f", {self.files / self.seconds:,.0f} files a second" if self.seconds > 1 and self.files > 100 else ""
        where = f" for {self.service}" if self.service else ""
        lines = [f"took in{where}: {told}, {self.unchanged:,} unchanged ({self.seconds:.1f} s{rate})"]
        lines += [f"  [{item['address']}] {item['kind']}: {item['title']}" for item in self.items]
        if self.problems:
            lines.append(f"{self.troubled:,} not read, read in part or by a guess:")
            lines += problem_lines(self.problems, self.not_told)
        return "\n".join(lines)


def ingested(call: Call, taken: TakenIn, started: int, service: str = "", files: int = 0) -> IngestResult:
    """A result for what was taken in. Problems of one sort are told by a few of them and a count."""
    seconds = (call.engine.clock() - started) / 1_000_000
    told, left = told_problems(taken.problems)
    counts = (taken.added, taken.changed, taken.unchanged, taken.moved, taken.gone)
    return IngestResult(service, *counts, files or taken.total, round(seconds, 3), (), told, len(taken.problems), left)


@operation("knowledge", right=WRITE, changes=True)
def ingest_codebase(
    call: Call,
    repo_path: Annotated[str, "the root of a repository; default: this project's"] = "",
    service_name: Annotated[str, "default: by its manifests, then its origin"] = "",
    extensions: Annotated[list[str] | None, "only these endings, such as .py"] = None,
    since: Annotated[str, "a commit: only what changed after it"] = "",
) -> IngestResult:
    """Take in a repository: code, documents, decision records, post-mortems. Ignored files and secrets stay out.

    Run it again at any time: only what changed is read, what is gone is retracted, and what was interrupted goes on.
    """
    started = call.engine.clock()
    done = take_codebase(
        call.engine,
        call.asker,
        repo_path,
        service=service_name,
        extensions=extensions or (),
        since=since,
        progress=call.progress,
    )
    return ingested(call, done.taken, started, done.service, done.files)


@operation("knowledge", right=WRITE, changes=True, name="ingest_document", spellings={"service": ("service_name",)})
def ingest_one_document(
    call: Call,
    path: Annotated[str, "Markdown, text, reStructuredText, HTML, PDF, DOCX, a notebook, code"] = "",
    text: Annotated[str, "the document itself, instead of a path"] = "",
    title: str = "",
    service: str = "",
) -> IngestResult:
    """Take in one document. Given again, it takes the place of what was read there before.

    A decision record or a post-mortem is recognised by its path and form.
    """
    started = call.engine.clock()
    done = ingest_document(call.engine, call.asker, path=path, text=text, title=title, service=service)
    return _with_items(call, ingested(call, done, started, service), done)


@operation(
    "knowledge",
    right=WRITE,
    changes=True,
    aliases=("ingest_adr",),
    spellings={"path": ("adr_path",), "service": ("service_name",)},
)
def ingest_architectural_decision(
    call: Call,
    path: Annotated[str, "the record's file"] = "",
    text: Annotated[str, "the record itself, instead of a path"] = "",
    title: str = "",
    service: str = "",
    status: Annotated[str, "instead of what the record says"] = "",
) -> IngestResult:
    """Take in a decision record: number, title, status, date and what it supersedes follow the file."""
    started = call.engine.clock()
    about = {"title": title, "service": service, "status": status}
    done = ingest_decision(call.engine, call.asker, path=path, text=text, **about)
    return _with_items(call, ingested(call, done, started, service), done)


@operation("knowledge", right=WRITE, changes=True, name="ingest_incident", spellings={"service": ("service_name",)})
def ingest_one_incident(
    call: Call,
    title: str,
    description: Annotated[str, "what happened"],
    date: Annotated[str, "when it began, in any style"] = "",
    service: str = "",
    severity: Annotated[str, "SEV1, P2, critical…"] = "",
    root_cause: str = "",
    resolution: str = "",
    follow_ups: list[str] | None = None,
) -> IngestResult:
    """Take in an incident from its fields. A post-mortem file comes in by ingest_document.

    Under the same title and service, it takes the place of what was known of it.
    """
    started = call.engine.clock()
    about = {"date": date, "service": service, "severity": severity, "root_cause": root_cause, "resolution": resolution}
    done = ingest_incident(call.engine, call.asker, title, description, follow_ups=follow_ups or (), **about)
    return _with_items(call, ingested(call, done, started, service), done)


def _with_items(call: Call, result: IngestResult, taken: TakenIn) -> IngestResult:
    """With what came in, named: of one document one wants the address."""
    with call.engine.store.reading() as reader:
        place = (call.asker.scope.project,)
        records = reader.records(call.asker.namespace, taken.addresses, place, CURRENT)
        titles = {one.address: one.title for one in reader.sources_of(call.asker.namespace, taken.addresses, place)}
    items = tuple(
        {
            "address": shown(r.node.address),
            "kind": r.node.kind,
            "title": first_line(titles.get(r.node.address) or r.node.content, 100),
        }
        for r in records
    )
    return result._replace(items=items)


__all__ = ["IngestResult", "ingested", "told_problems"]
