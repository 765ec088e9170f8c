"""Since when: a commit, a time, a session, or a snapshot."""

from __future__ import annotations

from typing import NamedTuple

from ...model.errors import Invalid
from ...model.moments import iso, moment
from ...model.moments import parse as parse_moment
from ...repository.changed import commit_before, commit_named, nothing_yet
from ...repository.head import is_shallow, repository_at
from ..engine import Asker, Engine, seen_snapshots

HEAD, LAST_SESSION = "HEAD", ("session", "last session")


class Since(NamedTuple):
    """Either a commit, by its hash, or a time; `words` say what was meant."""

    words: str
    commit: str = ""
    at: int = 0


def since_of(engine: Engine, asker: Asker, root: str, given: str, mapped_at: int) -> Since:
    """What a caller means. Nothing is the last commit, or where there is none the first map. A time from before the
    first map is the last commit before it, or before the first commit the tree without files."""
    text = given.strip()
    if not text:
        head = commit_named(root, HEAD)
        return Since("the last commit", head) if head else Since("the first map", at=mapped_at)
    found = _known(engine, asker, text)
    if found is None and not any(letter.isspace() for letter in text):
        commit = commit_named(root, text)
        if commit:
            return Since(f"commit {commit[:12]}", commit)
    if found is None:
        try:
            at = parse_moment(text, engine.clock(), field="since", future=True)
        except Invalid as problem:
            raise Invalid(
                f"{text[:80]!r} is no commit, session, snapshot or time.",
                hint=_hint(root),
                field="since",
            ) from problem
        found = Since(iso(at), at=at)
    return _by_commits(root, found) if found.at < mapped_at else found


def _hint(root: str) -> str:
    """What can be given here: not every repository has commits, or all of them."""
    if not commit_named(root, HEAD):
        return "Give 2 days ago, 2026-03-01, or a session's id: there is no commit here yet."
    if is_shallow(repository_at(root)):
        return "This clone is shallow, and older commits are not here: git fetch --unshallow brings them."
    return "Give HEAD~3, a branch, 2 days ago, 2026-03-01, or a session's id."


def _by_commits(root: str, found: Since) -> Since:
    """The state of the repository at a time; where there is no commit at all, the map has to know it."""
    commit = commit_before(root, moment(max(0, found.at)))
    if commit:
        return Since(f"{found.words} (commit {commit[:12]})", commit, found.at)
    if not commit_named(root, HEAD):
        return found
    if is_shallow(repository_at(root)):  # there was something before its first commit, and nobody here knows what
        return found._replace(words=f"{found.words} (this shallow clone has no commit before it)")
    nothing = nothing_yet(root)
    return Since(f"{found.words} (before the first commit)", nothing, found.at) if nothing else found


def _known(engine: Engine, asker: Asker, text: str) -> Since | None:
    with engine.store.reading() as reader:
        if text in LAST_SESSION:
            found = reader.sessions(asker.namespace, (asker.scope.project,), limit=1)
            return Since("the last session", at=found[0].started_at) if found else None
        for snapshot in seen_snapshots(reader, asker):
            if snapshot.name == text:
                return Since(f"snapshot {text}", at=snapshot.at)
        session = reader.session(asker.namespace, text)
        if session is not None:
            return Since(f"session {text}", at=session.started_at)
    return None
