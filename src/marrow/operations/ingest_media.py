"""knowledge: meetings and designs, from text, recordings and images; and what is asked of them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..memory.attribution import Origin
from ..memory.meetings import KIND as MEETING
from ..memory.meetings import WITH_ACTIONS, KnownItem, MeetingHit, day, known_items, search_meetings
from ..memory.taking_in.documents import refuse_folder
from ..memory.taking_in.media import QUEUED, TakenMedia
from ..memory.taking_in.media import ingest_design as take_design
from ..memory.taking_in.media import ingest_meeting as take_meeting
from ..model.address import shown
from ..model.errors import Invalid
from ..model.record import Record
from ..model.scope import WRITE
from ..model.text import counted, first_line
from .filters import wanted
from .table import Call, operation

LIMIT, LIMIT_MAX = 50, 1000


class MediaResult(NamedTuple):
    """A meeting or design that was taken in. `outcome` is added, changed, unchanged, or queued: then `problem` says
    what is missing, and `recompute` does it later. `lines` is how many lines of text it has."""

    outcome: str
    address: str
    title: str
    date: str = ""
    attendees: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    length: str = ""
    lines: int = 0
    problem: str = ""
    model: str = ""

    def text(self) -> str:
        facts = [self.date, self.length, ", ".join(self.attendees), counted(self.lines, "line") if self.lines else ""]
        about = f" ({'; '.join(fact for fact in facts if fact)})" if any(facts) else ""
        text = [f"{self.outcome} [{self.address}] {self.title}{about}"]
        text += [f"  about: {', '.join(self.topics)}"] if self.topics else []
        text += [f"  read by {self.model}"] if self.model else []
        text += [f"  {self.problem}"] if self.problem else []
        return "\n".join(text)


def _media_result(done: TakenMedia) -> MediaResult:
    fields = done.item.draft.metadata
    people, topics = fields.get("attendees"), fields.get("topics")
    return MediaResult(
        done.outcome,
        shown(done.address) if done.address else "",
        done.title or first_line(done.item.draft.content),
        str(fields.get("date") or ""),
        tuple(map(str, people)) if isinstance(people, list) else (),
        tuple(map(str, topics)) if isinstance(topics, list) else (),
        str(fields.get("length") or ""),
        0 if done.outcome == QUEUED or _is_seen_in_vain(done) else done.item.draft.content.count("\n") + 1,
        done.problem,
        done.model,
    )


def _is_seen_in_vain(done: TakenMedia) -> bool:
    """Whether it is an image in which no text was recognised: its content is its name."""
    return done.item.draft.kind == "design" and not done.item.draft.metadata.get("boxes")


@operation("knowledge", right=WRITE, changes=True)
def ingest_meeting(
    call: Call,
    path: Annotated[str, "audio, video, VTT, SRT, a transcript or minutes"] = "",
    transcript: Annotated[str, "the text itself, instead of a path"] = "",
    title: str = "",
    date: Annotated[str, "when it was; default: what the text or the file's name says"] = "",
    attendees: Annotated[list[str] | None, "default: who is named or speaks"] = None,
    service: str = "",
) -> MediaResult:
    """Take in a meeting. Recordings are transcribed on this machine; nothing leaves it.

    The same recording is transcribed once, whatever it is called. Audio and video need the extra `speech`: without it
    the file is queued, and `recompute` with errors_only does it later.
    """
    refuse_folder(path, "Give one meeting at a time; ingest_codebase takes in all documents below a folder.")
    done = take_meeting(
        call.engine,
        call.asker,
        path=path,
        transcript=transcript,
        title=title,
        date=date,
        attendees=attendees or (),
        service=service,
        settings=call.settings,
        progress=call.progress,
    )
    return _media_result(done)


@operation("knowledge", right=WRITE, changes=True)
def ingest_design(
    call: Call,
    path: Annotated[str, "PNG, JPEG, WebP, GIF, BMP, SVG or PDF"],
    feature: Annotated[str, "what it is a design of"] = "",
    url: Annotated[str, "where it is kept"] = "",
    title: str = "",
    service: str = "",
) -> MediaResult:
    """Take in a design or screenshot by the text in it, which is recognised on this machine.

    Images need the extra `images`: without it the file is queued, and `recompute` with errors_only does it later. Where
    a language model is configured, and may be paid for, it describes the image too: then the image leaves this machine.
    """
    refuse_folder(path, "Give one picture at a time; ingest_codebase takes in all documents below a folder.")
    done = take_design(
        call.engine,
        call.asker,
        path,
        feature=feature,
        url=url,
        title=title,
        service=service,
        settings=call.settings,
        progress=call.progress,
    )
    return _media_result(done)


class MeetingPassages(NamedTuple):
    """Passages of meetings: title, date, attendees, the passage, and the moment in the recording."""

    items: tuple[dict[str, Any], ...]
    degraded: str = ""
    left_out: int = 0

    def text(self) -> str:
        lines = []
        for item in self.items:
            who = f", with {', '.join(item['attendees'])}" if item["attendees"] else ""
            at = f", at {item['moment']}" if item["moment"] else ""
            source = f"\n    {item['source']}{at}" if item["source"] else ""
            said = item["passage"].replace("\n", "\n    ")
            named = f"[{item['address']}] {item['title']}, {item['date'] or 'undated'}"
            lines.append(f"{named}{who}{source or at}\n    {said}")
        lines += [f"({self.left_out:,} more: raise budget_tokens)"] if self.left_out else []
        lines += [self.degraded] if self.degraded else []
        return "\n".join(lines) or "No meeting says anything about that."


def _day_of(record: Record, origin: Origin) -> str:
    """The day that it is from; empty where nothing says which."""
    said = str(origin.fields.get("date") or "")
    return said or (day(origin.at or record.first_at) if origin.is_dated else "")


def _passage_shape(hit: MeetingHit) -> dict[str, Any]:
    return {
        "address": shown(hit.record.node.address),
        "title": hit.origin.title or first_line(hit.record.node.content, 80),
        "date": _day_of(hit.record, hit.origin),
        "attendees": list(hit.attendees),
        "passage": hit.passage,
        "moment": hit.moment,
        "source": hit.origin.path,
        "service": hit.origin.service,
        "project": hit.record.project,
        "score": round(hit.score, 4),
    }


@operation("knowledge", words="meeting search")
def search_meeting_transcripts(
    call: Call,
    query: Annotated[str, "what was spoken about; empty: the latest meetings"] = "",
    service: str = "",
    since: str = "",
    until: str = "",
    project: Annotated[str, "default: this one; all: every one"] = "",
    limit: int = 5,
    as_of: str = "",
) -> MeetingPassages:
    """What was said in meetings: the passage, who was there, when, and the moment in the recording."""
    chosen = wanted(call, project=project, kinds=(MEETING,), since=since, until=until, service=service)
    found = search_meetings(call.engine, call.asker, query, chosen, limit=limit, as_of=as_of)
    return MeetingPassages(tuple(_passage_shape(hit) for hit in found.hits), found.degraded)


class ActionItems(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = []
        for item in self.items:
            facts = [item["owner"], f"due {item['due']}" if item["due"] else ""]
            about = f" ({', '.join(fact for fact in facts if fact)})" if any(facts) else ""
            at = f" at {item['moment']}" if item["moment"] else f" line {item['line']}"
            mark = "x" if item["done"] else " "
            place = f"[{item['address']}] {item['source']}{at}, {item['date'] or 'undated'}"
            lines.append(f"[{mark}] {item['text']}{about}\n    {place}")
        lines += [f"({self.left_out} more: raise limit or budget_tokens)"] if self.left_out else []
        return "\n".join(lines) or "Nothing is to be done, as far as meetings and incidents say."


def _item_shape(one: KnownItem) -> dict[str, Any]:
    item, record, origin = one
    title = origin.title or first_line(record.node.content, 80)
    return {
        "text": item.text,
        "owner": item.owner,
        "due": item.due,
        "done": item.done,
        "address": shown(record.node.address),
        "kind": record.node.kind,
        "source": title,
        "path": origin.path,
        "line": item.line,
        "moment": item.moment,
        "date": _day_of(record, origin),
        "service": origin.service,
    }


@operation("knowledge", words="action items")
def get_action_items(
    call: Call,
    open: Annotated[bool, "false: what is done as well"] = True,  # noqa: A002 the name of the argument is a contract
    owner: str = "",
    service: str = "",
    since: Annotated[str, "of meetings and incidents from then on"] = "",
    project: Annotated[str, "default: this one; all: every one"] = "",
    limit: int = LIMIT,
) -> ActionItems:
    """What is to be done according to meetings and incidents: by whom, until when, and where that was said."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    chosen = wanted(call, project=project, kinds=WITH_ACTIONS, since=since, service=service)
    found = known_items(call.engine, call.asker, chosen, open_only=open, owner=owner)
    shapes = tuple(_item_shape(one) for one in found[:limit])
    return ActionItems(shapes, len(found) - len(shapes))
