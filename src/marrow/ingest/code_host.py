"""What a code host has, as items: the files of a repository, its pull requests and its issues.

A pull request or an issue is one conversation: its title, what it says, and what was said to it, a paragraph each as
`author: text`. Programs that comment are left out, and so is what only they talk about.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.link import make_anchor
from ..providers.code_hosts.host import ISSUE, PULL, HostFile, Remark, Repository, Talk
from ..repository.file_sorts import is_generated, is_inside_git, is_secret
from ..repository.origin import normalise
from ..repository.own_builds import may_be_own
from .files import read_file
from .item import Item, Skipped

KIND, DOMAIN = "conversation", "history"
FILE_BYTES_MAX = 4 * 1024 * 1024
REMARK_LENGTH_MAX = 4_000
BODY_LENGTH_MAX = 32_000
TALK_LENGTH_MAX = 128_000
LABELS_MAX = 20
NAMES_MAX = 20
# What names a talk or a place in the reading begins so; no file of a repository is read under such a name.
MARK = "#"
FOLDERS = {PULL: f"{MARK}pulls", ISSUE: f"{MARK}issues"}

_LARGE_FILE = b"version https://git-lfs.github.com/spec/"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")


def repository_path(given: str, host: str, site: str) -> str:
    """`acme/shop`, from that or from an address of the repository, however it is written. `site` is the host's own."""
    text = given.strip()
    path = text.strip("/").removesuffix(".git")
    if "://" in text or "@" in text or ":" in text:
        known = normalise(text) or ""
        where, _, path = known.partition("/")
        if known and where != site:
            raise Invalid(
                f"{known[:80]} is on another host than {site}.",
                hint=f"Give the repository's name alone, or the address of this {host} as base_url.",
                field="repository",
            )
        path = path.partition("/-/")[0]
    steps = path.split("/")
    if not _PATH.fullmatch(path) or ".." in steps or "." in steps or (host == "github" and len(steps) != 2):
        form = "owner/name" if host == "github" else "group/name"
        raise Invalid(f"{given[:80]!r} names no repository.", hint=f"Give it as {form}.", field="repository")
    return path


def why_left_out(file: HostFile, bytes_max: int = FILE_BYTES_MAX) -> str | None:
    """Why a file is not asked for: a reason to tell, or "" where there is nothing to tell. None: it is asked for."""
    if (
        is_inside_git(file.path)
        or file.path.startswith(MARK)
        or is_generated(file.path, is_own=may_be_own(file.path, file.size))
    ):
        return ""
    if is_secret(file.path):
        return "a file of this name holds secrets"
    if file.size > bytes_max:
        return f"it has {file.size:,} bytes; at most {bytes_max:,} are read"
    return None


def file_items(
    host: str, repository: Repository, commit: str, file: HostFile, data: bytes, service: str
) -> list[Item | Skipped]:
    """The items of a file's bytes."""
    digest, size = hashlib.sha256(data).hexdigest(), len(data)
    if data.startswith(_LARGE_FILE):
        return [Skipped(file.path, "its content is kept elsewhere (Git LFS)", digest, size)]
    about = {"repository": repository.path, "revision": commit, **_address(host, repository, commit, file.path)}
    found: list[Item | Skipped] = []
    for one in read_file(file.path, data, service=service, digest=digest, is_own=may_be_own(file.path, size)):
        if isinstance(one, Item):
            draft = replace(one.draft, source=host, service=service, metadata={**one.draft.metadata, **about})
            found.append(replace(one, draft=draft, digest=digest, size=size))
        else:
            found.append(replace(one, digest=digest, size=size))
    return found


def _address(host: str, repository: Repository, commit: str, path: str) -> dict[str, str]:
    """Where a person looks at it."""
    between = "/-/blob/" if host == "gitlab" else "/blob/"
    return {"url": f"{repository.url}{between}{commit}/{quote(path)}"} if repository.url else {}


def talk_path(talk: Talk) -> str:
    return f"{FOLDERS[talk.sort]}/{talk.number}"


def talk_item(host: str, repository: Repository, talk: Talk, service: str) -> Item | None:
    """A pull request or an issue, or None where only programs speak in it."""
    told = [remark for remark in talk.remarks if not remark.is_bot]
    if talk.is_bot and not any(remark.text for remark in told):
        return None
    title = _plain(talk.title) or f"{talk.sort} {talk.number}"
    parts = [" ".join(title.split())]
    problems = ["not all of its comments were read"] if talk.is_cut else []
    if body := "" if talk.is_bot else _plain(talk.body):
        parts.append(_cut(body, BODY_LENGTH_MAX))
    lines = list(_lines(told))
    kept = _fitting(lines, TALK_LENGTH_MAX - sum(map(len, parts)))
    if len(kept) < len(lines):
        problems.append(f"{len(lines) - len(kept)} of its {len(lines)} comments were left out for length")
    content = "\n\n".join([*parts, *kept, *_ending(talk)])
    draft = Draft(
        content=content,
        kind=KIND,
        domain=DOMAIN,
        aliases=(f"{'!' if host == 'gitlab' and talk.sort == PULL else '#'}{talk.number}",),
        classification="confidential" if talk.is_confidential else None,
        at=moment_of(talk.created),
        source=host,
        service=service,
        anchors=(make_anchor({"type": "commit", "target": talk.commit}),) if talk.commit else (),
        metadata=_about(repository, talk, told),
    )
    return Item(draft, talk_path(talk), _digest(draft, talk), "; ".join(problems), len(content))


def _digest(draft: Draft, talk: Talk) -> str:
    """Of the words and of how the talk stands: one that is made confidential or labelled anew says the same, and has
    changed all the same."""
    told = [draft.content, draft.classification or "", talk.state, *sorted(talk.labels)]
    return hashlib.sha256("\0".join(told).encode("utf-8", "replace")).hexdigest()


def _about(repository: Repository, talk: Talk, told: Sequence[Remark]) -> dict[str, object]:
    found: dict[str, object] = {
        "type": talk.sort,
        "number": talk.number,
        "title": " ".join(_plain(talk.title).split())[:200],
        "state": talk.state,
        "author": talk.author,
        "url": talk.url,
        "repository": repository.path,
        "commit": talk.commit,
        "labels": list(talk.labels[:LABELS_MAX]),
        "people": list(dict.fromkeys(one.author for one in told if one.author != talk.author))[:NAMES_MAX],
        "approved_by": _approvers(told),
    }
    return {name: given for name, given in found.items() if given not in ("", [])}


def _approvers(told: Sequence[Remark]) -> list[str]:
    """Those whose last verdict was that it is good."""
    last = {one.author: one.verdict for one in told if one.verdict}
    return sorted(author for author, verdict in last.items() if verdict == "approved")[:NAMES_MAX]


def _lines(told: Sequence[Remark]) -> Iterator[str]:
    """A paragraph for each remark: who, perhaps where, and what. A verdict without a word is told by its name."""
    for remark in told:
        said = _BLANKS.sub("\n", _cut(_plain(remark.text), REMARK_LENGTH_MAX)) or remark.verdict
        if said:
            yield f"{remark.author}: {f'{remark.place}: ' if remark.place else ''}{said}"


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    """The first and the last remarks, where not all fit: how it began and how it ended."""
    if sum(map(len, lines)) <= room:
        return list(lines)
    begun, ended, left = 0, len(lines), room
    while begun < ended:
        is_front = begun <= len(lines) - ended
        left -= len(lines[begun if is_front else ended - 1])
        if left < 0:
            break
        begun, ended = (begun + 1, ended) if is_front else (begun, ended - 1)
    return [*lines[:begun], *lines[ended:]]


def _ending(talk: Talk) -> list[str]:
    """How it ended. In the text, for a talk that is closed without another word has changed all the same."""
    if talk.commit:
        return [f"Merged as {talk.commit[:12]}."]
    return [] if talk.state in ("", "open") else [f"{talk.state.capitalize()}."]


def _plain(text: str) -> str:
    """Text as people wrote it: without what a template hid in it, and without marks that no text has."""
    form = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _COMMENT.sub("", form).encode("utf-8", "replace").decode().strip()


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def moment_of(text: str) -> datetime | None:
    """A host's time; None where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
