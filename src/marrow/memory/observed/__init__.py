"""What is made of a session's traces: observations, what was said, a summary. Pure: no store, no clock, no files."""
