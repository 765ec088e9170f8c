"""The version of Marrow, in one place: the build, the command line and the stores read it here."""

__version__ = "0.1.0"
