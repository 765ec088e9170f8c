"""Witnessing: what a session's traces leave, once, whatever happens in between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.forget import forget
from marrow.memory.recall import recall
from marrow.memory.witness import Rules, witness
from marrow.model.record import CURRENT, Filter, Record
from marrow.model.trace import DONE, RAW, Trace
from marrow.store.receive_traces import keep_traces

from .conftest import PROJECT, Clock, Hand

RULES = Rules()


class Traces:
    """Keeps traces as the drain does, and works them off."""

    def __init__(self, engine: Engine, asker: Asker, clock: Clock) -> None:
        self.engine, self.asker, self.clock = engine, asker, clock
        self._number = 0

    def keep(self, event: str, session: str = "s1", **body: Any) -> None:
        self._number += 1
        name = f"{self._number:016x}"
        at = self.clock.forward(seconds=1)
        said = {"v": 1, "id": name, "at": at, "host": "claude-code", "event": event, "session": session, **body}
        words = {part: str(body.get(part, "")) for part in ("turn", "tool", "does")}
        trace = Trace(name, at, "claude-code", session, event, body=json.dumps(said), **words)
        keep_traces(self.engine.store, self.asker.namespace, PROJECT, [trace], redact_extra=(), position=None)

    def raw(self, session: str = "s1") -> list[Trace]:
        with self.engine.store.reading() as reader:
            return reader.traces(self.asker.namespace, session=session, state=RAW)

    def work(self, rules: Rules = RULES) -> None:
        witness(self.engine, self.asker, rules, self.raw())

    def nodes(self, kind: str) -> list[Record]:
        with self.engine.store.reading() as reader:
            wanted = Filter(projects=(PROJECT,), kinds=(kind,))
            return reader.records_of(reader.select(self.asker.namespace, wanted, CURRENT, self.clock.now), CURRENT)


@pytest.fixture
def traces(engine: Engine, asker: Asker, clock: Clock) -> Traces:
    return Traces(engine, asker, clock)


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    return {
        "tool": "Edit",
        "does": "edit",
        "cwd": "/r",
        "input": {"file_path": path, "old_string": old, "new_string": new},
    }


def test_what_the_user_said_is_kept_as_a_claim_of_the_session(traces: Traces) -> None:
    traces.keep("prompt", prompt="Remember that we deploy with make ship. What time is it?")
    traces.keep("stop")
    traces.work()
    (claim,) = traces.nodes("claim")
    assert "make ship" in claim.node.content
    assert claim.standing.priority == 1.0
    assert "session" in claim.standing.tags


def test_a_fact_that_is_said_again_without_its_full_stop_is_one_memory(traces: Traces) -> None:
    for said in ("Remember that staging needs the VPN", "remember: staging needs the VPN.", "Staging needs the VPN!"):
        traces.keep("prompt", prompt=said)
        traces.keep("stop")
        traces.work()
    (claim,) = traces.nodes("claim")
    assert claim.node.content == "Staging needs the VPN"
    assert claim.standing.reinforced


def test_what_is_not_to_be_remembered_is_not(traces: Traces) -> None:
    traces.keep("prompt", prompt="We decided to use Kafka for events. Don't remember this.")
    traces.keep("stop")
    traces.work()
    assert traces.nodes("claim") == traces.nodes("decision") == []
    assert all("Kafka" not in record.node.content for record in traces.nodes("summary"))


def test_what_matters_less_than_asked_for_is_not_kept(traces: Traces) -> None:
    traces.keep("prompt", prompt="Note that the tests are slow today on this laptop.")
    traces.keep("stop")
    traces.work(Rules(min_salience=0.9))
    assert traces.nodes("claim") == []


def test_an_edit_becomes_an_observation_pinned_to_its_file(traces: Traces, engine: Engine) -> None:
    traces.keep(
        "post-tool", **edit("/r/src/auth.py", "def login(u):\n    return True", "def login(u):\n    return check(u)")
    )
    traces.keep("stop")
    traces.work()
    (seen,) = traces.nodes("observation")
    assert "auth.py" in seen.node.content
    assert seen.standing.expires_at is not None
    with engine.store.reading() as reader:
        assert [a.target for a in reader.anchors([seen.entry], CURRENT)[seen.entry]] == ["src/auth.py"]


def test_the_same_traces_worked_off_again_leave_nothing_new(traces: Traces, engine: Engine, asker: Asker) -> None:
    traces.keep("prompt", prompt="Remember that the cache is cleared at midnight.")
    traces.keep("post-tool", **edit("/r/a.py", "x = 1", "x = 2"))
    traces.keep("stop", message="Done.")
    kept = traces.raw()
    witness(engine, asker, RULES, kept)
    before = [len(traces.nodes(kind)) for kind in ("claim", "observation", "summary")]
    witness(engine, asker, RULES, kept)
    assert [len(traces.nodes(kind)) for kind in ("claim", "observation", "summary")] == before


def test_traces_are_done_in_the_transaction_that_made_memories_of_them(
    traces: Traces, engine: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces.keep("prompt", prompt="Remember that the cache is cleared at midnight.")
    traces.keep("stop")

    class Torn(RuntimeError):
        pass

    def fail(*_: Any, **__: Any) -> None:
        raise Torn

    monkeypatch.setattr("marrow.memory.witness.keep_session", fail)
    with pytest.raises(Torn):
        traces.work()
    assert traces.nodes("claim") == []
    assert len(traces.raw()) == 2


def test_each_stop_renews_the_summary_and_the_end_leaves_a_handoff(traces: Traces) -> None:
    traces.keep("prompt", prompt="Fix the login in auth.py")
    traces.keep("post-tool", **edit("/r/auth.py", "return True", "return check(u)"))
    traces.keep("stop", message="Fixed the login.")
    traces.work()
    first = traces.nodes("summary")
    traces.keep("prompt", prompt="Now the logout in session.py")
    traces.keep("post-tool", **edit("/r/session.py", "pass", "clear(u)"))
    traces.keep("stop", message="Fixed the logout.")
    traces.work()
    second = traces.nodes("summary")
    assert len(first) == len(second) == 1
    assert "session.py" in second[0].node.content
    assert "auth.py" in second[0].node.content
    assert traces.nodes("handoff") == []
    traces.keep("session-end", reason="other")
    traces.work()
    assert len(traces.nodes("handoff")) == 1


def test_a_session_that_goes_on_after_its_end_has_one_handoff_in_the_end(
    traces: Traces, engine: Engine, asker: Asker
) -> None:
    for name in ("a", "b"):
        traces.keep("prompt", prompt=f"Change {name}.py")
        traces.keep("post-tool", **edit(f"/r/{name}.py", "x = 1", "x = 2"))
        traces.keep("stop", message="Done.")
        traces.keep("session-end", reason="other")
        traces.work()
    (handoff,) = traces.nodes("handoff")
    assert "b.py" in handoff.node.content
    with engine.store.reading() as reader:
        session = reader.session(asker.namespace, "s1")
    assert session is not None
    assert session.turns == 2
    assert session.ended_at is not None


def test_without_an_account_the_summary_waits_for_the_last_part(traces: Traces, engine: Engine, asker: Asker) -> None:
    traces.keep("post-tool", **edit("/r/a.py", "x = 1", "x = 2"))
    traces.keep("stop", message="Done.")
    witness(engine, asker, RULES, traces.raw(), account=False)
    assert traces.nodes("summary") == []
    traces.keep("post-tool", **edit("/r/b.py", "x = 1", "x = 2"))
    witness(engine, asker, RULES, traces.raw(), account=True)
    (summary,) = traces.nodes("summary")
    assert "a.py" in summary.node.content


def test_a_failure_and_what_mended_it_a_turn_later_are_linked(traces: Traces) -> None:
    failing = {"tool": "Bash", "does": "shell", "cwd": "/r", "input": {"command": "pytest -q tests/test_auth.py"}}
    output = "FAILED tests/test_auth.py::test_login - KeyError: 'password'\n1 failed in 0.12s"
    traces.keep("tool-failed", turn="t1", error=output, **failing)
    traces.keep("stop", message="It fails.")
    traces.work()
    (failure,) = _fields(traces)
    traces.keep("post-tool", turn="t2", **edit("/r/auth.py", "u['password']", "u.get('password')"))
    traces.keep("post-tool", turn="t2", output={"stdout": "1 passed in 0.10s"}, **failing)
    traces.keep("stop", message="Fixed.")
    traces.work()
    assert [one["fixed"] for one in _fields(traces) if one.get("fixed")] == [failure["failure"]]


def _fields(traces: Traces) -> list[Mapping[str, object]]:
    with traces.engine.store.reading() as reader:
        said = reader.occurrences([record.entry for record in traces.nodes("observation")], CURRENT)
    return [one.fields for some in said.values() for one in some]


def test_all_that_was_worked_off_is_done(traces: Traces, engine: Engine, asker: Asker) -> None:
    traces.keep("session-start", source="startup")
    traces.keep("stop")
    traces.work()
    with engine.store.reading() as reader:
        assert reader.trace_counts(asker.namespace)[DONE] == 2


def test_a_session_that_only_asked_leaves_no_account_of_itself(traces: Traces) -> None:
    traces.keep("prompt", prompt="How do we deploy?")
    traces.keep("stop", message="With make ship.")
    traces.keep("session-end", reason="other")
    traces.work()
    assert traces.nodes("summary") == traces.nodes("handoff") == []


def test_what_tells_of_a_session_is_not_recalled_and_replaces_nothing(
    traces: Traces, engine: Engine, asker: Asker
) -> None:
    traces.keep(
        "prompt", prompt="Remember that we deploy with make ship. From now on fix the login in auth.py instead."
    )
    traces.keep("post-tool", **edit("/r/auth.py", "return True", "return check(u)"))
    traces.keep("stop", message="Fixed the login.")
    traces.keep("session-end", reason="other")
    traces.work()
    assert traces.nodes("handoff")
    found = recall(engine, asker, "How do we deploy?")
    assert {kept.record.node.kind for kept in found.relevant} <= {"claim", "decision", "preference"}
    assert any("make ship" in kept.record.node.content for kept in found.relevant)


def test_what_was_forgotten_is_not_told_by_the_accounts_of_its_session(
    traces: Traces, engine: Engine, asker: Asker
) -> None:
    traces.keep("prompt", prompt="Remember that staging needs the VPN. Always run make lint before a commit.")
    traces.keep("prompt", prompt="Fix the login in auth.py")
    traces.keep("post-tool", **edit("/r/auth.py", "return True", "return check(u)"))
    traces.keep("stop", message="Fixed the login.")
    traces.keep("session-end", reason="other")
    traces.work()
    forgotten = next(one for one in traces.nodes("claim") if "VPN" in one.node.content)
    accounts = [*traces.nodes("summary"), *traces.nodes("handoff")]
    assert [one.node.content.count("VPN") for one in accounts] == [1, 1]
    forget(engine, asker, forgotten.node.address)
    accounts = [*traces.nodes("summary"), *traces.nodes("handoff")]
    assert [one.node.content.count("VPN") for one in accounts] == [0, 0]
    assert all("make lint" in one.node.content and "auth.py" in one.node.content for one in accounts)
    traces.keep("prompt", prompt="Now the logout in session.py")  # it goes on
    traces.keep("post-tool", **edit("/r/session.py", "pass", "clear(u)"))
    traces.keep("stop", message="Fixed the logout.")
    traces.keep("session-end", reason="other")
    traces.work()
    accounts = [*traces.nodes("summary"), *traces.nodes("handoff")]
    assert [one.node.content.count("VPN") for one in accounts] == [0, 0]
    assert all("session.py" in one.node.content for one in accounts)


def test_an_account_that_told_nothing_else_goes_with_what_was_forgotten(
    traces: Traces, engine: Engine, asker: Asker
) -> None:
    traces.keep("prompt", prompt="Remember that staging needs the VPN.")
    traces.keep("stop", message="Noted.")
    traces.keep("session-end", reason="other")
    traces.work()
    (forgotten,) = traces.nodes("claim")
    assert len([*traces.nodes("summary"), *traces.nodes("handoff")]) == 2
    forget(engine, asker, forgotten.node.address)
    assert [*traces.nodes("summary"), *traces.nodes("handoff")] == []


@pytest.mark.parametrize("kind", ["summary", "handoff"])
def test_an_account_that_is_forgotten_itself_does_not_come_back_and_the_other_stays(
    traces: Traces, engine: Engine, asker: Asker, kind: str
) -> None:
    _mend_the_login(traces)
    (other,) = traces.nodes("handoff" if kind == "summary" else "summary")
    (forgotten,) = traces.nodes(kind)
    forget(engine, asker, forgotten.node.address)
    assert traces.nodes(kind) == []
    assert [one.node.address for one in traces.nodes(other.node.kind)] == [other.node.address]


def test_what_was_seen_and_forgotten_is_not_told_by_the_accounts_either(
    traces: Traces, engine: Engine, asker: Asker
) -> None:
    _mend_the_login(traces)
    (seen,) = traces.nodes("observation")
    forget(engine, asker, seen.node.address)
    accounts = [*traces.nodes("summary"), *traces.nodes("handoff")]
    assert len(accounts) == 2
    assert all("check(u)" not in one.node.content and "make lint" in one.node.content for one in accounts)


def _mend_the_login(traces: Traces) -> None:
    traces.keep("prompt", prompt="Always run make lint before a commit.")
    traces.keep("prompt", prompt="Fix the login in auth.py")
    traces.keep("post-tool", **edit("/r/auth.py", "return True", "return check(u)"))
    traces.keep("stop", message="Fixed the login.")
    traces.keep("session-end", reason="other")
    traces.work()


def test_a_title_does_not_tell_what_was_forgotten_either(traces: Traces, engine: Engine, asker: Asker) -> None:
    told = "The deploy key for staging lies in the safe behind the second door on the left."
    traces.keep("prompt", prompt=f"Remember this: {told} And always run make lint before a commit.")
    traces.keep("stop", message="Noted.")
    traces.keep("session-end", reason="other")
    traces.work()
    before = [*traces.nodes("summary"), *traces.nodes("handoff")]
    assert all("deploy key" in one.node.content.partition("\n")[0] for one in before)
    forget(engine, asker, next(one for one in traces.nodes("claim") if "deploy key" in one.node.content).node.address)
    after = [*traces.nodes("summary"), *traces.nodes("handoff")]
    assert len(after) == 2
    assert all("make lint" in one.node.content and "deploy key" not in one.node.content for one in after)


def shell(command: str, output: str, code: int = 0) -> dict[str, Any]:
    told = {"error": f"Exit code {code}\n{output}"} if code else {"output": {"stdout": output, "stderr": ""}}
    return {"tool": "Bash", "does": "shell", "cwd": "/r", "input": {"command": command}, **told}


RED = "tests/test_cart.py:12: in test_total\nE   assert 3 == 4\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n"


def test_a_failure_that_was_mended_later_is_no_longer_known_as_one(traces: Traces) -> None:
    traces.keep("tool-failed", **shell("pytest -q", f"{RED}1 failed in 0.2s\n", code=1))
    traces.keep("stop")
    traces.work()
    assert [record.node.content.partition("\n")[0] for record in traces.nodes("observation")] == [
        "Test failed: test_total"
    ]
    traces.keep("post-tool", **edit("/r/src/cart.py", "def total(i):\n    return 3", "def total(i):\n    return 4"))
    traces.keep("post-tool", **shell("pytest -q", "4 passed in 0.2s\n"))
    traces.keep("stop")
    traces.work()
    titles = {record.node.content.partition("\n")[0] for record in traces.nodes("observation")}
    assert titles == {"Fixed after 2 runs: test_total", "Edited src/cart.py: total (+1 −1)"}


def test_an_edit_that_is_taken_back_later_is_no_longer_known_as_one(traces: Traces) -> None:
    traces.keep("post-tool", **edit("/r/src/cart.py", "def total(i):\n    return 3", "def total(i):\n    return 4"))
    traces.keep("stop")
    traces.work()
    traces.keep("post-tool", **shell("git checkout -- src/cart.py", ""))
    traces.keep("stop")
    traces.work()
    (tried,) = traces.nodes("observation")
    assert tried.node.content.startswith("Tried and took back: src/cart.py: total")
    assert tried.standing.domain == "issues"


def test_what_another_session_saw_as_well_stays_known(traces: Traces, engine: Engine, asker: Asker) -> None:
    for session in ("s2", "s1"):
        traces.keep("tool-failed", session, **shell("pytest -q", f"{RED}1 failed in 0.2s\n", code=1))
        witness(engine, asker, RULES, traces.raw(session))
    traces.keep("post-tool", **edit("/r/src/cart.py", "def total(i):\n    return 3", "def total(i):\n    return 4"))
    traces.keep("post-tool", **shell("pytest -q", "4 passed in 0.2s\n"))
    traces.work()
    assert "Test failed: test_total" in {r.node.content.partition("\n")[0] for r in traces.nodes("observation")}


def test_what_an_earlier_turn_left_is_handed_over_after_a_turn_about_something_else(traces: Traces) -> None:
    traces.keep("prompt", prompt="add a unit to the progress bar")
    traces.keep("post-tool", **edit("/r/src/bar.py", "a = 1", "a = 2"))
    traces.keep("stop", message="The bar takes a unit. Remaining: docs/utils.md, tests, the changelog.")
    traces.keep("prompt", prompt="rename humanize to format_size everywhere, the public name was bad")
    traces.keep("post-tool", **edit("/r/src/size.py", "def humanize(n):", "def format_size(n):"))
    traces.keep("stop", message="Renamed; the tests pass.")
    traces.keep("session-end")
    traces.work()
    (handoff,) = traces.nodes("handoff")
    assert "Next step: docs/utils.md, tests, the changelog" in handoff.node.content


def fails(traces: Traces, session: str = "s1", **more: Any) -> None:
    traces.keep("tool-failed", session, **{**shell("pytest -q", f"{RED}1 failed in 0.2s\n", code=1), **more})
    traces.keep("session-end", session)
    witness(traces.engine, traces.asker, RULES, traces.raw(session))


def passes(traces: Traces, command: str = "pytest -q", session: str = "s2", **more: Any) -> None:
    traces.keep("post-tool", session, **{**shell(command, "4 passed in 0.2s\n"), **more})
    witness(traces.engine, traces.asker, RULES, traces.raw(session))


def test_a_failure_of_an_earlier_session_is_over_when_its_tests_pass(traces: Traces) -> None:
    fails(traces)
    passes(traces)
    assert traces.nodes("observation") == []


@pytest.mark.parametrize("command", ["pytest -q tests/test_price.py", "go test ./..."])
def test_a_failure_of_an_earlier_session_is_not_over_when_other_tests_pass(traces: Traces, command: str) -> None:
    fails(traces)
    passes(traces, command)
    assert len(traces.nodes("observation")) == 1


def test_a_failure_of_an_earlier_session_is_not_over_when_its_tests_pass_elsewhere(traces: Traces) -> None:
    fails(traces)
    passes(traces, cwd="/other")
    assert len(traces.nodes("observation")) == 1


def test_a_failure_that_came_after_a_pass_is_not_over(traces: Traces) -> None:
    traces.keep("post-tool", "s2", **shell("pytest -q", "4 passed in 0.2s\n"))
    fails(traces)
    witness(traces.engine, traces.asker, RULES, traces.raw("s2"))
    assert len(traces.nodes("observation")) == 1


MANIFEST = '"dependencies": {{ "{}": "^3.5.0" }},'


def decides(traces: Traces, text: str) -> None:
    traces.keep("prompt", prompt=text, cwd="/r")
    traces.keep("session-end", cwd="/r")
    traces.work()


def replaced_in_manifest(traces: Traces, old: str, new: str, session: str = "s2") -> None:
    traces.keep("post-tool", session, **edit("/r/package.json", MANIFEST.format(old), MANIFEST.format(new)))
    witness(traces.engine, traces.asker, RULES, traces.raw(session))


def test_a_decision_for_a_package_that_was_taken_out_says_so_until_it_is_back(traces: Traces) -> None:
    decides(traces, "lets use luxon for the date stuff")
    replaced_in_manifest(traces, "luxon", "dayjs")
    (decision,) = traces.nodes("decision")
    assert (decision.standing.drift, decision.standing.reason) == ("gone", "luxon was taken out of package.json")
    replaced_in_manifest(traces, "dayjs", "luxon", "s3")
    (decision,) = traces.nodes("decision")
    assert decision.standing.drift == ""


def test_a_decision_for_a_package_that_was_uninstalled_says_so(traces: Traces) -> None:
    decides(traces, "lets use luxon for the date stuff")
    traces.keep("post-tool", "s2", **shell("npm uninstall luxon", "removed 1 package\n"))
    witness(traces.engine, traces.asker, RULES, traces.raw("s2"))
    assert traces.nodes("decision")[0].standing.drift == "gone"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("We decided not to use luxon for dates.", "luxon", "dayjs"),
        ("We decided on dayjs instead of luxon.", "luxon", "dayjs"),
        ("lets use luxon for the date stuff", "lux", "dayjs"),
        ("lets use luxon for the date stuff", "luxon", "luxon"),
    ],
)
def test_a_decision_that_a_manifest_does_not_contradict_holds(traces: Traces, text: str, old: str, new: str) -> None:
    decides(traces, text)
    replaced_in_manifest(traces, old, new)
    (decision,) = traces.nodes("decision")
    assert decision.standing.drift == ""


def test_a_setting_that_left_a_manifest_is_no_package(traces: Traces) -> None:
    traces.keep("prompt", prompt="We decided to use the MIT license because everybody knows it.")
    traces.keep("stop", message="Noted.")
    traces.work()
    (before,) = traces.nodes("decision")
    traces.keep("post-tool", **edit("/r/pyproject.toml", 'name = "shop"\nlicense = "MIT"', 'name = "shop"'))
    traces.work()
    (decision,) = traces.nodes("decision")
    assert (decision.node.address, decision.standing.drift) == (before.node.address, "")


def test_a_word_that_is_forgotten_stays_in_the_titles_of_its_session(
    traces: Traces, engine: Engine, asker: Asker, hand: Hand
) -> None:
    traces.keep("prompt", prompt="Fix the auth module in auth.py")
    traces.keep("post-tool", **edit("/r/auth.py", "return True", "return check(u)"))
    traces.keep("stop", message="Fixed it.")
    traces.work()
    forget(engine, asker, hand.say("auth", thread="s1"))
    assert "auth module" in traces.nodes("summary")[0].node.content
