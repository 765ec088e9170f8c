"""One adapter a host. Each has `trace` (its event as a canonical trace line, or None) and `answer` (what it is told).

A hook imports one of them, never the others.
"""
