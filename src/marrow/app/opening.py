"""Opening memories: one, or all those that a long-lived process is asked for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.errors import MarrowError, NotFound, StoreDamaged
from ..model.scope import READ, RIGHTS, WRITE, Principal, Scope
from ..providers.embedder import Embedder
from ..repository.here import current_directory
from ..repository.identity import OWN, Identity, identify
from ..settings import PROJECT_FILE, Settings, load
from ..store import open_store
from .memory import Memory
from .parts import aliases_of, embedder_of

if TYPE_CHECKING:
    from ..jobs.chores import Chores
    from ..store.protocol import Store

# For how long a place is taken to be what it was: its settings, its name, its store.
KEPT_SECONDS = 2.0
ACTOR = "daemon"
MEMORY = "memory:"
_EMBEDDER_PARTS = ("model", "dimensions", "instructions", "key")


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    store: str | None = None,
    project: str | None = None,
    embedder: str | None = None,
    read_only: bool = False,
    create: bool = True,
    damaged: bool = False,
    actor: str = "python",
    clock: Callable[[], int] | None = None,
    **settings: object,
) -> Memory:
    """Open the memory for the repository at `path` (default: the current folder).

    `store` names another file or `memory:`; `project` another project; further arguments are settings, their dots
    written as underscores. `clock` gives the time in microseconds, for tests and replays. With `create` False nothing
    is made that is not there: a missing store reads as empty, and so does an empty file. With `damaged` a store that
    cannot even say which project this is is opened: to look what is left of it, or to put a backup in its place.
    """
    chosen = {"store": store, "project": project, "embedder": embedder, **{_dotted(k): v for k, v in settings.items()}}
    values = _settled(path, chosen)
    url = values.get("store", str)
    missing = "" if create else _not_there(url)
    timeout_ms = values.get("store.busy_timeout_ms", int)
    opened = open_store(MEMORY if missing else url, read_only=read_only, busy_timeout_ms=timeout_ms, illegible=damaged)
    try:
        made = create and not read_only
        memory = _placed(values, path, _seen(opened, values), embedder_of(values), create=made, damaged=damaged)
    except MarrowError:
        opened.close()
        raise
    memory.actor, memory.clock, memory.missing = actor, clock, missing
    return memory


def _not_there(url: str) -> str:
    """The file of a store that is not there yet, or that nothing was written to: looking must not make a store of it.
    Empty where there is one."""
    if url == MEMORY or "://" in url:
        return ""
    file = Path(url.removeprefix("sqlite:")).expanduser()
    try:
        is_empty = file.is_file() and not file.stat().st_size
        return str(file) if is_empty or not file.exists() else ""
    except OSError:  # whoever opens it says what is wrong
        return ""


def _settled(path: str | os.PathLike[str] | None, chosen: Mapping[str, object]) -> Settings:
    if path is not None and not Path(path).is_dir():
        raise NotFound(f"There is no folder {str(path)!r}.", hint="Give the folder of a repository.", field="path")
    return load(chosen, cwd=path)


def _identified(
    values: Settings, path: str | os.PathLike[str] | None, opened: Store, *, create: bool, damaged: bool = False
) -> tuple[Identity, str | None]:
    """Which project is at `path`, and by what name the store knows it. A repository may call itself as it likes, and
    does not get at what is known under a name that is not its own: then it is known as one without a name."""
    root = values.maybe("project_root", str) or path or current_directory()
    namespace, own = values.get("namespace", str), os.path.basename(values.source("project")) == PROJECT_FILE
    identity = identify(root, name=values.maybe("project", str), own=own, create=create)
    try:
        known = opened.known_as(namespace, _names(identity))
        if known is None and identity.source == OWN and opened.known_as(namespace, [identity.name]) is not None:
            identity = identify(root, create=create)
            known = opened.known_as(namespace, _names(identity))
    except StoreDamaged:
        if not damaged:
            raise
        known = None
    return identity, known


def _placed(
    values: Settings,
    path: str | os.PathLike[str] | None,
    opened: Store,
    embedder: Embedder,
    *,
    create: bool,
    damaged: bool = False,
) -> Memory:
    """A memory in the project that is at `path`, by what the settings and the store call it."""
    identity, known = _identified(values, path, opened, create=create, damaged=damaged)
    namespace = values.get("namespace", str)
    name = _first_name(identity) if known is None else known
    user = os.environ.get("USER") or os.environ.get("USERNAME") or "user"
    view = values.maybe("view", str)
    rights = RIGHTS if view is None else (READ, WRITE)
    principal = Principal(user, namespace, frozenset(rights), held_to=view or "")
    return Memory(opened, embedder, values, identity, principal, Scope(namespace, name, user=user))


def _seen(opened: Store, values: Settings) -> Store:
    """The store through the view that the settings name, if any. One who is held to a view is no administrator there,
    who could lift it. A view that is not there is an error, and nothing is opened."""
    view = values.maybe("view", str)
    if view is None:
        return opened

    from ..access.restricted import restrict

    return restrict(opened, values.get("namespace", str), view)


class Memories:
    """The memories that one process serves, wherever it is asked from: a store is opened once, for all its projects.

    What is found for a place is kept for a moment, so that a changed setting is seen soon, and looked up rarely.
    """

    def __init__(self) -> None:
        self._stores: dict[str, Store] = {}
        self._views: dict[tuple[str, str, str], Store] = {}
        self._embedders: dict[tuple[object, ...], Embedder] = {}
        self._found: dict[tuple[str, ...], tuple[float, Memory]] = {}
        self._looking = threading.RLock()

    def at(self, path: str, store: str = "", project: str = "", namespace: str = "", view: str = "") -> Memory:
        """The memory for the repository at `path`, for one who has named these. Its store stays open until `close`."""
        return self._at((path, store, project, namespace, view))

    def _at(self, key: tuple[str, ...], *, is_whole: bool = False) -> Memory:
        """`is_whole`: whatever view the settings name."""
        path, *names = key
        key, now = (*key, "whole" if is_whole else ""), time.monotonic()
        with self._looking:
            since, found = self._found.get(key, (0.0, None))
            if found is not None and now - since < KEPT_SECONDS:
                return found
            named = dict(zip(("store", "project", "namespace", "view"), names, strict=False))
            values = _settled(path or None, {name: value or None for name, value in named.items()})
            values = replace(values, values={**values.values, "view": None}) if is_whole else values
            if (
                found is None
                or found.settings.values != values.values
                or found.identity != _identified(values, path or None, found.store, create=True)[0]
            ):
                found = _placed(values, path or None, self._store(values), self._embedder(values), create=True)
                found.actor = ACTOR
            self._found[key] = (now, found)
            return found

    def settings(self) -> Settings:
        """Those that hold where no project is: the user's own."""
        return load({}, cwd=Path.home())

    def chores(self, home: str) -> Chores:
        """The background work for all of them."""
        from ..access.restricted import whole
        from ..jobs.chores import Chores
        from ..jobs.place import Place

        def place(memory: Memory) -> Place:
            return memory.place

        def opened() -> list[Place]:
            with self._looking:
                memories = [memory for _, memory in self._found.values()]
            found = {(id(whole(memory.store)), memory.scope.namespace): memory for memory in memories}
            return [place(memory) for memory in found.values()]

        def projects() -> list[Place]:
            with self._looking:
                found = {(id(whole(m.store)), m.scope.namespace, m.scope.project): m for _, m in self._found.values()}
            return [place(memory) for memory in found.values()]

        def at(path: str, store: str = "", project: str = "", namespace: str = "") -> Place:
            return place(self._at((path, store, project, namespace), is_whole=True))

        return Chores(home, at, lambda: at(str(Path.home())), opened, self.flush, projects)

    def _store(self, values: Settings) -> Store:
        url, view = values.get("store", str), values.maybe("view", str)
        if url not in self._stores:
            self._stores[url] = open_store(url, busy_timeout_ms=values.get("store.busy_timeout_ms", int))
        if view is None:
            return self._stores[url]
        key = (url, values.get("namespace", str), view)
        if key not in self._views:
            self._views[key] = _seen(self._stores[url], values)
        return self._views[key]

    def _embedder(self, values: Settings) -> Embedder:
        chosen = tuple(values[name] for name in ("embedder", *(f"embedder.{part}" for part in _EMBEDDER_PARTS)))
        if chosen not in self._embedders:
            self._embedders[chosen] = embedder_of(values)
        return self._embedders[chosen]

    def flush(self) -> None:
        """Write down what was counted and told, wherever."""
        with self._looking:
            memories = [memory for _, memory in self._found.values() if "engine" in memory.__dict__]
        for memory in memories:
            memory.flush()

    def close(self) -> None:
        self.flush()
        with self._looking:
            for store in self._stores.values():
                store.close()
            self._found.clear()
            self._views.clear()
            self._stores.clear()


def _names(identity: Identity) -> list[str]:
    """The names by which the store may know this project, the surest first. A repository with an identity of its own
    had a memory before it had an origin; a clone may have told the store of another project by that origin since."""
    return sorted(aliases_of(identity), key=lambda name: not name.startswith("id:")) or [identity.name]


def _first_name(identity: Identity) -> str:
    """What a project that is new to the store is called. A bare identity is no name for people: its folder is put
    before it, once and for good; it stays known by the identity, wherever the folder goes."""
    if identity.source != "id" or identity.root is None:
        return identity.name
    folder = identity.root.name.encode("utf-8", "backslashreplace").decode()  # it may hold bytes that are no text
    return f"{folder}-{identity.name.rpartition(':')[2][:6]}"


def _dotted(name: str) -> str:
    """`recall_top_k` as a keyword is the setting `recall.top_k`."""
    group, _, rest = name.partition("_")
    return f"{group}.{rest}" if group in _TABLES and rest else name


_TABLES = frozenset(
    "recall capture context compress summary embedder llm retention daemon log redact ignore domains store "
    "derivations".split()
)
