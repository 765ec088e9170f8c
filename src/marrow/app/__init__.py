"""Putting it together: the only place that builds objects. `open_memory` is `marrow.open`.

Opening reads the settings, finds the project and opens the store, so that what is wrong with them is said at once. The
verbs and the embedder are loaded when the first of them is called: a program that only opens a memory, or lists what it
could do, does not pay for them.
"""

from typing import TYPE_CHECKING

from ..repository.here import current_directory
from .memory import Memory, method_name
from .opening import Memories, open_memory

if TYPE_CHECKING:
    from .memory import Benched as Benched
    from .memory import Filled as Filled

__all__ = ["Memories", "Memory", "current_directory", "method_name", "open_memory"]
