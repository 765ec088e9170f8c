"""Remember: save one thing or many. Says what was known already, what is nearly the same, and what it contradicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..model.change import AGAIN, KNOWN, NEW, Pin, Receipt, Restate, Say, Step
from ..model.draft import Draft, check_kind, occurrence_of, standing_of
from ..model.errors import Invalid, TooLarge
from ..model.record import CURRENT, Record
from ..search.compare import NEAR, Likeness, compare, compared_from
from ..store.receive import Embed
from .anchors.mentions import NOTHING, mentions
from .anchors.pin import pin_all, pointing_nowhere, told
from .engine import Asker, Engine, resolve, submit, vectors_by
from .feedback import heard

if TYPE_CHECKING:
    from ..store.protocol import Vector

OPERATION = "memory_save"
BATCH_MAX = 1000
# What comes in bulk, and tells of its moment alone.
UNPINNED_KINDS = frozenset("observation document commit conversation log summary handoff".split())
COMPARED_MAX = 64
NEAREST = 3
LIKENESSES_MAX = 5


class Similar(NamedTuple):
    """A known node that is like a new one."""

    address: str
    content: str
    likeness: Likeness


class Saved(NamedTuple):
    """What became of one draft. `anchored` says to which places in the code, `nowhere` which anchors that were given
    have none."""

    address: str
    what: str
    project: str
    kind: str
    domain: str
    content: str
    redacted: tuple[tuple[str, int], ...]
    similar: tuple[Similar, ...]
    anchored: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = ()


class Remembered(NamedTuple):
    """`compared` is False for large batches: they are not compared with what is known."""

    saved: tuple[Saved, ...]
    receipt: Receipt
    compared: bool


def remember(
    engine: Engine, asker: Asker, drafts: Sequence[Draft], *, scope: str = "project", operation: str = OPERATION
) -> Remembered:
    """Save the drafts, all of them or none, as one event."""
    if not drafts:
        raise Invalid("There is nothing to save.", hint="Give content, or a batch of them.", field="content")
    if len(drafts) > BATCH_MAX:
        raise TooLarge(
            f"A batch has at most {BATCH_MAX:,} items, not {len(drafts):,}.", hint="Split it.", field="batch"
        )
    project = {"project": asker.scope.project, "global": ""}.get(scope)
    if project is None:
        raise Invalid(f"{scope!r} is no scope to save in.", hint="project or global.", field="scope")
    now = engine.clock()
    if project and operation == OPERATION:
        drafts = pinned_drafts(engine, asker, drafts)
    says = [say_of(engine, asker, draft, now) for draft in drafts]
    noun = says[0].kind if len(says) == 1 else f"{len(says)} nodes"
    vectors: dict[str, Vector] = {}
    receipt = submit(
        engine, asker, operation, says, summary=f"remember {noun}", project=project, embed=_keeping(engine, vectors)
    )
    is_compared = len(drafts) <= COMPARED_MAX
    _pin_anew(engine, asker, says, receipt)
    if operation == OPERATION:  # what is taken in from elsewhere follows from no recall
        heard(engine, asker, (text for say in says for text in (say.content, *(target for _, target in say.links))))
    saved = []
    new = sum(outcome.what == NEW for outcome in receipt.outcomes)
    is_looked_for = bool(project and asker.root) and is_compared
    for outcome, say in zip(receipt.outcomes, says, strict=True):
        record = outcome.record
        assert record is not None, "a node that was said has a record"
        vector = vectors.get(record.node.content) if outcome.what == NEW and is_compared else None
        alike = () if vector is None else similar(engine, asker, record, vector, new)
        node, domain = record.node, record.standing.domain
        about = (node.address, outcome.what, record.project, node.kind, domain, node.content)
        nowhere = pointing_nowhere(asker.root, say.anchors) if is_looked_for and node.kind not in UNPINNED_KINDS else ()
        saved.append(Saved(*about, outcome.redacted, alike, told(say.anchors), nowhere))
    return Remembered(tuple(saved), receipt, is_compared)


def pinned_drafts(engine: Engine, asker: Asker, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """The drafts with anchors to the code that they name, and with evidence for those that they came with. Cheap for
    those that name none."""
    if not asker.root or len(drafts) > COMPARED_MAX:
        return drafts
    named = [mentions(draft.content) if _is_pinned(draft) else NOTHING for draft in drafts]
    chosen = [at for at, draft in enumerate(drafts) if _is_pinned(draft) and (draft.anchors or any(named[at]))]
    if not chosen:
        return drafts
    pins = pin_all(engine, asker.root, [(drafts[at].anchors, named[at], drafts[at].content) for at in chosen])
    found = {at: anchors for at, anchors in zip(chosen, pins, strict=True) if anchors != drafts[at].anchors}
    return [replace(draft, anchors=found[at]) if at in found else draft for at, draft in enumerate(drafts)]


def _pin_anew(engine: Engine, asker: Asker, says: Sequence[Say], receipt: Receipt) -> None:
    """What is said again holds as the code is now: older evidence for the same places goes, and so does its drift."""
    again = [
        (o.record, s) for o, s in zip(receipt.outcomes, says, strict=True) if o.what in (KNOWN, AGAIN) and o.record
    ]
    pairs = [(record, say) for record, say in again if say.anchors]
    if not pairs:
        return
    with engine.store.reading() as reader:
        known = reader.anchors([record.entry for record, _ in pairs], CURRENT)
    steps: list[Step] = []
    for record, say in pairs:
        places = {(anchor.type, anchor.target) for anchor in say.anchors}
        old = [
            one for one in known.get(record.entry, ()) if (one.type, one.target) in places and one not in say.anchors
        ]
        if old:
            steps.append(Pin(record.node.address, (), tuple(old)))
        if record.standing.drift:
            steps.append(Restate(record.node.address, (("drift", ""),), "said again"))
    if steps:
        submit(engine, asker, OPERATION, steps, summary="pinned anew", project=pairs[0][0].project)


def _is_pinned(draft: Draft) -> bool:
    return isinstance(draft.content, str) and draft.kind not in UNPINNED_KINDS


def _keeping(engine: Engine, vectors: dict[str, Vector]) -> Embed | None:
    """The engine's embedder, which leaves what it computed for the comparison afterwards."""
    embed = engine.embed()
    if embed is None:
        return None

    from ..store.stored_vectors import mean_of

    def keep(texts: Sequence[str]) -> Sequence[Vector | None]:
        found = embed(texts)
        pairs = zip(texts, found, strict=True)
        vectors.update((text, mean_of(vector)) for text, vector in pairs if vector is not None)
        return found

    return keep


def similar(engine: Engine, asker: Asker, record: Record, vector: Vector, together: int = 1) -> tuple[Similar, ...]:
    """What is known in the same place and is like the new record, of so many that came together; contradictions
    first."""
    found = []
    with engine.store.reading() as reader:
        if reader.vector_model() != engine.model():  # of another embedder: a cosine between the two says nothing
            return ()
        better = engine.asking(reader, asker.namespace, (record.project,), besides=together)
        if better is not engine.embedder:  # what it is compared with is of that tier
            from ..store.stored_vectors import mean_of

            vector = mean_of(vectors_by(better, [record.node.content])[0])
        near = reader.nearest(
            asker.namespace, vector, (record.project,), None, NEAREST + 1, compared_from(record.node.content)
        )
        cosines = {entry: cosine for entry, cosine in near if entry != record.entry}
        others = reader.texts_of(list(cosines))
    for entry, address, content in others:
        likeness = compare(record.node.content, content, cosines[entry])
        if likeness:
            found.append(Similar(address, content, likeness))
    found.sort(key=lambda s: (s.likeness.what == NEAR, -s.likeness.similarity))
    return tuple(found[:LIKENESSES_MAX])


def say_of(engine: Engine, asker: Asker, draft: Draft, now: int) -> Say:
    """A draft as the step of a change."""
    kind = check_kind(draft.kind)
    standing, given = standing_of(draft, engine.domains, now)
    links = tuple((rel, _target(engine, asker, target)) for rel, target in draft.links)
    return Say(
        kind=kind,
        content=draft.content,
        occurrence=occurrence_of(draft, now),
        standing=standing,
        given=given,
        links=links,
        anchors=tuple(draft.anchors),
    )


def _target(engine: Engine, asker: Asker, given: str) -> str:
    with engine.store.reading() as reader:
        return resolve(reader, asker, given, argument="links").node.address
