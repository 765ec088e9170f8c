"""The operations as MCP tools. What equals the protocol's default is left out: hosts pay for every word of the list."""

from __future__ import annotations

from mcp_types import Tool, ToolAnnotations

from ...operations.catalogue import in_groups
from ...operations.table import Operation
from .hosts import EVERYDAY, Host


def listed(groups: tuple[str, ...], host: Host) -> list[Tool]:
    """The tools of these groups, in the table's order, as this host is shown them."""
    return [_tool(operation, host) for operation in in_groups(groups)]


def _tool(operation: Operation, host: Host) -> Tool:
    is_kept = bool(host.keeps) and operation.group in EVERYDAY
    return Tool(
        name=operation.name,
        description=f"{operation.summary}\n{operation.details}".strip(),
        input_schema=operation.input_schema(),
        output_schema=operation.output_schema(),
        annotations=_annotations(operation),
        _meta={host.keeps: True} if is_kept else None,
    )


def _annotations(operation: Operation) -> ToolAnnotations:
    """The protocol takes a tool to write, to destroy and to reach out into the world unless it says otherwise."""
    hints = ToolAnnotations(open_world_hint=False)
    if operation.only_reads:
        return hints.model_copy(update={"read_only_hint": True})
    return hints if operation.destructive else hints.model_copy(update={"destructive_hint": False})
