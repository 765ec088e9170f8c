"""The nodes that were read lately, kept between reads: a long text is read from many pages of the file, and the same
few documents come up for many questions. What an entry says never changes; how it stands is read every time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...model.node import Node

BYTES_MAX = 32 * 1024 * 1024
# What a node takes beside its text, and each of its inputs, about.
NODE_BYTES, INPUT_BYTES = 400, 120
# And each letter of a text that is not all ASCII: Python keeps its UTF-8 beside it once somebody has asked for that.
LETTER_BYTES = 6
# Who reads more at once goes through everything, and would leave nothing of what is asked for again.
AT_ONCE_MAX = 256


class KeptNodes:
    """By entry, those that were read last. Shared by threads."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._lock = threading.Lock()
        # Each with what it was taken to need when it came.
        self._nodes: OrderedDict[int, tuple[Node, int]] = OrderedDict()
        self._bytes_max = bytes_max
        self._bytes = 0

    def of(self, entries: Sequence[int]) -> dict[int, Node]:
        """Those of these that are kept."""
        found = {}
        with self._lock:
            for entry in entries:
                if (kept := self._nodes.get(entry)) is not None:
                    found[entry] = kept[0]
                    self._nodes.move_to_end(entry)
        return found

    def keep(self, nodes: Mapping[int, Node]) -> None:
        with self._lock:
            for entry, node in nodes.items():
                if entry not in self._nodes:
                    self._nodes[entry] = node, _bytes_of(node)
                    self._bytes += self._nodes[entry][1]
            while self._bytes > self._bytes_max and self._nodes:
                self._bytes -= self._nodes.popitem(last=False)[1][1]


def _bytes_of(node: Node) -> int:
    content = node.content
    return NODE_BYTES + len(content) * (1 if content.isascii() else LETTER_BYTES) + INPUT_BYTES * len(node.inputs)
