"""The one table of operations, a file a group. Every surface is rendered from it."""
