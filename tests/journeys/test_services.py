"""The scripted services refuse what the real ones refuse: else a journey through them would prove nothing."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from . import messages_api, responses_api
from .loopback import Calls, Fails, Says, ScriptedModel
from .messages_api import MessagesModel
from .responses_api import ResponsesModel

ANTHROPIC = {"x-api-key": messages_api.KEY, "anthropic-version": "2023-06-01"}
OPENAI = {"authorization": f"Bearer {responses_api.KEY}"}
BASH = {"name": "Bash", "description": "Run", "input_schema": {"type": "object"}}
HELLO = {"role": "user", "content": "Hello"}
ASKING: dict[str, Any] = {"model": "claude-x", "max_tokens": 10, "messages": [HELLO], "tools": [BASH]}
CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}


def post(model: ScriptedModel, path: str, headers: dict[str, str], body: object) -> tuple[int, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request(model.url + path, data, {"content-type": "application/json", **headers})
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


def test_an_answer_is_streamed_in_the_events_of_the_service(messages: MessagesModel) -> None:
    messages.expects(Calls("Bash", {"command": "ls" * 30}), Says("It is there. " * 5))
    for kind, field in (("input_json_delta", "partial_json"), ("text_delta", "text")):
        status, text = post(messages, "/v1/messages?beta=true", ANTHROPIC, {**ASKING, "stream": True})
        events = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data")]
        names = [event["type"] for event in events]
        assert (status, names[0], names[-2:]) == (200, "message_start", ["message_delta", "message_stop"])
        deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
        assert {delta["type"] for delta in deltas} == {kind}
        whole = "".join(delta[field] for delta in deltas)
        assert whole in (json.dumps({"command": "ls" * 30}), "It is there. " * 5)
    assert [asked.body["model"] for asked in messages.asked] == ["claude-x", "claude-x"]


def test_tokens_are_counted_and_side_questions_take_no_turn(messages: MessagesModel) -> None:
    messages.expects(Says("For the conversation."))
    status, text = post(messages, "/v1/messages/count_tokens", ANTHROPIC, {"model": "claude-x", "messages": [HELLO]})
    assert (status, json.loads(text)["input_tokens"] > 0) == (200, True)
    aside = {name: value for name, value in ASKING.items() if name != "tools"}
    assert post(messages, "/v1/messages", ANTHROPIC, aside)[0] == 200
    assert post(messages, "/v1/messages", ANTHROPIC, ASKING)[1].count("For the conversation.") == 1


@pytest.mark.parametrize(
    ("headers", "body", "status", "kind"),
    [
        ({}, ASKING, 401, "authentication_error"),
        ({**ANTHROPIC, "x-api-key": "sk-wrong"}, ASKING, 401, "authentication_error"),
        ({"x-api-key": messages_api.KEY}, ASKING, 400, "invalid_request_error"),
        (ANTHROPIC, b"{", 400, "invalid_request_error"),
        (ANTHROPIC, {"model": "claude-x", "messages": [HELLO]}, 400, "invalid_request_error"),
        (ANTHROPIC, {**ASKING, "max_tokens": 0}, 400, "invalid_request_error"),
        (ANTHROPIC, {**ASKING, "messages": []}, 400, "invalid_request_error"),
        (ANTHROPIC, {**ASKING, "messages": [{"role": "tool", "content": ""}]}, 400, "invalid_request_error"),
        (ANTHROPIC, {**ASKING, "messages": [{**HELLO, "role": "assistant"}]}, 400, "invalid_request_error"),
        (ANTHROPIC, {**ASKING, "tools": [BASH, BASH]}, 400, "invalid_request_error"),
        (
            ANTHROPIC,
            {**ASKING, "messages": [HELLO, {"role": "assistant", "content": [CALL]}, HELLO]},
            400,
            "invalid_request_error",
        ),
        (ANTHROPIC, {**ASKING, "messages": [{"role": "user", "content": [RESULT]}]}, 400, "invalid_request_error"),
    ],
)
def test_what_anthropic_would_refuse_is_refused(
    messages: MessagesModel, headers: dict[str, str], body: object, status: int, kind: str
) -> None:
    messages.expects(Says("Never said."))
    found, text = post(messages, "/v1/messages", headers, body)
    said = json.loads(text)
    assert (found, said["type"], said["error"]["type"]) == (status, "error", kind)
    assert len(messages.refused) == 1
    assert messages.asked == []


def test_a_model_calls_only_what_is_offered_and_says_no_more_than_was_written(messages: MessagesModel) -> None:
    messages.expects(Fails(529), Calls("Edit"))
    found = [post(messages, "/v1/messages", ANTHROPIC, ASKING) for _ in range(3)]
    assert [status for status, _ in found] == [529, 400, 400]
    assert "Edit is not offered; there are Bash" in found[1][1]
    assert "no further turn" in found[2][1]


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({}, {"model": "gpt-x", "input": []}, 401),
        (OPENAI, {"model": "gpt-x"}, 400),
        (OPENAI, {"model": "gpt-x", "input": [{"type": "function_call", "call_id": "c1"}]}, 400),
        (OPENAI, {"model": "gpt-x", "input": [{"type": "function_call_output", "call_id": "c1"}]}, 400),
        (OPENAI, {"model": "gpt-x", "input": []}, 400),
    ],
    ids=["no key", "no input", "no output for a call", "no call for an output", "no turn left"],
)
def test_what_openai_would_refuse_is_refused(
    responses: ResponsesModel, headers: dict[str, str], body: object, status: int
) -> None:
    found, text = post(responses, "/v1/responses", headers, body)
    assert (found, json.loads(text)["error"]["type"]) == (status, "invalid_request_error")
