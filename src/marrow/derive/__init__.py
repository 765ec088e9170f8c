"""Derivations: the table of what is computed from what, what of it is due, and the runs, each of them counted."""
