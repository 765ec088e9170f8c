"""Bytes to text. UTF-8 nearly always; what is not is worked out from its marks, its declarations and its bytes."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

LOOKED_AT = 8_192
_MARKED = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""(?:charset\s{0,3}=\s{0,3}["']?|coding[:=][ \t]{0,3}|<\?xml[^>]{0,80}encoding\s{0,3}=\s{0,3}["'])"""
    rb"""([\w.:-]{3,20})""",
    re.I,
)
# What a declaration may name. Others may be no encodings of text (hex, zip) or change the state as they go (UTF-7).
_TRUSTED = frozenset(
    "ascii utf-8 iso8859-1 iso8859-2 iso8859-5 iso8859-7 iso8859-9 iso8859-15 cp1250 cp1251 cp1252 cp1253 cp1254 "
    "cp1257 cp437 cp850 cp932 shift_jis euc_jp iso2022_jp gb2312 gbk gb18030 big5 euc_kr cp949 koi8-r koi8-u mac-roman "
    "windows-31j utf-16 utf-16-le utf-16-be".split()
)
_JAPANESE = ("cp932", "euc_jp")
_KANA = re.compile("[\u3040-\u30ff]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """`encoding` is "" for what is no text. `problem` says that characters were guessed at or replaced."""

    text: str
    encoding: str
    problem: str = ""


def decode(data: bytes) -> Decoded:
    for mark, encoding in _MARKED:
        if data.startswith(mark):
            return _as(data[len(mark) :], encoding)
    if b"\0" in data[:LOOKED_AT]:
        encoding = _without_mark(data)
        return _as(data, encoding) if encoding else Decoded("", "")
    try:
        return Decoded(data.decode(), "utf-8")
    except UnicodeDecodeError:
        return _other(data)


def _as(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        count = text.count("\ufffd")
        return Decoded(text, encoding, f"{count:,} characters that are no {encoding.upper()} were replaced")


def _without_mark(data: bytes) -> str:
    """UTF-16 without a mark: mostly letters whose other byte is zero, always on the same side."""
    head = data[: LOOKED_AT & ~1]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if odd > 0.6 * half and even < 0.02 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 * half and odd < 0.02 * half else ""


def _other(data: bytes) -> Decoded:
    declared = _declared(data)
    if declared and (text := _strictly(data, declared)) is not None:
        return Decoded(text, declared)
    damaged = data.decode("utf-8", "replace")
    replaced = damaged.count("\ufffd")
    letters = sum(1 for character in damaged[:200_000] if character > "\x7f") - damaged[:200_000].count("\ufffd")
    # A file that was cut in the midst of a character, or one with a few wrong bytes among many right ones.
    if letters > 4 * replaced or (replaced == 1 and damaged.endswith("\ufffd")):
        return Decoded(damaged, "utf-8", f"{replaced:,} characters that are no UTF-8 were replaced")
    for encoding in _JAPANESE:
        text = _strictly(data, encoding)
        if text is not None and _looks_japanese(text):
            return Decoded(text, encoding, f"the encoding was guessed to be {encoding}")
    text = _strictly(data, "cp1252")
    if text is not None:
        return Decoded(text, "cp1252", "the encoding was guessed to be windows-1252")
    return Decoded(data.decode("latin-1"), "latin-1", "the encoding was guessed to be latin-1")


def _declared(data: bytes) -> str:
    found = _DECLARED.search(data[:2_048])
    if not found:
        return ""
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return ""
    return name if name in _TRUSTED and name != "utf-8" else ""


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _looks_japanese(text: str) -> bool:
    """Kana of full width are rare in text that is something else; those of half width are what umlauts turn into."""
    head = text[:20_000]
    kana, others = len(_KANA.findall(head)), len(_HALF_WIDTH.findall(head))
    wide = sum(1 for character in head if character > "\x7f")
    return kana > 0.15 * wide and kana > 2 * others
