"""The languages, one file a family. `table.py` says which file is read by which."""
