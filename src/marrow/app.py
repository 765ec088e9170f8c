"""Putting it together: the only place that builds objects. `open_memory` is `marrow.open`.

Opening reads the settings, finds the project and opens the store, so that what is wrong with them is said at once. The
verbs and the embedder are loaded when the first of them is called: a program that only opens a memory, or lists what it
could do, does not pay for them.
"""

from __future__ import annotations

import inspect
import keyword
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from .model.errors import Invalid, MarrowError, NotFound
from .model.moments import MICROS_PER_DAY
from .model.scope import Principal, Scope
from .model.standing import DOMAINS
from .providers.embedder import Embedder
from .providers.embedder import embedder as make_embedder
from .repository import Identity, identify
from .settings import Settings, load
from .store import Store, open_store

if TYPE_CHECKING:
    from .memory.bench_recall import Benched as Benched
    from .memory.engine import Engine
    from .memory.fill import Filled as Filled
    from .operations import core, knowledge, origins, store, tree
    from .operations.run import Answer
    from .operations.table import Call, Operation
    from .search.find import Rerank

P = ParamSpec("P")
R = TypeVar("R")

FLUSH_AT = 64
# How much of recall's time budget a reranker may take.
RERANK_SHARE = 0.5


if TYPE_CHECKING:

    def bound(function: Callable[Concatenate[Call, P], R]) -> Callable[Concatenate[Memory, P], R]:
        """The type of an operation as a method: the same arguments and result, written once."""


class _Verbs(type):
    """Lets `help(marrow.Memory.recall)` find the operations before the first of them is called."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            return _verb(cls, name)


def _verb(owner: type, name: str) -> Callable[..., Any]:
    """An operation as a method of `owner`, made when it is first asked for. Names and types stand in the class."""
    from .operations.catalogue import TABLE
    from .operations.run import bind, invoke

    operation = None if name.startswith("_") else next((e for e in TABLE.values() if method_name(e) == name), None)
    if operation is None:
        raise AttributeError(f"a memory has no {name!r}")

    def method(self: Memory, *args: Any, **kwargs: Any) -> Any:
        names = [a.name for a in operation.arguments]
        if len(args) > len(names) or not kwargs.keys().isdisjoint(names[: len(args)]):
            raise Invalid(f"{name} was given too many arguments, or one of them twice.", hint=f"It takes {names}.")
        given = dict(zip(names, args, strict=False)) | kwargs
        result = invoke(self.call, operation, bind(operation, given))
        if len(self.engine.recalled) >= FLUSH_AT:
            self.flush()
        return result

    method.__name__, method.__qualname__, method.__doc__ = name, f"Memory.{name}", operation.function.__doc__
    parameters = list(inspect.signature(operation.function).parameters.values())
    mine = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__signature__ = inspect.Signature([mine, *parameters[1:]])  # type: ignore[attr-defined]
    setattr(owner, name, method)
    return method


class Memory(metaclass=_Verbs):
    """A memory, opened from somewhere: the operations as methods, in the project at hand.

    Methods take and give plain values; `perform` does the same by name, as the other surfaces do.
    """

    if TYPE_CHECKING:
        recall = bound(core.memory_recall)
        search = bound(core.memory_search)
        get = bound(core.memory_get)
        save = bound(core.memory_save)
        update = bound(core.memory_update)
        relate = bound(core.memory_relate)
        help = bound(core.memory_help)

        reinforce = bound(tree.memory_reinforce)
        used = bound(tree.memory_used)
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

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        settings: Settings,
        identity: Identity,
        principal: Principal,
        scope: Scope,
    ) -> None:
        self.store = store
        self.embedder = embedder
        self.settings = settings
        self.identity = identity
        self.principal = principal
        self.scope = scope
        self.actor = "python"
        self.clock: Callable[[], int] | None = None

    @property
    def project(self) -> str:
        return self.scope.project

    @cached_property
    def engine(self) -> Engine:
        from .memory.engine import Engine, now_micros

        return Engine(
            store=self.store,
            embedder=self.embedder,
            rerank=_rerank(self.settings),
            clock=self.clock or now_micros,
            domains=(*DOMAINS, *self.settings.get("domains.extra", tuple)),
            redact_extra=self.settings.get("redact.extra", tuple),
        )

    @cached_property
    def call(self) -> Call:
        from .memory.engine import Asker
        from .operations.table import Call

        return Call(self.engine, Asker(self.principal, self.scope, self.actor, _aliases(self.identity)))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return _verb(type(self), name).__get__(self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *method_names()})

    def __repr__(self) -> str:
        return f"<marrow.Memory of {self.project or 'the global scope'} in {self.store.url}>"

    def perform(self, name: str, arguments: Mapping[str, Any], **about: Any) -> Answer:
        """An operation by name, with its answer fitted to the reader's budget."""
        from .operations.run import perform

        answer = perform(replace(self.call, **about) if about else self.call, name, arguments)
        if len(self.engine.pending) >= FLUSH_AT:
            self.flush()
        return answer

    def fill(
        self, root: str | os.PathLike[str] | None = None, progress: Callable[[int, int | None], None] | None = None
    ) -> Filled:
        """Take in the documents and history of the repository at hand, or of another. Done twice, it adds nothing."""
        from .memory.fill import fill

        own = self.identity.root or Path.cwd()
        is_own = root is None or Path(root).resolve() == own.resolve()
        return fill(self.engine, self.call.asker, root or own, progress, retract=is_own)

    def bench_recall(
        self,
        questions: int = 100,
        embedders: Sequence[str] = (),
        seed: int = 1,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> Benched:
        """Ask the memory for up to so many of its own nodes, also as other embedders would have it. Changes nothing."""
        from .memory.bench_recall import bench_recall

        others = [(name, make_embedder(name)) for name in dict.fromkeys(embedders)]
        chosen = self.settings.get("embedder", str)
        return bench_recall(
            self.engine,
            self.call.asker,
            nodes=questions,
            seed=seed,
            name="static" if chosen == "auto" else chosen,
            embedders=others,
            progress=progress,
        )

    def flush(self) -> None:
        """Write down what was measured and recalled. Lost without harm when the store cannot be written now."""
        from .memory.feedback import catch_up

        try:
            catch_up(self.engine)
        except MarrowError:
            return
        lines, recalled, used = self.engine.drain()
        if not (lines or recalled or used) or self.store.read_only:
            return
        days = self.settings.get("retention.telemetry_days", int)
        try:
            with self.store.writing() as writer:
                writer.measure(lines)
                writer.count_use(recalled, used=False, at=self.engine.clock())
                writer.count_use(used, used=True, at=self.engine.clock())
                writer.prune_measurements(self.engine.clock() - days * MICROS_PER_DAY)
        except MarrowError:
            return

    def close(self) -> None:
        if "engine" in self.__dict__:
            self.flush()
        self.store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()


def method_names() -> list[str]:
    from .operations.catalogue import TABLE

    return [method_name(entry) for entry in TABLE.values()]


def method_name(operation: Operation) -> str:
    """What an operation is called in Python: its name without the group's prefix."""
    name = operation.name.removeprefix("memory_")
    return f"{name}_" if keyword.iskeyword(name) else name


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    store: str | None = None,
    project: str | None = None,
    embedder: str | None = None,
    read_only: bool = False,
    create: bool = True,
    actor: str = "python",
    clock: Callable[[], int] | None = None,
    **settings: object,
) -> Memory:
    """Open the memory for the repository at `path` (default: the current folder).

    `store` names another file or `memory:`; `project` another project; further arguments are settings, their dots
    written as underscores. `clock` gives the time in microseconds, for tests and replays. With `create` False nothing
    is made that is not there: a missing store reads as empty.
    """
    if path is not None and not Path(path).is_dir():
        raise NotFound(f"There is no folder {str(path)!r}.", hint="Give the folder of a repository.", field="path")
    chosen = {"store": store, "project": project, "embedder": embedder, **{_dotted(k): v for k, v in settings.items()}}
    values = load(chosen, cwd=path)
    root = values.maybe("project_root", str) or path or Path.cwd()
    identity = identify(root, name=values.maybe("project", str), create=create and not read_only)
    url = values.get("store", str)
    if not create and ":" not in url and not Path(url).expanduser().exists():
        url = "memory:"
    opened = open_store(url, read_only=read_only, busy_timeout_ms=values.get("store.busy_timeout_ms", int))
    namespace = values.get("namespace", str)
    with opened.reading() as reader:
        known = (reader.project_named(namespace, alias) for alias in (identity.name, *_aliases(identity)))
        name = next((found for found in known if found is not None), _first_name(identity))
    user = os.environ.get("USER") or os.environ.get("USERNAME") or "user"
    memory = Memory(
        opened,
        _embedder(values),
        values,
        identity,
        Principal(user, namespace),
        Scope(namespace, name, user=user),
    )
    memory.actor, memory.clock = actor, clock
    return memory


def _embedder(values: Settings) -> Embedder:
    """The embedder that the settings name. Its model is loaded, or its service asked, with the first text."""
    return make_embedder(
        values.get("embedder", str),
        model=values.maybe("embedder.model", str),
        dimensions=values.maybe("embedder.dimensions", int),
        instructions=values.maybe("embedder.instructions", str),
        key=values.maybe("embedder.key", str),
    )


def _rerank(values: Settings) -> Rerank | None:
    """What asks the reranker that the settings name, within a share of the time that a recall may take."""
    name = values.get("reranker", str)
    if name == "none":
        return None
    from .providers.reranker import reranker

    chosen, budget = reranker(name), values.get("recall.time_budget_ms", int) * RERANK_SHARE
    return None if chosen is None else lambda question, texts: chosen.scores(question, texts, budget)


def _first_name(identity: Identity) -> str:
    """What a project that is new to the store is called. A bare identity is no name for people: its folder is put
    before it, once and for good; it stays known by the identity, wherever the folder goes."""
    if identity.source != "id" or identity.root is None:
        return identity.name
    return f"{identity.root.name}-{identity.name.rpartition(':')[2][:6]}"


def _aliases(identity: Identity) -> tuple[str, ...]:
    """The other names of the project. One that was named by hand is that project alone, wherever its folder is from."""
    return () if identity.source == "explicit" else identity.aliases


def _dotted(name: str) -> str:
    """`recall_top_k` as a keyword is the setting `recall.top_k`."""
    group, _, rest = name.partition("_")
    return f"{group}.{rest}" if group in _TABLES and rest else name


_TABLES = frozenset(
    "recall capture context compress summary embedder llm retention daemon log redact ignore domains store".split()
)


__all__ = ["Memory", "method_name", "open_memory"]
