"""Words as they are typed in a hurry, spelt out, so that the rules for what is said know them."""

from __future__ import annotations

import re

_SPELT = {
    "shld": "should",
    "cld": "could",
    "wld": "would",
    "pls": "please",
    "plz": "please",
    "u": "you",
    "ur": "your",
    "abt": "about",
    "bc": "because",
    "thx": "thanks",
    "tmrw": "tomorrow",
    "w/": "with",
    "w/o": "without",
    "r u": "are you",
    "r we": "are we",
    **{f"{word}s": f"{word}'s" for word in ("what", "how", "where", "who", "when", "why")},
}
# Small letters only: R is a language, and U may be a name. What stands in backquotes is code.
_SHORT = re.compile(
    rf"`[^`]*`|(?<![\w/.'-])({'|'.join(sorted(map(re.escape, _SPELT), key=len, reverse=True))})(?![\w/.=(-]|'\w)"
)


def spelt_out(text: str) -> str:
    return _SHORT.sub(lambda found: _SPELT[found[1]] if found[1] else found[0], text)
