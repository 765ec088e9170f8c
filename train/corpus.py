"""The training data in memory: rows of `data/`, questions made from them, token ids, and the static tier's units."""

from __future__ import annotations

import itertools
import json
import lzma
import multiprocessing
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import concepts
import numpy as np
import written
from numpy.typing import NDArray
from tokenizers import Tokenizer

from marrow.providers.units import Units, plain_words

HERE = Path(__file__).parent
CODE_KINDS = ("python", "code", "comment")
MADE_KINDS = ("said", "way")  # from `concepts.txt`
SURE_KINDS = ("written", "asked")  # from `written/`: only one memory is right, however near others are
# How much the teacher is to be followed on an answer: less where pairs know better.
TRUST = dict.fromkeys(CODE_KINDS, 0.6) | dict.fromkeys(MADE_KINDS, 0.3) | dict.fromkeys(SURE_KINDS, 0.5)
QUESTION_TOKENS, TEXT_TOKENS = 64, 160
NEW_WORDS = 14_000

# How people ask. Grammar is not always right, as in what people type.
_ASKED = (
    "why did we {}?", "how do we {}?", "what about {}?", "{}?", "what did we decide about {}?", "when did we {}?",
    "who knows about {}?", "where is {}?", "did anyone {}?", "what is known about {}?", "is there a problem with {}?",
    "remind me about {}", "how does {} work?", "what happened with {}?", "{}, why?", "what should I know about {}?",
)  # fmt: skip
_ASKED_CODE = (
    "function that {}", "how to {}", "where do we {}?", "code to {}", "which function {}?", "{}?", "how do we {}?",
    "where is the code that {}?",
)  # fmt: skip
_COMMON = frozenset(
    "the a an of to in for and or on with is are was be by that this it as at from not when if we can has have do does "
    "will its into than then so but use used using".split()
)


def read(path: Path) -> list[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@dataclass
class Corpus:
    """Texts, each once, and what belongs together by number: `asked[i]` are the forms of a question for `text[i]`."""

    texts: list[str]
    weight: NDArray[np.float32]  # how much the teacher is to be followed on a text
    asked: NDArray[np.int32]  # (pairs, 3): as it was, as a question, with fewer of the text's words
    answer: NDArray[np.int32]  # (pairs,)
    kind: NDArray[np.int32]  # (pairs,)
    kinds: list[str]
    alone: NDArray[np.int32]  # texts that are no part of a pair
    group: NDArray[np.int32]  # texts of one group are about the same memory: none is a negative of another


def _shape(question: str, kind: str, chooser: random.Random) -> str:
    said = question.rstrip(".!? ")
    if said[:1].isupper() and said[1:2].islower():
        said = said[0].lower() + said[1:]
    return chooser.choice(_ASKED_CODE if kind in CODE_KINDS else _ASKED).format(said)


def _fewer(question: str, text: str, chooser: random.Random) -> str:
    """The question without most of the words that the text has too, so that meaning must do."""
    there = set(plain_words(text))
    words = question.split()
    kept = [
        word
        for word in words
        if not any(part in there and part not in _COMMON for part in plain_words(word)) or chooser.random() < 0.35
    ]
    telling = [word for word in kept if word.lower() not in _COMMON]
    return " ".join(kept) if len(telling) >= 2 else question


_BEFORE = ("hey, ", "do we know: ", "remind me, ", "quick question: ", "", "", "", "")


def _typed(question: str, chooser: random.Random) -> str:
    """As people type: small letters, no full stop, now and then a word before."""
    return chooser.choice(_BEFORE) + question.lower().rstrip(".!?")


def _hasty(question: str, chooser: random.Random) -> str:
    """Without some of its words."""
    words = question.split()
    kept = [word for word in words if chooser.random() > 0.2]
    return " ".join(kept) if len(kept) >= 3 else question


def _split(text: str, chooser: random.Random) -> tuple[str, str] | None:
    """One sentence of a text, and the rest."""
    parts = [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text) if len(part) > 25]
    if len(parts) < 3:
        return None
    at = chooser.randrange(len(parts))
    return parts[at], " ".join(parts[:at] + parts[at + 1 :])


def _written_pairs(most: int | None) -> list[list[str]]:
    """Each question with its memory, and each with the next question about the same memory."""
    made = []
    for one in written.read(kept_out=False)[:most]:
        made.extend(["written", question, one.memory] for question in one.questions)
        around = itertools.pairwise((*one.questions, one.questions[0]))
        made.extend(["asked", *two] for two in around if two[0] != two[1])
    return made


def _forms(kind: str, question: str, text: str, chooser: random.Random) -> tuple[str, str, str]:
    if kind in MADE_KINDS:
        return question, question, question
    if kind in SURE_KINDS:
        return question, _typed(question, chooser), _hasty(question, chooser)
    return question, _shape(question, kind, chooser), _fewer(question, text, chooser)


def load(folder: Path, seed: int, part: float = 1.0) -> Corpus:
    chooser = random.Random(seed)
    pairs, alone = read(folder / "pairs.jsonl.xz"), read(folder / "texts.jsonl.xz")
    if part < 1:
        pairs, alone = (chooser.sample(rows, int(len(rows) * part)) for rows in (pairs, alone))
    pairs += concepts.pairs(HERE / "concepts.txt", int(30_000 * part), seed)
    for kind, _, text in list(pairs):
        cut = _split(text, chooser) if kind in ("doc", "commit", "qa") and chooser.random() < 0.35 else None
        if cut:
            pairs.append(["part", *cut])
    pairs += _written_pairs(None if part == 1 else 40)
    kinds = sorted({row[0] for row in pairs})
    numbers: dict[str, int] = {}
    weights: list[float] = []

    def number(text: str, weight: float) -> int:
        if text not in numbers:
            numbers[text] = len(numbers)
            weights.append(weight)
        return numbers[text]

    asked, answers, kind_of = [], [], []
    for kind, question, text in pairs:
        asked.append([number(form, 1.0) for form in _forms(kind, question, text, chooser)])
        answers.append(number(text, TRUST.get(kind, 1.0)))
        kind_of.append(kinds.index(kind))
    rest = [number(row[1], 1.0) for row in alone]
    group = np.arange(len(numbers), dtype=np.int32)
    for one in written.read(kept_out=False):
        if one.memory in numbers:
            group[[numbers[question] for question in one.questions]] = numbers[one.memory]
    return Corpus(
        list(numbers),
        np.array(weights, np.float32),
        np.array(asked, np.int32),
        np.array(answers, np.int32),
        np.array(kind_of, np.int32),
        kinds,
        np.array(rest, np.int32),
        group,
    )


@dataclass
class Ragged:
    """Lists of numbers of different lengths, one after another."""

    values: NDArray
    starts: NDArray[np.int64]  # one more than there are lists


def ragged(lists: Sequence[Sequence[int]], kind: type = np.int32) -> Ragged:
    starts = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(one) for one in lists], out=starts[1:])
    return Ragged(np.fromiter((value for one in lists for value in one), kind, int(starts[-1])), starts)


_SHARED: list[Tokenizer | Units] = []  # what the processes of a pool work with


def _token_slice(texts: Sequence[str]) -> Ragged:
    return ragged([entry.ids for entry in _SHARED[0].encode_batch_fast([text[:4_000] for text in texts])])


def _joined(parts: Sequence[Ragged]) -> Ragged:
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return Ragged(np.concatenate([part.values for part in parts]), np.concatenate([[0], np.cumsum(lengths)]))


def _slices(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[at : at + 8_000] for at in range(0, len(texts), 8_000)]


def tokens(tokenizer: Tokenizer, texts: Sequence[str], length: int = TEXT_TOKENS, jobs: int = 1) -> Ragged:
    tokenizer.no_padding()
    tokenizer.enable_truncation(length)
    _SHARED[:] = [tokenizer]
    if jobs == 1:
        return _joined([_token_slice(some) for some in _slices(texts)])
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return _joined(list(pool.imap(_token_slice, _slices(texts))))


@dataclass
class Vocabulary:
    """The static tier's rows: word pieces first, then words. `pairs` of words had rows once; they added nothing."""

    pieces: list[int]
    words: dict[str, int]
    pairs: dict[str, int]
    texts: list[str]  # what each row stands for


def _count(texts: Sequence[str]) -> Counter[str]:
    words: Counter[str] = Counter()
    for text in texts:
        words.update(plain_words(text))
    return words


def vocabulary(tokenizer: Tokenizer, texts: Sequence[str], jobs: int) -> Vocabulary:
    words: Counter[str] = Counter()
    slices = [texts[at : at + 20_000] for at in range(0, len(texts), 20_000)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for some in pool.imap(_count, slices):
            words.update(some)
    listed = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    pieces, of_word, names = [-1] * len(listed), {}, []
    for piece, number in listed:
        bare = piece.removeprefix("##")
        if bare.isascii() and bare.isalnum():
            pieces[number] = len(names)
            if bare == piece:
                of_word[piece] = len(names)
            names.append(bare)
    good = [
        word for word in words if word not in of_word and word.isascii() and word.isalpha() and 3 <= len(word) <= 24
    ]
    for word in sorted(good, key=lambda word: (-words[word], word))[:NEW_WORDS]:
        of_word[word] = len(names)
        names.append(word)
    return Vocabulary(pieces, of_word, {}, names)


def _unit_slice(texts: Sequence[str]) -> tuple[Ragged, Ragged]:
    return bags_of([_SHARED[0].rows(text[:2_000]) for text in texts])


def units(tokenizer: Tokenizer, vocab: Vocabulary, texts: Sequence[str], jobs: int) -> tuple[Ragged, Ragged]:
    """The rows of each text, each once, and the roots of their counts."""
    _SHARED[:] = [Units(tokenizer, vocab.pieces, vocab.words, vocab.pairs)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        made = list(pool.imap(_unit_slice, _slices(texts)))
    return _joined([rows for rows, _ in made]), _joined([weights for _, weights in made])


def bags_of(lists: Sequence[Sequence[int]]) -> tuple[Ragged, Ragged]:
    counts = [Counter(rows) for rows in lists]
    return ragged([list(one) for one in counts]), ragged(
        [[count**0.5 for count in one.values()] for one in counts], np.float32
    )
