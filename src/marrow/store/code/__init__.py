"""The kept code map: one file of its own for each checkout. It is derived, and can be dropped at any time."""

from .map_file import FORMAT, MapFile
from .reader import FileRow, Known, MapReader, Version
from .writer import MapWriter

__all__ = ["FORMAT", "FileRow", "Known", "MapFile", "MapReader", "MapWriter", "Version"]
