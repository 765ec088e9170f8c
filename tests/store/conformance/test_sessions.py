"""Traces, sessions and injections: kept once, found in order, apart from the chain, and gone when they are erased."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from marrow.model.change import Say
from marrow.model.errors import Forbidden, Invalid, MarrowError, TooLarge
from marrow.model.node import Occurrence
from marrow.model.record import CURRENT
from marrow.model.scope import READ, WRITE, Principal
from marrow.model.session import Injection, Session
from marrow.model.trace import BODY_LENGTH_MAX, DONE, FAILED, RAW, Trace
from marrow.store.protocol import Store, Writer
from marrow.store.receive_traces import (
    admit_trace,
    erase_sessions,
    keep_session,
    keep_traces,
    note_injections,
    settle_traces,
)

from ..door import START, Door, picture

SPACE = "local"
A, B = "a" * 64, "b" * 64
TOKEN = "ghp_" + "Zq7" * 12
SESSION = Session("s1", "claude-code", "p", "somewhere", START, START + 5, None, 2, "Ports", {"words": ["port", 1]})


def trace(number: int, session: str = "s1", **more: Any) -> Trace:
    body = json.dumps({"v": 1, "id": f"{number:016x}", "prompt": f"Prompt {number}."})
    return replace(
        Trace(f"{number:016x}", START + number, "claude-code", session, "prompt", f"t{number}", body=body), **more
    )


def keep(store: Store, *traces: Trace, project: str = "p", space: str = SPACE, **more: Any) -> int:
    given = {"redact_extra": (), "position": None} | more
    return keep_traces(store, space, project, traces, **given)


def write(store: Store, act: Any) -> Any:
    with store.writing() as writer:
        return act(writer)


def told(session: str, address: str, at: int = START, turn: str = "t1") -> Injection:
    return Injection(session, turn, at, "prompt", address, 40, "src/a.py")


def ids(traces: list[Trace]) -> list[int]:
    return [int(one.id, 16) for one in traces]


# Traces


def test_trace_comes_back_as_it_was_kept_with_its_number_and_project(door: Door) -> None:
    given = trace(1, tool="Edit", does="edit")
    assert keep(door.store, given) == 1
    (found,) = door.ask(lambda r: r.traces(SPACE))
    assert found.number > 0
    assert found == replace(given, number=found.number, project="p")


def test_trace_is_kept_once_however_often_it_comes(door: Door) -> None:
    assert keep(door.store, trace(1), trace(2), trace(1)) == 2
    numbers = [one.number for one in door.ask(lambda r: r.traces(SPACE))]
    assert keep(door.store, trace(2), trace(3), project="q") == 1
    assert keep(door.store, trace(1), trace(2), trace(3)) == 0
    found = door.ask(lambda r: r.traces(SPACE))
    assert [(one.id[-1], one.project) for one in found] == [("1", "p"), ("2", "p"), ("3", "q")]
    assert [one.number for one in found][:2] == numbers
    assert sorted(numbers) == numbers


def test_traces_are_found_by_project_session_state_and_number(door: Door) -> None:
    keep(door.store, trace(1), trace(2, "s2"), trace(3))
    keep(door.store, trace(4), trace(5, "s2"), project="")
    numbers = {int(one.id, 16): one.number for one in door.ask(lambda r: r.traces(SPACE))}
    write(door.store, lambda w: w.settle_traces(SPACE, [numbers[1], numbers[5]], DONE))
    write(door.store, lambda w: w.settle_traces(SPACE, [numbers[2]], FAILED, "no such file"))

    def found(**asked: Any) -> list[int]:
        return ids(door.ask(lambda r: r.traces(SPACE, **asked)))

    assert found() == [1, 2, 3, 4, 5]
    assert (found(project="p"), found(project=""), found(project="other")) == ([1, 2, 3], [4, 5], [])
    assert (found(session="s2"), found(session="s2", project=""), found(session="s")) == ([2, 5], [5], [])
    assert (found(state=RAW), found(state=DONE), found(state=FAILED)) == ([3, 4], [1, 5], [2])
    assert (found(state=RAW, session="s1", project="p"), found(state=DONE, session="s2")) == ([3], [5])
    assert (found(state=FAILED, session="s2"), found(state=FAILED, project="")) == ([2], [])
    assert (found(after=numbers[2]), found(state=RAW, after=numbers[3])) == ([3, 4, 5], [4])
    assert (found(limit=2), found(session="s1", after=numbers[1], limit=1)) == ([1, 2], [3])
    assert (found(limit=2, latest=True), found(session="s1", limit=2, latest=True)) == ([4, 5], [3, 4])
    assert (found(state=RAW, limit=1, latest=True), found(session="s2", limit=9, latest=True)) == ([4], [2, 5])
    assert door.ask(lambda r: r.trace_counts(SPACE)) == {RAW: 2, DONE: 2, FAILED: 1}


def test_settling_counts_attempts_and_keeps_the_last_error(door: Door) -> None:
    keep(door.store, trace(1))
    (kept,) = door.ask(lambda r: r.traces(SPACE))
    for state, error in ((RAW, "try again"), (FAILED, "given up")):
        write(door.store, lambda w, s=state, e=error: w.settle_traces(SPACE, [kept.number, 10**6], s, e))
    assert door.ask(lambda r: r.traces(SPACE)) == [replace(kept, state=FAILED, attempts=2, error="given up")]


def test_another_namespace_sees_and_changes_nothing(door: Door) -> None:
    keep(door.store, trace(1))
    write(door.store, lambda w: w.keep_session(SPACE, SESSION))
    write(door.store, lambda w: w.note_injections(SPACE, "p", [told("s1", A)]))
    before = picture(door.store, apart=True)[SPACE], door.ask(lambda r: r.traces(SPACE))
    for read in (
        lambda r: r.traces("theirs"),
        lambda r: r.sessions("theirs", None),
        lambda r: r.injections("theirs"),
        lambda r: r.injections("theirs", address=A),
    ):
        assert door.ask(read) == []
    assert door.ask(lambda r: r.session("theirs", "s1")) is None
    assert door.ask(lambda r: r.trace_counts("theirs")) == {RAW: 0, DONE: 0, FAILED: 0}
    number = before[1][0].number
    write(door.store, lambda w: w.settle_traces("theirs", [number], DONE))
    write(door.store, lambda w: w.erase_sessions("theirs", "s1", None))
    assert (picture(door.store, apart=True)[SPACE], door.ask(lambda r: r.traces(SPACE))) == before
    assert keep(door.store, trace(1), space="theirs") == 1
    assert door.ask(lambda r: r.namespaces()) == [SPACE, "theirs"]


def test_old_traces_go_in_whatever_state_and_their_numbers_are_not_given_again(door: Door) -> None:
    keep(door.store, trace(1), trace(2), trace(3))
    keep(door.store, trace(4), space="theirs")
    numbers = [one.number for one in door.ask(lambda r: r.traces(SPACE))]
    write(door.store, lambda w: w.settle_traces(SPACE, numbers[:1], DONE))
    assert write(door.store, lambda w: w.prune_traces(START + 3)) == 2
    assert write(door.store, lambda w: w.prune_traces(START + 9)) == 2
    assert write(door.store, lambda w: w.prune_traces(START + 9)) == 0
    keep(door.store, trace(5))
    (fresh,) = door.ask(lambda r: r.traces(SPACE))
    assert fresh.number > max(numbers) + 1
    write(door.store, lambda w: w.settle_traces(SPACE, numbers, FAILED))
    assert door.ask(lambda r: r.traces(SPACE)) == [fresh]


# The door


def test_traces_and_the_place_in_the_inbox_are_one(door: Door) -> None:
    assert keep(door.store, trace(1), position=("2026010112", 100)) == 1
    assert door.ask(lambda r: r.inbox_position("2026010112")) == 100
    assert keep(door.store, position=("2026010112", 250)) == 0
    assert door.ask(lambda r: (r.inbox_position("2026010112"), r.inbox_position("2026010113"))) == (250, 0)
    with pytest.raises((MarrowError, TypeError)):
        keep(door.store, trace(2), position=("2026010112",))
    assert ids(door.ask(lambda r: r.traces(SPACE))) == [1]
    assert door.ask(lambda r: r.inbox_position("2026010112")) == 250
    write(door.store, lambda w: w.drop_inbox("2026010112"))
    assert door.ask(lambda r: r.inbox_position("2026010112")) == 0


def test_no_secret_of_a_trace_is_kept(door: Door, tmp_path: Path) -> None:
    said = {
        "prompt": f"use {TOKEN}",
        "input": {"password": "hunter2-hunter2", "env": [f"GH={TOKEN}"]},
        "project": "wren",
    }
    keep(
        door.store,
        trace(1, body=json.dumps(said), session=f"s {TOKEN}", tool=TOKEN),
        trace(2, body='{"prompt":"plain \\ud800", "spaced":  1}'),
        trace(3, body=json.dumps({"prompt": f"\ud800 {TOKEN} quux"})),
        redact_extra=("wren|quux",),
        project=TOKEN,
    )
    first, plain, half = door.ask(lambda r: r.traces(SPACE))
    assert "redacted" in first.body
    assert set(first.fields) == set(said)
    assert (first.session, first.tool, first.project) == ("s [redacted:github-token]",) + (
        "[redacted:github-token]",
    ) * 2
    assert first.fields["input"]["password"] == "[redacted:password]"
    assert first.fields["project"] == "[redacted:extra]"
    assert plain.body == '{"prompt":"plain \\ud800", "spaced":  1}'
    assert half.fields["prompt"] == "? [redacted:github-token] [redacted:extra]"
    write(
        door.store, lambda w: keep_session(w, SPACE, replace(SESSION, title=TOKEN, cwd="\udcff\x00/x"), redact_extra=())
    )
    write(door.store, lambda w: note_injections(w, SPACE, "p", [told(TOKEN, A)], redact_extra=()))
    write(door.store, lambda w: settle_traces(w, SPACE, [plain.number], FAILED, f"no {TOKEN}" * 99, redact_extra=()))
    assert door.ask(lambda r: r.session(SPACE, "s1")).cwd == "?/x"
    assert door.ask(lambda r: r.injections(SPACE))[0].session == "[redacted:github-token]"
    for file in tmp_path.rglob("*"):
        assert TOKEN.encode() not in file.read_bytes()
        assert b"hunter2" not in file.read_bytes()


def test_redacting_again_changes_nothing_and_the_longest_line_fits(door: Door) -> None:
    line = json.dumps(
        {"prompt": "[redacted:github-token] and [redacted:secret]", "input": {"password": "[redacted:password]"}}
    )
    padded = line[:-1] + ', "output": "' + "é" * (BODY_LENGTH_MAX - len(line) - 14) + '"}'
    assert len(padded) == BODY_LENGTH_MAX
    keep(door.store, trace(1, body=padded))
    assert door.ask(lambda r: r.traces(SPACE))[0].body == padded


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", ""),
        ("id", "x" * 65),
        ("id", None),
        ("at", 10**30),
        ("at", True),
        ("at", "now"),
        ("host", ""),
        ("event", "\x00"),
        ("session", 7),
        ("session", "\ud800"),
        ("session", "s" * 5000),
        ("state", "lost"),
        ("body", "[1]"),
        ("body", "{"),
        ("body", "[" * 20_000),
        ("body", ""),
        ("body", '{"a":"' + "x" * BODY_LENGTH_MAX + '"}'),
    ],
)
def test_what_is_no_trace_is_refused_and_nothing_changes(door: Door, field: str, value: object) -> None:
    keep(door.store, trace(1), position=("2026010112", 1))
    before = picture(door.store, apart=True)
    bad = replace(trace(3), **{field: value})
    with pytest.raises((Invalid, TooLarge)) as caught:
        keep(door.store, trace(2), bad, position=("2026010112", 2))
    assert caught.value.field == field
    assert caught.value.hint
    with pytest.raises((Invalid, TooLarge)):
        admit_trace(bad)
    assert picture(door.store, apart=True) == before
    assert door.ask(lambda r: r.inbox_position("2026010112")) == 1


# Sessions


def test_session_comes_back_as_it_was_kept_and_is_replaced_by_its_next_form(door: Door) -> None:
    write(door.store, lambda w: w.keep_session(SPACE, SESSION))
    assert door.ask(lambda r: r.session(SPACE, "s1")) == SESSION
    later = replace(SESSION, project="q", ended_at=START + 9, turns=3, title="", detail={})
    write(door.store, lambda w: w.keep_session(SPACE, later))
    assert door.ask(lambda r: r.session(SPACE, "s1")) == later
    assert door.ask(lambda r: r.sessions(SPACE, None)) == [later]
    assert door.ask(lambda r: r.session(SPACE, "s2")) is None


def test_sessions_are_found_by_project_end_and_time_and_the_newest_is_first(door: Door) -> None:
    for number, (project, ended) in enumerate([("p", None), ("p", 1), ("q", None), ("", None), ("p", None)]):
        given = Session(f"s{number}", "codex", project, last_at=START + number % 4, ended_at=ended)
        write(door.store, lambda w, s=given: w.keep_session(SPACE, s))

    def found(projects: tuple[str, ...] | None = None, **asked: Any) -> list[str]:
        return [one.session for one in door.ask(lambda r: r.sessions(SPACE, projects, **asked))]

    assert found() == ["s3", "s2", "s1", "s4", "s0"]
    assert (found(("p",)), found(("p", "")), found(())) == (["s1", "s4", "s0"], ["s3", "s1", "s4", "s0"], [])
    assert (found(open=True), found(open=False)) == (["s3", "s2", "s4", "s0"], ["s1"])
    assert (found(("p",), open=True), found(("p",), open=True, limit=1)) == (["s4", "s0"], ["s4"])
    assert (found(since=START + 2), found(("p",), since=START + 1)) == (["s3", "s2"], ["s1"])
    assert found(limit=2) == ["s3", "s2"]


def test_old_sessions_and_injections_go_and_traces_have_their_own_time(door: Door) -> None:
    keep(door.store, trace(1))
    for number in range(3):
        write(
            door.store, lambda w, n=number: w.keep_session(SPACE, replace(SESSION, session=f"s{n}", last_at=START + n))
        )
        write(door.store, lambda w, n=number: w.note_injections(SPACE, "p", [told(f"s{n}", A, START + n)]))
    assert write(door.store, lambda w: w.prune_sessions(START + 2)) == 2
    assert [s.session for s in door.ask(lambda r: r.sessions(SPACE, None))] == ["s2"]
    assert [i.session for i in door.ask(lambda r: r.injections(SPACE))] == ["s2"]
    assert len(door.ask(lambda r: r.traces(SPACE))) == 1


# Injections


def test_injections_are_found_by_session_address_and_time_and_the_latest_is_first(door: Door) -> None:
    given = [told("s1", A, START), told("s1", B, START + 1), told("s2", A, START + 2, "t2"), told("s1", A, START + 3)]
    write(door.store, lambda w: w.note_injections(SPACE, "p", given))

    def found(**asked: Any) -> list[int]:
        return [given.index(one) for one in door.ask(lambda r: r.injections(SPACE, **asked))]

    assert found() == [3, 2, 1, 0]
    assert (found(session="s1"), found(address=A), found(session="s1", address=A)) == ([3, 1, 0], [3, 2, 0], [3, 0])
    assert (found(since=START + 2), found(session="s1", since=START + 1, limit=1)) == ([3, 2], [3])
    assert (found(address=A, since=START + 1), found(address="c" * 64), found(limit=1)) == ([3, 2], [], [3])


def test_injection_of_what_has_no_address_is_refused(door: Door) -> None:
    with pytest.raises(Invalid), door.store.writing() as writer:
        note_injections(writer, SPACE, "p", [told("s1", "abcdef")], redact_extra=())
    assert door.ask(lambda r: r.injections(SPACE)) == []


# Beside the chain


def test_reports_leave_chain_and_root_alone(door: Door) -> None:
    door.say("Known.")
    before = picture(door.store)
    keep(door.store, trace(1), project="never heard of")
    write(door.store, lambda w: w.keep_session(SPACE, SESSION))
    write(door.store, lambda w: w.note_injections(SPACE, "p", [told("s1", A)]))
    assert picture(door.store) == before
    assert [p.name for p in door.ask(lambda r: r.projects(SPACE))] == ["p"]
    sizes = door.ask(lambda r: r.sizes())
    assert [sizes[kind] for kind in ("traces", "sessions", "injections")] == [1, 1, 1]


def test_transaction_that_fails_leaves_nothing_of_it(door: Door) -> None:
    keep(door.store, trace(1))
    write(door.store, lambda w: w.keep_session(SPACE, SESSION))
    write(door.store, lambda w: w.note_injections(SPACE, "p", [told("s1", A)]))
    write(door.store, lambda w: w.place_inbox("x", 5))
    before = picture(door.store, apart=True)

    def everything(writer: Writer) -> None:
        writer.keep_traces(SPACE, "p", [trace(2)])
        writer.settle_traces(SPACE, [t.number for t in writer.traces(SPACE)], DONE)
        writer.keep_session(SPACE, replace(SESSION, turns=9))
        writer.keep_session(SPACE, replace(SESSION, session="s2"))
        writer.note_injections(SPACE, "p", [told("s2", B)])
        writer.place_inbox("x", 9)
        writer.drop_inbox("x")
        writer.prune_traces(CURRENT)
        writer.prune_sessions(CURRENT)
        writer.erase_sessions(SPACE, "", None)
        assert writer.traces(SPACE) == writer.sessions(SPACE, None) == writer.injections(SPACE) == []
        raise OSError("the end")

    with pytest.raises(OSError, match="the end"):
        write(door.store, everything)
    assert picture(door.store, apart=True) == before
    assert door.ask(lambda r: r.inbox_position("x")) == 5


def test_what_is_done_also_is_there_with_the_change(door: Door) -> None:
    keep(door.store, trace(1))
    (raw,) = door.ask(lambda r: r.traces(SPACE))
    seen: list[int] = []

    def also(writer: Writer) -> None:
        seen.append(len(writer.addresses(SPACE, "", None, 9)))
        writer.settle_traces(SPACE, [raw.number], DONE)

    step = Say("observation", "Made from it.", Occurrence(START))
    assert door.do(step, also=also).seq == 1
    assert door.ask(lambda r: r.trace_counts(SPACE)) == {RAW: 0, DONE: 1, FAILED: 0}
    assert seen == [1]
    assert door.find("made") == door.near("Made from it.", limit=1) == ["Made from it."]


def test_what_is_done_also_is_done_when_nothing_changed(door: Door) -> None:
    door.say("Known.", at=START)
    keep(door.store, trace(1))
    (raw,) = door.ask(lambda r: r.traces(SPACE))
    before = door.seq()
    door.do(Say("claim", "Known.", Occurrence(START)), also=lambda w: w.settle_traces(SPACE, [raw.number], DONE))
    door.do(also=lambda w: w.keep_session(SPACE, SESSION))
    assert door.seq() == before
    assert door.ask(lambda r: r.traces(SPACE))[0].state == DONE
    assert door.ask(lambda r: r.session(SPACE, "s1")) == SESSION


@pytest.mark.parametrize("known", [True, False])
def test_change_is_undone_when_what_is_done_also_fails(door: Door, known: bool) -> None:
    if known:
        door.say("Made from it.", at=START)
    keep(door.store, trace(1))
    before = picture(door.store, apart=True)

    def also(writer: Writer) -> None:
        writer.settle_traces(SPACE, [t.number for t in writer.traces(SPACE)], DONE)
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        door.do(Say("claim", "Made from it.", Occurrence(START)), also=also)
    assert picture(door.store, apart=True) == before
    assert door.find("made") == (["Made from it."] if known else [])


# Erasing


def reported(store: Store) -> None:
    """Two sessions in p and one in q, each with a trace and an injection."""
    for number, (session, project) in enumerate((("s1", "p"), ("s2", "p"), ("s3", "q"))):
        keep(store, trace(number, session), project=project)
        kept = replace(SESSION, session=session, project=project, last_at=START + number)
        write(store, lambda w, s=kept: w.keep_session(SPACE, s))
        write(store, lambda w, s=session, p=project: w.note_injections(SPACE, p, [told(s, A)]))


def left(door: Door) -> tuple[list[str], list[str], list[str]]:
    return (
        [t.session for t in door.ask(lambda r: r.traces(SPACE))],
        [s.session for s in reversed(door.ask(lambda r: r.sessions(SPACE, None)))],
        [i.session for i in reversed(door.ask(lambda r: r.injections(SPACE)))],
    )


@pytest.mark.parametrize(
    ("chosen", "stay"),
    [
        ({"session": "s1", "projects": None}, ["s2", "s3"]),
        ({"session": "s1", "projects": ("q",)}, ["s1", "s2", "s3"]),
        ({"projects": ("p",)}, ["s3"]),
        ({"projects": ("p", "q")}, []),
        ({"projects": ()}, ["s1", "s2", "s3"]),
    ],
)
def test_sessions_are_erased_with_all_that_was_reported(door: Door, chosen: dict[str, Any], stay: list[str]) -> None:
    reported(door.store)
    gone = erase_sessions(door.store, Principal("me"), SPACE, **chosen)
    assert gone == 3 * (3 - len(stay))
    assert left(door) == (stay, stay, stay)
    assert door.store.problems() == []


def test_erasing_sessions_takes_the_right_to_and_a_choice(door: Door) -> None:
    reported(door.store)
    for who in (Principal("me", rights=frozenset({READ, WRITE})), Principal("me", projects=frozenset({"p"}))):
        with pytest.raises(Forbidden):
            erase_sessions(door.store, who, SPACE, session="s1", projects=None)
    with pytest.raises(Invalid):
        erase_sessions(door.store, Principal("me"), SPACE, projects=None)
    assert left(door)[0] == ["s1", "s2", "s3"]


def test_erased_node_takes_the_raw_form_of_its_sessions_and_where_it_was_told(door: Door, tmp_path: Path) -> None:
    reported(door.store)
    address = door.say("Marguerite lives in Passau.", thread="s1")
    door.say("Somebody else.", thread="s2")
    write(door.store, lambda w: w.keep_session(SPACE, replace(SESSION, title="Passau", detail={"words": ["Passau"]})))
    keep(door.store, trace(7, "s1", body='{"prompt":"Marguerite lives in Passau."}'))
    write(door.store, lambda w: w.note_injections(SPACE, "p", [told("s3", address)]))
    keep(door.store, trace(8, "s1"), space="theirs")
    numbers = [t.number for t in door.ask(lambda r: r.traces(SPACE) + r.traces("theirs"))]
    door.erase(address)
    traces, sessions, injections = left(door)
    assert (traces, sorted(sessions), injections) == (["s2", "s3"], ["s1", "s2", "s3"], ["s1", "s2", "s3"])
    blank = door.ask(lambda r: r.session(SPACE, "s1"))
    assert (blank.title, blank.detail, blank.turns) == ("", {}, SESSION.turns)
    assert len(door.ask(lambda r: r.traces("theirs"))) == 1
    keep(door.store, trace(9))
    assert door.ask(lambda r: r.traces(SPACE))[-1].number > max(numbers)
    for file in tmp_path.rglob("*"):
        for part in (b"Marguerite", b"Passau", bytes.fromhex(address)):
            assert part not in file.read_bytes()
