"""knowledge: repositories that are kept current, commit by commit, without anybody asking."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from ..capture import line, paused
from ..jobs.place import Place
from ..jobs.watching import file_of, hook_lines, hook_mark, repository_of, take_in_now, target_of
from ..memory.taking_in.codebase import Ingested, service_of
from ..memory.taking_in.watched import Watched, keep_watching, stop_watching, watched
from ..model.errors import Invalid, NotFound
from ..model.moments import iso
from ..model.scope import WRITE
from ..model.text import name as short_name
from ..repository.git_hooks import add_hooks, hooks_at, remove_hooks
from ..repository.head import head_of, repository_at, working_folder
from .ingest import told_problems
from .pauses import home_of
from .table import Call, operation

CURRENT, BEHIND, EMPTY, GONE = "current", "behind", "no commit yet", "gone"
_COMMIT_SHOWN = 10


class WatchResult(NamedTuple):
    """Which repositories are followed and how each stands: current, behind, without a commit, or gone. The counts say
    what was taken in now."""

    items: tuple[dict[str, Any], ...]
    added: int = 0
    changed: int = 0
    moved: int = 0
    gone: int = 0
    notes: tuple[str, ...] = ()
    problems: tuple[dict[str, str], ...] = ()
    left_out: int = 0

    def text(self) -> str:
        counts = (("new", self.added), ("changed", self.changed), ("moved", self.moved), ("gone", self.gone))
        told = ", ".join(f"{count:,} {what}" for what, count in counts if count)
        lines = [f"took in: {told}"] if told else []
        lines += [_line(item) for item in self.items]
        lines += self.notes
        lines += [f"  {problem['path']}: {problem['reason']}" for problem in self.problems]
        return "\n".join(lines) or "No repository is watched. `marrow watch .` keeps this one current."


def _line(item: dict[str, Any]) -> str:
    at = f" at {item['commit']}" if item["commit"] else ""
    hooks = ", with hooks" if item["hooks"] else ""
    gone = ": the folder is not there, or no repository any more" if item["state"] == GONE else ""
    return f"{item['service']}  {item['root']}  {item['state']}{at}{hooks}{gone}"


@operation(
    "knowledge",
    right=WRITE,
    changes=True,
    spellings={"repository": ("repo_path",), "service_name": ("service",)},
)
def watch(
    call: Call,
    repository: Annotated[str, "its folder; nothing: list what is watched"] = "",
    hooks: Annotated[bool | None, "put lines into its git hooks, or take them out"] = None,
    stop: Annotated[bool, "no longer; what was read stays"] = False,
    service_name: Annotated[str, "default: by its manifests, then its origin"] = "",
) -> WatchResult:
    """Keep a repository current: what is committed is taken in, now and from now on. Uncommitted work stays out.

    The daemon looks at its HEAD. With hooks, git tells Marrow of each commit itself, in the background.
    """
    if not (repository or stop or hooks is not None or service_name):
        return _listed(call)
    root = _root(call, repository)
    if stop:
        return _stopped(call, root)
    place, home = _place(call), home_of(call)
    target = working_folder(repository_at(root))
    given = short_name(service_name, field="service_name", length_max=100) if service_name else ""
    one = Watched(call.asker.scope.project, given or _service(call, target), target)
    done = take_in_now(place, one, home, call.progress)
    notes = []
    if before := keep_watching(call.engine, call.asker, target, one.service):
        notes.append(f"It was followed in {before} until now.")
        notes += _without_hooks(place, one._replace(root=before))
    if hooks is not None:
        notes += _with_hooks(place, one, home) if hooks else _without_hooks(place, one)
    items = _items(call, [one.service])
    return _taken(items, done, [*notes, *_who_looks(place, home, items)])


def _listed(call: Call) -> WatchResult:
    items = _items(call, None)
    return WatchResult(items, notes=tuple(_who_looks(_place(call), home_of(call), items)))


def _who_looks(place: Place, home: str, items: Sequence[dict[str, Any]]) -> list[str]:
    """Why something is behind, or will be: nobody looks. Hooks tell of commits, and of nothing else that moves HEAD."""
    if any(item["state"] == BEHIND and paused.is_paused(home, item["project"], item["root"]) for item in items):
        return ["Capture is paused: nothing is taken in by itself until `marrow resume`."]
    unattended = any(item["state"] == BEHIND or not item["hooks"] for item in items if item["state"] != GONE)
    if not unattended or not file_of(place) or line.is_there(home=home):
        return []
    return ["No daemon runs, so nobody looks for new commits: `marrow daemon start`. `marrow watch .` takes in now."]


def _taken(items: tuple[dict[str, Any], ...], done: Ingested, notes: Sequence[str]) -> WatchResult:
    taken = done.taken
    problems, left = told_problems(taken.problems)
    return WatchResult(items, taken.added, taken.changed, taken.moved, taken.gone, tuple(notes), problems, left)


def _stopped(call: Call, root: str) -> WatchResult:
    with call.engine.store.reading() as reader:
        known = watched(reader, call.asker.namespace, (call.asker.scope.project,))
    there = repository_of(root) or (repository_at(root) if os.path.isdir(root) else None)
    meant = {root, working_folder(there)} if there is not None else {root}
    found = [one for one in known if one.root in meant]
    if not found:
        raise NotFound(f"{root} is not watched.", hint="`marrow watch` lists what is.", field="repository")
    notes = [f"{one.root} is no longer watched; what was read stays." for one in found]
    for one in found:
        notes += _without_hooks(_place(call), one)
    stop_watching(call.engine, call.asker, [one.service for one in found])
    return WatchResult((), notes=tuple(notes))


def _with_hooks(place: Place, one: Watched, home: str) -> list[str]:
    if not file_of(place) or os.name == "nt":
        raise Invalid("Hooks need a store in a file, and a Unix system.", hint="The daemon needs none.", field="hooks")
    target = target_of(place, one)
    lines = hook_lines(target, home)
    found = add_hooks(repository_at(one.root), hook_mark(target), lines)
    left = [f"The hook {hook.path} was left alone: {hook.problem}." for hook in found if not hook.has_ours]
    return [*left, "Have it call `marrow watch .` in the background, or leave it to the daemon."] if left else []


def _without_hooks(place: Place, one: Watched) -> list[str]:
    found = repository_of(one.root)
    if found is None:
        return []
    removed = remove_hooks(found, hook_mark(target_of(place, one)))
    return [f"Took our lines out of {hook.path}." for hook in removed]


def _items(call: Call, services: Sequence[str] | None) -> tuple[dict[str, Any], ...]:
    """Those of this project, or everything that the caller may read."""
    own = call.asker.scope.project
    projects = call.asker.everywhere() if services is None else (own,)
    with call.engine.store.reading() as reader:
        known = watched(reader, call.asker.namespace, projects)
    return tuple(_shape(call, one) for one in known if services is None or one.service in services)


def _shape(call: Call, one: Watched) -> dict[str, Any]:
    found = repository_of(one.root)
    head = head_of(found).commit if found is not None else ""
    state = GONE if found is None else EMPTY if not head else CURRENT if head == one.commit else BEHIND
    mark = hook_mark(target_of(_place(call), one))
    return {
        "project": one.project,
        "service": one.service,
        "root": one.root,
        "state": state,
        "commit": one.commit[:_COMMIT_SHOWN],
        "read": iso(one.since) if one.since else "",
        "hooks": found is not None and any(hook.has_ours for hook in hooks_at(found, mark)),
    }


def _root(call: Call, given: str) -> str:
    """The folder that is meant; of one that is not named, or is gone, still its path."""
    path = os.path.expanduser(given.strip())
    if path in ("", os.curdir):
        path = call.asker.root or os.curdir
    return os.path.realpath(path)


def _service(call: Call, root: str) -> str:
    """As it is followed already, or as it is or would be known."""
    with call.engine.store.reading() as reader:
        known = watched(reader, call.asker.namespace, (call.asker.scope.project,))
    return next((one.service for one in known if one.root == root), "") or service_of(call.engine, call.asker, root)


def _place(call: Call) -> Place:
    assert call.settings is not None
    return Place(call.engine, call.asker, call.settings)
