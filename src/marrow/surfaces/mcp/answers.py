"""Answers and errors in the protocol's shapes."""

from __future__ import annotations

from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, ErrorData, TextContent
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ...model.errors import Ambiguous, Invalid, MarrowError, NotFound
from ...operations.run import Answer

RESOURCE_NOT_FOUND = -32002  # Until 2025-11-25; later versions say INVALID_PARAMS.


def answered(answer: Answer) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=answer.text)], structured_content=answer.plain())


def refused(problem: MarrowError) -> CallToolResult:
    """An error is a result that the model reads, so that it can do better."""
    text = TextContent(text=f"{problem.code}: {problem}")
    return CallToolResult(content=[text], structured_content=problem.as_dict(), is_error=True)


def protocol_error(problem: MarrowError, version: str) -> ErrorData:
    """Resources have no results that are errors: these are errors of the protocol, with ours as their data."""
    code = INTERNAL_ERROR
    if isinstance(problem, NotFound) and version not in MODERN_PROTOCOL_VERSIONS:
        code = RESOURCE_NOT_FOUND
    elif isinstance(problem, NotFound | Ambiguous | Invalid):
        code = INVALID_PARAMS
    return ErrorData(code=code, message=str(problem), data=problem.as_dict())
