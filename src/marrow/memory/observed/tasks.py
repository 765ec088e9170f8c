"""What a helper of the agent's brought back, and what the user chose when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .call import Call, first_text, readable
from .junk import is_service_error
from .lines import fit, meaningful, one_line
from .piece import OTHER, Piece

LEAST_SAID = 40
ASKING_TOOLS = frozenset(("askuserquestion", "ask_user", "ask_followup_question", "request_user_input"))


def task_piece(call: Call) -> Piece | None:
    """The result of work given to another agent."""
    lines = meaningful(call.text)
    if sum(len(line) for line in lines) < LEAST_SAID or is_service_error(call.text):
        return None
    who = first_text(call.input, ("subagent_type", "agent_type", "agent", "type"))
    given = first_text(call.input, ("description", "task", "name", "prompt")) or lines[0]
    title = f"{who or 'Helper'}: {given}"
    return Piece(
        call, OTHER, title, f"{fit(given, 80)}. Result: {fit(' '.join(lines), 210)}", "\n".join(lines), key=call.key
    )


def asked_piece(call: Call) -> Piece | None:
    """A question that the agent put to the user, with the answer: nearly always a decision."""
    answers = call.output.get("answers") if isinstance(call.output, Mapping) else None
    pairs: list[tuple[str, str]] = []
    if isinstance(answers, Mapping):
        pairs = [(one_line(str(asked)), one_line(readable(given))) for asked, given in answers.items()]
    else:
        questions = call.input.get("questions")
        first = (
            questions[0] if isinstance(questions, Sequence) and questions and not isinstance(questions, str) else None
        )
        asked = first_text(first, ("question", "header")) if isinstance(first, Mapping) else ""
        asked = asked or first_text(call.input, ("question", "prompt"))
        pairs = [(asked, one_line(call.text))] if asked and call.text.strip() else []
    pairs = [(asked, given) for asked, given in pairs[:4] if given]
    if not pairs:
        return None
    told = [f"Asked: {fit(asked, 120)} The user chose: {fit(given, 120)}." for asked, given in pairs]
    return Piece(call, OTHER, f"User chose: {pairs[0][1]}", " ".join(told), "\n".join(told[1:]), key=call.key)
