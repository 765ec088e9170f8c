"""The repository at hand. Identity is light and comes with the package; `history` and `files` start git, and are
imported by name."""

from .identity import Identity, Place, identify, locate
from .origin import normalise

__all__ = ["Identity", "Place", "identify", "locate", "normalise"]
