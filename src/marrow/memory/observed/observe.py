"""Observe: what the tool calls of a session did, compressed, and nothing of what was only looking around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .call import Call, call_of, text_at
from .chains import put_together
from .edits import edit_piece
from .foreign import mcp_piece, other_piece
from .junk import is_junk
from .observation import Observation
from .piece import TEST, Piece, observation_of
from .shell import shell_piece
from .tasks import ASKING_TOOLS, asked_piece, task_piece
from .web import web_piece

_BY_KIND = {
    "edit": edit_piece,
    "write": edit_piece,
    "shell": shell_piece,
    "web": web_piece,
    "task": task_piece,
    "mcp": mcp_piece,
    "other": other_piece,
}


# What each trace came to, by its id. A session is looked at again with each part of it, and as a whole for its summary.
Known = dict[str, Piece | None]
# So many are kept, of calls that are no longer than this.
KNOWN_MAX, KNOWN_SIZE_MAX = 1_000, 8_000


def observe(traces: Iterable[Mapping[str, object]], known: Known | None = None) -> list[Observation]:
    """The observations of one session, from its trace lines in order. Lines that are no tool's are passed over. `known`
    is what earlier lines of the same store and namespace came to, and is added to.

    A failure is linked to what mended it only if both are among the lines: give those of the whole session, and take of
    the result what has a new trace among its `trace_ids`."""
    pieces = [piece for trace in traces if (piece := _piece(trace, {} if known is None else known))]
    return [observation_of(piece) for piece in put_together(pieces)]


def runs(traces: Iterable[Mapping[str, object]], known: Known | None = None) -> list[Piece]:
    """The runs of tests among trace lines, each as it was."""
    pieces = (_piece(trace, {} if known is None else known) for trace in traces)
    return [piece for piece in pieces if piece is not None and piece.form == TEST]


def _piece(trace: Mapping[str, object], known: Known) -> Piece | None:
    name = text_at(trace, "id")
    try:
        return known[name]
    except KeyError:
        pass
    call = call_of(trace)
    piece = _piece_of(call) if call else None
    if name and (call is None or call.size <= KNOWN_SIZE_MAX):
        known[name] = piece
        if len(known) > KNOWN_MAX:
            for old in list(known)[: KNOWN_MAX // 4]:
                known.pop(old, None)
    return piece


def failure_of(trace: Mapping[str, object]) -> str:
    """The signature of the failure that one trace line tells of; empty when it tells of none worth remembering."""
    call = call_of(trace)
    piece = _piece_of(call) if call else None
    return piece.failure if piece else ""


def _piece_of(call: Call) -> Piece | None:
    if call.tool.lower() in ASKING_TOOLS:
        return None if call.failed else asked_piece(call)
    if is_junk(call):
        return None
    return _BY_KIND.get(call.does, other_piece)(call)
