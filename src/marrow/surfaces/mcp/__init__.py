"""MCP: the operations as tools, with a few resources and prompts, over stdio in this process.

Importing this costs a second (the SDK), so only `marrow mcp --standalone` and the daemon do.
"""

from .access import Access
from .server import build_server
from .stdio import run_stdio, serve

__all__ = ["Access", "build_server", "run_stdio", "serve"]
