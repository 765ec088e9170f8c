"""What tells of a session, without some of what it tells: a handoff as a new session is told it, and a handoff or a
summary once something in it was forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..observed.digest import HANDED_OVER, HANDOFF, SUMMED_UP, section_text

# Of two texts, so many letters in common at their beginning are no accident: one of them was cut.
COMPARED = 40
# What was told last in a title that was cut is known by so many letters, and elsewhere in it by so many: a word alone
# is in many titles.
CUT_LEAST, NAMED_LEAST = 16, 8
# C++ is not C, nor is 1.8 the same as 18.
_NOT_LETTERS = re.compile(r"(?:[^\w+#.]|\.(?!\d)|(?<!\d)\.)+")
_SECTION = re.compile(rf"({'|'.join(dict.fromkeys((*HANDED_OVER, *SUMMED_UP)))}):(?:\s*\n- | )")


def letters(text: str) -> str:
    """Letters and digits, and what tells C++ from C, so that texts can be compared."""
    return _NOT_LETTERS.sub("", text.lower())


def handed_over(content: str, told: Sequence[str]) -> str:
    """On few lines, without what is told beside it by its own address: `told` are the letters of that. A handoff in
    somebody's own words stays as it is."""
    return "\n".join(f"{name}: {'; '.join(lines)}" if name else lines[0] for name, lines in _parts(content, told))


def without(content: str, gone: Sequence[str]) -> str:
    """In the same form, without what is gone, by its letters: not in the title either. "" when nothing else was
    told."""
    if not _SECTION.search(content):  # in somebody's own words
        return content
    parts = list(_parts(content, gone))
    texts = [section_text(name, lines) for name, lines in parts if name]
    title = parts[0][1][0] if parts and not parts[0][0] else ""
    if _names(letters(title), gone):
        title = HANDOFF if title.startswith(HANDOFF) else ""
    return "\n\n".join([title, *texts] if title else texts) if texts else ""


def _names(title: str, gone: Sequence[str]) -> bool:
    """Whether a title has one of these, or, where it was cut, begins or ends with how it begins."""
    cuts = [title[at:] for at in range(len(title) - CUT_LEAST)]
    return any(one in title or any(one.startswith(cut) for cut in cuts) for one in gone if len(one) >= NAMED_LEAST)


def _parts(content: str, left_out: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The sections by their headings, each with the lines that are left, if there are any; what is none has no
    heading."""
    for section in content.split("\n\n"):
        found = _SECTION.match(section)
        if found is None:
            yield "", [section]
            continue
        lines = [line.strip() for line in section[found.end() :].split("\n- ")]
        if kept := [line for line in lines if not _is_told(letters(line), left_out)]:
            yield found[1], kept


def _is_told(line: str, told: Sequence[str]) -> bool:
    """As it is, or cut: then the shorter one is how the other begins. Two that only begin alike tell two things."""
    return any(line == one or (_is_long(line, one) and (line.startswith(one) or one.startswith(line))) for one in told)


def _is_long(line: str, one: str) -> bool:
    return min(len(line), len(one)) >= COMPARED
