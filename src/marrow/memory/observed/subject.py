"""What a prompt is about, and whether it opens another subject than the ones before."""

from __future__ import annotations

import re

from ...store.terms import STOP_WORDS, terms_of
from ..recall import CHATTER
from .lines import plain
from .prose import sentences

READ = 4_000
# So many words make a subject; fewer go on with the one at hand.
LEAST_NEW = 2
# The share of a prompt's words that were spoken of before, from which on it is about the same.
SHARED = 0.25
_PATH = re.compile(r"(?<![\w/.-])(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@-]*\w|(?<![\w/.-])[\w-]+\.[a-z]{1,4}(?![\w.(])")
_IDENTIFIER = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b")
# Words of working: they are said about everything.
_WORK = frozenset(
    terms_of(
        "fix add make change update remove delete write create run rerun test tests check try use again commit push "
        "code file "
        "files function line lines thing things way bug error issue problem work works working implement continue "
        "retry "
        "finish same other also rest everything something anything explain show tell want need keep put think sure "
        "correct "
        "wrong right better new old way help please do done step part yes yep nope stop wait undo revert proceed apply "
        "lint format build refactor clean review proper properly really still maybe actually instead yet seem seems "
        "mean lol haha hehe cool nice awesome perfect wow ugh yay hmm meh morning afternoon evening hey hi hello sorry "
        "welcome bye cheers oops damn ok okay got just now today look have tell "
        "hallo moin servus guten morgen abend hola buenos buenas dias tardes bonjour bonsoir salut ciao buongiorno"
    )
)


def subject(prompt: str) -> frozenset[str]:
    """The words, paths and names that say what a prompt is about; nothing for "yes", "go on", "now the tests"."""
    prompt = prompt[:READ]
    prose = " ".join(sentence.text for sentence in sentences(prompt)) or plain(prompt)
    words = {term for term in terms_of(_PATH.sub(" ", prose)) if len(term) > 1 and not term.isdigit()}
    words -= STOP_WORDS | CHATTER | _WORK
    paths = {path.strip("./").lower() for path in _PATH.findall(prose)}
    names = {name.replace("_", "").lower() for name in _IDENTIFIER.findall(prose)}
    return frozenset(words | paths | names)


def is_new_subject(before: frozenset[str], now: frozenset[str]) -> bool:
    """Whether `now` is about something else than `before`. Too little to tell is no new subject."""
    if len(now) < LEAST_NEW:
        return False
    shared = now & before
    if any("/" in word or "." in word for word in shared):
        return False
    return len(shared) < SHARED * len(now)
