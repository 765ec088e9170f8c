"""Makes pairs of a question and a memory that share few words, from `concepts.txt`: the same said in two ways.

The list and the shapes are the project's own, by somebody who has not read its paraphrase set.
"""

from __future__ import annotations

import random
from pathlib import Path

_TROUBLE = (
    "why does it happen that {thing} {trouble}?",
    "{thing} {trouble}",
    "{thing}: {trouble}, what is the cause?",
    "what do we know when {thing} {trouble}?",
    "has anyone seen that {thing} {trouble}?",
    "help, {thing} {trouble}",
    "is it known that {thing} {trouble}?",
    "what was it when {thing} {trouble}?",
)
_TROUBLE_KEPT = (
    "{thing} {trouble} because {cause}.",
    "Because {cause}, {thing} {trouble}.",
    "Found it: {cause}; so {thing} {trouble}.",
    "Incident: {thing} {trouble}. Root cause: {cause}.",
    "{cause}, which is why {thing} {trouble}. Fixed since {day}.",
    "When {thing} {trouble}, the reason is that {cause}.",
    "{name} saw that {thing} {trouble}; it turned out that {cause}.",
)
_CAUSE = (
    "what happened to {thing} because {cause}?",
    "did we have trouble with {thing} as {cause}?",
    "{thing}, {cause}",
)
_DONE = (
    "why did we {doing} {thing}?",
    "what was the reason to {doing} {thing}?",
    "whose idea was it to {doing} {thing}?",
    "when did we {doing} {thing}?",
    "decision to {doing} {thing}",
    "did we ever {doing} {thing}?",
)
_DONE_KEPT = (
    "We decided to {doing} {thing}, since {reason}.",
    "{name} proposed to {doing} {thing}: {reason}.",
    "Decision of {day}: {doing} {thing}. Reason: {reason}.",
    "As {reason}, the team agreed to {doing} {thing}.",
    "After a long discussion we chose to {doing} {thing}, mostly because {reason}.",
)
_HOW = (
    "how do I {doing} {thing}?",
    "how can we {doing} {thing}?",
    "what is the way to {doing} {thing}?",
    "steps to {doing} {thing}",
    "who may {doing} {thing}?",
    "am I allowed to {doing} {thing}?",
    "tips to {doing} {thing}",
)
_HOW_KEPT = (
    "To {doing} {thing}, ask {name} first and follow the runbook.",
    "Never {doing} {thing} without telling {name}.",
    "Only {name} and the on-call engineer may {doing} {thing}.",
    "If you want to {doing} {thing}, use the script in tools/.",
    "One can {doing} {thing} from the admin console, but not on Fridays.",
    "Rule: {doing} {thing} only with two approvals.",
)
_NAMES = "Ana Bo Chen Dara Emil Fatima Goran Hana Ivo Jana Kofi Lena Mats Nora Omar Petra Quinn Rosa Sam Tara".split()
_DAYS = ("March", "last spring", "Monday", "3 May", "the retro", "version 2", "2023", "last week", "July", "Q3")


def read(path: Path) -> dict[str, list[list[str]]]:
    """The concepts by kind, each the ways to say it."""
    kinds: dict[str, list[list[str]]] = {}
    for line in path.read_text().splitlines():
        kind, bar, said = line.partition(" | ")
        if bar and not line.startswith("#"):
            kinds.setdefault(kind, []).append([way.strip() for way in said.split(";")])
    return kinds


def pairs(path: Path, count: int, seed: int) -> list[list[str]]:
    """`count` pairs ["said", question, memory], and each two ways to say a concept as ["way", one, other]."""
    kinds, chooser = read(path), random.Random(seed)
    made = []
    for _ in range(count):
        asked, kept = {}, {"name": chooser.choice(_NAMES), "day": chooser.choice(_DAYS)}
        for kind, concepts in kinds.items():
            asked[kind], kept[kind] = chooser.sample(chooser.choice(concepts), 2)
        form = chooser.random()
        if form < 0.45:
            question, memory = chooser.choice(_TROUBLE), chooser.choice(_TROUBLE_KEPT)
        elif form < 0.55:
            question, memory = chooser.choice(_CAUSE), chooser.choice(_TROUBLE_KEPT)
        elif form < 0.8:
            question, memory = chooser.choice(_DONE), chooser.choice(_DONE_KEPT)
        else:
            question, memory = chooser.choice(_HOW), chooser.choice(_HOW_KEPT)
        said = memory.format(**kept)
        made.append(["said", question.format(**asked), said[0].upper() + said[1:]])
    for concepts in kinds.values():
        made.extend(["way", one, other] for ways in concepts for one in ways for other in ways if one != other)
    return made
