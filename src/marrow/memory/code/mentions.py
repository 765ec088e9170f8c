"""Mentions: whether a name stands anywhere but where it is defined. Who calls what is known from calls alone; a
function that is handed on as a value (`key=by_size`), a property that is read and a name in a text are no calls."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from ...store.code import MapReader
from ...store.code.states import KEPT, MAPPED
from .build import ROOT
from .parsing import read_file

_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_PROSE = frozenset(("markdown",))
# What some languages write behind the word of a name.
_BEHIND = "?!="


def mentioned(reader: MapReader, names: Collection[str]) -> set[str]:
    """Those of some names that the code has more often than things of that name are defined. Every file is read."""
    words = {name.rstrip(_BEHIND).encode(): name for name in names}
    found: Counter[bytes] = Counter()
    root = str(reader.about(ROOT) or "")
    for row in reader.files() if words else ():
        if row.state in (MAPPED, KEPT) and row.language not in _PROSE:
            source = read_file(root, row.path).source
            found.update(word for word in _WORD.findall(source) if word in words)
    return {name for word, name in words.items() if found[word] > len(reader.symbols_named(name))}
