"""The command line: every operation of the table as a command, and what only a person does. See `program.py`."""
