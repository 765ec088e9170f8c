"""Production logs: what a line says, which lines are one event, and which events are alike."""
