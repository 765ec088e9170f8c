"""Resources: a node by its address, and how the memory stands. Each is what an operation answers."""

from __future__ import annotations

from urllib.parse import unquote

from mcp_types import Resource, ResourceTemplate

from ...model.errors import NotFound

MIME_TYPE = "text/plain"
STATUS_URI, NODE_URI = "marrow://status", "marrow://node/"

RESOURCES = [
    Resource(
        name="status",
        uri=STATUS_URI,
        description="How much is known here, and what the store is like.",
        mime_type=MIME_TYPE,
    )
]
TEMPLATES = [
    ResourceTemplate(
        name="node",
        uri_template=f"{NODE_URI}{{address}}",
        description="A memory whole, by 6 or more digits of its address.",
        mime_type=MIME_TYPE,
    )
]


def asked(uri: str) -> tuple[str, dict[str, str]]:
    """The operation that a resource's address asks for, and its arguments."""
    if uri == STATUS_URI:
        return "memory_status", {}
    address = unquote(uri.removeprefix(NODE_URI))
    if not uri.startswith(NODE_URI) or not address or "/" in address:
        raise NotFound(
            f"There is no resource {uri!r}.", hint=f"There are {STATUS_URI} and {NODE_URI}{{address}}.", field="uri"
        )
    return "memory_get", {"address": address}
