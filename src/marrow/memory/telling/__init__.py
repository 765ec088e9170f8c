"""What a session is told of its own accord: at its start, on a prompt, before an edit, after a failure."""
