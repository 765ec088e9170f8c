"""Every score can be taken apart: the parts of a hit add up to it, whatever is asked, of whatever memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marrow.memory.recall import QUESTION_KINDS, QUESTIONS_MAX, recall
from marrow.model.link import make_anchor
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.record import CURRENT, Filter
from marrow.providers.embedder import Embedder, FakeEmbedder, NoEmbedder
from marrow.search.cut import LEAST, QUALITY
from marrow.search.find import Hit
from marrow.search.weights import Weights

from .notes import NOTES, PROJECT, START, Lantern, lantern

QUESTIONS = (
    "why did we choose Postgres over MongoDB",
    "What happened in March?",
    "when did the certificate expire",
    "what did we decide since ADR-012?",
    "postg*",
    "k8s",
    "?",
)
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"domains": ("issues", "decisions")},
    {"kinds": ("incident", "question")},
    {"tags": ("db",)},
    {"since": START + 20 * MICROS_PER_DAY},
    {"until": START + 20 * MICROS_PER_DAY},
    {"min_confidence": 0.7},
    {"pinned": False},
    {"include_superseded": True},
    {"path": "src"},
    {"thread": "yard"},
)


def adds_up(hit: Hit) -> None:
    assert hit.score == pytest.approx(sum(value for _, value in hit.why), abs=1e-9)
    assert len(dict(hit.why)) == len(hit.why)


@pytest.fixture(scope="module", params=[NoEmbedder(), FakeEmbedder()], ids=["words", "meaning"])
def busy(request: pytest.FixtureRequest) -> Any:
    """Lantern with threads, links, anchors, questions, aliases and things that are over."""
    with lantern(request.param) as memory:
        for text in ("Who restarts Postgres?", "Nina does.", "Only at night.", "Since March."):
            memory.say(text, thread="yard", kind="conversation", day=30)
        one = memory.say("ADR-012: Postgres is restarted by hand.", anchors=(make_anchor("src/db.py"),), day=31)
        other = memory.say("Kubernetes evicted the Postgres pod.", aliases=("k8s",), day=32, kind="incident")
        third = memory.say("The memory limit was too low.", day=33)
        memory.link(one, "caused_by", other)
        memory.link(other, "caused_by", third)
        memory.link(third, "relates_to", one)
        memory.restate(other, priority=0.9, confidence=0.3)
        memory.restate(third, drift="changed")
        memory.supersede(memory.say("MongoDB is our cache.", day=40), "Redis is our cache.", day=50)
        yield memory


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
@pytest.mark.parametrize("question", [*QUESTIONS, *(note.content for note in NOTES[::12])])
def test_the_parts_of_a_search_add_up_under_every_filter(busy: Lantern, question: str, wanted: dict[str, Any]) -> None:
    for hit in busy.found(question, limit=60, files=["src/db.py"], **wanted):
        adds_up(hit)


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
@pytest.mark.parametrize("question", [*QUESTIONS, *(note.content for note in NOTES[::12])])
def test_the_parts_of_a_recall_add_up_under_every_filter(busy: Lantern, question: str, wanted: dict[str, Any]) -> None:
    chosen = Filter(projects=busy.asker.places(), **wanted)
    for kept in recall(busy.engine, busy.asker, question, wanted=chosen, files=["src/db.py"]).relevant:
        adds_up(kept.hit)


# --- any small memory -----------------------------------------------------------------------------------------------

WORDS = "crane yard yellow Postgres ADR-012 30 minutes March now no longer limit gw release 2.0 kiln".split()
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
ENDS = st.sampled_from(["", ".", "?", " is now gone.", " = 5", " since March."])
TEXTS = st.builds(lambda phrase, end: phrase + end, PHRASES, ENDS)
LONG = st.builds(lambda text, times: ". ".join([text] * times), TEXTS, st.integers(1, 40))
RELS = st.sampled_from(["caused_by", "enables", "relates_to", "contradicts", "derived_from"])


@dataclass
class Small:
    notes: list[dict[str, Any]]
    links: list[tuple[int, str, int]]
    changes: list[tuple[int, dict[str, Any]]] = field(default_factory=list)


NOTE = st.fixed_dictionaries(
    {
        "content": st.one_of(TEXTS, LONG),
        "kind": st.sampled_from(["claim", "conversation", "incident", "question", "decision", "task"]),
        "day": st.integers(0, 119),
        "thread": st.sampled_from(["", "", "yard", "office"]),
        "domain": st.sampled_from(["context", "decisions", "issues"]),
        "tags": st.sampled_from([(), ("db",), ("db", "ops")]),
        "aliases": st.sampled_from([(), (), ("gw",), ("kiln",)]),
        "pinned": st.sampled_from([None, None, None, True]),
        "anchors": st.sampled_from([(), (make_anchor("src/db.py"),)]),
    }
)
CHANGE = st.fixed_dictionaries(
    {},
    optional={
        "priority": st.floats(0, 1),
        "confidence": st.floats(0, 1),
        "drift": st.sampled_from(["", "moved", "changed", "gone"]),
        "reinforced": st.integers(0, 9),
        "state": st.sampled_from(["active", "retracted"]),
    },
)
MEMORIES = st.builds(
    Small,
    st.lists(NOTE, min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 7), RELS, st.integers(0, 7)), max_size=5),
    st.lists(st.tuples(st.integers(0, 7), CHANGE), max_size=4),
)
TIMES = ["", " last week", " in March", " since ADR-012", " before the 2.0 release", " recently"]
ASKED = st.builds(
    lambda start, phrase, when: f"{start}{phrase}{when}?",
    st.sampled_from(["", "when did ", "why was ", "what did we decide about "]),
    PHRASES,
    st.sampled_from(TIMES),
)
EMBEDDERS: tuple[Embedder, ...] = (NoEmbedder(), FakeEmbedder(8), FakeEmbedder(64))


def fill(memory: Lantern, small: Small) -> None:
    addresses = [memory.say(**note) for note in small.notes]
    linked: set[frozenset[str]] = set()
    for source, rel, target in small.links:
        pair = frozenset(addresses[at % len(addresses)] for at in (source, target))
        if len(pair) == 2 and pair not in linked:
            linked.add(pair)
            one, other = sorted(pair)  # in one direction, so that no circle is made
            memory.link(one, rel, other)
    # Each once: what is retracted cannot be changed any more.
    for address, change in {addresses[at % len(addresses)]: change for at, change in small.changes}.items():
        if change:
            memory.restate(address, **change)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    small=MEMORIES,
    question=ASKED,
    embedder=st.sampled_from(EMBEDDERS),
    wanted=st.sampled_from(FILTERS),
    limit=st.integers(1, 12),
    files=st.sampled_from([(), ("src/db.py",)]),
)
def test_any_small_memory_keeps_the_rules_of_finding(
    small: Small, question: str, embedder: Embedder, wanted: dict[str, Any], limit: int, files: tuple[str, ...]
) -> None:
    with lantern(embedder, is_empty=True) as memory:
        fill(memory, small)
        hits = memory.found(question, limit=limit, files=files, **wanted)
        with memory.engine.store.reading() as reader:
            allowed = reader.select(memory.asker.namespace, Filter(**wanted), CURRENT, memory.engine.clock())
    assert len(hits) <= limit
    assert len({hit.record.entry for hit in hits}) == len(hits)
    assert {hit.record.entry for hit in hits} <= set(allowed)
    for hit in hits:
        adds_up(hit)
        assert all(name in (*Weights._fields, *SIGNALS) or name.startswith("linked by ") for name, _ in hit.why)


SIGNALS = ("recency", "confidence", "priority", "reinforcement", "drift", "usefulness", "domain")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    small=MEMORIES,
    question=ASKED,
    embedder=st.sampled_from(EMBEDDERS),
    wanted=st.sampled_from([wanted for wanted in FILTERS if "pinned" not in wanted]),  # pinned is a tier of its own
    limit=st.one_of(st.none(), st.integers(1, 4)),
    files=st.sampled_from([(), ("src/db.py",)]),
)
def test_any_small_memory_keeps_the_rules_of_recall(
    small: Small, question: str, embedder: Embedder, wanted: dict[str, Any], limit: int | None, files: tuple[str, ...]
) -> None:
    with lantern(embedder, is_empty=True) as memory:
        fill(memory, small)
        chosen = Filter(projects=(PROJECT,), **wanted)
        told = recall(memory.engine, memory.asker, question, wanted=chosen, limit=limit, files=files)
        with memory.engine.store.reading() as reader:
            now = memory.engine.clock()
            allowed = set(reader.select(memory.asker.namespace, chosen, CURRENT, now))
    assert len(told.relevant) <= min(told.depth, limit or told.depth)
    assert len(told.questions) <= QUESTIONS_MAX
    given_back = [
        *(record.entry for record in (*told.pinned, *told.questions)),
        *(kept.record.entry for kept in told.relevant),
    ]
    assert len(set(given_back)) == len(given_back)
    assert set(given_back) <= allowed
    for kept in told.relevant:
        adds_up(kept.hit)
        assert kept.record.node.kind not in QUESTION_KINDS
        assert kept.passage == "" or len(kept.passage) < len(kept.record.node.content)
        for old, reason in kept.replaced:
            assert old.last_at < kept.record.last_at
            assert old.entry not in given_back
            assert reason
        # How good a record is orders what is told; whether it is told is a matter of what it speaks about.
        about = sum(value for name, value in kept.hit.why if name not in QUALITY)
        assert about >= LEAST - 1e-9 or kept.replaced
