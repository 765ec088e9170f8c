"""What derivations gave: kept once for each input and name, seen from its projects only, apart from the chain, and gone
when its node or file is erased."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from marrow.model.derivation import (
    DONE,
    DUE,
    FAILED,
    VALUE_BYTES_MAX,
    Derived,
    DerivedCount,
    basis_of,
    value_digest,
    value_text,
)
from marrow.model.errors import Forbidden, Invalid, TooLarge
from marrow.model.scope import READ, Principal
from marrow.store.receive_derived import keep_derived

from ..door import START, Door, picture

SPACE = "local"
FILE = "ab" * 32
TOKEN = "ghp_" + "Zq7" * 12
WHO = Principal("tester")


def row(given: str, name: str = "summary", value: object = "Short.", **more: Any) -> Derived:
    text = "" if value is None else value_text(value)
    made = Derived(
        given,
        name,
        "1",
        value=text,
        digest=value_digest(text) if text else "",
        basis=basis_of(name, "1", (given,)),
        provider="local",
        model="m",
        tokens=7,
        cost_usd=0.25,
        ms=1.5,
        at=START,
        actor="tester",
        attempts=1,
    )
    return replace(made, **more)


def keep(door: Door, *rows: Derived, space: str = SPACE, **more: Any) -> list[Derived]:
    return keep_derived(door.store, replace(WHO, namespace=space), space, rows, **more)


def names(rows: list[Derived]) -> list[tuple[str, str]]:
    return [(one.input, one.name) for one in rows]


def test_row_comes_back_as_it_was_kept_and_a_second_takes_its_place(door: Door) -> None:
    a, b = sorted((door.say("One."), door.say("Two.")))
    rows = [row(a), row(a, "topics", ["x"]), row(b, state=FAILED, value=None, error="broke", attempts=2)]
    assert keep(door, *rows) == rows
    assert door.ask(lambda r: r.derived(SPACE, [b, a])) == rows
    assert door.ask(lambda r: r.derived(SPACE, [a], names=["topics"])) == [rows[1]]
    assert door.ask(lambda r: r.derived(SPACE, [])) == []
    changed = row(a, value={"é": [1, None]}, version="2", model="", tokens=0)
    keep(door, changed)
    assert door.ask(lambda r: r.derived(SPACE, [a])) == [changed, rows[1]]
    assert changed.result == {"é": [1, None]}
    assert door.ask(lambda r: r.sizes())["derived"] == 3


def test_rows_are_found_by_name_and_state_page_by_page(door: Door) -> None:
    a, b = sorted((door.say("One."), door.say("Two.")))
    keep(door, row(a), row(a, "topics"), row(b, state=FAILED, value=None, error="x"), row(b, "topics", state=DUE))

    def found(**asked: Any) -> list[tuple[str, str]]:
        return names(door.ask(lambda r: r.derived_rows(SPACE, **asked)))

    every = [(a, "summary"), (a, "topics"), (b, "summary"), (b, "topics")]
    assert found() == every
    assert found(state=FAILED) == [every[2]]
    assert found(state=DUE, names=["summary"]) == []
    assert found(state=DONE, names=["topics"]) == [every[1]]
    assert found(limit=2) == every[:2]
    assert found(after=every[1], limit=1) == [every[2]]
    assert found(state=FAILED, after=every[2]) == []


def test_counts_are_by_name_version_and_state(door: Door) -> None:
    a, b = door.say("One."), door.say("Two.")
    keep(door, row(a), row(b), row(a, "topics", version="2", state=DUE))
    counted = door.ask(lambda r: r.derived_counts(SPACE))
    assert counted == [DerivedCount("summary", "1", DONE, 2, 14, 0.5), DerivedCount("topics", "2", DUE, 1, 7, 0.25)]


def test_due_is_what_has_no_row_another_version_or_a_mark(door: Door) -> None:
    one, two, three, four = (door.say(text, kind="document") for text in ("1.", "2.", "3.", "4."))
    door.say("A claim.")
    keep(door, row(one), row(two, version="0"), row(three, state=DUE), row(four, state=FAILED, value=None, error="x"))

    def due(**more: Any) -> list[str]:
        asked = {"kinds": ("document",)} | more
        return [address for _, address in door.ask(lambda r: r.underived(SPACE, "summary", "1", **asked))]

    assert due() == [two, three]
    assert len(due(kinds=())) == 3
    assert due(limit=1) == [two]
    (first, _), _ = door.ask(lambda r: r.underived(SPACE, "summary", "1", ("document",)))
    assert due(after=first) == [three]
    assert due(projects=("q",)) == []
    assert due(projects=("p",)) == [two, three]
    door.forget(two)
    assert due() == [three]
    assert door.ask(lambda r: r.underived("theirs", "summary", "1")) == []


def test_marking_and_dropping_touch_only_what_is_named(door: Door) -> None:
    a, b = door.say("One."), door.say("Two.")
    keep(door, row(a), row(a, "topics"), row(b))
    with door.store.writing() as writer:
        assert writer.mark_due(SPACE, [a], ["summary", "nothing"]) == 1
        assert writer.mark_due(SPACE, [a], ["summary"]) == 0
    states = {(one.input, one.name): one.state for one in door.ask(lambda r: r.derived_rows(SPACE))}
    assert states == {(a, "summary"): DUE, (a, "topics"): DONE, (b, "summary"): DONE}
    with door.store.writing() as writer:
        assert writer.drop_derived("theirs", [a]) == 0
        assert writer.drop_derived(SPACE, [a], ["topics"]) == 1
        assert writer.drop_derived(SPACE, [a, b]) == 2
    assert door.ask(lambda r: r.derived_rows(SPACE)) == []


def test_rows_are_seen_from_the_projects_of_their_node_or_file_only(door: Door) -> None:
    a = door.say("One.")
    b = door.say("Two.", project="q")
    keep(door, row(a), row(b), row(FILE, "transcript", path="talk.wav", project="q"))

    def seen(*projects: str) -> list[tuple[str, str]]:
        rows = door.ask(lambda r: r.derived_rows(SPACE, projects))
        assert rows == door.ask(lambda r: r.derived(SPACE, [a, b, FILE], projects))
        assert sum(one.count for one in door.ask(lambda r: r.derived_counts(SPACE, projects))) == len(rows)
        return names(rows)

    assert seen("p") == [(a, "summary")]
    assert seen("q") == sorted([(b, "summary"), (FILE, "transcript")])
    assert seen() == seen("elsewhere") == []
    assert door.ask(lambda r: r.derived_rows("theirs")) == door.ask(lambda r: r.derived_counts("theirs")) == []


def test_derived_values_leave_the_chain_and_the_root_as_they_are(door: Door) -> None:
    a = door.say("One.")
    seq, root = door.seq(), door.root()
    keep(door, row(a))
    assert (door.seq(), door.root()) == (seq, root)


def test_transaction_that_fails_keeps_none_of_its_rows(door: Door) -> None:
    a = door.say("One.")
    keep(door, row(a))
    before = picture(door.store), door.ask(lambda r: r.derived_rows(SPACE))

    def break_off() -> None:
        with door.store.writing() as writer:
            writer.keep_derived(SPACE, [row(a, version="2")])
            writer.mark_due(SPACE, [a], ["summary"])
            writer.drop_derived(SPACE, [a])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert (picture(door.store), door.ask(lambda r: r.derived_rows(SPACE))) == before


def test_erasing_a_node_takes_what_was_derived_from_it_and_from_its_file(door: Door) -> None:
    other = "cd" * 32
    a = door.say("What Marguerite said.", kind="meeting", metadata={"digest": FILE})
    b = door.say("Another meeting.", kind="meeting", metadata={"digest": other})
    keep(door, row(a), row(b), row(FILE, "transcript", path="a.wav"), row(other, "transcript", path="b.wav"))
    door.erase(a)
    assert names(door.ask(lambda r: r.derived_rows(SPACE))) == sorted([(b, "summary"), (other, "transcript")])


def test_what_is_derived_from_a_node_that_was_erased_meanwhile_is_not_kept(door: Door) -> None:
    a, b = door.say("One."), door.say("Two.")
    door.erase(a)
    assert keep(door, row(a), row(b), row(FILE, "transcript", path="a.wav")) == [
        row(b),
        row(FILE, "transcript", path="a.wav"),
    ]
    assert a not in {given for given, _ in names(door.ask(lambda r: r.derived_rows(SPACE)))}


def test_secrets_are_out_of_values_errors_and_paths(door: Door) -> None:
    heard = row(FILE, "transcript", {"text": f"the token is {TOKEN}"}, path=f"/tmp/{TOKEN}.wav", error=f"no {TOKEN}")
    (kept,) = keep(door, heard)
    (read,) = door.ask(lambda r: r.derived(SPACE, [FILE]))
    assert read == kept
    assert TOKEN not in repr(read)
    assert read.digest == value_digest(read.value)
    assert json.loads(read.value)["text"].startswith("the token is ")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"input": "xyz"}, "input"),
        ({"name": ""}, "name"),
        ({"version": "v" * 100}, "version"),
        ({"state": "gone"}, "state"),
        ({"value": ""}, "value"),
        ({"value": "not json"}, "value"),
        ({"basis": "12"}, "basis"),
        ({"at": 10**30}, "at"),
        ({"path": "a\x00b"}, "path"),
    ],
)
def test_row_that_cannot_be_kept_names_its_field_and_changes_nothing(
    door: Door, changes: dict[str, Any], field: str
) -> None:
    a = door.say("One.")
    with pytest.raises(Invalid) as caught:
        keep(door, row(a, "topics"), replace(row(a), **changes))
    assert caught.value.field == field
    assert door.ask(lambda r: r.derived_rows(SPACE)) == []


def test_value_that_is_too_long_is_refused(door: Door) -> None:
    a = door.say("One.")
    with pytest.raises(TooLarge):
        value_text("x" * VALUE_BYTES_MAX)
    with pytest.raises(TooLarge):
        keep(door, replace(row(a), value='"' + "x" * VALUE_BYTES_MAX + '"'))


def test_who_may_only_read_keeps_nothing(door: Door) -> None:
    a = door.say("One.")
    with pytest.raises(Forbidden):
        keep_derived(door.store, Principal("reader", rights=frozenset({READ})), SPACE, [row(a)])
