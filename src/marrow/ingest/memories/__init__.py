"""Other memories: what claude-mem, claude-mem-lite, basic-memory, mnemo and Claude Code's own know, as drafts."""
