"""A draft: something to be remembered, as a caller or a reader gives it, before the door makes a node of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import Invalid
from .link import Anchor
from .moments import MICROS_PER_DAY
from .moments import parse as parse_moment
from .node import EPISODIC_KINDS, KINDS, Occurrence, metadata_text
from .standing import DEFAULT_DOMAIN, TAGS_MAX, Standing
from .text import name as short_name

TTL_DAYS_MAX = 36_500


@dataclass(frozen=True, slots=True)
class Draft:
    """Only `content` is needed. None means: the caller did not say, so a default holds and nothing known is changed."""

    content: str
    kind: str = "claim"
    domain: str | None = None
    semantic: bool | None = None
    tags: Sequence[str] = ()
    aliases: Sequence[str] = ()
    priority: float | None = None
    confidence: float | None = None
    pinned: bool | None = None
    preliminary: bool | None = None
    classification: str | None = None
    ttl_days: float | None = None
    anchors: Sequence[Anchor] = ()
    links: Sequence[tuple[str, str]] = ()
    thread: str = ""
    at: object = None
    user: str = ""
    service: str = ""
    source: str = ""
    chain: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)


def check_kind(kind: object) -> str:
    """Kinds are an open list: Marrow's own, or any short lower-case word."""
    if isinstance(kind, str) and (kind in KINDS or (kind.isidentifier() and kind.islower() and len(kind) <= 40)):
        return kind
    raise Invalid(
        f"{str(kind)[:60]!r} is not a kind.", hint=f"One of {', '.join(KINDS)}, or a word of your own.", field="kind"
    )


def check_domain(domain: object, domains: Sequence[str]) -> str:
    if isinstance(domain, str) and domain in domains:
        return domain
    kind = str(domain).lower()
    kind = kind if kind in KINDS else kind.removesuffix("s")
    is_kind = f" It may be meant as a kind: kind={kind}." if kind in KINDS else ""
    raise Invalid(
        f"{str(domain)[:60]!r} is not a domain here.",
        hint=f"One of {', '.join(domains)}; a project adds its own with domains.extra in .marrow.toml.{is_kind}",
        field="domain",
    )


def occurrence_of(draft: Draft, now: int) -> Occurrence:
    at = now if draft.at is None or draft.at == "" else parse_moment(draft.at, now)
    texts = {}
    for part in ("thread", "user", "service", "source", "chain"):
        given = getattr(draft, part)
        texts[part] = short_name(given, field=part, length_max=500) if given else ""
    return Occurrence(at=at, metadata=metadata_text(draft.metadata), **texts)


def standing_of(draft: Draft, domains: Sequence[str], now: int) -> tuple[Standing, frozenset[str]]:
    """The standing that a draft asks for, and the names of the fields that it chose."""
    chosen: dict[str, object] = {}
    for field_name in ("priority", "confidence", "pinned", "preliminary", "classification"):
        if (given := getattr(draft, field_name)) is not None:
            chosen[field_name] = given
    if draft.domain is not None:
        chosen["domain"] = check_domain(draft.domain, domains)
    for field_name in ("tags", "aliases"):
        if given := getattr(draft, field_name):
            chosen[field_name] = check_tags(given, field_name)
    if draft.ttl_days is not None:
        chosen["expires_at"] = expiry(draft.ttl_days, now)
    semantic = draft.kind not in EPISODIC_KINDS if draft.semantic is None else draft.semantic
    base: dict[str, object] = {"domain": DEFAULT_DOMAIN, "semantic": semantic}
    return Standing(**{**base, **chosen}), frozenset(chosen)  # type: ignore[arg-type]


def check_tags(given: object, field_name: str = "tags") -> tuple[str, ...]:
    if isinstance(given, str):
        given = [part for part in given.split(",") if part.strip()]
    if not isinstance(given, Sequence) or len(given) > TAGS_MAX:
        raise Invalid(f"{field_name} is a list of at most {TAGS_MAX} short texts.", field=field_name)
    return tuple(sorted({short_name(tag, field=field_name, length_max=80) for tag in given}))


def expiry(ttl_days: object, now: int) -> int | None:
    """When something that is kept for so many days ends; 0 means never."""
    is_number = isinstance(ttl_days, int | float) and not isinstance(ttl_days, bool)
    if not is_number or not 0 <= ttl_days <= TTL_DAYS_MAX:  # type: ignore[operator]
        raise Invalid(f"ttl_days is a number from 0 (for ever) to {TTL_DAYS_MAX}.", field="ttl_days")
    return now + int(float(ttl_days) * MICROS_PER_DAY) if ttl_days else None  # type: ignore[arg-type]
