"""TypeScript that is right, but that its grammar cannot read: marked so that it can, without moving anything."""

from __future__ import annotations

import re

# `interface Foo<in out T>`: the grammar does not know these words.
_VARIANCE = re.compile(
    rb"([<,](?:\s|//[^\n]*\n|/\*[^*]*\*/)*(?:const\s+)?)(in\s+out|in|out)(?=\s+[A-Za-z_$][\w$]*\s*(?:extends\b|[=,>]))"
)
# A member of an interface that begins with `<` ends the one before it; the grammar reads on.
_GENERIC_MEMBER = re.compile(rb"[\w\])>}\"'](?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*[\n \t]([ \t])<[A-Za-z_$\s]")


def mended(source: bytes) -> bytes:
    """The same text, as long as before, with blanks and semicolons where the grammar needs them."""
    text = _VARIANCE.sub(lambda found: found[1] + b" " * len(found[2]), source)
    marked = bytearray(text)
    for found in _GENERIC_MEMBER.finditer(text):
        if b"\n" in found[0]:
            marked[found.start(1)] = 0x3B
    return bytes(marked)
