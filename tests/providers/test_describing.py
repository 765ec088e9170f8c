"""A configured model is shown an image in the service's own form, and what it answers is bounded."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, TooLarge
from marrow.providers.describing import PROMPT, SYSTEM, Looking, description_of, picture_of
from marrow.providers.llm import Completion, language_model
from tests.media import draw

from .llm_service import KEY, FakeModel


@pytest.fixture
def image(tmp_path: Path) -> Path:
    return draw(tmp_path / "screen.png", [(10, 10, "Sign in")], size=(200, 80))


def test_anthropics_messages_are_shown_the_image_before_the_question(
    image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(answer="A form to sign in.") as service:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", service.url)
        model = language_model("anthropic")
        assert model is not None
        answer = Looking(model, picture_of(str(image))).complete(SYSTEM, PROMPT, 2_000, 10)
        (request,) = service.requests
    shown, asked = request["messages"][0]["content"]
    assert shown["source"]["media_type"] == "image/png"
    assert base64.b64decode(shown["source"]["data"]) == image.read_bytes()
    assert asked == {"type": "text", "text": PROMPT}
    assert request["max_tokens"] == 400
    assert description_of(answer) == "A form to sign in."


def test_chat_completions_are_shown_the_image_as_a_data_address(image: Path) -> None:
    with FakeModel(answer="A form.", key=None) as service:
        model = language_model(f"{service.url}/v1#seeing")
        assert model is not None
        Looking(model, picture_of(str(image))).complete(SYSTEM, PROMPT, 2_000, 10)
        (request,) = service.requests
    asked, shown = request["messages"][1]["content"]
    assert asked == {"type": "text", "text": PROMPT}
    assert shown["image_url"]["url"].startswith("data:image/png;base64,")


def test_what_services_do_not_take_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        picture_of(str(Path(__file__)))
    with pytest.raises(TooLarge):
        picture_of(str(draw(tmp_path / "wide.png", [], size=(8_001, 10))))
    with pytest.raises(TooLarge):
        picture_of(str(draw(tmp_path / "screen.bmp", [], size=(20, 10))))


def test_a_description_that_was_cut_ends_with_a_sentence() -> None:
    assert description_of(Completion("One part. Two par", 1, 1, whole=False)) == "One part."
    assert description_of(Completion("no sentence", 1, 1, whole=False)) == ""
    assert len(description_of(Completion("A part. " * 1000, 1, 1))) <= 2_000
