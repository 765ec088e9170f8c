"""Links are followed from the best: what is left of the score, causes further than relations, and `why` names them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from marrow.memory.engine import submit
from marrow.model.change import Relate
from marrow.model.link import CAUSAL_RELS
from marrow.providers.embedder import NoEmbedder
from marrow.search.find import CAUSAL_DECAY, LOOSE_DECAY

from .notes import Lantern, lantern, texts

ASKED = "Kafka brokers quorum"
BEST = "Kafka brokers lost their quorum."
CAUSE, ROOT, FURTHER = "The firmware had a bug.", "A vendor shipped untested images.", "Purchasing picked the cheapest."


def said(memory: Lantern, *contents: str) -> list[str]:
    return [memory.say(content, day=50) for content in (BEST, *contents)]


@pytest.mark.parametrize("rel", sorted(CAUSAL_RELS))
@pytest.mark.parametrize("is_forward", [True, False])
def test_causes_are_followed_two_steps_and_no_further(rel: str, is_forward: bool) -> None:
    with lantern(NoEmbedder()) as memory:
        nodes = said(memory, CAUSE, ROOT, FURTHER)
        for one, other in pairwise(nodes):
            memory.link(*(one, rel, other) if is_forward else (other, rel, one))
        hits = memory.by_text(ASKED)
        best = hits[BEST].score
        assert hits[CAUSE].score == pytest.approx(CAUSAL_DECAY * best)
        assert hits[ROOT].score == pytest.approx(CAUSAL_DECAY**2 * best)
        assert FURTHER not in hits
        assert dict(hits[CAUSE].why) == pytest.approx({f"linked by {rel}": hits[CAUSE].score})


@pytest.mark.parametrize("rel", ["relates_to", "contradicts", "mentions"])
def test_loose_links_are_followed_one_step(empty: Lantern, rel: str) -> None:
    nodes = said(empty, CAUSE, ROOT)
    plain = empty.by_text(ASKED)
    empty.link(nodes[0], rel, nodes[1])
    empty.link(nodes[1], rel, nodes[2])
    hits = empty.by_text(ASKED)
    assert hits[CAUSE].score == pytest.approx(LOOSE_DECAY * hits[BEST].score)
    assert hits[CAUSE].part(f"linked by {rel}") > 0
    assert (ROOT in hits) == (ROOT in plain)
    assert ROOT not in hits or hits[ROOT].score == pytest.approx(plain[ROOT].score)


def test_a_loose_link_behind_a_cause_is_not_followed(empty: Lantern) -> None:
    nodes = said(empty, CAUSE, ROOT)
    empty.link(nodes[0], "caused_by", nodes[1])
    empty.link(nodes[1], "relates_to", nodes[2])
    hits = empty.by_text(ASKED)
    assert hits[CAUSE].part("linked by caused_by") > 0
    assert not any("linked" in name for name, _ in (hits[ROOT].why if ROOT in hits else ()))


@pytest.mark.parametrize("rel", ["supersedes", "derived_from"])
def test_the_history_of_a_node_is_not_followed(rel: str) -> None:
    with lantern(NoEmbedder()) as memory:
        nodes = said(memory, CAUSE)
        memory.link(nodes[0], rel, nodes[1])
        assert CAUSE not in memory.by_text(ASKED, include_superseded=True)
        memory.link(nodes[0], "relates_to", nodes[1])
        assert CAUSE in memory.by_text(ASKED, include_superseded=True)


def test_a_link_that_ended_is_not_followed(empty: Lantern) -> None:
    nodes = said(empty, CAUSE)
    empty.link(nodes[0], "caused_by", nodes[1])
    assert empty.by_text(ASKED)[CAUSE].part("linked by caused_by") > 0
    submit(empty.engine, empty.asker, "test", [Relate(nodes[0], nodes[1], "caused_by", closed=True)])
    hits = empty.by_text(ASKED)
    assert CAUSE not in hits or not hits[CAUSE].part("linked by caused_by")


def test_what_is_better_by_itself_keeps_its_own_score(empty: Lantern) -> None:
    nodes = said(empty, "The Kafka brokers keep a quorum of three.")
    alone = empty.by_text(ASKED)
    empty.link(nodes[0], "relates_to", nodes[1])
    linked = empty.by_text(ASKED)
    assert {text: hit.score for text, hit in linked.items()} == {text: hit.score for text, hit in alone.items()}


@pytest.mark.parametrize("state", ["superseded", "retracted"])
def test_what_is_over_is_not_brought_back_by_a_link(empty: Lantern, state: str) -> None:
    nodes = said(empty, CAUSE)
    empty.link(nodes[0], "caused_by", nodes[1])
    empty.restate(nodes[1], state=state)
    assert CAUSE not in empty.by_text(ASKED)
    assert CAUSE in empty.by_text(ASKED, include_superseded=True)


def test_a_link_does_not_bring_what_the_filter_leaves_out(empty: Lantern) -> None:
    one = empty.say(BEST, tags=("ops",))
    other = empty.say(CAUSE)
    empty.link(one, "caused_by", other)
    assert texts(empty.found(ASKED, tags=("ops",))) == [BEST]
    entry = empty.by_text(ASKED)[CAUSE].record.entry
    assert CAUSE not in texts(empty.found(ASKED, without=[entry]))


def test_links_are_followed_alike_in_every_store(tmp_path: Path) -> None:
    found = []
    for at in ("memory:", str(tmp_path / "marrow.db")):
        with lantern(NoEmbedder(), at=at) as memory:
            nodes = said(memory, CAUSE, ROOT, FURTHER)
            memory.link(nodes[0], "caused_by", nodes[1])
            memory.link(nodes[2], "enables", nodes[1])
            memory.link(nodes[3], "relates_to", nodes[0])
            found.append([(hit.record.node.content, round(hit.score, 6)) for hit in memory.found(ASKED)])
    assert found[0] == found[1]
    assert {BEST, CAUSE, ROOT, FURTHER} <= {text for text, _ in found[0]}


def test_what_is_found_by_itself_is_known_as_a_cause_too(empty: Lantern) -> None:
    text = "The Kafka brokers keep a quorum of three."
    nodes = said(empty, text)
    empty.link(nodes[1], "caused_by", nodes[0])
    hits = empty.by_text(ASKED)
    assert hits[text].cause == ("caused_by", nodes[0])
    assert not any("linked" in name for name, _ in hits[text].why)


def test_a_cause_at_two_steps_knows_where_it_began(empty: Lantern) -> None:
    nodes = said(empty, CAUSE, ROOT)
    empty.link(nodes[0], "caused_by", nodes[1])
    empty.link(nodes[1], "caused_by", nodes[2])
    hits = empty.by_text(ASKED)
    assert hits[ROOT].cause == ("caused_by", nodes[0])
    assert hits[BEST].cause[1] != nodes[0]


def test_a_loose_link_is_no_cause(empty: Lantern) -> None:
    nodes = said(empty, CAUSE)
    empty.link(nodes[0], "relates_to", nodes[1])
    assert empty.by_text(ASKED)[CAUSE].cause == ("", "")


def test_a_long_text_that_a_link_brings_keeps_what_speaks_for_it_by_itself() -> None:
    with lantern(NoEmbedder(), is_empty=True) as memory:
        best = memory.say("turbine valve pressure setting noted")
        for number in range(20):
            memory.say(f"pressure setting of boiler{number} checked")
        filler = " ".join(f"filler{number}" for number in range(600))
        long = memory.say(f"The main hall: pressure is a matter of visitors. {filler}")
        memory.link(best, "caused_by", long)
        hits = memory.found("turbine valve pressure setting", limit=15)
        hit = next(hit for hit in hits if hit.record.node.address == long)
        assert hit.part("words") > 0
        assert hit.evidence is not None
        assert hit.evidence.place is not None
        assert sum(value for _, value in hit.why) == pytest.approx(hit.score)
