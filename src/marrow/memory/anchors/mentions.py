"""What a text names that may be in the code: files, with lines, and symbols. Quick, and only a guess: whether there is
such a file or symbol is seen by who asks."""

from __future__ import annotations

import re
from typing import NamedTuple

READ_MAX = 4_000
NAMES_MAX = 24
# Endings of files that are worth looking for by their bare name. Others must come with their folder.
ENDINGS = frozenset(
    "py pyi js mjs cjs jsx ts mts cts tsx go java rs c h cc cpp cxx hpp hh cs rb rake php kt kts swift scala sc sh "
    "bash sql md rst toml json yaml yml cfg ini lock txt xml html css scss vue svelte proto tf gradle mod csproj ex "
    "exs erl hs ml lua r jl dart m mm zig nim pl pm ps1 bat cmake mk ipynb".split()
)
# Without one of these there is nothing to look for.
_HINT = re.compile(r"[`/(._:](?:(?<=[`/])|(?<=\w\()|(?<=\w[._])(?=\w)|(?<=::))|[a-z0-9][A-Z]")
# And without one of these, no path with an ending and no name with dots, which take far longer to look for.
_DOT = re.compile(r"\.\w")
_QUOTED = re.compile(r"`([^`\n]{2,120})`")
_PATH = re.compile(
    r"(?<![\w@/.:~-])(?:\./)?((?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.\w{1,8}|(?:[\w@.+-]+/)+[\w@+-]+)(?::(\d{1,7})(?:[-–](\d{1,7}))?)?"
    r"(?![\w/@])"
)
# What stands in a file, as the code map writes it: `app/cart.py::Cart.total`.
_WITHIN = re.compile(r"\.\w{1,8}::([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)")
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)\(")
# With a part that begins as names of types and exported functions do, or with `::`: `hugofs.NewFs`, not `example.com`.
_DOTTED = re.compile(
    r"(?<![\w./:@-])((?:[a-z_]\w*\.)*[A-Z]\w*(?:(?:\.|::)[A-Za-z_]\w*)*|\w+(?:::[A-Za-z_]\w*)+)(?![\w/])"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(.*\))?\Z")
_JOINED = re.compile(
    r"(?<![\w./-])([A-Za-z]+_\w+|_\w+|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w*|[A-Z]{2,}[A-Z_\d]+)\b"
)
# What surely is a name, for no language of people writes so: with an underscore, or with capitals inside.
_SURE = re.compile(r"\w+_\w+\Z|[A-Z][a-z0-9]+(?:[A-Z]\w*)+\Z|[a-z]+[A-Z]\w*\Z")
# Plain words that stand right before a file: `echo and safecall in click/utils.py`.
_BEFORE_FILE = re.compile(
    r"((?:[A-Za-z_]\w*(?:,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+)){0,3}[A-Za-z_]\w*)\s+(?:in|from|of)\s+`?\Z"
)
_LINKING = re.compile(r",|\band\b|\bor\b|\s")
BEFORE_FILE_MAX = 120
_LANGUAGE_WORDS = frozenset(
    "print len str int dict list set tuple open range type super self this main init true false null none async await "
    "return import from class def function var let const if else for while new try catch test tests".split()
)


class Place(NamedTuple):
    """A file as it is named, with lines if it came with some."""

    path: str
    start: int = 0
    end: int = 0


class Mentions(NamedTuple):
    """`names` are written as code: in backticks, called, with dots, or in a spelling that only names have. `words` may
    be names: they count where a file that is named has them."""

    places: tuple[Place, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


NOTHING = Mentions()


def mentions(content: str) -> Mentions:
    text = content[:READ_MAX]
    if _HINT.search(text) is None:
        return NOTHING
    is_dotted = _DOT.search(text) is not None
    may_have_paths = is_dotted or "/" in text
    paths = _PATH.finditer(text) if may_have_paths else ()
    places = dict.fromkeys(_place(found) for found in paths if _may_be_file(found[1]))
    names = [name for name in _QUOTED.findall(text) if _NAME.match(name) and not _is_file_name(name)]
    if any(_ends_in_word(before) for before in text.split("(")[:-1]):
        names += _CALLED.findall(text)
    if is_dotted or "::" in text:
        found = (name for name in _DOTTED.findall(text) if "." in name or "::" in name)
        names += [name for name in found if not _is_file_name(name)]
    joined = _JOINED.findall(text)
    names += [word for word in joined if _SURE.match(word)]
    kept = dict.fromkeys(name for name in names if _is_telling(name))
    within = _WITHIN.findall(text) if "::" in text else ()
    in_files = (*within, *joined, *_before_files(text)) if places else ()
    words = dict.fromkeys(word for word in in_files if word not in kept)
    return Mentions(tuple(places)[:NAMES_MAX], tuple(kept)[:NAMES_MAX], tuple(words)[:NAMES_MAX])


def _ends_in_word(text: str) -> bool:
    return text[-1:].isalnum() or text[-1:] == "_"


def words_like_code(content: str, most: int = READ_MAX) -> list[str]:
    """Words in the beginning of a text that look like names in code: with underscores, or capitals inside."""
    return _JOINED.findall(content[:most])


def _before_files(text: str) -> list[str]:
    """The plain words that a text says to stand in a file that it names right after them."""
    found: list[str] = []
    for place in _PATH.finditer(text):
        if _may_be_file(place[1]) and (
            before := _BEFORE_FILE.search(text[max(0, place.start() - BEFORE_FILE_MAX) : place.start()])
        ):
            found += [word for word in _LINKING.split(before[1]) if _is_telling(word)]
    return found


def _place(found: re.Match[str]) -> Place:
    start = int(found[2] or 0)
    end = int(found[3] or start)
    return Place(found[1], start, end if end >= start else start)


def _may_be_file(name: str) -> bool:
    """A web address has its slashes before it, and is not met here; `and/or` is no file."""
    base = name.rpartition("/")[2]
    stem, dot, ending = base.rpartition(".")
    if "/" in name:
        return bool(dot and stem) or name.count("/") > 1 or base in ("Makefile", "Dockerfile", "Gemfile", "Rakefile")
    return bool(stem) and ending.lower() in ENDINGS


def _is_file_name(name: str) -> bool:
    return name.rpartition(".")[2].lower() in ENDINGS and "(" not in name and name.count(".") == 1 and "::" not in name


def _is_telling(name: str) -> bool:
    bare = name.partition("(")[0]
    return len(bare) > 2 and bare.lower() not in _LANGUAGE_WORDS
