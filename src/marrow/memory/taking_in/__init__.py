"""Taking in: what readers found becomes memory, once, and follows its sources."""
