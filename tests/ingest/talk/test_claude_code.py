"""Claude Code's transcripts: what was typed and answered stays; thinking and tools' output do not."""

from __future__ import annotations

import io
import json
from typing import Any

from marrow.ingest.conversation import read_transcript
from marrow.ingest.item import Item, Skipped
from marrow.ingest.talk.claude_code import typed
from marrow.ingest.talk.turns import PART_CHARACTERS
from marrow.model.moments import iso, micros

SESSION = "0198c2aa-1111-4222-8333-444455556666"
NOW = 1_767_225_600_000_000


def line(kind: str, content: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"u{number}",
        "sessionId": SESSION,
        "timestamp": f"2025-11-02T10:{number % 60:02d}:00.000Z",
        "gitBranch": "main",
        "message": {"role": kind, "content": content},
        **more,
    }


def written(*lines: dict[str, Any]) -> io.BytesIO:
    return io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in lines))


def read(*lines: dict[str, Any], name: str = f"{SESSION}.jsonl") -> list[Item]:
    found = read_transcript(written(*lines), name=name, now=NOW)
    assert all(isinstance(one, Item) for one in found)
    return [one for one in found if isinstance(one, Item)]


def test_a_session_is_one_item_with_its_time_title_and_thread() -> None:
    (item,) = read(
        line("user", "Which store do we take?", 1),
        line("assistant", [{"type": "text", "text": "SQLite: it needs no server."}], 2),
        {"type": "ai-title", "sessionId": SESSION, "aiTitle": "Choosing a store"},
    )
    assert item.draft.content == "User: Which store do we take?\n\nClaude: SQLite: it needs no server."
    assert (item.draft.kind, item.draft.thread, item.draft.source) == ("conversation", SESSION, "claude-code")
    assert iso(micros(item.draft.at)) == "2025-11-02T10:01:00Z"  # type: ignore[arg-type]
    assert item.path == f"claude-code:{SESSION}"
    about = item.draft.metadata
    assert (about["title"], about["host"], about["session"], about["turns"], about["branch"]) == (
        "Choosing a store", "claude-code", SESSION, 2, "main",
    )  # fmt: skip


def test_thinking_and_output_are_left_out_and_calls_are_one_line() -> None:
    (item,) = read(
        line("user", "Run the tests.", 1),
        line(
            "assistant",
            [
                {"type": "thinking", "thinking": "SECRET THOUGHT", "signature": "x"},
                {"type": "text", "text": "Running them."},
                {
                    "type": "tool_use",
                    "id": "t1",
                    "name": "Bash",
                    "input": {"command": "pytest -q\n", "description": "d"},
                },
                {"type": "tool_use", "id": "t2", "name": "TodoWrite", "input": {"todos": []}},
            ],
            2,
        ),
        line("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "12 passed LONG OUTPUT"}], 3),
        line(
            "user", [{"type": "tool_result", "tool_use_id": "t9", "is_error": True, "content": "boom\nmore\nExit 2"}], 4
        ),
        line("assistant", [{"type": "text", "text": "All pass."}], 5),
    )
    content = item.draft.content
    assert "SECRET THOUGHT" not in content
    assert "LONG OUTPUT" not in content
    assert "TodoWrite" not in content
    assert "[Bash: pytest -q]" in content
    assert "[failed: boom … Exit 2]" in content
    assert content.count("Claude: ") == 1, "what one says in several lines is one turn"


def test_plans_and_answers_to_questions_are_kept_since_they_decide() -> None:
    question = {"question": "Which database?", "options": [{"label": "SQLite"}, {"label": "Postgres"}]}
    (item,) = read(
        line("user", "Build it", 1),
        line(
            "assistant",
            [{"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": {"questions": [question]}}],
            2,
        ),
        line(
            "user",
            [{"type": "tool_result", "tool_use_id": "q", "content": 'User answered: "Which database?"="SQLite"'}],
            3,
        ),
        line(
            "assistant",
            [{"type": "tool_use", "id": "p", "name": "ExitPlanMode", "input": {"plan": "1. Use SQLite"}}],
            4,
        ),
    )
    assert "Which database? (SQLite / Postgres)" in item.draft.content
    assert 'User: User answered: "Which database?"="SQLite"' in item.draft.content
    assert "Plan:\n1. Use SQLite" in item.draft.content


def test_what_the_program_puts_into_a_prompt_is_taken_out() -> None:
    assert typed("<system-reminder>x\ny</system-reminder>Do it <ide_selection>z</ide_selection>") == "Do it"
    assert (
        typed(
            "<command-message>init</command-message><command-name>/init</command-name><command-args>now</command-args>"
        )
        == "/init now"
    )
    assert typed("<local-command-stdout>noise</local-command-stdout>") == ""
    assert typed("<bash-input>ls</bash-input>") == "! ls"
    assert typed("[Request interrupted by user for tool use]") == ""
    assert typed("generic <T> stays, and a < b > c") == "generic <T> stays, and a < b > c"


def test_meta_lines_side_talk_repeats_and_summaries_of_others_are_left_out() -> None:
    first = line("user", "Asked once", 1)
    (item,) = read(
        {"type": "summary", "summary": "Of another session", "leafUuid": "elsewhere"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        line("user", "Caveat: made by the program", 0, isMeta=True),
        first,
        first,
        line("assistant", [{"type": "text", "text": "to a subagent"}], 2, isSidechain=True),
        line("user", "This session is being continued from…", 3, isCompactSummary=True),
        line("assistant", [{"type": "text", "text": "API Error: 529"}], 4, isApiErrorMessage=True),
        line("assistant", [{"type": "text", "text": "Done."}], 5),
    )
    assert item.draft.content == "User: Asked once\n\nClaude: Done."
    assert item.draft.metadata["title"] == "Asked once"


def test_a_compacted_summary_is_kept_where_nothing_stands_before_it() -> None:
    (item,) = read(line("user", "Before this we chose SQLite.", 1, isCompactSummary=True), line("user", "Go on", 2))
    assert "Before this we chose SQLite." in item.draft.content


def test_a_subagents_own_file_is_read() -> None:
    (item,) = read(line("assistant", [{"type": "text", "text": "found it"}], 1, isSidechain=True), name="agent-1.jsonl")
    assert item.draft.content == "Claude: found it"


def test_a_long_session_is_split_between_turns_into_parts_of_one_thread() -> None:
    lines = []
    for number in range(20):
        lines.append(line("user", f"question {number} " + "word " * 400, number * 2))
        lines.append(line("assistant", [{"type": "text", "text": f"answer {number} " + "more " * 400}], number * 2 + 1))
    items = read(*lines)
    assert len(items) > 1
    assert {item.draft.thread for item in items} == {SESSION}
    assert [item.path for item in items[:2]] == [f"claude-code:{SESSION}", f"claude-code:{SESSION}#2"]
    assert [item.draft.metadata.get("part") for item in items[:2]] == [None, 2]
    assert all(len(item.draft.content) <= PART_CHARACTERS + 4100 for item in items)
    assert all(item.draft.content.startswith(("User: ", "Claude: ")) for item in items)
    whole = "\n\n".join(item.draft.content for item in items)
    assert [whole.count(f"question {n} ") for n in range(20)] == [1] * 20
    times = [micros(item.draft.at) for item in items]  # type: ignore[arg-type]
    assert times == sorted(times)
    assert times[1] > times[0]


def test_a_turn_that_is_far_too_long_keeps_its_ends_and_says_what_is_missing() -> None:
    (item,) = read(line("user", "BEGIN " + "x" * 500_000 + " END", 1))
    assert "BEGIN" in item.draft.content
    assert "END" in item.draft.content
    assert "characters left out" in item.draft.content
    assert len(item.draft.content) < 20_000


def test_broken_lines_are_counted_and_do_not_stop_the_rest() -> None:
    good = json.dumps(line("user", "still here", 1)).encode()
    found = read_transcript(io.BytesIO(b"\xff\xfe{\n[1]\n" + good + b'\n{"type":'), name="x.jsonl", now=NOW)
    (item,) = found
    assert isinstance(item, Item)
    assert item.draft.content == "User: still here"
    assert item.problem == "3 lines could not be read"


def test_a_session_in_which_nothing_was_said_is_a_line_in_the_report() -> None:
    found = read_transcript(written(line("user", "meta", 1, isMeta=True)), name="s.jsonl", now=NOW)
    assert found == [Skipped("s.jsonl", "nothing was said in it")]


def test_a_picture_in_a_line_costs_nothing_in_the_item() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "QUJD" * 100_000}}
    (item,) = read(line("user", [{"type": "text", "text": "Look:"}, picture], 1))
    assert item.draft.content == "User: Look:"
