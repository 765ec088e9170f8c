"""What hooks kept, in events and sources: the words by which it is known."""

from __future__ import annotations

# Of what hooks kept, that which the user said; what was only seen is nobody's.
CAPTURE, SAID_IN_SESSION = "session_capture", "session"
