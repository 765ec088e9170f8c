"""Whatever the hosts send: nothing raises, everything is bounded, and the same gives the same."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marrow.memory.observed.decided import decided
from marrow.memory.observed.depths import depths
from marrow.memory.observed.digest import digest, handoff_text, summary_text
from marrow.memory.observed.observation import DETAIL_MAX, SUMMARY_MAX, TITLE_MAX, content
from marrow.memory.observed.observe import observe
from marrow.memory.observed.said import said
from marrow.memory.observed.signature import SIGNATURE_MAX, signature
from marrow.memory.observed.subject import is_new_subject, subject
from marrow.model.text import clean, token_estimate

from . import outputs

SAMPLES = [value for name, value in vars(outputs).items() if name.isupper() and isinstance(value, str)]
COMMANDS = (
    "pytest -q",
    "npm test",
    "make build",
    "git commit -m 'x'",
    "cat > a.py <<E\nx = 1\nE",
    "pip install x",
    "python a.py",
    "ls",
)
WORDS = (
    "error: ",
    "FAILED ",
    "a.py:1: ",
    "Traceback (most recent call last):\n",
    "remember ",
    "no, ",
    "we ",
    "\n",
    "\x1b[31m",
    "\r",
    "é",
    "漢字",
    "\ud800",
    "\x00",
    "TODO: ",
    "- [ ] x\n",
    "next:\n",
    "```",
    "1 failed in 1s\n",
)

texts = st.one_of(
    st.text(st.characters(), max_size=200),
    st.sampled_from(SAMPLES),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=30).map("".join),
)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=10), inner, max_size=4)),
    max_leaves=8,
)
KEYS = (
    "command file_path old_string new_string content edits todos patch input "
    "url query prompt stdout stderr result structuredPatch answers exit_code path interrupted task lines"
).split()
objects = st.dictionaries(st.sampled_from(KEYS), st.one_of(values, st.sampled_from(COMMANDS)), max_size=5)
TOOLS = ("Bash", "Edit", "Write", "TodoWrite", "TaskUpdate", "mcp__a__b", "Task", "AskUserQuestion")
traces = st.fixed_dictionaries(
    {"event": st.sampled_from(("post-tool", "tool-failed", "prompt", "stop", "pre-tool"))},
    optional={
        "id": st.one_of(st.text("0123456789abcdef", min_size=16, max_size=16), values),
        "at": st.one_of(st.integers(), values),
        "tool": st.one_of(st.sampled_from(TOOLS), values),
        "does": st.one_of(st.sampled_from("edit write read shell search web task mcp other".split()), values),
        "input": st.one_of(objects, values),
        "output": st.one_of(objects, values),
        "error": st.one_of(texts, values),
        "prompt": st.one_of(texts, values),
        "message": st.one_of(texts, values),
        "turn": st.one_of(st.sampled_from(("t1", "t2")), values),
        "cwd": st.one_of(st.sampled_from(("/srv/shop", "C:\\shop", "")), values),
    },
)
sessions = st.lists(st.one_of(traces, st.dictionaries(st.text(max_size=6), values, max_size=4)), max_size=8)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(sessions)
def test_no_input_raises_and_every_observation_is_bounded(session: list[dict[str, Any]]) -> None:
    for one in observe(session):
        assert 0 < len(one.title) <= TITLE_MAX
        assert 0 < len(one.summary) <= SUMMARY_MAX
        assert len(one.detail) <= DETAIL_MAX
        assert token_estimate(content(one)) <= 300
        assert "\n" not in one.title + one.summary
        assert one.outcome in ("ok", "failed")
        assert len(one.failure) <= SIGNATURE_MAX
        assert one.after == len(one.title) + len(one.summary) + len(one.detail)
        assert depths(content(one)) == (one.title, one.summary, one.detail)
        assert clean(content(one)) == content(one)


@quick
@given(sessions)
def test_the_same_traces_give_the_same_observations(session: list[dict[str, Any]]) -> None:
    assert observe(session) == observe(session)


@quick
@given(sessions, texts)
def test_no_input_raises_in_what_is_made_of_a_session(session: list[dict[str, Any]], last: str) -> None:
    found = [*said(session), *decided(session)]
    for one in found:
        assert 0.5 <= one.salience <= 1
        assert 8 <= len(one.text) <= 600
        assert clean(one.text)
    made = digest({"session": "s"}, observe(session), found, session, last, traces=session)
    assert len(made.title) <= 60
    summary = summary_text(made)
    assert not summary or clean(summary) == summary
    assert clean(handoff_text(made)) == handoff_text(made)
    assert len(handoff_text(made)) < 8_000


@quick
@given(texts, texts)
def test_subjects_and_signatures_take_any_text(one: str, other: str) -> None:
    assert not is_new_subject(subject(one), subject(one))
    assert isinstance(is_new_subject(subject(one), subject(other)), bool)
    assert len(signature(one, other)) <= SIGNATURE_MAX
    assert signature(one) == signature(one)
