"""One form for the many ways in which the same letter is written: composed and decomposed, full and half width, with
and without its accent, with characters between that nobody sees."""

from __future__ import annotations

import re
import unicodedata

# What no decomposition of Unicode takes apart, and people write both ways. `й` is a letter of its own, which endings
# are told by.
_PLAIN = "ßss ẞSS æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTH ıi йй ЙЙ ىي یي کك ـ ’' ʼ' ‘' ‐- ‑-"
_LETTERS = {pair[0]: pair[1:] for pair in _PLAIN.split()}
# The combining classes of what makes another letter of a letter, and no accent: voicing of kana, and viramas.
_KEPT_CLASSES = (0, 8, 9)
# Marks on one letter are put in order, which takes the square of their number; no script writes so many. Whether there
# may be a run of them is told by a few characters of the text: to look at each would double the time of folding.
_RUN, _STEP, _MARKS_KEPT = 1024, 64, 30
_MAY_BE_MARK = r"[^\w\s\x00-\x7f]|[\uff9e\uff9f]"
# Joiners, marks of direction, variants, the soft hyphen: they change how a text looks and not what it says.
_INVISIBLE = frozenset(
    "\xad\u034f\u061c\u180e\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
) | frozenset(
    chr(code)
    for first, last in ((0x202A, 0x202E), (0x2066, 0x2069), (0xFE00, 0xFE0F))
    for code in range(first, last + 1)
)


class _Folded(dict[int, str]):
    """By its code, what stands for a character. Each is looked up once."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _folded_character(chr(code))
        return found


_folded = _Folded()


def folded(text: str) -> str:
    """A text in this form, its capitals left as they are."""
    if text.isascii():
        return text
    if len(text) < _RUN:
        return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).translate(_folded))
    plain = unicodedata.normalize("NFKC", _fewer_marks(text)).translate(_folded)
    return unicodedata.normalize("NFC", _fewer_marks(plain))  # what stood between marks may be gone


def _fewer_marks(text: str) -> str:
    if not re.search(f"(?:{_MAY_BE_MARK}){{{_RUN // _STEP}}}", text[::_STEP]):
        return text
    return re.sub(f"(?:{_MAY_BE_MARK}){{{_RUN},}}", _without_the_rest, text)


def _without_the_rest(run: re.Match[str]) -> str:
    """A run without the marks that are more than enough on one letter."""
    kept, marks = [], 0
    for character in run[0]:
        marks = marks + 1 if unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) else 0
        if marks <= _MARKS_KEPT:
            kept.append(character)
    return "".join(kept)


def _folded_character(character: str) -> str:
    if character in _LETTERS:
        return _LETTERS[character]
    if character in _INVISIBLE:
        return ""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    parts = unicodedata.normalize("NFKD", character)
    return "".join(part for part in parts if unicodedata.combining(part) in _KEPT_CLASSES)
