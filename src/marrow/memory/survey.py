"""Survey: how well the memory served, in an agent's or a person's own words. Kept as feedback."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.text import name
from .engine import Asker, Engine
from .note import Noted, note

KIND, DOMAIN = "survey", "feedback"
RATING_MAX, RATINGS_MAX = 5, 20


def survey(
    engine: Engine, asker: Asker, ratings: Mapping[str, object] | None = None, notes: str = "", requests: str = ""
) -> Noted:
    """`ratings` are numbers from 0 to 5 by what they rate: recall_precision, recall_coverage, compression_loss, …"""
    given = {name(what, field="ratings", length_max=60): _rating(value) for what, value in (ratings or {}).items()}
    if len(given) > RATINGS_MAX:
        raise Invalid(f"A survey has at most {RATINGS_MAX} ratings.", hint="Rate less.", field="ratings")
    told = "Survey: " + ", ".join(f"{what} {value:g}" for what, value in given.items()) if given else "Survey"
    more = [f"{head}: {text.strip()}" for head, text in (("Notes", notes), ("Requests", requests)) if text.strip()]
    if not given and not more:
        raise Invalid("The survey is empty.", hint="Give ratings, notes or requests.", field="ratings")
    draft = Draft("\n\n".join([told, *more]), KIND, DOMAIN, metadata={"ratings": given} if given else {})
    return note(engine, asker, draft, "memory_survey")


def _rating(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and 0 <= value <= RATING_MAX:  # type: ignore[operator]
        return float(value)  # type: ignore[arg-type]
    raise Invalid(f"A rating is a number from 0 to {RATING_MAX}, not {str(value)[:40]!r}.", field="ratings")
