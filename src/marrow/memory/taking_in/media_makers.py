"""What computes the derivations of media files: the transcript of a recording, the text in an image, and, where a
language model is configured and may be paid for, the description of an image."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from ...derive.table import Made, Maker, Task
from ...model.derivation import Derivation, value_text
from ...model.errors import MarrowError, NotFound
from ...providers.aside import Progress
from ...providers.describing import ANSWER_TOKENS, PICTURE_TOKENS, PROMPT, SYSTEM, Looking, description_of, picture_of
from ...providers.llm import NONE, SeeingModel, language_model
from ...providers.sight import recogniser
from ...providers.speech import transcriber
from ...settings import Settings
from ..engine import Engine
from ..usage import ask

TRANSCRIPT, IMAGE_TEXT, DESCRIPTION = "transcript", "image_text", "description"
PDF = b"%PDF-"


@dataclass
class MediaMakers:
    """Makers that remember what went wrong last, for a caller who wants the error itself and not its text."""

    engine: Engine
    settings: Settings | None = None
    progress: Progress | None = None
    problems: list[MarrowError] = field(default_factory=list)

    def makers(self) -> dict[str, Maker]:
        """By the name of the derivation. One that may not be computed here has none."""
        found: dict[str, Maker] = {
            TRANSCRIPT: self._made_by(self._transcript),
            IMAGE_TEXT: self._made_by(self._image_text),
        }
        if self.describes():
            found[DESCRIPTION] = self._made_by(self._description)
        return found

    def describes(self) -> bool:
        """Whether a model is chosen and something may be spent on it."""
        allowance = self.engine.allowance
        return self.settings is not None and allowance.provider != NONE and allowance.daily_tokens > 0

    def _made_by(self, compute: Callable[[Task], Made]) -> Maker:
        def make(one: Derivation, tasks: Sequence[Task]) -> Iterator[Made]:
            for task in tasks:
                started = perf_counter()
                try:
                    made = compute(task)
                except MarrowError as problem:
                    self.problems.append(problem)
                    made = Made(error=str(problem), provider=one.provider)
                yield made._replace(ms=(perf_counter() - started) * 1000)

        return make

    def _transcript(self, task: Task) -> Made:
        chosen = self.settings.values.get("speech.model") if self.settings is not None else None
        speech = transcriber(chosen if isinstance(chosen, str) else "")
        found = speech.transcribe(task.input.path, self.progress)
        return Made(value_text(found.shape()), provider="speech", model=speech.name)

    def _image_text(self, task: Task) -> Made:
        sight = recogniser()
        read = sight.recognise_pdf if _is_pdf(task.input.path) else sight.recognise
        found = read(task.input.path, self.progress)
        return Made(value_text(found.shape()), provider="sight", model=sight.name)

    def _description(self, task: Task) -> Made:
        model = Looking(self._model(), picture_of(task.input.path))
        engine, most = self.engine, ANSWER_TOKENS + PICTURE_TOKENS
        answer = ask(engine.store, engine.clock, engine.allowance, model, DESCRIPTION, SYSTEM, PROMPT, most)
        tokens = answer.tokens_in + answer.tokens_out
        told = value_text(description_of(answer))
        return Made(told, provider="describing", model=model.name, tokens=tokens, cost_usd=answer.usd)

    def _model(self) -> SeeingModel:
        settings = self.settings
        found = None
        if settings is not None:
            found = language_model(settings.get("llm", str), settings.maybe("llm.model", str))
        if found is None:
            raise NotFound("No language model is chosen.", hint="`marrow config set llm anthropic`.", field="llm")
        return found


def _is_pdf(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return PDF in file.read(1024)
    except OSError:
        return False
