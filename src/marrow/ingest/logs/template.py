"""What alike messages have in common: the message without what differs from one to the next.

Most of the time that a log takes is spent here, so a word is only looked at closely when it has a digit or an @.
"""

from __future__ import annotations

import re

LENGTH_MAX = 400
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"|(?<!\w)'[^'\n]{1,300}'")
_WORD = re.compile(r"[^\s\d@]*[\d@]\S*")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"
)
_ADDRESS = re.compile(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"
    r"|(?<![\w:])\[?[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}\]?(?::\d{1,5})?(?![\w:])"
)
_QUERY = re.compile(r"(?<=\?)[^\s\"'<>]+=[^\s\"'<>]*")
_ID = re.compile(
    r"\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{8,}\b"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}\b"
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)*(?:e[-+]?\d+)?")
# Numbers that say what happened.
_TELLING = re.compile(r"\b(?:answered|status|code|HTTP/1\.[01]\"?|errno)[ =:]+\d{3}\b")
_RUNS = re.compile(r"(?:<n>(?:[,;\s]{1,2}<n>)+)")


def template_of(message: str) -> str:
    """`user 17 not found` and `user 4 not found` give the same."""
    text = " ".join(message[: LENGTH_MAX * 2].split())
    if '"' in text or "'" in text:
        text = _QUOTED.sub(_unquoted, text)
    told = _TELLING.findall(text) if "answered" in text or "status" in text or "code" in text or "errno" in text else []
    masked = _RUNS.sub("<n>", _WORD.sub(_word, text))
    for one in told:  # put back what the mask took
        masked = masked.replace(_WORD.sub(_word, one), one, 1)
    return masked[:LENGTH_MAX]


def _unquoted(found: re.Match[str]) -> str:
    mark = found[0][0]
    return f"{mark}…{mark}"


def _word(found: re.Match[str]) -> str:
    word = found[0]
    if word.isdigit():
        return "<n>"
    if "@" in word:
        word = _EMAIL.sub("<email>", word)
    if "-" in word:
        word = _UUID.sub("<id>", word)
    if ":" in word or "-" in word:
        word = _TIME.sub("<time>", word)
    if "." in word or ":" in word:
        word = _ADDRESS.sub("<address>", word)
    if "?" in word:
        word = _QUERY.sub("<query>", word)
    if len(word) >= 8 or "0x" in word:
        word = _ID.sub("<id>", word)
    return _NUMBER.sub("<n>", word)
