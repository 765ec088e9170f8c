"""Whether a text says that something is not so. Two texts of the same words of which one does are at odds.

Words that are no negation in another language are left out, such as `plus` and `sin`. What is also a name or an option
in English, as `PAS`, `NE` and `-ne`, counts in small letters, and in French where both parts of it stand.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..store.folding import folded

_ENGLISH = re.compile(
    r"\b(?:not|no|never|none|cannot|without|no longer|stop|stopped|avoid|instead of|"
    r"disabled?|removed?|dropped|deprecated|forbid(?:den)?)\b|n't\b",
    re.I,
)
# Accents are folded.
_IN_LATIN = re.compile(
    r"(?<![-\w])(?:(?:[Nn]icht|[Kk]ein(?:e[mnrs]?)?|[Nn]iemals|[Nn]ie|[Oo]hne|[Nn]essun[ao]?|[Ss]enza|[Nn]iet|[Gg]een|"
    r"[Nn]ooit|[Nn]unca|[Nn]ao|[Jj]amas|[Nn]ingun[ao]?|[Nn]on(?= \w{3,}[aeio]\b))\b"
    r"|(?:[Nn]e\b|[Nn]'\w)(?=.{1,40}\b(?:pas|plus|jamais|rien|aucune?)\b))",
)


@lru_cache(maxsize=1)
def _elsewhere() -> re.Pattern[str]:
    """For texts that are not all ASCII, made when the first is met."""
    letters = (
        r"\b(?:не|нет|ни|никогда|без|нельзя|لا|لم|لن|ليس|ليست|بدون|دون|غير)\b|नहीं|बिना"
        r"|(?<!差)(?<!不得)不(?![仅僅但同过過断斷错錯得])|没(?!错)|沒(?!錯)|未(?![来來])|勿|禁止"
        r"|(?<!少)(?<!もったい)(?<!つまら)(?<!危)(?<!あぶ)ない|なかった|なくなった|ません|せず|않|없|(?<!잘)못"
    )
    return re.compile(folded(letters))


def negates(text: str) -> bool:
    if _ENGLISH.search(text) is not None:
        return True
    plain = folded(text)
    if _IN_LATIN.search(plain) is not None:
        return True
    return not text.isascii() and _elsewhere().search(plain.lower()) is not None
