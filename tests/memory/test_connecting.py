"""The links that make themselves: who names whom, in whichever order they come."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from marrow.ingest.item import Item
from marrow.memory import connecting
from marrow.memory.code.kept_map import map_at
from marrow.memory.connecting import connect, release
from marrow.memory.engine import Asker, Engine
from marrow.memory.said_relation import End, relation
from marrow.memory.taking_in.take_in import TakenIn, take_in
from marrow.model.change import Relate
from marrow.model.draft import Draft
from marrow.model.link import RELS, make_anchor
from marrow.model.record import CURRENT

from .conftest import Hand, asker_of

HASH = "3fa9c1d20b7e5f7c6d8e9f001122334455667788"
OTHER_HASH = "77e0aa1d2b7e5f7c6d8e9f001122334455667788"


def item(
    path: str, content: str, kind: str, *, service: str = "shop", aliases: tuple[str, ...] = (), **fields: Any
) -> Item:
    draft = Draft(
        content, kind, service=service, aliases=aliases, metadata={"path": path, **fields} if path else fields
    )
    return Item(draft, path, hashlib.sha256(content.encode()).hexdigest())


def adr(number: int, text: str, status: str = "accepted", **about: Any) -> Item:
    path = f"docs/adr/{number:04}-choice.md"
    return item(path, f"# {number}. Choice\n\n{text}", "decision", number=number, status=status, **about)


def incident(name: str, text: str, **about: Any) -> Item:
    return item(f"docs/incidents/{name.lower()}.md", f"# {name}\n\n{text}", "incident", title=f"{name} outage", **about)


def commit(digits: str, text: str, service: str = "shop") -> Item:
    anchors = (make_anchor({"type": "commit", "target": digits}),)
    return Item(Draft(text, "commit", service=service, anchors=anchors, metadata={"commit": digits}))


def code(path: str, **about: Any) -> Item:
    return item(path, f"# what {path} says of ADR-1", "code", **about)


@pytest.fixture
def took(engine: Engine, asker: Asker) -> Any:
    """Take items in, each batch connected as it comes, and what superseded others let go of them when it left."""

    def settle(engine: Engine, asker: Asker, new: Sequence[str], left: Sequence[str]) -> None:
        release(engine, asker, left)
        connect(engine, asker, new)

    def take(*items: Item, gone: Sequence[str] = ()) -> TakenIn:
        return take_in(
            engine, asker, items, service="shop" if gone else "", operation="test", gone=gone, settle=(settle,)
        )

    return take


@pytest.fixture
def standing(engine: Engine, asker: Asker) -> Any:
    """How each decision stands that a file has, by its number: those that are active, and those that are superseded."""

    def every() -> tuple[set[int], set[int]]:
        with engine.store.reading() as reader:
            read = [one for one in reader.sources(asker.namespace, None) if one.kind == "decision"]
            records = reader.records(asker.namespace, [one.address for one in read], None, CURRENT)
        states = {record.node.address: record.standing.state for record in records}
        numbers = [(int(one.path.rpartition("/")[2][:4]), states[one.address]) for one in read]
        assert {state for _, state in numbers} <= {"active", "superseded"}
        return {n for n, state in numbers if state == "active"}, {n for n, state in numbers if state == "superseded"}

    return every


@pytest.fixture
def links(engine: Engine, asker: Asker) -> Any:
    """(first line, relation, first line) of every link that holds, without what a file's versions are to each other."""

    def every() -> set[tuple[str, str, str]]:
        with engine.store.reading() as reader:
            found = [link for link in reader.all_links(asker.namespace, None) if not link.closed]
            ends = {end for link in found for end in (link.source, link.target)}
            records = reader.records(asker.namespace, sorted(ends), None, CURRENT)
        names = {record.node.address: record.node.content.partition("\n")[0] for record in records}
        return {(names[link.source], link.rel, names[link.target]) for link in found}

    return every


PAIRS = [
    (adr(2, "Supersedes ADR-1."), adr(1, "We use a file."), ("# 2. Choice", "supersedes", "# 1. Choice")),
    (adr(2, "x", supersedes=[1]), adr(1, "We use a file."), ("# 2. Choice", "supersedes", "# 1. Choice")),
    (adr(1, "Superseded by [2](0002-choice.md)"), adr(2, "A queue."), ("# 2. Choice", "supersedes", "# 1. Choice")),
    (adr(2, "It builds on ADR-1."), adr(1, "A file."), ("# 2. Choice", "depends_on", "# 1. Choice")),
    (adr(2, "Rejected, like ADR-1."), adr(1, "A file."), ("# 2. Choice", "relates_to", "# 1. Choice")),
    (
        adr(1, "See src/queue.py."),
        code("src/queue.py"),
        ("# 1. Choice", "relates_to", "# what src/queue.py says of ADR-1"),
    ),
    (adr(1, "See queue.py."), code("src/queue.py"), ("# 1. Choice", "relates_to", "# what src/queue.py says of ADR-1")),
    (adr(1, "Because of INC-42."), incident("INC-42", "Down."), ("# 1. Choice", "caused_by", "# INC-42")),
    (commit(HASH, "Fixes INC-42"), incident("INC-42", "Down."), ("Fixes INC-42", "caused_by", "# INC-42")),
    (incident("INC-42", f"Fixed in {HASH[:9]}."), commit(HASH, "Retry once"), ("Retry once", "caused_by", "# INC-42")),
    (incident("INC-42", f"Caused by {HASH[:7]}."), commit(HASH, "Retry"), ("# INC-42", "caused_by", "Retry")),
    (
        commit(OTHER_HASH, f"This reverts commit {HASH}."),
        commit(HASH, "Retry"),
        (f"This reverts commit {HASH}.", "caused_by", "Retry"),
    ),
    (commit(HASH, "Implements ADR-1"), adr(1, "A file."), ("Implements ADR-1", "caused_by", "# 1. Choice")),
    (
        item("m/1.txt", "Standup\nWe agreed ADR-1.", "meeting"),
        adr(1, "A file."),
        ("# 1. Choice", "caused_by", "Standup"),
    ),
    (
        commit(HASH, "Retry once (#12)"),
        item("#pulls/12", "Retry", "conversation", number=12),
        ("Retry once (#12)", "relates_to", "Retry"),
    ),
]


@pytest.mark.parametrize("order", ["namer first", "named first", "together"])
@pytest.mark.parametrize(("namer", "named", "link"), PAIRS, ids=[" ".join(link) for _, _, link in PAIRS])
def test_what_names_another_is_linked_with_it_in_any_order(
    namer: Item, named: Item, link: object, order: str, took: Any, links: Any
) -> None:
    for batch in {"namer first": [[namer], [named]], "named first": [[named], [namer]], "together": [[namer, named]]}[
        order
    ]:
        took(*batch)
    assert links() == {link}


@pytest.mark.parametrize("few", [0, connecting.FEW], ids=["by reading all", "by words"])
def test_one_that_came_earlier_is_found_among_many(
    few: int, took: Any, links: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "FEW", few)
    monkeypatch.setattr(connecting, "CANDIDATES", 5)
    others = [item(f"n/{n}.md", f"A note of day {n} about the queue", "document") for n in range(40)]
    took(adr(1, f"Because of INC-42, see src/queue.py. Done in {HASH[:8]}."), *others)
    took(code("src/queue.py"), incident("INC-42", "Down."), commit(HASH, "Retry"), adr(2, "Other"))
    assert {(rel, target) for _, rel, target in links()} == {
        ("relates_to", "# what src/queue.py says of ADR-1"),
        ("caused_by", "# INC-42"),
        ("relates_to", "Retry"),
    }


def test_taken_in_again_nothing_is_linked_twice(took: Any, hand: Hand) -> None:
    items = [adr(2, "Supersedes ADR-1."), adr(1, "See src/queue.py."), code("src/queue.py")]
    took(*items)
    before = hand.head()
    took(*items)
    assert hand.head() == before


def test_a_decision_that_took_the_place_of_another_leaves_it_superseded_after_that_one_changed(
    took: Any, engine: Engine, asker: Asker, hand: Hand
) -> None:
    took(adr(1, "A file."), adr(2, "Supersedes ADR-1."))
    took(adr(1, "A file, as it was."))
    with engine.store.reading() as reader:
        (source,) = reader.sources(asker.namespace, None, path="docs/adr/0001-choice.md")
    assert hand.state(source.address) == "superseded"


def test_a_changed_file_keeps_the_links_of_what_names_it(took: Any, engine: Engine, asker: Asker) -> None:
    took(adr(1, "See src/queue.py."), code("src/queue.py"))
    took(item("src/queue.py", "# written anew", "code"))
    with engine.store.reading() as reader:
        (source,) = reader.sources(asker.namespace, None, path="src/queue.py")
        links = reader.links(asker.namespace, [source.address], None, CURRENT)
    assert sorted(link.rel for link in links) == ["relates_to", "supersedes"]


def test_what_a_reader_noted_of_a_commit_counts_though_its_message_has_it_no_more(took: Any, links: Any) -> None:
    noted = commit(HASH, "Retry once")
    draft = replace(noted.draft, metadata={"commit": HASH, "references": ["INC-42"], "pull_request": 12})
    took(replace(noted, draft=draft), incident("INC-42", "Down."), item("#pulls/12", "Talk", "conversation", number=12))
    assert links() == {("Retry once", "caused_by", "# INC-42"), ("Retry once", "relates_to", "Talk")}


def test_a_symbol_is_the_file_that_defines_it_where_the_code_is_mapped(
    engine: Engine, asker: Asker, links: Any, tmp_path: Path
) -> None:
    root = tmp_path / "checkout"
    (root / "src").mkdir(parents=True)
    (root / "src" / "limits.py").write_text("class TokenBucket:\n    def take(self): ...\n")
    (root / "src" / "other.py").write_text("def unrelated(): ...\n")
    mapped = replace(engine, maps=lambda at: map_at(tmp_path / "maps", at))
    there = replace(asker, root=str(root))
    assert mapped.maps is not None
    mapped.maps(str(root)).update(engine.clock())
    taken = take_in(
        mapped, there, [adr(1, "We use `TokenBucket`."), code("src/limits.py"), code("src/other.py")], operation="test"
    )
    connect(mapped, there, taken.addresses)
    assert links() == {("# 1. Choice", "relates_to", "# what src/limits.py says of ADR-1")}


def test_what_is_only_proposed_takes_no_place_until_it_is_accepted(took: Any, links: Any) -> None:
    took(adr(1, "A file."), adr(2, "Supersedes ADR-1.", status="proposed"))
    assert links() == {("# 2. Choice", "relates_to", "# 1. Choice")}
    took(adr(2, "Supersedes ADR-1. Agreed."))
    assert ("# 2. Choice", "supersedes", "# 1. Choice") in links()


def test_the_same_number_of_another_service_is_not_meant(took: Any, engine: Engine, asker: Asker, links: Any) -> None:
    took(adr(1, "Theirs", service="mail"), adr(1, "Ours"), adr(2, "Depends on ADR-1."))
    ((_, rel, _),) = links()
    assert rel == "depends_on"
    with engine.store.reading() as reader:
        (own,) = reader.sources(asker.namespace, None, service="shop", path="docs/adr/0001-choice.md")
        (link,) = [one for one in reader.all_links(asker.namespace, None) if not one.closed]
    assert link.target == own.address


def test_a_number_that_several_other_services_have_means_none(took: Any, links: Any) -> None:
    took(adr(1, "Theirs", service="mail"), adr(1, "Others", service="ship"), adr(2, "Depends on ADR-1."))
    assert links() == set()


@pytest.mark.parametrize("words", ["Depends on ADR-1.", "Supersedes ADR-1.", "See ADR-1."])
def test_a_number_that_one_other_service_has_means_that_but_only_relates_to_it(
    words: str, took: Any, links: Any, standing: Any
) -> None:
    took(adr(1, "Theirs", service="mail"), adr(2, words))
    assert links() == {("# 2. Choice", "relates_to", "# 1. Choice")}
    assert standing() == ({1, 2}, set())


def test_a_decision_does_not_say_of_itself_that_one_of_another_service_took_its_place(
    took: Any, links: Any, standing: Any
) -> None:
    took(adr(1, "Superseded by ADR-2."), adr(2, "Theirs", service="mail"))
    assert {rel for _, rel, _ in links()} == {"relates_to"}
    assert standing() == ({1, 2}, set())


def test_a_meeting_of_no_service_decided_what_it_says_it_did(took: Any, links: Any) -> None:
    took(adr(1, "A file."), item("m/1.txt", "Standup\nWe agreed ADR-1.", "meeting", service=""))
    assert links() == {("# 1. Choice", "caused_by", "Standup")}


def test_a_chain_of_decisions_is_made_whichever_way_round_it_comes(took: Any, standing: Any) -> None:
    took(adr(3, "Supersedes ADR-2."), adr(2, "Supersedes ADR-1."), adr(1, "A file."))
    assert standing() == ({3}, {1, 2})


PATH_2 = "docs/adr/0002-choice.md"
SAYS_SO = [(adr(1, "A file."), adr(2, "Supersedes ADR-1.")), (adr(1, "Superseded by ADR-2."), adr(2, "A queue."))]


@pytest.mark.parametrize(("older", "newer"), SAYS_SO, ids=["the newer says so", "the older says so"])
def test_a_decision_holds_again_when_the_one_that_took_its_place_is_gone(
    older: Item, newer: Item, took: Any, standing: Any, links: Any
) -> None:
    took(older, newer)
    assert standing() == ({2}, {1})
    took(gone=[PATH_2])
    assert standing() == ({1}, set())
    assert links() == set()


@pytest.mark.parametrize(
    "next_one", [adr(2, "Supersedes ADR-1. No.", status="rejected"), adr(2, "A queue.")], ids=["rejected", "silent"]
)
def test_a_decision_holds_again_when_the_other_says_no_longer_that_it_took_its_place(
    next_one: Item, took: Any, standing: Any
) -> None:
    took(adr(1, "A file."), adr(2, "Supersedes ADR-1."))
    took(next_one)
    assert standing() == ({1, 2}, set())
    took(adr(2, "After all. Supersedes ADR-1."))
    assert standing() == ({2}, {1})


@pytest.mark.parametrize(("older", "newer"), SAYS_SO, ids=["the newer says so", "the older says so"])
def test_a_next_version_that_still_takes_the_place_takes_over_the_link_and_nothing_holds_meanwhile(
    older: Item, newer: Item, took: Any, standing: Any, engine: Engine, asker: Asker, hand: Hand
) -> None:
    took(older, newer)
    with engine.store.reading() as reader:
        (first,) = reader.sources(asker.namespace, None, path="docs/adr/0001-choice.md")
    before = hand.record(first.address)
    changed = replace(newer.draft, content=f"{newer.draft.content} For good.")
    took(replace(newer, draft=changed, digest="1" * 64))
    assert standing() == ({2}, {1})
    assert hand.record(first.address) == before
    with engine.store.reading() as reader:
        (second,) = reader.sources(asker.namespace, None, path=PATH_2)
        links = reader.links(asker.namespace, [first.address], None, CURRENT)
    assert [(link.source, link.rel) for link in links] == [(second.address, "supersedes")]
    took(gone=[PATH_2])
    assert standing() == ({1}, set())


def test_a_decision_that_another_one_replaces_too_stays_superseded(took: Any, standing: Any) -> None:
    took(adr(1, "A file."), adr(2, "Supersedes ADR-1."), adr(3, "Supersedes ADR-1."))
    took(gone=[PATH_2])
    assert standing() == ({3}, {1})
    took(gone=["docs/adr/0003-choice.md"])
    assert standing() == ({1}, set())


def test_two_that_leave_together_let_go_of_what_both_had_replaced(took: Any, standing: Any) -> None:
    took(adr(1, "A file."), adr(2, "Supersedes ADR-1."), adr(3, "Supersedes ADR-1 and ADR-2."))
    took(gone=[PATH_2, "docs/adr/0003-choice.md"])
    assert standing() == ({1}, set())


def test_the_last_of_a_chain_lets_go_of_the_one_before_it_alone(took: Any, standing: Any) -> None:
    took(adr(1, "A file."), adr(2, "Supersedes ADR-1."), adr(3, "Supersedes ADR-2."))
    took(gone=["docs/adr/0003-choice.md"])
    assert standing() == ({2}, {1})


def test_what_somebody_said_took_a_place_keeps_it(took: Any, standing: Any, hand: Hand) -> None:
    taken = took(adr(1, "A file."), adr(2, "A queue."))
    hand.do(Relate(taken.addresses[1], taken.addresses[0], "supersedes"))
    took(gone=[PATH_2])
    assert standing() == (set(), {1})


def test_what_somebody_forgot_does_not_come_back_with_a_release(took: Any, hand: Hand) -> None:
    first, _ = took(adr(1, "A file."), adr(2, "Supersedes ADR-1.")).addresses
    hand.restate(first, "wrong", state="retracted")
    took(gone=[PATH_2])
    assert hand.state(first) == "retracted"


def test_a_replaced_decision_whose_file_was_away_meanwhile_comes_back_with_it(took: Any, standing: Any) -> None:
    first = adr(1, "A file.")
    took(first, adr(2, "Supersedes ADR-1."))
    took(gone=["docs/adr/0001-choice.md"])
    took(gone=[PATH_2])
    took(first)
    assert standing() == ({1}, set())


def test_what_was_released_is_not_released_again_and_what_stands_is_not_let_go(
    engine: Engine, asker: Asker, took: Any, hand: Hand
) -> None:
    first, second = took(adr(1, "A file."), adr(2, "Supersedes ADR-1.")).addresses
    other = took(code("src/queue.py")).addresses
    head = hand.head()
    assert release(engine, asker, [first, second, *other, "0" * 64]) == 0
    assert hand.head() == head
    hand.restate(second, "no longer at its source", state="retracted")
    assert release(engine, asker, [second]) == 1
    head = hand.head()
    assert release(engine, asker, [second]) == 0
    assert hand.head() == head


def current(engine: Engine, asker: Asker, path: str) -> set[tuple[str, str]]:
    """(relation, path of the other end) of the links of what is read from a path now, to what is read now."""
    with engine.store.reading() as reader:
        read = {one.address: one.path for one in reader.sources(asker.namespace, None)}
        (own,) = [address for address, at in read.items() if at == path]
        links = reader.links(asker.namespace, [own], None, CURRENT)
    ends = [(link.rel, link.target if link.source == own else link.source) for link in links]
    return {(rel, read[end]) for rel, end in ends if end in read}


def test_a_changed_text_keeps_no_links_to_what_it_names_no_more(took: Any, engine: Engine, asker: Asker) -> None:
    took(code("src/a.py"), code("src/b.py"), incident("INC-42", "Down."))
    took(adr(1, "Because of INC-42. See src/a.py and src/b.py."))
    took(adr(1, "See src/b.py."))
    assert current(engine, asker, "docs/adr/0001-choice.md") == {("relates_to", "src/b.py")}
    took(adr(1, "Nothing is named."))
    assert current(engine, asker, "docs/adr/0001-choice.md") == set()


def test_a_changed_text_that_says_less_of_another_is_linked_with_it_more_loosely(
    took: Any, engine: Engine, asker: Asker
) -> None:
    took(adr(1, "A file."), adr(2, "Depends on ADR-1."))
    took(adr(2, "See ADR-1."))
    assert current(engine, asker, PATH_2) == {("relates_to", "docs/adr/0001-choice.md")}


def test_a_changed_text_keeps_the_links_of_people_and_of_what_names_it(
    took: Any, engine: Engine, asker: Asker, hand: Hand
) -> None:
    taken = took(code("src/a.py"), adr(1, "See src/a.py."), code("src/b.py"), adr(2, "Depends on ADR-1."))
    hand.do(Relate(taken.addresses[1], taken.addresses[2], "relates_to"))
    took(adr(1, "Nothing is named."))
    assert current(engine, asker, "docs/adr/0001-choice.md") == {("relates_to", "src/b.py"), ("depends_on", PATH_2)}


def test_circles_are_not_closed(took: Any, links: Any) -> None:
    took(adr(1, "Depends on ADR-2."), adr(2, "Depends on ADR-3."), adr(3, "Depends on ADR-1."))
    found = links()
    assert len(found) == 2
    assert all(rel == "depends_on" for _, rel, _ in found)


def test_code_is_only_named_and_a_list_of_files_says_nothing(took: Any, links: Any) -> None:
    files = [code(f"src/part{n}.py") for n in range(30)]
    took(adr(1, "All: " + ", ".join(f"src/part{n}.py" for n in range(30))), *files)
    assert links() == set()


def test_a_guide_is_not_linked_with_each_file_that_it_names(took: Any, links: Any) -> None:
    took(item("docs/guide.md", "Guide\nsrc/queue.py, and ADR-1.", "document"), code("src/queue.py"), adr(1, "A file."))
    assert links() == {("Guide", "relates_to", "# 1. Choice")}


def test_file_names_that_every_folder_has_mean_nothing_alone(took: Any, links: Any) -> None:
    took(adr(1, "See README.md and main.py."), item("README.md", "Read me", "document"), code("src/main.py"))
    assert links() == set()


def test_nothing_is_linked_across_projects_and_namespaces(engine: Engine, asker: Asker, took: Any, links: Any) -> None:
    other = asker_of("elsewhere")
    take_in(engine, other, [adr(1, "Theirs")], operation="test")
    took(adr(2, "Depends on ADR-1."))
    assert links() == set()


def test_what_nobody_names_and_names_nothing_writes_no_event(engine: Engine, asker: Asker, hand: Hand) -> None:
    address = hand.say("Nothing is named here.", kind="document")
    before = hand.head()
    assert connect(engine, asker, [address]) == 0
    assert connect(engine, asker, []) == 0
    assert connect(engine, asker, ["0" * 64]) == 0
    assert hand.head() == before


@pytest.mark.parametrize("how", ["", "supersedes", "superseded_by", "fixes", "decides"])
@pytest.mark.parametrize("namer", connecting.NAMERS)
def test_every_relation_is_one_that_exists(namer: str, how: str) -> None:
    for kind in (*connecting.NAMERS, "code"):
        line = relation(End("a", namer), End("b", kind), how)
        assert line is None or line.rel in RELS
