"""The nodes that were read lately, kept between reads: a long text is read from many pages of the file, and the same
few documents come up for many questions. What an entry says never changes; how it stands is read every time."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from ...model.node import Node

BYTES_MAX = 32 * 1024 * 1024
# What a node takes beside its text, about.
NODE_BYTES = 400
# Who reads more at once goes through everything, and would leave nothing of what is asked for again.
AT_ONCE_MAX = 256


class KeptNodes:
    """By entry, those that were read last. Shared by threads."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._lock = threading.Lock()
        self._nodes: OrderedDict[int, Node] = OrderedDict()
        self._bytes_max = bytes_max
        self._bytes = 0

    def of(self, entries: Sequence[int]) -> dict[int, Node]:
        """Those of these that are kept."""
        found = {}
        with self._lock:
            for entry in entries:
                if (node := self._nodes.get(entry)) is not None:
                    found[entry] = node
                    self._nodes.move_to_end(entry)
        return found

    def kinds_of(self, entries: Iterable[int]) -> dict[int, str]:
        """The kinds of those that are kept. Somebody who asks this has not read them yet."""
        nodes = self._nodes
        return {entry: node.kind for entry in entries if (node := nodes.get(entry)) is not None}

    def keep(self, nodes: Mapping[int, Node]) -> None:
        with self._lock:
            for entry, node in nodes.items():
                if entry not in self._nodes:
                    self._nodes[entry] = node
                    self._bytes += _bytes_of(node)
            while self._bytes > self._bytes_max and self._nodes:
                self._bytes -= _bytes_of(self._nodes.popitem(last=False)[1])


def _bytes_of(node: Node) -> int:
    return NODE_BYTES + sys.getsizeof(node.content)
