"""A model's answer, sentence by sentence: whether what it cites says so. Pure.

A sentence is confirmed when the sources that it cites have its numbers and what it quotes, most of its telling words,
and none of them says the opposite. Words are compared, and not what they mean: what is marked may be true, and what is
not marked may be false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .held_against import contradicted, has_number, key_of, keys_of, known_keys, numbers_missing

UNSUPPORTED, UNCITED, UNKNOWN_SOURCE, INVENTED = "unsupported", "uncited", "no such source", "not in the source"
OTHERWISE = "the source says otherwise"
NOTE = "Its words, names and numbers were compared with what it cites, not their meaning: read the sources."
# The least share of a sentence's words, by how much each says, that its sources must have.
SHARE_LEAST = 0.6

_CITED = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_SENTENCE = re.compile(r"(?<=[.!?])(?:(?:\s*\[[\d,; ]+\])+[.]?)?\s+(?!\[\d)(?=[\"'(*A-Z0-9`\[-])|\n+")
_QUOTED = re.compile(r"[\"“”]([^\"“”\n]{3,200})[\"“”]|`([^`\n]{2,120})`")
_TELLS = (
    r"(?:say|mention|state|tell|answer|speak|contain|name|explain|describe|give|cover|specify|show|indicate|record)"
)
_SAYS_NOTHING = re.compile(
    r"\b(?:sources?|context|memor(?:y|ies)|documents?|they|it)\s+(?:given |here |cited )?"
    rf"(?:(?:do(?:es)?|did) not|don't|doesn't|didn't|cannot)\s+(?:\w+ )?{_TELLS}\b"
    rf"|\b{_TELLS}s?\s+(?:nothing|no\b)"
    rf"|\b(?:nothing|no (?:source|document|information|answer|mention))\b[^,;:]{{0,40}}\b(?:in|by|{_TELLS}s?)\b"
    rf"|\bnot (?:said|stated|mentioned|named|recorded|answered|explained|given)\b",
    re.I,
)
# A second statement behind what the sources do not say is a statement.
_SAYS_MORE = re.compile(
    r"[;:—–]|\b(?:but|however|although|though|yet|while|whereas|except|instead|because|since|so|still|therefore|nevertheless)\b",
    re.I,
)
_JOINED = re.compile(r",\s*(?:and|or|nor)?\s*|\s(?:and|or|nor)\s+", re.I)
_ASKS = re.compile(r"(?:who|whom|whose|when|what|why|how|which|whether|where|if|any|about)\b", re.I)
_STATES = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|will|would|do|does|did|can|could|must|should|may|\w{3,}ed)\b", re.I
)
# What answers are framed with: it says nothing of the matter.
_FRAMES = frozenset(
    key_of(word)
    for word in "say says said state states mention mentions describe describes according note notes source sources "
    "document documents record records recorded report reports team organisation organization current currently "
    "however reason reasons due therefore thus result following follows short summary below answer decided decision "
    "decisions explain explains main point points list see details overview question conclusion background".split()
)

Weigh = Callable[[Sequence[str]], Mapping[str, float]]


class Sentence(NamedTuple):
    """What was said, what it cites, and what is wrong with it; `why` is empty where nothing was found to be."""

    text: str
    cited: tuple[int, ...] = ()
    why: str = ""
    missing: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        if not self.why:
            return ""
        return f" [{self.why}{': ' + ', '.join(self.missing) if self.missing else ''}]"


class Checked(NamedTuple):
    """The answer with its marks, its sentences, and what the check is worth."""

    text: str
    sentences: tuple[Sentence, ...]
    note: str = NOTE

    @property
    def doubtful(self) -> tuple[Sentence, ...]:
        return tuple(one for one in self.sentences if one.why)

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(sorted({number for one in self.sentences for number in one.cited}))


def check(answer: str, sources: Mapping[int, str], weigh: Weigh, headings: Mapping[int, str] | None = None) -> Checked:
    """The answer, each sentence held against the sources that it cites. `sources` are their bare texts; `headings` say
    what they are and from when, which bears out names and dates alone. `weigh` says how much terms say here."""
    found: list[Sentence] = []
    marked: list[str] = []
    for piece, gap in _sentences(answer.strip()):
        one = _checked(piece, sources, headings or {}, weigh)
        found.append(one)
        marked.append(f"{piece}{one.mark}{gap}")
    return Checked("".join(marked), tuple(one for one in found if one.text))


def _sentences(text: str) -> list[tuple[str, str]]:
    """(sentence, what follows it). Citations after the full stop belong to the sentence before them."""
    found = []
    start = 0
    for match in _SENTENCE.finditer(text):
        whole = match.group()
        gap = whole[len(whole.rstrip()) :] if whole.strip() else whole
        found.append((text[start : match.end() - len(gap)], gap))
        start = match.end()
    return [*found, (text[start:], "")]


def _checked(piece: str, sources: Mapping[int, str], headings: Mapping[int, str], weigh: Weigh) -> Sentence:
    cited = tuple(dict.fromkeys(int(n) for group in _CITED.findall(piece) for n in re.findall(r"\d+", group)))
    said = _CITED.sub(" ", piece).strip()
    bare = _unlisted(said)
    words = [key for key in keys_of(bare) if key not in _FRAMES]
    if not (words or has_number(bare) or cited):
        return Sentence(said, cited)
    if unknown := tuple(str(number) for number in cited if number not in sources):
        return Sentence(said, cited, UNKNOWN_SOURCE, unknown)
    if _says_nothing(bare):
        return Sentence(said, cited)
    if not cited:
        return Sentence(said, (), "" if _is_framing(said, bare, words, sources, headings, weigh) else UNCITED)
    text = "\n\n".join(sources[number] for number in cited)
    heading = "\n".join(headings.get(number, "") for number in cited)
    if missing := (*numbers_missing(bare, text, heading), *_misquoted(bare, f"{text}\n{heading}")):
        return Sentence(said, cited, INVENTED, tuple(dict.fromkeys(missing)))
    if _share(words, f"{text}\n{heading}", weigh) < SHARE_LEAST:
        return Sentence(said, cited, UNSUPPORTED)
    if against := contradicted(bare, text):
        return Sentence(said, cited, OTHERWISE, against)
    return Sentence(said, cited)


def _share(words: Sequence[str], text: str, weigh: Weigh) -> float:
    """Which share of the words a text has, by how much each says."""
    weights = weigh(words)
    has = known_keys(text)
    total = sum(weights.get(word, 0.0) for word in words)
    return sum(weights.get(word, 0.0) for word in words if word in has) / total if total > 0 else 1.0


def _says_nothing(said: str) -> bool:
    """Whether it says what the sources do not say, and nothing besides."""
    found = _SAYS_NOTHING.search(said)
    if found is None or _SAYS_MORE.search(said) or has_number(said[: found.start()]):
        return False
    return all(
        _ASKS.match(part) or not (_STATES.search(part) or len(keys_of(part)) > 2)
        for part in _JOINED.split(said[found.end() :])[1:]
    )


def _is_framing(
    said: str,
    bare: str,
    words: Sequence[str],
    sources: Mapping[int, str],
    headings: Mapping[int, str],
    weigh: Weigh,
) -> bool:
    """Whether an uncited line only leads to what follows: it ends with a colon, asks, or is a heading, and speaks of
    what the sources speak of."""
    if not said.endswith((":", "?")) and not said.startswith("#"):
        return False
    if has_number(bare):
        return False
    whole = "\n\n".join((*sources.values(), *headings.values()))
    return _share(words, whole, weigh) >= SHARE_LEAST and not contradicted(bare, whole)


def _unlisted(said: str) -> str:
    """Without the number of a list's entry before it."""
    return re.sub(r"^\s*(?:[-*]|\d{1,2}[.)])\s+", "", said)


def _misquoted(said: str, text: str) -> list[str]:
    """The quotations and names in code marks of a sentence that its sources have not."""
    small = " ".join(text.lower().split())
    quotes = [quote or name for quote, name in _QUOTED.findall(said)]
    return [quote for quote in quotes if " ".join(quote.lower().split()).strip(".,") not in small]
