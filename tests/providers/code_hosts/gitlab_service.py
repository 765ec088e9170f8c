"""The loopback server as GitLab answers: REST, version 4."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

from .loopback import LoopbackHost, Reply
from .world import Said, Spoken, blob


class GitLabService(LoopbackHost):
    """`has_links` False is one behind a proxy that drops the `Link` header."""

    root: ClassVar[str] = "/api/v4"
    has_links = True

    @property
    def site(self) -> str:
        return self.url.removesuffix(self.root)

    def given_token(self, headers: Mapping[str, str]) -> str:
        return headers.get("private-token", "")

    def limit_headers(self) -> dict[str, str]:
        if self.allowed is None:
            return {}
        return {
            "RateLimit-Limit": str(self.allowed),
            "RateLimit-Observed": str(self.used),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(int(self.reset)),
        }

    def limited(self) -> Reply:
        wait = {"Retry-After": str(int(self.reset - self.time()))}
        return Reply(429, b"Retry later\n", {**self.limit_headers(), **wait})

    def page(self, rows: list[Any], query: dict[str, str], path: str) -> Reply:
        """Keyset pages have a link alone; those by number a link and the next number, "" at the end."""
        reply = super().page(rows, query, path)
        link = reply.headers.get("Link", "")
        if query.get("pagination") == "keyset":
            return reply
        following = str(int(query.get("page", "1")) + 1) if link else ""
        return Reply(200, reply.body, {"X-Next-Page": following, **({"Link": link} if link and self.has_links else {})})

    def link(self, path: str, query: dict[str, str], rel: str) -> str:
        """As of a server that does not know its own name."""
        return super().link(path, query, rel).replace(self.url, "http://gitlab.internal:8080/api/v4")

    def answer(self, path: str, query: dict[str, str], headers: Mapping[str, str]) -> Reply:
        world = self.world
        if path == "/user":
            return Reply(200, {"username": "ada"})
        if path == "/version":
            return Reply(200, {"version": "18.0.0"})
        found = re.fullmatch(r"/projects/([^/]+)(/.*)?", path)
        if not found or unquote(found[1]) not in (world.path, str(world.number)):
            return Reply(404, {"message": "404 Project Not Found"})
        rest = found[2] or ""
        if not rest:
            about = {"id": world.number, "path_with_namespace": world.path, "default_branch": world.branch}
            about |= {"visibility": "private" if self.is_private else "public", "empty_repo": not world.head}
            about |= {"issues_enabled": world.has_issues, "merge_requests_enabled": True}
            return Reply(200, about | {"web_url": f"https://gitlab.com/{world.path}"})
        if rest.startswith("/repository/"):
            return self.repository(rest.removeprefix("/repository/"), path, query)
        return self.talks(rest, path, query)

    def repository(self, rest: str, path: str, query: dict[str, str]) -> Reply:
        world = self.world
        if rest == "commits":
            rows = [
                {
                    "id": sha,
                    "message": f"Change {number}",
                    "author_name": "Ann",
                    "committed_date": "2026-01-01T10:00:00Z",
                }
                for number, sha in enumerate(world.commits)
            ]
            return self.page(rows[::-1], query, path)
        if found := re.fullmatch(r"commits/([^/]+)", rest):
            sha = world.head if found[1] == world.branch else found[1]
            return Reply(200, {"id": sha}) if sha in world.commits else Reply(404, {"message": "404 Commit Not Found"})
        files = world.commits.get(world.head if query.get("ref") == world.branch else query.get("ref", ""))
        if files is None:
            return Reply(404, {"message": "404 Tree Not Found"})
        if rest == "tree":
            return self.tree(files, path, query)
        named = re.fullmatch(r"files/([^/]+)/raw", rest)
        data = files.get(unquote(named[1])) if named else None
        return Reply(404, {"message": "404 File Not Found"}) if data is None else Reply(200, data)

    def tree(self, files: dict[str, bytes], path: str, query: dict[str, str]) -> Reply:
        rows: list[dict[str, Any]] = []
        start = f"{query['path']}/" if query.get("path") else ""
        recursive = query.get("recursive") == "true"
        for name, data in sorted(files.items()):
            below = name.removeprefix(start)
            if name.startswith(start) and (recursive or "/" not in below):
                rows.append({"id": blob(data), "name": below, "path": name, "type": "blob", "mode": "100644"})
        inside = [name.removeprefix(start) for name in files if name.startswith(start)]
        folders = {name.partition("/")[0] for name in inside if "/" in name}
        rows += [{"id": "0", "name": f, "path": start + f, "type": "tree", "mode": "040000"} for f in sorted(folders)]
        rows += [{"id": "0", "path": p, "type": t, "mode": m} for p, (m, t) in self.world.others.items()]
        return self.page(rows, query, path)

    def talks(self, rest: str, path: str, query: dict[str, str]) -> Reply:
        found = re.fullmatch(r"/(merge_requests|issues)(?:/(\d+))?(?:/(discussions|notes))?", rest)
        if not found:
            return Reply(404, {"error": "404 Not Found"})
        sort = "pull" if found[1] == "merge_requests" else "issue"
        if sort == "issue" and not self.world.has_issues:
            return Reply(403, {"message": "403 Forbidden"})
        if not found[2]:
            assert (query["scope"], query["order_by"], query["sort"]) == ("all", "updated_at", "asc")
            talks = self.world.by_update(sort, query.get("updated_after", ""))
            return self.page([_row(talk) for talk in talks], query, path)
        talk = self.world.talks.get(int(found[2]))
        if talk is None or talk.sort != sort:
            return Reply(404, {"message": "404 Not found"})
        if found[3] == "discussions":
            notes = [{"id": str(number), "notes": [_note(one)]} for number, one in enumerate(talk.said)]
            return self.page(notes, query, path)
        return self.page([_note(one) for one in talk.said], query, path) if found[3] else Reply(200, _row(talk))


def _row(talk: Spoken) -> dict[str, Any]:
    state = "merged" if talk.merged else "opened" if talk.state == "open" else talk.state
    return {
        "iid": talk.number,
        "title": talk.title,
        "description": talk.body or None,
        "state": state,
        "author": None if talk.author is None else {"username": talk.author},
        "web_url": f"https://gitlab.com/acme/shop/-/{talk.sort}/{talk.number}",
        "created_at": talk.created,
        "updated_at": talk.updated,
        "labels": talk.labels,
        "confidential": talk.is_confidential,
        "merge_commit_sha": talk.merged or None,
        "sha": "ee" * 20,
        "user_notes_count": sum(not one.is_system for one in talk.said),
    }


def _note(one: Said) -> dict[str, Any]:
    row: dict[str, Any] = {"author": {"username": one.author}, "body": one.text, "created_at": one.at}
    row["system"] = one.is_system
    return row | ({"position": {"new_path": one.path, "new_line": one.line}} if one.path else {})
