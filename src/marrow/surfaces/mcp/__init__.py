"""MCP: the operations as tools, with a few resources and prompts, over stdio in this process or on a stream.

Importing this costs a second (the SDK), so only `marrow mcp --standalone` and the daemon do.
"""

from .access import Access
from .server import build_server
from .stdio import run_stdio, serve
from .stream import serve_stream

__all__ = ["Access", "build_server", "run_stdio", "serve", "serve_stream"]
