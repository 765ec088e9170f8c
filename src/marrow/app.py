"""Putting it together: the only place that builds objects. `open_memory` is `marrow.open`."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from .memory.engine import Asker, Engine
from .model.errors import MarrowError
from .model.scope import Principal, Scope
from .model.standing import DOMAINS
from .operations import core, knowledge, origins, store, tree
from .operations.catalogue import TABLE
from .operations.run import Answer, bind, invoke, perform
from .operations.table import Call
from .providers.embedder import embedder as make_embedder
from .repository import Identity, identify
from .settings import Settings, load
from .store import open_store

if TYPE_CHECKING:
    from .memory.fill import Filled as Filled

P = ParamSpec("P")
R = TypeVar("R")

FLUSH_AT = 64
MICROS_PER_DAY = 86_400_000_000


def bound(function: Callable[Concatenate[Call, P], R]) -> Callable[Concatenate[Memory, P], R]:
    """An operation as a method: the same arguments, the same types, defined once."""
    operation = next(entry for entry in TABLE.values() if entry.function is function)

    def method(self: Memory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        given = dict(zip((a.name for a in operation.arguments), args, strict=False)) | kwargs
        result: R = invoke(self.call, operation, bind(operation, given))
        return result

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


class Memory:
    """A memory, opened from somewhere: the operations as methods, in the project at hand.

    Methods take and give plain values; `call` does the same by name, as the other surfaces do.
    """

    recall = bound(core.memory_recall)
    search = bound(core.memory_search)
    get = bound(core.memory_get)
    save = bound(core.memory_save)
    update = bound(core.memory_update)
    relate = bound(core.memory_relate)
    help = bound(core.memory_help)

    reinforce = bound(tree.memory_reinforce)
    forget = bound(tree.memory_forget)
    status = bound(tree.memory_status)
    roots = bound(tree.memory_roots)
    active = bound(tree.memory_active)
    log = bound(tree.memory_log)
    explain = bound(tree.memory_explain)
    compress = bound(origins.memory_compress)
    session_compress = bound(origins.memory_session_compress)
    reroot = bound(origins.memory_reroot)
    diff = bound(origins.memory_diff)
    soul = bound(origins.memory_soul)
    provenance = bound(origins.memory_provenance)
    graph = bound(origins.memory_graph)
    prune_candidates = bound(origins.memory_prune_candidates)

    snapshot_create = bound(knowledge.snapshot_create)
    snapshot_list = bound(knowledge.snapshot_list)
    snapshot_diff = bound(knowledge.snapshot_diff)
    snapshot_restore = bound(knowledge.snapshot_restore)
    lineage = bound(knowledge.lineage_of)

    init = bound(store.memory_init)
    projects = bound(store.memory_projects)
    switch = bound(store.memory_switch)
    export = bound(store.memory_export)
    import_ = bound(store.memory_import)
    audit = bound(store.audit)
    audit_verify = bound(store.audit_verify)
    doctor = bound(store.doctor)
    backup = bound(store.backup)
    restore = bound(store.restore)
    reindex = bound(store.reindex)
    erase = bound(store.erase)

    def __init__(self, engine: Engine, asker: Asker, settings: Settings, identity: Identity) -> None:
        self.engine = engine
        self.settings = settings
        self.identity = identity
        self.call = Call(engine, asker)

    @property
    def project(self) -> str:
        return self.call.asker.scope.project

    def perform(self, name: str, arguments: Mapping[str, Any], **about: Any) -> Answer:
        """An operation by name, with its answer fitted to the reader's budget. `project` moves the whole call there."""
        call = replace(self.call, **about) if about else self.call
        answer = perform(call, name, arguments)
        if len(self.engine.pending) >= FLUSH_AT:
            self.flush()
        return answer

    def fill(
        self, root: str | os.PathLike[str] | None = None, progress: Callable[[int, int | None], None] | None = None
    ) -> Filled:
        """Take in the documents and history of the repository at hand, or of another. Done twice, it adds nothing."""
        from .memory.fill import fill

        return fill(self.engine, self.call.asker, root or self.identity.root or Path.cwd(), progress)

    def flush(self) -> None:
        """Write down what was measured. Lost without harm: a store that cannot be written now keeps none of it."""
        lines, self.engine.pending[:] = list(self.engine.pending), []
        if not lines or self.engine.store.read_only:
            return
        days = self.settings.get("retention.telemetry_days", int)
        try:
            with self.engine.store.writing() as writer:
                writer.measure(lines)
                writer.prune_measurements(self.engine.clock() - days * MICROS_PER_DAY)
        except MarrowError:
            return

    def close(self) -> None:
        self.flush()
        self.engine.store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    store: str | None = None,
    project: str | None = None,
    embedder: str | None = None,
    read_only: bool = False,
    actor: str = "python",
    **settings: object,
) -> Memory:
    """Open the memory for the repository at `path` (default: the current folder).

    `store` names another file or `memory:`; `project` another project; further arguments are settings, their dots
    written as underscores.
    """
    chosen = {"store": store, "project": project, "embedder": embedder, **{_dotted(k): v for k, v in settings.items()}}
    values = load(chosen, cwd=path)
    root = values.maybe("project_root", str) or path or Path.cwd()
    identity = identify(root, name=values.maybe("project", str), create=not read_only)
    opened = open_store(
        values.get("store", str), read_only=read_only, busy_timeout_ms=values.get("store.busy_timeout_ms", int)
    )
    namespace = values.get("namespace", str)
    with opened.reading() as reader:
        known = (reader.project_named(namespace, alias) for alias in (identity.name, *_aliases(identity)))
        name = next((found for found in known if found is not None), identity.name)
    user = _user()
    asker = Asker(Principal(user, namespace), Scope(namespace, name, user=user), actor, _aliases(identity))
    domains = (*DOMAINS, *values.get("domains.extra", tuple))
    engine = Engine(
        store=opened,
        embedder=make_embedder(values.get("embedder", str)),
        domains=domains,
        redact_extra=values.get("redact.extra", tuple),
    )
    return Memory(engine, asker, values, identity)


def _aliases(identity: Identity) -> tuple[str, ...]:
    """The other names of the project. One that was named by hand is that project alone, wherever its folder is from."""
    return () if identity.source == "explicit" else identity.aliases


def _dotted(name: str) -> str:
    """`recall_top_k` as a keyword is the setting `recall.top_k`."""
    group, _, rest = name.partition("_")
    return f"{group}.{rest}" if group in _TABLES and rest else name


_TABLES = frozenset("recall capture context compress summary embedder llm retention daemon log redact ignore".split())


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"


__all__ = ["Memory", "open_memory"]
