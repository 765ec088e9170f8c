"""The daemon: one process a user that holds the stores, answers hooks and bridges, and works off what was captured."""
