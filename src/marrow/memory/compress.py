"""Compress: put one summary in the place of many nodes. What was exact in them stays, word for word.

The inputs leave the active set and stay addressable; the summary names them as its inputs, so that its provenance
leads back to every one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..model.change import Restate, Say
from ..model.errors import Conflict, Invalid, TooLarge
from ..model.link import Anchor
from ..model.moments import iso
from ..model.node import Occurrence, metadata_text
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ, WRITE
from ..model.standing import ACTIVE, CLASSIFICATIONS, COMPRESSED, DEFAULT_DOMAIN, TAGS_MAX, Standing
from ..model.text import CONTENT_BYTES_MAX, clean
from ..store.protocol import Reader
from .digest import HEADING, corpus_of, coverage, extract, missing, preserved
from .engine import Asker, Engine, resolve, submit

INPUTS_MIN = 2
INPUTS_MAX = 500
COVERAGE_MIN = 0.6
MISSING_SHOWN = 8
KIND = "summary"


class Compressed(NamedTuple):
    """What became of a compression. `address` is empty when it was only tried."""

    address: str
    coverage: float
    preserved: tuple[str, ...]
    inputs: tuple[str, ...]
    summary: str
    warning: str = ""


def compress(
    engine: Engine,
    asker: Asker,
    *,
    summary: str | None = None,
    addresses: Sequence[str] = (),
    domain: str = "",
    thread: str = "",
    dry_run: bool = False,
) -> Compressed:
    """Sum up the nodes at `addresses`, or the unpinned ones of a domain or thread, and let them leave the active set.

    With addresses, `domain` and `thread` say where the summary belongs. Pinned nodes are taken only by address.
    """
    for right in (READ, WRITE):
        asker.principal.check(right, asker.namespace, asker.scope.project)
    if domain and domain not in engine.domains:
        raise Invalid(f"{domain!r} is no domain.", hint=f"One of {', '.join(engine.domains)}.", field="domain")
    now = engine.clock()
    with engine.store.reading() as reader:
        records = _chosen(reader, asker, addresses, domain, thread, now)
        anchors = reader.anchors([record.entry for record in records], CURRENT)
    corpus = corpus_of([record.node.content for record in records])
    text = extract(corpus) if summary is None else clean(summary, field="summary")
    exact = preserved(corpus.texts, text)
    content = "\n".join([text, "", HEADING, *(f"- {clause}" for clause in exact)]) if exact else text
    _check_size(content)
    share = coverage(corpus, content)
    warning = ""
    if share < COVERAGE_MIN:
        lost = ", ".join(missing(corpus, content, MISSING_SHOWN))
        warning = f"The summary covers {share:.0%} of what its inputs say. It does not mention: {lost}."
    inputs = tuple(record.node.address for record in records)
    address = ""
    if not dry_run:
        said = Say(
            KIND,
            content,
            _occurrence(asker, records, thread, now),
            standing=_standing(records, domain),
            inputs=inputs,
            anchors=_anchors(anchors),
        )
        gone = [Restate(given, (("state", COMPRESSED),), reason=COMPRESSED, expects=ACTIVE) for given in inputs]
        receipt = submit(engine, asker, "memory_compress", [said, *gone], summary=f"{len(inputs)} nodes into a summary")
        address = receipt.outcomes[0].address
    return Compressed(address, share, exact, inputs, text, warning)


def _chosen(reader: Reader, asker: Asker, addresses: Sequence[str], domain: str, thread: str, now: int) -> list[Record]:
    """The inputs, each once, in the order in which they were said."""
    given = [addresses] if isinstance(addresses, str) else list(addresses)
    if not given and not domain and not thread:
        raise Invalid(
            "It is not said what to compress.", hint="Give addresses, a domain or a thread.", field="addresses"
        )
    if given:
        _check_count(len(given), "addresses", at_least=False)
        found = [resolve(reader, asker, one, argument="addresses") for one in given]
        records = list({record.entry: record for record in found}.values())
        for record in records:
            _check_input(record, asker, now)
    else:
        wanted = Filter(
            projects=(asker.scope.project,), domains=(domain,) if domain else (), thread=thread, pinned=False
        )
        entries = reader.select(asker.namespace, wanted, CURRENT, now, limit=INPUTS_MAX + 1)
        _check_count(len(entries), "domain" if domain else "thread", at_least=False)
        records = reader.records_of(entries, CURRENT)
    _check_count(len(records), "addresses" if given else "domain" if domain else "thread")
    return sorted(records, key=lambda record: (record.first_at, record.node.address))


def _check_count(count: int, argument: str, *, at_least: bool = True) -> None:
    if count > INPUTS_MAX:
        raise TooLarge(
            f"More than {INPUTS_MAX} nodes cannot be compressed at once.",
            hint="Give fewer addresses, or compress a thread at a time.",
            field=argument,
        )
    if at_least and count < INPUTS_MIN:
        raise Invalid(
            f"A summary needs at least {INPUTS_MIN} nodes; there {'is' if count == 1 else 'are'} {count or 'none'}.",
            hint="Only active nodes of this project count; pinned ones have to be given by address.",
            field=argument,
        )


def _check_input(record: Record, asker: Asker, now: int) -> None:
    shown = record.node.address[:12]
    if record.project != asker.scope.project:
        # From here it would leave the active set of every other project too.
        raise Invalid(
            f"{shown} belongs to the global scope.", hint="Compress it from the global scope.", field="addresses"
        )
    if not record.standing.is_active(now):
        state = "expired" if record.standing.state == ACTIVE else record.standing.state
        raise Conflict(
            f"{shown} is no longer what holds ({state}).",
            hint="Leave it out; only active nodes count.",
            field="addresses",
        )


def _check_size(content: str) -> None:
    size = len(content.encode())
    if size > CONTENT_BYTES_MAX:
        raise TooLarge(
            f"The summary and the exact values that it keeps have {size:,} bytes; {CONTENT_BYTES_MAX:,} are the limit.",
            hint="Compress fewer nodes at a time.",
            field="addresses",
        )


def _standing(records: Sequence[Record], domain: str) -> Standing:
    """As its inputs stand together: never less important, less secret or longer-lived than they were."""
    standings = [record.standing for record in records]
    domains = Counter(standing.domain for standing in standings)
    tags = Counter(tag for standing in standings for tag in standing.tags)
    most = sorted(tags, key=lambda tag: (-tags[tag], tag))[:TAGS_MAX]
    ends = [standing.expires_at for standing in standings if standing.expires_at is not None]
    return Standing(
        domain=domain or min(domains, key=lambda name: (-domains[name], name)) or DEFAULT_DOMAIN,
        semantic=True,
        priority=max(standing.priority for standing in standings),
        confidence=round(sum(standing.confidence for standing in standings) / len(standings), 3),
        pinned=any(standing.pinned for standing in standings),
        preliminary=all(standing.preliminary for standing in standings),
        classification=max((standing.classification for standing in standings), key=CLASSIFICATIONS.index),
        tags=tuple(sorted(most)),
        aliases=tuple(sorted({alias for standing in standings for alias in standing.aliases})),
        expires_at=max(ends) if len(ends) == len(standings) else None,
    )


def _anchors(found: Mapping[int, Sequence[Anchor]]) -> tuple[Anchor, ...]:
    every = {anchor for anchors in found.values() for anchor in anchors}
    return tuple(sorted(every, key=lambda anchor: (anchor.type, anchor.target, anchor.detail)))


def _occurrence(asker: Asker, records: Sequence[Record], thread: str, now: int) -> Occurrence:
    span = {
        "first_at": iso(min(record.first_at for record in records)),
        "last_at": iso(max(record.last_at for record in records)),
        "inputs": len(records),
    }
    return Occurrence(
        now,
        thread=thread,
        user=asker.scope.user,
        service=asker.scope.service,
        source="compress",
        metadata=metadata_text(span),
    )
