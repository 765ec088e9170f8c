"""Terms: how a text becomes the words that are indexed and looked up. One way for every store.

Words are stemmed: those in Latin letters as English, others by the language that writes most in their letters. An
identifier is found by itself and by its parts: `getUserById`, `get_user_by_id` and `get-user-by-id` share the term
`getuserbyid` beside get, user and id. Digits are kept, versions too. Accents are folded. Text without spaces between
its words, such as Chinese, Japanese and Thai, is indexed by pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

import Stemmer

from .asking_words import is_elsewhere, silent_words, telling_pairs
from .folding import folded

TERM_LENGTH_MAX = 64
QUERY_TERMS_MAX = 64
# The same question is read several times on its way.
QUERIES_KEPT = 64

# Kana, Chinese characters and Hangul; Thai and Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# The scripts of India, in which vowels are marks that no pattern takes for a part of a word.
_INDIC = range(0x0900, 0x0E00)
_ASCII_CHUNK = re.compile(r"\w+(?:['./:@-]\w+)*(?:\+\+|#)?", re.ASCII)  # As `_chunk`, three times as fast.
_PLAIN = re.compile(r"[a-z]+(?:'[a-z]+)?\Z")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z']+|[A-Z]+|\d+|[^\x00-\x7f]+")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+\Z")
_LETTERS_FIRST = re.compile(r"([a-z]{3,})\d+\Z")
_SEPARATOR = re.compile(r"[^\x80-\U0010ffffA-Za-z0-9]")
_SEPARATOR_BUT_DOT = re.compile(r"[^\x80-\U0010ffffA-Za-z0-9.]")
_PIECES = re.compile(r"[./:@]")
# An Arabic word without its article and its ending. A stemmer also takes single letters off its front, and with
# them the first of many a word.
_ARABIC = re.compile(r"(?:[وبكف]?ال|لل)?+(\w{3,}?)(?:ات|ان|ون|ين|ها|يه|ية|ة|ه|ي)?\Z")
# What French and Italian leave out a vowel for: l'utilisateur, qu'une, dell'utente.
_ELIDED = re.compile(
    r"(?:[cdjlmnst]|(?:jus|lors|puis|quel)?qu|(?:d|n|s|c)?[ae]ll|sull|dall|quest|quell|un)'(?=\w{3})", re.I
)
_WILDCARD = re.compile(r"\*?[\w./:@+#-]+\*|\*[\w./:@+#-]+")

STOP_WORDS = frozenset(
    "a about after all also am an and any are as at be because been before being both but by can could did do does "
    "doing done down during each few for from further get got had has have having he her here hers him his how i if "
    "in into is it its just let like may me might more most much must my no nor not now of off on once one only or "
    "other our ours out over own per please same shall she should so some such tell than that the their theirs them "
    "then there these they this those through to too under until up us very was we were what when where which while "
    "who whom whose why will with would yes you your yours".split()
)


@lru_cache(maxsize=1)
def _chunk() -> re.Pattern[str]:
    """Not made before a text needs it: with so many characters that takes as long as a search."""
    marks = "".join(chr(code) for code in _INDIC if unicodedata.category(chr(code)).startswith("M"))
    word = rf"(?:[^\W{_UNSPACED}]|[{marks}])+"
    return re.compile(rf"[{_UNSPACED}]+|{word}(?:['./:@-]{word})*(?:\+\+|#)?")


@lru_cache(maxsize=1)
def _unspaced_run() -> re.Pattern[str]:
    """The same."""
    return re.compile(rf"[{_UNSPACED}]+\Z")


_stemmer = Stemmer.Stemmer("english", 0)
_SCRIPTS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0900", "\u097f", "hindi"),
)


@lru_cache(maxsize=len(_SCRIPTS))
def _stemmer_of(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)


def _stemmed(word: str) -> str:
    if not word.isascii():
        if "\u0600" <= word[0] <= "\u06ff":
            return _ARABIC.sub(r"\1", word)
        for first, last, language in _SCRIPTS:
            if first <= word[0] <= last:
                return _stemmer_of(language).stemWord(word) or word
    return _stemmer.stemWord(word).strip("'") or word


CHUNKS_KEPT, STEMS_KEPT = 65_536, 16_384
# What is longer between two spaces is no word that comes again.
WORD_KEPT_MAX = 48


# What may stand in a term or between its parts; any other sign of ASCII ends it, as a space does.
_IN_TERMS = b"_'./:@-+#"
_SPACED = bytes(sign if sign >= 128 or chr(sign).isalnum() or sign in _IN_TERMS else 32 for sign in range(256))
# At its beginning and end these say nothing.
_AROUND = "'./:@-"


class _Known(dict[str, str]):
    """The terms of each chunk that came before, with a space between them: words come again and again. A dictionary
    answers faster than a cache that keeps order; it starts anew when it is full. Texts and no tuples of them: Python
    looks through whatever holds other things again and again to see whether it is still needed."""

    def __missing__(self, chunk: str) -> str:
        if len(self) >= CHUNKS_KEPT:
            self.clear()
        found = self[chunk] = " ".join(_terms_of_chunk(chunk))
        return found


_known = _Known()


class _Pieces(dict[str, str]):
    """The same for what dots and slashes join: in code the joined ones are mostly new, their pieces are not."""

    def __missing__(self, piece: str) -> str:
        if len(self) >= CHUNKS_KEPT:
            self.clear()
        found = self[piece] = " ".join(_terms_of_identifier(piece))
        return found


_pieces = _Pieces()


class _Words(dict[str, str]):
    """The same for what stands between two spaces: no chunk reaches over a space, and to cut a text there takes a fifth
    of the time that looking for its chunks takes."""

    def __missing__(self, word: str) -> str:
        if not word.isascii():
            found = _of_chunks(word)
        elif word.isalpha() and word.islower():  # as most are
            found = _stem(word)
        elif (bare := word.strip(_AROUND)) != word:
            found = self[bare]
        elif len(word) > TERM_LENGTH_MAX:
            found = _of_chunks(word)
        elif word.isidentifier():
            found = _pieces[word]
        elif all(map(str.isidentifier, pieces := word.split("."))):  # one chunk, and no version
            found = " ".join(filter(None, map(_pieces.__getitem__, pieces)))
        else:
            found = _of_chunks(word)
        if len(word) <= WORD_KEPT_MAX:
            if len(self) >= CHUNKS_KEPT:
                self.clear()
            self[word] = found
        return found


_words = _Words()


def _of_chunks(word: str) -> str:
    return " ".join(filter(None, map(_known.__getitem__, _chunks(word))))


# Of so many texts up to this length the terms are kept: what is indexed is compared right afterwards, and what is found
# is looked at from several sides.
TEXTS_KEPT, KEPT_LENGTH_MAX = 512, 4_000


def _terms_of_chunk(chunk: str) -> tuple[str, ...]:
    if chunk.isascii():
        if chunk.isdigit():
            return (chunk[:TERM_LENGTH_MAX],)
        if chunk.isalpha() and chunk.islower():
            return (_stem(chunk),)
    elif _unspaced_run().match(chunk):
        return tuple(chunk[i : i + 2] for i in range(len(chunk) - 1)) or (chunk,)
    if "'" in chunk and (elided := _ELIDED.match(chunk)):
        return _terms_of_chunk(chunk[elided.end() :])
    if _PLAIN.match(chunk):
        return (_stem(chunk),)
    if chunk.isalnum():
        return tuple([term[:TERM_LENGTH_MAX] for term in _terms_of_identifier(chunk)])
    lower = chunk.lower()
    if _VERSION.match(lower):
        return (lower, *(part for part in re.split(r"\D+", lower) if part))
    found = " ".join(map(_pieces.__getitem__, _PIECES.split(chunk))).split()
    if chunk[-1] in "+#":
        found.append(lower)
    return tuple([term[:TERM_LENGTH_MAX] for term in found])


def _terms_of_identifier(piece: str) -> list[str]:
    bare = piece.replace("_", "")
    if bare.isascii() and bare.isalpha() and bare.islower():  # no need to look for capitals and digits
        found = [_stem(part) for part in piece.split("_") if part]
        if len(found) > 1:
            found.append(bare)
        return list(dict.fromkeys(found))
    parts = [part.lower() for part in _CAMEL.findall(piece)]
    if not parts:
        return []
    found = [_stem(part) for part in parts if part != "'"]
    whole = (piece if piece.isalnum() else _SEPARATOR.sub("", piece)).lower()
    if len(parts) > 1 and whole:
        found.append(whole)
    if letters := _LETTERS_FIRST.match(whole):
        found.append(_stem(letters[1]))
    return list(dict.fromkeys(found))


class _Stems(dict[str, str]):
    """The same for the words that names are put together from: there are few, and asking for a stem takes as long as
    the rest of a name."""

    def __missing__(self, word: str) -> str:
        if len(self) >= STEMS_KEPT:
            self.clear()
        found = self[word] = _stemmed(word)
        return found


_stem = _Stems().__getitem__


def _chunks(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_CHUNK.findall(text)
    return _chunk().findall(folded(text))


def terms_of(text: str) -> list[str]:
    """Every term of a text, in order, as often as it occurs."""
    return list(_kept_terms(text)) if len(text) <= KEPT_LENGTH_MAX else _terms(text)


@lru_cache(maxsize=TEXTS_KEPT)
def _kept_terms(text: str) -> tuple[str, ...]:
    return tuple(_terms(text))


def _terms(text: str) -> list[str]:
    return spaced_terms(text).split()


# The terms of texts that are about to be indexed, made in another process meanwhile.
_made_ahead: dict[str, str] = {}


def made_ahead(spaced: Mapping[str, str]) -> None:
    """Give the spaced terms of some texts. Each is used once, and those that were given before are forgotten."""
    global _made_ahead
    _made_ahead = dict(spaced)


def spaced_terms(text: str) -> str:
    """The same as one text, as an index of words takes it: with a space between each two."""
    if _made_ahead and (made := _made_ahead.pop(text, None)) is not None:
        return made
    spaced = text.encode("utf-8", "surrogatepass").translate(_SPACED).decode("utf-8", "surrogatepass")
    return " ".join(filter(None, map(_words.__getitem__, spaced.split())))


def query_terms(text: str) -> list[str]:
    """The terms to look for: each once, without the words that say nothing unless there are no others.

    `name*` asks for what begins with the name, `*name*` for what contains it; both keep their stars here.
    """
    return list(_query_terms(text))


@lru_cache(maxsize=QUERIES_KEPT)
def _query_terms(text: str) -> tuple[str, ...]:
    text = folded(text)
    wild = [found[0].lower() for found in _WILDCARD.finditer(text)] if "*" in text else []
    rest = _WILDCARD.sub(" ", text) if wild else text
    said: list[str] = []
    plain: list[str] = []
    chunks = _chunks(rest)
    silent = STOP_WORDS | silent_words([chunk.lower() for chunk in chunks], STOP_WORDS)
    for chunk in chunks:
        found = _known[chunk].split()
        plain += found
        if _is_unspaced(chunk):
            said += telling_pairs(chunk)
        elif chunk.lower() not in silent:
            said += [term for term in found if len(found) == 1 or term not in silent]
    patterns = [pattern for given in wild for pattern in _wild(given)]
    if len(plain) == 1 and not patterns and len(plain[0]) == 1 and _is_unspaced(plain[0]):
        return (f"*{plain[0]}*",)  # it stands in the pairs
    return tuple(dict.fromkeys([*patterns, *(said or plain)]))[:QUERY_TERMS_MAX]


def is_asked_elsewhere(text: str) -> bool:
    """Whether a question is asked by words of another language than English, and without doubt."""
    return is_elsewhere([chunk.lower() for chunk in _chunks(text)], STOP_WORDS)


def is_pair(term: str) -> bool:
    """Whether it is two characters of a text without spaces."""
    return len(term) == 2 and _is_unspaced(term)


def _is_unspaced(chunk: str) -> bool:
    return not chunk.isascii() and _unspaced_run().match(chunk) is not None


def _wild(pattern: str) -> list[str]:
    """A pattern over terms: identifiers are indexed without their separators, words by their stems, and what has no
    spaces by its pairs, wherever they stand."""
    core = _SEPARATOR_BUT_DOT.sub("", pattern)
    if _is_unspaced(core):
        return list(_terms_of_chunk(core)) if len(core) > 1 else [f"*{core}*"]
    if pattern.startswith("*"):
        return [f"*{core}*"]
    stem = _stem(core)
    return [f"{core}*"] if core.startswith(stem) and stem == core else [f"{core}*", f"{stem}*"]
