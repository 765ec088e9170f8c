"""History: what commit messages say, and when. A subject alone tells what; the body often tells why.

A commit is known by its hash: it never changes, so it is read once. Which symbols it touched takes longer to find than
all the rest: its digest says whether they were, and where not they are looked for later.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.link import Anchor, make_anchor
from ..model.text import first_line
from ..repository.history import Commit, commits
from .item import Item
from .touched_symbols import COMMITS_AT_ONCE, FILES_MAX, TouchedSymbol, TouchedSymbols

KIND = "commit"
SOURCE = "git"
COMMITS_MAX = 2000
MESSAGE_LENGTH_MAX = 8000
FILES_ANCHORED_MAX = FILES_MAX
FILES_NAMED_MAX = 50
TITLE_LENGTH_MAX = 160
_PATH = "commit:"

_TRAILER = re.compile(r"(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+|Cc): \S.*$")
_REFERS = re.compile(r"(?:Fixes|Closes|Refs?|Bug|Link|Resolves|Reverts|See)\b: \S.*$")
_MERGE = re.compile(r"Merge (?:branch|pull request|remote-tracking branch|tag|commit)\b")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PULL_REQUEST = re.compile(r"Merge pull request #(\d{1,9})\b|\(#(\d{1,9})\)\s*$|\(!(\d{1,9})\)\s*$")
_REFERENCE = re.compile(r"(?:[\w.-]+/[\w.-]+)?#\d{1,9}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b")
_REFERENCES_MAX = 10


def unread(
    root: str | os.PathLike[str],
    known: Collection[str] = (),
    *,
    since: datetime | None = None,
    limit: int = COMMITS_MAX,
) -> int:
    """Among how many of the latest commits there are some that are not among the `known` hashes; 0: all are known.

    Git tells names and messages far quicker than files, so this is asked before `commit_items`.
    """
    last = 0
    for place, commit in enumerate(commits(root, limit, since, files=False), 1):
        if commit.hash not in known:
            last = place
    return last


def commit_items(
    root: str | os.PathLike[str],
    *,
    known: Collection[str] = (),
    since: datetime | None = None,
    limit: int = COMMITS_MAX,
    service: str = "",
    anchored: bool = True,
    finder: TouchedSymbols | None = None,
) -> Iterator[Item]:
    """An item for each commit of the current branch that says something, newest first; not for the `known` hashes.

    `anchored`: it is the project's own repository, so its files are pinned to their commits. `finder` finds the symbols
    too, as long as it has time.
    """
    new = (commit for commit in commits(root, limit, since) if commit.hash not in known and message_of(commit))
    for some in _parts(new, COMMITS_AT_ONCE):
        found = dict(finder.of([commit.hash for commit in some])) if anchored and finder is not None else {}
        for commit in some:
            item = commit_item(commit, service=service, anchored=anchored, symbols=found.get(commit.hash))
            if item is not None:
                yield item


def _parts(some: Iterable[Commit], size: int) -> Iterator[list[Commit]]:
    rest = iter(some)
    while part := list(islice(rest, size)):
        yield part


def commit_item(
    commit: Commit, *, service: str = "", anchored: bool = True, symbols: Sequence[TouchedSymbol] | None = None
) -> Item | None:
    """A commit with its reason, its files and the symbols that it touched (None: they were not looked for); None for
    one that says nothing."""
    message = message_of(commit)
    if not message:
        return None
    subject = _CONTROLS.sub("", commit.subject).strip()
    metadata: dict[str, object] = {
        "commit": commit.hash,
        "author": commit.author,
        "title": first_line(subject or message, TITLE_LENGTH_MAX),
    }
    if commit.files:
        metadata["files"] = list(commit.files[:FILES_NAMED_MAX])
        metadata["files_changed"] = len(commit.files)
    if symbols:
        metadata["symbols"] = [f"{one.path}::{one.name}" for one in symbols]
    if pull_request := pull_request_of(commit):
        metadata["pull_request"] = pull_request
    if references := list(dict.fromkeys(_REFERENCE.findall(f"{commit.subject}\n{commit.body}")))[:_REFERENCES_MAX]:
        metadata["references"] = references
    draft = Draft(
        content=message,
        kind=KIND,
        domain="history",
        at=commit.at,
        source=SOURCE,
        service=service,
        anchors=_anchors(commit, symbols or ()) if anchored else (_own_anchor(commit),),
        metadata=metadata,
    )
    digest = digest_of(commit.hash, with_symbols=symbols is not None)
    return Item(draft, path_of(commit.hash), digest, size=len(message))


def digest_of(commit: str, *, with_symbols: bool) -> str:
    """Of what was read of a commit: with the symbols that it touched, or without having looked for them."""
    return hashlib.sha256(f"{commit} symbols".encode() if with_symbols else commit.encode()).hexdigest()


def path_of(commit: str) -> str:
    """The name of a commit among the sources of its service."""
    return f"{_PATH}{commit}"


def hash_in(path: str) -> str:
    """The commit that such a name is of; "" for the name of something else."""
    return path.removeprefix(_PATH) if path.startswith(_PATH) else ""


def pull_request_of(commit: Commit) -> int:
    """The number of the pull or merge request that a commit came with, as its subject tells it; 0: none."""
    found = _PULL_REQUEST.search(commit.subject)
    return int(next(group for group in found.groups() if group)) if found else 0


def _own_anchor(commit: Commit) -> Anchor:
    return make_anchor({"type": "commit", "target": commit.hash})


def _anchors(commit: Commit, symbols: Sequence[TouchedSymbol]) -> tuple[Anchor, ...]:
    files = ({"type": "file", "path": path} for path in commit.files[:FILES_ANCHORED_MAX])
    return (_own_anchor(commit), *_possible(files), *symbol_anchors(symbols))


def symbol_anchors(symbols: Iterable[TouchedSymbol]) -> tuple[Anchor, ...]:
    """Without evidence of how they looked: that a commit touched them stays true, whatever becomes of them."""
    return tuple(_possible({"type": "symbol", "target": one.name, "path": one.path} for one in symbols))


def _possible(wanted: Iterable[dict[str, str]]) -> Iterator[Anchor]:
    for one in wanted:
        try:
            yield make_anchor(one)
        except Invalid:  # a name that no anchor can have
            continue


def message_of(commit: Commit) -> str:
    """What a commit says, without signatures and other trailers. Nothing for a merge that only says so."""
    body = _CONTROLS.sub("", _without_trailers(commit.body))
    subject = _CONTROLS.sub("", commit.subject).strip()
    if not body and _MERGE.match(subject):
        return ""
    return f"{subject}\n\n{body}".strip()[:MESSAGE_LENGTH_MAX].rstrip()


def _without_trailers(body: str) -> str:
    """Without who signed and reviewed; what it fixes or refers to says why, and stays."""
    lines = body.strip().split("\n")
    said: list[str] = []
    while lines and (not lines[-1].strip() or _TRAILER.match(lines[-1].strip()) or _REFERS.match(lines[-1].strip())):
        last = lines.pop()
        if _REFERS.match(last.strip()):
            said.append(last)
    rest = "\n".join(lines).strip()
    kept = "\n".join(reversed(said))
    return f"{rest}\n\n{kept}".strip()
