"""Formats: the readable text of a file, one file a format family. `text_of` is the door to all of them."""
