"""A memory as Python has it: the operations as methods, each loaded when it is first called."""

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

from ..model.errors import Invalid, MarrowError
from ..model.scope import Principal, Scope
from ..providers.embedder import Embedder
from ..providers.embedder import embedder as make_embedder
from ..repository.identity import Identity
from ..settings import Settings
from .parts import aliases_of, maps_folder, refiner_of, rerank_of

if TYPE_CHECKING:
    from ..derive.allowed import NamedFile
    from ..jobs.place import Place
    from ..memory.bench_recall import Benched as Benched
    from ..memory.code.kept_map import KeptMap
    from ..memory.engine import Asker, Engine
    from ..memory.fill import Filled as Filled
    from ..memory.telling.tell import Talks
    from ..operations import (
        access,
        asking,
        code,
        core,
        exchange,
        git,
        ingest,
        ingest_host,
        ingest_media,
        ingest_talk,
        knowledge,
        organisation,
        origins,
        places,
        removal,
        store,
        tree,
        watching,
        work,
        working,
    )
    from ..operations import blame as hindsight
    from ..operations import code_changes as changed_code
    from ..operations import derivations as computed
    from ..operations import report as looking_back
    from ..operations import sessions as captured
    from ..operations import usage as spending
    from ..operations.listing import Listed
    from ..operations.run import Answer
    from ..operations.table import Call, Operation
    from ..store.protocol import Store

P = ParamSpec("P")
R = TypeVar("R")

FLUSH_AT = 64

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
    from ..operations.listing import listed, load
    from ..operations.run import bind, invoke

    known = (
        None
        if name.startswith("_")
        else next((one.name for one in listed().values() if method_name(one) == name), None)
    )
    if known is None:
        raise AttributeError(f"a memory has no {name!r}")
    operation = load(known)

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
        context = bound(work.memory_context)
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
        blame = bound(hindsight.memory_blame)
        rebase = bound(hindsight.memory_rebase)

        gap = bound(work.memory_gap)
        memory_ask = bound(work.memory_ask)
        answer = bound(work.memory_answer)
        checkpoint = bound(work.memory_checkpoint)
        handoff = bound(work.memory_handoff)
        set_task_context = bound(work.set_task_context)
        get_task_context = bound(work.get_task_context)
        arc = bound(work.memory_arc)
        survey = bound(work.memory_survey)
        chains = bound(work.memory_chains)
        cat = bound(work.memory_cat)
        promote = bound(work.memory_promote)
        stash = bound(work.memory_stash)
        stash_pop = bound(work.memory_stash_pop)
        session_status = bound(captured.memory_session_status)
        sessions = bound(captured.sessions_of)
        session_show = bound(captured.session_show_of)
        pause = bound(captured.pause_project)
        resume = bound(captured.resume_project)
        compress_pending = bound(captured.compress_pending)
        report = bound(looking_back.report_of)
        eval = bound(looking_back.evaluate_memory)

        verify = bound(places.memory_verify)
        spatial = bound(places.memory_spatial)
        scan = bound(places.memory_scan)
        coverage = bound(places.memory_coverage)
        explore = bound(working.memory_explore)
        plan = bound(working.memory_plan)
        read = bound(working.memory_read)
        grep = bound(working.memory_grep)
        glob = bound(working.memory_glob)
        write = bound(working.memory_write)
        edit = bound(working.memory_edit)

        code_symbols = bound(code.code_symbols)
        code_callers = bound(code.code_callers)
        code_callees = bound(code.code_callees)
        code_call_graph = bound(code.code_call_graph)
        map = bound(code.memory_map)
        code_function_map = bound(changed_code.code_function_map)
        code_changes = bound(changed_code.code_changes)
        code_impact = bound(changed_code.code_impact)

        get_recent_commits = bound(git.get_recent_commits)
        get_changed_files = bound(git.get_changed_files)
        get_current_diff = bound(git.get_current_diff)
        get_current_branch = bound(git.get_current_branch)
        search_commits = bound(git.search_commits_of)
        get_file_history = bound(git.get_file_history)

        snapshot_create = bound(knowledge.snapshot_create)
        snapshot_list = bound(knowledge.snapshot_list)
        snapshot_diff = bound(knowledge.snapshot_diff)
        snapshot_restore = bound(knowledge.snapshot_restore)
        lineage = bound(knowledge.lineage_of)
        ask = bound(asking.ask_everything)
        search_by_service = bound(organisation.search_by_service)
        get_architectural_decisions = bound(organisation.get_architectural_decisions)
        get_incident_history = bound(organisation.get_incident_history)
        get_full_document = bound(organisation.get_full_document)
        list_documents = bound(organisation.list_documents)
        get_service_overview = bound(organisation.get_service_overview)
        list_services = bound(organisation.list_services)
        knowledge_stats = bound(organisation.knowledge_stats)
        view_define = bound(access.view_define)
        views = bound(access.views)
        delete_service_data = bound(removal.delete_service_data)
        prune = bound(removal.prune)
        derivations = bound(computed.derivations)
        recompute = bound(computed.recompute)
        ingest_codebase = bound(ingest.ingest_codebase)
        ingest_document = bound(ingest.ingest_one_document)
        ingest_architectural_decision = bound(ingest.ingest_architectural_decision)
        ingest_incident = bound(ingest.ingest_one_incident)
        ingest_meeting = bound(ingest_media.ingest_meeting)
        ingest_design = bound(ingest_media.ingest_design)
        search_meeting_transcripts = bound(ingest_media.search_meeting_transcripts)
        get_action_items = bound(ingest_media.get_action_items)
        ingest_conversation = bound(ingest_talk.ingest_conversation)
        ingest_log = bound(ingest_talk.ingest_log)
        ingest_history = bound(ingest_talk.ingest_history)
        ingest_repository = bound(ingest_host.ingest_repository)
        watch = bound(watching.watch)

        init = bound(store.memory_init)
        projects = bound(store.memory_projects)
        switch = bound(store.memory_switch)
        export = bound(exchange.memory_export)
        import_ = bound(exchange.memory_import)
        audit = bound(store.audit)
        audit_verify = bound(store.audit_verify)
        doctor = bound(store.doctor)
        backup = bound(store.backup)
        restore = bound(store.restore)
        reindex = bound(store.reindex)
        erase = bound(store.erase)
        usage = bound(spending.usage)

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
        self.missing = ""  # where the store would be, if it is not there
        self.clock: Callable[[], int] | None = None
        self._maps: dict[str, tuple[tuple[int, int], KeptMap]] = {}

    @property
    def project(self) -> str:
        return self.scope.project

    @cached_property
    def engine(self) -> Engine:
        from ..memory.engine import Engine, now_micros
        from ..memory.usage import allowance_of
        from ..model.standing import DOMAINS

        return Engine(
            store=self.store,
            embedder=self.embedder,
            rerank=rerank_of(self.settings),
            refiner=refiner_of(self.settings),
            clock=self.clock or now_micros,
            domains=(*DOMAINS, *self.settings.get("domains.extra", tuple)),
            redact_extra=self.settings.get("redact.extra", tuple),
            ignore_extra=self.settings.get("ignore.extra", tuple),
            allowance=allowance_of(self.settings),
            maps=self._map_at,
        )

    @cached_property
    def call(self) -> Call:
        from ..memory.engine import Asker
        from ..operations.table import Call

        root = str(self.identity.root or "")
        asker = Asker(self.principal, self.scope, self.actor, aliases_of(self.identity), root)
        return Call(self.engine, asker, None, self.settings, root, self._work_off, self.missing)

    def _map_at(self, root: str) -> KeptMap:
        """The code map of a checkout lies beside the store, or with Marrow's own files where that is no file or lies in
        the checkout. A save that names code asks for it: what a folder led to is looked up again only when it is
        another folder."""
        from ..memory.code.kept_map import map_at

        patterns = (self.settings.get("ignore.extra", tuple), self.settings.get("redact.extra", tuple))
        try:
            about = os.stat(root)
        except OSError:
            return map_at(self._maps_folder, root, *patterns)
        known, found = self._maps.get(root, (None, None))
        if found is None or known != (about.st_dev, about.st_ino):
            found = map_at(self._maps_folder, root, *patterns)
            self._maps[root] = ((about.st_dev, about.st_ino), found)
        return found

    @cached_property
    def _maps_folder(self) -> str:
        return maps_folder(self.store.url, self.settings.get("home", str), self.identity.root)

    @property
    def place(self) -> Place:
        """Where the background works for this memory: on all of it, whatever view its caller is held to."""
        from ..access.restricted import whole
        from ..jobs.place import Place

        store = whole(self.store)
        engine = self.engine if store is self.store else replace(self.engine, store=store)
        return Place(engine, self.call.asker, self.settings)

    def _work_off(self, asker: Asker) -> int:
        from ..jobs.work_off import work_off

        return work_off(self.place._replace(asker=asker), everything=True)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return _verb(type(self), name).__get__(self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *method_names()})

    def __repr__(self) -> str:
        return f"<marrow.Memory of {self.project or 'the global scope'} in {self.store.url}>"

    def perform(self, name: str, arguments: Mapping[str, Any], **about: Any) -> Answer:
        """An operation by name, with its answer fitted to the reader's budget."""
        from ..operations.run import perform

        answer = perform(replace(self.call, **about) if about else self.call, name, arguments)
        if len(self.engine.pending) >= FLUSH_AT:
            self.flush()
        return answer

    def fill(
        self, root: str | os.PathLike[str] | None = None, progress: Callable[[int, int | None], None] | None = None
    ) -> Filled:
        """Take in the files and the history of the repository at hand, or of another. Done twice, it adds nothing."""
        from ..memory.fill import fill

        return fill(self.engine, self.call.asker, root or self.identity.root or Path.cwd(), progress)

    def refine(self) -> int:
        """Embed anew, with the better tier where it is installed, what only the quick one has embedded. The daemon does
        this in the background; how many it were."""
        from ..memory.refine import refine

        done = 0
        while found := refine(self.engine):
            done += found
        return done

    def refine_few(self) -> int:
        """The same for the project at hand where little waits there; where much does, nothing. An index of words that
        an older Marrow made is renewed too, where it is small."""
        from ..memory.refine import refine_few
        from ..memory.renew import renew_few_words

        renew_few_words(self.engine)
        return refine_few(self.engine, self.call.asker)

    def named_derivations(self) -> list[NamedFile]:
        """The files of derivations that the settings name, as they are now, and what is wrong with them."""
        from ..memory.derivations import files_named

        return files_named(self.settings, str(self.identity.root or ""))

    def allow_derivations(self, allowed: bool = True) -> list[NamedFile]:
        """Let the files of derivations that the settings name run, as they are now, or no longer. It is no operation:
        what an agent may call must not decide whose code runs."""
        from ..memory.derivations import allow_files

        return allow_files(self.settings, str(self.identity.root or ""), allowed=allowed)

    def catch_up(self, project: str, service: str, root: str) -> bool:
        """Take in what was committed in a repository that is followed; whether it still is."""
        from ..jobs.watching import catch_up

        return catch_up(self.place, project, service, root, self.settings.get("home", str)) is not None

    def bench_recall(
        self,
        questions: int = 100,
        embedders: Sequence[str] = (),
        seed: int = 1,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> Benched:
        """Ask the memory for up to so many of its own nodes, also as other embedders would have it. Changes nothing."""
        from ..memory.bench_recall import bench_recall

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

    @cached_property
    def talks(self) -> Talks:
        from ..memory.telling.tell import Talks

        return Talks()

    def tell(self, hook: Mapping[str, Any]) -> str:
        """What a session is told at an event that its host reported; empty when there is nothing to say."""
        from ..memory.telling.tell import Manner, tell

        values = self.settings
        manner = Manner(
            mode=values.get("recall.mode", str),
            top_k=values.get("recall.top_k", int),
            min_score=values.maybe("recall.min_score", float),
            recall_tokens=values.get("recall.budget_tokens", int),
            context_tokens=values.get("context.budget_tokens", int),
            layers=values.get("context.layers", Mapping),  # type: ignore[type-abstract]
            nudge_turns=values.get("compress.interval_turns", int),
            root=str(self.identity.root or ""),
        )
        return tell(self.engine, self.call.asker, manner, self.talks, hook)

    def flush(self) -> None:
        """Write down what was measured and recalled. Lost without harm when the store cannot be written now."""
        from ..memory.feedback import catch_up
        from ..model.moments import MICROS_PER_DAY

        try:
            if self.engine.told:  # only what tells sessions loads what tells them
                from ..memory.telling.tell import write_told

                write_told(self.engine)
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
    from ..operations.listing import listed

    return [method_name(one) for one in listed().values()]


def method_name(operation: Operation | Listed) -> str:
    """What an operation is called in Python: its name without the prefix, unless another has that name."""
    from ..operations.table import short_name

    name = short_name(operation.name)
    return f"{name}_" if keyword.iskeyword(name) else name
