"""The loopback server as GitHub answers: REST, version 2022-11-28."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

from .loopback import LoopbackHost, Reply
from .world import Said, Spoken, blob

NOT_FOUND = Reply(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"})


class GitHubService(LoopbackHost):
    """`tree_most` is how many entries a recursive tree may have before it is cut."""

    root: ClassVar[str] = "/api/v3"  # as a company's own has it
    tree_most = 100_000

    def given_token(self, headers: Mapping[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def limit_headers(self) -> dict[str, str]:
        if self.allowed is None:
            return {}
        return {
            "X-RateLimit-Limit": str(self.allowed),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(int(self.reset)),
        }

    def limited(self) -> Reply:
        return Reply(403, {"message": "API rate limit exceeded for user ID 1."}, self.limit_headers())

    def answer(self, path: str, query: dict[str, str], headers: Mapping[str, str]) -> Reply:
        if path == "/user":
            return Reply(200, {"login": "ada"})
        if path == "/rate_limit":
            core = {"limit": self.allowed or 5000, "remaining": self.remaining, "reset": int(self.reset)}
            return Reply(200, {"resources": {"core": core}})
        found = re.fullmatch(r"/repos/([^/]+/[^/]+)(/.*)?", path)
        if not found or found[1].lower() != self.world.path:
            moved = re.fullmatch(r"/repos/acme/old-shop(/.*)?", path)
            if moved:
                where = f"{self.url}/repos/{self.world.path}{moved[1] or ''}"
                return Reply(301, {"message": "Moved Permanently"}, {"Location": where})
            return NOT_FOUND
        return self.repository(found[2] or "", path, query, headers)

    def repository(self, rest: str, path: str, query: dict[str, str], headers: Mapping[str, str]) -> Reply:
        world = self.world
        if not rest:
            about = {"id": world.number, "full_name": world.path, "default_branch": world.branch}
            about |= {"private": self.is_private, "has_issues": world.has_issues}
            return Reply(200, about | {"html_url": f"https://github.com/{world.path}"})
        if rest == "/commits":
            rows = [{"sha": sha, "commit": _commit(number)} for number, sha in enumerate(world.commits)][::-1]
            return self.page(rows, query, path) if rows else Reply(409, {"message": "Git Repository is empty."})
        if found := re.fullmatch(r"/commits/(.+)", rest):
            assert headers["accept"] == "application/vnd.github.sha"
            return self.head(unquote(found[1]))
        if found := re.fullmatch(r"/git/trees/(.+)", rest):
            return self.tree(unquote(found[1]), recursive="recursive" in query)
        if found := re.fullmatch(r"/git/blobs/(\w+)", rest):
            return self.blob(found[1])
        if found := re.fullmatch(r"/contents(?:/(.*))?", rest):
            return self.contents(unquote(found[1] or ""), query.get("ref", ""), headers)
        return self.talks(rest, path, query)

    def head(self, name: str) -> Reply:
        world = self.world
        if not world.head:
            return Reply(409, {"message": "Git Repository is empty."})
        sha = world.head if name == world.branch else name if name in world.commits else ""
        return Reply(200, sha.encode()) if sha else Reply(422, {"message": f"No commit found for SHA: {name}"})

    def tree(self, name: str, *, recursive: bool) -> Reply:
        """Trees below the root are named `tree-<commit>-<folder>` here."""
        commit, folder = (name.split("-", 2)[1:]) if name.startswith("tree-") else (name, "")
        if commit not in self.world.commits:
            return NOT_FOUND
        start = f"{folder}/" if folder else ""
        files = {p[len(start) :]: data for p, data in self.world.commits[commit].items() if p.startswith(start)}
        rows: list[dict[str, Any]] = []
        for path, data in sorted(files.items()):
            if recursive or "/" not in path:
                rows.append({"path": path, "mode": "100644", "type": "blob", "sha": blob(data), "size": len(data)})
        below = sorted({path.partition("/")[0] for path in files if "/" in path})
        rows += [{"path": n, "mode": "040000", "type": "tree", "sha": f"tree-{commit}-{start}{n}"} for n in below]
        if not folder:
            rows += [{"path": p, "mode": m, "type": t, "sha": "0" * 40} for p, (m, t) in self.world.others.items()]
        is_cut = recursive and len(rows) > self.tree_most
        return Reply(200, {"sha": name, "tree": rows[: self.tree_most] if is_cut else rows, "truncated": is_cut})

    def blob(self, sha: str) -> Reply:
        for files in self.world.commits.values():
            for data in files.values():
                if blob(data) == sha:
                    text = base64.encodebytes(data).decode()
                    return Reply(200, {"sha": sha, "size": len(data), "encoding": "base64", "content": text})
        return NOT_FOUND

    def contents(self, path: str, ref: str, headers: Mapping[str, str]) -> Reply:
        files = self.world.commits.get(self.world.head if ref == self.world.branch else ref, {})
        if path in files:
            assert headers["accept"] == "application/vnd.github.raw+json"
            return Reply(200, files[path])
        start = f"{path}/" if path else ""
        names = {p[len(start) :] for p in files if p.startswith(start)}
        rows = [{"name": n.partition("/")[0], "type": "dir" if "/" in n else "file"} for n in sorted(names)]
        return Reply(200, [row for number, row in enumerate(rows) if row not in rows[:number]]) if rows else NOT_FOUND

    def talks(self, rest: str, path: str, query: dict[str, str]) -> Reply:
        world = self.world
        if rest == "/issues":
            assert (query["state"], query["sort"], query["direction"]) == ("all", "updated", "asc")
            found = world.by_update("" if world.has_issues else "pull", query.get("since", ""))
            return self.page([_listed(talk) for talk in found], query, path)
        number = int((re.search(r"/(\d+)", rest) or ["", "0"])[1])
        talk = world.talks.get(number)
        if talk is None or (rest.startswith("/pulls/") and talk.sort != "pull"):
            return NOT_FOUND
        if rest == f"/issues/{number}":
            return Reply(200, _listed(talk))
        if rest == f"/pulls/{number}":
            return Reply(200, _pull(talk))
        if rest == f"/pulls/{number}/reviews":
            return self.page([_review(one) for one in talk.of(at_line=False, review=True)], query, path)
        if rest == f"/pulls/{number}/comments":
            return self.page([_comment(one) for one in talk.of(at_line=True, review=False)], query, path)
        if rest == f"/issues/{number}/comments":
            return self.page([_comment(one) for one in talk.of(at_line=False, review=False)], query, path)
        return NOT_FOUND


def _commit(number: int) -> dict[str, Any]:
    when = f"2026-01-{number + 1:02}T10:00:00Z"
    return {"message": f"Change {number}", "author": {"name": "Ann"}, "committer": {"date": when}}


def _user(name: str | None, is_program: bool) -> dict[str, str] | None:
    return None if name is None else {"login": name, "type": "Bot" if is_program else "User"}


def _listed(talk: Spoken) -> dict[str, Any]:
    kind = "pull" if talk.sort == "pull" else "issues"
    row: dict[str, Any] = {
        "number": talk.number,
        "title": talk.title,
        "body": talk.body or None,
        "state": talk.state,
        "user": _user(talk.author, talk.is_program),
        "html_url": f"https://github.com/acme/shop/{kind}/{talk.number}",
        "created_at": talk.created,
        "updated_at": talk.updated,
        "labels": [{"name": label} for label in talk.labels],
        "comments": len(talk.of(at_line=False, review=False)),
    }
    if talk.sort == "pull":
        row["pull_request"] = {"merged_at": talk.updated if talk.merged else None}
    return row


def _pull(talk: Spoken) -> dict[str, Any]:
    row = _listed(talk)
    del row["pull_request"]
    row["review_comments"] = len(talk.of(at_line=True, review=False))
    # Of one that is open this is a merge that was only tried.
    row |= {"merged_at": talk.updated if talk.merged else None, "merge_commit_sha": talk.merged or "cd" * 20}
    return row


def _review(one: Said) -> dict[str, Any]:
    return {"user": _user(one.author, one.is_program), "body": one.text, "state": one.verdict, "submitted_at": one.at}


def _comment(one: Said) -> dict[str, Any]:
    row: dict[str, Any] = {"user": _user(one.author, one.is_program), "body": one.text, "created_at": one.at}
    return row | ({"path": one.path, "line": one.line or None, "original_line": one.line} if one.path else {})
