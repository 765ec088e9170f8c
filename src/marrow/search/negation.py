"""Whether a text says that something is not so. Two texts of the same words of which one does are at odds.

Words that are no negation in another language are left out, such as `plus` and `sin`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_IN_LATIN = re.compile(
    r"\b(?:not|no|never|none|cannot|without|no longer|stop|stopped|avoid|instead of|"
    r"disabled?|removed?|dropped|deprecated|forbid(?:den)?|"
    r"nicht|kein(?:e[mnrs]?)?|niemals|nie|ohne|ne|pas|jamais|aucune?|nunca|non(?!-)|nessun[ao]?|senza|niet|geen|nooit)\b"
    r"|n't\b|\b[nN]['’](?=\w{3})",
    re.I,
)


@lru_cache(maxsize=1)
def _elsewhere() -> re.Pattern[str]:
    """For texts that are not all ASCII, made when the first is met."""
    return re.compile(
        r"\b(?:não|jamás|ningún|не|нет|ни|никогда|без|нельзя|لا|لم|لن|ليس|ليست|بدون|دون|غير)\b|नहीं|बिना"
        r"|不(?![仅僅但同过過断斷])|没|沒|未(?![来來])|勿|禁止|(?<!少)ない|なかった|なくなった|ません|せず|않|없|못",
        re.I,
    )


def negates(text: str) -> bool:
    return bool(_IN_LATIN.search(text)) or (not text.isascii() and bool(_elsewhere().search(text)))
