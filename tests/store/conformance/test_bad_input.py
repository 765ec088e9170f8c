"""Bad input through the door: an error with a code, a field and a hint, and nothing changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from marrow.model.change import Change, NameProject, Pin, Reinforce, Relate, Restate, Say, Step, Supersede, TakeSnapshot
from marrow.model.errors import Forbidden, Invalid, MarrowError
from marrow.model.link import Anchor
from marrow.model.node import Occurrence
from marrow.model.scope import READ, Principal
from marrow.model.standing import Standing
from marrow.store.receive import receive

from ..door import EMBEDDER, NOBODY, START, Door, picture

SAID = Occurrence(START)
DAY = 86_400_000_000
LONE = "half \ud83d of a sign"


def say(content: Any = "Fine.", kind: Any = "claim", said: Any = SAID, standing: Any = None, **more: Any) -> Say:
    return Say(kind, content, said, Standing() if standing is None else standing, **more)


BAD: dict[str, tuple[Step, str, str]] = {
    "empty": (say(""), "invalid", "content"),
    "blank": (say(" \n\t\r\n "), "invalid", "content"),
    "over a mebibyte": (say("x" * (1024 * 1024 + 1)), "too_large", "content"),
    "over a mebibyte in bytes": (say("é" * (512 * 1024 + 1)), "too_large", "content"),
    "binary": (say("\x01\x02\x03\x04 PNG \x05\x06\x07"), "invalid", "content"),
    "lone surrogate": (say(LONE), "invalid", "content"),
    "nul": (say("a\x00b"), "invalid", "content"),
    "bytes": (say(b"bytes"), "invalid", "content"),
    "number": (say(7), "invalid", "content"),
    "nothing": (say(None), "invalid", "content"),
    "only private": (say("<private>all of it</private>"), "invalid", "content"),
    "no kind": (say(kind=""), "invalid", "kind"),
    "kind of another type": (say(kind=3), "invalid", "kind"),
    "kind with a surrogate": (say(kind=LONE), "invalid", "kind"),
    "time to come": (say(said=Occurrence(START + 400 * DAY)), "invalid", "at"),
    "time beyond all": (say(said=Occurrence(2**70)), "invalid", "at"),
    "time before all": (say(said=Occurrence(-(2**70))), "invalid", "at"),
    "time as text": (say(said=Occurrence("yesterday")), "invalid", "at"),  # type: ignore[arg-type]
    "time as a fraction": (say(said=Occurrence(1.5)), "invalid", "at"),  # type: ignore[arg-type]
    "thread with a surrogate": (say(said=replace(SAID, thread=LONE)), "invalid", "thread"),
    "user with a nul": (say(said=replace(SAID, user="a\x00")), "invalid", "user"),
    "service of another type": (say(said=replace(SAID, service=5)), "invalid", "service"),  # type: ignore[arg-type]
    "long source": (say(said=replace(SAID, source="s" * 5000)), "too_large", "source"),
    "metadata that is no JSON": (say(said=replace(SAID, metadata="owner=ada")), "invalid", "metadata"),
    "metadata that is a list": (say(said=replace(SAID, metadata="[1]")), "invalid", "metadata"),
    "metadata that is too deep": (say(said=replace(SAID, metadata='{"a":' * 30_000)), "too_large", "metadata"),
    "tag with a surrogate": (say(standing=Standing(tags=(LONE,))), "invalid", "tags"),
    "tags as text": (say(standing=Standing(tags="db")), "invalid", "tags"),  # type: ignore[arg-type]
    "tag of another type": (say(standing=Standing(tags=(1,))), "invalid", "tags"),  # type: ignore[arg-type]
    "alias with a nul": (say(standing=Standing(aliases=("\x00",))), "invalid", "aliases"),
    "domain of another type": (say(standing=Standing(domain=None)), "invalid", "domain"),  # type: ignore[arg-type]
    "pinned as text": (say(standing=Standing(pinned="yes")), "invalid", "pinned"),  # type: ignore[arg-type]
    "expiry as text": (say(standing=Standing(expires_at="soon")), "invalid", "expires_at"),  # type: ignore[arg-type]
    "expiry beyond all": (say(standing=Standing(expires_at=2**65)), "invalid", "expires_at"),
    "input that is no address": (say(inputs=("abc",)), "invalid", "inputs"),
    "link to nobody": (say(links=(("blocks", NOBODY),)), "not_found", "links"),
    "link to no address": (say(links=(("blocks", "abc"),)), "invalid", "links"),
    "anchor of no type": (say(anchors=(Anchor("planet", "x"),)), "invalid", "anchors"),
    "anchor with a surrogate": (say(anchors=(Anchor("file", LONE),)), "invalid", "anchors"),
    "anchor that is no JSON": (say(anchors=(Anchor("file", "a", "x"),)), "invalid", "anchors"),
    "supersede nobody": (Supersede(NOBODY, "New.", SAID), "not_found", "address"),
    "supersede no address": (Supersede("abc", "New.", SAID), "invalid", "address"),
    "supersede with nothing": (Supersede(NOBODY, "", SAID), "invalid", "content"),
    "restate nobody": (Restate(NOBODY, (("pinned", True),)), "not_found", "address"),
    "restate with another type": (Restate(None, ()), "invalid", "address"),  # type: ignore[arg-type]
    "reinforce nobody": (Reinforce(NOBODY), "not_found", "address"),
    "reinforce a number": (Reinforce(5), "invalid", "address"),  # type: ignore[arg-type]
    "relate nobody": (Relate(NOBODY, NOBODY[::-1], "blocks"), "not_found", "source"),
    "relate a path": (Relate("../x", NOBODY, "blocks"), "invalid", "source"),
    "snapshot without a name": (TakeSnapshot(""), "invalid", "name"),
    "snapshot with a surrogate": (TakeSnapshot(LONE), "invalid", "name"),
    "snapshot note of another type": (TakeSnapshot("s", note=5), "invalid", "note"),  # type: ignore[arg-type]
    "project of another type": (NameProject(5), "invalid", "project"),  # type: ignore[arg-type]
    "alias with a surrogate ": (NameProject("q", (LONE,)), "invalid", "aliases"),
}


def check_error(problem: MarrowError, code: str, field: str) -> None:
    assert (problem.code, problem.field) == (code, field)
    assert problem.hint
    assert problem.message
    assert not problem.retryable
    assert problem.as_dict()["field"] == field


@pytest.mark.parametrize("name", BAD)
def test_bad_step_says_what_is_wrong_and_nothing_changes(door: Door, name: str) -> None:
    step, code, field = BAD[name]
    door.say("Known.", thread="t")
    before = picture(door.store, apart=True)
    with pytest.raises(MarrowError) as caught:
        door.do(step)
    check_error(caught.value, code, field)
    assert picture(door.store, apart=True) == before
    # Good steps before and after it in the same change do not happen either.
    with pytest.raises(MarrowError):
        door.do(say("Good one."), TakeSnapshot("good"), step, say("Good two."))
    assert picture(door.store, apart=True) == before
    assert door.find("good") == door.near("good") == []
    door.say("Still writable.")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ((("priority", 2),), "priority"),
        ((("confidence", "high"),), "confidence"),
        ((("state", "gone"),), "state"),
        ((("classification", ""),), "classification"),
        ((("drift", "far"),), "drift"),
        ((("nonsense", 1),), "standing"),
        ((("tags", ["a"]),), "tags"),
        ((("tags", (LONE,)),), "tags"),
        ((("pinned", 1),), "pinned"),
        ((("approved", "no"),), "approved"),
        ((("expires_at", 1.5),), "expires_at"),
        ((("domain", 5),), "domain"),
    ],
)
@pytest.mark.parametrize("how", ["restate", "supersede"])
def test_bad_standing_is_refused_with_its_field(door: Door, changes: Any, field: str, how: str) -> None:
    address = door.say("Known.")
    before = picture(door.store)
    step = Restate(address, changes) if how == "restate" else Supersede(address, "New.", SAID, "", changes)
    with pytest.raises(Invalid) as caught:
        door.do(step)
    assert caught.value.field == field
    assert picture(door.store) == before


@pytest.mark.parametrize("field", ["operation", "actor", "namespace", "project", "summary"])
@pytest.mark.parametrize("value", [LONE, "a\x00b", 5, None, "x" * 70_000])
def test_bad_name_of_a_change_is_refused_with_its_field(door: Door, field: str, value: Any) -> None:
    before = picture(door.store)
    change = Change(
        **{"operation": "save", "actor": "me", "namespace": "local", "project": "p", "steps": (say(),), field: value}
    )
    who = Principal("me", namespace=change.namespace)
    with pytest.raises(Invalid) as caught:
        receive(door.store, change, who, now=START, embed=EMBEDDER.documents)
    check_error(caught.value, caught.value.code, field)
    assert picture(door.store) == before


def test_two_snapshots_of_one_name_in_one_change_are_refused(door: Door) -> None:
    before = picture(door.store)
    with pytest.raises(MarrowError) as caught:
        door.do(TakeSnapshot("s"), TakeSnapshot("s"))
    check_error(caught.value, "conflict", "name")
    assert picture(door.store) == before


def test_change_without_steps_changes_nothing(door: Door) -> None:
    door.say("Known.")
    before = picture(door.store)
    assert door.do().outcomes == ()
    assert picture(door.store) == before


@pytest.mark.parametrize(
    "who",
    [
        Principal("me", rights=frozenset({READ})),
        Principal("me", namespace="theirs"),
        Principal("me", projects=frozenset({"q"})),
        Principal("me", rights=frozenset()),
    ],
)
def test_who_may_not_write_cannot(door: Door, who: Principal) -> None:
    before = picture(door.store)
    with pytest.raises(Forbidden) as caught:
        door.do(say(), principal=who)
    assert caught.value.code == "forbidden"
    assert caught.value.hint
    assert picture(door.store) == before


def test_refusal_is_the_same_whether_there_is_something_or_not(door: Door) -> None:
    """Nobody learns by an error what another namespace has."""
    known = door.say("Secret plan.")
    stranger = Door(door.store, namespace="theirs")
    messages = set()
    for address in (known, NOBODY):
        with pytest.raises(MarrowError) as caught:
            stranger.do(Reinforce(address))
        messages.add(
            (type(caught.value), caught.value.code, caught.value.field, re.sub("[0-9a-f]{12}", "…", str(caught.value)))
        )
    assert len(messages) == 1


@pytest.mark.parametrize("part", ["embed", "entropy", "occur", "append"])
def test_fault_in_the_middle_leaves_nothing(door: Door, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever breaks, and wherever: the steps before it are gone with it."""
    a, b = door.say("One.", anchors=(Anchor("file", "a.py"),)), door.say("Two.")
    door.relate(a, "blocks", b)
    before = picture(door.store, apart=True)
    steps = (
        say("Three."),
        Supersede(a, "Four.", SAID),
        Relate(b, a, "relates_to"),
        Restate(b, (("tags", ("x",)),)),
        say("Five."),
    )

    def fault(*_: Any, **__: Any) -> Any:
        raise OSError("the machine is on fire")

    embed: Callable[..., Any] = fault if part == "embed" else EMBEDDER.documents
    entropy: Callable[..., Any] = fault if part == "entropy" else door.entropy
    if part in ("occur", "append"):
        with door.store.writing() as writer:
            monkeypatch.setattr(type(writer), part, fault)
    change = Change("save", "me", "local", "p", steps)
    with pytest.raises(OSError, match="on fire"):
        receive(door.store, change, Principal("me"), now=START, embed=embed, entropy=entropy)
    monkeypatch.undo()
    assert picture(door.store, apart=True) == before
    assert door.find("three four five x") == []
    assert sorted(door.near("one two three four five")) == ["One.", "Two."]
    door.do(*steps)
    assert sorted(door.select()) == ["Five.", "Four.", "Three.", "Two."]


def test_secrets_do_not_get_in_by_any_field(door: Door) -> None:
    key = "ghp_" + "a1B2" * 9
    standing = Standing(tags=(key,), aliases=(f"the {key}",), reason=key)
    said = Occurrence(START, thread=key, user=key, service=key, source=key, chain=key, metadata=f'{{"note":"{key}"}}')
    anchors = (Anchor("pattern", key), Anchor("lines", "a.py", f'{{"hash":"{key}"}}'))
    address = door.one(say(f"Key {key}.", standing=standing, said=said, anchors=anchors), summary=key).address
    new = door.one(Supersede(address, f"New {key}.", said, key, (("tags", (key,)),))).address
    door.do(Restate(new, (("aliases", (key,)),), key))
    door.do(Pin(new, anchors))
    door.do(TakeSnapshot(f"snap {key}", (key,), key))
    assert key not in repr(picture(door.store))
    assert door.find(key) == []
