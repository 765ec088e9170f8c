"""What the organisation knows, by service: its decisions, its incidents, its documents."""
