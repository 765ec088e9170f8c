"""Markdown's reader."""

from __future__ import annotations

from marrow.codemap.parse import map_of

SOURCE = b"""---
title: x
---
# A *title* with `code`
text
## B [link](url) ##
```
# no heading
```
- item
    # nor this

Set by a line
===
sub
---
### C
"""


def test_headings_are_nested_by_level_and_reach_to_the_end_of_their_sections() -> None:
    found = map_of("a.md", SOURCE).symbols
    assert [(one.name, one.parent, one.start, one.end) for one in found] == [
        ("A title with code", -1, 4, 12),
        ("B link", 0, 6, 12),
        ("Set by a line", -1, 13, 17),
        ("sub", 2, 15, 17),
        ("C", 3, 17, 17),
    ]
    assert {one.kind for one in found} == {"heading"}
    assert found[1].qualified == "A title with code.B link"


def test_a_changed_section_changes_its_own_hash_only() -> None:
    before = {one.name: one.hash for one in map_of("a.md", SOURCE).symbols}
    after = {one.name: one.hash for one in map_of("a.md", SOURCE.replace(b"text", b"other text")).symbols}
    assert {name for name in before if before[name] != after[name]} == {"A title with code"}
